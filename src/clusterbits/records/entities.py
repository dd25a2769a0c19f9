"""Sampled entities: what each adds to the sums that measures are made of, and its weight."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted, short
from clusterbits.errors import LabelError, check_choice


class EntitySums(NamedTuple):
    """What each sampled entity adds to the sums that measures are made of, times its weight.

    `sizes` are its records, `own` its pairs of records, `matched` those of them in one cluster,
    `linked` the pairs of its clusters, each counted half for each of its two records; `exact`
    whether it equals a cluster; `precision` and `recall` the BCubed ones of its records, added up:
    the share of the cluster that is its own, and the share of it that is in the cluster. `records`
    is how many records the sample has, `clusters_per_record` how many clusters all records have.
    """

    weights: FloatArray
    sizes: FloatArray
    own: FloatArray
    matched: FloatArray
    linked: FloatArray
    exact: FloatArray
    precision: FloatArray
    recall: FloatArray
    records: int
    clusters_per_record: float

    @classmethod
    def of(cls, table: Contingency, sampling: Any) -> EntitySums:
        """Return the sums of a table whose class None is the records outside of the sample."""
        sampled = ~are_none(table.cells.classes)
        if not sampled.any():
            raise LabelError("the sample is empty: at least one resolved entity is needed.")
        cells = sampled[table.rows]
        rows, columns, counts = table.rows[cells], table.columns[cells], table.counts[cells]
        # Compared as whole numbers: past 2^53, a float would hide a difference of 1.
        exact = (counts == table.class_sizes[rows]) & (counts == table.cluster_sizes[columns])
        h = counts.astype(np.float64)
        clusters = table.cluster_sizes[columns].astype(np.float64)
        every = table.class_sizes.astype(np.float64)
        sizes = every[sampled]
        weights = _read_weights(sampling, table.cells.classes[sampled], sizes)

        def add(values: FloatArray) -> FloatArray:
            sums = np.bincount(rows, weights=values, minlength=len(sampled))[sampled]
            return np.asarray(sums * weights)

        return cls(
            weights,
            sizes * weights,
            sizes * (sizes - 1) / 2 * weights,
            add(h * (h - 1) / 2),
            add(h * (clusters - 1) / 2),
            add(exact.astype(np.float64)),
            add(h * (h / clusters)),
            add(h * (h / every[rows])),
            int(table.class_sizes[sampled].sum()),
            table.shape[1] / table.n,
        )


def _read_weights(sampling: Any, entities: NDArray[Any], sizes: FloatArray) -> FloatArray:
    """Return the weight of each sampled entity."""
    if not hasattr(sampling, "items"):  # a pandas Series has them, as a dictionary
        check_choice("sampling", sampling, ("uniform", "cluster_size"))
        return np.ones(len(sizes)) if sampling == "uniform" else 1 / sizes
    given = dict(sampling.items())
    if len(given) < len(sampling):
        raise LabelError("sampling has several weights of one entity.")
    if lacking := [name for name in entities.tolist() if name not in given]:
        raise LabelError(
            f"{counted(len(lacking), 'sampled entity')} without a weight, such as "
            f"{short(repr(lacking[0]))}."
        )
    weights = np.array([given[name] for name in entities.tolist()], dtype=np.float64)
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise LabelError("sampling weights are positive numbers.")
    # Only their ratios count; in this range, sums do not overflow.
    return np.asarray(np.ldexp(weights, -np.frexp(weights.max())[1]))


def are_none(names: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which names are None: that of records without a label."""
    if names.dtype != object:
        return np.zeros(len(names), dtype=np.bool_)
    return np.array([name is None for name in names.tolist()], dtype=np.bool_)
