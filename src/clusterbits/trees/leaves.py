"""The classes of the leaves of a tree: labels of any form, brought into the order of the leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells, sum_by_key
from clusterbits.core.combinatorics import SQUARE_FITS
from clusterbits.core.immutable import Immutable
from clusterbits.core.labels import Ids, Labels, positions
from clusterbits.core.margins import Margin
from clusterbits.core.policy import LabelPolicy, TruthOptions, every_object_is, keep_classes
from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted, percent
from clusterbits.errors import LabelError
from clusterbits.ingest.arrays import check_one_each, name_codes, read_weights, refuse_empty
from clusterbits.ingest.join import join_labels
from clusterbits.ingest.missing import refuse_missing, treat_missing
from clusterbits.ingest.reading import read_labels
from clusterbits.trees.construction import Numbers
from clusterbits.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class LeafClasses(Immutable):
    """The class of each leaf, by its position in `names`, and how many objects the leaf counts as.

    Leaves that are left out count as 0 objects; their class means nothing.
    """

    codes: Numbers
    weights: Numbers
    names: NDArray[Any]

    @cached_property
    def margin(self) -> Margin:
        """The sizes of the classes."""
        return Margin.of(self.codes, self.weights, len(self.names), int(self.weights.sum()))

    @property
    def n(self) -> int:
        """The number of objects that are counted."""
        return int(self.margin.n)

    @property
    def left_out(self) -> int:
        """The number of leaves that are not counted."""
        return int(np.count_nonzero(self.weights == 0))

    @property
    def coverage(self) -> str:
        """How many objects are counted, as a line; empty where all are."""
        n = len(self.weights)
        if not (left_out := self.left_out):
            return ""
        return f"Scored {n - left_out:,} of {n:,} objects ({percent(1 - left_out / n, 1)})."

    def table(self, labels: Numbers) -> Contingency:
        """Return the table of the classes and of these clusters, one label for each leaf."""
        kept = self.weights > 0
        names, columns = np.unique(labels[kept], return_inverse=True)
        keys, counts = sum_by_key(self.codes[kept] * len(names) + columns, self.weights[kept])
        return Contingency.from_cells(Cells.from_keys(keys, counts, self.names, names))


def read_truth(truth: Any, tree: Tree, **labels: Unpack[TruthOptions]) -> LeafClasses:
    """Return the classes of the leaves; joined on ids where truth has ids of its own."""
    given = labels.pop("weights", None)
    policy = LabelPolicy(**labels)
    own = None if tree.ids is None else Ids(list(tree.ids), offered=True)
    read = {"truth": read_labels(truth, "truth"), "the tree": positions(tree.n, own)}
    if own is None and (policy.align or read["truth"].is_joined):
        raise LabelError(
            "truth knows its objects by id, and the leaves of the tree have no ids: pass them "
            "when you make it, as in Tree.from_linkage(Z, ids=ids)."
        )
    if read["truth"].ids is None and len(read["truth"]) != tree.n:
        leaves_have = "1 leaf" if tree.n == 1 else f"{tree.n:,} leaves"
        raise LabelError(
            f"truth has {counted(len(read['truth']), 'label')} and the tree has {leaves_have}: one "
            "label for each leaf is needed, in the same order."
        )
    weights, at = (None, None) if given is None else _whole_weights(given)
    (classes, leaves), places, _ = join_labels(read, policy, at)
    refuse_empty(classes)
    if leaves.names is not None:  # coded anew, with a cluster of what is not in the tree
        raise LabelError(
            "unmatched='class': some objects of truth are not in the tree, which has no cluster "
            "for them; pass unmatched='drop' to leave them out."
        )
    if weights is not None:
        weights = check_one_each(weights, len(classes)) if places is None else weights[places]
    if policy.missing == "error":
        refuse_missing(classes, "truth")
    classes, leaves, keep, _ = treat_missing(classes, leaves, weights, policy)
    counts = np.ones(len(classes), dtype=np.int64) if weights is None else weights[keep]
    return _placed(tree, classes, leaves, counts, policy)


def _placed(
    tree: Tree, classes: Labels, leaves: Labels, counts: Numbers, policy: LabelPolicy
) -> LeafClasses:
    """Return the classes in the order of the leaves; noise classes and weights of 0 left out."""
    rows, names = name_codes(classes.codes, classes)
    keep = counts > 0
    if policy.noise_classes:
        keep &= keep_classes(policy, names.tolist(), rows)
        if not keep.any():
            noise = policy.truth_noise
            raise every_object_is(f"in a class of truth_noise={noise!r}, or has a weight of 0")
    present, rows = np.unique(rows[keep], return_inverse=True)
    at = leaves.codes[keep]
    codes, weights = np.zeros(tree.n, dtype=np.int64), np.zeros(tree.n, dtype=np.int64)
    codes[at], weights[at] = rows, counts[keep]
    return LeafClasses(codes, weights, names[present])


def _whole_weights(given: Any) -> tuple[Numbers, Labels]:
    """Return whole weights and their positions."""
    wrong = LabelError(
        "weights: cuts of a tree count whole objects, up to 3 billion; pass whole numbers."
    )
    if isinstance(given, str):
        raise wrong
    weights, at = read_weights(given)
    if weights.dtype != np.int64 or int(weights.sum()) > SQUARE_FITS:
        raise wrong
    return weights, at
