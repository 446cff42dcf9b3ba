"""Ledger: the records of measurements and claims -> everything that is computed from them.

A workbook of figures, the verdict of each claim, comparisons of arms, and what depends on a cell: other cells, claims and sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from kvdocs.basis import Typed, basis
from kvdocs.entry import Entry
from kvdocs.figures.citations import Citation, citations, cite
from kvdocs.figures.claims import Claim as ClaimData
from kvdocs.figures.claims import Judgement, Verdict, all_rows, judge, relation_of, surely_holds
from kvdocs.figures.comparison import THRESHOLD, compare_arms
from kvdocs.figures.interval import UndefinedError
from kvdocs.figures.names import FormulaError, Key, ScopeError
from kvdocs.figures.sheet import Cell, Column, Sheet
from kvdocs.figures.spread import invalid_ratio, is_invalid, pooled_spread
from kvdocs.figures.summary import ArmComparison, InvalidArm, MeasurementFigures
from kvdocs.figures.table import CellName, Figure, Table
from kvdocs.figures.workbook import Workbook
from kvdocs.filled import filled
from kvdocs.gathered import gatherer
from kvdocs.kinds.claim import Claim
from kvdocs.kinds.measurement import TEXT, MeasuredCell, Measurement
from kvdocs.model import Loc, formula_fields, prose_fields
from kvdocs.problems import did_you_mean
from kvdocs.registry import Registry

V = TypeVar("V")


class CitedIn(NamedTuple):
    """A citation and the text that it stands in, with the record and the field."""

    record: str
    loc: Loc
    text: str
    citation: Citation


class Dependents(NamedTuple):
    """What changes when a cell does: other cells, claims by id, the fields of records that cite one of them,
    charts by measurement and title, comparisons by measurement and row.

    `pools` are measurements whose noise floor a sample of the cell belongs to: the cell changes no figure of theirs, but how sure they are.
    """

    cells: tuple[CellName, ...]
    claims: tuple[str, ...]
    citations: tuple[CitedIn, ...]
    charts: tuple[tuple[str, str], ...] = ()
    comparisons: tuple[tuple[str, Key], ...] = ()
    pools: tuple[str, ...] = ()


class OnDemand(Mapping[str, V]):
    """Values by id, each made when it is first asked for."""

    def __init__(self, ids: Iterable[str], make: Callable[[str], V]) -> None:
        self._ids, self._make = dict.fromkeys(ids), make
        self._known: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        if name not in self._known:
            if name not in self._ids:
                raise KeyError(name)
            self._known[name] = self._make(name)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class Ledger:
    """All figures of a registry, each computed when it is first asked for."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._tables: dict[str, Table] = {}
        self._figures: dict[str, MeasurementFigures] = {}
        self._typed: dict[str, Typed] = {}
        self.measurements: Mapping[str, Measurement] = OnDemand([entry.id for entry in registry.of("measurement")], self._measurement)
        sheets = OnDemand(self.measurements, lambda name: sheet_of(self.measurements[name]))
        self.workbook = Workbook(sheets, self._count, registry.broken, gatherer(registry))

    def of(self, record_id: str) -> MeasurementFigures | Judgement | None:
        """What is computed for a record: the figures of a measurement, the judgement of a claim; None for others and where nothing can be computed."""
        if record_id in self.workbook.sheets:
            return self.figures(record_id)
        return self.judgements.get(record_id)

    def _measurement(self, name: str) -> Measurement:
        record = self.registry.record(name, Measurement)
        assert record is not None
        return filled(record, self.registry)[0]

    def table(self, measurement: str) -> Table:
        """The figures of a measurement that exists."""
        if measurement not in self._tables:
            self._tables[measurement] = self.workbook.table(measurement)
        return self._tables[measurement]

    def figures(self, measurement: str) -> MeasurementFigures:
        """The figures of a measurement that exists, its comparisons, and the claims that read its cells."""
        if measurement not in self._figures:
            self._figures[measurement] = self._all_of(measurement)
        return self._figures[measurement]

    def _all_of(self, measurement: str) -> MeasurementFigures:
        claims = tuple(self._claims_on.get(measurement, ()))
        table = self.table(measurement)
        bases = {figure.name: self.basis((figure.name,)) for figure in table.figures() if figure.quantity is not None}
        record = self.measurements[measurement]
        order = tuple(record.order) if isinstance(record.order, list) else ()
        return MeasurementFigures(table, self.comparisons(measurement), claims, bases, dict(_words(record)), order)

    def basis(self, cells: Iterable[CellName], results: Iterable[str] = ()) -> str:
        """What cells and executions rest on: `reported`, `executed`, both, or `counted`."""
        return basis(cells, results, self.workbook, self._what_types)

    def _what_types(self, measurement: str) -> Typed | None:
        record = self.registry.record(measurement, Measurement)
        if record is None:
            return None
        known = self._typed.get(measurement)
        if known is None or known.record is not record:
            known = self._typed[measurement] = Typed(record)
        return known

    def basis_of(self, record_id: str) -> str | None:
        """What the figures of a measurement, or the verdict of a claim, rest on; None for other records, and where nothing is computed."""
        if record_id in self.workbook.sheets:
            sheet = self.workbook.sheets[record_id]
            return self.basis(CellName(record_id, column, row) for row in sheet.rows for column in sheet.columns)
        judgement = self.judgements.get(record_id)
        return self.basis(judgement.cells, judgement.results) if judgement is not None and judgement.error is None else None

    @cached_property
    def judgements(self) -> Mapping[str, Judgement]:
        """The verdict of each claim that has an expression, by id."""
        claims = {record.id: record for record in self.registry.records("claim", Claim) if record.expression is not None}
        return OnDemand(claims, lambda name: self._judge(claims[name], str(claims[name].expression)))

    @cached_property
    def _claims_on(self) -> Mapping[str, list[Judgement]]:
        """The claims that read cells of a measurement, by its id."""
        found: dict[str, list[Judgement]] = {}
        for judgement in self.judgements.values():
            for measurement in dict.fromkeys(cell.measurement for cell in judgement.cells):
                found.setdefault(measurement, []).append(judgement)
        return found

    def comparisons(self, measurement: str) -> tuple[ArmComparison, ...]:
        """The comparisons that a measurement asks for, in each row that has samples of both arms."""
        record = self.measurements.get(measurement)
        if record is None:
            return ()
        table = self.table(measurement)
        return tuple(
            comparison
            for pair in record.comparisons
            for row in table.rows.values()
            if pair.a in row and pair.b in row
            for comparison in self._compare(record, row[pair.a], row[pair.b], THRESHOLD if pair.threshold is None else float(pair.threshold) / 100)
        )

    def invalid_arms(self, measurement: str) -> Iterator[InvalidArm]:
        """The arms whose samples spread more than the noise floor of the measurement allows."""
        for name in _cells_with(self.workbook.sheets[measurement], lambda cell: bool(cell.samples)):
            figure = self.workbook.figure(name)
            samples = [float(sample) for sample in figure.cell.samples]
            own = pooled_spread([samples])
            floor = self.workbook.noise_floor(measurement, figure.unit) if own is not None else None
            if own is not None and floor is not None and is_invalid(own.sd, len(samples), floor):
                yield InvalidArm(figure.name, own.sd / floor.sd, invalid_ratio(len(samples), floor.df))

    def published(self) -> Iterator[Figure]:
        """Every figure for which something was published, in the order of the record."""
        for measurement in self.workbook.sheets:
            yield from self.published_in(measurement)

    def published_in(self, measurement: str) -> Iterator[Figure]:
        """The figures of a measurement for which something was published, row by row."""
        return map(self.workbook.figure, _cells_with(self.workbook.sheets[measurement], lambda cell: cell.published is not None))

    @cached_property
    def citations(self) -> tuple[CitedIn, ...]:
        """Every figure that a text or a field of the record cites."""
        return tuple(cited for entry in self.registry if entry.extract.cites for cited in self.cited_in(entry))

    def cited_in(self, entry: Entry) -> tuple[CitedIn, ...]:
        """The figures that the texts of one record cite, then those that its fields name."""
        texts = (*prose_fields(entry.record), (("title",), entry.record.title))
        in_texts = [CitedIn(entry.id, loc, text, citation) for loc, text in texts for citation in citations(text, self.workbook)]
        return (*in_texts, *(CitedIn(entry.id, loc, text, cite(text, self.workbook)) for loc, text in formula_fields(entry.record, shown=True)))

    def dependents(self, cell: CellName) -> Dependents:
        """Everything that changes when this cell does."""
        cells = self.workbook.dependents(cell)
        touched = {cell, *cells}
        claims = tuple(name for name, judgement in self.judgements.items() if touched.intersection(judgement.cells))
        texts = tuple(cited for cited in self.citations if touched.intersection(cited.citation.cells))
        is_arm = bool(self.workbook.figure(cell).cell.samples)
        pools = tuple(sheet.id for sheet in self.workbook.sheets.values() if is_arm and cell.measurement in sheet.noise_floor)
        return Dependents(cells, claims, texts, tuple(self._charts(touched)), tuple(self._comparisons_of(touched)), pools)

    def _charts(self, touched: set[CellName]) -> Iterator[tuple[str, str]]:
        """The charts that show one of these cells."""
        for record in self.registry.records("measurement", Measurement):
            columns = {cell.column for cell in touched if cell.measurement == record.id}
            yield from ((record.id, chart.title) for chart in record.charts if columns.intersection(chart.columns))

    def _comparisons_of(self, touched: set[CellName]) -> Iterator[tuple[str, Key]]:
        """The comparisons of which one of these cells is an arm."""
        for name in dict.fromkeys(cell.measurement for cell in touched):
            yield from ((name, one.row) for one in self.comparisons(name) if not touched.isdisjoint((CellName(name, one.a, one.row), CellName(name, one.b, one.row))))

    def surely_holds(self, record: Claim) -> bool:
        """Whether a claim that has an expression is known to hold without its figures being computed; False means that its judgement has to be asked."""
        try:
            return surely_holds(self._data_of(record, str(record.expression)), self.workbook)
        except (FormulaError, UndefinedError):
            return False

    def _judge(self, record: Claim, expression: str) -> Judgement:
        try:
            return judge(self._data_of(record, expression), self.workbook)
        except (FormulaError, UndefinedError) as error:
            raised = error if isinstance(error, FormulaError) else FormulaError(str(error), fault="undefined")
            return Judgement(ClaimData(record.id, expression, relation_of(at_least=0), record.unit), Verdict.UNDECIDED, error=raised)

    def _data_of(self, record: Claim, expression: str) -> ClaimData:
        """A claim as data. FormulaError or UndefinedError when its rows or its numbers cannot be told."""
        relation = relation_of(record.equals, record.tolerance, record.at_most, record.at_least, record.between)
        rows: tuple[Key, ...] = all_rows(expression, self.workbook) if record.rows == "all" else tuple(record.rows)
        return ClaimData(record.id, expression, relation, record.unit, rows)

    def _compare(self, record: Measurement, a: Figure, b: Figure, threshold: float) -> Iterator[ArmComparison]:
        if not a.cell.samples or not b.cell.samples or min(*a.cell.samples, *b.cell.samples) <= 0:
            return
        result = compare_arms(
            [float(sample) for sample in a.cell.samples],
            [float(sample) for sample in b.cell.samples],
            better=b.column.better,
            floor=self.workbook.noise_floor(record.id, a.unit),
            threshold=threshold,
            order=record.order if isinstance(record.order, list) else None,
        )
        yield ArmComparison(a.name.row, a.name.column, b.name.column, result)

    def _count(self, kind: str, where: Mapping[str, str]) -> int:
        """How many records of a kind have these texts in these fields; in a list, one of its texts."""
        kinds = {k.name: k for k in self.registry.kinds}
        if kind not in kinds:
            raise ScopeError(f"there is no kind of record {kind!r}", did_you_mean(kind, kinds) or f"there are {', '.join(kinds)}")
        fields = kinds[kind].model.model_fields
        for name in where:
            if name not in fields:
                raise ScopeError(f"{kind} has no field {name!r}", did_you_mean(name, fields))
        return sum(all(_has(getattr(entry.record, name), text) for name, text in where.items()) for entry in self.registry.of(kind))


def _cells_with(sheet: Sheet, has: Callable[[Cell], bool]) -> Iterator[CellName]:
    """The cells of a sheet with something written in them that the function looks for, row by row."""
    for row, cells in sheet.rows.items():
        yield from (CellName(sheet.id, name, row) for name in sheet.columns if name in cells and has(cells[name]))


def ledger_of(registry: Registry, of: Entry | str | None = None) -> Ledger:
    """The ledger of a registry; the same one for the same registry, so that nothing is computed twice.

    `of` tells for which entry or text figures are wanted, when it is not for all.
    """
    return _ledger_of(registry.for_figures(of))


@lru_cache(maxsize=4)
def _ledger_of(registry: Registry) -> Ledger:
    return Ledger(registry)


def _has(value: object, text: str) -> bool:
    return text in value if isinstance(value, list) else str(value) == text


def sheet_of(record: Measurement) -> Sheet:
    """A measurement as data for computing. Rows without a key and cells that hold words are left out; `check` reports them."""
    columns = {
        column.name: Column(column.name, column.unit, column.title, column.exact, column.compute, column.relative_to, column.better, column.decimals, column.centre)
        for column in record.columns
        if column.unit != TEXT or column.name == record.key
    }
    if record.key in columns and columns[record.key].unit == TEXT:
        columns[record.key] = Column(record.key, "1", columns[record.key].title)
    rows: dict[Key, Mapping[str, Cell]] = {}
    for row in record.rows:
        key = row.get(record.key)
        if isinstance(key, (int, str)) and key not in rows:
            rows[key] = {name: cell for name, written in row.items() if name in columns and (cell := _cell(written)) is not None}
    return Sheet(record.id, record.key, columns, rows, tuple(record.noise_floor))


def _words(record: Measurement) -> Iterator[tuple[tuple[Key, str], str]]:
    """The cells of a measurement that hold words, by the key of the row and the name of the column."""
    names = [column.name for column in record.columns if column.unit == TEXT]
    for row in record.rows:
        key = row.get(record.key)
        yield from (((key, name), words) for name in names if isinstance(key, (int, str)) and isinstance(words := row.get(name), str))


def _cell(written: object) -> Cell | None:
    if isinstance(written, MeasuredCell):
        bounded = written.at_least is not None
        return Cell(written.at_least if bounded else written.value, tuple(written.samples), written.published, at_least=bounded)
    return None if isinstance(written, str) else Cell(written)  # type: ignore[arg-type]  # the model allows numbers only
