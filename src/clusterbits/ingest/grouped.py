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

from clusterbits.core.cells import Cells, Coverage
from clusterbits.core.coding import number_objects, rank
from clusterbits.core.exclusion import refuse_missing, treat_noise
from clusterbits.core.labels import Labels
from clusterbits.core.naming import as_names
from clusterbits.core.policy import LabelPolicy
from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted
from clusterbits.errors import LabelError
from clusterbits.ingest.arrays import count_labels, name_codes, name_known
from clusterbits.ingest.ids import read_ids, show_id
from clusterbits.ingest.join import join_labels
from clusterbits.ingest.reading import read_labels
from clusterbits.ingest.tallies import EngineTally, count_tally
from clusterbits.ingest.weights import read_weights

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

    def __init__(
        self,
        classes: Labels,
        members: Labels,
        missing_as_class: bool,
        every_member: Labels | None = None,
    ) -> None:
        rows, self.classes, missing = _name_classes(classes, missing_as_class)
        # Those of objects that are not counted have codes of the same column.
        every = members if every_member is None else every_member
        places, self.groups = name_codes(np.concatenate([members.codes, every.codes]), members)
        places, many = places[: len(members)], len(self.groups)
        codes, present = rank(rows * many + places)
        # The class and the group of each code, as positions in `classes` and `groups`.
        self.places = np.stack(np.divmod(present, many))
        names = as_names([(row, group) for row, group in self.places.T.tolist()])
        self.labels = replace(classes, codes=codes, names=names, in_order=True, missing=missing)

    @classmethod
    def read(cls, truth: Any, groups: Any, policy: LabelPolicy) -> GroupedTruth:
        """Read the class and the group of each object."""
        if isinstance(truth, Contingency):
            raise LabelError("groups needs labels: a table does not say which object is in which.")
        if policy.unmatched == "class":
            raise LabelError(
                "the option unmatched makes no class of objects where there are groups: an object "
                "that truth lacks has no group. It can drop them."
            )
        read = {"truth": read_labels(truth, "truth"), "groups": read_labels(groups, "groups")}
        by_index = policy.align and read["groups"].ids is not None
        # Groups of other objects are ignored.
        loose = LabelPolicy(missing="drop", unmatched="drop", align=by_index)
        classes, members = join_labels(read, loose).labels
        if len(classes) < len(read["truth"]):
            raise _without_group(**read)
        # Joined objects are in the order of truth, whose ids still hold.
        classes = replace(classes, ids=read["truth"].ids)
        refuse_missing(members, "groups", advice=_ADVICE)
        return cls(classes, members, policy.missing == "class")

    @classmethod
    def from_tally(cls, tally: EngineTally, policy: LabelPolicy) -> GroupedTruth:
        """Take the class and the group of each row from what an engine has grouped."""
        members = tally.members
        assert members is not None
        every, counts = tally.every_member or (members, tally.counts)
        refuse_missing(every, f"column {tally.names[-1]!r}", counts, _ADVICE)
        return cls(tally.classes, members, policy.missing == "class", every)

    def count(self, pred: Any, policy: LabelPolicy) -> GroupedTable:
        """Count one clustering; balanced classes are so in each group, and over all."""
        # With their groups the classes are read here, wherever they were.
        clusters = read_labels(pred, "pred")
        own = replace(policy, truth_noise=None)  # which is about classes, not classes in groups
        joint = Contingency.from_cells(count_labels(self.labels, clusters, own))
        fractional = np.empty(0, np.intp) if joint.exact else self._where_fractional(clusters, own)
        return GroupedTable(self, joint, policy, fractional)

    def _where_fractional(self, clusters: Labels, policy: LabelPolicy) -> NDArray[np.intp]:
        """Return the groups in which some object has a weight that is not whole."""
        sides, weights = {"truth": self.labels, "pred": clusters}, read_weights(policy.weights)
        (classes, _), numbers, _ = join_labels(sides, policy, weights)
        assert numbers is not None
        return np.asarray(self.places[1, classes.codes[numbers != np.floor(numbers)]])


def split_by_group(tally: EngineTally, policy: LabelPolicy) -> GroupedTable:
    """Return the tables of what an engine has grouped by class, cluster and group."""
    truth = GroupedTruth.from_tally(tally, policy)
    own = replace(policy, truth_noise=None)
    joint = Contingency.from_cells(count_tally(tally._replace(classes=truth.labels), own))
    fractional = truth.places[1, truth.labels.codes[tally.is_fractional]]
    return GroupedTable(truth, joint, policy, fractional, tally.coverage)


def _without_group(truth: Labels, groups: Labels) -> LabelError:
    """Return the error that names an object of truth which has no group."""
    sides = {"truth": truth.ids, "groups": groups.ids}
    ids = [read_ids(some, name) for name, some in sides.items() if some is not None]
    (objects, known), _ = number_objects(ids)
    lacking = np.flatnonzero(~np.isin(objects, known))
    return LabelError(
        f"groups lacks a group for {counted(len(lacking), 'object')} of truth, such as the id "
        f"{show_id(ids[0], int(lacking[0]))}. {_ADVICE}"
    )


def _name_classes(
    labels: Labels, missing_as_class: bool
) -> tuple[NDArray[np.intp], NDArray[Any], NDArray[np.bool_] | None]:
    """Return the position of each object's class, the names in order, and what is missing."""
    rows, names = name_known(labels)
    if labels.missing is None or not missing_as_class:
        return rows, names, labels.missing
    rows[labels.missing] = len(names)
    return rows, as_names([*names.tolist(), None]), None


class GroupedTable:
    """The table of all objects, and of each group.

    Attributes
    ----------
    table : Contingency
        That of all objects.
    groups : list
        The names of the groups that have objects in it, in order.
    every_group : list
        The names of all groups, also of those without an object that counts.
    """

    def __init__(
        self,
        truth: GroupedTruth,
        joint: Contingency,
        policy: LabelPolicy,
        fractional: NDArray[np.intp],
        coverage: Coverage | None = None,
    ) -> None:
        classes, groups = np.array(joint.classes, dtype=np.intp).T[:, joint.rows]
        cells = joint.cells._replace(classes=truth.classes, rows=classes, canonical=False)
        noise = np.array([policy.is_noise_class(name) for name in truth.classes.tolist()])
        # What `noise` asks for was done in the joint table.
        self._cells = treat_noise(cells, LabelPolicy(truth_noise=policy.truth_noise))
        if coverage is not None:
            self._cells = self._cells._replace(coverage=coverage)
        self._balanced = policy.balanced
        self.table = self._weighted(self._cells)
        self._members, present = rank(groups[~noise[classes]])
        # A group is as if counted alone: its whole weights are objects, whatever others have.
        self._whole = np.isin(present, fractional, invert=True)
        self.groups: list[Any] = truth.groups[present].tolist()
        self.every_group: list[Any] = truth.groups.tolist()

    def _weighted(self, cells: Cells) -> Contingency:
        table = Contingency.from_cells(cells)
        return table.balanced() if self._balanced else table

    def tables(self) -> Iterator[tuple[Any, Contingency]]:
        """Yield each group and its table."""
        order = np.argsort(self._members, kind="stable")
        ends = np.bincount(self._members).cumsum()
        for group, some in enumerate(np.split(order, ends[:-1])):
            cells = self._cells.only(some)._replace(coverage=None)
            if self._whole[group]:
                cells = cells._replace(counts=cells.counts.astype(np.int64, copy=False))
            yield self.groups[group], self._weighted(cells)

    @cached_property
    def counts(self) -> Any:
        """The objects of each group in each cell of `table`: a sparse array of cells × groups."""
        from scipy.sparse import csr_array

        shape = len(self.table.counts), len(self.groups)
        where = rank(self._cells.keys)[0], self._members
        return csr_array((self._cells.counts, where), shape=shape)
