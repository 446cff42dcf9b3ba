"""A publication that notes everything that the making of a page looks at, so that the page is made again only when some of it has changed.

Records, links and files are noted in the recorder (`kvdocs.memo`). What other stages computed from them, and is small, is noted by a digest of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast

from kvdocs.checks.inputs import Inputs
from kvdocs.entry import Entry
from kvdocs.judge import Judge
from kvdocs.memo import ALL, Look, Recorder
from kvdocs.order import Order
from kvdocs.pages.context import Keeper, PageContext, Provider, Publication
from kvdocs.pages.graph import Surroundings
from kvdocs.problems import Problem, pack

V = TypeVar("V")

JUDGED = ("evidence", "gates", "rates", "gate-worths")

FIGURES = ("#measurement", "#claim", "#result", "#script", "#withdrawal")
"""What the figures of a measurement or claim can depend on beside what its own formulas name: claims that read it, executions and what withdraws them, noise floors."""


SHORT = 24
"""A text that is no longer is as good as its digest."""

ANSWER = "="
"""What a look begins with that is at something computed: `=order R1`."""


class Answers:
    """Digests of what was computed, by name: `problems D2`, `order R1`, `around R1`; each is worked out when it is asked for."""

    def __init__(self, publication: Publication) -> None:
        self.publication = publication
        self._known: dict[str, dict[str, str]] = {}

    def of(self, names: Iterable[str], before: Mapping[str, Any]) -> dict[str, Any]:
        """The answers of these names as plain data for `changed`: for each kind the digests by what they are about, and what there is no answer about.

        Those that are not named are as they were before.
        """
        found = {what: (dict(digests), dict.fromkeys(empty)) for what, (digests, empty) in before.items()}
        for what, targets in _by_kind(names).items():
            digests, empty = found.setdefault(what, ({}, {}))
            now = dict(self._digests(what, self._answered(what, targets)))
            for target in targets:
                digest = now.get(target)
                if digest:
                    digests[target] = digest
                    empty.pop(target, None)
                else:
                    digests.pop(target, None)
                    empty[target] = None
        return {what: [digests, list(empty)] for what, (digests, empty) in found.items()}

    def changed(self, before: Mapping[str, Any]) -> Iterator[str]:
        """The names of those that are another one than when `of` gave this."""
        for what, (digests, empty) in before.items():
            for target, digest in self._digests(what, digests):
                if digest != digests[target]:
                    yield f"{what} {target}".rstrip()
            for target, digest in self._digests(what, self._answered(what, empty)):
                if digest:
                    yield f"{what} {target}".rstrip()

    def _digests(self, what: str, targets: Iterable[str]) -> Iterator[tuple[str, str]]:
        """What the answers are about, with their digests as they are now."""
        known, text_of = self._known.setdefault(what, {}), self._text_of(what)
        for target in targets:
            digest = known.get(target)
            if digest is None:
                text = text_of(target)
                digest = known[target] = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest() if len(text) > SHORT else text
            yield target, digest

    def _answered(self, what: str, targets: Iterable[str]) -> Iterable[str]:
        """Those of the targets about which there can be an answer: most records have no problem, and most have no rank."""
        publication = self.publication
        if what == "source":
            return [path for path in targets if path not in publication.source_paths]
        if what == "problems":
            known: Container[str] = publication.problems_of
        elif what in ("order", "state"):
            known = publication.order.rows
        elif what == "named":
            known = publication.mentioned_by
        elif what == "around" and isinstance(around := publication.providers.get("surroundings"), Surroundings):
            known = around
        else:
            return targets
        return [target for target in targets if not target or target in known]

    def _text_of(self, what: str) -> Callable[[str], str]:
        """What gives a text that is another one whenever the answer of this kind is; empty for the most common one."""
        own: dict[str, Callable[[str], str]] = {
            "problems": self._problems, "order": self._order, "state": self._state, "source": self._source, "sources": self._sources, "named": self._named
        }  # fmt: skip
        return own[what] if what in own else text_of(self.publication.providers.get("surroundings" if what == "around" else what))

    def _problems(self, target: str) -> str:
        problems = self.publication.problems_of.get(target, ()) if target else self.publication.problems
        return _text(pack(problems) if problems else None)  # as they are kept: how a code is repaired is not

    def _order(self, target: str) -> str:
        rows = self.publication.order.rows
        if not target:
            return " ".join([digest for _, digest in self._digests("order", rows)])
        return repr(tuple(rows[target])) if target in rows else ""

    def _state(self, target: str) -> str:
        row = self.publication.order.rows.get(target)
        return row.state if row is not None else ""

    def _source(self, target: str) -> str:
        return "" if target in self.publication.source_paths else "none"

    def _sources(self, _: str) -> str:
        return _text(sorted(self.publication.source_paths))

    def _named(self, target: str) -> str:
        return " ".join([entry.id for entry in self.publication.mentioned_by.get(target, ())])


def text_of(provider: Provider | None) -> Callable[[str], str]:
    """What gives a text that is another one whenever the answer of a provider is: it knows one that costs less than the answer, or it is the answer as a text."""
    if provider is None:
        return lambda _: ""
    known: Callable[[str], str] | None = getattr(provider, "text", None)
    return known or (lambda target: _text(provider(target)))


def _text(found: object) -> str:
    return repr(found) if found else ""


def _by_kind(names: Iterable[str]) -> dict[str, list[str]]:
    """What is asked about by the names of answers, by the kind of answer."""
    found: dict[str, list[str]] = {}
    for name in names:
        what, _, target = name.partition(" ")
        found.setdefault(what, []).append(target)
    return found


class Notes:
    """What one page looks at."""

    def __init__(self, answers: Answers) -> None:
        self.recorder = Recorder(answers.publication.registry)
        self.answers = answers
        self.values: dict[str, None] = {}

    def value(self, name: str) -> None:
        """Note an answer by its name."""
        self.values[name] = None

    @property
    def looks(self) -> list[str]:
        """Everything that was looked at, what was computed with the mark of an answer."""
        return [*self.recorder.looks, *(f"{ANSWER}{name}" for name in self.values)]


class Noted(Mapping[str, V]):
    """A mapping that notes each name that is looked up, and that it was walked through as a whole."""

    def __init__(self, behind: Mapping[str, V], note: Callable[[str], None]) -> None:
        self.behind, self.note = behind, note

    def __getitem__(self, name: str) -> V:
        self.note(name)
        return self.behind[name]

    def __iter__(self) -> Iterator[str]:
        self.note("")
        return iter(self.behind)

    def __len__(self) -> int:
        self.note("")
        return len(self.behind)


class NotedPaths(Set[str]):
    """A set of paths that notes which ones are looked for, and that it was walked through as a whole."""

    def __init__(self, behind: Set[str], note: Callable[[str], None]) -> None:
        self.behind, self.note = behind, note

    def __contains__(self, path: object) -> bool:
        self.note(f"source {path}")
        return path in self.behind

    def __iter__(self) -> Iterator[str]:
        self.note("sources")
        return iter(self.behind)

    def __len__(self) -> int:
        self.note("sources")
        return len(self.behind)


class NotedProviders(Mapping[str, Provider]):
    """What other stages computed, each behind a note of what its answers depend on. One is made when it is asked for: a page asks for few."""

    def __init__(self, behind: Mapping[str, Provider], make: Callable[[str, Provider], Provider]) -> None:
        self.behind, self.make = behind, make
        self._made: dict[str, Provider] = {}

    def __getitem__(self, name: str) -> Provider:
        if name not in self._made:
            self._made[name] = self.make(name, self.behind[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.behind)

    def __len__(self) -> int:
        return len(self.behind)


class NotedOrder(Order):
    """An order of work that notes the rows that are looked up; what walks through it depends on all."""

    def __init__(self, behind: Order, note: Callable[[str], None]) -> None:
        super().__init__(cast(Any, Noted(behind.rows, note)), behind.network)


class Watched(Publication):
    """A publication behind which another one stands; its notes say what was looked at."""

    behind: Publication
    notes: Notes
    inputs: Inputs

    def __init__(self, behind: Publication, notes: Notes, inputs: Inputs, pieces: Keeper | None = None) -> None:
        """`inputs` are shared by all pages."""
        notes.recorder.rests_on = partial(rests_on, inputs)
        # One is made for each of thousands of pieces: what most do not ask for is made when it is asked for.
        made = {"settings": behind.settings, "registry": notes.recorder, "problems": behind.problems, "addresses": behind.addresses, "workbook": behind.workbook, "pieces": pieces}
        self.__dict__.update(made, behind=behind, notes=notes, inputs=inputs)

    @cached_property
    def order(self) -> Order:
        return NotedOrder(self.behind.order, lambda name: self.notes.value(f"order {name}".strip()))

    @cached_property
    def providers(self) -> Mapping[str, Provider]:
        return NotedProviders(self.behind.providers, partial(_provider, self.notes, self.inputs, Judge(self.notes.recorder, Path())))

    def at(self, page: str) -> PageContext:
        return WatchedContext(self, page)

    @property
    def problems_of(self) -> Mapping[str, tuple[Problem, ...]]:
        return Noted(self.behind.problems_of, lambda name: self.notes.value(f"problems {name}".strip()))

    @property
    def mentioned_by(self) -> Mapping[str, tuple[Entry, ...]]:
        return Noted(self.behind.mentioned_by, self._note_named)

    @property
    def source_paths(self) -> Set[str]:
        return NotedPaths(self.behind.source_paths, self.notes.value)

    def _note_named(self, name: str) -> None:
        self.notes.value(f"named {name}")
        self.notes.recorder.note(entry.id for entry in self.behind.mentioned_by.get(name, ()))


@dataclass(frozen=True)
class WatchedContext(PageContext):
    """The context of a page of a watched publication."""

    publication: Watched

    def _with_figures(self, text: str) -> str:
        if "{{" in text:
            self.registry.for_figures(text)
        return super()._with_figures(text)

    def computed(self, kind: str, target: str) -> Any:
        if kind == "state":  # a rank changes more often than a state does
            self.publication.notes.value(f"state {target}")
            return self.publication.behind.at(self.page).computed(kind, target)
        return super().computed(kind, target)


def rests_on(inputs: Inputs, of: Entry | str) -> list[Look]:
    """What the figures of an entry, or those that a text cites, rest on."""
    if isinstance(of, str):
        return inputs.looks_of(of)
    return [*inputs.looks(of), *(FIGURES if of.kind.name in ("measurement", "claim") else ())]


def _judged(name: str, recorder: Recorder, judge: Judge) -> Provider:
    """What executions say, by a judge that looks at records through the recorder."""
    if name in ("evidence", "gates"):
        return judge.of if name == "evidence" else judge.gates
    from kvdocs.failure_rates import gate_worths_of, rates_of

    answer = rates_of if name == "rates" else gate_worths_of
    return lambda record_id: answer(recorder.entries[record_id], judge)


def _provider(notes: Notes, inputs: Inputs, judge: Judge, name: str, provider: Provider) -> Provider:
    """A provider that notes what its answer depends on."""
    recorder = notes.recorder

    def noting(looks: Callable[[Entry], Iterable[str]], record_id: str) -> Any:
        entry = recorder.get(record_id)
        if entry is not None:
            recorder.note(looks(entry))
        return provider(record_id)

    def by_digest(record_id: str) -> Any:
        notes.value(f"{'around' if name == 'surroundings' else name} {record_id}".rstrip())
        return provider(record_id)

    def everything(record_id: str) -> Any:
        recorder.note([ALL])
        return provider(record_id)

    if name in JUDGED:
        return _judged(name, recorder, judge)
    if name in ("figures", "basis", "charts", "cited"):
        return partial(noting, partial(rests_on, inputs))
    return by_digest if name in ("surroundings", "history") else everything
