"""The tally: rows of objects with their labels, from any source, before they are counted.

A row is one object, or all objects with the same labels, grouped by an engine. Labels may be
MISSING, or UNMATCHED by a join; `settle` says which rows count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.labeling import MISSING, UNMATCHED, Labels, status_or_none
from clusterbits.labels.pair_counting import count_pairs
from clusterbits.table.cells import Cells, Coverage
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.table.numbering import factorize_integers, group_objects


class Tally(NamedTuple):
    """Rows of objects: their class, their cluster in each run, their group, and their weight.

    Attributes
    ----------
    truth : Labels
        The class of each row.
    runs : mapping of names to Labels
        The cluster of each row in each clustering.
    input_names : sequence of str
        The names of the labelings in errors: the classes, the runs, and the groups if any.
    groups : Labels or None
        The group of each row, such as its document.
    objects : ndarray or None
        The number of objects of each row. None if each row is one object, in order.
    weights : ndarray or None
        The sum of the weights of each row's objects: int64, or float64 if one of them is not an
        integer. None if objects have no weights.
    joined : bool
        Whether sources were joined on ids, so that some objects may be UNMATCHED.
    coverage : Coverage or None
        The part of the data that these rows are, if objects were excluded.
    where : str
        The source in errors.
    """

    truth: Labels
    runs: Mapping[Name, Labels]
    input_names: Sequence[str] = ("truth", "pred")
    groups: Labels | None = None
    objects: NDArray[Any] | None = None
    weights: NDArray[Any] | None = None
    joined: bool = False
    coverage: Coverage | None = None
    where: str = ""

    @classmethod
    def from_cells(cls, cells: Cells) -> Tally:
        """Return the cells of a table as rows; the label None is MISSING.

        In a table of weights a unit of weight represents an object.
        """
        return cls(
            _labels_of(cells.rows, cells.classes),
            {"pred": _labels_of(cells.columns, cells.clusters)},
            objects=cells.counts,
            weights=cells.counts if cells.weighted else None,
            coverage=cells.coverage,
        )

    @property
    def labelings(self) -> list[Labels]:
        """The classes, then the clusters of each run."""
        return [self.truth, *self.runs.values()]

    @property
    def weighted(self) -> bool:
        """Whether objects have weights."""
        return self.weights is not None

    @property
    def amounts(self) -> NDArray[Any] | None:
        """The contribution of each row to the table: weights, else objects; None if it is 1."""
        return self.objects if self.weights is None else self.weights

    @property
    def counts(self) -> NDArray[Any]:
        """The contribution of each row to the table."""
        amounts = self.amounts
        return np.ones(len(self.truth), dtype=np.int64) if amounts is None else amounts

    def subset(self, keep: NDArray[np.bool_ | np.integer[Any]]) -> Tally:
        """Return the rows selected by a mask or by indices."""
        return self._replace(
            truth=self.truth.subset(keep),
            runs={name: labels.subset(keep) for name, labels in self.runs.items()},
            groups=None if self.groups is None else self.groups.subset(keep),
            objects=None if self.objects is None else self.objects[keep],
            weights=None if self.weights is None else self.weights[keep],
        )

    def with_counts(self, counts: NDArray[Any]) -> Tally:
        """Return rows with other counts: sums of weights if they have any, else objects."""
        return self._replace(objects=counts, weights=counts if self.weighted else None)

    def reduced(self) -> Tally:
        """Return unique label rows, which settle faster, if one run of objects allows it.

        Objects in groups stay, and weighted ones that are joined, lack labels or have fractions.
        """
        weights = self.weights
        known = all(labels.status is None for labels in self.labelings)
        integers = weights is None or (weights.dtype == np.int64 and known and not self.joined)
        grouped = self.objects is not None or self.groups is not None
        if grouped or len(self.runs) > 1 or not integers:
            return self
        ((run, pred),) = self.runs.items()
        truth, pred = _with_status(self.truth), _with_status(pred)
        cells = count_pairs(truth.codes, pred.codes, _as_floats(weights))
        if len(cells.counts) == 0:  # all weights are 0
            return self
        truth = _with_codes(truth, cells.classes[cells.rows])
        pred = _with_codes(pred, cells.clusters[cells.columns])
        rows = self._replace(truth=truth, runs={run: pred})
        return rows.with_counts(cells.counts.astype(np.int64))

    def counted(self) -> Tally:
        """Return unique label rows, sorted by label; codes are indices into names.

        No label may be MISSING or UNMATCHED.
        """
        labelings = [self.truth, *([] if self.groups is None else [self.groups])]
        named = [labels.named() for labels in (*labelings, *self.runs.values())]
        examples, counts = group_objects(*(codes for codes, _ in named), weights=self.amounts)
        truth, *rest = [Labels(codes[examples], names) for codes, names in named]
        groups = None if self.groups is None else rest.pop(0)
        runs = dict(zip(self.runs, rest, strict=True))
        return self._replace(truth=truth, runs=runs, groups=groups).with_counts(counts)

    def cells(self) -> Cells:
        """Return the cells of the only run; all rows count."""
        (pred,) = self.runs.values()
        cells = _count(self.truth, pred, self.amounts)
        if self.coverage is None and not self.weighted:
            return cells
        return cells._replace(coverage=self.coverage, weighted=self.weighted)


def _labels_of(codes: NDArray[np.intp], names: NDArray[Any]) -> Labels:
    absent = np.array([name is None for name in names.tolist()], dtype=np.bool_)
    return Labels(codes, names, status=status_or_none(MISSING * absent[codes].view(np.int8)))


def _with_status(labels: Labels) -> Labels:
    """Return labels with codes for MISSING and UNMATCHED, after those of all names."""
    if labels.status is None:
        return labels
    codes, names = labels.named()
    codes[labels.status == UNMATCHED] += 1
    return Labels(codes, names, status=labels.status)


def _with_codes(labels: Labels, codes: NDArray[Any]) -> Labels:
    """Return labels with other codes of `_with_status`, and the status they imply."""
    if labels.status is None or labels.names is None:
        return replace(labels, codes=codes)
    status = np.maximum(codes - len(labels.names) + MISSING, 0).astype(np.int8)
    return replace(labels, codes=codes, status=status_or_none(status))


def _as_floats(weights: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return integer weights as float64, which adds them exactly up to 2^53, and faster."""
    if weights is not None and weights.dtype == np.int64 and weights.sum() < 2**53:
        return weights.astype(np.float64)
    return weights


def _count(classes: Labels, clusters: Labels, weights: NDArray[Any] | None) -> Cells:
    cells = count_pairs(classes.codes, clusters.codes, _as_floats(weights))
    if weights is not None and weights.dtype == np.int64:
        cells = cells._replace(counts=cells.counts.astype(np.int64, copy=False))
    if classes.names is None and clusters.names is None:
        return cells
    rows, class_names = classes.in_name_order(cells.rows, cells.classes)
    columns, cluster_names = clusters.in_name_order(cells.columns, cells.clusters)
    # Cells are in the order of the codes, so only renamed ones are sorted again.
    canonical = classes.in_order and clusters.in_order
    return Cells(class_names, cluster_names, rows, columns, cells.counts, canonical)


class GroupedTable:
    """The table of all objects, and of each group.

    Attributes
    ----------
    table : Contingency
        The table of all objects.
    groups : list
        The names of the groups with objects in it, in order.
    every_group : list
        The names of all groups, also of those without an object that counts.
    """

    def __init__(self, tally: Tally, every_group: Labels, balanced: bool) -> None:
        assert tally.groups is not None
        (clusters,) = tally.runs.values()
        rows, classes = tally.truth.named()
        members, group_names = tally.groups.named()
        pairs = Labels(rows * len(group_names) + members)
        joint = _count(pairs, clusters, tally.amounts).in_canonical_form()
        pair_rows, self._members = np.divmod(joint.classes[joint.rows], len(group_names))
        self._cells = joint._replace(
            classes=classes,
            rows=pair_rows,
            canonical=False,
            coverage=tally.coverage,
            weighted=tally.weighted,
        )
        self._balanced = balanced
        self.table = self._table(self._cells)
        self.groups: list[Any] = group_names.tolist()
        self.every_group: list[Any] = every_group.named()[1].tolist()

    def _table(self, cells: Cells) -> Contingency:
        table = Contingency.from_cells(cells)
        return table.balanced() if self._balanced else table

    def tables(self) -> Iterator[tuple[Any, Contingency]]:
        """Yield each group and its table."""
        order = np.argsort(self._members, kind="stable")
        ends = np.bincount(self._members).cumsum()
        for group, rows in enumerate(np.split(order, ends[:-1])):
            cells = self._cells.subset(rows)._replace(coverage=None)
            yield self.groups[group], self._table(cells)

    @cached_property
    def counts(self) -> Any:
        """The objects of each group in each cell of `table`: a sparse array, cells × groups."""
        from scipy.sparse import csr_array

        shape = len(self.table.counts), len(self.groups)
        indices = factorize_integers(self._cells.keys)[0], self._members
        return csr_array((self._cells.counts, indices), shape=shape)
