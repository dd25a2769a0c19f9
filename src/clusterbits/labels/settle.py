"""The one place that says what counts: missing and unmatched labels, noise, and weights of 0."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import (
    LabelError,
    MissingLabelError,
    NothingToCountError,
    did_you_mean,
    warn,
)
from clusterbits.labels.labeling import MISSING, UNMATCHED, Labels
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.table.cells import Cells, Coverage
from clusterbits.table.label_names import as_written
from clusterbits.table.noise import name_singletons, repeat_noise
from clusterbits.text.tables import counted

Mask = NDArray[np.bool_]


def count_cells(tally: Tally, options: LabelPolicy) -> Cells:
    """Return the cells of the rows of one run that count."""
    if _is_settled(tally, options):  # the usual case: raw codes are counted once
        return tally.cells()
    # An error names the position of an object, which unique label rows do not have.
    fails = options.missing == "error" and _lacking(tally, MISSING).any()
    return settle(tally if fails else tally.reduced(), options).cells()


def settle(tally: Tally, options: LabelPolicy) -> Tally:
    """Return the rows that count, each with a label in every labeling, and their coverage.

    A row of weight 0 is never counted and never missing; if sources were joined, it is covered.
    """
    if _is_settled(tally, options):
        return tally
    if tally.groups is not None and options.unmatched == "class":
        raise LabelError(
            "unmatched='class' cannot be combined with groups: unmatched objects may have no "
            "group. Pass unmatched='drop'."
        )
    keep = np.ones(len(tally.truth), dtype=np.bool_)
    live = keep if tally.amounts is None else tally.amounts != 0
    if not live.any():
        raise NothingToCountError("no object with labels has a weight above 0: nothing to count.")

    def exclude(rows: Mask, reason: str) -> None:
        nonlocal keep
        keep = keep & ~rows
        if not (keep & live).any():
            raise NothingToCountError(f"{reason}: nothing to count.")

    if options.unmatched == "drop":
        exclude(_lacking(tally, UNMATCHED), "every object is unmatched")
    if options.missing == "error":
        advice = "Pass missing='drop' or missing='class'."
        for name, labels in zip(tally.input_names, tally.labelings, strict=False):
            refuse_missing(labels, name, advice, tally, keep & live)
    if options.missing != "class":
        exclude(_lacking(tally, MISSING), "no object has all its labels")
    if options.noise_classes:
        names = _present(tally.truth, keep)
        option = options.truth_noise_option
        warn_absent_classes(options.noise_classes, [*names, *options.optional_classes], option)
        noise_classes = _mask_names(tally.truth, options.is_noise_class)
        exclude(noise_classes, f"every object is in a class of {option} ({options.truth_noise!r})")
    noise = _mask_noise(tally, options)
    if options.noise is not None and not (noise & keep).any():
        _warn_absent_noise(options, tally, keep)
    if options.noise == "drop":
        reason = f"every object is noise (cluster {options.noise_label!r})"
        exclude(noise, reason + " in some clustering" * (len(tally.runs) > 1))
    if tally.groups is not None:
        name, advice = tally.input_names[-1], "Give each object a group."
        refuse_missing(tally.groups, name, advice, tally, keep & live)
    rows = tally.subset(keep & live)
    rows = rows._replace(
        truth=rows.truth.with_none(),
        runs={name: labels.with_none() for name, labels in rows.runs.items()},
        coverage=_find_coverage(tally, options, keep),
    )
    if options.noise == "singletons" and (noise & keep & live).any():
        return _as_singletons(rows, options)
    return rows


# Clusters with these names are likely noise.
_NOISE_WORDS = ("noise", "outlier", "outliers")


def _is_settled(tally: Tally, options: LabelPolicy) -> bool:
    """Whether all rows count as they are: every label is known, and no option asks for more."""
    return (
        tally.amounts is None
        and tally.groups is None
        and options.noise is None
        and options.truth_noise is None
        and all(labels.status is None for labels in tally.labelings)
    )


def _lacking(tally: Tally, status: int) -> Mask:
    """Return the mask of rows in which some label has this status."""
    lacking = np.zeros(len(tally.truth), dtype=np.bool_)
    for labels in tally.labelings:
        if labels.status is not None:
            lacking |= labels.status == status
    return lacking


def refuse_missing(
    labels: Labels,
    input_name: str,
    advice: str,
    tally: Tally | None = None,
    rows: Mask | np.bool_ = np.True_,
) -> None:
    """Raise if labels are missing, in these rows of a tally, with the first position if known."""
    if labels.status is None or not (missing := (labels.status == MISSING) & rows).any():
        return
    objects = None if tally is None else tally.objects
    n_missing = int(_total(objects, missing))
    in_order = objects is None and not (tally is not None and tally.joined)
    where = f", the first at position {missing.argmax()}" if in_order else ""
    raise MissingLabelError(
        f"{input_name} has {counted(n_missing, 'missing label')}{where}. {advice}"
    )


def _mask_names(labels: Labels, test: Any) -> Mask:
    """Return the mask of rows whose label, None if it is missing, passes a test of its name."""
    positions, names = labels.named()
    passed = np.array([*map(test, names.tolist()), test(None)], dtype=np.bool_)
    return np.asarray(passed[positions])


def _present(labels: Labels, keep: Mask) -> list[Any]:
    """Return the names of these rows."""
    names: list[Any] = labels.subset(keep).named()[1].tolist()
    return names


def warn_absent_classes(labels: Iterable[Any], classes: Iterable[Any], option: str) -> None:
    """Warn of labels to exclude, in an option, that are no classes."""
    known = {as_written(name): name for name in classes}
    for label in labels:
        if as_written(label) not in known:
            warn(
                f"{option}: {label!r} is not a class, so nothing is excluded for it."
                f"{did_you_mean(label, known.values())}"
            )


def _mask_noise(tally: Tally, options: LabelPolicy) -> Mask:
    """Return the mask of rows that are noise in some run."""
    noise = np.zeros(len(tally.truth), dtype=np.bool_)
    for labels in tally.runs.values() if options.noise is not None else ():
        noise |= _mask_names(labels, options.is_noise)
    return noise


def _warn_absent_noise(options: LabelPolicy, tally: Tally, keep: Mask) -> None:
    """Warn if a chosen noise label does not occur, or the usual one and a cluster is likely."""
    names = [name for labels in tally.runs.values() for name in _present(labels, keep)]
    noisy = [name for name in names if str(name).casefold() in _NOISE_WORDS]
    if options.has_chosen_label:
        warn(
            f"noise_label: {options.noise_label!r} is not a cluster, so nothing is noise."
            f"{did_you_mean(options.noise_label, names)}"
        )
    elif noisy:
        warn(
            f"no cluster is called {options.noise_label!r}, so nothing is noise, and {noisy[0]!r} "
            f"is a cluster like any other. Pass noise_label={noisy[0]!r}."
        )


def _find_coverage(tally: Tally, options: LabelPolicy, keep: Mask) -> Coverage | None:
    """Return the part of the data that these rows are, or None if nothing was excluded.

    It is in objects if a join may exclude some, as these need not have a weight; else in weight.
    """
    if keep.all() or len(tally.runs) > 1:
        return tally.coverage
    in_objects = tally.joined and options.unmatched != "error"
    amounts = tally.objects if in_objects else tally.amounts
    every = np.ones_like(keep) if amounts is None or in_objects else amounts != 0
    (labels,) = tally.runs.values()
    of_objects = _total(amounts, every)
    of_clusters: int | None = len(_present(labels, every))
    if tally.coverage is not None:
        _, of_objects, _, of_clusters = tally.coverage
    clusters = len(_present(labels, keep & every))
    coverage = Coverage(_total(amounts, keep & every), of_objects, clusters, of_clusters)
    return None if coverage.whole else coverage


def _total(amounts: NDArray[Any] | None, rows: Mask) -> int | float:
    if amounts is None:
        return int(np.count_nonzero(rows))
    if amounts.dtype == np.float64:
        return math.fsum(amounts[rows])
    total: int | float = sum(amounts[rows].tolist())
    return total


def _as_singletons(tally: Tally, options: LabelPolicy) -> Tally:
    """Make each noise object a singleton, numbered by its labels; weight 2 is two objects."""
    if tally.counts.dtype == np.float64:
        raise LabelError(
            "noise='singletons' needs integer weights: a fraction is not a number of objects."
        )
    rows = tally.counted()
    noise = {name: _mask_names(labels, options.is_noise) for name, labels in rows.runs.items()}
    in_noise = np.logical_or.reduce([*noise.values()])
    repeated = repeat_noise(in_noise, rows.counts)
    rows = rows.subset(repeated)
    runs = {}
    for name, labels in rows.runs.items():
        assert labels.names is not None
        runs[name] = Labels(
            *name_singletons(labels.codes, noise[name][repeated], labels.names, options.noise_label)
        )
    ones = np.ones_like(rows.counts)
    return rows._replace(runs=runs).with_counts(np.where(in_noise[repeated], ones, rows.counts))
