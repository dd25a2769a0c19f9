"""Objects in groups, such as documents, batches or patients: one count for all of them.

Classes are split by group, so that one count of class in group × cluster holds the table of each
group and that of all. Missing labels, noise and weights mean there what they mean everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.arguments import LabelOptions, as_table
from clusterbits.core.cells import Cells, as_names
from clusterbits.core.counting import rank
from clusterbits.core.labels import Labels
from clusterbits.core.table import Contingency
from clusterbits.errors import LabelError, check_choice
from clusterbits.ingest.arrays import align_indexes, name_codes, refuse_missing
from clusterbits.ingest.columns import pandas_index, read_labels

_ADVICE = "Give each object a group."


class GroupedTruth:
    """Classes of objects that are in groups, read once for all clusterings.

    Attributes
    ----------
    labels : Labels
        What to count in place of the classes: a number for each class in each group.
    classes, groups : ndarray
        The names of the classes and of the groups, in order.
    """

    def __init__(self, truth: Any, groups: Any, options: LabelOptions, who: str) -> None:
        if isinstance(truth, Contingency):
            raise LabelError(f"{who} needs labels: a table does not say which object is in which.")
        by_index = options.align and pandas_index(groups) is not None
        truth, groups = align_indexes({"truth": truth, who: groups}, by_index).values()
        classes, members = read_labels(truth, "truth"), read_labels(groups, who)
        if len(classes) != len(members):
            raise LabelError(
                f"truth has {len(classes)} labels and {who} has {len(members)}: "
                f"{who} names the group of each object, in the same order."
            )
        refuse_missing(members, who, advice=_ADVICE)
        rows, self.classes, missing = _name_classes(classes, options.missing == "class")
        places, self.groups = name_codes(members.codes, members)
        many = len(self.groups)
        self.labels = replace(
            classes,
            codes=rows * many + places,
            name=lambda codes: as_names([divmod(code, many) for code in codes.tolist()]),
            in_order=True,
            missing=missing,
        )

    def count(self, pred: Any, options: LabelOptions) -> GroupedTable:
        """Count one clustering; balanced classes are so in each group, and over all."""
        balanced = isinstance(options.weights, str)
        if balanced:
            check_choice("weights", options.weights, ("balanced",))
            options = options._replace(weights=None)
        return GroupedTable(self, as_table(self.labels, pred, options), balanced)


def _name_classes(
    labels: Labels, missing_as_class: bool
) -> tuple[NDArray[np.intp], NDArray[Any], NDArray[np.bool_] | None]:
    """Return the position of each object's class, the names in order, and what is missing."""
    known = ~labels.absent
    rows = np.zeros(len(labels), dtype=np.intp)
    rows[known], names = name_codes(labels.codes[known], labels)
    if labels.missing is None or not missing_as_class:
        return rows, names, labels.missing
    rows[~known] = len(names)
    return rows, as_names([*names.tolist(), None]), None


class GroupedTable:
    """The table of all objects, and of each group.

    Attributes
    ----------
    table : Contingency
        That of all objects.
    groups : list
        The names of the groups that have objects in it, in order.
    """

    def __init__(self, truth: GroupedTruth, joint: Contingency, balanced: bool) -> None:
        classes, groups = np.array(joint.classes, dtype=np.intp).T[:, joint.rows]
        self._cells = joint.cells._replace(classes=truth.classes, rows=classes, canonical=False)
        self._balanced = balanced
        self.table = self._weighted(self._cells)
        self._members, present = rank(groups)
        self.groups: list[Any] = truth.groups[present].tolist()

    def _weighted(self, cells: Cells) -> Contingency:
        return Contingency(cells.with_equal_classes() if self._balanced else cells)

    def tables(self) -> Iterator[tuple[Any, Contingency]]:
        """Yield each group and its table."""
        order = np.argsort(self._members, kind="stable")
        ends = np.bincount(self._members).cumsum()
        for name, some in zip(self.groups, np.split(order, ends[:-1]), strict=True):
            yield name, self._weighted(self._cells.only(some)._replace(coverage=None))

    @cached_property
    def counts(self) -> Any:
        """The objects of each group in each cell of `table`: a sparse array of cells × groups."""
        from scipy.sparse import csr_array

        shape = len(self.table.counts), len(self.groups)
        where = rank(self._cells.keys)[0], self._members
        return csr_array((self._cells.counts, where), shape=shape)
