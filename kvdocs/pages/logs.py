"""The output of an execution: on its page with the lines that decided marked, and whole beside it."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kvdocs import markup
from kvdocs.disk import read_file
from kvdocs.entry import Entry
from kvdocs.evidence.terminal import plain_text
from kvdocs.kinds.result import Result, result_of
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import DataFile
from kvdocs.view import Block, CodeBlock, Link, Md, Prose, Section

WHOLE = 120
"""A log of so many lines is shown whole."""

AROUND = 4
"""Of a longer one: so many lines around each marked line, and at both ends."""

MARKED_AT_MOST = 12
"""The first marked lines that are shown of a longer log; the rest is in the whole log."""

LONGEST_LINE = 400


def log_path(result: str, stream: str) -> str:
    """Where the whole log of a stream lies in the output."""
    return f"logs/{result}/{stream}.txt"


def read_log(entry: Entry, stream: dict[str, Any]) -> str | None:
    """The kept text of a stream; None when it is empty or cannot be read."""
    name = stream.get("file")
    if not isinstance(name, str):
        return None
    path = entry.raw.root / Path(entry.path).parent / name
    try:
        data = read_file(str(path))
        if data is None:
            return None
        return plain_text(gzip.decompress(data) if name.endswith(".gz") else data)
    except (OSError, EOFError, zlib.error):  # a damaged log is a problem that the checks report
        return None


def log_files(publication: Publication) -> Iterator[DataFile]:
    """The whole logs of all executions, as plain text."""
    for entry in publication.registry.of("result"):
        yield from logs_of(entry)


def logs_of(entry: Entry) -> Iterator[DataFile]:
    """The whole logs of one execution."""
    for name, stream in result_of(entry).streams.items():
        text = read_log(entry, stream)
        if text:
            yield DataFile(log_path(entry.id, name), text.encode())


def log_sections(entry: Entry, context: PageContext) -> tuple[Section, ...]:
    """What an execution printed, by stream: whole when it is short, else around the lines that decided."""
    if not isinstance(entry.record, Result):
        return ()
    blocks: list[Block] = []
    for name, stream in entry.record.streams.items():
        text = read_log(entry, stream)
        if text:
            blocks += _stream(name, text, marked_lines(entry.record, name), context.to(log_path(entry.id, name), f"the whole {name}"))
    return (Section("What it printed", tuple(blocks), "output"),) if blocks else ()


def marked_lines(record: Result, stream: str) -> tuple[int, ...]:
    """The lines of a stream, from 1, in which a condition or a capture was found."""
    found: set[int] = set()
    places = [place for kind in (record.judgement.get("matchers", ()), record.judgement.get("captures", {}).values()) for m in kind for place in m.get("lines", ())]
    for place in places:
        where, _, line = place.partition(":") if isinstance(place, str) else (place["stream"], "", str(place["line"]))
        if where == stream and line.isdigit():
            found.add(int(line))
    return tuple(sorted(found))


def _stream(name: str, text: str, marked: tuple[int, ...], whole: Link) -> list[Block]:
    lines = text.rstrip("\n").split("\n")
    words = f"{len(lines)} line{'s' if len(lines) != 1 else ''} of {name}; {len(marked)} decided. See {markup.link(whole)}."
    shown = list(range(1, len(lines) + 1)) if len(lines) <= WHOLE else excerpt(len(lines), marked[:MARKED_AT_MOST])
    out, marks, last = [], [], 0
    for number in shown:
        if number != last + 1:
            out.append(f"  … {number - last - 1} lines …")
        out.append(_short(lines[number - 1]))
        if number in marked:
            marks.append(len(out))
        last = number
    if last < len(lines):
        out.append(f"  … {len(lines) - last} lines …")
    return [Prose(Md(words)), CodeBlock("\n".join(out), "text", name, tuple(marks))]


def excerpt(count: int, marked: tuple[int, ...]) -> list[int]:
    """The lines of a long log that are worth showing: both ends, and what stands around the marked ones."""
    wanted = {*range(1, AROUND + 1), *range(count - AROUND + 1, count + 1)}
    for line in marked:
        wanted.update(range(line - AROUND, line + AROUND + 1))
    return sorted(n for n in wanted if 1 <= n <= count)


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + f" … {len(line) - LONGEST_LINE} characters"
