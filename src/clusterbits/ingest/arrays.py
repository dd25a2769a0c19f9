"""Two label sequences counted into cells: missing labels, noise, weights and pandas indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells, Coverage, as_names, name_order
from clusterbits.core.counting import count_pairs, rank
from clusterbits.core.labels import Labels, is_missing
from clusterbits.core.policy import LabelPolicy, Missing, note_absent_noise, treat_noise
from clusterbits.errors import LabelError, NothingToCountError, first_line
from clusterbits.ingest.columns import pandas_index, read_labels


def count_labels(
    truth: Any, pred: Any, policy: LabelPolicy, weights: Any = None, align: bool = False
) -> Cells:
    """Count how often each class meets each cluster; the options are those of `from_labels`."""
    given = {"truth": truth, "pred": pred, "weights": weights}
    truth, pred, weights = align_indexes(given, align).values()
    classes, clusters = read_both(truth, pred)
    if weights is not None:
        weights = read_weights(weights, len(classes))
    if policy.missing == "error":
        refuse_missing(classes, "truth")
        refuse_missing(clusters, "pred")
    classes, clusters, keep, coverage = treat_missing(classes, clusters, weights, policy)
    cells = _count(classes, clusters, None if weights is None else weights[keep])
    return treat_noise(cells._replace(coverage=coverage), policy)


def read_both(truth: Any, pred: Any) -> tuple[Labels, Labels]:
    """Read classes and clusters of the same objects, in the same order."""
    classes, clusters = read_labels(truth, "truth"), read_labels(pred, "pred")
    if len(classes) != len(clusters):
        raise LabelError(
            f"truth has {len(classes)} labels and pred has {len(clusters)}: "
            "both must label the same objects, in the same order."
        )
    if len(classes) == 0:
        raise NothingToCountError(
            "truth and pred are empty: at least one labelled object is needed."
        )
    return classes, clusters


_MISSING_OPTION = (
    "Pass missing='drop' (--missing drop) to leave such objects out, "
    "or 'class' to let them form a class (or cluster) of their own."
)


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
    many = f"{lacking:,} missing labels" if lacking != 1 else "1 missing label"
    raise LabelError(f"{who} has {many}{where}. {advice}")


def treat_missing(
    classes: Labels, clusters: Labels, weights: NDArray[Any] | None, policy: LabelPolicy
) -> tuple[Labels, Labels, NDArray[np.bool_] | slice, Coverage | None]:
    """Return the labels to count, which rows they come from, and the coverage if rows were dropped.

    Missing labels form a class (or cluster) of their own, unless they are dropped.
    """
    keep: NDArray[np.bool_] | slice = slice(None)
    coverage = None
    if policy.missing == "class":
        classes, clusters = _missing_as_class(classes), _missing_as_class(clusters)
    elif policy.missing == "drop" and (classes.missing is not None or clusters.missing is not None):
        keep, every = ~(classes.absent | clusters.absent), clusters
        classes, clusters = classes.only(keep), clusters.only(keep)
        coverage = Coverage(
            len(classes) if weights is None else sum(weights[keep].tolist()),
            len(keep) if weights is None else sum(weights.tolist()),
            clusters.distinct,
            every.distinct,
        )
    if len(classes) == 0 or (weights is not None and not weights[keep].any()):
        raise NothingToCountError(
            "no object has two labels and a weight above zero: nothing to count."
        )
    return classes, clusters, keep, coverage


def _missing_as_class(labels: Labels) -> Labels:
    """Give missing labels the code after the last, named None."""
    if labels.missing is None:
        return labels
    known = ~labels.missing
    ranks, present = rank(labels.codes[known])
    codes = np.full(len(labels), len(present), dtype=np.int64)
    codes[known] = ranks

    def name(wanted: NDArray[Any]) -> NDArray[Any]:
        names = labels.name(present[wanted[wanted < len(present)]]).tolist()
        return as_names([*names, None] if len(wanted) > len(names) else names)

    return Labels(codes, name, labels.in_order)


def read_weights(weights: Any, n: int) -> NDArray[Any]:
    """Return float64 weights, or whole ones as integers (Python's own where int64 is too small)."""
    array = _as_numbers(weights, n)
    if (array < 0).any():
        raise _wrong_weight(array, array < 0, "weights are not negative")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise _wrong_weight(array, ~np.isfinite(array), "use finite ones")
        if not (array == np.floor(array)).all():
            return array.astype(np.float64)
    whole = as_names([int(weight) for weight in array.tolist()])
    return whole.astype(np.int64) if sum(whole.tolist()) < 2**53 else whole


def _as_numbers(weights: Any, n: int) -> NDArray[Any]:
    """Return weights as an array; objects as floats, or as integers where all are whole."""
    if isinstance(weights, Iterator):
        weights = list(weights)
    try:
        array = np.asarray(weights)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise LabelError(f"weights is no sequence of numbers: {first_line(error)}") from None
    if array.shape != (n,):
        raise LabelError(f"weights has shape {array.shape}; one weight for each of {n} objects.")
    if array.dtype.kind not in "biufO":
        raise LabelError(f"weights has dtype {array.dtype}; weights are non-negative numbers.")
    absent = np.ma.getmaskarray(weights) if isinstance(weights, np.ma.MaskedArray) else None
    values = array.tolist() if array.dtype == object else []
    if values:
        absent = np.array([is_missing(value) for value in values])
    if absent is not None and absent.any():
        position = int(np.flatnonzero(absent)[0])
        raise LabelError(f"weights has no number at position {position}; 0 leaves an object out.")
    if not values:
        return array
    other = np.array([not isinstance(value, Real | Decimal | np.bool_) for value in values])
    if other.any():
        raise _wrong_weight(array, other, "weights are non-negative numbers")
    try:
        floats = array.astype(np.float64)
    except OverflowError:
        raise LabelError("weights add up to more than 1e100 objects.") from None
    whole = np.isfinite(floats).all() and not any(value % 1 for value in values)
    return as_names([int(value) for value in values]) if whole else floats


def _wrong_weight(array: NDArray[Any], wrong: NDArray[np.bool_], advice: str) -> LabelError:
    position = int(np.flatnonzero(wrong)[0])
    return LabelError(f"weights holds {array[position]} at position {position}; {advice}.")


def align_indexes(labelings: dict[str, Any], align: bool = False) -> dict[str, Any]:
    """Return labels and weights in one order; refuse pandas indexes that contradict it.

    Series are compared by position where their indexes are equal, and where one has the default
    index 0, 1, 2, ... and the other has names of its own, as after scikit-learn's predict(). Any
    other two indexes are an error without `align`, which joins on the index.
    """
    indexes = {who: pandas_index(labels) for who, labels in labelings.items()}
    first = next((who for who, index in indexes.items() if index is not None), None)
    if align:
        for who, index in indexes.items():
            if index is None and who != "weights":
                raise LabelError(
                    "align=True joins truth and pred on their pandas indexes, and "
                    f"{who} has none. Pass two pandas Series."
                )
    if first is None:
        return labelings
    return {
        who: labels
        if indexes[who] is None or _by_position(indexes, first, who, align)
        else labels.reindex(indexes[first])
        for who, labels in labelings.items()
    }


def _by_position(indexes: dict[str, Any], first: str, who: str, align: bool) -> bool:
    """Whether two Series are compared by position, else joined; refuse what is neither."""
    index, other = indexes[first], indexes[who]
    if index.equals(other):
        return True
    unmatched = len(index.difference(other, sort=False)) + len(other.difference(index, sort=False))
    if not align and unmatched and len(index) == len(other) and _one_is_default(index, other):
        return True
    if align:
        if unmatched:
            raise LabelError(
                f"align=True: {unmatched} index labels are in only one of {first} and {who}. "
                "Select the common ones first."
            )
        if not (index.is_unique and other.is_unique):
            raise LabelError(f"align=True: the index of {first} or {who} repeats a label.")
        return False
    differ = (
        f"different pandas indexes: {unmatched:,} index labels are in only one of them"
        if unmatched
        else "the same index labels in another order"
    )
    select = "Select the common ones and pass" if unmatched else "Pass"
    raise LabelError(
        f"{first} and {who} have {differ}, so comparing them by position would pair the wrong "
        f"objects. {select} align=True to join on the index, or .reset_index(drop=True) if the "
        "positions are right."
    )


def _one_is_default(index: Any, other: Any) -> bool:
    """Whether just one is a range, and that is 0, 1, 2, ...: two ranges are cut from one frame."""
    ranges = [some for some in (index, other) if type(some).__name__ == "RangeIndex"]
    return len(ranges) == 1 and (ranges[0].start, ranges[0].step) == (0, 1)


def _count(classes: Labels, clusters: Labels, weights: NDArray[Any] | None) -> Cells:
    whole = weights is not None and weights.dtype == np.int64
    # Sums of int64 weights stay below 2^53 (see read_weights), where float64 adds exactly.
    counted = count_pairs(
        classes.codes,
        clusters.codes,
        weights.astype(np.float64) if whole else weights,  # type: ignore[union-attr]
    )
    rows, class_names = name_codes(counted.classes, classes)
    columns, cluster_names = name_codes(counted.clusters, clusters)
    counts = counted.counts.astype(np.int64) if whole else counted.counts
    # Counts come in the order of the codes, so only renamed ones have to be sorted again.
    canonical = classes.in_order and clusters.in_order and weights is None
    return Cells(class_names, cluster_names, rows, columns, counts, canonical)


def name_codes(codes: NDArray[Any], labels: Labels) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return each code's position among the names that occur, and those names in order."""
    positions, present = rank(codes)
    names = labels.name(present)
    if not labels.in_order:
        order = name_order(names.tolist())
        names = names[order]
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        positions = place[positions]
    return positions, names


def count_joint(
    truth: Any, preds: Mapping[Any, Any], policy: LabelPolicy, align: bool = False
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Count the objects that have all labels in common: the class and every cluster.

    Returns the counts of these kinds of objects, and for each labeling, the classes first, the
    number of its label for each kind: 0, 1, ... in the labels' own order. Noise is the clusterings'
    alone: an object that one of them calls noise is dropped from all, or a singleton in that one.
    """
    named = {"truth": truth} | {f"clustering {name!r}": pred for name, pred in preds.items()}
    labels = _read_jointly(align_indexes(named, align), policy.missing)
    ranks = [rank(codes)[0] for codes in _treat_noise_jointly(labels, policy)]
    joint = ranks[0]
    for some in ranks[1:]:
        # Both factors are at most the number of objects, so the key fits an int64.
        joint = rank(joint * (some.max() + 1) + some)[0]
    example = np.empty(int(joint.max()) + 1, dtype=np.intp)
    example[joint] = np.arange(len(joint))
    return np.bincount(joint), [some[example] for some in ranks]


def _read_jointly(named: dict[str, Any], missing: Missing) -> list[Labels]:
    """Read classes and clusterings of the same objects; missing labels are refused or treated."""
    read = {who: read_labels(labels, who) for who, labels in named.items()}
    n = len(read["truth"])
    for who, labels in read.items():
        if len(labels) != n:
            raise LabelError(
                f"truth has {n} labels and {who} has {len(labels)}: "
                "all must label the same objects, in the same order."
            )
        if missing == "error":
            refuse_missing(labels, who)
    every = list(read.values())
    if missing == "class":
        every = [_missing_as_class(labels) for labels in every]
    elif missing == "drop":
        keep = ~np.logical_or.reduce([labels.absent for labels in every])
        every = [labels.only(keep) for labels in every]
    if len(every[0]) == 0:
        raise NothingToCountError("no object has all its labels: nothing to count.")
    return every


def _treat_noise_jointly(labels: list[Labels], policy: LabelPolicy) -> list[NDArray[Any]]:
    """Return the codes of classes and clusterings without noise, or with noise singletons."""
    if policy.noise is None:
        return [some.codes for some in labels]
    ranks, noise = [], []
    every: list[Any] = []
    for i, some in enumerate(labels):
        places, present = rank(some.codes)
        names = some.name(present).tolist()
        noisy = [i > 0 and policy.is_noise(name) for name in names]  # classes have no noise
        ranks.append(places)
        noise.append(np.array(noisy)[places])
        every += names if i else []
    if not np.any(noise):
        note_absent_noise(policy, every)
    if policy.noise == "singletons":
        return [
            np.where(alone, some.max() + np.cumsum(alone), some)
            for some, alone in zip(ranks, noise, strict=True)
        ]
    keep = ~np.logical_or.reduce(noise)
    if not keep.any():
        raise NothingToCountError(
            f"every object is noise (cluster {policy.noise_label!r}) in some clustering: "
            "nothing is left to count."
        )
    return [some[keep] for some in ranks]
