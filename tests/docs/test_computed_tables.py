"""The tables of the page on few runs hold what the program computes.

`KVDOCS_UPDATE=1 pytest tests/docs` writes them anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from math import sqrt

import pytest

from kvdocs.figures.comparison import smallest_rank_p, smallest_sign_flip_p, t_quantile
from kvdocs.figures.failures import FailureRate, chance_of_clean, clean_runs, clean_runs_fisher, clean_runs_given, remaining_rate
from kvdocs.figures.spread import invalid_ratio
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "site_src" / "explanation" / "few-runs.md"
FLOOR_DF = 10
TABLE = re.compile(r"<!-- computed: ([a-z-]+) -->\n\n((?:\|.*\n)*)")


def pairs() -> list[list[str]]:
    """What 2 to 5 pairs can show; half widths in units of the spread between processes."""
    rows = [["Pairs", "Smallest p of a sign-flip test", "Smallest p of a rank test: how often equal arms do not overlap", "Half width of the paired 95% interval", f"The same with a noise floor of {FLOOR_DF} degrees"]]
    return rows + [
        [str(n), f"{100 * smallest_sign_flip_p(n):.3g}%", f"{100 * smallest_rank_p(n):.3g}%", f"{t_quantile(n - 1) * sqrt(2 / n):.2f} spreads", f"{t_quantile(FLOOR_DF) * sqrt(2 / n):.2f} spreads"] for n in range(2, 6)
    ]


def invalid() -> list[list[str]]:
    degrees = (10, 20)
    return [["Repetitions in the arm", *(f"Noise floor of {df} degrees" for df in degrees)]] + [[str(r), *(f"{invalid_ratio(r, df):.2f}" for df in degrees)] for r in (3, 5)]


def known_rate() -> list[list[str]]:
    risks = (0.05, 0.01, 0.001)
    rates = {"2 in 3": 2 / 3, "1 in 2": 1 / 2, "1 in 3": 1 / 3, "1 in 4": 1 / 4, "1 in 10": 1 / 10, "1 in 89": 1 / 89}
    head = ["Old rate", *(f"Risk {100 * risk:.3g}%" for risk in risks), "Chance that 10 runs are clean by luck"]
    return [head] + [[name, *(str(clean_runs(rate, risk)) for risk in risks), f"{100 * chance_of_clean(rate, 10):.2g}%"] for name, rate in rates.items()]


def old_runs() -> list[list[str]]:
    head = ["Seen", "Exact 95% interval of the rate", "Clean runs at its lower end", "Clean runs from old runs", "By Fisher's test"]
    rows = [head]
    for k, n in ((1, 3), (2, 6), (4, 9), (2, 3), (5, 6), (10, 30)):
        old = FailureRate(k, n)
        low, high = old.interval()
        rows.append([f"{k} of {n}", f"{low:.1%} to {high:.1%}", str(clean_runs(low)), str(clean_runs_given(old)), str(clean_runs_fisher(old))])
    return rows


def remaining() -> list[list[str]]:
    runs = (3, 8, 10, 20, 30, 59)
    return [["Clean runs", *map(str, runs)], ["Rate that stays possible", *(f"{remaining_rate(n):.1%}" for n in runs)]]


TABLES: dict[str, Callable[[], list[list[str]]]] = {"pairs": pairs, "invalid": invalid, "known-rate": known_rate, "old-runs": old_runs, "remaining": remaining}


def markdown(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "| --- |" + " ---: |" * (len(rows[0]) - 1))
    return "".join(f"{line}\n" for line in lines)


def test_every_table_of_the_page_is_computed() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name, _ in TABLE.findall(page)] == list(TABLES)
    assert len(re.findall(r"^\|[ :|-]+\|$", page, re.MULTILINE)) == len(TABLES), "a table without its mark"


@pytest.mark.parametrize("name", TABLES)
def test_the_table_holds_what_the_program_computes(name: str) -> None:
    if os.environ.get("KVDOCS_UPDATE"):
        new = TABLE.sub(lambda found: f"<!-- computed: {found[1]} -->\n\n{markdown(TABLES[found[1]]())}", PAGE.read_text(encoding="utf-8"))
        PAGE.write_text(new, encoding="utf-8")
    assert dict(TABLE.findall(PAGE.read_text(encoding="utf-8")))[name] == markdown(TABLES[name]())


def test_the_sentences_of_the_page_say_what_its_tables_say() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert f"ten clean runs would happen by chance in {chance_of_clean(1 / 3, 10):.1%} of cases" in page
    assert smallest_rank_p(2) == pytest.approx(1 / 3)
    assert clean_runs_given(FailureRate(4, 9)) < clean_runs_given(FailureRate(1, 3))
