"""Names carried over to objects: a continued cluster keeps its old name, no other gets one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.fates import CONTINUED, NO_CLUSTER, Clusters
from clusterbits.labels.labeling import Labels
from clusterbits.labels.tally import Tally
from clusterbits.reading.old_and_new import NEW, OldAndNew
from clusterbits.reading.type_checks import to_list
from clusterbits.system.immutable import read_only
from clusterbits.table.label_names import as_names, as_written, carry_names, name_order


class Objects(NamedTuple):
    """Labels of objects in memory, as copies.

    Attributes
    ----------
    labels : Labels
        The new labels of all objects, in the order given.
    ids : list or None
        Their ids, if they have some of their own.
    old, new : Labels
        The labels of the objects in the table.
    positions : ndarray of int or None
        The position in `labels` of each of these; None if they are all, in order.
    """

    labels: Labels
    ids: list[Any] | None
    old: Labels
    new: Labels
    positions: NDArray[np.int64] | None


def keep_objects(read: OldAndNew, rows: Tally, counted: NDArray[Any] | None) -> Objects | None:
    """Return copies of the labels in memory, for what is asked of objects later."""
    if read.new is None:
        return None
    ids, positions = read.new.ids, read.positions
    if counted is not None:
        positions = counted if positions is None else positions[counted]
    new = _copied(rows.runs[NEW])
    return Objects(
        labels=new if positions is None else _copied(read.new),
        ids=to_list(ids.values) if ids is not None and not ids.implicit else None,
        old=_copied(rows.truth),
        new=new,
        positions=positions,
    )


def _copied(labels: Labels) -> Labels:
    """Return labels that share no array with the caller, in half the memory if that will do."""
    status = None if labels.status is None else read_only(labels.status.copy())
    codes, limit = labels.codes, np.iinfo(np.int32)
    small = codes.dtype == np.int64 and limit.min <= codes.min() and codes.max() <= limit.max
    codes = codes.astype(np.int32 if small else codes.dtype)
    return replace(labels, codes=read_only(codes), status=status, ids=None)


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


def rename(objects: Objects, names: dict[Any, Any]) -> Any:
    """Return the new labels of all objects in the names carried over: an array, or a dict by id."""
    positions, own = objects.labels.named()
    carried = [names[name] for name in own.tolist()]
    missing = (positions == len(own)).any()
    whole = not missing and all(type(name) is int and -(2**63) <= name < 2**63 for name in carried)
    values = np.array(carried, dtype=np.int64) if whole else as_names([*carried, None])
    labels = values[positions]
    return labels if objects.ids is None else dict(zip(objects.ids, labels.tolist(), strict=True))
