"""What a formula may name: cells of measurements and figures of executions; and the errors that a formula can have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

MAX_DIGITS = 40
"""No honest number or key of a row is longer."""

Key = int | str
"""The key of a row, as the row writes it."""

Fault = Literal["form", "name", "units", "undefined", "absent", "blocked", "cycle", "unexecuted"]
"""What kind of error: the text is not a formula; a name is unknown; dimensions differ; there is no result;
a cell is empty; a cell that is needed has an error of its own; a formula needs itself; nothing was executed that gives the figure."""

EMPTY: tuple[Fault, ...] = ("absent", "unexecuted")
"""The faults of a cell that is merely empty."""


class FormulaError(Exception):
    """Why a formula has no value: a sentence, the offset in its text (from 0), and a hint."""

    def __init__(self, message: str, offset: int = 0, hint: str | None = None, fault: Fault = "form") -> None:
        super().__init__(message)
        self.message, self.offset, self.hint, self.fault = message, offset, hint, fault

    @property
    def is_empty(self) -> bool:
        """Whether there is merely nothing to compute from, and nothing wrong."""
        return self.fault in EMPTY

    def __repr__(self) -> str:
        return f"FormulaError({self.message!r}, offset={self.offset}, hint={self.hint!r}, fault={self.fault!r})"


class ScopeError(Exception):
    """A scope cannot give what a formula names. The evaluator adds the place."""

    def __init__(self, message: str, hint: str | None = None, fault: Fault = "name") -> None:
        super().__init__(message)
        self.message, self.hint, self.fault = message, hint, fault


class Reference(NamedTuple):
    """A cell that a formula names: `row` is its key, None for the row of the formula; `whole` means every row."""

    measurement: str | None
    column: str
    row: Key | None = None
    whole: bool = False

    def __str__(self) -> str:
        key = "[:]" if self.whole else "" if self.row is None else f"[{self.row!r}]"
        return (f"{self.measurement}." if self.measurement else "") + self.column + key


class Executions(NamedTuple):
    """The executions that a formula names: `figure` is what each of them gave, a capture or a metric with its dotted name.

    `environment` and `commit` narrow them down; `unit` is that of a figure whose execution tells none.
    """

    script: str
    figure: str
    environment: str | None = None
    commit: str | None = None
    unit: str | None = None

    def __str__(self) -> str:
        narrowed = "".join(f", {name}={value!r}" for name in EXECUTION_ARGUMENTS if (value := getattr(self, name)) is not None)
        return f"results({self.script!r}{narrowed}).{self.figure}"


EXECUTION_ARGUMENTS = ("environment", "commit", "unit")


def reference_of(node: ast.expr, expression: str) -> Reference:
    if isinstance(node, ast.Subscript):
        inner = reference_of(node.value, expression)
        if inner.row is not None or inner.whole:
            raise FormulaError("a cell has one row", node.slice.col_offset)
        return Reference(inner.measurement, inner.column, *_row(node.slice))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return Reference(_plain(node.value.id, node), _plain(node.attr, node))
    if isinstance(node, ast.Name):
        return Reference(None, _plain(node.id, node))
    raise FormulaError("only a column of a measurement can be named", node.col_offset, "such as `M3.gain` or `M3.gain[16384]`")


def is_executed(node: ast.AST) -> bool:
    """Whether a node is `results(…)` with a name or several after it."""
    while isinstance(node, ast.Attribute):
        node = node.value
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id == "results"
    return False


def executions_of(node: ast.expr, expression: str) -> Executions:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, _plain(node.attr, node))
        node = node.value
    assert isinstance(node, ast.Call)
    hint = "such as `results('d8-q2-fa64', environment='h200').error`"
    if len(node.args) != 1 or not _is_text(node.args[0]):
        raise FormulaError("results takes the id of one script", (node.args[1] if len(node.args) > 1 else node).col_offset, hint)
    where: dict[str, str] = {}
    for keyword in node.keywords:
        if keyword.arg not in EXECUTION_ARGUMENTS or not _is_text(keyword.value):
            raise FormulaError(f"results is narrowed by texts for {', '.join(EXECUTION_ARGUMENTS)}", keyword.value.col_offset, hint)
        where[keyword.arg] = keyword.value.value  # type: ignore[attr-defined]  # it is a text
    return Executions(node.args[0].value, ".".join(names), **where)  # type: ignore[attr-defined]  # as above


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _plain(name: str, node: ast.expr) -> str:
    if name.startswith("_"):
        raise FormulaError(f"a name does not begin with an underscore: {name!r}", node.col_offset)
    return name


def _row(node: ast.expr) -> tuple[Key | None, bool]:
    if isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None:
        return None, True
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, str)) and not isinstance(node.value, bool) and len(str(node.value)) <= MAX_DIGITS:
        return node.value, False
    raise FormulaError("a row is named by its key", node.col_offset, "such as `[16384]`, `['async']`, or `[:]` for all")


def outermost_references(tree: ast.expr) -> Iterator[ast.expr]:
    todo: list[ast.AST] = [tree]
    found: list[ast.expr] = []
    while todo:
        node = todo.pop()
        if is_executed(node):
            continue
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            found.append(node)
        elif isinstance(node, ast.Call):
            todo += node.args
        else:
            todo += ast.iter_child_nodes(node)
    return iter(sorted(found, key=lambda node: node.col_offset))
