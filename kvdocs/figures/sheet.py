"""Sheets: a measurement as data for computing, without anything else that its record says."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

from kvdocs.figures.names import Key

Number = int | Decimal

Direction = Literal["higher", "lower", "neither"]
Centre = Literal["mean", "median"]


class Column(NamedTuple):
    """A column: `exact` numbers stand for themselves; `compute` is the formula of a derived column, `relative_to` its denominator in words.

    `decimals` is how many places after the point are printed when nothing else says so; `centre` is what several samples stand for.
    """

    name: str
    unit: str = "1"
    title: str = ""
    exact: bool = False
    compute: str | None = None
    relative_to: str | None = None
    better: Direction = "neither"
    decimals: int | None = None
    centre: Centre = "mean"

    @property
    def signed(self) -> bool:
        """Whether a plus belongs before the figure: it is a gain or a loss relative to something."""
        return self.relative_to is not None and self.better != "neither"


class Cell(NamedTuple):
    """What was written in a cell: a value, or samples (one per process), or neither; and what was published for it.

    `at_least`: the value is a lower bound.
    """

    value: Number | None = None
    samples: tuple[Number, ...] = ()
    published: Number | None = None
    at_least: bool = False

    @property
    def is_input(self) -> bool:
        return self.value is not None or bool(self.samples)


class Sheet(NamedTuple):
    """A measurement: columns by name and rows by key. `key` is the column that names the rows.

    `noise_floor` names measurements with replicated arms on the same machine; their pooled spread serves where the own samples are few.
    """

    id: str
    key: str
    columns: Mapping[str, Column]
    rows: Mapping[Key, Mapping[str, Cell]]
    noise_floor: tuple[str, ...] = ()
