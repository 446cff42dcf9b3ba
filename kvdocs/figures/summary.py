"""What a measurement and a claim come to: the values that pages and commands show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from kvdocs.figures.claims import Judgement
from kvdocs.figures.comparison import Comparison
from kvdocs.figures.names import Key
from kvdocs.figures.table import CellName, Figure, Reproduction, Table


class ArmComparison(NamedTuple):
    """Arm `b` against arm `a` in one row."""

    row: Key
    a: str
    b: str
    result: Comparison


class InvalidArm(NamedTuple):
    """An arm whose samples spread more than the noise floor allows: `ratio` times its spread, where `limit` times is the most."""

    name: CellName
    ratio: float
    limit: float


class MeasurementFigures(NamedTuple):
    """All that is computed for a measurement; `claims` are those that read one of its cells, `bases` says what each figure rests on.

    `words` are the cells that hold words, and `order` the arms as they ran, both as the record or the executions have them.
    """

    table: Table
    comparisons: tuple[ArmComparison, ...]
    claims: tuple[Judgement, ...]
    bases: Mapping[CellName, str]
    words: Mapping[tuple[Key, str], str]
    order: tuple[str, ...]

    @property
    def published(self) -> tuple[Figure, ...]:
        """The figures for which something was published, row by row."""
        return tuple(figure for figure in self.table.figures() if figure.cell.published is not None)

    @property
    def reproduction(self) -> Mapping[Reproduction, int]:
        """How many published figures came out how; only what occurs."""
        return Counter(figure.reproduction for figure in self.published if figure.reproduction is not None)
