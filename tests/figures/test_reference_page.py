"""The reference page on figures says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

from kvdocs.figures.citations import cited
from kvdocs.figures.formula import FUNCTIONS
from kvdocs.figures.names import EXECUTION_ARGUMENTS
from kvdocs.figures.table import Reproduction
from kvdocs.kinds.claim import Claim
from kvdocs.ledger import ledger_of
from kvdocs.pipeline import Inspection

PAGE = (Path(__file__).resolve().parent.parent.parent / "site_src" / "reference" / "figures.md").read_text(encoding="utf-8")


def test_the_citations_of_the_page_print_what_it_says(this_registry: Inspection) -> None:
    examples = [(code.replace("\\|", "|"), shown) for code, shown in re.findall(r"^\| `(\{\{.*?\}\})` \| (.*?) \|$", PAGE, re.MULTILINE)]
    workbook = ledger_of(this_registry.registry).workbook
    assert len(examples) == 6
    assert [(code, cited(code, workbook)) for code, _ in examples] == examples


def test_every_function_relation_and_verdict_is_on_the_page() -> None:
    assert [name for name in FUNCTIONS if f"`{name}`" not in PAGE and f"`{name}(" not in PAGE] == []
    assert [f"{name}=" for name in EXECUTION_ARGUMENTS if f"{name}='" not in PAGE] == []
    assert "`results('" in PAGE
    assert [name for name in ("equals", "tolerance", "at_most", "at_least", "between", "unsupported") if f"`{name}" not in PAGE] == []
    assert {"equals", "tolerance", "at_most", "at_least", "between", "unsupported"} <= set(Claim.model_fields)
    assert [verdict for verdict in Reproduction if f"| {verdict} |" not in PAGE] == []
