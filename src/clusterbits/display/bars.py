"""Stacked bars of block characters, for terminals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clusterbits.display.tables import short

# The two parts of a bar.
_BLOCKS = "█░"


class StackedBar(NamedTuple):
    """A bar: its name, its two parts, and what to write behind it."""

    name: str
    parts: tuple[float, float]
    note: str = ""


def draw_bars(bars: Sequence[StackedBar], names: tuple[str, str], width: int) -> str:
    """Return one line per bar, with its parts and their sum, below a line that names the parts.

    >>> print(draw_bars([StackedBar("a", (3, 1)), StackedBar("b", (1, 0.5), "least")],
    ...                 ("x", "y"), 46))
    █ x  ░ y
    a  ████████████░░░░  3.0000 + 1.0000 = 4.0000
    b  ████░░            1.0000 + 0.5000 = 1.5000  least
    """
    heads = [short(bar.name, 20) for bar in bars]
    head = max(map(len, heads))
    sums = [f"{bar.parts[0]:.4f} + {bar.parts[1]:.4f} = {sum(bar.parts):.4f}" for bar in bars]
    room = max(width - head - max(map(len, sums)) - 5, 1)
    scale = room / max(sum(bar.parts) for bar in bars)
    lines = ["  ".join(f"{block} {name}" for block, name in zip(_BLOCKS, names, strict=True))]
    for name, bar, text in zip(heads, bars, sums, strict=True):
        ends = round(bar.parts[0] * scale), round(sum(bar.parts) * scale)
        drawn = _BLOCKS[0] * ends[0] + _BLOCKS[1] * (ends[1] - ends[0])
        lines.append(f"{name:{head}}  {drawn:{room}}  {text}  {bar.note}".rstrip())
    return "\n".join(lines)
