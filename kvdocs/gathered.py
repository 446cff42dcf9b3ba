"""What executions on record gave -> the figures that formulas read as `results('SCRIPT').FIGURE`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from kvdocs.figures.executed import ExecutedFigure, Gather
from kvdocs.figures.names import Executions, ScopeError
from kvdocs.figures.sheet import Number
from kvdocs.kinds.result import Result
from kvdocs.kinds.script import Script
from kvdocs.kinds.withdrawal import left_out
from kvdocs.problems import did_you_mean
from kvdocs.registry import Registry

WHOLE = ("passed", "failed", "signalled")
"""How an execution ended whose figures are whole; what was cut off or never began gives none."""


def gatherer(registry: Registry) -> Gather:
    """What formulas read of the executions of a registry. Those that were withdrawn or superseded, and those that were cut off, are left out."""
    return lambda named: tuple(_gather(named, registry))


def _gather(named: Executions, registry: Registry) -> Iterator[ExecutedFigure]:
    script = registry.record(named.script, Script)
    if script is None:
        raise ScopeError(f"there is no script {named.script!r}", did_you_mean(named.script, (e.id for e in registry.of("script"))))
    if named.environment is not None and not any(e.id == named.environment for e in registry.of("environment")):
        raise ScopeError(f"there is no environment {named.environment!r}", did_you_mean(named.environment, (e.id for e in registry.of("environment"))))
    results = executions_of(named, registry)
    found = [figure for result in results if (figure := _figure(named, result)) is not None]
    if not found:
        known = dict.fromkeys([*script.expect.captures, *(name for result in results for name in _names(result))])
        if results and named.figure not in known:
            raise ScopeError(f"no execution of {named.script} gives {named.figure!r}", did_you_mean(named.figure, known) or f"they give {', '.join(known) or 'no figures'}")
        gone = sum(bool(left_out(entry.id, registry)) for entry in registry.pointing_at(named.script, "result", "script"))
        told = f", but for {gone} execution{'s' if gone > 1 else ''} that {'were' if gone > 1 else 'was'} withdrawn" if gone else ""
        raise ScopeError(f"nothing was executed that gives {named}{told}", fault="unexecuted")
    yield from found


def executions_of(named: Executions, registry: Registry) -> list[Result]:
    """The executions that a formula names, oldest first as far as their times are known."""
    results = [result for result in registry.records("result", Result) if result.script == named.script]
    kept = [r for r in results if not left_out(r.id, registry) and r.outcome in WHOLE and named.environment in (None, r.environment) and _fits(named.commit, r.commit)]
    return sorted(kept, key=lambda result: (str(result.invocation.get("started") or ""), result.id))


def _fits(wanted: str | None, commit: str | None) -> bool:
    return wanted is None or (commit is not None and (commit.startswith(wanted) or wanted.startswith(commit)))


def _names(result: Result) -> Iterator[str]:
    """Every figure that an execution gave, under the name that a formula has for it."""
    yield from result.judgement.get("captures", {})
    yield from _leaves({name: value for name, value in result.metrics.items() if name != "units"})


def _leaves(metrics: dict[str, Any], before: str = "") -> Iterator[str]:
    for name, value in metrics.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{before}{name}.")
        else:
            yield f"{before}{name}"


def _figure(named: Executions, result: Result) -> ExecutedFigure | None:
    """What one execution gave; None when it has no such figure."""
    captured = result.judgement.get("captures", {}).get(named.figure)
    if captured is not None:
        if captured.get("value") is None and captured.get("low") is None:
            return None
        if captured.get("value") is None:
            return ExecutedFigure(result.id, (_number(captured["low"], named, result),), result.unit_of(named.figure), at_least=True)
        return ExecutedFigure(result.id, (_number(captured["value"], named, result),), result.unit_of(named.figure))
    value: Any = result.metrics
    for part in named.figure.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if value is None or isinstance(value, dict) or value == []:
        return None
    return ExecutedFigure(result.id, tuple(_number(one, named, result) for one in _several(value)), result.unit_of(named.figure))


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _number(value: Any, named: Executions, result: Result) -> Number:
    """A number with the digits that the execution's record has."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ScopeError(f"{named} is {value!r} in {result.id}, which is no number", fault="undefined")
    return value if isinstance(value, int | Decimal) else Decimal(repr(value))
