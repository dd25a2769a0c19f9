"""Names carried over to objects: a continued cluster keeps its old name, no other gets one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.fates import CONTINUED, NO_CLUSTER, Clusters
from clusterbits.labels.labeling import Labels
from clusterbits.labels.tally import Tally
from clusterbits.reading.kept_labels import keep_labels
from clusterbits.reading.old_and_new import NEW, OldAndNew
from clusterbits.table.label_names import as_written, carry_names, name_order


class Objects(NamedTuple):
    """Labels of objects in memory, as copies.

    Attributes
    ----------
    labels : Labels
        The new labels of all objects, in the order given, with their explicit ids if any.
    old, new : Labels
        The labels of the objects in the table.
    positions : ndarray of int or None
        The position in `labels` of each of these; None if they are all, in order.
    """

    labels: Labels
    old: Labels
    new: Labels
    positions: NDArray[np.int64] | None


def keep_objects(read: OldAndNew, rows: Tally, counted: NDArray[Any] | None) -> Objects | None:
    """Return copies of the labels in memory, for what is asked of objects later."""
    if read.new is None:
        return None
    positions = read.positions
    if counted is not None:
        positions = counted if positions is None else positions[counted]
    labels = keep_labels(read.new)
    old, new = (keep_labels(replace(x, ids=None)) for x in (rows.truth, rows.runs[NEW]))
    if positions is None:  # all objects, in order
        labels = replace(new, ids=labels.ids)
    return Objects(labels, old, new, positions)


def carried_names(old: Clusters, new: Clusters, noise_label: Any) -> dict[Any, Any]:
    """Return the name of each new label; that of noise keeps its own."""
    kept = np.flatnonzero((new.codes != NO_CLUSTER) & (new.codes <= CONTINUED))
    sources = new.target_names[new.targets[kept]].tolist()
    pairs = zip(new.names[kept].tolist(), sources, strict=True)
    carried = {name: source for name, source in pairs if source is not None}  # None: no label
    # Also if no object is noise: tomorrow's may be.
    carried |= {noise_label: noise_label, None: None}
    names = new.labels.tolist()
    carried |= {name: name for name in names if is_noise(name, noise_label)}
    taken = [name for name in old.labels.tolist() if not is_noise(name, noise_label)]
    ordered = [names[i] for i in name_order(names).tolist()]
    carried = carry_names(ordered, taken, carried, " (new)")
    return {name: carried[name] for name in ordered}


def is_noise(name: Any, noise_label: Any) -> bool:
    """Whether a label is that of noise, if there is one."""
    return noise_label is not None and as_written(name) == as_written(noise_label)
