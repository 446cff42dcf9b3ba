"""`kvdocs import` and `kvdocs export` as a user runs them."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from kvdocs.cli import cli
from kvdocs.cli.reading import Progress
from kvdocs.pipeline import inspect
from kvdocs.project import Project, find_project

SAMPLES = Path(__file__).parent / "samples"
MakeProject = Callable[[Mapping[str, str]], Project]
FILES = {
    "registry/owners/us.yaml": "id: us\ntitle: Us\nowns: everything\n",
    "registry/environments/h200.yaml": "id: h200\ntitle: An H200\n",
    "registry/defects/D4.yaml": "id: D4\ntitle: It aborts\nstatus: confirmed\nseverity: aborts\nowners: [us]\nsymptom: It aborts.\nscript: abort\n",
    "registry/scripts/abort.yaml": """
        id: abort
        title: Run the test
        purpose: reproduction
        file: abort.sh
        expect:
          reproduced: [{exit: 134}, {pattern: 'GGML_ASSERT\\(ok\\) failed'}]
          not_reproduced: [{exit: 0}]
        """,
    "registry/scripts/abort.sh": "exit 0\n",
}


@pytest.fixture
def root(make_project: MakeProject) -> Path:
    return make_project(FILES).root


def test_a_benchmark_becomes_a_measurement_and_a_second_one_its_samples(root: Path, kvdocs: Callable[..., object]) -> None:
    import_it = ("import", "llama-bench", str(SAMPLES / "llama-bench.json"), "--into", "M1", "--env", "h200")
    first = kvdocs(*import_it, at=root)
    assert first.code == 0, first.err
    assert "wrote registry/measurements/M1.yaml" in first.out
    assert "note: unknown: the environment variables of the run: llama-bench does not print them" in first.out
    second = kvdocs(*import_it, at=root)
    assert second.code == 0, second.err
    changed = [line for line in second.out.splitlines() if line.startswith(("+", "-")) and not line.startswith(("+++", "---"))]
    assert changed[:2] == ["-      samples: [114016.165051]", "+      samples: [114016.165051, 114016.165051]"]
    assert len(changed) == 8


def test_a_dry_run_writes_nothing(root: Path, kvdocs: Callable[..., object]) -> None:
    before = sorted(path for path in root.rglob("*.yaml"))
    done = kvdocs("import", "beads", str(SAMPLES / "beads.jsonl"), "--dry-run", at=root)
    assert done.code == 0, done.err
    assert "would have written registry/defects/D1.yaml" in done.out
    assert sorted(path for path in root.rglob("*.yaml")) == before


def test_a_register_becomes_records(root: Path, kvdocs: Callable[..., object]) -> None:
    done = kvdocs("import", "register", str(SAMPLES / "register.md"), "--owner", "this fork=us", "--owner", "upstream=us", at=root)
    assert done.code == 0, done.err
    registry = inspect(find_project(root)).registry
    assert [entry.id for entry in registry.of("defect")] == ["D1", "D2", "D3", "D4", "D5", "D6", "D7"]
    assert [entry.id for entry in registry.of("item")] == ["R1", "R4", "R5", "R6", "R7", "R9", "R11"]
    assert "note: lost: line 43: a table of 1 row that is no register: Depth, host, device" in done.out
    again = kvdocs("import", "register", str(SAMPLES / "register.md"), "--owner", "this fork=us", "--owner", "upstream=us", at=root)
    assert again.code == 0
    assert again.out.endswith("no new record in it\n")


def test_an_import_that_would_break_the_record_is_refused(root: Path, kvdocs: Callable[..., object], tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text("id,title,status,owners,blocked_by\nR1,Do it,open,nobody,R9\n")
    done = kvdocs("import", "csv", str(table), "--kind", "item", at=root)
    assert done.code == 1
    assert "refused: 2 new errors; nothing was written" in done.err
    assert not (root / "registry/roadmap").exists()


def test_a_log_becomes_a_result(root: Path, kvdocs: Callable[..., object]) -> None:
    given = ("--script", "abort", "--env", "h200", "--exit", "134", "--commit", "775450a68", "--repository", "us/ours", "--command", "bin/test-kvarn")
    done = kvdocs("import", "log", str(SAMPLES / "ggml-abort.log"), *given, at=root)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "abort on h200: reproduced (exit 134, as reported)"
    assert lines[-1].startswith("wrote registry/results/h200/abort/")
    inspection = inspect(find_project(root))
    (entry,) = inspection.registry.of("result")
    assert f"registry/results/h200/abort/{entry.id}/result.json" == entry.raw.path
    assert [str(problem) for problem in inspection.problems if problem.severity == "error"] == []


def test_a_line_of_the_length_of_a_log_is_refused_before_it_fills_the_memory(root: Path, kvdocs: Callable[..., object], tmp_path: Path) -> None:
    log = tmp_path / "one-line.log"
    log.write_bytes(b"REPRODUCED\n" + b"x" * (16 * 1024 * 1024 + 1))
    done = kvdocs("import", "log", str(log), "--script", "abort", "--env", "h200", "--exit", "1", "--command", "x", at=root)
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "error: one-line.log:2: this line is longer than 16 MiB, the most that is read of a line\n  hint: part it into lines before it is imported\n",
    )
    assert list((root / "registry/results").glob("*/*/*/result.json")) == []


class Terminal(io.StringIO):
    """What a person would see."""

    def isatty(self) -> bool:
        return True


def test_a_long_read_shows_on_a_terminal_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "night.log").write_bytes(b"x" * 3_000_000)

    def shown(after_s: float, screen: io.StringIO) -> str:
        """What is on the screen when two of three megabytes have been read; the time after which it is shown is not waited for."""
        monkeypatch.setattr("kvdocs.cli.reading.SHOWN_AFTER_S", after_s)
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        with (tmp_path / "night.log").open("rb") as log, Progress("night.log", [log]) as progress:
            progress.heard(2_000_000)
        return screen.getvalue()

    assert shown(0, Terminal()) == "\r\x1b[Knight.log read 2 of 3 MB\r\x1b[K"
    assert shown(math.inf, Terminal()) == "\r\x1b[K"
    assert shown(0, io.StringIO()) == ""


def test_a_log_is_shown_before_it_is_stored(root: Path, kvdocs: Callable[..., object]) -> None:
    done = kvdocs(
        "import",
        "test-backend-ops",
        str(SAMPLES / "test-backend-ops-failed.console"),
        "--script",
        "abort",
        "--env",
        "h200",
        "--exit",
        "1",
        "--command",
        "x",
        "--dry-run",
        "--json",
        at=root,
    )
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert (document["schema"], document["written"]) == ("kvdocs/import/v1", False)
    assert document["record"]["judgement"]["verdict"] == "inconclusive"
    assert document["record"]["import"]["found"]["failing"][0]["error"] == "ERR = 1.740728177 > 0.000500000"
    assert not (root / "registry/results").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("log", "LOG", "--script", "aborts", "--env", "h200", "--command", "x"), "error: there is no script 'aborts'\n  hint: did you mean 'abort'?\n"),
        (("log", "LOG", "--script", "abort", "--env", "h100", "--command", "x"), "error: there is no environment 'h100'\n  hint: the only one of this form is 'h200'\n"),
        (
            ("compute-sanitizer", "LOG", "--script", "abort", "--env", "h200", "--command", "x"),
            "error: LOG: no line of compute-sanitizer in this file\n  hint: `kvdocs import log` takes any output\n",
        ),
        (("llama-bench", "LOG", "--into", "M1"), "error: LOG: no llama-bench output of any form in this file\n"),
        (("llama-bench", "LOG", "--into", "M1", "--env"), "error: option '--env' requires an argument\n"),
        (("csv", "LOG", "--kind", "thing"), "error: there is no kind 'thing'\n  hint: one of "),
        (("beads", "LOG"), "error: LOG: no beads issue in this file: an issue is a line of JSON with `id` and `title`\n"),
    ],
)
def test_what_cannot_be_imported(root: Path, kvdocs: Callable[..., object], arguments: tuple[str, ...], message: str) -> None:
    log = str(SAMPLES / "ggml-abort.log")
    done = kvdocs("import", *(log if argument == "LOG" else argument for argument in arguments), at=root)
    assert done.code == 2
    assert message.replace("LOG", log) in done.err


def test_results_of_another_machine_are_taken_in_and_verified(root: Path, kvdocs: Callable[..., object], tmp_path: Path) -> None:
    given = ("--script", "abort", "--env", "h200", "--exit", "134", "--command", "x")
    kvdocs("import", "log", str(SAMPLES / "ggml-abort.log"), *given, at=root)
    elsewhere = tmp_path / "elsewhere"
    (root / "registry/results").rename(elsewhere)
    assert kvdocs("import", "results", str(elsewhere), at=root).out.splitlines()[-1] == "1 taken in, 0 here already, 0 refused"
    assert kvdocs("import", "results", str(elsewhere), at=root).out == "0 taken in, 1 here already, 0 refused\n"
    (log,) = elsewhere.rglob("stdout.log")
    log.write_bytes(log.read_bytes() + b"x")
    refused = kvdocs("import", "results", str(elsewhere), at=root)
    assert refused.code == 1
    assert "stdout.log was edited: its hash is not the one in the record" in refused.err


def test_a_log_that_is_too_long_to_be_read_as_a_whole_kept_every_result_from_being_exported(
    root: Path, kvdocs: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "long.log"
    log.write_text("at work\n" * 100_000 + "GGML_ASSERT(ok) failed\n")
    kvdocs("import", "log", str(log), "--script", "abort", "--env", "h200", "--exit", "134", "--command", "x", at=root)
    monkeypatch.setattr("kvdocs.evidence.logs.LARGEST_LOG", 500_000)
    monkeypatch.setattr("kvdocs.cli.export.END_OF_LONG_LOG", 31)
    done = CliRunner().invoke(cli, ["-C", str(root), "export", "issue", "D4"])
    assert done.exit_code == 0
    assert "```text\n[kvdocs: 799992 bytes were left out here]\nat work\nGGML_ASSERT(ok) failed\n```" in done.output


def test_exports_print_one_file_and_write_several(root: Path, kvdocs: Callable[..., object]) -> None:
    kvdocs("import", "log", str(SAMPLES / "ggml-abort.log"), "--script", "abort", "--env", "h200", "--exit", "134", "--command", "bin/test-kvarn", at=root)
    issue = kvdocs("export", "issue", "D4", at=root)
    assert issue.out.startswith(
        "# It aborts\n\nIt aborts.\n\n### Environment\n\n- `h200`: An H200\n\n### How to reproduce\n\n```bash\nbin/test-kvarn\n```\n\n### Output\n\n```text\nggml_cuda_init"
    )
    assert "| h200 | not recorded | 1 of 1 | 0 |" in issue.out
    assert kvdocs("export", "junit", "D4", at=root).out.count("<testcase") == 1
    assert json.loads(kvdocs("export", "kcidb", at=root).out)["incidents"][0]["present"] is True
    written = kvdocs("export", "github", "-o", str(root / "issues"), "D4", "us", at=root)
    assert sorted(path.name for path in (root / "issues").iterdir()) == ["D4.md", "us.md"], written.err
    assert kvdocs("export", "github", "D4", "us", at=root).err == "error: 2 files: name a folder with -o\n"
    assert kvdocs("export", "csv", "--kind", "owner", at=root).out == "id,title,owns\nus,Us,everything\n"
    assert kvdocs("export", "intoto", "nothing", at=root).err == "error: no result is called 'nothing', is of that script, or is about it\n"
