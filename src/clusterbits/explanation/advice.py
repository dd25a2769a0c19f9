"""What to do next, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from clusterbits.display.tables import counted, short

if TYPE_CHECKING:
    from clusterbits.explanation.results import Explanation, Merge

# Rows of the printed table, and entries of each sentence.
SHOWN = 5
# Savings and costs below this are rounding.
NOTHING = 1e-12


def advise(why: Explanation) -> Iterator[str]:
    """Yield sentences: the kinds of clusters, then what to merge, to split and to look at."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in why.kinds.items() if count)
    yield f"{counted(len(why.clusters), 'cluster')}: {kinds}."
    if why.merges:
        yield _merging(why)
    if why.over_split > 0:
        yield (
            f"Merging greedily to {counted(why.best_step.clusters, 'cluster')} lowers q0 from "
            f"{why.q0:.4f} to {why.best_step.q0:.4f}: {why.over_split:,} too many."
        )
    if why.splits:
        some = "; ".join(f"{short(s.cluster)} ({s.bits_saved:.4g})" for s in why.splits[:SHOWN])
        yield f"Splitting by class would save most in {some}."
    if why.scattered:
        some = "; ".join(
            f"{short(c.name)} (effectively {2**c.scatter:.1f} clusters)"
            for c in why.scattered[:SHOWN]
        )
        yield f"Most scattered classes: {some}."
    if why.confused:
        some = "; ".join(f"{_pair(c.classes, 'and')} ({c.bits:.4g})" for c in why.confused[:SHOWN])
        yield f"Most confused classes: {some}."
    if why.false_merges:
        some = "; ".join(
            f"{_pair(m.classes, 'and')} in cluster {short(m.cluster)} "
            f"({counted(m.objects, 'object')})"
            for m in why.false_merges[:SHOWN]
        )
        yield f"False merges that cost most: {some}."
    if why.false_splits:
        some = "; ".join(
            f"{short(s.name)} in clusters {_pair(s.clusters, 'and')} "
            f"({counted(s.objects, 'object')})"
            for s in why.false_splits[:SHOWN]
        )
        yield f"False splits that cost most: {some}."


def _merging(why: Explanation) -> str:
    chosen = compatible_merges(why.merges)[:SHOWN]
    if chosen:
        some = "; ".join(f"{_pair(m.clusters, 'with')} (saves {m.bits_saved:.4g})" for m in chosen)
        return f"Merge {some}." + ("" if why.merges_proven else " (Only likely pairs were tried.)")
    clusters, saved = why.merges[0]
    merge = "merge" if why.merges_proven else "likely merge"
    cost = f"would cost {-saved:.4g}" if saved < -NOTHING else "costs nothing"
    return f"No {merge} saves bits; the cheapest, {_pair(clusters, 'with')}, {cost}."


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


def _pair(names: tuple[Any, Any], word: str) -> str:
    return f"{short(names[0])} {word} {short(names[1])}"
