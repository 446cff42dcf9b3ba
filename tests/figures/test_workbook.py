"""Workbooks: derived cells, what was published for them, what depends on what, and errors that stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from kvdocs.figures.names import Key
from kvdocs.figures.sheet import Cell, Column, Sheet
from kvdocs.figures.table import CellName
from kvdocs.figures.workbook import Workbook


def sheet(name: str, columns: list[Column], rows: Mapping[Key, Mapping[str, Cell]], noise_floor: tuple[str, ...] = ()) -> Sheet:
    return Sheet(name, columns[0].name, {column.name: column for column in columns}, rows, noise_floor)


def value(text: str) -> Cell:
    return Cell(Decimal(text))


def published(text: str) -> Cell:
    return Cell(published=Decimal(text))


def two_routes(host: str = "31.72") -> Workbook:
    """A decode token with its cache in host memory and on the device, and the copy by two routes."""
    telemetry = sheet("M1", [Column("depth", "token"), Column("h2d", "ms/token")], {4096: {"h2d": value("6.31")}})
    floor = sheet(
        "M2",
        [
            Column("depth", "token"),
            Column("host", "token/s"),
            Column("host_time", "ms/token", compute="1 / host"),
            Column("device", "token/s"),
            Column("device_time", "ms/token", compute="1 / device", decimals=2),
            Column("copy", "ms/token", compute="host_time - device_time"),
            Column("agreement", "%", compute="abs(copy - M1.h2d) / M1.h2d", relative_to="M1.h2d"),
        ],
        {4096: {"host": value(host), "host_time": published("31.53"), "device": value("39.5148"), "copy": published("6.22"), "agreement": published("1.4")}},
    )
    return Workbook([telemetry, floor])


def shown(book: Workbook, measurement: str) -> list[str]:
    lines = []
    for figure in book.table(measurement).figures():
        low, high = figure.bounds_text if figure.interval is not None else ("", "")
        verdict = f" ({figure.reproduction}: {figure.published_text})" if figure.reproduction is not None else ""
        lines.append(f"{figure.name.column}: {figure.text}" + (f", {low} to {high}" if low != high else "") + verdict)
    return lines


def test_a_table_is_computed_with_its_rounding() -> None:
    assert shown(two_routes(), "M2") == [
        "depth: 4,096 token",
        "host: 31.72 token/s, 31.715 token/s to 31.725 token/s",
        "host_time: 31.53 ms/token, 31.521 ms/token to 31.531 ms/token (reproduced: 31.53 ms/token)",
        "device: 39.5148 token/s, 39.51475 token/s to 39.51485 token/s",
        "device_time: 25.31 ms/token, 25.3069 ms/token to 25.3070 ms/token",
        "copy: 6.22 ms/token, 6.214 ms/token to 6.224 ms/token (reproduced: 6.22 ms/token)",
        "agreement: 1.4%, 1.29% to 1.60% (reproduced: 1.4%)",
    ]


def test_a_change_of_one_input_changes_all_that_depends_on_it_and_nothing_else() -> None:
    before, after = two_routes(), two_routes(host="31.92")
    changed = [str(f.name) for f, g in zip(before.figures(), after.figures(), strict=True) if f.value != g.value]
    host = CellName("M2", "host", 4096)
    assert changed == [str(name) for name in (host, *before.dependents(host))]
    assert shown(after, "M2")[2:] == [
        "host_time: 31.33 ms/token, 31.323 ms/token to 31.333 ms/token (not reproduced: 31.53 ms/token)",
        "device: 39.5148 token/s, 39.51475 token/s to 39.51485 token/s",
        "device_time: 25.31 ms/token, 25.3069 ms/token to 25.3070 ms/token",
        "copy: 6.02 ms/token, 6.016 ms/token to 6.026 ms/token (not reproduced: 6.22 ms/token)",
        "agreement: 4.6%, 4.42% to 4.73% (not reproduced: 1.4%)",
    ]


def test_dependents_reach_across_measurements() -> None:
    assert list(map(str, two_routes().dependents(CellName("M1", "h2d", 4096)))) == ["M2.agreement[4096]"]
    assert list(map(str, two_routes().dependents(CellName("M2", "host", 4096)))) == ["M2.host_time[4096]", "M2.copy[4096]", "M2.agreement[4096]"]
    assert two_routes().dependents(CellName("M2", "agreement", 4096)) == ()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("0.87", "reproduced"),  # 31.72 / 36.3 is 0.874
        ("0.874", "reproduced"),
        ("0.8739", "undecided"),  # 0.87383 as written; 0.8739 if the host's figure was a little larger
        ("0.89", "not reproduced"),
    ],
)
def test_a_published_figure_is_held_against_the_digits_of_both(text: str, verdict: str) -> None:
    columns = [Column("depth", "token"), Column("host", "token/s"), Column("device", "token/s"), Column("share", "1", compute="host / device")]
    book = Workbook([sheet("M1", columns, {4096: {"host": value("31.72"), "device": value("36.3"), "share": published(text)}})])
    assert book.figure(CellName("M1", "share", 4096)).reproduction == verdict


def test_a_published_figure_without_inputs_serves_as_a_value_and_is_marked() -> None:
    columns = [Column("case"), Column("gain", "%"), Column("twice", "%", compute="2 * gain")]
    book = Workbook([sheet("M7", columns, {"async": {"gain": published("0.13")}})])
    gain, twice = book.figure(CellName("M7", "gain", "async")), book.figure(CellName("M7", "twice", "async"))
    assert (gain.text, gain.reproduction) == ("0.13%", "no inputs on record")
    assert twice.quantity is not None
    assert (twice.text, twice.quantity.unsupported) == ("0.26%", ("M7.gain['async']",))


def test_a_typed_value_is_held_against_what_was_published_for_it() -> None:
    columns = [Column("depth", "token"), Column("rate", "token/s")]
    book = Workbook([sheet("M1", columns, {1: {"rate": Cell(Decimal("31.72"), published=Decimal("31.53"))}})])
    assert book.figure(CellName("M1", "rate", 1)).reproduction == "not reproduced"


def test_samples_give_a_mean_and_an_uncertainty() -> None:
    columns = [Column("depth", "token"), Column("rate", "token/s")]
    book = Workbook([sheet("M1", columns, {1: {"rate": Cell(samples=(Decimal("10.0"), Decimal("10.2"), Decimal("10.4")))}, 2: {"rate": Cell(samples=(Decimal("10.0"),))}})])
    three, one = (book.figure(CellName("M1", "rate", row)) for row in (1, 2))
    assert (three.text, three.uncertainty) == ("10.2 token/s", pytest.approx(0.2 / 3**0.5))
    assert (one.text, one.uncertainty) == ("10.0 token/s", None)


def test_a_noise_floor_with_degrees_enough_replaces_the_spread_of_two_samples() -> None:
    """Eight degrees of freedom from other arms say more about two runs than their own one degree."""
    columns = [Column("depth", "token"), Column("rate", "token/s")]
    pool = sheet("M2", columns, {row: {"rate": Cell(samples=tuple(Decimal(s) for s in ("100", "101", "99")))} for row in range(4)})
    arm = sheet("M1", columns, {1: {"rate": Cell(samples=(Decimal("50.00"), Decimal("50.01")))}}, noise_floor=("M2",))
    book = Workbook([arm, pool])
    figure = book.figure(CellName("M1", "rate", 1))
    floor = book.noise_floor("M1", figure.unit)
    assert floor is not None
    assert floor.df == 8
    assert figure.uncertainty == pytest.approx(floor.sd * 50.005 / 2**0.5)


def test_an_empty_cell_leaves_its_dependents_empty_and_is_no_error_of_theirs() -> None:
    columns = [Column("depth", "token"), Column("a"), Column("b", compute="2 * a"), Column("c", compute="max(b[:])")]
    book = Workbook([sheet("M1", columns, {1: {"a": value("1.0")}, 2: {}})])
    assert [(str(f.name), f.text, f.error.fault if f.error else None) for f in book.figures()] == [
        ("M1.depth[1]", "1 token", None), ("M1.a[1]", "1.0", None), ("M1.b[1]", "2.0", None), ("M1.c[1]", "2.0", None),
        ("M1.depth[2]", "2 token", None), ("M1.a[2]", "—", "absent"), ("M1.b[2]", "—", "absent"), ("M1.c[2]", "2.0", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "fault", "message"),
    [
        ("a / (a - a)", "undefined", "divides by zero"),
        ("a + depth", "units", "adds a pure number and token"),
        ("depth / 2", "units", "the formula gives token, and the column is in 1 (a pure number)"),
        ("aa", "name", "M1 has no column 'aa'"),
        ("M2.a", "name", "there is no measurement 'M2'"),
        ("M1.a[7]", "name", "M1 has no row 7"),
        ("a +", "form", "not a formula: invalid syntax"),
        ("b", "cycle", "needs itself: M1.b[1] → M1.b[1]"),
        ("c", "cycle", "needs itself: M1.c[1] → M1.b[1] → M1.c[1]"),
        ("bad * 2", "blocked", "M1.bad[1] cannot be computed"),
        ("M9.a", "blocked", "there is no measurement 'M9'"),
        ("count('defect')", "name", "records cannot be counted here"),
    ],
)
def test_an_error_belongs_to_the_cell_that_has_it(formula: str, fault: str, message: str) -> None:
    columns = [Column("depth", "token"), Column("a"), Column("bad", compute="a / 0"), Column("c", compute="b + 1"), Column("b", compute=formula)]
    book = Workbook([sheet("M1", columns, {1: {"a": value("1.0")}})], broken=frozenset({"M9"}))
    errors = {f.name.column: f.error for f in book.figures() if f.error is not None and f.error.fault != "blocked"}
    error = errors.get("b") or book.figure(CellName("M1", "b", 1)).error
    assert error is not None
    assert (error.fault, error.message) == (fault, message)
    assert book.figure(CellName("M1", "a", 1)).text == "1.0"


def test_a_long_chain_of_formulas_does_not_overflow_the_stack() -> None:
    columns = [Column("k"), *(Column(f"c{i}", compute=f"c{i + 1} + 1") for i in range(3000)), Column("c3000")]
    book = Workbook([sheet("M1", columns, {1: {"c3000": value("1.0")}})])
    assert book.figure(CellName("M1", "c0", 1)).value == 3001


def test_what_leans_on_a_circle_is_blocked_and_only_the_circle_has_the_error() -> None:
    columns = [Column("k"), Column("a", compute="b + 1"), Column("b", compute="c + 1"), Column("c", compute="d + b"), Column("d"), Column("e", compute="max(b, d)")]
    book = Workbook([sheet("M1", columns, {1: {"d": value("1.0")}})])
    assert {f.name.column: (f.error.fault, f.error.message) for f in book.figures() if f.error is not None} == {
        "a": ("blocked", "M1.b[1] cannot be computed"),
        "b": ("blocked", "M1.c[1] cannot be computed"),
        "c": ("cycle", "needs itself: M1.b[1] → M1.c[1] → M1.b[1]"),
        "e": ("blocked", "M1.b[1] cannot be computed"),
    }


def test_an_unknown_unit_blocks_its_column_only() -> None:
    columns = [Column("k"), Column("a", "t/s"), Column("b", compute="2 * a"), Column("c")]
    book = Workbook([sheet("M1", columns, {1: {"a": value("1.0"), "c": value("2.0")}})])
    assert [(f.name.column, f.text, f.error.fault if f.error else None) for f in book.figures()] == [
        ("k", "1", None),
        ("a", "—", "blocked"),
        ("b", "—", "blocked"),
        ("c", "2.0", None),
    ]
