"""The classes of what is not a labeling: leaves of a tree, rows of memberships."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import SQUARE_FITS
from clusterbits.core.exclusion import (
    every_object_is,
    keep_classes,
    missing_as_class,
    refuse_missing,
    refuse_weightless,
)
from clusterbits.core.labels import Labels
from clusterbits.core.policy import LabelPolicy, TruthOptions
from clusterbits.errors import LabelError
from clusterbits.ingest.arrays import name_codes
from clusterbits.ingest.join import join_labels
from clusterbits.ingest.reading import read_labels
from clusterbits.ingest.weights import Weights, read_weights


class Classes(NamedTuple):
    """Objects that count: their classes as positions in `names`, where they are, how much they do.

    The place of an object that only truth has is -1. Unless `weighted`, all weights are 1.
    """

    codes: NDArray[np.int64]
    names: NDArray[Any]
    places: NDArray[np.int64]
    weights: NDArray[np.int64]
    weighted: bool


def read_classes(truth: Any, objects: Labels, who: str, **labels: Unpack[TruthOptions]) -> Classes:
    """Return the classes of the objects that `who` has; joined on ids where there are some."""
    given = labels.pop("weights", None)
    policy = LabelPolicy(**labels)
    weights = None if given is None else _whole_weights(given)
    sides = {"truth": read_labels(truth, "truth"), who: objects}
    (classes, objects), numbers, _ = join_labels(sides, policy, weights)
    if policy.missing == "error":
        refuse_missing(classes, "truth")
    if policy.missing == "class":
        classes = missing_as_class(classes)
    counts = np.ones(len(classes), dtype=np.int64) if numbers is None else numbers
    if classes.missing is not None:
        known = ~classes.missing
        classes, objects, counts = classes.only(known), objects.only(known), counts[known]
    refuse_weightless(counts)
    codes, names = name_codes(classes.codes, classes)
    keep = counts > 0
    if policy.noise_classes:
        keep &= keep_classes(policy, names.tolist(), codes)
        if not keep.any():
            noise = policy.truth_noise
            raise every_object_is(f"in a class of truth_noise ({noise!r}), or has a weight of 0")
    present, codes = np.unique(codes[keep], return_inverse=True)
    places = joined_places(objects)[keep]
    return Classes(codes, names[present], places, counts[keep], weights is not None)


def joined_places(objects: Labels) -> NDArray[np.int64]:
    """Return the position of each object after a join; -1 where its side does not have it."""
    if objects.names is None:
        return objects.codes.astype(np.int64)
    names = [-1 if name is None else name for name in objects.names.tolist()]
    return np.array(names)[objects.codes]


def _whole_weights(given: Any) -> Weights:
    if not isinstance(given, str):
        weights = read_weights(given)
        if weights.numbers.dtype == np.int64 and int(weights.numbers.sum()) <= SQUARE_FITS:
            return weights
    raise LabelError("weights: whole numbers of objects here, up to 3 billion in all.")
