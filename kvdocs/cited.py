"""Figures that titles and fields of records cite: a formula in a record -> what it comes to.

Most records cite nothing; what computes figures is loaded only for those that do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kvdocs.entry import Entry
from kvdocs.kinds.experiment import Experiment
from kvdocs.kinds.item import Item
from kvdocs.model import Loc, Number, Record
from kvdocs.registry import Registry

if TYPE_CHECKING:
    from kvdocs.figures.field_figure import FieldFigure


def title_of(entry: Entry, registry: Registry) -> str:
    """The title of a record, as Markdown, with the figures that it cites."""
    return with_figures(entry.title, registry)


def with_figures(text: str, registry: Registry) -> str:
    """A text with each `{{ … }}` replaced by the figure that it cites; one that cannot be computed stays as it is."""
    if "{{" not in text:
        return text
    from kvdocs.figures.citations import cited
    from kvdocs.ledger import ledger_of

    return cited(text, ledger_of(registry, text).workbook)


def measured_payoff(item: Item, registry: Registry) -> Number:
    """The largest measured gain that an item brings itself, in percent; 0 when nothing was measured. A gain that is cited is the computed one."""
    measured = [(("payoffs", n), payoff) for n, payoff in enumerate(item.payoffs) if payoff.basis == "measured"]
    computed: Mapping[Loc, FieldFigure] = field_figures(item, registry) if any(payoff.figure for _, payoff in measured) else {}
    return max((_gain(computed.get(loc), payoff.gain) for loc, payoff in measured), default=0)


def gain_of(entry: Entry, registry: Registry) -> Number:
    """The largest measured gain that a record brings itself, in percent; 0 for what is no item. The record is looked at only where a gain is cited."""
    work = entry.work
    if work is not None and work.gain is not None:
        return work.gain
    return measured_payoff(entry.record, registry) if isinstance(entry.record, Item) else 0


def _gain(figure: FieldFigure | None, published: Number | None) -> Number:
    if figure is None or figure.value is None:
        return 0 if published is None else published
    from kvdocs.figures.numerals import rounded

    return rounded(figure.value, figure.decimals)


def field_figures(record: Record, registry: Registry) -> Mapping[Loc, FieldFigure]:
    """What the payoffs of an item, or the outcomes of an experiment, come to that name a figure; by their place in the record."""
    fields = [field for field in _fields(record) if field[1] is not None]
    if not fields:
        return {}
    from kvdocs.figures.field_figure import field_figure
    from kvdocs.ledger import ledger_of

    workbook = ledger_of(registry, registry.get(record.id)).workbook
    return {loc: field_figure(str(formula), unit, number, workbook) for loc, formula, unit, number in fields}


def typed_fields(record: Record) -> Iterator[tuple[Loc, Number, str]]:
    """The payoffs and outcomes that give a number and name no figure: the place of the number, the number, its unit."""
    names = {"payoffs": "gain", "outcomes": "value"}
    yield from (((*loc, names[str(loc[0])]), number, unit) for loc, formula, unit, number in _fields(record) if formula is None and number is not None)


_Field = tuple[Loc, str | None, str, Number | None]
"""The place of a payoff or outcome, its formula, its unit, and the number that it gives itself."""


def _fields(record: Record) -> Iterator[_Field]:
    if isinstance(record, Item):
        yield from ((("payoffs", n), payoff.figure, "%", payoff.gain) for n, payoff in enumerate(record.payoffs))
    elif isinstance(record, Experiment):
        yield from ((("outcomes", n), outcome.figure, outcome.unit, outcome.value) for n, outcome in enumerate(record.outcomes))
