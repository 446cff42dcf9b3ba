"""script: something that can be executed to show a defect, to measure, or to run a kernel, with what counts as what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds._expectations import RELATIONS, Condition, Expect, Needs, conditions_of
from kvdocs.kinds.probe import Probe, correctness_badge
from kvdocs.model import File, Markdown, Number, Part, Record, Ref, empty_list
from kvdocs.problems import Code as ProblemCode
from kvdocs.problems import Problem, Severity
from kvdocs.registry import Registry
from kvdocs.view import Badge, Block, Cell, Code, CodeBlock, Fact, Items, Md, Notice, Prose, RecordView, Section, Table

if TYPE_CHECKING:
    from kvdocs.evidence.source_tree import Patch
    from kvdocs.evidence.spec import ScriptSpec

NO_EXPECTATION = ProblemCode(
    "no-expectation",
    Severity.WARNING,
    "A script that reproduces something does not say what counts as reproduced, so its executions decide nothing.",
    cause="The script was added before anybody wrote down what it shows.",
    repair="Write `expect` with `reproduced` and `not_reproduced`; without both an execution is inconclusive.",
)
EXIT_CODE_DECIDES = ProblemCode(
    "exit-code-decides",
    Severity.ERROR,
    "A script lets an exit code decide that tells nothing, such as that of compute-sanitizer.",
    cause="`exit: 0` stands alone under `not_reproduced` for a tool that exits with 0 after it found errors.",
    repair="Add a pattern on the output, such as the tool's summary line, and set `exit_code_decides: false`.",
)


def _cpus(value: str) -> str:
    import re

    if not re.fullmatch(r"\s*\d+(?:-\d+(?::\d+)?)?\s*(?:,\s*\d+(?:-\d+(?::\d+)?)?\s*)*", value):
        raise ValueError("a list of CPUs as `taskset -c` takes it, such as 0,2,4 or 0-3")
    return value


class Verification(Part):
    """How the script itself was verified, apart from the executions of this registry."""

    how: Literal["executed", "arguments-only", "equivalent-commands", "not-verified"] = Field(
        description="`equivalent-commands`: its figures come from commands of the same kind that were typed by hand."
    )
    note: Markdown | None = Field(default=None, description="What exactly was done.")
    environment: Annotated[str, Ref("environment")] | None = Field(default=None, description="The machine on which it was done.")
    source: Annotated[str, Ref("reference")] | None = Field(default=None, description="Where that is reported.")


class Script(Record):
    """A script. `title` says what it does."""

    # What holds defaults alone is constructed: to validate it would build its validators for every command that knows the kinds.

    purpose: Literal["reproduction", "measurement", "kernel"] = Field(description="Whether it shows a defect or measures.")
    about: list[Annotated[str, Ref()]] = Field(default_factory=empty_list, description="What it is about, beside the records that name it as their script.")
    file: Annotated[str, File()] = Field(description="The file, relative to the record.")
    argv: list[str] = Field(
        default=[],
        description="The command, with `{file}`, `{python}`, `{source}`, `{build}`, `{model}`, `{scratch}`, `{project}`; without it Python or bash by the file's ending.",
    )
    cwd: Literal["scratch", "source", "build", "project"] = Field(default="scratch", description="Where it is executed.")
    files: list[Annotated[str, File()]] = Field(default_factory=empty_list, description="Further files that it needs, relative to the record; they travel with it.")
    env: dict[str, str] = Field(default_factory=dict, description="Variables with the values that this script has.")
    needs: Needs = Field(default=Needs.model_construct(), description="What the machine must have.")
    probes: list[Annotated[str, Ref("probe")]] = Field(default_factory=empty_list, description="Patches that must be in the source tree.")
    timeout_s: Number = Field(default=3600, description="Time limit in seconds; what was printed until then is kept.")
    repeat: int = Field(default=1, ge=1, description="How often one `run` executes it.")
    lock: bool | None = Field(default=None, description="Whether it takes the one-GPU-job lock; when absent, if it needs a GPU.")
    cpus: Annotated[str, AfterValidator(_cpus)] | None = Field(default=None, description="The CPUs that it is pinned to; `KVDOCS_CPUS` wins.")
    expect: Expect = Field(default=Expect.model_construct(), description="What an execution has to show.")
    verified: list[Verification] = Field(default_factory=empty_list, description="How it was made sure that the script does what it says.")
    notes: Markdown | None = Field(default=None, description="Anything else.")

    @property
    def takes_lock(self) -> bool:
        """Whether one execution keeps every other GPU job of the machine away."""
        return self.needs.gpu > 0 if self.lock is None else self.lock


def script_of(entry: Entry) -> Script:
    """The record of a script's entry."""
    assert isinstance(entry.record, Script)
    return entry.record


def users_of(entry: Entry, registry: Registry) -> list[Entry]:
    """The records that name the script as theirs (results are not among them), and those that it is about."""
    named = [back.entry for back in registry.links_to(entry.id) if back.entry.kind.name != "result"]
    about = [found for name in script_of(entry).about if (found := registry.get(name)) is not None]
    return list({e.id: e for e in [*named, *about]}.values())


def spec_of(registry: Registry, script_id: str) -> ScriptSpec:
    """The script as the runner takes it, with paths from the project's root. KeyError when there is no such script."""
    from kvdocs.evidence.spec import ProbeSpec, ScriptSpec

    entry = registry.get(script_id)
    if entry is None or not isinstance(entry.record, Script):
        raise KeyError(script_id)
    record = entry.record
    probes = [(name, registry.get(name), registry.record(name, Probe)) for name in record.probes]
    return ScriptSpec(
        id=record.id, title=record.title, purpose=record.purpose, about=tuple(user.id for user in users_of(entry, registry)),
        file=_from_root(entry, record.file), argv=tuple(record.argv), cwd=record.cwd, files=tuple(_from_root(entry, name) for name in record.files),
        env=record.env, needs=record.needs.as_mapping(), timeout_s=float(record.timeout_s), repeat=record.repeat, lock=record.takes_lock, cpus=record.cpus or "",
        probes=tuple(ProbeSpec(name, _from_root(at, probe.file) if probe.file else "", probe.output_correct) for name, at, probe in probes if at is not None and probe is not None),
        expect=record.expect.as_mapping(),
    )  # fmt: skip


def _from_root(entry: Entry, name: str) -> str:
    """A file beside a record, from the project's root."""
    import posixpath

    return posixpath.normpath(str(PurePosixPath(entry.path).parent / name))


def patches_of(registry: Registry, root: Path) -> tuple[Patch, ...]:
    """The patches of all probes whose files are here: a source tree is looked through for them."""
    from kvdocs.evidence.source_tree import Patch

    found = []
    for entry in registry.of("probe"):
        probe = entry.record
        if isinstance(probe, Probe) and probe.file and (root / _from_root(entry, probe.file)).is_file():
            name = _from_root(entry, probe.file)
            found.append(Patch(entry.id, name, (root / name).read_bytes(), probe.output_correct))
    return tuple(found)


def scripts_of(registry: Registry, record_id: str) -> list[str]:
    """The scripts that are meant by an id: the script itself, those that a record names (an item's gates among them), and those about it."""
    entry = registry.get(record_id)
    if entry is None:
        return []
    if entry.kind.name == "script":
        return [entry.id]
    named = [link.target for link in registry.links_from(record_id) if "script" in link.ref.kinds and registry.record(link.target, Script) is not None]
    about = [found.id for found in registry.pointing_at(record_id, "script", "about")]
    return list(dict.fromkeys([*named, *about]))


def check_expectations(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """A reproduction says what counts, and no exit code decides that tells nothing."""
    record = script_of(entry)
    expect = record.expect
    if record.purpose != "measurement" and not expect.reproduced and not expect.not_reproduced:
        yield Problem(
            NO_EXPECTATION, f"{record.id} does not say what counts as reproduced", entry.raw.place_of(), record.id, hint="add `expect` with `reproduced` and `not_reproduced`"
        )
    exits = [c for c in conditions_of(expect) if c.exit is not None or c.signal is not None]
    if "compute-sanitizer" in record.needs.tools and exits and expect.exit_code_decides:
        place = entry.raw.place_of(("expect", "exit_code_decides"))
        yield Problem(
            EXIT_CODE_DECIDES,
            "the exit code of compute-sanitizer does not tell whether it found errors",
            place,
            record.id,
            hint="add `exit_code_decides: false`, and let a pattern or a count decide",
        )


def purpose_badge(record: Script) -> Badge:
    """What the script is for."""
    return Badge(record.purpose)


def view(entry: Entry, context: Context) -> RecordView:
    record = script_of(entry)
    users = users_of(entry, context.registry)
    facts = (
        Fact("Purpose", purpose_badge(record)),
        Fact("About", tuple(context.link(u.id) for u in users) or None),
        Fact("File", context.file(entry, record.file)),
        Fact("Further files", tuple(context.file(entry, name) for name in record.files) or None),
        Fact("Time limit", f"{record.timeout_s} s"),
        Fact("Executions in one run", str(record.repeat) if record.repeat > 1 else None),
        Fact("One GPU job at a time", "yes" if record.takes_lock else None),
        Fact("Pinned to CPUs", record.cpus),
        Fact("Executed in", {"scratch": None, "source": "the source tree", "build": "the build tree", "project": "the project's folder"}[record.cwd]),
    )
    sections = [
        Section("How to run it", (CodeBlock(f"kvdocs run {record.id}", "bash"), CodeBlock(f"kvdocs pack {record.id} -o job.pyz", "bash", "for a machine with nothing but Python")))
    ]
    needs = needs_words(record)
    if needs:
        sections.append(Section("What it needs", (Items(tuple(needs)),)))
    sections += _expectations(record) + _patches(record, context) + _executions(entry, context) + _verifications(record, context)
    if record.notes:
        sections.append(Section("Notes", (Prose(context.prose(record.notes, record.id)),)))
    return RecordView(state=purpose_badge(record), facts=tuple(f for f in facts if f.value), sections=tuple(sections), notices=_notices(record, context))


def _notices(record: Script, context: Context) -> tuple[Notice, ...]:
    wrong = [name for name in record.probes if (probe := context.registry.record(name, Probe)) is not None and not probe.output_correct]
    return (Notice("danger", "Its figures are bounds, not results", context.prose(f"The program's output is wrong under {', '.join(wrong)}.", record.id)),) if wrong else ()


def needs_words(record: Script) -> list[Cell]:
    """What the script needs, as lines of a list."""
    needs = record.needs
    words: list[Cell] = [Md(f"the program {markup.code(tool)}") for tool in needs.tools]
    if needs.source:
        words.append(Md("a source tree, named by `KVDOCS_SOURCE`"))
    if needs.build is not None:
        build = needs.build
        parts = [f"{'the build tree ' + markup.code(build.tree) if build.tree else 'a build tree'}, named by `KVDOCS_BUILD`"]
        parts += [f"with {', '.join(markup.code(b) for b in build.binaries)}"] if build.binaries else []
        parts += [f"configured with {', '.join(markup.code(f'{k}={v}') for k, v in build.cmake.items())}"] if build.cmake else []
        words.append(Md(", ".join(parts)))
    if needs.model:
        words.append(Md("a model file, named by `KVDOCS_MODEL`"))
    if needs.gpu:
        capability = f" of compute capability {needs.compute_capability}" if needs.compute_capability else ""
        words.append(f"{needs.gpu} GPU{'s' if needs.gpu > 1 else ''}{capability}")
    words += [f"{amount} MiB of {what}" for amount, what in ((needs.gpu_memory_mib, "GPU memory"), (needs.memory_mib, "memory")) if amount]
    return words + [Md(f"the variable {markup.code(name)}") for name in needs.variables]


def _expectations(record: Script) -> list[Section]:
    expect = record.expect
    blocks: list[Block] = []
    for title, conditions in (("Reproduced when all of these hold:", expect.reproduced), ("Not reproduced when all of these hold:", expect.not_reproduced)):
        if conditions:
            blocks += [Prose(Md(title)), Items(tuple(Code(condition_words(c)) for c in conditions))]
    if blocks and not expect.exit_code_decides:
        blocks.append(Prose(Md("The exit code alone decides nothing.")))
    if expect.pool is not None:
        blocks.append(
            Prose(
                Md(
                    f"Over several executions: reproduced from {expect.pool.reproduced_at_least} on, not reproduced when {expect.pool.clean_at_least} are clean and none reproduces."
                )
            )
        )
    return [Section("What counts as what", tuple(blocks))] if blocks else []


def condition_words(condition: Condition) -> str:
    """A condition in one line."""
    for name, joint in (("any", " or "), ("all", " and ")):
        inner = getattr(condition, name)
        if inner is not None:
            return f"({joint.join(condition_words(c) for c in inner)})"
    relations = " and ".join(f"{r.replace('_', ' ')} {getattr(condition, r)}" for r in RELATIONS if getattr(condition, r) is not None)
    where = "" if condition.stream == "any" else f" on {condition.stream}"
    if condition.exit is not None or condition.signal is not None:
        wanted = condition.exit if condition.exit is not None else condition.signal
        return f"{'exit' if condition.exit is not None else 'signal'} {' or '.join(map(str, wanted)) if isinstance(wanted, list) else wanted}"
    if condition.absent is not None:
        return f"no line{where} matches {condition.absent}"
    if condition.pattern is not None:
        return f"lines{where} match {condition.pattern}" + (f", {relations}" if relations else "")
    return f"{condition.value} {relations}"


def _patches(record: Script, context: Context) -> list[Section]:
    rows = []
    for name in record.probes:
        probe = context.registry.record(name, Probe)
        rows.append((context.link(name), correctness_badge(probe) if probe is not None else None))
    return [Section("Patches that must be in the source tree", (Table(("Probe", "Output"), tuple(rows)),))] if rows else []


def _executions(entry: Entry, context: Context) -> list[Section]:
    found = context.registry.pointing_at(entry.id, "result", "script")
    if not found:
        return []
    headings = ("Result", "Environment", "Commit", "Outcome", "Verdict", "Started")
    columns = [column.cell for column in found[0].kind.columns]
    rows = tuple((context.link(e.id, e.id), *(cell(e, context) for cell in columns[1:])) for e in found)
    return [Section("Executions", (Table(headings[: len(rows[0])], rows, sortable=True, name="executions"),))]


def _verifications(record: Script, context: Context) -> list[Section]:
    rows = tuple(
        (
            v.how.replace("-", " "),
            context.prose(v.note, record.id) if v.note else None,
            context.link(v.environment) if v.environment else None,
            context.link(v.source) if v.source else None,
        )
        for v in record.verified
    )
    return [Section("How the script was verified", (Table(("How", "Note", "Environment", "Reported in"), rows),))] if rows else []


def _about(entry: Entry, context: Context) -> Cell:
    return tuple(context.link(u.id, u.id) for u in users_of(entry, context.registry)) or None


def _verified(entry: Entry, context: Context) -> Cell:
    return tuple(v.how.replace("-", " ") for v in script_of(entry).verified) or None


KIND = Kind(
    name="script", plural="scripts", folder="scripts", position=65, model=Script, view=view, document="repro",
    checks=(check_expectations,), codes=(NO_EXPECTATION, EXIT_CODE_DECIDES),
    columns=(
        Column("About", _about), Column("Purpose", lambda e, c: purpose_badge(script_of(e)), filter=True),
        Column("Needs", lambda e, c: _short_needs(script_of(e))), Column("Verified", _verified),
    ),
)  # fmt: skip


def _short_needs(record: Script) -> Cell:
    """The needs in a few words: GPU, build, model, source."""
    needs = record.needs
    words = [("GPU", needs.gpu), ("build", needs.build is not None), ("model", needs.model), ("source", needs.source), *((tool, True) for tool in needs.tools)]
    return tuple(word for word, wanted in words if wanted) or None
