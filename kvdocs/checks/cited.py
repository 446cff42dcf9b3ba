"""Checks of the figures that texts and fields cite, and of those that they type where they should cite them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kvdocs.checks.inputs import Inputs
from kvdocs.checks.text_place import place_in_text
from kvdocs.cited import field_figures, typed_fields
from kvdocs.entry import Entry
from kvdocs.kinds.item import BOUND_AS_MEASURED, Item
from kvdocs.kinds.measurement import CITATION_ERROR, FIGURE_TYPED, KIND, PUBLISHED_DIFFERS, PUBLISHED_UNDECIDED, Measurement
from kvdocs.kinds.probe import wrong_output_under
from kvdocs.memo import Recorder
from kvdocs.model import Loc, prose_fields
from kvdocs.problems import Problem
from kvdocs.registry import Registry

if TYPE_CHECKING:
    from kvdocs.figures.citations import Citation
    from kvdocs.figures.field_figure import FieldFigure
    from kvdocs.figures.table import CellName
    from kvdocs.figures.typed import TypedNumber
    from kvdocs.ledger import Ledger

QUOTING = ("claim", "reference", "result", "script", "environment", "owner", "probe")
"""Kinds whose texts are not about the figures of a measurement, or, as claims, give what was published."""

NOT_ABOUT = ("environment", "script", "probes", "noise_floor", "results", "sources", "source")
"""Fields by which a measurement and another record meet without the one being about the other."""


_PREFIX = KIND.prefix or ""


def check_cited(entry: Entry, registry: Recorder, inputs: Inputs) -> Iterator[Problem]:
    """Every citation gives a figure, every figure beside a citation is what it gives, and nothing is typed that a measurement has."""
    near = _measurements_near(entry, registry)
    if entry.cites or near:
        registry.note(inputs.looks(entry, near))
    if entry.cites:
        yield from _citations(entry, inputs.registry, registry)
    if near:
        yield from _typed(entry, near, inputs.registry)


def _citations(entry: Entry, registry: Registry, noted: Recorder) -> Iterator[Problem]:
    from kvdocs.ledger import ledger_of

    for cited in ledger_of(registry).cited_in(entry):
        yield from _error(entry, cited.loc, cited.text, cited.citation)
    for loc, figure in field_figures(entry.record, registry).items():
        yield from _bound(entry, loc, figure, ledger_of(registry), noted)
        if figure.error is not None and figure.error.fault == "units":
            yield Problem(CITATION_ERROR, f"{entry.id}: {figure.error.message}", entry.raw.place_of((*loc, "figure"), value=True), entry.id, figure.error.hint)
        elif figure.published is not None:
            yield from _beside(entry, loc, figure)


def _bound(entry: Entry, loc: Loc, figure: FieldFigure, ledger: Ledger, noted: Recorder) -> Iterator[Problem]:
    """A payoff that counts as measured although the program computed wrong output while its figure was measured."""
    if not isinstance(entry.record, Item) or entry.record.payoffs[int(loc[1])].basis != "measured":
        return
    read = [record for name in _behind(figure, ledger) if (record := noted.record(name, Measurement)) is not None]
    wrong = wrong_output_under([probe for record in read for probe in record.probes], [result for record in read for result in record.results], noted)
    if wrong:
        message = f"{entry.id}: {figure.expression} was measured under {', '.join(wrong)}, where the program's output is wrong"
        yield Problem(BOUND_AS_MEASURED, message, entry.raw.place_of((*loc, "basis"), value=True), entry.id, "write `basis: ceiling`: such a figure is a bound, and does not count for the rank")


def _behind(figure: FieldFigure, ledger: Ledger) -> dict[str, None]:
    """The measurements that a figure comes from, formulas followed back."""
    found: dict[CellName, None] = {}
    todo = list(figure.cells)
    while todo:
        cell = todo.pop()
        if cell not in found:
            found[cell] = None
            todo += ledger.workbook.figure(cell).inputs
    return dict.fromkeys(cell.measurement for cell in found)


def _error(entry: Entry, loc: Loc, text: str, citation: Citation) -> Iterator[Problem]:
    error = citation.error
    if error is not None and error.fault != "blocked":
        yield Problem(CITATION_ERROR, f"a citation in {entry.id}: {error.message}", place_in_text(entry.raw, loc, text, error.offset), entry.id, error.hint)


def _beside(entry: Entry, loc: Loc, figure: FieldFigure) -> Iterator[Problem]:
    """What a payoff or outcome publishes beside its citation."""
    from kvdocs.figures.table import Reproduction

    code = {Reproduction.DIFFERS: PUBLISHED_DIFFERS, Reproduction.UNDECIDED: PUBLISHED_UNDECIDED}.get(figure.reproduction) if figure.reproduction is not None else None
    if code is not None:
        name = "gain" if isinstance(entry.record, Item) else "value"
        label = figure.unit.label
        message = f"{entry.id}: {figure.published_text}{label} was published, and {figure.expression} is {figure.text}{label}"
        yield Problem(code, message, entry.raw.place_of((*loc, name), value=True), entry.id)


def _measurements_near(entry: Entry, registry: Registry) -> tuple[str, ...]:
    """The measurements whose figures the texts of a record are likely to be about: those that it names, and those that are about it."""
    if entry.kind.name in QUOTING:
        return ()
    names = [link.target for link in registry.links_from(entry.id) if link.loc[0] not in NOT_ABOUT]
    names += [back.entry.id for back in registry.links_to(entry.id) if back.link.loc[0] not in NOT_ABOUT]
    names += [word for _, word in entry.extract.mentions]
    own = [entry.id] if entry.kind.name == "measurement" else []
    return tuple(dict.fromkeys(name for name in (*own, *names) if name.startswith(_PREFIX) and registry.record(name, Measurement) is not None))


def _typed(entry: Entry, near: tuple[str, ...], registry: Registry) -> Iterator[Problem]:
    from kvdocs.figures.typed import typed_number, typed_numbers
    from kvdocs.ledger import ledger_of

    ledger = ledger_of(registry)
    for loc, number, unit in typed_fields(entry.record):
        yield from _problem(entry, loc, "", typed_number(str(number), unit), near, ledger)
    for loc, text in (*prose_fields(entry.record), (("title",), entry.record.title)):
        for typed in typed_numbers(text):
            yield from _problem(entry, loc, text, typed, near, ledger)


def _problem(entry: Entry, loc: Loc, text: str, typed: TypedNumber, near: tuple[str, ...], ledger: Ledger) -> Iterator[Problem]:
    from kvdocs.figures.typed import figure_of

    figure = next((found for name in near if (found := figure_of(typed, name, ledger.workbook)) is not None), None)
    if figure is not None:
        place = place_in_text(entry.raw, loc, text, typed.offset) if text else entry.raw.place_of(loc, value=True)
        how = f"`{{{{ {figure.name} }}}}`" if text else f"`figure: {figure.name}`"
        yield Problem(FIGURE_TYPED, f"{entry.id} types {typed.text.strip()}, which is what {figure.name} gives", place, entry.id, f"cite it: {how}")
