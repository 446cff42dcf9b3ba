"""Problems: what is wrong with a record, as values with a code, a place and advice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

Loc = tuple[str | int, ...]
"""The way from a record to one of its values: keys of mappings and positions in lists."""


class Severity(StrEnum):
    """How much a problem matters: an error fails `check`, a warning does so under `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of problem: a stable name, its severity, one sentence that says what it means, how it usually comes about, and what to do.

    Two codes are the same when the first three are: what is kept of a problem does without the rest.
    """

    name: str
    severity: Severity
    meaning: str
    cause: str = field(default="", compare=False, kw_only=True)
    repair: str = field(default="", compare=False, kw_only=True)


class Place(NamedTuple):
    """Where in the project: a path relative to its root with `/`, a line and a column, both from 1."""

    path: str
    line: int = 1
    col: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.col}"


class Problem(NamedTuple):
    """One thing that is wrong, where it stands, and what to do about it.

    `related` names further places that belong to it (the other end of a duplicate, the edges of a cycle).
    `acknowledged` holds the reason when the record accepts the warning.
    """

    code: Code
    message: str
    place: Place
    record: str | None = None
    hint: str | None = None
    related: tuple[tuple[Place, str], ...] = ()
    acknowledged: str | None = None

    @property
    def severity(self) -> Severity:
        """The severity of the code; an acknowledged warning counts as information."""
        return Severity.INFO if self.acknowledged is not None else self.code.severity

    def __str__(self) -> str:
        """`path:line:col: severity[code]: message`, with the hint and the related places indented below."""
        lines = [f"{self.place}: {self.severity}[{self.code.name}]: {self.message}"]
        lines += [f"    {place}: {what}" for place, what in self.related]
        if self.acknowledged is not None:
            lines.append(f"    acknowledged: {self.acknowledged}")
        elif self.hint:
            lines.append(f"    hint: {self.hint}")
        return "\n".join(lines)


def pack(problems: Iterable[Problem]) -> dict[str, Any]:
    """Problems as plain data, with their codes; `unpack` is the inverse."""
    codes: dict[str, list[str]] = {}
    rows = []
    for p in problems:
        codes[p.code.name] = [p.code.severity.value, p.code.meaning]
        related = [[place.path, place.line, place.col, what] for place, what in p.related]
        rows.append([p.code.name, p.message, p.place.path, p.place.line, p.place.col, p.record, p.hint, related, p.acknowledged])
    return {"codes": codes, "problems": rows}


def unpack(document: dict[str, Any]) -> list[Problem]:
    """Problems from their plain data."""
    codes = {name: Code(name, Severity(severity), meaning) for name, (severity, meaning) in document["codes"].items()}
    return [
        Problem(codes[code], message, Place(path, line, col), record, hint, tuple((Place(at, li, co), what) for at, li, co, what in related), acknowledged)
        for code, message, path, line, col, record, hint, related, acknowledged in document["problems"]
    ]


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems by place, then by code and message; each one once."""
    unique = dict.fromkeys(problems)
    return sorted(unique, key=lambda p: (p.place, p.code.name, p.message))


def acknowledge(
    problems: Iterable[Problem], reasons: Mapping[tuple[str, str], str]
) -> tuple[list[Problem], set[tuple[str, str]]]:
    """Problems with the acknowledgements of their records applied, and which acknowledgements were used.

    `reasons` maps (record id, code name) to the reason. An error cannot be acknowledged.
    """
    used: set[tuple[str, str]] = set()
    result = []
    for problem in problems:
        key = (problem.record or "", problem.code.name)
        if key in reasons and problem.code.severity is not Severity.ERROR:
            used.add(key)
            result.append(problem._replace(acknowledged=reasons[key]))
        else:
            result.append(problem)
    return result, used


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest known word, or None when none is near. One with the same letters is nearest: they were swapped.

    For a word that ends in a number, letters decide among words that do not, where none begins as it does; among those that do, `kvdocs.numbered` does.
    One letter is near to no number behind it.
    """
    from difflib import get_close_matches

    from kvdocs.numbered import meant, numbered, those_there_are

    lower = {k.lower(): k for k in known}
    if (name := meant(word, lower.values())) is not None:
        return f"did you mean {name!r}?"
    if those_there_are(word, lower.values()) is not None:  # another number is no other word
        return None
    if numbered(word) is not None or len(word) == 1:
        lower = {k: name for k, name in lower.items() if numbered(name) is None}
    near = get_close_matches(word.lower(), lower, n=3, cutoff=0.6)
    if not near:
        return None
    swapped = next((name for name in near if sorted(name) == sorted(word.lower())), near[0])
    return f"did you mean {lower[swapped]!r}?"


def renamed(old: str, new: str) -> str:
    """A hint for an id that a record once had."""
    return f"{old} was renamed to {new}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: `1 case`, `3 cases`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def count_by_severity(problems: Sequence[Problem]) -> dict[Severity, int]:
    """How many problems of each severity there are; all three keys are present."""
    counts = dict.fromkeys(Severity, 0)
    for problem in problems:
        counts[problem.severity] += 1
    return counts


def error_code(name: str, meaning: str, *, cause: str, repair: str) -> Code:
    """A code of problems that make `kvdocs check` fail."""
    return Code(name, Severity.ERROR, meaning, cause=cause, repair=repair)


def warning_code(name: str, meaning: str, *, cause: str, repair: str) -> Code:
    """A code of problems that are told and can be acknowledged."""
    return Code(name, Severity.WARNING, meaning, cause=cause, repair=repair)


YAML_SYNTAX = error_code(
    "yaml-syntax",
    "The file is not valid YAML 1.2, or uses a part of it that records do not (tags, anchors, several documents).",
    cause="A quote or bracket that is not closed, a tab as indentation, a colon inside plain text, or a tag or anchor.",
    repair="Look at the place that is named; put text with `: ` or `#` in quotes, or write it as a block behind `|-`.",
)
DUPLICATE_KEY = error_code(
    "duplicate-key",
    "A mapping has the same key twice.",
    cause="A field was added that stood further up already, or two branches added it.",
    repair="Keep one of the two; the message names both places.",
)
NOT_A_RECORD = error_code(
    "not-a-record",
    "A file holds something that is neither a record nor a list of records.",
    cause="A file is empty, or holds text or a mapping without `id` where a record belongs.",
    repair="Write a mapping with `id` and `title`, or a list of such mappings; `kvdocs new KIND` begins one.",
)
UNKNOWN_FOLDER = error_code(
    "unknown-folder",
    "A file lies in a folder of the registry that belongs to no kind.",
    cause="The folder is misspelled, or a record lies directly in `registry/`.",
    repair="Move the file into the folder of its kind, which the hint names.",
)
MISSING_FIELD = error_code(
    "missing-field",
    "A field that the kind requires is absent.",
    cause="A record was begun and not finished, or a field was renamed in the program.",
    repair="Add the field; `kvdocs schema KIND` and the editor say what belongs into it.",
)
UNKNOWN_KEY = error_code(
    "unknown-key",
    "A key is not a field of this kind.",
    cause="A field is misspelled, or stands one level too high or too low.",
    repair="Take the name that the hint gives, or move the field to where it belongs.",
)
WRONG_TYPE = error_code(
    "wrong-type",
    "A value has another type than its field.",
    cause="Text without quotes that YAML reads as a number or a truth value, or a single value where a list belongs.",
    repair="Put quotes around the text, or brackets around the value.",
)
WRONG_VALUE = error_code(
    "wrong-value",
    "A value is not one that its field allows.",
    cause="A word that is not among those that the field allows, a date that does not exist, a number out of range.",
    repair="Take one of the values that the message lists.",
)
BAD_ID = error_code(
    "bad-id",
    "An id does not have the form of its kind.",
    cause="The id has another prefix than its kind, or a character that no file name can have.",
    repair="`kvdocs rename OLD NEW --at FILE:LINE` gives it another one, everywhere at once.",
)
DUPLICATE_ID = error_code(
    "duplicate-id",
    "Two records have the same id, or had it before.",
    cause="Two branches took the same number.",
    repair="Give one of them a new id with `kvdocs rename ID NEW --at FILE:LINE`; the hint has the command.",
)
UNKNOWN_REF = error_code(
    "unknown-ref",
    "A link names a record that does not exist.",
    cause="The id is misspelled, or the record that it named was deleted or renamed by hand.",
    repair="Take the id that the hint names, or create the record with `kvdocs new`.",
)
WRONG_KIND = error_code(
    "wrong-kind",
    "A link names a record of a kind that it cannot point to.",
    cause="A link names a defect where an item belongs, or the like.",
    repair="Name a record of one of the kinds that the message lists, or use the field that is meant for the other.",
)
UNKNOWN_MENTION = warning_code(
    "unknown-mention",
    "Prose mentions an id that no record has.",
    cause="Text speaks of `D12` and there is no such record; or a product or a register is called like one.",
    repair="Correct the id; put what is no id in backticks.",
)
CYCLE = error_code(
    "cycle",
    "Records block each other in a circle, so none of them can ever start, or take each other's place in one.",
    cause="Two items name each other as blockers, or a longer chain leads back to where it began.",
    repair="Remove the link that is not really a condition: `kvdocs unlink`; the message shows the whole circle.",
)
MISSING_FILE = error_code(
    "missing-file",
    "A script or patch that a record names is not there.",
    cause="The file was moved or never added, or its name has a typo.",
    repair="Add the file beside the record, or correct the name.",
)
OUTSIDE_PROJECT = error_code(
    "outside-project",
    "A record, or a file that one names, lies outside the project.",
    cause="A path begins with `/` or `..`, or leads through a link out of the registry.",
    repair="Copy the file into the registry: what is outside cannot be published or run elsewhere.",
)
DONE_BUT_BLOCKED = error_code(
    "done-but-blocked",
    "An item is done although something that blocks it is not.",
    cause="The status was set before the blocker was finished, or the blocker was named by mistake.",
    repair="Finish the blocker, take the status back, or remove the link with `kvdocs unlink`.",
)
FIXED_BUT_OPEN = error_code(
    "fixed-but-open",
    "A defect is fixed although the item that fixes it is not done.",
    cause="The defect was closed when the change was written, not when it landed.",
    repair="Set the item done, or the defect back to confirmed until it is.",
)
NEEDS_NOT_PLANNED = error_code(
    "needs-not-planned",
    "A record waits for an item that is not planned.",
    cause="An item was given up while others still wait for it.",
    repair="Plan it again, remove the link, or set what waits for it to not planned as well.",
)
BLOCKED_BY_REJECTED = error_code(
    "blocked-by-rejected",
    "A record waits for a pull request that was closed without being merged.",
    cause="The pull request was closed without a merge.",
    repair="Name what takes its place, with `superseded_by` of the reference or another blocker.",
)
REOPENED = warning_code(
    "still-confirmed",
    "A defect is confirmed although every item that fixes it is done.",
    cause="The repair landed and nobody looked at the defect again, or it did not repair it.",
    repair="Run the defect's script on the new commit; then set the status to what it shows.",
)
UNUSED_ACKNOWLEDGEMENT = warning_code(
    "unused-acknowledgement",
    "A record acknowledges a problem that it does not have.",
    cause="What was accepted has gone: the figure was corrected, or the code is misspelled.",
    repair="Remove the entry under `acknowledged`.",
)
UNREADABLE = error_code(
    "unreadable",
    "A file cannot be read.",
    cause="Permissions, a link that leads nowhere or to a folder, a pipe, or a name that is no text.",
    repair="Put the file itself in its place, readable for the user who runs kvdocs.",
)
BAD_SETTINGS = error_code(
    "bad-settings",
    "The settings of the project cannot be used, so no page can be made.",
    cause="`registry/project.yaml` is missing, misspells a setting, or holds something else than text in one.",
    repair="Write at least `title`; the message says what the setting takes.",
)

ONLY_REPORTED = Code(
    "only-reported",
    Severity.INFO,
    "A defect is confirmed, not reproduced or fixed, and no execution on record shows it: it rests on what documents report.",
    cause="The defect was taken from a document, or its executions went stale or were withdrawn.",
    repair="`kvdocs run` its script on a machine that has what it needs, or import an execution made elsewhere.",
)
CONTRADICTED = Code(
    "contradicted",
    Severity.WARNING,
    "An execution in the environment and on the commit that a record names contradicts its status.",
    cause="The defect was repaired on the way, the script no longer triggers it, or the status was a guess.",
    repair="Set the status to what executions show, or say in the record why they differ.",
)
CONTRADICTED_ELSEWHERE = Code(
    "contradicted-elsewhere",
    Severity.INFO,
    "An execution in another environment, or on another source, does not show what a record says.",
    cause="The defect depends on the machine or on the version of the source.",
    repair="Nothing needs repair: the matrix shows both. Say in the record what makes the difference, when it is known.",
)
STALE_EVIDENCE = Code(
    "stale-evidence",
    Severity.WARNING,
    "An execution no longer speaks for today: its script, its expectation or the commit that the record names has changed.",
    cause="The script or what it expects was edited, or the record names another commit now.",
    repair="Run the script again; the old execution stays on record.",
)
GATE_NOT_PASSED = Code(
    "gate-not-passed",
    Severity.ERROR,
    "An item is done, or a defect fixed, and a gate of it has not passed on a commit that holds the work.",
    cause="The status was set before the gate's script had run on a commit that has the work, or its executions went stale or were withdrawn.",
    repair="Name the commit in `landed_in`, run the gate's script there, and ask `kvdocs gate ID`; or take the status back.",
)
GATE_TOO_FEW = Code(
    "gate-too-few-runs",
    Severity.WARNING,
    "A gate asks for so few clean runs that a defect which is not repaired passes it more often than one time in twenty.",
    cause="The gate asks for a round number of runs, and the defect shows seldom.",
    repair="Ask for as many runs as the hint says, or measure the old rate better: more runs of the unrepaired program.",
)
NOT_AS_STORED = Code(
    "not-as-stored",
    Severity.ERROR,
    "A result or one of its logs was changed after it was stored.",
    cause="A log was cleaned up, a line ending was converted on checkout, or a record was edited.",
    repair="Restore the file from version control. A result that should not count is withdrawn, not edited.",
)

CORE_CODES: tuple[Code, ...] = (
    YAML_SYNTAX, DUPLICATE_KEY, NOT_A_RECORD, UNKNOWN_FOLDER, UNREADABLE, BAD_SETTINGS,
    MISSING_FIELD, UNKNOWN_KEY, WRONG_TYPE, WRONG_VALUE, BAD_ID, DUPLICATE_ID,
    UNKNOWN_REF, WRONG_KIND, UNKNOWN_MENTION, CYCLE, MISSING_FILE, OUTSIDE_PROJECT,
    DONE_BUT_BLOCKED, FIXED_BUT_OPEN, NEEDS_NOT_PLANNED, BLOCKED_BY_REJECTED, REOPENED,
    UNUSED_ACKNOWLEDGEMENT,
    ONLY_REPORTED, CONTRADICTED, CONTRADICTED_ELSEWHERE, STALE_EVIDENCE, GATE_NOT_PASSED, GATE_TOO_FEW, NOT_AS_STORED,
)  # fmt: skip
"""The codes that no single kind owns; `kvdocs.kinds.all_codes` adds those of the kinds."""
