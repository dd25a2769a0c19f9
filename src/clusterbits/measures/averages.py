"""Averages of two numbers, for measures that are normalised by both labelings."""

import math
from collections.abc import Callable

AVERAGES: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: math.sqrt(max(a, 0) * max(b, 0)),
    "min": min,
    "max": max,
}
