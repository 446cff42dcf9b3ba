"""Faults of a record's shape, in the sentences that a reader of YAML understands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from kvdocs.pipeline import Inspection

InspectFiles = Callable[[Mapping[str, str]], Inspection]
DEFECT = "id: D1\ntitle: A crash\nowner_open: nobody yet\nstatus: suspected\nseverity: crash\nsymptom: It stops.\n"
MEASUREMENT = "id: M1\ntitle: Rates\nkey: k\ncolumns:\n  - {name: k, title: K, unit: text}\n  - {name: rate, title: Rate}\n"


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("defects/D1", DEFECT.replace("A crash", "''"), "`title` needs at least 1 character, and has none"),
        ("defects/D1", DEFECT + "acknowledged: [{code: only-reported, because: so}]\n", "`acknowledged[0].because` needs at least 8 characters, and has 2"),
        ("defects/D1", DEFECT.replace("id: D1", f"id: D{'1' * 100}"), "`id` takes at most 100 characters, and has 101"),
        ("defects/D1", DEFECT + "locations: [{path: a.cu, line: 0}]\n", "`locations[0].line` is at least 1, not `0`"),
        ("environments/box", "id: box\ntitle: Box\ngpus: [{name: A, memory_mib: 0}]\n", "`gpus[0].memory_mib` is more than 0, not `0`"),
        ("measurements/M1", "id: M1\ntitle: Rates\nkey: k\ncolumns: [{name: k, title: K}]\nrows: []\n", "`rows` needs at least 1 entry, and has none"),
        ("measurements/M1", MEASUREMENT.replace("title: Rate}", "title: Rate, decimals: 10}") + "rows: [{k: a}]\n", "`columns[1].decimals` is at most 9, not `10`"),
        ("measurements/M1", MEASUREMENT + "rows: [{k: true}]\n", "`rows[0].k` is a number or text or a mapping, not `true`"),
        ("measurements/M1", MEASUREMENT + "rows: [{k: a, rate: {value: 1, samples: [1]}}]\n", "`rows[0].rate`: a cell has a value or samples, not both"),
        ("measurements/M1", MEASUREMENT + "rows: [{k: a, rate: {valu: 1}}]\n", "`rows[0].rate.valu` is not known here"),
        ("measurements/M1", MEASUREMENT + "rows: [{k: a}]\norder: 3\n", "`order` is 'unknown' or a list, not `3`"),
        (
            "references/pr-7",
            "id: pr-7\ntitle: A repair\ntype: pull-request\nrepository: us/ours\nnumber: 7\nstate: open\nstate_on: 2026-02-30\n",
            "`state_on`: there is no day 2026-02-30",
        ),
    ],
)
def test_a_fault_is_told_in_the_words_of_the_record(path: str, text: str, message: str, inspect_files: InspectFiles) -> None:
    assert [p.message for p in inspect_files({f"registry/{path}.yaml": text}).problems] == [message]
