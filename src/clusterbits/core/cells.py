"""What every kind of source is counted into: the non-zero cells of a class-cluster table."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, NothingToCountError, check_choice

# What may be asked to be done with missing labels, and with a cluster of noise.
MISSING = ("error", "drop", "class")
NOISE = ("singletons", "drop")


class LabelPolicy(NamedTuple):
    """What to do with missing labels and with the cluster label that stands for noise."""

    noise: str | None = None
    missing: str = "error"
    noise_label: Any = -1

    def check(self) -> None:
        """Refuse words that mean nothing."""
        check_choice("missing", self.missing, MISSING)
        if self.noise is not None:
            check_choice("noise", self.noise, NOISE)


class Coverage(NamedTuple):
    """How much of the data was judged, where objects without a class or cluster were left out.

    `objects` of `of_objects` were judged (or their weight; rows, where two files are joined); they
    lie in `clusters` of the `of_clusters` clusters that the data has.
    """

    objects: int | float
    of_objects: int | float
    clusters: int
    of_clusters: int

    @property
    def whole(self) -> bool:
        """Whether nothing was left out."""
        return self.objects == self.of_objects and self.clusters == self.of_clusters

    def __str__(self) -> str:
        share = self.objects / self.of_objects
        return (
            f"judged {self.objects:,} of {self.of_objects:,} objects ({share:.3g}) "
            f"in {self.clusters:,} of {self.of_clusters:,} clusters"
        )


class NoiseSingleton(NamedTuple):
    """The name of a cluster of one object that was noise: its label there, and a number.

    It names nothing outside its table: tables that are added up number their objects anew.
    """

    label: Any
    number: int

    def __repr__(self) -> str:
        return f"({self.label!r}, {self.number})"


class Cells(NamedTuple):
    """Non-zero counts with the names of their rows (classes) and columns (clusters).

    `rows` and `columns` are positions in `classes` and `clusters`. The order of the cells is free
    and a cell may occur twice, or be zero; `Contingency` adds up and sorts, unless `tidy` says
    that each cell occurs once, row by row, and every name in some cell.
    """

    classes: NDArray[Any]
    clusters: NDArray[Any]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[Any]
    tidy: bool = False
    coverage: Coverage | None = None


def as_names(names: list[Any]) -> NDArray[Any]:
    """Return a one-dimensional array of the names as they are, tuples included."""
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def sum_by_key(keys: NDArray[Any], counts: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the distinct keys, ascending, and the sum of the counts of each."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = run_starts(keys)
    return keys[starts], np.add.reduceat(counts[order], starts)


def run_starts(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each run of equal keys begins in a sorted array."""
    new = np.empty(len(keys), dtype=np.bool_)
    new[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return np.flatnonzero(new)


def name_order(names: list[Any]) -> NDArray[np.intp]:
    """Return the order that sorts the names: by value, else by type and value, None last."""

    def by_value(i: int) -> tuple[bool, Any]:
        return names[i] is None, 0 if names[i] is None else names[i]

    def by_type(i: int) -> tuple[bool, str, Any]:
        return names[i] is None, type(names[i]).__name__, names[i]

    if len(set(map(type, names))) == 1:  # the usual case, without a tuple for each name
        with suppress(TypeError):
            return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
    for key in (by_value, by_type):
        try:
            return np.array(sorted(range(len(names)), key=key), dtype=np.intp)
        except TypeError:
            continue
    return np.arange(len(names))  # values without an order keep that of their appearance


def without_noise(cells: Cells, policy: LabelPolicy) -> Cells:
    """Drop the objects of the noise cluster, or make each a cluster named (label, number)."""
    noise, label = policy.noise, policy.noise_label
    if noise is None:
        return cells
    names = cells.clusters.tolist()
    # Files and shells write -1 as "-1".
    found = [i for i, name in enumerate(names) if name == label or str(name) == str(label)]
    if not found:
        return cells
    return _dropped(cells, found, label) if noise == "drop" else as_singletons(cells, found, label)


def _dropped(cells: Cells, noise: list[int], label: Any) -> Cells:
    keep = ~np.isin(cells.columns, noise)
    if not keep.any():
        raise NothingToCountError(
            f"every object is noise (cluster {label!r}): nothing is left to count."
        )
    total, kept = (sum(counts.tolist()) for counts in (cells.counts, cells.counts[keep]))
    judged = cells.coverage or Coverage(total, total, len(cells.clusters), len(cells.clusters))
    return Cells(
        cells.classes,
        cells.clusters,
        cells.rows[keep],
        cells.columns[keep],
        cells.counts[keep],
        coverage=judged._replace(
            objects=judged.objects - (total - kept), clusters=judged.clusters - len(noise)
        ),
    )


def as_singletons(cells: Cells, noise: list[int], label: Any) -> Cells:
    """Make each object of these clusters a cluster of its own."""
    keep = ~np.isin(cells.columns, noise)
    alone = cells.counts[~keep]
    if alone.dtype == np.float64:
        raise LabelError("noise='singletons' needs whole weights: how many objects is a fraction?")
    # Engines return cells in any order; the numbers of the objects follow the classes.
    rows = np.sort(np.repeat(cells.rows[~keep], alone.astype(np.int64)))
    number = np.arange(len(rows))
    return Cells(
        cells.classes,
        as_names(
            [*cells.clusters.tolist(), *(NoiseSingleton(label, i + 1) for i in number.tolist())]
        ),
        np.concatenate([cells.rows[keep], rows]),
        np.concatenate([cells.columns[keep], len(cells.clusters) + number]),
        np.concatenate([cells.counts[keep], np.ones_like(alone, shape=len(number))]),
        coverage=cells.coverage,
    )
