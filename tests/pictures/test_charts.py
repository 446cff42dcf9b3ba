"""Charts: whole pictures for small data, and what holds for all data: well-formed, inside the frame, every figure in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.pictures.bar_chart import bar_chart
from kvdocs.pictures.chart_data import Chart, Estimate, Point, Series, short
from kvdocs.pictures.forest_plot import forest_plot
from kvdocs.pictures.line_chart import line_chart
from kvdocs.pictures.scales import Scale, from_zero, powers, spanning, ticks
from kvdocs.pictures.stack_chart import stack_chart
from tests.pictures.conftest import SVG, of_class, read, words

BESIDE = Path(__file__).parent

ARMS = Chart(
    "Decode rate of two arms", "token/s", "Depth", "token", ("4,096", "32,768"),
    (Series("ordered", (Point(31.72, "31.72", 31.0, 32.4), Point(13.01, "13.01"))), Series("unordered", (Point(38.49, "38.49", 38.0, 39.0), None))),
    "95%, from the spread of the samples",
)  # fmt: skip
TOKEN = Chart(
    "A decode token", "ms/token", "Depth", "token", ("4,096", "32,768"),
    (Series("computation", (Point(25.31, "25.31"), Point(30.55, "30.55"))), Series("copy", (Point(6.22, "6.22"), Point(46.19, "46.19")))),
)  # fmt: skip
WORKSPACE = Chart(
    "Host workspace", "MiB", "Context", "token", ("8,192", "32,768", "65,536", "262,144"),
    (Series("workspace", (Point(2195.9, "2,195.90"), Point(3309.9, "3,309.90"), Point(6541.9, "6,541.90"), Point(25933.9, "25,933.90"))), Series("cache", (None, None, None, Point(5528, "5,528.00")))),
)  # fmt: skip
CONTEXTS = (8192, 32768, 65536, 262144)
CHANGES = (
    Estimate("4,096: b against a", Point(21.35, "+21.35%", 21.1, 21.6), "gain", "good"),
    Estimate("32,768: b against a", Point(-0.1, "−0.10%", -0.4, 0.2), "equivalent within 0.35%", "plain"),
    Estimate("65,536: b against a", Point(3.0, "+3.00%"), "no difference shown", "warn"),
)


@pytest.mark.parametrize(
    ("name", "svg"),
    [
        ("bars", bar_chart(ARMS, "chart-1")),
        ("stack", stack_chart(TOKEN, "chart-1")),
        ("line", line_chart(WORKSPACE, CONTEXTS, "chart-1")),
        ("forest", forest_plot("Change between the arms", "%", CHANGES, "comparisons", threshold=1, interval="95%, from the noise floor")),
    ],
)
def test_a_whole_chart(name: str, svg: str) -> None:
    assert svg + "\n" == (BESIDE / f"{name}.svg").read_text(encoding="utf-8")


def _spoken(svg: str) -> str:
    description = read(svg).find(f"{SVG}desc")
    assert description is not None
    return words(description)


def test_what_a_screen_reader_says() -> None:
    assert _spoken(bar_chart(ARMS, "c")) == (
        "Decode rate of two arms in token/s, by Depth (token). 4,096: ordered 31.72 (31 to 32.4), unordered 38.49 (38 to 39). 32,768: ordered 13.01. Intervals: 95%, from the spread of the samples."
    )
    assert _spoken(stack_chart(TOKEN, "c")) == (
        "A decode token in ms/token, by Depth (token). 4,096: computation 25.31, copy 6.22. 32,768: computation 30.55, copy 46.19. In all 4,096: 31.53 ms/token; 32,768: 76.74 ms/token."
    )
    assert _spoken(line_chart(WORKSPACE, CONTEXTS, "c")) == (
        "Host workspace in MiB, by Context (token). 8,192: workspace 2,195.90. 32,768: workspace 3,309.90. 65,536: workspace 6,541.90. 262,144: workspace 25,933.90, cache 5,528.00. Both scales are logarithmic."
    )
    assert _spoken(forest_plot("Change", "%", CHANGES, "c", threshold=1)) == (
        "Change, in %. 4,096: b against a: +21.35% (21.1 to 21.6), gain. 32,768: b against a: −0.10% (−0.4 to 0.2), equivalent within 0.35%. 65,536: b against a: +3.00%, no difference shown."
        " Changes up to 1 % count as of no practical use."
    )


def test_a_bar_begins_at_zero_so_that_lengths_compare() -> None:
    bars = of_class(read(bar_chart(ARMS, "c")), "kv-series-1")
    widths = [float(bar.get("width", "").rstrip("%")) for bar in bars]
    assert [bar.get("x") for bar in bars] == ["0%", "0%"]
    assert widths[0] / widths[1] == pytest.approx(31.72 / 13.01, rel=1e-3)


def test_bars_below_zero_hang_from_the_same_line() -> None:
    chart = Chart("Change", "%", "Row", "", ("a", "b"), (Series("change", (Point(-1, "−1"), Point(3, "+3"))),))
    assert [(bar.get("x"), bar.get("width")) for bar in of_class(read(bar_chart(chart, "c")), "kv-series-1")] == [("0%", "24.88%"), ("24.88%", "74.62%")]


def test_a_stack_without_a_part_says_what_its_sum_lacks() -> None:
    chart = Chart("Token", "ms", "Depth", "", ("1",), (Series("copy", (Point(5, "5"),)), Series("sync", (None,))))
    assert "5 ms without sync" in words(read(stack_chart(chart, "c")))


def test_a_part_below_zero_is_not_stacked_and_words_say_so() -> None:
    chart = Chart("Token", "ms", "Depth", "", ("1",), (Series("copy", (Point(5, "5"),)), Series("left", (Point(-1, "−1"),))))
    assert _spoken(stack_chart(chart, "c")).endswith("Below zero and not in the bars: left at 1.")


def test_a_scale_is_logarithmic_only_where_numbers_are_far_apart() -> None:
    assert (spanning([1, 7.9]).kind, spanning([1, 8]).kind, spanning([0, 100]).kind, spanning([-5, 100]).kind) == ("linear", "log", "linear", "linear")


def test_growth_in_proportion_is_a_straight_line_on_both_scales() -> None:
    chart = Chart("Size", "MiB", "Context", "", ("1", "10", "100"), (Series("size", (Point(2, "2"), Point(20, "20"), Point(200, "200"))),))
    dots = [(float(dot.get("cx", "").rstrip("%")), float(dot.get("cy", ""))) for dot in read(line_chart(chart, [1, 10, 100], "c")).iter(f"{SVG}circle")]
    (x0, y0), (x1, y1), (x2, y2) = dots
    assert (y1 - y0) / (x1 - x0) == pytest.approx((y2 - y1) / (x2 - x1), rel=1e-2)


NUMBERS = st.floats(-1e9, 1e9, allow_nan=False, allow_subnormal=False)
POINTS = st.none() | st.builds(lambda v, spread: Point(v, short(v), v - spread, v + spread), NUMBERS, st.floats(0, 1e6))
CHARTS = st.integers(0, 5).flatmap(
    lambda places: st.lists(st.lists(POINTS, min_size=places, max_size=places), min_size=1, max_size=7).map(
        lambda rows: Chart("T", "u", "Place", "", tuple(str(n) for n in range(places)), tuple(Series(f"s{n}", tuple(row)) for n, row in enumerate(rows)))
    )
)


@given(CHARTS)
def test_every_chart_is_well_formed_and_inside_its_frame(chart: Chart) -> None:
    places = [float(n * n) for n in range(len(chart.places))]
    for svg in (bar_chart(chart, "c"), stack_chart(chart, "c"), line_chart(chart, places, "c")):
        root = read(svg)
        height = float(root.get("height", ""))
        for element in root.iter():
            for name in ("x", "x1", "x2", "cx", "width"):
                value = element.get(name, "")
                if value.endswith("%"):
                    assert -0.01 <= float(value.rstrip("%")) <= 100.01
            for name in ("y", "y1", "y2", "cy"):
                if element.get(name) is not None:
                    assert -0.01 <= float(element.get(name, "")) <= height + 0.01
        assert "" not in svg.split("\n")


@given(NUMBERS, NUMBERS)
def test_ticks_cover_the_range_in_few_round_steps(a: float, b: float) -> None:
    low, high = sorted((a, b))
    marks = ticks(low, high)
    room = 1e-6 * max(abs(low), abs(high), 1e-3)
    if high - low > 1e-6 * max(abs(low), abs(high), 1):
        assert marks[0] <= low + room
        assert marks[-1] >= high - room
        assert 2 <= len(marks) <= 8


@given(st.floats(1e-3, 1e9), st.floats(1, 1e6))
def test_powers_cover_the_range(low: float, factor: float) -> None:
    marks = powers(low, low * factor)
    assert marks[0] <= low * 1.0001
    assert marks[-1] >= low * factor * 0.9999


@pytest.mark.parametrize(
    ("value", "written"), [(0, "0"), (25933.9, "25,930"), (1264, "1,264"), (0.5, "0.5"), (-0.374, "−0.374"), (1e15, "1e+15"), (31.0, "31"), (0.00001234, "1.234e−05"), (99.996, "100")]
)
def test_a_number_on_an_axis(value: float, written: str) -> None:
    assert short(value) == written


def test_a_scale_without_extent_puts_everything_in_the_middle() -> None:
    assert (Scale(5, 5).share(5), from_zero(0).share(0)) == (0.5, 0.0)
