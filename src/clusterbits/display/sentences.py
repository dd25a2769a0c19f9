"""Sentences about data: words with labels in between, which each output cuts and escapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from clusterbits.display.tables import short


class Label(NamedTuple):
    """A name that came with the data."""

    name: Any


# Words, with labels in between.
Sentence = tuple[str | Label, ...]


def plain(sentence: Sentence) -> str:
    """Return a sentence as text.

    >>> plain(("Merge cluster ", Label("x"), " and cluster ", Label(2)))
    'Merge cluster x and cluster 2'
    """
    return "".join(short(part.name) if isinstance(part, Label) else part for part in sentence)


def listed(parts: Iterable[str | Label]) -> Sentence:
    """Return names with commas between them, and "and" before the last.

    >>> "".join(listed(["a", "b", "c"]))
    'a, b and c'
    """
    parts = list(parts)
    joined: list[str | Label] = []
    for place, part in enumerate(parts):
        if place:
            joined.append(" and " if place == len(parts) - 1 else ", ")
        joined.append(part)
    return tuple(joined)


def shortened(parts: Sequence[str | Label], most: int, noun: str) -> Sentence:
    """Return at most so many names, and how many others there are.

    >>> "".join(shortened(["a", "b", "c", "d"], 3, "clustering"))
    'a, b, c and 1 other clustering'
    """
    rest = len(parts) - most
    if rest <= 0:
        return listed(parts)
    more = f"{rest:,} other {noun}{'s' if rest > 1 else ''}"
    return listed([*parts[:most], more])
