"""A new kind of record is one file: page, list, navigation, fields, back-links and JSON follow from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

import kvdocs.kinds
from kvdocs.pipeline import Inspection, publication
from kvdocs.site.files import site_source
from kvdocs.site.settings import nav_lines

RISK = '''
"""risk: something that may happen, and which items it threatens."""

from __future__ import annotations

from typing import Annotated

from kvdocs.kind import Column, Kind
from kvdocs.model import Markdown, Record, Ref
from kvdocs.view import Badge, Fact, Prose, RecordView, Section


class Risk(Record):
    """A risk."""

    likelihood: str
    what: Markdown
    threatens: list[Annotated[str, Ref("item")]] = []


def view(entry, context):
    record = entry.record
    facts = (Fact("Likelihood", record.likelihood), Fact("Threatens", tuple(context.link(t) for t in record.threatens)))
    return RecordView(state=Badge(record.likelihood, "warn"), facts=facts, sections=(Section("What may happen", (Prose(context.prose(record.what, record.id)),)),))


KIND = Kind(
    name="risk", plural="risks", folder="risks", position=35, model=Risk, view=view, prefix="K",
    columns=(Column("Likelihood", lambda e, c: e.record.likelihood, filter=True),),
)
'''


@pytest.fixture
def risk_kind(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`kvdocs/kinds/risk.py`, for the length of a test."""
    folder: Path = tmp_path_factory.mktemp("kinds")
    (folder / "risk.py").write_text(RISK)
    monkeypatch.setattr(kvdocs.kinds, "__path__", [*kvdocs.kinds.__path__, str(folder)])
    kvdocs.kinds.all_kinds.cache_clear()
    yield
    sys.modules.pop("kvdocs.kinds.risk", None)
    kvdocs.kinds.all_kinds.cache_clear()


@pytest.mark.usefixtures("risk_kind")
def test_one_file_makes_a_kind(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    inspection = inspect_files(
        {
            "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: All.\n",
            "registry/roadmap/R1.yaml": "id: R1\ntitle: Work\nstatus: open\nowners: [ann]\n",
            "registry/risks/K1.yaml": "id: K1\ntitle: Nobody has time\nlikelihood: high\nwhat: R1 is late.\nthreatens: [R1]\n",
        }
    )
    assert [str(p) for p in inspection.problems] == []
    source = site_source(inspection.project, publication(inspection), lambda: ())
    assert source.files["risks/index.md"].decode().endswith(
        dedent("""\
        | # | Title | Likelihood |
        | --- | --- | --- |
        | <span id="K1"></span>[K1](../records/K1.md "Nobody has time") | Nobody has time | high |

        </div>
        """)
    )
    page = source.files["records/K1.md"].decode()
    assert "[risk](../risks/index.md)" in page
    assert 'Threatens\n:   [R1](R1.md "Work")' in page
    assert '## What may happen\n\n[R1](R1.md "Work") is late.' in page
    assert '| [K1](K1.md "Nobody has time") | risk | Nobody has time | threatens |' in source.files["records/R1.md"].decode()
    assert '      - "Risks": risks/index.md' in nav_lines(source.nav)
    assert "## risk {#kind-risk}" in source.files["reference/records.md"].decode()
    assert '"kind": "risk"' in source.files["api/records/K1.json"].decode()
    assert "api/schema/risk.json" in source.files
