"""Two labelings counted into cells: missing labels, noise and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells
from clusterbits.core.coding import inverse, rank
from clusterbits.core.counting import count_pairs
from clusterbits.core.exclusion import (
    coverage_of_join,
    leave_out_missing,
    missing_as_class,
    refuse_missing,
    refuse_weightless,
    treat_noise,
)
from clusterbits.core.labels import Labels
from clusterbits.core.naming import name_order
from clusterbits.core.policy import PLAIN, LabelPolicy
from clusterbits.ingest.devices import count_on_device
from clusterbits.ingest.join import join_labels
from clusterbits.ingest.reading import read_labels
from clusterbits.ingest.weights import read_weights


def count_labels(truth: Any, pred: Any, policy: LabelPolicy = PLAIN) -> Cells:
    """Count how often each class meets each cluster."""
    weights = None if policy.balanced else policy.weights
    if weights is None and not policy.align and (there := count_on_device(truth, pred)) is not None:
        return treat_noise(there, policy)
    read = {"truth": read_labels(truth, "truth"), "pred": read_labels(pred, "pred")}
    given = None if weights is None else read_weights(weights)
    (classes, clusters), numbers, of_objects = join_labels(read, policy, given)
    cells = _count_known(classes, clusters, numbers, policy)
    cells = cells._replace(weighted=numbers is not None)
    if of_objects is None:
        return treat_noise(cells, policy)
    objects = cells if numbers is None else _count_known(classes, clusters, None, policy)
    coverage = coverage_of_join(objects, (of_objects, read["pred"].distinct), policy)
    return treat_noise(cells, policy)._replace(coverage=coverage)


def _count_known(
    classes: Labels, clusters: Labels, weights: NDArray[Any] | None, policy: LabelPolicy
) -> Cells:
    """Count the objects that have both labels; or all, where a missing one is a class."""
    if weights is not None:
        refuse_weightless(weights)
    if classes.missing is None and clusters.missing is None:
        return _count(classes, clusters, weights)
    if policy.missing == "error":
        refuse_missing(classes, "truth")
        refuse_missing(clusters, "pred")
    cells = _count(missing_as_class(classes), missing_as_class(clusters), weights)
    return leave_out_missing(cells) if policy.missing == "drop" else cells


def _count(classes: Labels, clusters: Labels, weights: NDArray[Any] | None) -> Cells:
    # Up to 2^53 float64 adds whole numbers exactly, and faster.
    if weights is not None and weights.dtype == np.int64 and weights.sum() < 2**53:
        cells = count_pairs(classes.codes, clusters.codes, weights.astype(np.float64))
        cells = cells._replace(counts=cells.counts.astype(np.int64))
    else:
        cells = count_pairs(classes.codes, clusters.codes, weights)
    if classes.names is None and clusters.names is None:
        return cells
    rows, class_names = _name(cells.rows, cells.classes, classes)
    columns, cluster_names = _name(cells.columns, cells.clusters, clusters)
    # Cells come in the order of the codes, so only renamed ones have to be sorted again.
    canonical = classes.in_order and clusters.in_order
    return Cells(class_names, cluster_names, rows, columns, cells.counts, canonical)


def name_codes(codes: NDArray[Any], labels: Labels) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return each code's position among the names that occur, and those names in order."""
    return _name(*rank(codes), labels)


def _name(
    positions: NDArray[np.intp], present: NDArray[Any], labels: Labels
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return positions among the names of these codes in order, and those names."""
    names = labels.name(present)
    if not labels.in_order:
        order = name_order(names.tolist())
        names, positions = names[order], inverse(order)[positions]
    return positions, names


def name_known(labels: Labels) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the names in order, and each object's position among them; 0 where it has none."""
    known = ~labels.absent
    positions = np.zeros(len(labels), dtype=np.intp)
    positions[known], names = name_codes(labels.codes[known], labels)
    return positions, names
