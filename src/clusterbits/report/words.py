"""Names, numbers and sentences as the report writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from clusterbits.display.tables import short
from clusterbits.measures.catalogue import Measure, find

# Names of measures with more characters give way to their abbreviation, which has at most so many.
_LONG, _ABBREVIATION = 12, 4
# Characters of a label: in tables, and where it is shown on hover.
_WIDEST, _FULL = 60, 200
# Characters of what labels have in common that are kept around what they differ in.
_CONTEXT = 3
# As wide as a digit, so that decimal points stay below each other.
_FIGURE_SPACE = "\u2007"


class Label(NamedTuple):
    """A name that came with the data: the page cuts, escapes and isolates it."""

    name: Any


# Words, with labels in between.
Sentence = tuple[str | Label, ...]


def spoken(measure: str) -> str:
    """Return the name of a measure as words."""
    return measure.replace("_", " ")


def short_name(measure: str) -> str:
    """Return the name of a measure for a narrow column: the abbreviation where it is long.

    >>> [short_name(name) for name in ("q0", "adjusted_rand", "fowlkes_mallows", "purity")]
    ['q0', 'ARI', 'FM', 'purity']
    """
    entry: Measure = find(measure)
    if len(entry.name) > _LONG:
        for alias in entry.aliases:
            if len(alias) <= _ABBREVIATION:
                return alias.upper()
    return spoken(entry.name)


def figures(value: float, measure: str = "") -> str:
    """Return a value in two or three significant digits; a share of the bits as percents.

    >>> figures(0.66148), figures(12.345), figures(0.0035), figures(0.87472, "share_saved")
    ('0.661', '12.3', '0.0035', '87.5 %')
    """
    if math.isnan(value):
        return "–"
    if measure == "share_saved":
        return percents(value, 1)
    size = abs(value)
    if value == 0 or 1e-3 <= size < 1e5:
        place = math.floor(math.log10(size)) if size else -1
        decimals = 2 - place if place >= 0 else 3 if place > -3 else 4
        return f"{value:.{max(0, decimals)}f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


def aligned(value: float, measure: str = "") -> str:
    """Return `figures`, padded so that the decimal points of a column stand in one line."""
    text = figures(value, measure)
    _, point, decimals = text.partition(".")
    if measure == "share_saved" or "e" in text or not point:
        return text
    return text + _FIGURE_SPACE * max(0, 3 - len(decimals))


def percents(share: float, digits: int = 0) -> str:
    """Return a share as percents; 100 only where it is the whole.

    >>> percents(0.8747), percents(0.9996), percents(1.0), percents(0.0167, 1)
    ('87 %', '99.9 %', '100 %', '1.7 %')
    """
    if share < 1 <= round(share, 2 + digits):
        return f"{math.floor(share * 1e3) / 10:g} %"
    if share == 1:
        return "100 %"
    return f"{100 * share:.{digits}f} %".replace("-", "−")


def level_text(level: float) -> str:
    """Return a confidence level as percents.

    >>> level_text(0.95), level_text(0.975)
    ('95 %', '97.5 %')
    """
    return f"{100 * level:.4g} %"


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


def label_text(name: Any, width: int = _WIDEST) -> str:
    """Return a label as text, long ones cut in the middle: names of runs tend to differ at the end.

    >>> label_text("average linkage, cut into 12 clusters", 24)
    'average linkag… clusters'
    """
    text = short(name, _FULL)
    tail = width * 2 // 5
    return text if len(text) <= width else f"{text[: width - tail - 1]}…{text[-tail:]}"


def distinct_texts(names: Sequence[Any], width: int) -> list[str]:
    """Return labels cut so that they are told apart: without what all have in common, if need be.

    >>> distinct_texts(["all of level 05 of the tree", "all of level 12 of the tree"], 12)
    ['…el 05 of…', '…el 12 of…']
    """
    texts = [short(name, _FULL) for name in names]
    cuts = [label_text(name, width) for name in names]
    if len(set(cuts)) == len(set(texts)):
        return cuts
    head = _shared(texts) - _CONTEXT
    tail = _shared([text[::-1] for text in texts]) - _CONTEXT
    inner = [text[max(head, 0) : len(text) - max(tail, 0)] for text in texts]
    ends = "…" if head > 0 else "", "…" if tail > 0 else ""
    return [f"{ends[0]}{label_text(text, width - 2)}{ends[1]}" for text in inner]


def _shared(texts: Sequence[str]) -> int:
    """Return with how many of the same characters all texts begin."""
    columns = zip(*texts, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def full_text(name: Any) -> str:
    """Return a label as it is shown on hover."""
    return label_text(name, _FULL)
