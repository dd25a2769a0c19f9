"""Clusterings of the same objects compared: paired differences, and which may be the best.

Two scores of the same objects go up and down together, so the interval of their difference is
far narrower than their own two intervals suggest. The objects are drawn anew with all their
labels: from the table of class × cluster in a × cluster in b, or of as many as there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells
from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.counting import rank
from clusterbits.core.policy import Missing
from clusterbits.core.table import Contingency
from clusterbits.display.results import Result
from clusterbits.display.tables import show, text_table
from clusterbits.errors import LabelError, MeasureError
from clusterbits.inference.intervals import central_interval, centred
from clusterbits.inference.resampling import (
    ROUNDING,
    Jackknife,
    View,
    bootstrap,
    check_numbers,
    jackknife,
    scorer,
)
from clusterbits.ingest.arrays import aligned, count_joint
from clusterbits.measures.catalogue import Measure, find
from clusterbits.parallel import Progress


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """The paired difference of two clusterings of the same objects.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    value_a, value_b : float
        Its values for the two clusterings.
    difference : float
        ``value_b - value_a``.
    low, high : float
        The ends of the difference's interval.
    level : float
        How often such intervals hold what they should.
    probability : float
        Share of the resamples, as they were drawn, in which b is better than a; ties count half.
    resamples : int
        How many were drawn.
    """

    measure: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    level: float
    probability: float
    resamples: int

    @property
    def better(self) -> str | None:
        """The better clustering, "a" or "b"; None where the interval of the difference holds 0."""
        if self.low <= 0 <= self.high:
            return None
        return "b" if (self.low > 0) == (find(self.measure).better == "higher") else "a"

    def __repr__(self) -> str:
        """Return the values and the verdict, one line each."""
        verdict = f"{self.better} is better" if self.better else "they cannot be told apart"
        return (
            f"{self.measure}: a {show(self.value_a)}, b {show(self.value_b)}\n"
            f"b - a = {show(self.difference)}, "
            f"{self.level * 100:g} % interval {show(self.low)} … {show(self.high)}: {verdict}\n"
            f"b is better than a in {self.probability:.1%} of the resamples"
        )


class Standing(NamedTuple):
    """One clustering among several: its value, how far from the best, and whether it may be it."""

    clustering: str
    value: float
    low: float
    high: float
    behind: float
    behind_low: float
    behind_high: float
    probability: float
    may_be_best: bool


@dataclass(frozen=True, repr=False)
class Ranking(Result):
    """Several clusterings of the same objects, the best first, and which may be the best.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    level : float
        How often the intervals hold what they should; at least so often the truly best clustering
        is among `indistinguishable`.
    rows : tuple of Standing
        For each clustering: its ``value`` with the ends of its own interval; how much worse it is
        than the best (``behind``), with ends that reckon with any clustering being the truly best;
        the ``probability`` of being the best, as a share of the resamples (those that tie share
        one equally); and ``may_be_best``, whether ``behind_low`` is 0.
    resamples : int
        How many were drawn.
    """

    measure: str
    level: float
    rows: tuple[Standing, ...]
    resamples: int

    @property
    def best(self) -> str:
        """The clustering with the best value."""
        return self.rows[0].clustering

    @property
    def indistinguishable(self) -> tuple[str, ...]:
        """The clusterings that may be the best, the best by value among them."""
        return tuple(row.clustering for row in self.rows if row.may_be_best)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary per clustering."""
        return [row._asdict() for row in self.rows]

    def __repr__(self) -> str:
        """Return an aligned table and which clusterings may be the best."""
        several = len(self.indistinguishable) > 1
        verdict = (
            f"{len(self.indistinguishable)} of {len(self.rows)} may be the best"
            if several
            else f"{self.best} is the best"
        )
        return f"{self.measure}, {self.level * 100:g} %: {verdict}\n{text_table(self.to_dicts())}"


@overload
def compare(
    truth: Any,
    pred_a: Mapping[Any, Any],
    pred_b: None = None,
    measure: str | Measure = ...,
    *,
    level: float = ...,
    resamples: int = ...,
    seed: int | None = ...,
    missing: Missing = ...,
    align: bool = ...,
    progress: Progress = ...,
    **parameters: Any,
) -> Ranking: ...
@overload
def compare(
    truth: Any,
    pred_a: Any,
    pred_b: Any,
    measure: str | Measure = ...,
    *,
    level: float = ...,
    resamples: int = ...,
    seed: int | None = ...,
    missing: Missing = ...,
    align: bool = ...,
    progress: Progress = ...,
    **parameters: Any,
) -> Comparison: ...
def compare(
    truth: Any,
    pred_a: Any,
    pred_b: Any = None,
    measure: str | Measure = "q0",
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int | None = None,
    missing: Missing = "error",
    align: bool = False,
    progress: Progress = iter,
    **parameters: Any,
) -> Comparison | Ranking:
    """Compare clusterings of the same objects: is b better than a; which may be the best?

    Parameters
    ----------
    truth : 1-D sequence of labels
        The classes.
    pred_a : 1-D sequence of labels, or mapping of names to such sequences
        The first clustering; or all of them, by name.
    pred_b : 1-D sequence of labels
        The second clustering; left out where `pred_a` is a mapping.
    measure : str or Measure, default "q0"
        Full name or alias.
    level : float, default 0.95
        How often the intervals should hold the true difference.
    resamples : int, default 2000
        How often the objects are drawn anew.
    seed : int, optional
        The same seed gives the same result.
    missing : "error", "drop" or "class"
        What to do with objects that lack a label in the classes or in any clustering: refuse,
        leave out of all, or let the missing label be one of its own.
    align : bool, default False
        Join pandas Series on their indexes, in the order of the classes.
    progress : callable, optional
        Wrapped around the portions of the work, to draw a progress bar.
    **parameters
        Parameters of the measure.

    Returns
    -------
    Comparison
        Of two clusterings: the difference b - a with its interval, and the share of resamples in
        which b is better.
    Ranking
        Of a mapping: the clusterings in order, and which of them may be the best.

    Notes
    -----
    All clusterings are scored on the same resamples, so what they share cancels. As in
    ``interval(method="centred")``, the resamples' differences are moved so that their mean is the
    observed difference, and widened to the jackknife's standard error where that is larger. The
    shares of resamples are counted before that.

    A clustering *may be the best* unless some other is better than it by more than chance
    explains, at the given level for all the others at once (Hsu's comparison with the best, with
    the quantile of the greatest studentised difference taken from the resamples). So the truly best
    one is in the set with probability `level` or more. How far each is ``behind`` has its ends
    from the same quantiles; of two clusterings they are those of their difference, cut at 0. The
    interval of each value is for that clustering by itself.

    Noise labels, such as HDBSCAN's -1, count as one cluster like any other. To leave such objects
    out, put None in their place and pass ``missing="drop"``.

    References
    ----------
    .. [1] J. C. Hsu (1981). Simultaneous confidence intervals for all distances from the "best".
           Annals of Statistics 9. https://doi.org/10.1214/aos/1176345582

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = [0] * 40 + [1] * 40
    >>> a, b = [0] * 30 + [1] * 50, [0] * 38 + [1] * 42
    >>> cb.compare(truth, a, b, "ari", seed=0)
    adjusted_rand: a 0.5572, b 0.9013
    b - a = 0.3440, 95 % interval 0.1328 … 0.5592: b is better
    b is better than a in 100.0% of the resamples
    >>> runs = cb.compare(truth, {"a": a, "b": b, "b again": b}, measure="ari", seed=0)
    >>> runs.indistinguishable
    ('b', 'b again')
    """
    entry = find(measure)
    if entry.better is None:
        raise MeasureError(f"{entry.name} describes a table and ranks nothing.")
    level = check_numbers(level, resamples)
    _check_options(parameters)
    preds = _named(pred_a, pred_b)
    if align:
        preds = {name: aligned(truth, pred, align=True)[1] for name, pred in preds.items()}
    kinds, views = _views(truth, preds, missing)
    score = scorer(entry, views[0].table, parameters)
    sample = _Sample(
        np.array([score(view.table) for view in views]),
        bootstrap(kinds, views, score, resamples, seed, progress),
        jackknife(kinds, views, score, resamples, seed, progress),
        level,
        sign=1 if entry.better == "higher" else -1,
    )
    if isinstance(pred_a, Mapping):
        rows = _standings(list(preds), sample, entry)
        return Ranking(entry.name, level, rows, resamples)
    difference = sample.difference(1, 0)
    return Comparison(
        entry.name,
        float(sample.values[0]),
        float(sample.values[1]),
        difference.value,
        *difference.ends(level),
        level,
        float(sample.shares()[1]),
        resamples,
    )


# --- the objects and their labels ----------------------------------------------------------------

# What other functions read labels with, and what to do instead of it here.
_NOT_HERE = {
    "weights": "it draws objects, each of which counts once",
    "noise": "put None in the place of noise labels and pass missing='drop', or give each such "
    "object a label of its own",
}


def _check_options(parameters: Mapping[str, Any]) -> None:
    for name in parameters:
        instead = _NOT_HERE.get(name.removesuffix("_label"))
        if instead:
            raise MeasureError(f"compare has no option {name!r}: {instead}.")


def _named(pred_a: Any, pred_b: Any) -> dict[str, Any]:
    if not isinstance(pred_a, Mapping):
        if pred_b is None:
            raise LabelError(
                "one clustering was given: pass a second one, or a mapping of names to labels."
            )
        return {"a": pred_a, "b": pred_b}
    if pred_b is not None:
        raise LabelError(
            "a mapping holds all clusterings, so nothing else follows but keywords: "
            "compare(truth, {...}, measure='q2')."
        )
    names = {str(name): labels for name, labels in pred_a.items()}
    if len(names) < max(2, len(pred_a)):
        raise LabelError("compare takes two clusterings or more, each with a name of its own.")
    return names


def _views(
    truth: Any, preds: Mapping[str, Any], missing: Missing
) -> tuple[NDArray[np.int64], list[View]]:
    """Return how many objects share all their labels, and the table of each clustering."""
    kinds, (classes, *clusterings) = count_joint(truth, preds, missing)
    class_names = np.arange(int(classes.max()) + 1)
    views = []
    for clusters in clusterings:
        cluster_names = np.arange(int(clusters.max()) + 1)
        places, present = rank(classes * len(cluster_names) + clusters)
        counts = np.bincount(places, weights=kinds).astype(np.int64)
        cells = Cells.from_keys(present, counts, class_names, cluster_names)
        views.append(View(Contingency(cells), places))
    return kinds, views


# --- differences ---------------------------------------------------------------------------------


class _Difference(NamedTuple):
    """A difference as it is, and on each resample: their mean moved onto it, and widened."""

    value: float
    moved: FloatArray

    @property
    def spread(self) -> float:
        return float(self.moved.std(ddof=1))

    def ends(self, level: float) -> tuple[float, float]:
        return central_interval(self.moved, self.value, level)


class _Sample(NamedTuple):
    """The values of all clusterings as they are, on the same resamples, and without an object."""

    values: FloatArray
    drawn: FloatArray
    left_out: Jackknife
    level: float
    sign: int

    def difference(self, i: int, j: int) -> _Difference:
        """Return by how much i is above j.

        Equal partitions with clusters in another order may differ in the last digit; that is no
        difference.
        """
        value, drawn = float(self.values[i] - self.values[j]), self.drawn[:, i] - self.drawn[:, j]
        least = ROUNDING * float(np.abs(self.drawn[:, [i, j]]).max())
        if abs(value) <= least and np.abs(drawn).max() <= least:
            return _Difference(0.0, np.zeros_like(drawn))
        return _Difference(value, centred(drawn, value, self.left_out.difference(i, j)))

    def ahead(self, j: int, i: int) -> _Difference:
        """Return by how much j is better than i."""
        return self.difference(*((j, i) if self.sign > 0 else (i, j)))

    def own_ends(self, i: int) -> tuple[float, float]:
        """Return the ends of the interval of i by itself."""
        value = float(self.values[i])
        left_out = Jackknife(self.left_out.values[:, [i]], self.left_out.weights)
        return central_interval(centred(self.drawn[:, i], value, left_out), value, self.level)

    def shares(self) -> FloatArray:
        """Return in which share of the resamples each is the best; ties are shared equally."""
        merit = self.sign * self.drawn
        winners = merit >= merit.max(axis=1, keepdims=True) - ROUNDING * np.abs(merit).max()
        return np.asarray((winners / winners.sum(axis=1, keepdims=True)).mean(axis=0))


def _standings(names: list[str], sample: _Sample, entry: Measure) -> tuple[Standing, ...]:
    order = np.argsort(-sample.sign * sample.values, kind="stable").tolist()
    shares = sample.shares().tolist()
    least, greatest = map(float, entry.bounds)
    rows = []
    for i in order:
        low, high = sample.own_ends(i)
        behind_low, behind_high = _behind(i, sample)
        rows.append(
            Standing(
                names[i],
                float(sample.values[i]),
                max(low, least),
                min(high, greatest),
                sample.ahead(order[0], i).value,
                behind_low,
                behind_high,
                shares[i],
                may_be_best=behind_low == 0,
            )
        )
    return tuple(rows)


def _behind(i: int, sample: _Sample) -> tuple[float, float]:
    """Return the ends between which the lead over i of the truly best clustering lies.

    Every other may be that one, so the ends hold for all leads at once: so many spreads below and
    above each as the resamples' greatest deviations are. The truly best is never behind i.
    """
    leads = [sample.ahead(j, i) for j in range(len(sample.values)) if j != i]
    away = np.column_stack(
        [(lead.moved - lead.value) / lead.spread for lead in leads if lead.spread > 0]
        or [np.zeros(len(sample.drawn))]
    )
    below = central_interval(away.min(axis=1), 0.0, sample.level)[0]
    above = central_interval(away.max(axis=1), 0.0, sample.level)[1]
    return (
        max(0.0, *(lead.value + below * lead.spread for lead in leads)),
        max(0.0, *(lead.value + above * lead.spread for lead in leads)),
    )
