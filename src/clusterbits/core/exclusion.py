"""Objects without a label, and noise: refused, left out, or groups of their own.

All that is left out is left out of the cells, by one function, and their coverage says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells, Coverage
from clusterbits.core.coding import rank
from clusterbits.core.labels import Labels, if_any
from clusterbits.core.naming import as_names
from clusterbits.core.policy import LabelPolicy
from clusterbits.display.tables import counted
from clusterbits.errors import (
    LabelError,
    MissingLabelError,
    NothingToCountError,
    did_you_mean,
    warn,
)
from clusterbits.limits import check_memory

# A noise singleton's name and cell.
_SINGLETON_BYTES = 200
_MISSING_OPTION = (
    "The option missing can drop such objects, or make them a class (or cluster) of their own."
)


def leave_out(cells: Cells, keep: NDArray[np.bool_], left_out: str) -> Cells:
    """Return the cells to keep; their coverage is what they hold of what there was."""
    if not keep.any():
        raise every_object_is(left_out)
    if keep.all():
        return cells
    left, every = cells.only(keep), cells.coverage or cells.whole_coverage
    return left._replace(coverage=left.covers(every.of_objects, every.of_clusters))


def coverage_of_join(cells: Cells, of: tuple[int, int], policy: LabelPolicy) -> Coverage | None:
    """Return how much is counted of all objects and clusters, where a join left some out.

    `cells` count objects, without weights: those that were left out may have none.
    """
    return leave_out_noise(cells, policy).covers(*of)


def every_object_is(left_out: str) -> NothingToCountError:
    """Return the error for noise that leaves nothing."""
    return NothingToCountError(f"every object is {left_out}: nothing to count.")


# --- missing labels ------------------------------------------------------------------------------


def refuse_missing(
    labels: Labels, who: str, counts: NDArray[Any] | None = None, advice: str = _MISSING_OPTION
) -> None:
    """Raise where a label is missing; `counts` are the objects in each row of a group-by."""
    if labels.missing is None:
        return
    positions = np.flatnonzero(labels.missing)
    lacking, where = len(positions), f", the first at position {positions[0]}"
    if counts is not None:
        lacking, where = sum(counts[positions].tolist()), ""
    raise MissingLabelError(f"{who} has {counted(lacking, 'missing label')}{where}. {advice}")


def keep_labelled(
    sides: Iterable[tuple[str, Labels, NDArray[np.bool_]]],
    policy: LabelPolicy,
    counts: NDArray[Any] | None = None,
) -> NDArray[np.bool_]:
    """Return which objects of a join count, where those that a side lacks are a class there.

    Each side comes with its name and which objects it has. An object that a side has, but without a
    label, is missing there, not unmatched: it is refused, dropped or kept as `missing` says.
    """
    lacking = []
    for who, labels, has in sides:
        own = replace(labels, missing=if_any(labels.absent & has))
        if policy.missing == "error":
            refuse_missing(own, who, counts)
        lacking.append(own.absent)
    dropped = np.logical_or.reduce(lacking) & (policy.missing == "drop")
    return np.asarray(~dropped)


def leave_out_missing(cells: Cells) -> Cells:
    """Leave out the objects without a label, which `missing_as_class` has named None."""
    named = _is_named(cells.classes)[cells.rows] & _is_named(cells.clusters)[cells.columns]
    return leave_out(cells, named, "without a class or a cluster")


def _is_named(names: NDArray[Any]) -> NDArray[np.bool_]:
    return np.array([name is not None for name in names.tolist()], dtype=np.bool_)


def refuse_weightless(weights: NDArray[Any]) -> None:
    """Raise where no object counts."""
    if not weights.any():
        raise NothingToCountError("no object with labels has a weight above 0: nothing to count.")


def missing_as_class(labels: Labels) -> Labels:
    """Return labels in which the missing ones are named None, with the code after the last."""
    if labels.missing is None:
        return labels
    known = ~labels.missing
    ranks, present = rank(labels.codes[known])
    codes = np.full(len(labels), len(present), dtype=np.int64)
    codes[known] = ranks
    names = as_names([*labels.name(present).tolist(), None])
    return Labels(codes, names, labels.in_order)


# --- noise ---------------------------------------------------------------------------------------


class NoiseSingleton(NamedTuple):
    """The name of a noise object that is a cluster of its own: its label, and a number.

    The number means nothing outside the table: tables that are added up number them anew.
    """

    label: Any
    number: int

    def __repr__(self) -> str:
        return f"({self.label!r}, {self.number})"


def treat_noise(cells: Cells, policy: LabelPolicy) -> Cells:
    """Leave noise out, or make the objects of noise clusters singletons."""
    if policy.noise is None and policy.truth_noise is None:
        return cells
    note_absent_classes(policy, cells.classes.tolist())
    cells = leave_out_noise(cells, policy)
    found = _noise_clusters(cells, policy)
    if policy.noise is not None and not found:
        note_absent_noise(policy, cells.clusters.tolist())
    singletons = policy.noise == "singletons" and found
    return as_singletons(cells, found, policy.noise_label) if singletons else cells


def leave_out_noise(cells: Cells, policy: LabelPolicy) -> Cells:
    """Leave out the objects of noise classes, and of noise clusters where these are dropped."""
    if policy.noise_classes:
        cells = leave_out_classes(cells, policy)
    if policy.noise == "drop":
        keep = ~np.isin(cells.columns, _noise_clusters(cells, policy))
        cells = leave_out(cells, keep, f"noise (cluster {policy.noise_label!r})")
    return cells


def leave_out_classes(cells: Cells, policy: LabelPolicy, option: str = "truth_noise") -> Cells:
    """Leave out the objects of noise classes."""
    names = cells.classes.tolist()
    found = [i for i, name in enumerate(names) if policy.is_noise_class(name)]
    keep = ~np.isin(cells.rows, found)
    return leave_out(cells, keep, f"in a class of {option} ({policy.truth_noise!r})")


def _noise_clusters(cells: Cells, policy: LabelPolicy) -> list[int]:
    return [i for i, name in enumerate(cells.clusters.tolist()) if policy.is_noise(name)]


def keep_classes(
    policy: LabelPolicy, names: list[Any], rows: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Return which rows count: those whose class, by its position in `names`, is not noise."""
    note_absent_classes(policy, names)
    noise = np.array([policy.is_noise_class(name) for name in names], dtype=np.bool_)
    keep: NDArray[np.bool_] = ~noise[rows]
    if not keep.any():
        raise every_object_is(f"in a class of truth_noise ({policy.truth_noise!r})")
    return keep


def note_absent_classes(
    policy: LabelPolicy, classes: list[Any], option: str = "truth_noise"
) -> None:
    """Warn where a class that is to be left out does not occur."""
    known = {*classes, *map(str, classes)}
    for label in policy.noise_classes:
        if known.isdisjoint((label, str(label))):
            warn(
                f"{option}: {label!r} is not a class, so nothing is left out for it."
                f"{did_you_mean(label, classes)}"
            )


def note_absent_noise(policy: LabelPolicy, clusters: list[Any]) -> None:
    """Warn where a noise label that was chosen does not occur; the usual one need not."""
    if policy.chose_label:
        warn(
            f"noise_label: {policy.noise_label!r} is not a cluster, so nothing is noise."
            f"{did_you_mean(policy.noise_label, clusters)}"
        )


def check_singletons(many: int) -> None:
    """Refuse more noise singletons than memory has room for."""
    check_memory(_SINGLETON_BYTES * many, f"noise as {many:,} singletons")


def as_singletons(cells: Cells, noise: list[int], label: Any) -> Cells:
    """Make each object of these clusters a cluster of its own; one of weight 2 is two objects."""
    keep = ~np.isin(cells.columns, noise)
    alone = cells.counts[~keep]
    if alone.dtype == np.float64:
        raise LabelError(
            "noise as singletons needs whole weights: a fraction is not a number of objects."
        )
    check_singletons(sum(alone.tolist()))
    # Engines return cells in any order; the numbers of the objects follow the classes.
    rows = np.sort(np.repeat(cells.rows[~keep], alone.astype(np.int64)))
    number = np.arange(len(rows))
    given = cells.clusters.tolist()
    # A cluster may itself be called (-1, 1).
    taken = {name for name in given if isinstance(name, tuple)}
    names = (NoiseSingleton(label, i) for i in count(1) if (label, i) not in taken)
    return cells._replace(
        clusters=as_names([*given, *islice(names, len(rows))]),
        rows=np.concatenate([cells.rows[keep], rows]),
        columns=np.concatenate([cells.columns[keep], len(cells.clusters) + number]),
        counts=np.concatenate([cells.counts[keep], np.ones_like(alone, shape=len(number))]),
        canonical=False,
    )
