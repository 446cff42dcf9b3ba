"""Arithmetic of fractions without the checks that every operator of `fractions.Fraction` makes.

A registry of ten thousand records computes with a million fractions; here each operation costs a third.
Arguments are `Fraction`s in lowest terms, as all are, and results are too; `tests/figures/test_rational.py` holds them to Python's own.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd

_new = object.__new__


def lowest(numerator: int, denominator: int) -> Fraction:
    """The fraction of two whole numbers that have no common factor; the denominator is positive."""
    fraction = _new(Fraction)
    fraction._numerator = numerator  # type: ignore[attr-defined]  # the slots of the class, in every version of Python so far
    fraction._denominator = denominator  # type: ignore[attr-defined]  # as above
    return fraction


def times(a: Fraction, b: Fraction) -> Fraction:
    """The product."""
    an, ad = a.as_integer_ratio()
    bn, bd = b.as_integer_ratio()
    one, two = gcd(an, bd), gcd(bn, ad)
    return lowest((an // one) * (bn // two), (ad // two) * (bd // one))


def over(a: Fraction, b: Fraction) -> Fraction:
    """The quotient by a number that is not zero."""
    an, ad = a.as_integer_ratio()
    bn, bd = b.as_integer_ratio()
    if bn < 0:
        bn, bd = -bn, -bd
    one, two = gcd(an, bn), gcd(bd, ad)
    return lowest((an // one) * (bd // two), (ad // two) * (bn // one))


def plus(a: Fraction, b: Fraction) -> Fraction:
    """The sum."""
    an, ad = a.as_integer_ratio()
    bn, bd = b.as_integer_ratio()
    if ad == bd:
        return _reduced(an + bn, ad)
    common = gcd(ad, bd)
    if common == 1:
        return lowest(an * bd + bn * ad, ad * bd)
    return _reduced(an * (bd // common) + bn * (ad // common), ad // common * bd)


def minus(a: Fraction, b: Fraction) -> Fraction:
    """The difference."""
    bn, bd = b.as_integer_ratio()
    return plus(a, lowest(-bn, bd))


def negative(a: Fraction) -> Fraction:
    """The number with the other sign."""
    an, ad = a.as_integer_ratio()
    return lowest(-an, ad)


def at_most(a: Fraction, b: Fraction) -> bool:
    """Whether `a` is not larger than `b`."""
    an, ad = a.as_integer_ratio()
    bn, bd = b.as_integer_ratio()
    return an * bd <= bn * ad


def smaller(a: Fraction, b: Fraction) -> Fraction:
    """The smaller of two."""
    return a if at_most(a, b) else b


def larger(a: Fraction, b: Fraction) -> Fraction:
    """The larger of two."""
    return b if at_most(a, b) else a


def _reduced(numerator: int, denominator: int) -> Fraction:
    common = gcd(numerator, denominator)
    return lowest(numerator // common, denominator // common)
