"""Several clusterings of the same objects, counted together: how many objects of each kind.

Objects with the same class and the same cluster in every clustering are of one kind. Kinds come in
the order of their labels, so that the order of the objects changes no resample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.coding import group_objects, rank
from clusterbits.core.exclusion import (
    check_singletons,
    every_object_is,
    keep_classes,
    missing_as_class,
    note_absent_noise,
    refuse_missing,
)
from clusterbits.core.labels import Labels
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import NothingToCountError
from clusterbits.ingest.arrays import name_codes
from clusterbits.ingest.grouped import GroupedTruth
from clusterbits.ingest.join import join_labels
from clusterbits.ingest.reading import read_labels
from clusterbits.ingest.runs import Name
from clusterbits.ingest.tallies import EngineTally


class JointLabels(NamedTuple):
    """Classes, then clusterings, of the objects that count in all of them.

    Each row stands for as many objects as `counts` says. `noise` says for each clustering
    which rows are noise singletons: each of their objects is a cluster of its own. Where objects
    are in groups, the classes are those in groups of `truth`. `names` are those of the clusterings.
    """

    labels: list[Labels]
    counts: NDArray[np.int64]
    noise: list[NDArray[np.bool_]]
    truth: GroupedTruth | None = None
    names: tuple[Name, ...] = ()

    @classmethod
    def read(
        cls, truth: Any, preds: Mapping[Any, Any], policy: LabelPolicy, groups: Any = None
    ) -> JointLabels:
        """Return the labels of objects, joined on ids where they have any."""
        grouped = None
        if groups is not None:
            grouped = GroupedTruth.read(truth, groups, policy)
            # Noise classes are classes, not classes in groups: those are left out later.
            truth, policy = grouped.labels, replace(policy, truth_noise=None)
        named = {"truth": truth} | {f"clustering {name!r}": pred for name, pred in preds.items()}
        every = {who: read_labels(labels, who) for who, labels in named.items()}
        joint = cls.select(list(every), join_labels(every, policy).labels, policy)
        return joint._replace(truth=grouped, names=tuple(preds))

    @classmethod
    def select(
        cls,
        names: Sequence[str],
        labels: Sequence[Labels],
        policy: LabelPolicy,
        counts: NDArray[np.int64] | None = None,
    ) -> JointLabels:
        """Return the rows that count: missing labels and noise in any clustering are treated."""
        if policy.missing == "error":
            for who, some in zip(names, labels, strict=True):
                refuse_missing(some, who, counts)
        if policy.missing == "class":
            labels = [missing_as_class(some) for some in labels]
        keep = np.flatnonzero(~np.logical_or.reduce([some.absent for some in labels]))
        if len(keep) == 0:
            raise NothingToCountError("no object has all its labels: nothing to count.")
        counts = np.ones(len(keep), dtype=np.int64) if counts is None else counts[keep]
        joint = cls([some.only(keep) for some in labels], counts, [])
        return joint._without_noise_classes(policy)._treat_noise(policy)

    def _only(self, keep: NDArray[np.bool_]) -> JointLabels:
        labels = [some.only(keep) for some in self.labels]
        return self._replace(labels=labels, counts=self.counts[keep])

    def _without_noise_classes(self, policy: LabelPolicy) -> JointLabels:
        if not policy.noise_classes:
            return self
        places, names = name_codes(self.labels[0].codes, self.labels[0])
        return self._only(keep_classes(policy, names.tolist(), places))

    def _treat_noise(self, policy: LabelPolicy) -> JointLabels:
        """Drop the objects that are noise in any clustering, or mark them as singletons there."""
        noise: list[NDArray[np.bool_]] = []
        every: list[Any] = []
        for some in self.labels[1:] if policy.noise is not None else ():  # classes have no noise
            places, present = rank(some.codes)
            names = some.name(present).tolist()
            noise.append(np.array([policy.is_noise(name) for name in names])[places])
            every += names
        if policy.noise is not None and not np.any(noise):
            note_absent_noise(policy, every)
        if policy.noise != "drop":
            return self._replace(noise=noise)
        keep = ~np.logical_or.reduce(noise)
        if not keep.any():
            raise every_object_is(f"noise (cluster {policy.noise_label!r}) in some clustering")
        return self._only(keep)

    def count_kinds(self) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
        """Count the objects that have all labels in common: the class and every cluster.

        Returns the counts of these kinds of objects, and for each labeling, the classes first, the
        label of each kind: the code of its class, and a number 0, 1, ... for its cluster.
        """
        places = [name_codes(some.codes, some)[0] for some in self.labels]
        for i, noise in enumerate(self.noise, 1):  # last, whatever its label
            places[i] = np.where(noise, places[i].max() + 1, places[i])
        example, kinds = group_objects(*places, weights=self.counts)
        if self.noise:
            alone = np.logical_or.reduce(self.noise)[example]
            check_singletons(int(kinds[alone].sum()))
            several = np.repeat(np.arange(len(kinds)), np.where(alone, kinds, 1))
            kinds, example = np.where(alone, 1, kinds)[several], example[several]
        clusters = [some[example] for some in places[1:]]
        for i, noise in enumerate(self.noise):
            one = noise[example]
            clusters[i] = np.where(one, clusters[i].max() + np.cumsum(one), clusters[i])
        return kinds, [self.labels[0].codes[example], *(rank(some)[0] for some in clusters)]


def count_together(tally: EngineTally, policy: LabelPolicy) -> JointLabels:
    """Return what an engine has grouped by class and the clusters of all clusterings."""
    classes, *clusterings = tally.labelings
    truth = None
    if tally.members is not None:
        truth = GroupedTruth.from_tally(tally, policy)
        classes, policy = truth.labels, replace(policy, truth_noise=None)
    columns = tally.names[: len(tally.labelings)]
    who = [f"column {name!r}" for name in columns]
    joint = JointLabels.select(who, [classes, *clusterings], policy, tally.counts)
    return joint._replace(truth=truth, names=tuple(columns[1:]))
