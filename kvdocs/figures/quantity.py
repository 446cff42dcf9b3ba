"""Quantities: a number with its dimension, its rounding interval, and how it depends on each input.

All magnitudes are in base units (second, bit, token, 1), so no formula needs a factor between units.
A quantity knows an interval for its slope along each input. Two things follow.
The interval of a formula in which an input occurs twice stays narrow (mean value form: f(x) + slope * (X - x), cut with the plain interval),
and standard uncertainties add up linearly with what two terms share taken into account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import sqrt

from kvdocs.figures import interval
from kvdocs.figures.interval import Interval, UndefinedError

Dimension = tuple[tuple[str, int], ...]
"""Base units with their powers, sorted by name; empty for a pure number."""

NUMBER: Dimension = ()


class MixedUnitsError(UndefinedError):
    """Numbers of different dimensions were added, compared, or taken where a pure number is needed."""


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """A number that no formula gives: a cell as written, in base units.

    `uncertainty` is its standard uncertainty if samples tell it; `deviation` is how far the true value can be from `value`. `unsupported` marks a derived figure whose own inputs are not on record.
    """

    name: str
    interval: Interval
    value: Fraction
    uncertainty: float | None = None
    unsupported: bool = False
    deviation: Interval = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "deviation", self.interval - Interval.exact(self.value))


@dataclass(frozen=True)
class Quantity:
    """A number: `centre` encloses its nominal value, `interval` every value that the rounding of the inputs allows."""

    centre: Interval
    interval: Interval
    dimension: Dimension = NUMBER
    slopes: Mapping[Input, Interval] = field(default_factory=dict)

    @cached_property
    def value(self) -> Fraction:
        """The nominal value: computed from the inputs as they are written."""
        return self.interval.clamp(self.centre.middle)

    @cached_property
    def uncertainty(self) -> float | None:
        """The standard uncertainty by linear propagation; None when no input has one."""
        terms = [float(slope.middle) * known.uncertainty for known, slope in self.slopes.items() if known.uncertainty is not None]
        return sqrt(sum(term * term for term in terms)) if terms else None

    @property
    def without_uncertainty(self) -> tuple[str, ...]:
        """The inputs that are not exact and of which no uncertainty is known."""
        return tuple(known.name for known in self.slopes if known.uncertainty is None)

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The inputs that were published without what they were computed from."""
        return tuple(known.name for known in self.slopes if known.unsupported)

    def __neg__(self) -> Quantity:
        return _map(self, Interval.__neg__, Interval.exact(-1), self.dimension)

    def __abs__(self) -> Quantity:
        if self.interval.low >= 0:
            return self
        if self.interval.high <= 0:
            return -self
        return _map(self, Interval.__abs__, Interval(Fraction(-1), Fraction(1)), self.dimension)

    def __add__(self, other: Quantity) -> Quantity:
        _same(self, other, "adds")
        return _join(self, other, Interval.__add__, _ONE, _ONE, self.dimension)

    def __sub__(self, other: Quantity) -> Quantity:
        _same(self, other, "subtracts")
        return _join(self, other, Interval.__sub__, _ONE, -_ONE, self.dimension)

    def __mul__(self, other: Quantity) -> Quantity:
        return _join(self, other, Interval.__mul__, other.interval, self.interval, multiplied(self.dimension, other.dimension))

    def __truediv__(self, other: Quantity) -> Quantity:
        quotient = self.interval / other.interval
        return _join(self, other, Interval.__truediv__, _ONE / other.interval, -quotient / other.interval, multiplied(self.dimension, raised(other.dimension, -1)))

    def __pow__(self, other: Quantity) -> Quantity:
        """A whole power: the exponent is an exact whole number."""
        exponent = other.value
        if other.dimension or other.interval.width or exponent.denominator != 1:
            raise UndefinedError("takes a power that is not a whole number")
        return self.power(int(exponent))

    def power(self, exponent: int) -> Quantity:
        if exponent == 0:
            return exact(1)
        slope = Interval.exact(exponent) * self.interval.power(exponent - 1)
        return _map(self, lambda i: i.power(exponent), slope, raised(self.dimension, exponent))

    def sqrt(self) -> Quantity:
        if any(power % 2 for _, power in self.dimension):
            raise MixedUnitsError(f"takes the root of {describe(self.dimension)}")
        root = self.interval.sqrt()
        half = tuple((base, power // 2) for base, power in self.dimension)
        if not self.slopes:
            return Quantity(self.centre.sqrt(), root, half)
        if self.interval.low == 0:
            raise UndefinedError("takes the root of a number that may be zero, where its uncertainty has no bound")
        return _map(self, Interval.sqrt, Interval.exact(Fraction(1, 2)) / root, half)

    def log(self) -> Quantity:
        _pure(self, "the logarithm")
        logarithm = self.interval.log()
        return _map(self, Interval.log, _ONE / self.interval, NUMBER) if self.slopes else Quantity(self.centre.log(), logarithm)

    def exp(self) -> Quantity:
        _pure(self, "the exponential")
        return _map(self, Interval.exp, self.interval.exp(), NUMBER)


_ONE = Interval.exact(1)


def exact(value: int | Fraction) -> Quantity:
    """A pure number that stands for itself."""
    one = Interval.exact(value)
    return Quantity(one, one)


def of_input(known: Input, dimension: Dimension) -> Quantity:
    """The quantity of an input."""
    slopes = {known: _ONE} if known.interval.width or known.uncertainty is not None or known.unsupported else {}
    return Quantity(Interval.exact(known.value), known.interval, dimension, slopes)


def smallest(several: Sequence[Quantity]) -> Quantity:
    """The smallest of at least one quantity."""
    return _choice(several, interval.minimum, lambda q, bound: q.interval.low <= bound.high)


def largest(several: Sequence[Quantity]) -> Quantity:
    """The largest of at least one quantity."""
    return _choice(several, interval.maximum, lambda q, bound: q.interval.high >= bound.low)


def total(several: Sequence[Quantity]) -> Quantity:
    """The sum of at least one quantity."""
    result = several[0]
    for one in several[1:]:
        result = result + one
    return result


def mean(several: Sequence[Quantity]) -> Quantity:
    """The arithmetic mean of at least one quantity."""
    return total(several) / exact(len(several))


def describe(dimension: Dimension) -> str:
    """A dimension in words: `second / token`, or `a pure number`."""
    above = [_power(base, power) for base, power in dimension if power > 0]
    below = [_power(base, -power) for base, power in dimension if power < 0]
    if not above and not below:
        return "a pure number"
    return " / ".join([" * ".join(above) or "1", *below])


def _power(base: str, power: int) -> str:
    return base if power == 1 else f"{base}**{power}"


def multiplied(left: Dimension, right: Dimension) -> Dimension:
    """The dimension of a product."""
    powers = dict(left)
    for base, power in right:
        powers[base] = powers.get(base, 0) + power
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def raised(dimension: Dimension, exponent: int) -> Dimension:
    """The dimension of a whole power."""
    return tuple((base, power * exponent) for base, power in dimension if exponent)


def _same(left: Quantity, right: Quantity, verb: str) -> None:
    if left.dimension != right.dimension:
        raise MixedUnitsError(f"{verb} {describe(left.dimension)} and {describe(right.dimension)}")


def _pure(quantity: Quantity, what: str) -> None:
    if quantity.dimension:
        raise MixedUnitsError(f"takes {what} of {describe(quantity.dimension)}")


def _chain(outer: Interval, inner: Interval) -> Interval:
    """The slope of a function of a function; most inputs have the slope one along themselves."""
    return outer if inner is _ONE else inner if outer is _ONE else outer * inner


def _map(argument: Quantity, function: Callable[[Interval], Interval], slope: Interval, dimension: Dimension) -> Quantity:
    slopes = {known: _chain(slope, inner) for known, inner in argument.slopes.items()}
    return _enclosed(function(argument.centre), function(argument.interval), dimension, slopes)


def _join(left: Quantity, right: Quantity, function: Callable[[Interval, Interval], Interval], by_left: Interval, by_right: Interval, dimension: Dimension) -> Quantity:
    slopes = {known: _chain(by_left, inner) for known, inner in left.slopes.items()}
    for known, inner in right.slopes.items():
        slope = _chain(by_right, inner)
        slopes[known] = slopes[known] + slope if known in slopes else slope
    return _enclosed(function(left.centre, right.centre), function(left.interval, right.interval), dimension, slopes)


def _choice(several: Sequence[Quantity], choose: Callable[[Iterable[Interval]], Interval], may_win: Callable[[Quantity, Interval], bool]) -> Quantity:
    for one in several[1:]:
        _same(several[0], one, "compares")
    bound = choose(q.interval for q in several)
    winners = [q for q in several if may_win(q, bound)]
    known_inputs = dict.fromkeys(known for q in winners for known in q.slopes)
    none = Interval.exact(0)
    slopes = {known: interval.hull(q.slopes.get(known, none) for q in winners) for known in known_inputs}
    return _enclosed(choose(q.centre for q in several), bound, several[0].dimension, slopes)


def _enclosed(centre: Interval, plain: Interval, dimension: Dimension, slopes: dict[Input, Interval]) -> Quantity:
    """The quantity with the narrower of the plain interval and the mean value form."""
    narrow = centre
    for known, slope in slopes.items():
        narrow = narrow + slope * known.deviation
    return Quantity(centre, plain.common(narrow), dimension, slopes)
