"""Numbers as written -> intervals that hold every value the writer may have meant, and arithmetic that never loses one.

Bounds are fractions, so sums, products and quotients are exact.
A bound that grows beyond `EXACT_BITS` is rounded outwards; roots, logarithms and powers of e are enclosed outwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from math import isqrt

from kvdocs.figures.rational import larger, minus, negative, over, plus, smaller, times

EXACT_BITS = 320
"""A fraction is kept as it is up to this size of its numerator and denominator."""
ROUNDED_BITS = 160
"""The precision to which larger ones are rounded outwards."""
LARGEST_EXPONENT = 60
"""No number is written with a power of ten beyond this."""
LARGEST = Fraction(10**300)
"""No result is larger than this."""
LARGEST_POWER = 16
ENDLESS = Fraction(10) ** 120
"""Stands for the other end of a number of which one bound alone is known: no measured number comes near it."""
ENDLESS_FROM = Fraction(10) ** 90
"""What is beyond this was reached from `ENDLESS`, by whatever factors; what is nearer to zero than its inverse, and not zero, by dividing by such a number."""
NEXT_TO_ZERO = 1 / ENDLESS
"""Stands for an end that is zero and is not reached: the quotient by a number without an upper end."""


class UndefinedError(ArithmeticError):
    """A result that does not exist, such as a quotient by an interval that holds zero; the message says why."""


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    @classmethod
    def exact(cls, value: int | Fraction | Decimal) -> Interval:
        """The interval that holds one number."""
        fraction = value if type(value) is Fraction else Fraction(value)
        return cls(fraction, fraction)

    @classmethod
    def at_least(cls, value: int | Fraction | Decimal) -> Interval:
        """The interval of a number that is known to be this or more: a count that its tool capped."""
        return cls(Fraction(value), ENDLESS)

    @property
    def bound(self) -> str:
        """`≥` where only a lower bound is known, `≤` where only an upper one is, `?` where neither is; empty where both are."""
        below, above = self._open
        return "?" if above and below else "≥" if above else "≤" if below else ""

    @property
    def _open(self) -> tuple[bool, bool]:
        """Whether nothing is known of how far it goes down, and up: to infinity, or to zero from the side on which it lies."""
        return _is_endless(negative(self.low)), _is_endless(self.high)

    @property
    def middle(self) -> Fraction:
        return (self.low + self.high) / 2

    @property
    def width(self) -> Fraction:
        return self.high - self.low

    @property
    def holds_zero(self) -> bool:
        return self.low.numerator <= 0 <= self.high.numerator

    def __contains__(self, value: int | Fraction | Decimal) -> bool:
        return self.low <= Fraction(value) <= self.high

    def within(self, other: Interval) -> bool:
        """Whether every number of this interval is in the other."""
        return other.low <= self.low and self.high <= other.high

    def meets(self, other: Interval) -> bool:
        """Whether some number is in both."""
        return self.low <= other.high and other.low <= self.high

    def common(self, other: Interval) -> Interval:
        """The numbers in both; the two must meet."""
        return Interval(larger(self.low, other.low), smaller(self.high, other.high))

    def clamp(self, value: Fraction) -> Fraction:
        """The number of the interval that is nearest to `value`."""
        return min(max(value, self.low), self.high)

    def __neg__(self) -> Interval:
        return Interval(negative(self.high), negative(self.low))

    def __abs__(self) -> Interval:
        if self.low >= 0:
            return self
        if self.high <= 0:
            return -self
        return Interval(Fraction(0), max(-self.low, self.high))

    def __add__(self, other: Interval) -> Interval:
        return _outward(plus(self.low, other.low), plus(self.high, other.high))

    def __sub__(self, other: Interval) -> Interval:
        return _outward(minus(self.low, other.high), minus(self.high, other.low))

    def __mul__(self, other: Interval) -> Interval:
        if self.low is self.high and other.low is other.high:
            return _outward_point(times(self.low, other.low))
        if self.low.numerator >= 0 and other.low.numerator >= 0:
            return _outward(times(self.low, other.low), times(self.high, other.high))
        corners = [times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return _outward(reduce(smaller, corners), reduce(larger, corners))

    def __truediv__(self, other: Interval) -> Interval:
        if other.holds_zero:
            raise UndefinedError("divides by zero" if other.low == other.high else f"divides by a number that may be zero ({show(other.low)} to {show(other.high)})")
        if self.low is self.high and other.low is other.high:
            return _outward_point(over(self.low, other.low))
        if self.low.numerator >= 0 and other.low.numerator >= 0:
            return _outward(over(self.low, other.high), over(self.high, other.low))
        corners = [over(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return _outward(reduce(smaller, corners), reduce(larger, corners))

    def power(self, exponent: int) -> Interval:
        """The whole power; at most `LARGEST_POWER` up or down."""
        if abs(exponent) > LARGEST_POWER:
            raise UndefinedError(f"the power {exponent} is beyond {LARGEST_POWER}")
        if exponent < 0:
            return Interval.exact(1) / self.power(-exponent)
        base = abs(self) if exponent % 2 == 0 else self
        return _outward(base.low**exponent, base.high**exponent)

    def sqrt(self) -> Interval:
        if self.low < 0:
            raise UndefinedError(f"takes the root of a number that may be negative ({show(self.low)})")
        return self._grown(NEXT_TO_ZERO, _root(self.low), _root(self.high, up=True))

    def log(self) -> Interval:
        """The natural logarithm."""
        if self.low <= 0:
            raise UndefinedError(f"takes the logarithm of a number that may not be positive ({show(self.low)})")
        return self._grown(-ENDLESS, _next(_decimal(self.low, _FLOOR).ln(_FLOOR), down=True), _next(_decimal(self.high, _CEILING).ln(_CEILING), down=False))

    def exp(self) -> Interval:
        """The power of e."""
        below, above = self._open
        known = Interval(Fraction(0) if below else self.low, Fraction(0) if above else self.high)
        if max(abs(known.low), abs(known.high)) > 600:
            raise UndefinedError(f"takes the exponential of a number beyond 600 ({show(self.high)})")
        low = _next(_decimal(known.low, _FLOOR).exp(_FLOOR), down=True)
        high = _next(_decimal(known.high, _CEILING).exp(_CEILING), down=False)
        # An end next to zero is taken for zero, which has a power.
        return _outward(NEXT_TO_ZERO if below and self.low < 0 else max(low, Fraction(0)), ENDLESS if above and self.high > 0 else high)

    def _grown(self, least: Fraction, low: Fraction, high: Fraction) -> Interval:
        """What a growing function of positive numbers makes of this interval, of which it gave both ends: `least` is where it begins, for an interval that is open below."""
        below, above = self._open
        return _outward(least if below else low, ENDLESS if above else high)


def written(number: int | Decimal, *, exact: bool = False) -> Interval:
    """The interval of a number by its digits: half a unit of the last digit to both sides.

    `31.5` is 31.45 to 31.55 and `31.50` is 31.495 to 31.505; a whole number has half a one to both sides, `6e+1` half a ten.
    What is exact by its nature (a count, the key of a row) is passed with `exact=True` and stands for itself.
    """
    value = Decimal(number)
    if not value.is_finite():
        raise UndefinedError(f"{number} is not a number that can be measured")
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > LARGEST_EXPONENT or abs(value.adjusted()) > LARGEST_EXPONENT:
        raise UndefinedError(f"the number has more than {LARGEST_EXPONENT} places")
    if exact:
        return Interval.exact(value)
    half = _half_unit(exponent)
    middle = Fraction(value)
    return Interval(minus(middle, half), plus(middle, half))


@lru_cache(maxsize=2 * LARGEST_EXPONENT + 1)
def _half_unit(exponent: int) -> Fraction:
    return Fraction(10) ** exponent / 2


def minimum(intervals: Iterable[Interval]) -> Interval:
    """The interval of the smallest of numbers that lie in these; there is at least one."""
    several = list(intervals)
    return Interval(min(i.low for i in several), min(i.high for i in several))


def maximum(intervals: Iterable[Interval]) -> Interval:
    """The interval of the largest of numbers that lie in these; there is at least one."""
    several = list(intervals)
    return Interval(max(i.low for i in several), max(i.high for i in several))


def hull(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval that holds all of these; there is at least one."""
    several = list(intervals)
    return Interval(min(i.low for i in several), max(i.high for i in several))


def show(value: Fraction) -> str:
    """A number with six significant digits, for messages."""
    return f"{float(value):.6g}"


# The exponents reach as far as `LARGEST` needs: the number next to zero must not have more digits than memory holds.
_FLOOR = Context(prec=45, rounding=ROUND_FLOOR, Emax=999, Emin=-999)
_CEILING = Context(prec=45, rounding=ROUND_CEILING, Emax=999, Emin=-999)


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _next(value: Decimal, *, down: bool) -> Fraction:
    """One unit of the last place further out: the decimal module rounds `ln` and `exp` to the nearest, whatever the context says."""
    return Fraction(_FLOOR.next_minus(value) if down else _CEILING.next_plus(value))


def _root(value: Fraction, *, up: bool = False) -> Fraction:
    """A bound of the square root: below, or above with `up`."""
    shift = max(0, ROUNDED_BITS + value.denominator.bit_length() - value.numerator.bit_length())
    scaled = (value.numerator << 2 * shift) // value.denominator
    root = isqrt(scaled)
    if up and Fraction(root * root, 1 << 2 * shift) < value:
        root += 1
    return Fraction(root, 1 << shift)


def _is_endless(end: Fraction) -> bool:
    """Whether an upper end stands for none."""
    numerator, denominator = end.as_integer_ratio()
    return numerator > denominator * _FAR or 0 < -numerator * _FAR < denominator


_FAR = int(ENDLESS_FROM)


def _is_short(value: Fraction) -> bool:
    numerator, denominator = value.as_integer_ratio()
    return numerator.bit_length() <= EXACT_BITS and denominator.bit_length() <= EXACT_BITS


def _outward_point(value: Fraction) -> Interval:
    return Interval(value, value) if _is_short(value) else _outward(value, value)


def _outward(low: Fraction, high: Fraction) -> Interval:
    if _is_short(low) and _is_short(high):
        return Interval(low, high)
    if max(abs(low), abs(high)) > LARGEST:
        raise UndefinedError("is larger than 1e300")
    return Interval(_shorter(low), -_shorter(-high))


def _shorter(value: Fraction) -> Fraction:
    """The value if it is short, else the nearest short one below it; `NEXT_TO_ZERO` for what was reached from it."""
    if _is_endless(negative(value)) and value.numerator > 0:
        return NEXT_TO_ZERO
    size = value.numerator.bit_length(), value.denominator.bit_length()
    if max(size) <= EXACT_BITS:
        return value
    shift = min(ROUNDED_BITS + size[1] - size[0], 1000)
    if shift < 0:
        return Fraction((value.numerator // value.denominator >> -shift) << -shift)
    return Fraction((value.numerator << shift) // value.denominator, 1 << shift)
