"""Formulas: the text of an expression and the names it may use -> a quantity, or an error with its place in the text.

simpleeval evaluates; of its language only this remains:
numbers (exact, with their digits), + - * / and whole powers, the functions below, and references to cells:
`column` (this row), `M3.column` (the same row there), `M3.column[16384]` (that row), `M3.column[:]` (every row).
There are no attributes of objects, no comparisons, no text but row keys and the arguments of `count`, and no way out of the data.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, Protocol

from simpleeval import SimpleEval

from kvdocs.figures.interval import UndefinedError, written
from kvdocs.figures.quantity import MixedUnitsError, Quantity, exact, largest, mean, smallest, total
from kvdocs.problems import did_you_mean

MAX_LENGTH = 400
MAX_DEPTH = 30
MAX_DIGITS = 40
"""Limits that no honest formula meets."""

Key = int | str
"""The key of a row, as the row writes it."""

Fault = Literal["form", "name", "units", "undefined", "absent", "blocked", "cycle"]
"""What kind of error: the text is not a formula; a name is unknown; dimensions differ; there is no result;
a cell is empty; a cell that is needed has an error of its own; a formula needs itself."""


class FormulaError(Exception):
    """Why a formula has no value: a sentence, the offset in its text (from 0), and a hint."""

    def __init__(self, message: str, offset: int = 0, hint: str | None = None, fault: Fault = "form") -> None:
        super().__init__(message)
        self.message, self.offset, self.hint, self.fault = message, offset, hint, fault

    def __repr__(self) -> str:
        return f"FormulaError({self.message!r}, offset={self.offset}, hint={self.hint!r}, fault={self.fault!r})"


class ScopeError(Exception):
    """A scope cannot give what a formula names. The evaluator adds the place."""

    def __init__(self, message: str, hint: str | None = None, fault: Fault = "name") -> None:
        super().__init__(message)
        self.message, self.hint, self.fault = message, hint, fault


@dataclass(frozen=True, slots=True)
class Reference:
    """A cell that a formula names: `row` is its key, None for the row of the formula; `whole` means every row."""

    measurement: str | None
    column: str
    row: Key | None = None
    whole: bool = False

    def __str__(self) -> str:
        key = "[:]" if self.whole else "" if self.row is None else f"[{self.row!r}]"
        return (f"{self.measurement}." if self.measurement else "") + self.column + key


class Scope(Protocol):
    """What a formula may name."""

    def resolve(self, reference: Reference) -> Quantity | tuple[Quantity, ...]:
        """The quantity of a cell, or those of a whole column; ScopeError when there is none."""

    def count(self, kind: str, where: Mapping[str, str]) -> int:
        """How many records of a kind have these fields; ScopeError when there is no such kind or field."""


def evaluate(expression: str, scope: Scope) -> Quantity:
    """The value of a formula. FormulaError says what is wrong and where; nothing else is raised."""
    evaluator = _idle.pop() if _idle else _Evaluator()
    evaluator.scope = scope
    try:
        value = evaluator.evaluate(expression)
    except RecursionError:
        raise FormulaError("the formula, with those that it leans on, is nested too deep") from None
    finally:
        _idle.append(evaluator)
    if isinstance(value, Quantity):
        return value
    raise FormulaError("the formula gives a whole column", 0, _WHOLE_HINT)


def references(expression: str) -> tuple[Reference, ...]:
    """The cells that a formula names, in the order of the text, each once; FormulaError when it cannot be read."""
    tree = parse(expression)
    return tuple(dict.fromkeys(_reference(node, expression) for node in _outermost_references(tree)))


@lru_cache(maxsize=1024)
def parse(expression: str) -> ast.expr:
    """The syntax tree of a formula, which nobody changes; refused are other texts, long ones and deep ones."""
    if len(expression) > MAX_LENGTH:
        raise FormulaError(f"the formula is longer than {MAX_LENGTH} characters", MAX_LENGTH)
    # A line break inside a formula means nothing; a blank keeps all offsets as they are.
    text = re.sub(r"[\r\n\t]", " ", expression)
    start = len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        raise FormulaError("the formula is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        where = start + _char_offset(text, (error.offset or len(text) + 1) - 1)
        message = error.msg if error.msg and "forgot a comma" not in error.msg else "the formula cannot be read here"
        raise FormulaError(f"not a formula: {message}", max(0, min(where, len(expression)))) from None
    except (RecursionError, MemoryError, ValueError):
        raise FormulaError("the formula cannot be read") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            node.col_offset = start + _char_offset(text, node.col_offset)
            node.end_col_offset = start + _char_offset(text, node.end_col_offset or 0)
    _limit_depth(tree)
    return tree


def _char_offset(text: str, byte_offset: int) -> int:
    """Python counts columns in bytes of UTF-8."""
    return byte_offset if text.isascii() else len(text.encode()[:byte_offset].decode(errors="ignore"))


def _limit_depth(tree: ast.expr) -> None:
    todo: list[tuple[ast.AST, int]] = [(tree, 1)]
    while todo:
        node, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise FormulaError(f"the formula is nested more than {MAX_DEPTH} deep", getattr(node, "col_offset", 0))
        todo += [(child, depth + isinstance(child, ast.expr)) for child in ast.iter_child_nodes(node)]


_WHOLE_HINT = "take one row of it, such as `M3.gain[4096]`, or one of min, max, mean, sum, count"

_ONE: Mapping[str, Callable[[Quantity], Quantity]] = {"abs": abs, "sqrt": Quantity.sqrt, "log": Quantity.log, "exp": Quantity.exp}
_MANY: Mapping[str, Callable[[Sequence[Quantity]], Quantity]] = {
    "min": smallest, "max": largest, "mean": mean, "sum": total, "count": lambda several: exact(len(several)),
}  # fmt: skip
FUNCTIONS = (*_ONE, *_MANY)

_OPERATORS: dict[type[ast.AST], Callable[..., Quantity]] = {
    ast.Add: Quantity.__add__, ast.Sub: Quantity.__sub__, ast.Mult: Quantity.__mul__, ast.Div: Quantity.__truediv__,
    ast.Pow: Quantity.__pow__, ast.USub: Quantity.__neg__, ast.UAdd: lambda quantity: quantity,
}  # fmt: skip


class _Evaluator(SimpleEval):  # type: ignore[misc]  # simpleeval has no types
    """simpleeval with fewer kinds of node, and with the place of the node that failed."""

    scope: Scope

    def __init__(self) -> None:
        super().__init__(operators=_OPERATORS, functions={}, names={})
        self.nodes = {
            ast.UnaryOp: self._eval_unaryop, ast.BinOp: self._eval_binop, ast.Call: self._eval_call, ast.Constant: self._eval_constant,
            ast.Name: self._eval_reference, ast.Attribute: self._eval_reference, ast.Subscript: self._eval_reference,
        }  # fmt: skip

    def evaluate(self, expression: str) -> Any:
        tree = parse(expression)
        self.expr = expression
        return self._eval(tree)

    def _eval(self, node: Any) -> Any:
        if type(node) not in self.nodes:
            raise FormulaError(f"a formula cannot have {_name_of(node)}", node.col_offset)
        try:
            return super()._eval(node)
        except MixedUnitsError as error:
            raise FormulaError(str(error), self._blamed(node), fault="units") from None
        except UndefinedError as error:
            raise FormulaError(str(error), self._blamed(node), fault="undefined") from None
        except ScopeError as error:
            raise FormulaError(error.message, node.col_offset, error.hint, error.fault) from None

    def _eval_constant(self, node: ast.Constant) -> Quantity:
        """A number is exactly what its digits say: Python's float would change `0.1`."""
        if isinstance(node.value, (bool, complex)) or not isinstance(node.value, (int, float)):
            raise FormulaError(f"a formula has numbers, and no {type(node.value).__name__}", node.col_offset)
        digits = self.expr[node.col_offset : node.end_col_offset]
        if len(digits) > MAX_DIGITS:
            raise FormulaError(f"a number has at most {MAX_DIGITS} characters", node.col_offset)
        if not re.fullmatch(r"[0-9]*\.?[0-9]*([eE][-+]?[0-9]+)?", digits):
            raise FormulaError(f"a number is written with decimal digits, not {digits!r}", node.col_offset)
        return exact(Fraction(written(Decimal(digits), exact=True).low))

    def _eval_unaryop(self, node: ast.UnaryOp) -> Quantity:
        return self._operator(node)(self._single(node.operand))

    def _eval_binop(self, node: ast.BinOp) -> Quantity:
        return self._operator(node)(self._single(node.left), self._single(node.right))

    def _operator(self, node: ast.UnaryOp | ast.BinOp) -> Callable[..., Quantity]:
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            raise FormulaError(f"a formula cannot have {_name_of(node.op)}", self._blamed(node), "there are + - * / and **")
        return operator

    def _blamed(self, node: ast.expr) -> int:
        """Where a calculation failed: at the divisor of a division, else at the operator or the function."""
        if not isinstance(node, ast.BinOp):
            return node.col_offset
        if isinstance(node.op, ast.Div):
            return node.right.col_offset
        between = self.expr[node.left.end_col_offset : node.right.col_offset]
        return (node.left.end_col_offset or 0) + len(between) - len(between.lstrip(" )\n\r\t"))

    def _single(self, node: ast.expr) -> Quantity:
        value = self._eval(node)
        if isinstance(value, Quantity):
            return value
        raise FormulaError("a whole column stands where one number is needed", node.col_offset, _WHOLE_HINT)

    def _eval_call(self, node: ast.Call) -> Quantity:
        if not isinstance(node.func, ast.Name):
            raise FormulaError("only the functions of formulas can be called", node.col_offset, f"there are {', '.join(FUNCTIONS)}")
        name = node.func.id
        if name not in FUNCTIONS:
            raise FormulaError(f"there is no function {name!r}", node.col_offset, did_you_mean(name, FUNCTIONS) or f"there are {', '.join(FUNCTIONS)}")
        if name == "count" and node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            return self._count_records(node)
        if node.keywords:
            raise FormulaError(f"{name} has no argument with a name", node.keywords[0].value.col_offset)
        if name in _ONE:
            if len(node.args) != 1:
                raise FormulaError(f"{name} takes one number, not {len(node.args)}", node.col_offset)
            return _ONE[name](self._single(node.args[0]))
        values = [one for argument in node.args for one in _several(self._eval(argument))]
        if not values:
            raise FormulaError(f"{name} takes at least one number", node.col_offset)
        return _MANY[name](values)

    def _count_records(self, node: ast.Call) -> Quantity:
        if len(node.args) > 1:
            raise FormulaError("count takes one kind of record", node.args[1].col_offset, "count('defect', status='confirmed')")
        where = {}
        for keyword in node.keywords:
            if keyword.arg is None or not isinstance(keyword.value, ast.Constant) or not isinstance(keyword.value.value, str):
                raise FormulaError("count compares fields with texts", keyword.value.col_offset, "count('defect', status='confirmed')")
            where[keyword.arg] = keyword.value.value
        kind = node.args[0]
        assert isinstance(kind, ast.Constant)
        return exact(self.scope.count(str(kind.value), where))

    def _eval_reference(self, node: ast.expr) -> Quantity | tuple[Quantity, ...]:
        return self.scope.resolve(_reference(node, self.expr))


_idle: list[_Evaluator] = []
"""Evaluators that nobody uses: making one costs as much as a small formula, and formulas that lean on others need several at once."""


def _several(value: Quantity | tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    return (value,) if isinstance(value, Quantity) else value


def _reference(node: ast.expr, expression: str) -> Reference:
    if isinstance(node, ast.Subscript):
        inner = _reference(node.value, expression)
        if inner.row is not None or inner.whole:
            raise FormulaError("a cell has one row", node.slice.col_offset)
        return Reference(inner.measurement, inner.column, *_row(node.slice))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return Reference(_plain(node.value.id, node), _plain(node.attr, node))
    if isinstance(node, ast.Name):
        return Reference(None, _plain(node.id, node))
    raise FormulaError("only a column of a measurement can be named", node.col_offset, "such as `M3.gain` or `M3.gain[16384]`")


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


def _outermost_references(tree: ast.expr) -> Iterator[ast.expr]:
    todo: list[ast.AST] = [tree]
    found: list[ast.expr] = []
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            found.append(node)
        elif isinstance(node, ast.Call):
            todo += node.args
        else:
            todo += ast.iter_child_nodes(node)
    return iter(sorted(found, key=lambda node: node.col_offset))


_NODE_NAMES = {
    "Compare": "a comparison", "BoolOp": "and, or", "Lambda": "a function of its own", "IfExp": "if", "Dict": "a mapping", "Set": "a set",
    "List": "a list", "Tuple": "a comma outside a function", "ListComp": "a loop", "SetComp": "a loop", "DictComp": "a loop", "GeneratorExp": "a loop",
    "Await": "await", "Yield": "yield", "NamedExpr": "an assignment", "JoinedStr": "a text", "Starred": "a star", "FloorDiv": "the operator //",
    "Mod": "the operator %", "MatMult": "the operator @", "BitXor": "the operator ^", "BitOr": "the operator |", "BitAnd": "the operator &",
    "LShift": "the operator <<", "RShift": "the operator >>", "Invert": "the operator ~", "Not": "not",
}  # fmt: skip


def _name_of(node: ast.AST) -> str:
    return _NODE_NAMES.get(type(node).__name__, type(node).__name__)
