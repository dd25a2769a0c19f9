"""Long names shortened so that they stay distinct."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from clusterbits.text.tables import counted, cut_middle, short

# Characters that labels have in common, around the part in which they differ.
_CONTEXT = 3
# Texts that a sentence names if there are too many for all.
_NAMED = 4


def distinct_texts(names: Sequence[Any], width: int) -> list[str]:
    """Return shortened labels that stay distinct: without the common part, if need be.

    >>> distinct_texts(["all of level 05 of the tree", "all of level 12 of the tree"], 12)
    ['…el 05 of…', '…el 12 of…']

    Labels that differ in too many parts are numbered.

    >>> distinct_texts(["ab" * 9 + "c" + "ab" * 9, "ab" * 19, "b" * 40], 12)
    ['ababa…abab (1)', 'ababa…abab (2)', 'bbbbb…bbbb']
    """
    texts = [short(name, 10**6) for name in names]
    n_distinct = len(set(texts))
    cuts = [cut_middle(text, width) for text in texts]
    if len(set(cuts)) < n_distinct:
        head = _shared(texts) - _CONTEXT
        tail = _shared([text[::-1] for text in texts]) - _CONTEXT
        inner = [text[max(head, 0) : len(text) - max(tail, 0)] for text in texts]
        ends = "…" if head > 0 else "", "…" if tail > 0 else ""
        cuts = [f"{ends[0]}{cut_middle(text, width - 2)}{ends[1]}" for text in inner]
    if len(set(cuts)) < n_distinct:
        cuts = _numbered(texts, cuts)
    return cuts


def listed(texts: Sequence[str], noun: str = "") -> str:
    """Return texts with commas, and "and" before the last; with a noun, how many others there are.

    >>> listed(["a", "b", "c"]), listed("abcdef", "class")
    ('a, b and c', 'a, b, c, d and 2 other classes')
    """
    if noun and len(texts) > _NAMED + 1:
        texts = [*texts[:_NAMED], counted(len(texts) - _NAMED, f"other {noun}")]
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def _numbered(texts: Sequence[str], cuts: Sequence[str]) -> list[str]:
    """Return the cuts, with numbers behind those that different texts share."""
    sharing: dict[str, dict[str, int]] = {}
    numbers = []
    for text, cut in zip(texts, cuts, strict=True):
        same = sharing.setdefault(cut, {})
        numbers.append(same.setdefault(text, len(same) + 1))
    pairs = zip(cuts, numbers, strict=True)
    return [cut if len(sharing[cut]) == 1 else f"{cut} ({number})" for cut, number in pairs]


def _shared(texts: Sequence[str]) -> int:
    """Return the length of the common prefix."""
    columns = zip(*texts, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
