"""Numbers as text: rounding as people round, digits that the interval supports, signs, words for small counts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor, log10

from kvdocs.figures.interval import ENDLESS_FROM, Interval

MINUS = "\N{MINUS SIGN}"
MAX_DECIMALS = 9

_WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip


def rounded(value: Fraction, decimals: int) -> Decimal:
    """The value to so many places after the point (before it when negative), halves away from zero."""
    numerator, denominator = value.as_integer_ratio()
    if decimals > 0:
        numerator *= 10**decimals
    elif decimals < 0:
        denominator *= 10**-decimals
    whole = (2 * abs(numerator) + denominator) // (2 * denominator)
    return Decimal(f"{'-' if numerator < 0 else ''}{whole}e{-decimals}")


def decimals_of(number: int | Decimal) -> int:
    """How many places after the point a number is written with; negative for `6e+1`."""
    exponent = Decimal(number).as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def supported_decimals(value: Fraction, half_width: float) -> int:
    """How many places after the point make sense: the last one is about as large as the whole interval; four significant digits without one, or where it has no end."""
    if 0 < half_width < ENDLESS_FROM / 2:
        return max(0, min(MAX_DECIMALS, -round(log10(2 * half_width))))
    if value.denominator == 1:
        return 0
    return max(0, min(MAX_DECIMALS, 3 - floor(log10(abs(float(value)))))) if value else 0


def text(value: Fraction, decimals: int, *, sign: bool = False, thousands: bool = True) -> str:
    """The number as it is printed: `25,933.90`, `+21.3`, `−0.85` (with a true minus)."""
    number = rounded(value, decimals)
    digits = f"{abs(number):{',' if thousands else ''}.{max(decimals, 0)}f}"
    zero = number == 0
    return (MINUS if number < 0 and not zero else "+" if sign and not zero else "") + digits


def shown(value: Fraction, interval: Interval, decimals: int, *, sign: bool = False) -> str:
    """The number as `text` prints it; where only a bound of it is known, that bound: `≥ 100`."""
    bound = interval.bound
    if not bound:
        return text(value, decimals, sign=sign)
    return "unknown" if bound == "?" else f"{bound} {text(interval.low if bound == '≥' else interval.high, decimals, sign=sign)}"


def bounds(low: Fraction, high: Fraction, decimals: int, label: str = "", *, sign: bool = False) -> tuple[str, str]:
    """Both ends of an interval, with more places after the point where they would look alike."""
    while decimals < MAX_DECIMALS and low != high and rounded(low, decimals) == rounded(high, decimals):
        decimals += 1
    return text(low, decimals, sign=sign) + label, text(high, decimals, sign=sign) + label


def words(value: Fraction) -> str | None:
    """A count in words, `ten`; None beyond twenty or when it is no count."""
    return _WORDS[int(value)] if value.denominator == 1 and 0 <= value < len(_WORDS) else None
