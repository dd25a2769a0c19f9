"""What a code is made from: labels that were read, and the one table they are counted into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clusterbits.codec.partition import Partition, read_partition
from clusterbits.codec.rans import Ints
from clusterbits.core import kernels
from clusterbits.core.coding import finder, is_readable
from clusterbits.core.counting import Counted, count_pairs
from clusterbits.core.labels import Labels
from clusterbits.core.policy import LabelPolicy
from clusterbits.core.table import Contingency
from clusterbits.errors import LabelError
from clusterbits.ingest.arrays import name_counts, refuse_empty
from clusterbits.ingest.columns import read_labels
from clusterbits.ingest.matching import match_objects
from clusterbits.ingest.missing import refuse_missing

_COMPLETE = (
    "A code has a label for every object: leave such objects out of truth and pred, "
    "or give them a label of their own."
)
# Cells are looked up in a table of all pairs of labels up to this large: 8 MB.
_MOST_PAIRS = 1 << 20


class SentTable(NamedTuple):
    """The cells that are not zero, in the order in which they are sent: by cluster, then class."""

    columns: Ints
    classes: Ints
    counts: Ints


class Message(NamedTuple):
    """The clusters, the table, and the cell of each object."""

    partition: Partition
    table: Contingency
    sent: SentTable
    find: Callable[[slice | Ints], Ints]


def read_for_code(truth: Any, pred: Any, align: bool = False) -> tuple[Labels, Labels]:
    """Return classes and clusters; refuse classes that would be read as something else."""
    if isinstance(truth, Contingency):
        raise LabelError(
            "truth is a Contingency, which has no order of objects; a code sends one class after "
            "the other. Pass the labels of the objects, truth and pred."
        )
    if getattr(getattr(truth, "dtype", None), "kind", None) == "S":
        raise LabelError(
            "truth holds bytes; a code names classes by integers, strings and booleans. "
            "Encode truth.astype(str) instead."
        )
    read = {"truth": read_in_order(truth, "truth"), "pred": read_in_order(pred, "pred")}
    # Missing labels are refused later on.
    classes, clusters = match_objects(read, LabelPolicy(missing="drop"), align).labels
    refuse_empty(classes)
    return classes, clusters


def read_in_order(labels: Any, who: str) -> Labels:
    """Read labels that come in the order of their objects, in which a code sends them."""
    found = read_labels(labels, who)
    if found.ids is not None and not found.ids.soft:
        raise LabelError(
            f"{who} knows its objects by id, and a code sends one class after the other, in an "
            "order that the decoder must know: pass labels in one order, such as "
            f"[{who}[i] for i in sorted({who})]."
        )
    return found


def refuse_absent(labels: Labels, who: str) -> None:
    """Raise where an object has no label."""
    refuse_missing(labels, who, advice=_COMPLETE)


def count_message(classes: Labels, clusters: Labels) -> Message:
    """Return labels that were read, with the one table that they are counted into."""
    refuse_absent(classes, "truth")
    refuse_absent(clusters, "pred")
    partition = read_partition(clusters)
    counted = count_pairs(classes.codes, clusters.codes)
    # By name even for ordered categoricals: equal labels in any container give the same code.
    cells = name_counts(counted, replace(classes, in_order=False), clusters)
    numbers = partition.numbers[partition.find(counted.clusters)]
    order = np.lexsort((cells.rows, numbers))
    sent = SentTable(numbers[order], cells.rows[order], counted.counts[order])
    find = _find_by_pair(classes, clusters, counted, order)
    if find is None:
        known, first = np.unique(counted.classes, return_index=True)
        position, rows, width = finder(known), cells.rows[first], len(known)
        cell = finder(sent.columns * width + sent.classes)

        def find(objects: slice | Ints) -> Ints:
            return cell(partition.of(objects) * width + rows[position(classes.codes[objects])])

    return Message(partition, Contingency.from_cells(cells), sent, find)


def _find_by_pair(
    classes: Labels, clusters: Labels, counted: Counted, order: Ints
) -> Callable[[slice | Ints], Ints] | None:
    """Return a compiled look-up of cells by pairs of codes; None where there are many."""
    if not is_readable(classes.codes, clusters.codes):
        return None
    low_c, low_k = int(counted.classes[0]), int(counted.clusters.min())
    height, width = int(counted.classes[-1]) - low_c + 1, int(counted.clusters.max()) - low_k + 1
    if height * width > _MOST_PAIRS:
        return None
    rows, columns = (counted.classes - low_c).astype(np.int64), counted.clusters - low_k
    cells = np.full(height * width, -1, dtype=np.int64)
    cells[(rows * width + columns.astype(np.int64))[order]] = np.arange(len(order))
    box = low_c % 2**64, low_k % 2**64, height, width

    def find(objects: slice | Ints) -> Ints:
        c, k = classes.codes[objects], clusters.codes[objects]
        found = np.empty(len(c), dtype=np.int64)
        kernels.native.look_up_cells(c, k, *box, cells, found)
        return found

    return find
