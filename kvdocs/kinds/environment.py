"""environment: a machine with its software, the protocol it is used under, and the noise known of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.evidence.likeness import SAYS_SO, unlikeness
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds.result import Result
from kvdocs.kinds.withdrawal import left_out
from kvdocs.model import Commit, Markdown, Number, Part, Record, Ref, empty_list
from kvdocs.problems import Code as ProblemCode
from kvdocs.problems import Problem, Severity
from kvdocs.registry import Registry
from kvdocs.view import Cell, Code, Fact, Prose, RecordView, Section, Table

NAMED_AT_MOST = 3
"""So many executions are named in a message; more are counted."""

OTHER_MACHINE = ProblemCode(
    "other-machine",
    Severity.WARNING,
    "An execution is filed under an environment whose GPUs are not those of the machine that it ran on.",
    cause="`--env` or `KVDOCS_ENV` named another machine, or the machine got another GPU.",
    repair="Run it again under the right environment, and withdraw the one that is filed wrong; or correct the environment's `gpus`.",
)


class Gpu(Part):
    """A graphics processor."""

    name: str = Field(description="The model.")
    compute_capability: str | None = Field(default=None, pattern=r"^\d+\.\d+$", description="Such as `8.9` for sm_89.")
    memory_mib: int | None = Field(default=None, gt=0, description="Nominal memory in MiB.")
    usable_mib: int | None = Field(default=None, gt=0, description="Memory that programs can have, in MiB.")
    count: int = Field(default=1, ge=1, description="How many of it.")


class BuildTree(Part):
    """A configured build of the source, which scripts name."""

    id: str = Field(description="Its name.")
    options: str = Field(default="", description="What differs from the default configuration.")
    note: str = Field(default="", description="What a reader has to know of it.")


class NoiseFloor(Part):
    """How much a figure moves between processes on this machine when nothing was changed."""

    metric: str = Field(description="What was measured, as measurements name it.")
    sigma: Number = Field(description="Standard deviation between processes, in the unit given.")
    unit: str = Field(description="The unit of the spread.")
    relative: bool = Field(default=False, description="Whether sigma is a share of the value instead of an amount.")
    degrees_of_freedom: int | None = Field(default=None, ge=1, description="Absent when the source does not tell; then it carries no interval.")
    note: str = Field(default="", description="What a reader has to know of it.")


class Environment(Record):
    """One machine as it was when something was measured or executed on it."""

    gpus: list[Gpu] = Field(default_factory=empty_list, description="Its GPUs.")
    driver: str | None = Field(default=None, description="Version of the GPU driver.")
    cuda: str | None = Field(default=None, description="Version of CUDA.")
    nvcc: str | None = Field(default=None, description="Version of the CUDA compiler.")
    cpu: str | None = Field(default=None, description="The processor.")
    cores: int | None = Field(default=None, ge=1, description="Cores that the machine has.")
    pinned: str | None = Field(default=None, description="The CPUs that processes are pinned to, as `taskset -c` takes them.")
    memory: str | None = Field(default=None, description="The main memory.")
    os: str | None = Field(default=None, description="The operating system.")
    kernel: str | None = Field(default=None, description="Version of the kernel.")
    python: str | None = Field(default=None, description="Version of Python.")
    facts: dict[str, str] = Field(default_factory=dict, description="Whatever else the machine tells: IOMMU, huge pages, NUMA.")
    model: str | None = Field(default=None, description="The model file that measurements here use.")
    repository: str | None = Field(default=None, description="`owner/name` of the source that was built there.")
    commit: Commit | None = Field(default=None, description="The source that is built here unless a record says otherwise.")
    flags: dict[str, str] = Field(default_factory=dict, description="Named groups of options that commands share.")
    builds: list[BuildTree] = Field(default_factory=empty_list, description="Its build trees.")
    protocol: Markdown | None = Field(default=None, description="How runs are made so that they can be compared.")
    discard_rule: Markdown | None = Field(default=None, description="When a run is thrown away, decided before looking.")
    noise: list[NoiseFloor] = Field(default_factory=empty_list, description="Spreads between processes that are known of this machine.")
    notes: Markdown | None = Field(default=None, description="Anything else.")
    sources: list[Annotated[str, Ref("reference")]] = Field(default_factory=empty_list, description="Where it was reported.")


def recorded_gpus(registry: Registry) -> dict[str, tuple[dict[str, Any], ...]]:
    """The GPUs of each environment that has some, as `kvdocs.evidence.likeness` takes them."""
    found = {entry.id: tuple(gpu.model_dump(include={"name", "count", "compute_capability", "memory_mib"}) for gpu in _environment(entry).gpus) for entry in registry.of("environment")}
    return {name: gpus for name, gpus in found.items() if gpus}


def gpu_words(record: Environment) -> str | None:
    """The processors in words: `NVIDIA H200, sm_90`."""
    words = [f"{f'{g.count} × ' if g.count > 1 else ''}{g.name}{', sm_' + g.compute_capability.replace('.', '') if g.compute_capability else ''}" for g in record.gpus]
    return "; ".join(words) or None


def _environment(entry: Entry) -> Environment:
    assert isinstance(entry.record, Environment)
    return entry.record


def view(entry: Entry, context: Context) -> RecordView:
    record = _environment(entry)
    facts = [
        Fact("GPU", gpu_words(record)),
        Fact("GPU memory", tuple(f"{g.memory_mib:,} MiB{f' ({g.usable_mib:,} usable)' if g.usable_mib else ''}" for g in record.gpus if g.memory_mib) or None),
        Fact("Driver", record.driver), Fact("CUDA", record.cuda), Fact("nvcc", record.nvcc),
        Fact("CPU", record.cpu), Fact("Cores", str(record.cores) if record.cores else None), Fact("Pinned to CPUs", record.pinned),
        Fact("Memory", record.memory), Fact("Operating system", record.os), Fact("Kernel", record.kernel), Fact("Python", record.python),
        *(Fact(name, value) for name, value in record.facts.items()),
        Fact("Model", record.model),
        Fact("Source", context.source_link("", repository=record.repository, commit=record.commit) if record.commit else record.repository),
    ]  # fmt: skip
    sections = []
    if record.protocol:
        sections.append(Section("How runs are made", (Prose(context.prose(record.protocol, record.id)),)))
    if record.discard_rule:
        sections.append(Section("When a run is thrown away", (Prose(context.prose(record.discard_rule, record.id)),)))
    if record.flags:
        sections.append(Section("Options that commands share", (Table(("Group", "Options"), tuple((name, Code(flags)) for name, flags in record.flags.items())),)))
    if record.builds:
        sections.append(Section("Build trees", (Table(("Tree", "Options", "Note"), tuple((Code(b.id), Code(b.options) if b.options else "default", b.note or None) for b in record.builds)),)))
    if record.noise:
        rows = tuple((n.metric, str(n.sigma), "share" if n.relative else n.unit, str(n.degrees_of_freedom) if n.degrees_of_freedom else "not told", n.note or None) for n in record.noise)
        sections.append(Section("Noise between processes", (Table(("Figure", "Sigma", "Unit", "Degrees of freedom", "Note"), rows, numeric=frozenset({1, 3})),)))
    if record.notes:
        sections.append(Section("Notes", (Prose(context.prose(record.notes, record.id)),)))
    if record.sources:
        sections.append(Section("Sources", (Table(("Reference",), tuple((context.link(s),) for s in record.sources)),)))
    return RecordView(facts=tuple(f for f in facts if f.value), sections=tuple(sections))


def _gpu(entry: Entry, context: Context) -> Cell:
    return gpu_words(_environment(entry))


def check_machines(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """The executions that are filed under an environment ran on a machine that can be it, or say that they did not."""
    recorded = recorded_gpus(registry).get(entry.id, ())
    names: dict[str, list[str]] = {}
    for found in registry.pointing_at(entry.id, "result", "environment") if recorded else ():
        result = found.record
        present = (result.machine or {}).get("gpu") if isinstance(result, Result) and not left_out(result.id, registry) else None
        unlike = unlikeness(entry.id, recorded, present, "the machine that it ran on") if isinstance(present, list) else None
        if isinstance(result, Result) and unlike and not any(label.startswith(SAYS_SO) for label in result.labels):
            names.setdefault(unlike, []).append(result.id)
    for unlike, results in names.items():
        what = ", ".join(results) if len(results) <= NAMED_AT_MOST else f"{len(results)} executions"
        yield Problem(OTHER_MACHINE, f"{what}: {unlike}", entry.raw.place_of(("gpus",)), entry.id, "give that machine an environment of its own, and withdraw what was filed wrongly")


KIND = Kind(
    name="environment", plural="environments", folder="environments", position=80, model=Environment, view=view, document="measurements", checks=(check_machines,), codes=(OTHER_MACHINE,),
    columns=(Column("GPU", _gpu), Column("Driver", lambda e, c: _environment(e).driver), Column("CUDA", lambda e, c: _environment(e).cuda)),
)  # fmt: skip
