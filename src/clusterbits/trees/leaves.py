"""The classes of the leaves of a tree: labels of any form, brought into the order of the leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.arguments import GivenOptions
from clusterbits.core.cells import Cells, sum_by_key
from clusterbits.core.combinatorics import SQUARE_FITS
from clusterbits.core.immutable import Immutable
from clusterbits.core.labels import Ids, Labels, positions, themselves
from clusterbits.core.margins import Margin
from clusterbits.core.policy import LabelPolicy, every_object_is, keep_classes
from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted, percent
from clusterbits.errors import LabelError
from clusterbits.ingest.arrays import name_codes, read_weights, refuse_empty
from clusterbits.ingest.columns import read_labels
from clusterbits.ingest.matching import match_objects
from clusterbits.ingest.missing import refuse_missing, treat_missing
from clusterbits.ingest.weighting import Weighting
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


def read_truth(truth: Any, tree: Tree, options: GivenOptions) -> LeafClasses:
    """Return the classes of the leaves; joined on ids where truth has ids of its own."""
    policy = options.policy
    own = None if tree.ids is None else Ids(list(tree.ids), soft=True)
    read = {
        "truth": read_labels(truth, "truth"),
        "the tree": positions(tree.n, own),
    }
    ids = read["truth"].ids
    if own is None and ids is not None and (options.align or not ids.soft):
        raise LabelError(
            "truth knows its objects by id, and the leaves of the tree have no ids: pass them "
            "when you make it, as in Tree.from_linkage(Z, ids=ids)."
        )
    if own is None and ids is not None:  # an index of pandas, which leaves need not have
        read["truth"] = read["truth"].only(np.arange(len(read["truth"])))
    if read["truth"].ids is None and len(read["truth"]) != tree.n:
        leaves_have = "1 leaf" if tree.n == 1 else f"{tree.n:,} leaves"
        raise LabelError(
            f"truth has {counted(len(read['truth']), 'label')} and the tree has {leaves_have}: one "
            "label for each leaf is needed, in the same order."
        )
    given = _weighting(options.weights)
    (classes, leaves), places, _ = match_objects(
        read, policy, options.align, given, may_overlap=False
    )
    refuse_empty(classes)
    if leaves.name is not themselves:  # coded anew, with a cluster of what is not in the tree
        raise LabelError(
            "unmatched='class': some objects of truth are not in the tree, which has no cluster "
            "for them; pass unmatched='drop' to leave them out."
        )
    weights = None if given is None else _whole_weights(given, places, len(read["truth"]))
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


def _weighting(weights: Any) -> Weighting | None:
    if weights is None:
        return None
    if isinstance(weights, str):
        raise LabelError(
            f"weights={weights!r}: cuts of a tree count whole objects; pass whole numbers."
        )
    return Weighting.of(weights)


def _whole_weights(given: Weighting, places: Numbers | None, n: int) -> Numbers:
    by_id = places is not None and given.ids is not None
    weights = read_weights(given.values, len(given.values) if by_id else n)
    if weights.dtype != np.int64 or int(weights.sum()) > SQUARE_FITS:
        raise LabelError(
            "weights: cuts of a tree count whole objects, up to 3 billion; pass whole numbers."
        )
    return weights if places is None else weights[places]
