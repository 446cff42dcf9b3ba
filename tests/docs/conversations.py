"""Pages as conversations with a shell: what a reader types, which files he writes, what the terminal answers.

In a page, a fence marked `console` is a piece of a terminal: a line with `$ ` is typed, a line with `> ` goes on with it,
and what follows is the answer, error output included. A fence with `title="PATH"` is a file that the reader writes there.
A line that holds nothing but `…` stands for one or more lines that the page leaves out, and `…` inside a line for any text.
A command that fails must be followed by `$ echo $?`, so that the reader sees it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)(?P=marks)[ ]*$", re.MULTILINE | re.DOTALL)
LEFT_OUT = "…"


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language, its title, its lines without the indent, and where its body stands in the page."""

    language: str
    title: str | None
    body: str
    start: int
    end: int
    indent: str


@dataclass(frozen=True)
class Typed:
    """A command and the answer that the page shows."""

    command: str
    answer: str


@dataclass(frozen=True)
class Answered:
    """What a command printed and how it ended."""

    output: str
    code: int


def fences(page: str) -> Iterator[Fence]:
    """The fenced blocks of a page, in order."""
    for found in FENCE.finditer(page):
        info, indent = found["info"].strip(), found["indent"]
        title = re.search(r'title="([^"]*)"', info)
        body = "".join(line.removeprefix(indent) for line in found["body"].splitlines(keepends=True))
        yield Fence(info.split()[0] if info else "", title[1] if title else None, body, found.start("body"), found.end("body"), indent)


def typed(fence: Fence) -> list[Typed]:
    """The commands of a terminal with their answers."""
    commands: list[Typed] = []
    continues = False
    for line in fence.body.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append(Typed(line[2:], ""))
            continues = True
        elif continues and line.startswith("> "):
            commands[-1] = Typed(commands[-1].command + line[2:], "")
        else:
            assert commands, f"a terminal begins with what is typed, not with {line!r}"
            commands[-1] = Typed(commands[-1].command, commands[-1].answer + line)
            continues = False
    return commands


def runs_in(page: str) -> str:
    """Where the commands of a page are typed, from its front matter or, where it has none, from a comment; empty when nothing is typed."""
    found = re.match(r"---\n(?:.*\n)*?runs_in: (.+)\n(?:.*\n)*?---\n", page) or re.search(r"^<!-- runs_in: (.+) -->$", page, re.MULTILINE)
    return found[1].strip() if found else ""


def steps(page: str) -> list[Fence | Typed]:
    """What the reader does, in order: files to write, commands to type."""
    found: list[Fence | Typed] = []
    for fence in fences(page):
        if fence.language == "console":
            found += typed(fence)
        elif fence.title is not None:
            found.append(fence)
    return found


def carry_out(page: str, folder: Path, scratch: Path, env: Mapping[str, str], limit: float = 300) -> list[Answered]:
    """Do what a page says, in one shell that begins in `folder`; the answer of each command."""
    script = [f"cd '{folder}'", "rc=0"]
    count = 0
    for number, step in enumerate(steps(page)):
        if isinstance(step, Fence):
            (scratch / f"{number}.file").write_text(step.body, encoding="utf-8")
            script.append(f"mkdir -p \"$(dirname '{step.title}')\" && cp '{scratch}/{number}.file' '{step.title}'")
        else:
            script.append(f"(exit $rc)\n{{\n{step.command.rstrip()}\n}} > '{scratch}/{count}.out' 2>&1 < /dev/null; rc=$?; echo $rc > '{scratch}/{count}.rc'")
            count += 1
    (scratch / "page.sh").write_text("\n".join(script) + "\n", encoding="utf-8")
    subprocess.run(["bash", "--noprofile", "--norc", scratch / "page.sh"], env=dict(env), check=False, timeout=limit, stdin=subprocess.DEVNULL)
    return [Answered((scratch / f"{n}.out").read_text(encoding="utf-8"), int((scratch / f"{n}.rc").read_text())) for n in range(count)]


def silent_failures(page: str, answers: Sequence[Answered]) -> list[str]:
    """Commands that failed without the page saying so."""
    commands = [step.command.strip() for step in steps(page) if isinstance(step, Typed)]
    following = [*commands[1:], ""]
    return [f"{command} ended with {answer.code}" for command, answer, after in zip(commands, answers, following, strict=True) if answer.code and not after.startswith("echo $?")]


def agrees(shown: str, printed: str) -> bool:
    """Whether the page shows what was printed; what it leaves out may be anything."""
    pattern = "".join("(?:[^\n]*\n)+" if line.strip() == LEFT_OUT else _line_pattern(line) + "\n" for line in shown.splitlines())
    return re.fullmatch(pattern, _trimmed(printed)) is not None



def _line_pattern(line: str) -> str:
    return "[^\n]*".join(re.escape(part) for part in line.rstrip().split(LEFT_OUT))


def _trimmed(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def rewritten(page: str, answers: Sequence[Answered]) -> str:
    """The page with the answers as they are now; what it leaves out stays left out where that can be told."""
    left = list(answers)
    parts, end = [], 0
    for fence in fences(page):
        if fence.language != "console":
            continue
        body = ""
        for step in typed(fence):
            answer = left.pop(0).output
            first, *rest = step.command.splitlines()
            body += "".join(f"{mark} {line}\n" for mark, line in (("$", first), *((">", line) for line in rest)))
            body += step.answer if agrees(step.answer, answer) else shortened(step.answer, _trimmed(answer))
        parts += [page[end : fence.start], "".join(fence.indent + line if line.strip() else line for line in body.splitlines(keepends=True))]
        end = fence.end
    return "".join(parts) + page[end:]


def shortened(shown: str, printed: str) -> str:
    """New output in the form of the old: as many lines at its head and its tail, the same gaps inside lines, no times and hashes."""
    lines = [_veiled(line, shown) for line in printed.splitlines()]
    old = shown.splitlines()
    gaps = [number for number, line in enumerate(old) if line.strip() == LEFT_OUT]
    if gaps:
        head, tail = gaps[0], len(old) - gaps[-1] - 1
        if len(lines) > head + tail:
            lines = [*lines[:head], LEFT_OUT, *(lines[-tail:] if tail else [])]
    return "".join(f"{line}\n" for line in lines)


def _veiled(line: str, shown: str) -> str:
    for old in shown.splitlines():
        if LEFT_OUT in old and old.strip() != LEFT_OUT and re.fullmatch(_line_pattern(old), line):
            return old
    line = line.replace(f"{datetime.now(UTC):%Y-%m-%d}", LEFT_OUT)
    line = re.sub(r"\(\d+\.\d s\)", f"({LEFT_OUT} s)", line)
    line = re.sub(r"(?<=[ '])/\S*?/reader/", f"{LEFT_OUT}/", line)
    return re.sub(r"\b(?=[0-9a-f]*\d)(?:[0-9a-f]{16}|[0-9a-f]{64})\b", LEFT_OUT, line)
