"""Numbers as text: rounding as people round, digits that the interval supports, signs, words for small counts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor, log10

from kvdocs.figures.interval import ENDLESS_FROM, Interval

MINUS = "\N{MINUS SIGN}"
MAX_DECIMALS = 9
ENCLOSED = 40
"""So many places after the point are the same in what is enclosed outwards and what it stands for."""

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


def supported_decimals(value: Fraction, interval: Interval, uncertainty: float = 0.0) -> int:
    """How many places after the point make sense: the last one is about as large as the whole interval, or as two standard uncertainties where that is more.

    There is one more where the number would be rounded out of it; four significant digits without an interval, or where it has no end.
    """
    half_width = max(float(interval.width) / 2, uncertainty)
    if 0 < half_width < ENDLESS_FROM / 2:
        reach = Fraction(uncertainty)
        low, high = min(interval.low, value - reach), max(interval.high, value + reach)
        decimals = max(0, min(MAX_DECIMALS, -round(log10(2 * half_width))))
        while decimals < MAX_DECIMALS and not low <= Fraction(rounded(value, decimals)) <= high:
            decimals += 1
        return decimals
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
    if bound == "?":
        return "unknown"
    outward = below(interval.low, decimals) if bound == "≥" else -below(-interval.high, decimals)
    return f"{bound} {text(outward, decimals, sign=sign)}"


def below(value: Fraction, decimals: int) -> Fraction:
    """The largest number with so many places that is not above the value: a lower bound that is rounded is still one.

    Roots and logarithms are enclosed outwards in their last bits, which do not count: the root of at least a hundred is at least ten.
    """
    scale = Fraction(10) ** decimals
    return floor(Fraction(rounded(value * scale, ENCLOSED))) / scale


def bounds(low: Fraction, high: Fraction, decimals: int, label: str = "", *, sign: bool = False) -> tuple[str, str]:
    """Both ends of an interval, with more places after the point where they would look alike."""
    while decimals < MAX_DECIMALS and low != high and rounded(low, decimals) == rounded(high, decimals):
        decimals += 1
    return text(low, decimals, sign=sign) + label, text(high, decimals, sign=sign) + label


def words(value: Fraction) -> str | None:
    """A count in words, `ten`; None beyond twenty or when it is no count."""
    return _WORDS[int(value)] if value.denominator == 1 and 0 <= value < len(_WORDS) else None
