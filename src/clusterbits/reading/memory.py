"""Labels in memory as a tally: by position, or joined on ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import Labels, status_or_none
from clusterbits.labels.options import PLAIN, LabelPolicy, TruthOptions
from clusterbits.labels.settle import count_cells, settle
from clusterbits.labels.tally import Tally
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels
from clusterbits.reading.on_device import count_on_device
from clusterbits.reading.weights import read_weights
from clusterbits.table.cells import Cells
from clusterbits.table.log_factorials import SQUARE_FITS


def count_labels(truth: Any, pred: Any, options: LabelPolicy = PLAIN) -> Cells:
    """Return how often each class meets each cluster."""
    return count_cells(tally_labels({"truth": truth, "pred": pred}, options), options)


def tally_labels(
    labelings: Mapping[str, Any], options: LabelPolicy = PLAIN, groups: Labels | None = None
) -> Tally:
    """Return the labels of the same objects in one order: classes first, then those of each run.

    They are called by their names in errors. `groups` are those of the objects of the classes.
    """
    if groups is None and len(labelings) == 2 and options.counts_objects:
        on_device = count_on_device(*labelings.values())
        if on_device is not None:
            return Tally.from_cells(on_device)
    labels = {name: read_labels(labeling, name) for name, labeling in labelings.items()}
    (classes, *clusters), weights, positions = join_labels(labels, options)
    if groups is not None and positions is not None:
        groups = groups.take(positions[0])
    _, *runs = labels
    return Tally(
        classes,
        dict(zip(runs, clusters, strict=True)),
        (*labels, "groups"),
        groups,
        weights=weights,
        joined=positions is not None,
    )


def join_groups(
    objects: Labels, groups: Labels, options: LabelPolicy, input_name: str = "truth"
) -> Labels:
    """Return the group of each of these objects, MISSING for one without.

    An object that counts must have a group (see `settle`), and the others need none.
    """
    loose = LabelPolicy(unmatched="drop", align=options.align and groups.ids is not None)
    (_, joined), _, positions = join_labels({input_name: objects, "groups": groups}, loose)
    if positions is not None:
        joined = joined.subset(positions[0] >= 0)
    return replace(joined, status=status_or_none(~joined.known))


def tally_classes(
    truth: Any, objects: Labels, input_name: str, **labels: Unpack[TruthOptions]
) -> Tally:
    """Return the objects of a tree or of memberships that count, as the run `input_name`.

    Its clusters are their positions there, None for an object that only truth has. Weights are
    numbers of objects.
    """
    options = LabelPolicy(**labels)
    if options.weights is not None:
        _check_whole(options.weights)
    return settle(tally_labels({"truth": truth, input_name: objects}, options), options)


def joined_positions(objects: Labels) -> NDArray[np.int64]:
    """Return the position of each object after a join; -1 if its side does not have it."""
    if objects.names is None:
        return objects.codes.astype(np.int64)
    names = [-1 if name is None else name for name in objects.names.tolist()]
    return np.array(names)[objects.codes]


def _check_whole(weights: Any) -> None:
    if not isinstance(weights, str):
        numbers = read_weights(weights).numbers
        if numbers.dtype == np.int64 and int(numbers.sum()) <= SQUARE_FITS:
            return
    raise LabelError("weights must be integer numbers of objects, up to 3 billion in total.")


def join_positions(sides: dict[str, Labels], options: LabelPolicy) -> list[NDArray[np.int64]]:
    """Return the positions of the same objects in two sides, -1 if a side does not have one."""
    tally = settle(tally_labels(sides, options), options)
    return [joined_positions(labels) for labels in tally.labelings]
