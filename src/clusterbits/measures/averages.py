"""Averages of two numbers, for measures that are normalised by both labelings."""

from collections.abc import Callable

from clusterbits.core.combinatorics import square_root

AVERAGES: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: square_root(max(a, 0) * max(b, 0)),
    "min": min,
    "max": max,
}
