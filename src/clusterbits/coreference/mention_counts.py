"""Coreference scores as counts: what the entities of key and response share.

An *entity* is a cluster of mentions; the key has the true ones, the response those of a system. A
mention that only one of them has is *twinless*: it counts in the size of its entity and is in no
cell. Each score comes as numerators and denominators, one for each document, so that they can be
summed over documents before they are divided, as the reference scorer of CoNLL does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.assignment import assigned_cells
from clusterbits.measures.elements import share_objects
from clusterbits.system.immutable import Immutable
from clusterbits.table.contingency import Contingency
from clusterbits.table.statistics import ratio


@dataclass(frozen=True)
class MentionTally(Immutable):
    """Numerators and denominators of recall and precision: numbers, or arrays over documents."""

    recall_hits: Any
    recall_of: Any
    precision_hits: Any
    precision_of: Any

    def pooled(self) -> MentionTally:
        """Return the sums over documents."""
        return MentionTally(*(np.asarray(counts).sum().item() for counts in vars(self).values()))


class Quality(NamedTuple):
    """Precision, recall and their harmonic mean: numbers, or arrays over documents."""

    precision: Any
    recall: Any
    f1: Any


@dataclass(frozen=True)
class Alignment(Immutable):
    """The mentions that key entities (rows) and response entities (columns) share, and all sizes.

    Each entity is in one document; `documents` is their number.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[Any]
    key_sizes: NDArray[Any]
    response_sizes: NDArray[Any]
    key_documents: NDArray[np.intp] | None = None
    response_documents: NDArray[np.intp] | None = None
    documents: int = 1

    @classmethod
    def from_table(cls, table: Contingency) -> Alignment:
        """Return the entities of a table, as one document without twinless mentions."""
        sizes = table.class_sizes, table.cluster_sizes
        return cls(table.rows, table.columns, table.counts, *sizes)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of key and of response entities."""
        return len(self.key_sizes), len(self.response_sizes)

    @property
    def cell_sizes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """For each cell, the sizes of its key entity and of its response entity."""
        return self.key_sizes[self.rows], self.response_sizes[self.columns]

    def best_cells(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of the cells in a best one-to-one match of entities, 0 elsewhere."""
        matched = np.zeros_like(weights)
        cells = assigned_cells(self, weights)
        matched[cells] = weights[cells]
        return matched

    def tally(
        self,
        hits: NDArray[Any] | tuple[NDArray[Any], NDArray[Any]],
        key: NDArray[Any],
        response: NDArray[Any],
    ) -> MentionTally:
        """Sum the hits of cells, and what key and response entities have, in each document.

        Hits are those of recall and those of precision, unless they are the same.
        """
        cell_documents = None if self.key_documents is None else self.key_documents[self.rows]
        hits_of_both = hits if isinstance(hits, tuple) else (hits,)
        sums = [self._sum(values, cell_documents) for values in hits_of_both]
        return MentionTally(
            sums[0],
            self._sum(key, self.key_documents),
            sums[-1],
            self._sum(response, self.response_documents),
        )

    def _sum(self, values: NDArray[Any], documents: NDArray[np.intp] | None) -> Any:
        if documents is None:
            total = values.sum()
            return total.item() if isinstance(total, np.generic) else total
        sums = np.bincount(documents, weights=values, minlength=self.documents)
        return sums if values.dtype.kind == "f" else sums.astype(np.int64)


def _pairs(counts: Any) -> Any:
    return counts * (counts - 1) // 2


def tally_mentions(entities: Alignment) -> MentionTally:
    """Return the mentions that both sides have, of all."""
    return entities.tally(entities.counts, entities.key_sizes, entities.response_sizes)


def tally_muc(entities: Alignment) -> MentionTally:
    """Return links of spanning trees that remain if entities are cut to what both share."""
    return entities.tally(entities.counts - 1, entities.key_sizes - 1, entities.response_sizes - 1)


def tally_bcubed(entities: Alignment) -> MentionTally:
    """Return, summed over mentions, the shares of their entities that both sides share."""
    a, b = entities.cell_sizes
    shares = share_objects(entities.counts, a), share_objects(entities.counts, b)
    return entities.tally(shares, entities.key_sizes, entities.response_sizes)


def tally_ceaf_m(entities: Alignment) -> MentionTally:
    """Return the mentions that matched entities share."""
    common = entities.best_cells(entities.counts.astype(np.float64))
    return entities.tally(common, entities.key_sizes, entities.response_sizes)


def tally_ceaf_e(entities: Alignment) -> MentionTally:
    """Return the overlap of matched entities, 2h / (a + b), and the number of entities."""
    a, b = (sizes.astype(np.float64) for sizes in entities.cell_sizes)
    common = entities.best_cells(2 * entities.counts.astype(np.float64) / (a + b))
    key, response = (np.ones(size, dtype=np.int64) for size in entities.shape)
    return entities.tally(common, key, response)


def tally_lea(entities: Alignment) -> MentionTally:
    """Return the share of each entity's links that the other side has, times its mentions."""
    a, b = (sizes.astype(np.float64) for sizes in entities.cell_sizes)
    h = entities.counts.astype(np.float64)
    # An entity of one mention has one link, to itself, which only an entity of one resolves.
    singletons = (a == 1) & (b == 1)

    def resolved(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(singletons, 1.0, h * ((h - 1) / np.maximum(sizes - 1, 1)))

    return entities.tally((resolved(a), resolved(b)), entities.key_sizes, entities.response_sizes)


def tally_links(entities: Alignment) -> MentionTally:
    """Return the pairs of mentions that are linked: in one entity."""
    sizes = entities.counts, entities.key_sizes, entities.response_sizes
    return entities.tally(*map(_pairs, sizes))


def tally_apart(entities: Alignment) -> MentionTally:
    """Return the pairs of mentions that are not linked."""
    links, mentions = tally_links(entities), tally_mentions(entities)
    # Entities without their twinless mentions.
    rows, columns = (
        np.bincount(groups, weights=entities.counts, minlength=size).astype(np.int64)
        for groups, size in zip((entities.rows, entities.columns), entities.shape, strict=True)
    )
    shared = entities.tally(*map(_pairs, (entities.counts, rows, columns)))
    linked = shared.recall_of + shared.precision_of - shared.recall_hits
    apart = _pairs(mentions.recall_hits) - linked
    key = _pairs(mentions.recall_of) - links.recall_of
    response = _pairs(mentions.precision_of) - links.precision_of
    return MentionTally(apart, key, apart, response)


# The tallies of each score, by name: BLANC has two.
TALLIES: dict[str, tuple[Callable[[Alignment], MentionTally], ...]] = {
    "muc": (tally_muc,),
    "bcubed": (tally_bcubed,),
    "ceaf_e": (tally_ceaf_e,),
    "ceaf_m": (tally_ceaf_m,),
    "blanc": (tally_links, tally_apart),
    "lea": (tally_lea,),
    "mentions": (tally_mentions,),
}


def rate(tally: MentionTally) -> Quality:
    """Return precision, recall and F1; 0 if there is nothing to divide by."""
    recall = ratio(tally.recall_hits, tally.recall_of)
    precision = ratio(tally.precision_hits, tally.precision_of)
    return Quality(precision, recall, ratio(2 * precision * recall, precision + recall))


def rate_blanc(tallies: Sequence[MentionTally], *, by_key: bool) -> Quality:
    """Return the mean of links and non-links; only of one kind if there are none of the other.

    A kind counts if the key has any of it (`by_key`, as for the reference scorer), or if either
    side has (as Luo et al. define it, the same for both sides).
    """
    counts = [
        (tally.recall_of if by_key else tally.recall_of + tally.precision_of) > 0
        for tally in tallies
    ]
    qualities = map(rate, tallies)
    number = np.maximum(np.add(*counts, dtype=np.int64), 1)
    return Quality(
        *(
            (counts[0] * linked + counts[1] * apart) / number
            for linked, apart in zip(*qualities, strict=True)
        )
    )
