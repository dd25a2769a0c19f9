"""Sampled entities: what each adds to the sums that measures are made of, and its weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted, short
from clusterbits.errors import ClusterbitsError, LabelError

_SAMPLINGS = ("uniform", "cluster_size")


class EntitySums(NamedTuple):
    """What each sampled entity adds to the sums that measures are made of, times its weight.

    `sizes` are its records, `own` its pairs of records, `matched` those of them in one cluster,
    `linked` the pairs of its clusters, each counted half for each of its two records; `exact`
    whether it equals a cluster; `pure` and `whole` the sums over its records of the share of the
    cluster that is its own, and of the share of it that is in the cluster. `records` is how many
    records the sample has, `spread` how many clusters there are for each record.
    """

    weights: FloatArray
    sizes: FloatArray
    own: FloatArray
    matched: FloatArray
    linked: FloatArray
    exact: FloatArray
    pure: FloatArray
    whole: FloatArray
    records: int
    spread: float

    @classmethod
    def of(cls, table: Contingency, sampling: Any) -> EntitySums:
        """Return the sums of a table whose class None is the records outside of the sample."""
        sampled = ~are_none(table.class_names)
        if not sampled.any():
            raise LabelError("the sample is empty: at least one resolved entity is needed.")
        cells = sampled[table.rows]
        rows, h = table.rows[cells], table.counts[cells].astype(np.float64)
        clusters = table.cluster_sizes[table.columns[cells]].astype(np.float64)
        every = table.class_sizes.astype(np.float64)
        sizes = every[sampled]
        weights = _read_weights(sampling, table.class_names[sampled], sizes)

        def add(values: FloatArray) -> FloatArray:
            sums = np.bincount(rows, weights=values, minlength=len(sampled))[sampled]
            return np.asarray(sums * weights)

        return cls(
            weights,
            sizes * weights,
            sizes * (sizes - 1) / 2 * weights,
            add(h * (h - 1) / 2),
            add(h * (clusters - 1) / 2),
            add(((h == every[rows]) & (h == clusters)).astype(np.float64)),
            add(h * (h / clusters)),
            add(h * (h / every[rows])),
            int(sizes.sum()),
            table.shape[1] / table.n,
        )


def _read_weights(sampling: Any, entities: NDArray[Any], sizes: FloatArray) -> FloatArray:
    """Return the weight of each sampled entity."""
    if is_word(sampling, "uniform"):
        return np.ones(len(sizes))
    if is_word(sampling, "cluster_size"):
        return 1 / sizes
    # A pandas Series has items, too.
    if isinstance(sampling, str) or not callable(getattr(sampling, "items", None)):
        words = ", ".join(map(repr, _SAMPLINGS))
        raise ClusterbitsError(
            f"sampling={short(repr(sampling))}: {words}, or a mapping of entities to weights."
        )
    given = dict(sampling.items())
    if lacking := [name for name in entities.tolist() if name not in given]:
        raise LabelError(
            f"{counted(len(lacking), 'sampled entity')} without a weight, such as "
            f"{short(repr(lacking[0]))}; there are weights of {_examples(given)}."
        )
    try:
        weights = np.array([float(given[name]) for name in entities.tolist()])
    except (TypeError, ValueError):
        raise LabelError("a sampling weight is no number.") from None
    wrong = ~((weights > 0) & np.isfinite(weights))
    if wrong.any():
        raise LabelError(
            f"the entity {short(repr(entities[wrong][0]))} has the sampling weight "
            f"{weights[wrong][0]:g}; weights are positive."
        )
    return weights


def _examples(given: Mapping[Any, Any]) -> str:
    some = [short(repr(name)) for name in list(given)[:3]]
    return ", ".join(some) + ", …" * (len(given) > 3) if some else "none"


def are_none(names: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which names are None: that of records without a label."""
    if names.dtype != object:
        return np.zeros(len(names), dtype=np.bool_)
    return np.array([name is None for name in names.tolist()], dtype=np.bool_)


def is_word(sampling: Any, word: str) -> bool:
    """Whether the sampling is that one; a mapping, such as a Series, has no single answer to ==."""
    return isinstance(sampling, str) and sampling == word
