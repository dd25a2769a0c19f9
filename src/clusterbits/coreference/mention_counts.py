"""Coreference scores as counts: what the entities of key and response share.

An *entity* is a cluster of mentions; the key has the true ones, the response those of a system. A
mention that only one of them has is *twinless*: it counts in the size of its entity and is in no
cell. Each score comes as numerators and denominators, one for each document, so that they can be
summed over documents before they are divided, as the reference scorer of CoNLL does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.assignment import Components, assign_components, best_assignment
from clusterbits.measures.elements import share_objects
from clusterbits.system.immutable import Immutable, read_only
from clusterbits.table.contingency import Contingency
from clusterbits.table.statistics import ratio


class MentionTally(NamedTuple):
    """Numerators and denominators of recall and precision: numbers, or arrays over documents."""

    recall_hits: Any
    recall_of: Any
    precision_hits: Any
    precision_of: Any

    def pooled(self) -> MentionTally:
        """Return the sums over documents."""
        return MentionTally(*(np.asarray(part).sum().item() for part in self))


class Quality(NamedTuple):
    """Precision, recall and their harmonic mean: numbers, or arrays over documents."""

    precision: Any
    recall: Any
    f1: Any


@dataclass(frozen=True)
class Alignment(Immutable):
    """The mentions that key entities (rows) and response entities (columns) share, and all sizes.

    Where there are several documents, each entity is in one of them.
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
    def of(cls, table: Contingency) -> Alignment:
        """Return the entities of a table, as one document without twinless mentions."""
        sizes = table.class_sizes, table.cluster_sizes
        return cls(table.rows, table.columns, table.counts, *sizes)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of key and of response entities."""
        return len(self.key_sizes), len(self.response_sizes)

    @cached_property
    def components(self) -> Components:
        """The connected components of entities that share mentions."""
        return Components(*map(read_only, Components.from_table(self)))

    def sum_key(self, values: NDArray[Any]) -> Any:
        """Return the sum over key entities, in each document."""
        return self._sum(values, self.key_documents)

    def sum_response(self, values: NDArray[Any]) -> Any:
        """Return the sum over response entities, in each document."""
        return self._sum(values, self.response_documents)

    def sum_cells(self, values: NDArray[Any]) -> Any:
        """Return the sum over cells, in each document."""
        documents = self.key_documents
        return self._sum(values, None if documents is None else documents[self.rows])

    def sum_best(self, weights: NDArray[np.float64]) -> Any:
        """Return the greatest sum of weights of cells over one-to-one matches of entities."""
        if self.key_documents is None:
            return best_assignment(self, weights)
        found = self.components
        documents = np.zeros(len(found.classes), dtype=np.intp)
        documents[found.of_cells] = self.key_documents[self.rows]
        return self._sum(assign_components(self, weights, found), documents)

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
    shared = entities.sum_cells(entities.counts)
    key, response = entities.key_sizes, entities.response_sizes
    return MentionTally(shared, entities.sum_key(key), shared, entities.sum_response(response))


def tally_muc(entities: Alignment) -> MentionTally:
    """Return links of spanning trees that remain where entities are cut to what both share."""
    common = entities.sum_cells(entities.counts - 1)
    return MentionTally(
        common,
        entities.sum_key(entities.key_sizes - 1),
        common,
        entities.sum_response(entities.response_sizes - 1),
    )


def tally_bcubed(entities: Alignment) -> MentionTally:
    """Return the shares of right companions, summed over mentions."""
    found = tally_mentions(entities)
    recall, precision = (
        entities.sum_cells(share_objects(entities.counts, sizes)) for sizes in _cell_sizes(entities)
    )
    return MentionTally(recall, found.recall_of, precision, found.precision_of)


def tally_ceaf_m(entities: Alignment) -> MentionTally:
    """Return the mentions that matched entities share."""
    common = entities.sum_best(entities.counts.astype(np.float64))
    return tally_mentions(entities)._replace(recall_hits=common, precision_hits=common)


def tally_ceaf_e(entities: Alignment) -> MentionTally:
    """Return the overlap of matched entities, 2h / (a + b), and the number of entities."""
    a, b = (sizes.astype(np.float64) for sizes in _cell_sizes(entities))
    common = entities.sum_best(2 * entities.counts.astype(np.float64) / (a + b))
    key, response = (np.ones(size, dtype=np.int64) for size in entities.shape)
    return MentionTally(common, entities.sum_key(key), common, entities.sum_response(response))


def tally_lea(entities: Alignment) -> MentionTally:
    """Return the share of each entity's links that the other side has, times its mentions."""
    found = tally_mentions(entities)
    a, b = (sizes.astype(np.float64) for sizes in _cell_sizes(entities))
    h = entities.counts.astype(np.float64)
    # An entity of one mention has one link, to itself, which only an entity of one resolves.
    alone = (a == 1) & (b == 1)
    recall, precision = (
        entities.sum_cells(np.where(alone, 1.0, h * ((h - 1) / np.maximum(size - 1, 1))))
        for size in (a, b)
    )
    return MentionTally(recall, found.recall_of, precision, found.precision_of)


def tally_links(entities: Alignment) -> MentionTally:
    """Return the pairs of mentions that are linked: in one entity."""
    both = entities.sum_cells(_pairs(entities.counts))
    in_key = entities.sum_key(_pairs(entities.key_sizes))
    in_response = entities.sum_response(_pairs(entities.response_sizes))
    return MentionTally(both, in_key, both, in_response)


def tally_apart(entities: Alignment) -> MentionTally:
    """Return the pairs of mentions that are not linked."""
    links, mentions = tally_links(entities), tally_mentions(entities)
    # Of mentions that both sides have.
    rows, columns = (
        np.bincount(groups, weights=entities.counts, minlength=size).astype(np.int64)
        for groups, size in zip((entities.rows, entities.columns), entities.shape, strict=True)
    )
    linked = entities.sum_key(_pairs(rows)) + entities.sum_response(_pairs(columns))
    apart = _pairs(mentions.recall_hits) - (linked - links.recall_hits)
    key, response = (
        _pairs(of) - linked
        for of, linked in (
            (mentions.recall_of, links.recall_of),
            (mentions.precision_of, links.precision_of),
        )
    )
    return MentionTally(apart, key, apart, response)


def rate(tally: MentionTally) -> Quality:
    """Return precision, recall and F1; 0 where there is nothing to divide by."""
    recall = ratio(tally.recall_hits, tally.recall_of)
    precision = ratio(tally.precision_hits, tally.precision_of)
    return Quality(precision, recall, ratio(2 * precision * recall, precision + recall))


def rate_blanc(tallies: Sequence[MentionTally], *, by_key: bool) -> Quality:
    """Return the mean of both kinds of links, or the one kind that there is.

    A kind is not there where the key has none of it (`by_key`, as the reference scorer has it), or
    where neither side has any (as Luo et al. define it, the same for both sides).
    """
    there = [
        (tally.recall_of if by_key else tally.recall_of + tally.precision_of) > 0
        for tally in tallies
    ]
    one, other = map(rate, tallies)
    number = np.maximum(np.add(*there, dtype=np.int64), 1)
    return Quality(
        *((there[0] * a + there[1] * b) / number for a, b in zip(one, other, strict=True))
    )


def _cell_sizes(entities: Alignment) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return, for each cell, the sizes of its key entity and of its response entity."""
    return entities.key_sizes[entities.rows], entities.response_sizes[entities.columns]
