"""Fields and titles that cite figures: what they come to, what `check` says of them, and what else follows them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from kvdocs.cited import field_figures, measured_payoff, title_of
from kvdocs.figures.typed import typed_numbers
from kvdocs.kinds.item import Item
from kvdocs.order import plan
from kvdocs.pages.overview import overview_page
from kvdocs.pages.published import published_page
from kvdocs.pipeline import Inspection, publication
from kvdocs.registry import Registry
from kvdocs.render import Renderer
from tests.conftest import MakeProject, Ran

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/measurements/M1.yaml": """
        id: M1
        title: Two arms
        key: depth
        columns:
          - {name: depth, title: Depth, unit: token, exact: true}
          - {name: before, title: Before, unit: token/s, better: higher}
          - {name: after, title: After, unit: token/s, better: higher}
          - {name: gain, title: Gain, unit: "%", better: higher, compute: after / before - 1, relative_to: before, decimals: 1}
        rows:
          - {depth: 4096, before: 31.72, after: AFTER}
          - {depth: 8192, before: 25.42, after: 35.62}
    """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Make it worth {{ M1.gain[4096] | .0f }}
        status: open
        owners: [ann]
        size: S
        payoffs:
          - {what: At the first depth, figure: "M1.gain[4096]", gain: 21.4, basis: measured, source: M1}
          - {what: At the other, figure: "M1.gain[8192]", basis: ceiling, source: M1}
    """,
    "registry/roadmap/R2.yaml": """
        id: R2
        title: Something else
        status: open
        owners: [ann]
        size: S
        payoffs:
          - {what: It was measured elsewhere, gain: 30.5, basis: measured}
    """,
    "registry/experiments/X1.yaml": """
        id: X1
        title: Another way
        verdict: rejected
        why: It is less than {{ M1.gain[8192] }}.
        outcomes:
          - {what: rate, figure: "M1.after[4096]", unit: token/s}
          - {what: time, figure: "M1.after[4096]", unit: ms}
          - {what: cases, value: 12, unit: cases}
    """,
}


def files(after: str = "38.50") -> Mapping[str, str]:
    return {name: text.replace("AFTER", after) for name, text in FILES.items()}


def said(registry: Registry) -> dict[str, str]:
    """What each field comes to, with what was published beside it."""
    found = {}
    for record in ("R1", "R2", "X1"):
        for loc, figure in field_figures(registry.entries[record].record, registry).items():
            told = figure.error.message if figure.error is not None else f"{figure.text} {figure.unit.text}"
            found[f"{record}.{loc[0]}[{loc[1]}]"] = told + (f", published {figure.published_text}: {figure.reproduction}" if figure.published is not None else "")
    return found


def test_what_fields_come_to(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    assert said(inspect_files(files()).registry) == {
        "R1.payoffs[0]": "+21.4 %, published +21.4: reproduced",
        "R1.payoffs[1]": "+40.1 %",
        "X1.outcomes[0]": "38.50 token/s",
        "X1.outcomes[1]": "the figure is in token / second, not in ms",
    }


def test_a_changed_input_changes_fields_titles_and_the_order(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    """At 38.50 token/s R2 has the larger measured payoff; at 42.50 R1 has it."""
    before, after = inspect_files(files()).registry, inspect_files(files("42.50")).registry
    assert [title_of(r.entries["R1"], r) for r in (before, after)] == ["Make it worth +21%", "Make it worth +34%"]
    assert [str(measured_payoff(item, r)) for r in (before, after) for item in r.records("item", Item)] == ["21.4", "30.5", "34.0", "30.5"]
    assert [[(row.id, row.title, row.why) for row in plan(r).of("actionable")] for r in (before, after)] == [
        [("R2", "Something else", "largest measured payoff +30.5%"), ("R1", "Make it worth +21%", "largest measured payoff +21.4%")],
        [("R1", "Make it worth +34%", "largest measured payoff +34.0%"), ("R2", "Something else", "largest measured payoff +30.5%")],
    ]


def test_check_says_what_no_longer_follows(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    wrong_unit = "registry/experiments/X1.yaml:7:26: error[citation-error]: X1: the figure is in token / second, not in ms"
    assert [str(p) for p in inspect_files(files()).problems] == [wrong_unit]
    differs = "registry/roadmap/R1.yaml:7:63: warning[published-differs]: R1: +21.4% was published, and M1.gain[4096] is +34.0%"
    assert [str(p) for p in inspect_files(files("42.50")).problems] == [wrong_unit, differs]


def test_a_field_without_a_figure_or_a_number_is_refused(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    broken = {**files(), "registry/roadmap/R2.yaml": FILES["registry/roadmap/R2.yaml"].replace("gain: 30.5, ", "")}
    assert [str(p) for p in inspect_files(broken).problems if p.record == "R2"] == [
        "registry/roadmap/R2.yaml:7:5: error[wrong-value]: `payoffs[0]`: a payoff names the `figure` that tells its gain, or has a `gain`"
    ]


def test_pages_show_the_computed_figure_and_the_published_one_where_it_differs(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    inspection = inspect_files(files("42.50"))
    whole = publication(inspection)
    context = whole.at("records/R1.md")
    entry = inspection.registry.entries["R1"]
    renderer = Renderer.of(inspection.project, whole.addresses.dialect)
    (payoffs,) = [block for section in entry.kind.view(entry, context).sections if section.title == "What it brings" for block in section.blocks]
    assert repr(payoffs.rows[0][1]) == "(Link(text='+34.0%', href='M1.md', title='Two arms'), Badge(text='published +21.4%', tone='bad'))"  # type: ignore[union-attr]  # it is a table
    text = renderer.render(overview_page(whole))
    assert "rejected (rate 42.50 token/s; time — ms; cases 12 cases)" in text


def test_the_page_of_published_figures_lists_those_of_fields_too(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    """It listed cells alone, and a payoff of +21.4% that no longer follows stood nowhere among them."""
    inspection = inspect_files(files("42.50"))
    page = published_page(publication(inspection))
    (table,) = [block for section in page.context["sections"] if section.title == "Figures" for block in section.blocks]
    assert [[getattr(cell, "text", cell) for cell in row] for row in table.rows] == [["R1.payoffs[0]", "+21.4%", "+34.0%", "differs", "M1.gain[4096]", "reported"]]
    assert page.context["lead"].startswith("1 figure was published: 0 follow from their inputs, 1 does not,")


def test_commands_show_titles_with_their_figures(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project(files()).root
    assert kvdocs("show", "R1", at=root).out.splitlines()[0] == "R1  Make it worth +21%  item  actionable"
    assert json.loads(kvdocs("show", "R1", "--json", at=root).out)["title"] == "Make it worth +21%"
    assert [line.split("  ")[1] for line in kvdocs("order", at=root).out.splitlines() if line.startswith(("1 ", "2 "))] == ["R2", "R1"]
    assert '"R1 Make it worth +21%"' in kvdocs("graph", at=root).out


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It moves 34.8 KB per token, not 2.2 MB.", ["34.8 KB = 34.8 kB", "2.2 MB = 2.2 MB"]),
        ("108x the workspace, +0.18 % at 32,768 tokens", ["108x = 108 x", "+0.18 % = 0.18 %", "32,768 = 32768"]),
        ("−0.85% and 24.1 GB/s, 19.69 t/s", ["−0.85% = −0.85 %", "24.1 GB/s = 24.1 GB/s", "19.69 t/s = 19.69 token/s"]),
        ("`12.5 ms` and {{ M1.gain[4096] }} and [7.25 s](x.md) and https://x.test/1.5", []),
        ("fattn.cu:412, v0.4.3, 2026-08-24, hsk=64, D10, #34", ["64 = 64"]),
        ("2026-08-24 and 1-2, 7, 9.75", ["7 = 7", "9.75 = 9.75"]),
        ("It hides 96–99 % or 96-99%, 0.5 to 0.7 ms, between 4.7 and 5.1x", ["96 % = 96 %", "99 % = 99 %", "96% = 96 %", "99% = 99 %", "0.5 ms = 0.5 ms", "0.7 ms = 0.7 ms", "4.7x = 4.7 x", "5.1x = 5.1 x"]),
        ("pages 10-12, 2 to 4 runs, 2026–2027, R1–R3, −3 to +4 %", ["2 = 2", "4 = 4", "2026 = 2026", "2027 = 2027", "−3 % = −3 %", "+4 % = 4 %"]),
    ],
)
def test_the_numbers_of_a_text(text: str, numbers: list[str]) -> None:
    from kvdocs.figures.numerals import text as written

    assert [f"{n.text} = {written(n.value, n.decimals, thousands=False)}{f' {n.unit.text}' if n.unit else ''}" for n in typed_numbers(text)] == numbers


def test_every_formula_follows_a_new_id(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    """In fields, claims and columns; and the scripts and environments that `results(…)` names, unless an execution has sealed them."""
    claim = """
        id: K1
        title: Both agree
        expression: M1.gain[4096] / max(results('speed', environment='box').gain)
        equals: 1
    """
    more = {
        "registry/claims/K1.yaml": claim,
        "registry/environments/box.yaml": "id: box\ntitle: The box\n",
        "registry/scripts/speed.yaml": "id: speed\ntitle: Measures it\npurpose: measurement\nfile: speed.sh\n",
        "registry/scripts/speed.sh": "exec ./program\n",
    }
    root = make_project({**files(), **more}).root
    for old, new in (("M1", "M9"), ("speed", "speed-of-arms"), ("box", "small-box")):
        assert kvdocs("rename", old, new, at=root).code == 0
    lines = [line.strip() for name in ("claims/K1", "roadmap/R1", "experiments/X1") for line in (root / "registry" / f"{name}.yaml").read_text().splitlines() if "M9" in line]
    assert lines == [
        "expression: M9.gain[4096] / max(results('speed-of-arms', environment='small-box').gain)",
        "title: Make it worth {{ M9.gain[4096] | .0f }}",
        '- {what: At the first depth, figure: "M9.gain[4096]", gain: 21.4, basis: measured, source: M9}',
        '- {what: At the other, figure: "M9.gain[8192]", basis: ceiling, source: M9}',
        "why: It is less than {{ M9.gain[8192] }}.",
        '- {what: rate, figure: "M9.after[4096]", unit: token/s}',
        '- {what: time, figure: "M9.after[4096]", unit: ms}',
    ]
