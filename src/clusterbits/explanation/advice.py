"""A clustering in sentences: its clusters, actions with the bits they save, and remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterbits.text.tables import counted, short

if TYPE_CHECKING:
    from clusterbits.explanation.explained import Explanation, Kind, Merge

# The text of a name that came with the data.
Write = Callable[[Any], str]

# Actions of each kind, and entries of a remark.
_MERGES, _SPLITS, _CONFUSED, _REMARKED = 3, 2, 2, 3
# A mixed cluster is worth splitting if at least this many objects are not of its largest class.
_REST = 5
# Savings and costs below this are rounding.
_NOTHING = 1e-12


class Action(NamedTuple):
    """Something to do, and the bits per object it saves; `at_most`, if done without an error."""

    words: str
    saves: float
    at_most: bool = False


def name_kind(kind: Kind, count: int = 1) -> str:
    """Return a kind of clusters in words, for one cluster or several."""
    if kind == "fragment":
        return "part of a split class" if count == 1 else "parts of split classes"
    return kind


def describe_clusters(kinds: Mapping[Kind, int]) -> str:
    """Return the number of clusters, and that of each kind.

    >>> describe_clusters({"pure": 6, "fragment": 2, "mixed": 0, "noise-like": 1})
    '9 clusters: 6 pure, 2 parts of split classes, 1 noise-like'
    >>> describe_clusters({"fragment": 300})
    '300 clusters: all parts of split classes'
    """
    total = sum(kinds.values())
    parts = (
        f"{'all' if 1 < count == total else f'{count:,}'} {name_kind(kind, count)}"
        for kind, count in kinds.items()
        if count
    )
    return f"{counted(total, 'cluster')}: {', '.join(parts)}"


def list_actions(why: Explanation, write: Write = short) -> list[Action]:
    """Return the merges, splits and separations worth most."""
    actions: list[Action] = []
    if why.over_split > 1:
        to = counted(why.best_step.clusters, "cluster")
        words = f"Merge down to {to}, each time the best pair"
        actions.append(Action(words, why.q0 - why.best_step.q0))
    for a, b, bits in _compatible_merges(why.merges)[:_MERGES]:
        actions.append(Action(f"Merge cluster {write(a)} and cluster {write(b)}", bits))
    parts = {part.cluster: part for part in why.clusters}
    for split in why.splits[:_SPLITS]:
        part = parts[split.cluster]
        if part.kind in ("mixed", "noise-like") and (1 - part.purity) * part.size >= _REST:
            holds = f"which holds {split.classes:,} classes, mostly class {write(part.majority)}"
            words = f"Split cluster {write(split.cluster)}, {holds}"
            actions.append(Action(words, split.bits_saved, at_most=True))
    for a, b, bits in why.confused[:_CONFUSED]:
        if bits > _NOTHING:
            words = f"Separate class {write(a)} from class {write(b)}"
            actions.append(Action(words, bits, at_most=True))
    return actions


def list_remarks(why: Explanation, write: Write = short) -> Iterator[str]:
    """Yield remarks: merges that cost, classes in many clusters, single errors."""
    if why.merges and why.merges[0].bits_saved <= _NOTHING:
        a, b, bits = why.merges[0]
        cost = f"would cost {-bits:.2g} bits per object" if bits < -_NOTHING else "costs nothing"
        pair = f"cluster {write(a)} and cluster {write(b)}"
        yield f"No merge saves bits; the cheapest, of {pair}, {cost}."
    yield from filter(None, [why.describe_part(0, "merges")])
    remarks = {
        "Most scattered": [
            f"class {write(part.name)} (effectively {2**part.scatter:.1f} clusters)"
            for part in why.scattered
            if 2**part.scatter >= 1.5
        ],
        "False merges that cost most": [
            f"class {write(error.first)} and class {write(error.second)} in cluster "
            f"{write(error.cluster)} ({counted(error.objects, 'object')})"
            for error in why.false_merges
        ],
        "False splits that cost most": [
            f"class {write(error.name)} in cluster {write(error.first)} and cluster "
            f"{write(error.second)} ({counted(error.objects, 'object')})"
            for error in why.false_splits
        ],
    }
    for start, entries in remarks.items():
        if entries:
            yield f"{start}: {'; '.join(entries[:_REMARKED])}."


def _compatible_merges(merges: Iterable[Merge]) -> list[Merge]:
    """Return merges that save bits and have no cluster in common, so that all can be made.

    Their savings add up, because q0 is a sum over clusters.
    """
    merged: set[Any] = set()
    chosen = []
    for merge in merges:
        pair = merge[:2]
        if merge.bits_saved > _NOTHING and merged.isdisjoint(pair):
            merged.update(pair)
            chosen.append(merge)
    return chosen
