"""What to do next with a clustering: actions with the bits that each saves, and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterbits.display.sentences import Label, Sentence
from clusterbits.display.tables import counted

if TYPE_CHECKING:
    from clusterbits.explanation.results import Explanation, Merge

# Actions of each kind, and entries of a remark.
_MERGES, _SPLITS, _CONFUSED, _REMARKED = 3, 2, 2, 3
# A mixed cluster is worth splitting where so many objects are not of its largest class: a few
# strays are no group that a clustering could find.
_REST = 5
# Savings and costs below this are rounding.
NOTHING = 1e-12


class Action(NamedTuple):
    """Something to do, and the bits per object it saves.

    `at_most` where that is the most it could save, done without a mistake.
    """

    words: Sentence
    saves: float
    at_most: bool = False


def list_actions(why: Explanation) -> list[Action]:
    """Return what to merge, to split and to separate."""
    actions: list[Action] = []
    if why.over_split > 1:
        to = counted(why.best_step.clusters, "cluster")
        words: Sentence = (f"Merge down to {to}, each time the best pair",)
        actions.append(Action(words, why.q0 - why.best_step.q0))
    for clusters, bits in compatible_merges(why.merges)[:_MERGES]:
        actions.append(Action(("Merge ", *_two("cluster", clusters, " and ")), bits))
    parts = {part.cluster: part for part in why.clusters}
    for split in why.splits[:_SPLITS]:
        part = parts[split.cluster]
        if part.kind in ("mixed", "noise-like") and (1 - part.purity) * part.size >= _REST:
            holds = f", which holds {split.classes:,} classes, mostly "
            words = ("Split cluster ", Label(split.cluster), holds, Label(part.majority))
            actions.append(Action(words, split.bits_saved, at_most=True))
    for classes, bits in why.confused[:_CONFUSED]:
        if bits > NOTHING:
            words = ("Separate ", *_two("class", classes, " from "))
            actions.append(Action(words, bits, at_most=True))
    return actions


def list_remarks(why: Explanation) -> Iterator[Sentence]:
    """Yield what to know besides: merges that cost, classes in many clusters, single mistakes."""
    if why.merges and why.merges[0].bits_saved <= NOTHING:
        clusters, bits = why.merges[0]
        cost = f"would cost {-bits:.2g} bits" if bits < -NOTHING else "costs nothing"
        kind = "merge" if why.merges_proven else "likely merge"
        pair = _two("cluster", clusters, " and ")
        yield (f"No {kind} saves bits; the cheapest, of ", *pair, f", {cost}.")
    elif not why.merges_proven:
        yield ("Only likely merges were tried.",)
    yield from _remark(
        "Most scattered: ",
        (
            ("class ", Label(part.name), f" (as if over {2**part.scatter:.1f} clusters)")
            for part in why.scattered
            if 2**part.scatter >= 1.5
        ),
    )
    yield from _remark(
        "False merges that cost most: ",
        (
            (*_two("class", one.classes, " and "), " in cluster ", Label(one.cluster),
             f" ({counted(one.objects, 'object')})")
            for one in why.false_merges
        ),
    )  # fmt: skip
    yield from _remark(
        "False splits that cost most: ",
        (
            ("class ", Label(one.name), " in ", *_two("cluster", one.clusters, " and "),
             f" ({counted(one.objects, 'object')})")
            for one in why.false_splits
        ),
    )  # fmt: skip


def compatible_merges(merges: Iterable[Merge]) -> list[Merge]:
    """Return merges that save bits and have no cluster in common, so that all can be made.

    Their savings add up, because q0 is a sum over clusters.
    """
    taken: set[Any] = set()
    chosen = []
    for merge in merges:
        if merge.bits_saved > NOTHING and taken.isdisjoint(merge.clusters):
            taken.update(merge.clusters)
            chosen.append(merge)
    return chosen


def _remark(start: str, entries: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield a remark of the first entries; none where there are none."""
    shown = list(entries)[:_REMARKED]
    if shown:
        words = [part for entry in shown for part in (*entry, "; ")]
        yield (start, *words[:-1], ".")


def _two(noun: str, names: tuple[Any, Any], word: str) -> Sentence:
    return (f"{noun} ", Label(names[0]), f"{word}{noun} ", Label(names[1]))
