"""Formulas: the text of an expression and the names it may use -> a quantity, or an error with its place in the text.

simpleeval evaluates; of its language only this remains:
numbers (exact, with their digits), + - * / and whole powers, the functions below, and references to cells:
`column` (this row), `M3.column` (the same row there), `M3.column[16384]` (that row), `M3.column[:]` (every row),
and to what executions gave: `results('d8-q2-fa64', environment='h200').error` is the figure `error` of each execution of that script there.
There are no attributes of objects, no comparisons, no text but row keys and the arguments of `count`, and no way out of the data.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from simpleeval import SimpleEval

from kvdocs.figures.interval import UndefinedError, written
from kvdocs.figures.names import MAX_DIGITS, Executions, FormulaError, Reference, ScopeError, executions_of, is_executed, outermost_references, reference_of
from kvdocs.figures.quantity import MixedUnitsError, Quantity, exact, largest, mean, smallest, total
from kvdocs.problems import did_you_mean

MAX_LENGTH = 400
MAX_DEPTH = 30
"""Limits that no honest formula meets."""


class Scope(Protocol):
    """What a formula may name."""

    def resolve(self, reference: Reference) -> Quantity | tuple[Quantity, ...]:
        """The quantity of a cell, or those of a whole column; ScopeError when there is none."""

    def count(self, kind: str, where: Mapping[str, str]) -> int:
        """How many records of a kind have these fields; ScopeError when there is no such kind or field."""

    def executed(self, named: Executions) -> Quantity | tuple[Quantity, ...]:
        """What executions gave: all of them, or one where the scope stands in it; ScopeError when there is nothing."""


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


@lru_cache(maxsize=1024)
def references(expression: str) -> tuple[Reference, ...]:
    """The cells that a formula names, in the order of the text, each once; FormulaError when it cannot be read."""
    tree = parse(expression)
    return tuple(dict.fromkeys(reference_of(node, expression) for node in outermost_references(tree)))


@lru_cache(maxsize=1024)
def executions(expression: str) -> tuple[Executions, ...]:
    """The executions that a formula names, each once; FormulaError when it cannot be read."""
    nodes = sorted((node for node in ast.walk(parse(expression)) if is_executed(node)), key=lambda node: node.col_offset)  # type: ignore[attr-defined]  # all are expressions
    outermost = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    return tuple(dict.fromkeys(executions_of(node, expression) for node in nodes if isinstance(node, ast.Attribute) and id(node) not in outermost))


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
    for node in ast.walk(tree) if start or not text.isascii() else ():
        if isinstance(node, ast.expr):
            node.col_offset = start + _char_offset(text, node.col_offset)
            node.end_col_offset = start + _char_offset(text, node.end_col_offset or 0)
    if len(text) > MAX_DEPTH:  # each level takes a character at least
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


def constant(node: ast.Constant, expression: str) -> Fraction:
    """A number of a formula, exactly what its digits say: Python's float would change `0.1`. FormulaError or UndefinedError when it is no number to compute with."""
    if isinstance(node.value, (bool, complex)) or not isinstance(node.value, (int, float)):
        raise FormulaError(f"a formula has numbers, and no {type(node.value).__name__}", node.col_offset)
    digits = expression[node.col_offset : node.end_col_offset]
    if len(digits) > MAX_DIGITS:
        raise FormulaError(f"a number has at most {MAX_DIGITS} characters", node.col_offset)
    if not re.fullmatch(r"[0-9]*\.?[0-9]*([eE][-+]?[0-9]+)?", digits):
        raise FormulaError(f"a number is written with decimal digits, not {digits!r}", node.col_offset)
    return written(Decimal(digits), exact=True).low


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
        return exact(constant(node, self.expr))

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
        if name == "results":
            raise FormulaError("a figure belongs after results(…)", node.col_offset, "such as `results('d8-q2-fa64').error`")
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
        if is_executed(node):
            return self.scope.executed(executions_of(node, self.expr))
        return self.scope.resolve(reference_of(node, self.expr))


_idle: list[_Evaluator] = []
"""Evaluators that nobody uses: making one costs as much as a small formula, and formulas that lean on others need several at once."""


def _several(value: Quantity | tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    return (value,) if isinstance(value, Quantity) else value


_NODE_NAMES = {
    "Compare": "a comparison", "BoolOp": "and, or", "Lambda": "a function of its own", "IfExp": "if", "Dict": "a mapping", "Set": "a set",
    "List": "a list", "Tuple": "a comma outside a function", "ListComp": "a loop", "SetComp": "a loop", "DictComp": "a loop", "GeneratorExp": "a loop",
    "Await": "await", "Yield": "yield", "NamedExpr": "an assignment", "JoinedStr": "a text", "Starred": "a star", "FloorDiv": "the operator //",
    "Mod": "the operator %", "MatMult": "the operator @", "BitXor": "the operator ^", "BitOr": "the operator |", "BitAnd": "the operator &",
    "LShift": "the operator <<", "RShift": "the operator >>", "Invert": "the operator ~", "Not": "not",
}  # fmt: skip


def _name_of(node: ast.AST) -> str:
    return _NODE_NAMES.get(type(node).__name__, type(node).__name__)
