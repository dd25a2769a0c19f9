"""Clusterings of the same objects compared: paired differences, and which may be the best.

Two scores of the same objects go up and down together, so the interval of their difference is
far narrower than their own two intervals suggest. So objects are resampled with all their labels:
from the table of class × cluster in a × cluster in b, and so on for more clusterings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells
from clusterbits.core.coding import rank
from clusterbits.core.labels import Labels
from clusterbits.core.policy import (
    LabelOptions,
    LabelPolicy,
    keep_classes,
    takes_labels,
)
from clusterbits.core.table import Contingency
from clusterbits.errors import LabelError, MeasureError
from clusterbits.inference.arguments import check_groups, check_numbers
from clusterbits.inference.differences import PairedScores, rank_clusterings
from clusterbits.inference.replicates import replicate
from clusterbits.inference.resampling import GroupView, View, Views, as_statistic
from clusterbits.inference.results import Comparison
from clusterbits.ingest.grouped import GroupedTruth
from clusterbits.ingest.joint import JointLabels
from clusterbits.ingest.reading import read_labels
from clusterbits.ingest.runs import Name, as_runs
from clusterbits.measures.catalogue import Measure, get_measure
from clusterbits.progress import Progress


@takes_labels
def compare(
    truth: Any,
    pred_a: Any,
    pred_b: Any = None,
    *,
    measure: str | Measure = "q0",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: int | None = 0,
    groups: Any = None,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Comparison:
    """Compare clusterings of the same objects: which of them may be the best.

    Parameters
    ----------
    truth : 1-D sequence of labels
        The classes.
    pred_a : 1-D sequence of labels, or runs
        The first clustering; or all of them, by name or in the other forms that `evaluate` takes.
    pred_b : 1-D sequence of labels
        The second clustering; left out where `pred_a` has several.
    measure : str or Measure, default "q0"
        Full name or alias, or ``q2.using(worst="exact")``.
    confidence_level : float, default 0.95
        The confidence level: how often the intervals should contain the true difference.
    n_resamples : int, optional
        The number of resamples, by default 2,000. Unless it is given, the jackknife takes their
        place where tables are large, as in `interval`.
    rng : int or None, default 0
        The same seed gives the same result; None for a random one.
    groups : 1-D sequence of labels, optional
        The group of each object, such as its document, batch or patient. Whole groups are then
        resampled, as in `interval`.
    progress : bool or callable, optional
        A bar is drawn in terminals and notebooks, from the first second on; False for none. Or what
        to wrap around the tasks instead, such as a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`. Objects that lack a label, are noise or are
        unmatched in any clustering are treated so in all. Weights of objects are refused: objects
        are drawn, and each counts once; "balanced" lets every class count the same.

    Returns
    -------
    Comparison
        The clusterings, the best first, and which of them may be the best. Two that are given by
        themselves are called "a" and "b".

    Notes
    -----
    All clusterings are scored on the same resamples, so what they share cancels. As in
    ``interval(method="centred")``, the resamples' differences are moved so that their mean is the
    observed difference, widened to the jackknife's standard error where that is larger, and
    stretched in the direction of their skewness. The shares of resamples are counted before that.

    A clustering *may be the best* unless some other is better than it by more than chance
    explains, at the given level for all the others at once (Hsu's comparison with the best, with
    the quantile of the greatest studentised difference taken from the resamples). So the truly best
    one is in the set with probability `confidence_level` or more. The limits of ``behind`` come
    from the same quantiles; of two clusterings they are those of their difference, cut at 0. The
    interval of each value is for that clustering by itself.

    Where there are more than 20,000 kinds of objects (with the same class and the same clusters),
    these are not resampled unless `n_resamples` is given. All clusterings are scored without each
    of 24 random groups of objects, and the effects of these groups are resampled; see `interval`.

    References
    ----------
    .. [1] J. C. Hsu (1981). Simultaneous confidence intervals for all distances from the "best".
           Annals of Statistics 9. https://doi.org/10.1214/aos/1176345582

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = [0] * 40 + [1] * 40
    >>> a, b = [0] * 30 + [1] * 50, [0] * 38 + [1] * 42
    >>> found = cb.compare(truth, a, b, measure="ari")
    >>> found.title
    'adjusted_rand, 95 %: b is the best'
    >>> found.difference("b", "a")
    Difference(value=0.344..., low=0.132..., high=0.590...)
    >>> cb.compare(truth, {"a": a, "b": b, "b again": b}, measure="ari").best
    ('b', 'b again')
    """
    entry = get_measure(measure)
    if entry.better is None:
        raise MeasureError(f"{entry.name} describes a table and ranks nothing.")
    policy = LabelPolicy(**labels)
    if policy.weights is not None and not policy.balanced:
        raise MeasureError(
            "compare takes no weights: it draws objects, each of which counts once. "
            "weights='balanced' lets every class count the same."
        )
    _refuse_tables(truth, pred_a, pred_b)
    truth = read_labels(truth, "truth")
    preds = _named(truth, pred_a, pred_b)
    confidence_level = check_numbers(confidence_level, n_resamples, len(preds))
    views: Views
    if groups is None:
        joint = JointLabels.read(truth, preds, policy)
        kinds, views = _tables_of(joint, policy.balanced)
    else:
        read = GroupedTruth.read(truth, groups, policy, "groups")
        kinds, views = _grouped_tables(read, preds, policy)
    scores = _score_pairs(kinds, views, [entry], confidence_level, n_resamples, rng, progress)[0]
    return _compared(entry, list(preds), views, scores)


def compare_counted(
    joint: JointLabels,
    measures: Sequence[Measure],
    confidence_level: float,
    rng: int | None,
    progress: Progress = None,
) -> dict[str, Comparison]:
    """Compare two clusterings of counted objects, "a" and "b", by each measure."""
    confidence_level = check_numbers(confidence_level, None)
    kinds, views = _tables_of(joint, balanced=False)
    every = _score_pairs(kinds, views, measures, confidence_level, None, rng, progress)
    return {
        entry.name: _compared(entry, ["a", "b"], views, scores)
        for entry, scores in zip(measures, every, strict=True)
    }


def _score_pairs(
    kinds: NDArray[np.int64],
    views: Views,
    measures: Sequence[Measure],
    confidence_level: float,
    n_resamples: int | None,
    rng: int | None,
    progress: Progress,
) -> list[PairedScores]:
    """Return the values of all clusterings by each measure, and those on the same resamples."""
    scores = [as_statistic(measure) for measure in measures]
    every = replicate(kinds, views, scores, "centred", n_resamples, rng, progress)
    return [
        PairedScores(found, confidence_level, sign=1 if measure.better == "higher" else -1)
        for measure, found in zip(measures, every, strict=True)
    ]


def _compared(
    measure: Measure, names: list[Name], views: Views, scores: PairedScores
) -> Comparison:
    tables = (view.table for view in views)
    sizes = {name: table.shape[1] for name, table in zip(names, tables, strict=True)}
    _, drawn, _, method = scores.replicates
    rows = rank_clusterings(sizes, scores, measure)
    return Comparison(
        measure.name, scores.confidence_level, rows, method, len(drawn), tuple(names), scores
    )


def _refuse_tables(*given: Any) -> None:
    for labels in given:
        some = labels.values() if isinstance(labels, Mapping) else [labels]
        if any(isinstance(one, Contingency) for one in some):
            raise LabelError(
                "compare takes labels, not tables, which do not say which objects they share: "
                "compare(truth, pred_a, pred_b)."
            )


def _named(truth: Labels, pred_a: Any, pred_b: Any) -> dict[Name, Any]:
    """Return the clusterings by name: two labelings, or the runs that the first argument holds."""
    runs = as_runs(pred_a, truth.is_joined) if pred_b is None else None
    if runs is None:
        if pred_b is None:
            raise LabelError(
                "one clustering was given: pass a second one, or a mapping of names to labels."
            )
        return {"a": pred_a, "b": pred_b}
    if len(runs) < 2:
        raise LabelError("compare takes two clusterings or more, each with a name of its own.")
    return runs


def _tables_of(joint: JointLabels, balanced: bool) -> tuple[NDArray[np.int64], Sequence[View]]:
    """Return how many objects of each kind there are, and the table of each clustering."""
    kinds, (codes, *clusterings) = joint.count_kinds()
    classes = rank(codes)[0]
    return kinds, [_view(kinds, classes, clusters, balanced) for clusters in clusterings]


def _grouped_tables(
    truth: GroupedTruth, preds: Mapping[Name, Any], policy: LabelPolicy
) -> tuple[NDArray[np.int64], Sequence[GroupView]]:
    """Return one of each group, and the table of each clustering with the objects of each group."""
    every = replace(policy, truth_noise=None)  # which is about classes, not classes in groups
    joint = JointLabels.read(truth.labels, preds, every)
    kinds, (codes, *clusterings) = joint.count_kinds()
    classes, members = truth.places[:, codes]
    keep = keep_classes(policy, truth.classes.tolist(), classes)
    kinds, classes = kinds[keep], rank(classes[keep])[0]
    members, present = rank(members[keep])
    check_groups(truth.groups[present].tolist())
    views = []
    for clusters in clusterings:
        view = _view(kinds, classes, rank(clusters[keep])[0], policy.balanced)
        views.append(GroupView.of_kinds(view, kinds, members))
    return np.ones(len(present), dtype=np.int64), views


def _view(
    kinds: NDArray[np.int64], classes: NDArray[Any], clusters: NDArray[Any], balanced: bool
) -> View:
    """Return the table of one clustering, and the cell of each kind of object."""
    class_names, cluster_names = (np.arange(int(some.max()) + 1) for some in (classes, clusters))
    places, present = rank(classes * len(cluster_names) + clusters)
    counts = np.bincount(places, weights=kinds).astype(np.int64)
    table = Contingency.from_cells(Cells.from_keys(present, counts, class_names, cluster_names))
    return View(table.balanced() if balanced else table, places)
