"""result: one execution of a script in an environment, written by the program and sealed by its hash."""

from __future__ import annotations

import re
import shlex
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds import _result_groups as groups
from kvdocs.kinds._result_groups import Holds
from kvdocs.kinds.withdrawal import left_out_badge, struck, withdrawal_notice
from kvdocs.model import Record, Ref, empty_list
from kvdocs.view import Badge, Block, Cell, Code, CodeBlock, Fact, Folded, Items, Link, Md, Notice, Prose, RecordView, Section, Table, values_in

VERDICT_TONES = {"reproduced": "bad", "not-reproduced": "good", "inconclusive": "warn"}
MANY = 40
"""More figures of an execution than this are folded on its page."""
OUTCOME_TONES = {"passed": "plain", "failed": "plain", "signalled": "plain", "timed-out": "warn", "interrupted": "warn", "unavailable": "off", "runner-died": "warn"}


class Result(Record):
    """One execution. Its file is never edited: `id` and `digest` are hashes of what it says, and its logs are hashed in it."""

    model_config = ConfigDict(populate_by_name=True)

    schema_: Literal["kvdocs/evidence/v1"] = Field(alias="schema", description="The form of the record.")
    digest: str = Field(pattern=r"^sha256:[0-9a-f]{64}$", description="SHA-256 of the canonical JSON of everything but `id` and `digest`.")
    kind: Literal["run", "import"] = Field(description="`run`: executed by the program. `import`: executed elsewhere, and known from its log.")
    script: Annotated[str, Ref("script")] = Field(description="The script that was executed.")
    environment: Annotated[str, Ref("environment")] = Field(description="The machine that it ran on.")
    about: list[str] = Field(default_factory=empty_list, description="The records that the script was about when it was executed.")
    purpose: Literal["reproduction", "measurement", "kernel"] = Field(description="Of the script, at that time.")
    outcome: Literal["passed", "failed", "signalled", "timed-out", "interrupted", "unavailable", "runner-died"] = Field(description="How the execution ended.")
    status: Literal["FAIL", "ERROR", "MISS", "PASS", "DONE", "SKIP"] = Field(description="In the words of KCIDB.")
    end: Annotated[dict[str, Any], Holds(groups.End)] = Field(description="Exit code, signal, reason, duration, what was left behind.")
    judgement: Annotated[dict[str, Any], Holds(groups.Judgement)] = Field(description="The verdict by the expectations of that time, with its reasons, conditions and captures.")
    expect: Annotated[dict[str, Any], Holds(groups.Expectations)] = Field(default_factory=dict, description="Those expectations.")
    invocation: Annotated[dict[str, Any], Holds(groups.Invocation)] = Field(description="Command, script, variables, times, runner.")
    repeat: dict[str, Any] | None = Field(default=None, description="Which of several executions it is.")
    source: Annotated[dict[str, Any], Holds(groups.Source)] | None = Field(default=None, description="Repository, commit and state of the source tree, with the patches in it.")
    build: Annotated[dict[str, Any], Holds(groups.Build)] | None = Field(default=None, description="The build tree: its options, its programs, and the commit that they were built from.")
    inputs: Annotated[dict[str, Any], Holds(groups.Inputs)] | None = Field(default=None, description="The model and other inputs, by size and hash.")
    machine: Annotated[dict[str, Any], Holds(groups.Machine)] | None = Field(default=None, description="What was found out about the machine.")
    exclusivity: Annotated[dict[str, Any], Holds(groups.Exclusivity)] | None = Field(default=None, description="Whether it had the machine for itself: lock, other processes, load, clocks.")
    metrics: dict[str, Any] = Field(default_factory=dict, description="The figures that the script wrote.")
    streams: dict[Literal["stdout", "stderr"], Annotated[dict[str, Any], Holds(groups.Stream)]] = Field(default_factory=dict, description="What is kept of the output, with sizes and hashes.")
    files: list[Annotated[dict[str, Any], Holds(groups.KeptFile)]] = Field(default_factory=empty_list, description="Further files that were kept.")
    labels: list[str] = Field(default_factory=empty_list, description="What must be said wherever a figure of it appears.")
    output_correct: bool = Field(default=True, description="False under a patch that makes the output wrong by construction.")
    redaction: list[Annotated[dict[str, Any], Holds(groups.Redacted)]] = Field(default_factory=empty_list, description="What was taken out of the output, by rule and count.")
    missing: list[Annotated[dict[str, Any], Holds(groups.Lacking)]] = Field(default_factory=empty_list, description="What could not be had, and why.")
    import_: Annotated[dict[str, Any], Holds(groups.Imported)] | None = Field(default=None, alias="import", description="Where an imported execution comes from, and what was lost on the way.")
    supersedes: Annotated[str, Ref("result")] | None = Field(default=None, description="The result in whose place it stands.")

    @property
    def verdict(self) -> str:
        """reproduced, not-reproduced or inconclusive, by the expectations of the time of the execution."""
        return str(self.judgement["verdict"])

    @property
    def commit(self) -> str | None:
        """The commit of the source that was executed, when it is known."""
        return (self.source or {}).get("commit")

    def figure(self, name: str) -> Any:
        """What it gave under a name: a value captured from its output, else a figure that the script wrote, with dots that lead into groups; None when neither."""
        captured = self.judgement.get("captures", {}).get(name)
        if captured is not None:
            return captured.get("value")
        value: Any = self.metrics
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return None if isinstance(value, dict) else value

    def bound(self, name: str) -> Any:
        """The lower bound of a captured figure of which nothing else is known; None where there is none."""
        captured = self.judgement.get("captures", {}).get(name) or {}
        return captured.get("low") if captured.get("value") is None and captured.get("high") is None else None

    def unit_of(self, name: str) -> str | None:
        """The unit of a figure: that of the capture, or the one that the script wrote with it; None where neither tells one."""
        if name in self.judgement.get("captures", {}):
            units = {name: capture.get("unit") for name, capture in self.expect.get("captures", {}).items()}
        else:
            units = self.metrics.get("units", {})
        found = units.get(name) if isinstance(units, dict) else None
        return str(found) if found is not None else None

    def figure_names(self) -> list[str]:
        """The names of all its figures."""
        written = [name for name, _ in flat({group: figures for group, figures in self.metrics.items() if group != "units"})]
        return [*self.judgement.get("captures", {}), *written]


def result_of(entry: Entry) -> Result:
    """The record of a result's entry."""
    assert isinstance(entry.record, Result)
    return entry.record


def verdict_badge(record: Result) -> Badge:
    """The verdict with its colour: reproducing a defect is bad news, and a program of our own that shows what it is for is none."""
    tone = "plain" if record.purpose == "kernel" else VERDICT_TONES.get(record.verdict, "plain")
    return Badge(record.verdict.replace("-", " "), tone)


def verdict_cell(record: Result, context: Context) -> Cell:
    """The verdict with its colour; struck out where the execution does not count."""
    badge = left_out_badge(record.id, context.registry)
    return (struck(record.verdict.replace("-", " ")), badge) if badge is not None else verdict_badge(record)


def outcome_badge(record: Result) -> Badge:
    """How the execution ended."""
    return Badge(record.outcome.replace("-", " "), OUTCOME_TONES[record.outcome])


def source_cell(record: Result, context: Context) -> Cell:
    """A link to the source, with a word when the tree was not clean."""
    source = record.source or {}
    if not record.commit:
        return None
    link = context.source_link("", repository=repository_of(source.get("repository")), commit=record.commit)
    if not source.get("dirty"):
        return link
    if source.get("only_patches") and source.get("patches"):
        return (link, "with these patches and nothing else")
    return (link, "with changes" if source.get("diff_sha256") else "with untracked files")


def commit_cell(record: Result, context: Context) -> Cell:
    """The same in a list: the commit alone, and the repository where the pointer rests."""
    cell = source_cell(record, context)
    if cell is None:
        return None
    link, *rest = values_in(cell)
    assert isinstance(link, Link)
    repository, _, commit = link.text.rpartition("@")
    return (link._replace(text=commit, title=repository), *rest)


def repository_of(address: str | None) -> str | None:
    """`owner/name` of a repository's address, such as `https://github.com/ggml-org/llama.cpp.git`; None when it has no such form."""
    match = re.search(r"(?:^|[/:])([\w.-]+/[\w.-]+?)(?:\.git)?/?$", address or "")
    return match[1] if match else None


def view(entry: Entry, context: Context) -> RecordView:
    record = result_of(entry)
    end, invocation = record.end, record.invocation
    seconds = end.get("duration_ns")
    facts = (
        Fact("Verdict", verdict_cell(record, context)), Fact("Outcome", outcome_badge(record)), Fact("How it ended", str(end.get("reason") or "")),
        Fact("Script", context.link(record.script)), Fact("Environment", context.link(record.environment)),
        Fact("About", tuple(context.link(name) for name in record.about if context.registry.get(name) is not None) or None),
        Fact("Source", source_cell(record, context)),
        Fact("Started", str(invocation["started"]) if invocation.get("started") else None),
        Fact("Took", f"{float(seconds) / 1e9:.3f} s" if seconds is not None else None),
        Fact("Basis", "executed by kvdocs" if record.kind == "run" else "executed elsewhere, imported from its log"),
        Fact("Identity", Code(record.digest)),
    )  # fmt: skip
    sections = [
        Section("Why this verdict", (Items(tuple(markup.sentence(str(reason)) for reason in record.judgement.get("reasons", ()))), *_conditions(record))),
        *_figures(record), Section("Command", (CodeBlock(_command(record), "bash"), *_variables(record))),
        *_machine(record), *_alone(record), *_source(record), *_kept(record), *_imported(record),
    ]  # fmt: skip
    state = left_out_badge(record.id, context.registry) or verdict_badge(record)
    notices = (*withdrawal_notice(record.id, context), *_notices(record))
    return RecordView(state=state, facts=tuple(f for f in facts if f.value), sections=tuple(sections), notices=notices)


def _notices(record: Result) -> tuple[Notice, ...]:
    notices = [Notice("danger" if label.startswith("output incorrect") else "warning", label[:1].upper() + label[1:]) for label in record.labels]
    violations = (record.exclusivity or {}).get("violations") or ()
    notices += [Notice("warning", "Something else used the GPU", Md("; ".join(map(str, violations))))] if violations else []
    return tuple(notices)


def _conditions(record: Result) -> tuple[Block, ...]:
    """Each condition with what was observed."""
    words = {True: Badge("yes"), False: Badge("no"), None: Badge("unknown", "warn")}
    rows = tuple((_list_name(str(m["id"])), Code(_condition(m["condition"])), str(m["observed"]), words[m.get("hit")]) for m in record.judgement.get("matchers", ()))
    return (Table(("For", "Condition", "Observed", "Holds"), rows),) if rows else ()


def _list_name(matcher: str) -> str:
    return matcher.partition("[")[0].replace("_", " ")


def _condition(condition: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in condition.items())


def _figures(record: Result) -> list[Section]:
    """What was captured from the output and what the script wrote; many figures stand folded."""
    rows: list[tuple[Cell, ...]] = []
    for name, captured in record.judgement.get("captures", {}).items():
        low, value = captured.get("low"), captured.get("value")
        shown = str(value) if value is not None else f"≥ {low}" if low is not None else "unknown"
        unit = record.unit_of(name)
        rows.append((name, f"{shown} {unit}" if unit else shown, "output"))
    rows += [(name, _figure(value), "script") for name, value in flat(record.metrics)]
    table = Table(("Figure", "Value", "From"), tuple(rows))
    block: Block = Folded(f"All {len(rows)} figures", (table,)) if len(rows) > MANY else table
    return [Section("Figures", (block,))] if rows else []


def flat(metrics: dict[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Figures by their dotted names, in the order in which they stand."""
    found: list[tuple[str, Any]] = []
    for name, value in metrics.items():
        found += flat(value, f"{before}{name}.") if isinstance(value, dict) else [(f"{before}{name}", value)]
    return found


def _figure(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) if len(value) <= 12 else f"{', '.join(map(str, value[:12]))}, … ({len(value)} values)"
    return str(value)


def _command(record: Result) -> str:
    """The command as one would type it, with names such as `<source>` for the places of that machine."""
    words = map(str, record.invocation.get("argv") or [])
    return str(record.invocation.get("command") or " ".join(word if re.fullmatch(r"[\w@%+=:,./<>-]+", word) else shlex.quote(word) for word in words))


def _variables(record: Result) -> tuple[Block, ...]:
    rows = tuple((Code(name), Code(str(value))) for name, value in (record.invocation.get("env") or {}).items() if name != "PATH")
    return (Table(("Variable", "Value"), rows),) if rows else ()


def _machine(record: Result) -> list[Section]:
    rows = [(name, _figure(value)) for name, value in _machine_facts(record.machine or {}) if value not in (None, "", [])]
    blocks: list[Block] = [Table(("Fact", "Value"), tuple(rows))] if rows else []
    if record.missing:
        blocks += [Prose(Md("What could not be had:")), Items(tuple(f"{m['what']}: {m['why']}" for m in record.missing))]
    return [Section("Machine", tuple(blocks))] if blocks else []


def _machine_facts(machine: dict[str, Any]) -> list[tuple[str, Any]]:
    facts = [(name, value) for name, value in flat({k: v for k, v in machine.items() if k != "gpu"})]
    for gpu in machine.get("gpu", ()):
        facts += [(f"gpu[{gpu.get('index', 0)}].{name}", value) for name, value in flat(gpu) if name != "index"]
    return facts


def _alone(record: Result) -> list[Section]:
    """Whether the run had the machine for itself, and what the GPU did meanwhile."""
    told = record.exclusivity or {}
    lock = told.get("lock") or {}
    rows: list[tuple[str, str]] = [("lock", f"held, after waiting {lock['waited_s']} s")] if lock else []
    rows += [(name.replace("_", " "), _figure(told[name])) for name in ("load_before", "load_after") if told.get(name)]
    for when in ("before", "during", "after"):
        rows += [(f"GPU {index} {when}", ", ".join(f"{k.replace('_', ' ')} {_figure(v)}" for k, v in flat(state) if v not in (None, [])))
                 for index, state in enumerate(told.get(f"gpu_{when}") or ())]  # fmt: skip
    return [Section("During the run", (Table(("What", "Value"), tuple(rows)),))] if rows else []


def _source(record: Result) -> list[Section]:
    rows: list[tuple[str, Cell]] = []
    source, build = record.source or {}, record.build or {}
    for name in ("repository", "branch", "describe", "diff_sha256"):
        rows += [(name.replace("_", " "), Code(str(source[name])))] if source.get(name) else []
    rows += [("patch", (Code(p["id"]), "output correct" if p.get("output_correct") else "output incorrect by construction")) for p in source.get("patches") or ()]
    embedded = build.get("embedded_commit")
    if embedded:
        fits = {True: "the same as the source tree", False: "another than the source tree", None: "not compared"}[build.get("matches_source")]
        rows.append(("commit in the program", (Code(str(embedded["commit"])), fits)))
    rows += [(f"option {name}", Code(str(value))) for name, value in (build.get("cmake") or {}).items()]
    model = (record.inputs or {}).get("model")
    rows += [("model", f"{model['name']}, {model['bytes']} bytes")] if model else []
    return [Section("Source and build", (Table(("What", "Value"), tuple(rows)),))] if rows else []


def _kept(record: Result) -> list[Section]:
    """What is kept of the output, and what was taken out of it."""
    rows: list[tuple[Cell, ...]] = []
    for name, stream in record.streams.items():
        lost = stream.get("lost_bytes") or 0
        gap = f"{lost} bytes in the middle" if lost else "a part of unknown size" if stream.get("gap_at") is not None else "nothing"
        rows.append((name, str(stream.get("bytes")), Code(stream["file"]) if stream.get("file") else "empty", gap))
    blocks: list[Block] = [Table(("Stream", "Bytes", "File", "Not kept"), tuple(rows), numeric=frozenset({1}))] if rows else []
    if record.redaction:
        blocks.append(Prose(Md("Taken out: " + ", ".join(f"{r['rule'].replace('-', ' ')} ({r['count']})" for r in record.redaction) + ".")))
    return [Section("Output", tuple(blocks))] if blocks else []


def _imported(record: Result) -> list[Section]:
    """Where an imported execution comes from, what its output was found to hold, and what was lost on the way."""
    told = record.import_
    if told is None:
        return []
    rows: list[tuple[Cell, ...]] = [(f"file {file['name']}", Code(str(file["sha256"]))) for file in told.get("files") or ()]
    rows += [(name.replace("_", " "), _found(value)) for name, value in flat(told.get("found") or {}) if value not in (None, [], "")]
    blocks: list[Block] = [Prose(Md(f"Imported as {told.get('format')}.")), *([Table(("What", "Value"), tuple(rows))] if rows else [])]
    if told.get("lossy"):
        blocks += [Prose(Md("What the source does not tell, or lost:")), Items(tuple(map(str, told["lossy"])))]
    return [Section("Where it comes from", tuple(blocks))]


def _found(value: Any) -> str:
    """A finding in words; a list of mappings as its first entries."""
    if isinstance(value, list):
        shown = [", ".join(str(part) for part in item.values() if part is not None) if isinstance(item, dict) else str(item) for item in value[:5]]
        return "; ".join(shown) + (f"; … ({len(value)} in all)" if len(value) > len(shown) else "")
    return str(value)


KIND = Kind(
    name="result", plural="results", folder="results", position=100, model=Result, view=view, pattern="result.json",
    columns=(
        Column("Script", lambda e, c: c.link(result_of(e).script, result_of(e).script), filter=True),
        Column("Environment", lambda e, c: c.link(result_of(e).environment, result_of(e).environment), filter=True),
        Column("Commit", lambda e, c: commit_cell(result_of(e), c)),
        Column("Outcome", lambda e, c: outcome_badge(result_of(e)), filter=True),
        Column("Verdict", lambda e, c: verdict_cell(result_of(e), c), filter=True),
        Column("Started", lambda e, c: str(result_of(e).invocation.get("started") or "")[:16].replace("T", " ") or None),
    ),
)  # fmt: skip
