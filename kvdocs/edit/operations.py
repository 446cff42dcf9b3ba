"""Operations on the values of a record: what each of them does to its data."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from kvdocs.edit.text import EditError
from kvdocs.edit.values import same
from kvdocs.model import Loc


@dataclass(frozen=True, slots=True)
class Assign:
    """Give a field this value. Mappings on the way are made; lists are not."""

    loc: Loc
    value: Any


@dataclass(frozen=True, slots=True)
class Unset:
    """Take a field, or an entry of a list, away."""

    loc: Loc


@dataclass(frozen=True, slots=True)
class Append:
    """Add an entry at the end of a list; the list is made when there is none."""

    loc: Loc
    value: Any


Operation = Assign | Unset | Append


def value_at(data: Any, loc: Loc) -> Any:
    """The value at a place; KeyError when there is none."""
    for part in loc:
        if not _holds(data, part):
            raise KeyError(part)
        data = data[part]
    return data


def _holds(data: Any, part: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and 0 <= part < len(data)
    return isinstance(data, dict) and part in data


def present(data: Any, loc: Loc) -> Any:
    """The value at a place, None when there is none."""
    try:
        return value_at(data, loc)
    except KeyError:
        return None


def changes(data: Any, operation: Operation) -> bool:
    """Whether an operation makes a difference."""
    return not same(applied(data, operation), data)


def applied(data: Any, operation: Operation) -> Any:
    """A copy of the data with an operation carried out; EditError when its place is not there."""
    result = deepcopy(data)
    *way, last = operation.loc
    holder = result
    for depth, part in enumerate(way):
        if isinstance(holder, dict) and holder.get(str(part)) is None and not isinstance(operation, Unset):
            holder[str(part)] = {}
        holder = _into(holder, part, operation.loc[: depth + 1])
    if isinstance(operation, Unset):
        _into(holder, last, operation.loc)
        del holder[last]
    elif isinstance(operation, Append):
        _append(holder, last, operation)
    elif isinstance(holder, dict):
        holder[str(last)] = deepcopy(operation.value)
    else:
        _into(holder, last, operation.loc)
        holder[last] = deepcopy(operation.value)
    return result


def _append(holder: Any, last: str | int, operation: Append) -> None:
    if isinstance(holder, dict) and holder.get(str(last)) is None:
        holder[str(last)] = []
    target = _into(holder, last, operation.loc)
    if not isinstance(target, list):
        raise EditError(f"`{spelled(operation.loc)}` is not a list", "give it a value with `=`")
    target.append(deepcopy(operation.value))


def _into(holder: Any, part: str | int, loc: Loc) -> Any:
    if isinstance(holder, dict) and part in holder:
        return holder[part]
    if isinstance(holder, list) and isinstance(part, int):
        if part < len(holder):
            return holder[part]
        raise EditError(f"there is no `{spelled(loc)}`: the list has {len(holder)} {'entry' if len(holder) == 1 else 'entries'}, counted from 0")
    raise EditError(f"there is no `{spelled(loc)}`")


def spelled(loc: Loc) -> str:
    """A place as people write it: `payoffs[0].gain`."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
