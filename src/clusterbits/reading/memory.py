"""Labels in memory as a tally: by position, or joined on ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import UNMATCHED, Labels
from clusterbits.labels.options import PLAIN, LabelPolicy, TruthOptions
from clusterbits.labels.settle import count_cells, settle
from clusterbits.labels.tally import Tally
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels
from clusterbits.reading.on_device import count_on_device
from clusterbits.reading.weights import chosen_weights, read_weights
from clusterbits.table.cells import Cells
from clusterbits.table.label_names import Name
from clusterbits.table.log_factorials import SQUARE_FITS
from clusterbits.text.tables import counted


def count_labels(truth: Any, pred: Any, options: LabelPolicy = PLAIN) -> Cells:
    """Return how often each class meets each cluster."""
    if options.counts_objects and (on_device := count_on_device(truth, pred)) is not None:
        return count_cells(Tally.from_cells(on_device), options)
    labelings = {"truth": read_labels(truth, "truth"), "pred": read_labels(pred, "pred")}
    return count_cells(_tally(labelings, ("pred",), options), options)


def name_run(name: Name, runs: Mapping[Name, Any]) -> str:
    """Return the name of a run in errors: the only one is called "pred"."""
    return "pred" if len(runs) == 1 else f"clustering {name!r}"


def tally_labels(
    truth: Any,
    runs: Mapping[Name, Any],
    options: LabelPolicy = PLAIN,
    groups: Labels | None = None,
) -> Tally:
    """Return the labels of objects in one order; `groups` are those of the objects of truth.

    The only run is called "pred" in errors, several by their names.
    """
    labelings = {"truth": read_labels(truth, "truth")}
    for name, labels in runs.items():
        input_name = name_run(name, runs)
        labelings[input_name] = read_labels(labels, input_name)
    return _tally(labelings, list(runs), options, groups)


def _tally(
    labelings: dict[str, Labels],
    names: Sequence[Name],
    options: LabelPolicy,
    groups: Labels | None = None,
) -> Tally:
    weights = chosen_weights(options)
    (classes, *clusters), numbers, positions = join_labels(labelings, options, weights)
    if groups is not None and positions is not None:
        groups = groups.take(positions[0])
    return Tally(
        classes,
        dict(zip(names, clusters, strict=True)),
        (*labelings, "groups"),
        groups,
        weights=numbers,
        joined=positions is not None,
    )


def groups_of(truth: Labels, groups: Labels, options: LabelPolicy) -> Labels:
    """Return the group of each object of truth; groups of other objects are ignored."""
    loose = LabelPolicy(unmatched="drop", align=options.align and groups.ids is not None)
    (_, joined), _, positions = join_labels({"truth": truth, "groups": groups}, loose)
    if positions is None:
        return joined
    of_truth = joined.subset(positions[0] >= 0)
    if of_truth.status is not None and (unmatched := of_truth.status == UNMATCHED).any():
        raise LabelError(
            f"groups lacks a group for {counted(int(unmatched.sum()), 'object')} of truth. Give "
            "each object a group."
        )
    return of_truth


def tally_classes(
    truth: Any, objects: Labels, input_name: str, **labels: Unpack[TruthOptions]
) -> Tally:
    """Return the objects of a tree or of memberships that count, as the run `input_name`.

    Its clusters are their positions there, None for an object that only truth has. Weights are
    numbers of objects.
    """
    options = LabelPolicy(**labels)
    labelings = {"truth": read_labels(truth, "truth"), input_name: objects}
    if options.weights is not None:
        _check_whole(options.weights)
    return settle(_tally(labelings, [input_name], options), options)


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
    tally = settle(_tally(sides, list(sides)[1:], options), options)
    return [joined_positions(labels) for labels in tally.labelings]
