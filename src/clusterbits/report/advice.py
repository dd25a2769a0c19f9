"""What to do next with a clustering: actions in words, and the bits that each saves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted
from clusterbits.explanation import Explanation
from clusterbits.explanation.advice import NOTHING, compatible_merges
from clusterbits.report.words import Label, Sentence

# Actions of each kind.
_MERGES, _SPLITS, _CONFUSED, _SCATTERED = 3, 2, 2, 3
# A cluster is worth splitting where its second class is at least this share of it, and so many
# objects: a few strays are no group that a clustering could find.
_SECOND_SHARE, _SECOND_SIZE = 0.05, 5


class Action(NamedTuple):
    """Something to do, what it saves in bits per object, and as a share of q0.

    `at_most` where that is the most it could save: with a perfect split.
    """

    words: Sentence
    saves: float
    share: float
    at_most: bool


class Advice(NamedTuple):
    """The actions, and a remark where there is something to know besides."""

    actions: tuple[Action, ...]
    remarks: tuple[Sentence, ...]


def advise(table: Contingency, why: Explanation) -> Advice:
    """Return what to merge, to split and to separate, and what to know of it."""
    found = [*_merges(why), *_splits(table, why), *_confused(why)]
    actions = tuple(
        Action(words, bits, bits / why.q0, at_most) for words, bits, at_most in found if why.q0
    )
    return Advice(actions, tuple(_remarks(why)))


def _cluster(name: Any) -> Sentence:
    return ("cluster ", Label(name))


def _class(name: Any) -> Sentence:
    return ("class ", Label(name))


Found = tuple[Sentence, float, bool]


def _merges(why: Explanation) -> list[Found]:
    found: list[Found] = []
    if why.over_split > 1:
        to = counted(why.best_step.clusters, "cluster")
        found.append(
            ((f"Merge down to {to}, each time the best pair",), why.q0 - why.best_step.q0, False)
        )
    for (first, second), bits in compatible_merges(why.merges):
        found.append((("Merge ", *_cluster(first), " and ", *_cluster(second)), bits, False))
    return found[: _MERGES + (why.over_split > 1)]


def _splits(table: Contingency, why: Explanation) -> list[Found]:
    """Return clusters with a second class large enough to be found by a clustering."""
    found: list[Found] = []
    column = {name: place for place, name in enumerate(table.clusters)}
    for split in why.splits:
        inside = table.columns == column[split.cluster]
        rows, counts = table.rows[inside], table.counts[inside]
        first, second = np.argsort(-counts.astype(np.float64), kind="stable")[:2]
        size = float(counts[second])
        if size < max(_SECOND_SIZE, _SECOND_SHARE * float(counts.sum())):
            continue
        one, two = (Label(table.classes[rows[place]]) for place in (first, second))
        holds: Sentence = (", which holds class ", one, " and class ", two)
        if len(counts) > 2:
            holds = (f", which holds {len(counts):,} classes, mostly ", one, " and ", two)
        found.append((("Split ", *_cluster(split.cluster), *holds), split.bits_saved, True))
    return found[:_SPLITS]


def _confused(why: Explanation) -> list[Found]:
    return [
        (("Separate ", *_class(first), " from ", *_class(second)), bits, True)
        for (first, second), bits in why.confused[:_CONFUSED]
        if bits > NOTHING
    ]


def _remarks(why: Explanation) -> list[Sentence]:
    remarks: list[Sentence] = []
    if why.merges and why.merges[0].bits_saved <= NOTHING:
        (first, second), bits = why.merges[0]
        pair = (*_cluster(first), " and ", *_cluster(second))
        cost = f"would cost {-bits:.2g} bits" if bits < -NOTHING else "costs nothing"
        kind = "merge" if why.merges_proven else "likely merge"
        remarks.append((f"No {kind} saves bits; the cheapest, of ", *pair, f", {cost}."))
    elif not why.merges_proven:
        remarks.append(("Only likely merges were tried.",))
    scattered: list[str | Label] = []
    for part in [part for part in why.scattered if 2**part.scatter >= 1.5][:_SCATTERED]:
        scattered += [", " if scattered else "Most scattered: ", *_class(part.name)]
        scattered.append(f" (as if over {2**part.scatter:.1f} clusters)")
    if scattered:
        remarks.append((*scattered, "."))
    return remarks
