"""Units: the text of a unit -> its size in base units and its dimension.

pint is the authority, with `token` as a dimension of its own and `x` as the unit of a ratio.
The units that records use all the time are in a table here, so that a check of the record need not load pint; a test holds the two together.
`bit` and `token` count as base units beside those of the SI: bytes are not pure numbers, and a sum of bytes and seconds is an error.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from kvdocs.figures.quantity import NUMBER, Dimension
from kvdocs.figures.rational import over

DEFINITIONS = ("token = [token] = tok", "ratio = 1 = x")
"""What is added to pint's own units."""

_SECOND: Dimension = (("second", 1),)
_BIT: Dimension = (("bit", 1),)
_TOKEN: Dimension = (("token", 1),)

COMMON: dict[str, tuple[Fraction, Dimension]] = {
    "1": (Fraction(1), NUMBER), "x": (Fraction(1), NUMBER), "%": (Fraction(1, 100), NUMBER),
    "token": (Fraction(1), _TOKEN), "tok": (Fraction(1), _TOKEN),
    "s": (Fraction(1), _SECOND), "ms": (Fraction(1, 10**3), _SECOND), "us": (Fraction(1, 10**6), _SECOND),
    "µs": (Fraction(1, 10**6), _SECOND), "ns": (Fraction(1, 10**9), _SECOND), "min": (Fraction(60), _SECOND), "h": (Fraction(3600), _SECOND),
    "bit": (Fraction(1), _BIT), "B": (Fraction(8), _BIT),
    "kB": (Fraction(8 * 10**3), _BIT), "MB": (Fraction(8 * 10**6), _BIT), "GB": (Fraction(8 * 10**9), _BIT), "TB": (Fraction(8 * 10**12), _BIT),
    "KiB": (Fraction(8 << 10), _BIT), "MiB": (Fraction(8 << 20), _BIT), "GiB": (Fraction(8 << 30), _BIT), "TiB": (Fraction(8 << 40), _BIT),
}  # fmt: skip

COUNTED = frozenset({"errors", "samples", "runs", "failures", "deliveries", "warnings", "launches", "mismatches"})
"""Names under which scripts count, that stand where a unit could: pint knows none of them, and need not be loaded to say so."""

_HINTS = {
    "t": "write `token` (pint reads `t` as the metric ton)",
    "KB": "write `kB` for 1000 bytes or `KiB` for 1024",
    "tokens": "write `token`",
    "T": "write `token` or `TB`",
}


class UnknownUnitError(ValueError):
    """A text that is not a unit; `hint` names what may have been meant."""

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(f"{text!r} is not a unit")
        self.hint = hint


def after_number(unit: str) -> str:
    """A unit as it stands after a number, with the space that belongs before it: ` ms/token`, `%`, `×`; empty for a pure number."""
    return {"1": "", "": "", "%": "%", "x": "×"}.get(unit, f" {unit.replace('**', '^').replace('*', '·')}")


class Unit(NamedTuple):
    """A unit as written, how many base units it is, and its dimension."""

    text: str
    factor: Fraction
    dimension: Dimension

    @property
    def label(self) -> str:
        """The unit as it stands after a number, as `after_number` has it."""
        return after_number(self.text)

    def from_base(self, magnitude: Fraction) -> Fraction:
        """The number in this unit of a magnitude in base units."""
        return over(magnitude, self.factor)


PURE = Unit("1", Fraction(1), NUMBER)


@lru_cache(maxsize=512)
def unit(text: str) -> Unit:
    """The unit of a text such as `ms/token` or `GiB`; UnknownUnitError when there is none, or when it has a zero point of its own as `degC` has."""
    stripped = text.strip() or "1"
    if stripped in COUNTED:
        raise UnknownUnitError(stripped)
    found = _from_table(stripped) or _from_pint(stripped)
    return Unit(stripped, *found)


_SYMBOL = r"[A-Za-zµ%1]+"
_SIMPLE = re.compile(rf"{_SYMBOL}(?:[*/]{_SYMBOL})*")


def _from_table(text: str) -> tuple[Fraction, Dimension] | None:
    """A product or quotient of common units, or None when it has another form."""
    if not _SIMPLE.fullmatch(text):
        return None
    factor, powers = Fraction(1), dict[str, int]()
    for sign, symbol in re.findall(rf"(^|[*/])({_SYMBOL})", text):
        if symbol not in COMMON:
            return None
        size, dimension = COMMON[symbol]
        factor = factor / size if sign == "/" else factor * size
        for base, power in dimension:
            powers[base] = powers.get(base, 0) + (-power if sign == "/" else power)
    return factor, tuple(sorted((base, power) for base, power in powers.items() if power))


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry(non_int_type=Fraction)
    for definition in DEFINITIONS:
        registry.define(definition)
    return registry


def _from_pint(text: str) -> tuple[Fraction, Dimension]:
    hint = next((advice for word, advice in _HINTS.items() if re.search(rf"(?<![A-Za-z]){word}(?![A-Za-z])", text)), None)
    if hint is not None or len(text) > 60 or re.search(r"[^\w%/*^. ()°µ-]", text) or _is_towering(text):
        raise UnknownUnitError(text, hint)
    registry = _registry()
    try:
        parsed = registry.parse_units(text)
        if not all(registry._units[name].is_multiplicative for name in parsed._units):
            raise UnknownUnitError(text, "a unit with a zero point of its own cannot be multiplied")
        base = registry.Quantity(Fraction(1), parsed).to_base_units()
    except UnknownUnitError:
        raise
    except Exception:  # pint's parser lets through whatever its tokenizer and its own assertions raise
        raise UnknownUnitError(text, _near(text)) from None
    powers = tuple(sorted((name, Fraction(power)) for name, power in base.unit_items()))
    if any(power.denominator != 1 for _, power in powers):
        raise UnknownUnitError(text, "a unit has whole powers")
    return Fraction(base.magnitude), tuple((name, int(power)) for name, power in powers if power)


_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def _is_towering(text: str) -> bool:
    """Whether a number has three digits or more, or a power is raised again: `ms**9**9**9` has more digits than there is memory."""
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda raised: "**" + raised[0].translate(_RAISED), text)
    plain = re.sub(r"\s*(?:\*\*|\^)\s*", "**", plain)
    return re.search(r"\d{3}|\*\*\(|\*\*[^*/\s]*\*\*", plain) is not None


def _near(text: str) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(text, [*COMMON, "token/s", "ms/token", "GB/s", "MiB/token"], n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else None
