"""Views: every type that a template may meet. Plain, frozen, without reach into the registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from re import findall
from typing import NamedTuple, TypeVar, overload


class Md(str):
    """Text that is Markdown already; everything else is escaped where it is printed."""

    __slots__ = ()


class Line(Md):
    """Markdown that stands in one line already, as a cell of a table needs it."""

    __slots__ = ()


class Link(NamedTuple):
    """A link with an address relative to the page, or plain text when `href` is empty."""

    text: str
    href: str = ""
    title: str = ""


class Code(NamedTuple):
    """Text shown as code inside a line."""

    text: str


class Badge(NamedTuple):
    """A state in words, with a tone that gives its colour: good, bad, warn, wait, off, plain."""

    text: str
    tone: str = "plain"


Inline = str | Md | Link | Code | Badge
Cell = Inline | tuple[Inline, ...] | None
"""What a table cell or a fact holds; several values are joined by commas, None is a dash."""


INLINE = (str, Link, Code, Badge)
"""The types of one value: all but the first are tuples too."""


def values_in(cell: Cell) -> tuple[Inline, ...]:
    """The values of a cell: several, or the one that it is, or none."""
    return (cell,) if isinstance(cell, INLINE) else cell or ()


class Fact(NamedTuple):
    """A labelled value of a record."""

    label: str
    value: Cell


class Facts(NamedTuple):
    """Facts shown as a list of two columns."""

    facts: tuple[Fact, ...]


T_co = TypeVar("T_co", covariant=True)


class LaidOut(Sequence[T_co]):
    """Several things in one text that was laid out before. They are told apart only when somebody asks for one."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> T_co: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T_co, ...]: ...

    def __getitem__(self, index: int | slice) -> T_co | tuple[T_co, ...]:
        return tuple(self)[index]


class Lines(LaidOut[Line]):
    """The cells of a row that were laid out before: one text in which each ends its line."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def joined(self, between: str) -> str:
        """All cells with the same words between them."""
        return self.text[:-1].replace("\n", between)

    def __len__(self) -> int:
        return self.text.count("\n")

    def __iter__(self) -> Iterator[Line]:
        return map(Line, self.text.split("\n")[:-1])


Row = Sequence[Cell]
"""The cells of a row."""

ROW_END = b"\xff"
"""What ends a row among rows that were laid out before: a byte that no text in UTF-8 has."""


class Rows(LaidOut[Lines]):
    """Rows whose cells were laid out before, all in one text: in it each cell ends its line, and `ROW_END` each row."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def joined(self, before: str, between: str, behind: str) -> str:
        """All rows as one text: of each the cells with the same words between them, and others before and behind them."""
        cells = self.data.replace(b"\n" + ROW_END, ROW_END).replace(b"\n", between.encode()).split(ROW_END)
        return before + (behind + before).encode().join(cells[:-1]).decode() + behind if len(cells) > 1 else ""

    @property
    def cells(self) -> tuple[Line, ...]:
        """The cells of all rows."""
        return tuple(map(Line, self.data.replace(ROW_END, b"").decode().split("\n")[:-1]))

    def __len__(self) -> int:
        return self.data.count(ROW_END)

    def __iter__(self) -> Iterator[Lines]:
        return (Lines(row.decode()) for row in self.data.split(ROW_END)[:-1])


class Table(NamedTuple):
    """Rows under headings. `numeric` names the columns that are aligned to the right.

    `sortable` lets the page sort and filter it; `filters` names the columns that offer a choice of their values.
    `row_ids` gives each row an anchor; `name` is what the address calls the table when it keeps its state.
    `of_records` says that each row is a record: search finds the record itself, and passes the table by.
    """

    headings: tuple[str, ...]
    rows: Sequence[Row]
    numeric: frozenset[int] = frozenset()
    caption: str = ""
    sortable: bool = False
    row_ids: tuple[str, ...] = ()
    name: str = ""
    filters: frozenset[int] = frozenset()
    of_records: bool = False

    @property
    def choices(self) -> str:
        """The numbers of the columns that offer a choice, as text."""
        return " ".join(str(number) for number in sorted(self.filters))


def cells_of(rows: Sequence[Row]) -> Iterable[Cell]:
    """The cells of rows, one after the other."""
    return rows.cells if isinstance(rows, Rows) else chain.from_iterable(rows)


def in_rows(cells: Sequence[Cell], width: int) -> list[tuple[Cell, ...]]:
    """The cells of several rows, one after the other, as rows of this width."""
    return [tuple(cells[start : start + width]) for start in range(0, len(cells), width)]


class Prose(NamedTuple):
    """Paragraphs of Markdown."""

    text: Md


class CodeBlock(NamedTuple):
    """A command or an output; `marked` are the lines (from 1) that matter."""

    text: str
    language: str = ""
    title: str = ""
    marked: tuple[int, ...] = ()

    @property
    def fence(self) -> str:
        """A fence that is longer than every run of backticks in the text."""
        longest = max((len(run) for run in findall(r"`+", self.text)), default=0)
        return "`" * max(3, longest + 1)

    @property
    def marked_lines(self) -> str:
        """The numbers of the marked lines, as text."""
        return " ".join(str(number) for number in self.marked)


class Notice(NamedTuple):
    """A box: note, tip, warning, danger, success, question."""

    tone: str
    title: str
    text: Md = Md("")


class Items(NamedTuple):
    """A bulleted list, or a numbered one."""

    items: tuple[Cell, ...]
    numbered: bool = False


class Picture(NamedTuple):
    """An SVG drawn at build time, with words for those who do not see it."""

    svg: str
    text: str
    caption: str = ""


class Card(NamedTuple):
    """A number that leads somewhere: what is counted, how many, and where they are listed."""

    label: str
    value: str
    href: str = ""
    tone: str = "plain"


class Cards(NamedTuple):
    """Numbers side by side."""

    cards: tuple[Card, ...]


class Choice(NamedTuple):
    """A choice that filters every table of the page by the column with this heading."""

    heading: str


class Folded(NamedTuple):
    """Blocks under a line that opens and closes them."""

    title: str
    blocks: tuple[Prose | Facts | Table | CodeBlock | Items, ...]


Block = Prose | Facts | Table | CodeBlock | Notice | Items | Picture | Cards | Choice | Folded


class Section(NamedTuple):
    """A heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    anchor: str = ""


class RecordView(NamedTuple):
    """A record as its page shows it: the state, the facts on top, then sections in reading order."""

    lead: Md = Md("")
    state: Badge | None = None
    facts: tuple[Fact, ...] = ()
    sections: tuple[Section, ...] = ()
    notices: tuple[Notice, ...] = ()
