"""Label policies: what missing labels and the noise cluster mean."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from clusterbits.core.cells import Cells, Coverage, as_names
from clusterbits.core.labels import is_label
from clusterbits.errors import (
    ClusterbitsWarning,
    LabelError,
    NothingToCountError,
    check_choice,
    check_cost,
    did_you_mean,
)

Missing = Literal["error", "drop", "class"]
Noise = Literal["singletons", "drop"]

# A noise singleton's name and cell.
_SINGLETON_BYTES = 200


@dataclass(frozen=True)
class LabelPolicy:
    """What to do with missing labels and with the cluster label that stands for noise."""

    noise: Noise | None = None
    missing: Missing = "error"
    noise_label: Any = -1

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, get_args(Missing))
        if self.noise is not None:
            check_choice("noise", self.noise, get_args(Noise))
        if not is_label(self.noise_label):
            raise LabelError(f"noise_label={self.noise_label!r}: one label, such as -1 or 'noise'.")
        if self.noise is None and self.chose_label:
            warnings.warn(
                f"noise_label={self.noise_label!r} means nothing without noise: add "
                "noise='singletons' or noise='drop'.",
                ClusterbitsWarning,
                stacklevel=2,
            )

    @property
    def chose_label(self) -> bool:
        """Whether the noise label is other than the usual one."""
        return str(self.noise_label) != str(LabelPolicy.noise_label)

    def is_noise(self, name: Any) -> bool:
        """Whether a cluster name is the noise label. Files and shells write -1 as "-1"."""
        return bool(name == self.noise_label) or str(name) == str(self.noise_label)


class NoiseSingleton(NamedTuple):
    """The name of a noise object that is a cluster of its own: its label, and a number.

    The number means nothing outside the table: tables that are added up number them anew.
    """

    label: Any
    number: int

    def __repr__(self) -> str:
        return f"({self.label!r}, {self.number})"


def treat_noise(cells: Cells, policy: LabelPolicy) -> Cells:
    """Drop the objects of the noise cluster, or make each a cluster of its own."""
    if policy.noise is None:
        return cells
    found = [i for i, name in enumerate(cells.clusters.tolist()) if policy.is_noise(name)]
    if not found:
        note_absent_noise(policy, cells.clusters.tolist())
        return cells
    treat = _dropped if policy.noise == "drop" else as_singletons
    return treat(cells, found, policy.noise_label)


def note_absent_noise(policy: LabelPolicy, clusters: list[Any]) -> None:
    """Warn where a noise label that was chosen does not occur; without noise, -1 need not."""
    if policy.chose_label:
        hint = did_you_mean(str(policy.noise_label), map(str, clusters))
        warnings.warn(
            f"noise_label={policy.noise_label!r} is no cluster, so nothing is noise.{hint}",
            ClusterbitsWarning,
            stacklevel=2,
        )


def _dropped(cells: Cells, noise: list[int], label: Any) -> Cells:
    keep = ~np.isin(cells.columns, noise)
    if not keep.any():
        raise NothingToCountError(
            f"every object is noise (cluster {label!r}): nothing is left to count."
        )
    total, kept = (sum(counts.tolist()) for counts in (cells.counts, cells.counts[keep]))
    before = cells.coverage or Coverage(total, total, len(cells.clusters), len(cells.clusters))
    coverage = before._replace(
        objects=before.objects - (total - kept), clusters=before.clusters - len(noise)
    )
    return cells.only(keep)._replace(coverage=coverage)


def as_singletons(cells: Cells, noise: list[int], label: Any) -> Cells:
    """Make each object of these clusters a cluster of its own."""
    keep = ~np.isin(cells.columns, noise)
    alone = cells.counts[~keep]
    if alone.dtype == np.float64:
        raise LabelError(
            "noise='singletons' needs whole weights: a fraction is no number of objects."
        )
    many = sum(alone.tolist())
    check_cost(
        f"noise='singletons' would make {many:,} clusters, which",
        "noise='drop' leaves the noise out",
        memory=_SINGLETON_BYTES * many,
    )
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
