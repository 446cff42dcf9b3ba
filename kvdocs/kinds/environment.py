"""environment: a machine with its software, the protocol it is used under, and the noise known of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from kvdocs.kind import Column, Context, Kind
from kvdocs.model import Commit, Markdown, Number, Part, Record, Ref
from kvdocs.registry import Entry
from kvdocs.view import Cell, Code, Fact, Prose, RecordView, Section, Table


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

    gpus: list[Gpu] = Field(default=[], description="Its GPUs.")
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
    facts: dict[str, str] = Field(default={}, description="Whatever else the machine tells: IOMMU, huge pages, NUMA.")
    model: str | None = Field(default=None, description="The model file that measurements here use.")
    repository: str | None = Field(default=None, description="`owner/name` of the source that was built there.")
    commit: Commit | None = Field(default=None, description="The source that is built here unless a record says otherwise.")
    flags: dict[str, str] = Field(default={}, description="Named groups of options that commands share.")
    builds: list[BuildTree] = Field(default=[], description="Its build trees.")
    protocol: Markdown | None = Field(default=None, description="How runs are made so that they can be compared.")
    discard_rule: Markdown | None = Field(default=None, description="When a run is thrown away, decided before looking.")
    noise: list[NoiseFloor] = Field(default=[], description="Spreads between processes that are known of this machine.")
    notes: Markdown | None = Field(default=None, description="Anything else.")
    sources: list[Annotated[str, Ref("reference")]] = Field(default=[], description="Where it was reported.")


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


KIND = Kind(
    name="environment", plural="environments", folder="environments", position=80, model=Environment, view=view, document="measurements",
    columns=(Column("GPU", _gpu), Column("Driver", lambda e, c: _environment(e).driver), Column("CUDA", lambda e, c: _environment(e).cuda)),
)  # fmt: skip
