#!/usr/bin/env python3
"""Reproduce D1: the prefix sum of an empty list.

Prints REPRODUCED and exits 1 when it fails, NOT REPRODUCED and exits 0 when it gives an empty list.
"""

import sys
from itertools import accumulate


def prefix_sum(values: list[int]) -> list[int]:
    """The prefix sums of a list, with the fault of D1 in it."""
    first = values[0]
    return [first, *(first + total for total in accumulate(values[1:]))]


try:
    result = prefix_sum([])
except IndexError as error:
    print(f"IndexError: {error}")
    print("REPRODUCED")
    sys.exit(1)
print(f"result: {result}")
print("NOT REPRODUCED")
