"""`python -m benchmarks`: registries of several sizes, what kvdocs and its peers need for them, as JSON and as a page of the site."""

from __future__ import annotations

import argparse
import compileall
import json
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchmarks.commands import COMMANDS, QUICK_S, Bench, empty_process
from benchmarks.page import page_of
from benchmarks.peers import PEERS, plain_mkdocs, run_peer
from benchmarks.process import calibration
from benchmarks.registries import Writer

HERE = Path(__file__).resolve().parent
WORK = HERE.parent / ".kvdocs" / "benchmark"
"""Everything is made below the project's ignored folder."""

OWN = 0
"""Stands for the number of records of this repository's own registry."""

LARGEST = {"build": 10_000}
"""Up to which size a command is measured unless it is asked for by name: a site of 100,000 records takes ten minutes."""

LARGEST_OF_PEERS = 10_000
"""Up to which size other programs are measured."""


def main() -> int:
    options = _options()
    result: dict[str, Any] = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": _machine(), "calibration": [calibration()], "kvdocs": [], "peers": []}
    WORK.mkdir(parents=True, exist_ok=True)
    # The first command of a changed program compiles its modules, which an installed one has behind it.
    compileall.compile_dir(str(files("kvdocs")), quiet=1)
    result["empty"] = empty_process(WORK).document()
    for size in options.sizes:
        for row in _of_size(size, options.commands or [c for c in COMMANDS if size <= LARGEST.get(c, size)], options):
            result["kvdocs"].append(row)
            _report(row)
        for row in _peers(size, options, result["kvdocs"]) if options.peers and 0 < size <= LARGEST_OF_PEERS else ():
            result["peers"].append(row)
            _report(row)
        result["calibration"].append(calibration())
        _write(result, options)  # what was measured is not lost when the next size is broken off
    return 0


def _write(result: dict[str, Any], options: argparse.Namespace) -> None:
    Path(options.out).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.page:
        Path(options.page).write_text(page_of(result), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--sizes", type=_sizes, default="0,100,1000,10000", help="numbers of records, separated by commas; 0 is this repository's own registry")
    parser.add_argument("--commands", type=_commands, default="", help=f"some of {', '.join(COMMANDS)}; all that suit the size if absent")
    parser.add_argument("--peers", action="store_true", help="measure other programs too: pip and npm install them into folders of their own, but for Taskwarrior, whose `task` has to be on PATH")
    parser.add_argument("--times", type=int, default=3, help="how often what is fast is measured; the median counts")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a command is ended")
    parser.add_argument("--out", type=_in_a_folder, default=str(HERE / "results.json"), help="where the figures are written")
    parser.add_argument("--page", type=_in_a_folder, default=str(HERE.parent / "site_src" / "reference" / "benchmarks.md"), help="where the page is written; empty for none")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    if not all(size.isdecimal() for size in text.split(",")):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers, such as 0,1000")
    return [int(size) for size in text.split(",")]


def _commands(text: str) -> list[str]:
    wanted = text.split(",") if text else []
    if unknown := [command for command in wanted if command not in COMMANDS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(COMMANDS)}")
    return wanted


def _in_a_folder(text: str) -> str:
    if text and not Path(text).absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {Path(text).parent}")
    return text


def _of_size(size: int, commands: list[str], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    root = WORK / f"records-{size}"
    shutil.rmtree(root, ignore_errors=True)
    if size == OWN:
        _copy_own(root)
    else:
        Writer(root, size).write()
    bench = Bench(root, options.limit, options.times)
    for command in commands:
        yield from ({"size": size, "command": command, "case": case, **cost.document()} for case, cost in bench.measure(command))


def _copy_own(root: Path) -> None:
    """This repository's registry with its pages, templates and settings, where edits do no harm; its history is not in it."""
    root.mkdir(parents=True)
    for name in ("registry", "site_src", "templates"):
        shutil.copytree(HERE.parent / name, root / name)
    shutil.copy(HERE.parent / "mkdocs.yml", root)


def _peers(size: int, options: argparse.Namespace, own: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row for each task of a peer; `own` are the rows of kvdocs."""
    known = {(row["command"], row["case"]): row["cpu"] for row in own if row["size"] == size}
    bench = Bench(WORK / f"records-{size}", options.limit, options.times)
    if (WORK / f"records-{size}" / "build").is_dir():
        cost = plain_mkdocs(WORK / f"records-{size}", options.limit)
        yield {"size": size, "peer": "plain MkDocs with Material", "version": version("mkdocs"), "task": "full build of the same pages", "against": ["build", "cold"], **cost.document()}
    for peer in PEERS:
        for row in run_peer(peer, WORK, size, options.limit):
            command, case = row["against"]
            is_quick = "cpu" in row and known.get((command, case), QUICK_S) < QUICK_S
            yield {**row, "beside": bench.again(command, case).cpu} if is_quick else row


def _machine() -> dict[str, Any]:
    """What the figures depend on: processor, memory, operating system, Python."""
    from kvdocs.evidence.machine import allowed_cpus, describe_machine

    facts = describe_machine().facts
    kept = {name: facts.get(name) for name in ("os", "kernel", "cpu", "memory", "container", "virtual") if facts.get(name) is not None}
    return {**kept, "cpus": len(allowed_cpus()), "python": sys.version.split()[0]}


def _report(row: dict[str, Any]) -> None:
    name = f"{row.get('peer', 'kvdocs')} {row.get('task', row.get('command'))} {row.get('case', '')}".strip()
    figures = f"{row['cpu']:8.2f} s CPU {row['wall']:8.2f} s wall {row['peak_mib']:6d} MiB" if "cpu" in row else ""
    print(f"{row['size'] or 'own':>7} {name:<60} {figures} {row['ended'] if row['ended'] != 0 else ''}".rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
