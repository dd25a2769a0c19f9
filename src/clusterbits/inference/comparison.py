"""Clusterings of the same objects compared: paired differences, and which may be the best.

Two scores of the same objects go up and down together, so the interval of their difference is
far narrower than their own two intervals suggest. So objects are resampled with all their labels:
from the table of class × cluster in a × cluster in b, and so on for more clusterings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells
from clusterbits.core.coding import rank
from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.exclusion import keep_classes
from clusterbits.core.policy import LabelOptions, LabelPolicy, takes_labels
from clusterbits.core.stack import Counts
from clusterbits.core.table import Contingency
from clusterbits.display.names import listed
from clusterbits.display.results import Keyed, RowsResult
from clusterbits.display.tables import chance_bound, html_table, percent, short
from clusterbits.errors import MeasureError
from clusterbits.inference.resampling import Objects, View, check_numbers, sample_scores
from clusterbits.inference.samples import ROUNDING, Sample, central_interval
from clusterbits.ingest.frames import is_balanced_word
from clusterbits.ingest.given import FrameSource, LabelSource, find_source
from clusterbits.ingest.grouped import GroupedTruth
from clusterbits.ingest.joint import JointLabels
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure, get_measure
from clusterbits.measures.code_length import q0_mixture
from clusterbits.progress import Progress


class Standing(NamedTuple):
    """One clustering among several: its value, how far from the best, and whether it may be it."""

    clustering: Name
    clusters: int
    value: float
    low: float
    high: float
    may_be_best: bool
    behind: float
    behind_low: float
    behind_high: float
    probability: float


class Difference(NamedTuple):
    """The paired difference of two clusterings, and its confidence limits."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Keyed, RowsResult):
    """Clusterings of the same objects, the best first, and which of them may be the best.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    confidence_level : float
        How often `best` has all clusterings that are truly the best.
    rows : tuple of Standing
        For each clustering: its number of ``clusters``; its ``value`` with its own confidence
        limits; ``may_be_best``, whether ``behind_low`` is 0; how much worse it is than the best
        (``behind``), with limits that allow for all comparisons; and the ``probability`` of being
        the best, as a share of the resamples (ties share one equally).
    method : str
        "centred"; or "jackknife" for large tables, as in `Interval`.
    n_resamples : int
        The number of resamples; by the jackknife, of sums of groups' effects.
    tables : mapping of names to Contingency
        The table of each clustering, of the objects that count in all of them.
    """

    measure: str
    confidence_level: float
    rows: tuple[Standing, ...]
    method: str
    n_resamples: int
    samples: Mapping[Name, Sample] = field(compare=False)
    tables: Mapping[Name, Contingency] = field(compare=False)

    @property
    def best(self) -> tuple[Name, ...]:
        """The clusterings that may be the best, the simplest (fewest clusters) first."""
        rows = [row for row in self.rows if row.may_be_best]
        return tuple(row.clustering for row in sorted(rows, key=lambda row: row.clusters))

    def difference(self, one: Name, other: Name) -> Difference:
        """Return the value of one clustering minus that of another, with its paired interval.

        The interval is for these two by themselves. Among many pairs some differ by chance; `best`
        allows for that.

        >>> import clusterbits as cb
        >>> found = cb.compare([0, 0, 1, 1] * 9, [0, 0, 1, 1] * 9, [0, 0, 0, 1] * 9, measure="rand")
        >>> found.difference("b", "a")
        Difference(value=-0.385..., low=-0.518..., high=-0.199...)
        """
        found = self.samples[self._key(one)].minus(self.samples[self._key(other)]).centred()
        return Difference(found.value, *found.interval(self.confidence_level))

    def bits_apart(self, one: Name, other: Name) -> float:
        """Return how many bits shorter, in all, the classes are with one clustering than another.

        By `q0_mixture`, whatever the measure. If the classes had been drawn as the code with the
        other says, those with this one would be D bits shorter with probability at most 2^-D.

        >>> import clusterbits as cb
        >>> found = cb.compare([0, 0, 1, 1] * 9, [0, 0, 1, 1] * 9, [0, 0, 0, 1] * 9, measure="rand")
        >>> round(found.bits_apart("a", "b"), 1)
        28.9
        """
        first, second = (self.tables[self._key(name)] for name in (one, other))
        return float(second.n * (q0_mixture.of(second) - q0_mixture.of(first)))

    @property
    def title(self) -> str:
        """The verdict, and of two clusterings how many bits apart they are."""
        return "\n".join(filter(None, [self.verdict, self._describe_bits()]))

    @property
    def verdict(self) -> str:
        """The best clustering; or those that cannot be told apart, and the simplest of them."""
        return self.in_words()

    def in_words(self, write: Callable[[Name], str] = short) -> str:
        """Return the verdict, with names as they are written there."""
        how = f"{self.measure}, {percent(self.confidence_level)}"
        how += ", jackknife" if self.method == "jackknife" else ""
        first, *others = self.best
        if not others:
            return f"{write(first)} is the best of {len(self.rows):,} ({how})."
        names = listed([write(name) for name in self.best], "clustering")
        simplest = f"; the simplest is {write(first)}"
        if (second := self[others[0]]).clusters == self[first].clusters:
            better = second.value != self[first].value
            simplest = f"; of the simplest, {write(first)} has the best value" if better else ""
        return f"{names} cannot be told apart ({how}){simplest}."

    def _describe_bits(self) -> str:
        """Return how many bits apart two clusterings are, where they are compared by a code."""
        if len(self.rows) != 2 or get_measure(self.measure).family != "code_length":
            return ""
        if not all(table.exact for table in self.tables.values()):
            return ""
        names = [row.clustering for row in self.rows]
        if (bits := self.bits_apart(*names)) < 0:
            bits, names = -bits, names[::-1]
        better, other = map(short, names)
        if bits < 1:
            return f"By q0_mixture {better} and {other} are less than a bit apart."
        by = "By" if names[0] == self.best[0] else "But by"
        return (
            f"{by} q0_mixture {better} saves {bits:,.1f} bits more than {other}: if the classes "
            f"depended on {other} alone, chance would do that with probability at most "
            f"{chance_bound(bits)}."
        )

    def _html_table(self) -> str:
        return html_table(self._shown(), {"value": get_measure(self.measure).better})

    def plot(self, ax: Any = None) -> Any:
        """Draw the clusterings with their intervals, and return the axes.

        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]}
        >>> ax = cb.compare([0, 0, 1, 1], runs, measure="q0", rng=1).plot()
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['b', 'a']
        """
        from clusterbits.display.plots.rows import draw_comparison

        return draw_comparison(self, ax)


@takes_labels
def compare(
    data: Any = None,
    /,
    pred: Any = None,
    other: Any = None,
    *,
    truth: Any = None,
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
    data : labels, dataframe, path or AnnData
        The classes (which may be passed as ``truth`` instead), or what holds the columns that
        `truth` and `pred` name, as in `evaluate`.
    pred : labels, runs, or names of columns
        All clusterings, by name or in the other forms that `evaluate` takes; or the first of two.
    other : labels
        The second of two clusterings.
    truth : labels, or name of a column
        The classes.
    measure : str or Measure, default "q0"
        Full name or alias, or ``q2.using(worst="exact")``.
    confidence_level : float, default 0.95
        The confidence level: how often the intervals should contain the true difference.
    n_resamples : int, optional
        The number of resamples, by default 2,000. Unless it is given, the jackknife takes their
        place where tables are large, as in `interval`.
    rng : int or None, default 0
        The same seed gives the same result; None for a random one.
    groups : labels, or name of a column, optional
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
    stretched in the direction of their skewness. Mistakes that were not seen may be in either of
    the two: where they agree on all n objects, they may differ on some 3.7/n of the others, and so
    for each class. The shares of resamples are counted before that.

    A clustering *may be the best* unless some other is better than it by more than chance
    explains, at the given level for all pairs at once: the quantile is that of the greatest
    studentised difference in the resamples. The others are set aside, and the rest is compared
    again, until none is worse (the model confidence set [1]_). So with probability
    `confidence_level` none is set aside that is as good as the best, and those that remain cannot
    be told apart: take the simplest. The limits of ``behind`` are
    those of the last comparison that a clustering was in; of two clusterings they are those of
    their difference, cut at 0. The interval of each value is for that clustering by itself.

    Where there are more than 20,000 kinds of objects (with the same class and the same clusters),
    these are not resampled unless `n_resamples` is given. All clusterings are scored without each
    of 24 random groups of objects, and the effects of these groups are resampled; see `interval`.

    References
    ----------
    .. [1] P. R. Hansen, A. Lunde, J. M. Nason (2011). The model confidence set. Econometrica 79.
           https://doi.org/10.3982/ECTA5771

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = [0] * 40 + [1] * 40
    >>> a, b = [0] * 30 + [1] * 50, [0] * 38 + [1] * 42
    >>> found = cb.compare(truth, a, b, measure="ari")
    >>> found.verdict
    'b is the best of 2 (adjusted_rand, 95 %).'
    >>> found.difference("b", "a")
    Difference(value=0.344..., low=0.132..., high=0.590...)
    >>> runs = {"a": a, "finer": [0] * 38 + [1] * 21 + [2] * 21, "b": b}
    >>> cb.compare(truth, runs)
    b and finer cannot be told apart (q0, 95 %); the simplest is b.
    clustering  clusters   value     low    high  may_be_best  behind  behind_low  behind_high ...
    b                  2  0.2789  0.1311  0.5368  True         0.0000      0.0000       0.2401 ...
    finer              3  0.2967  0.1744  0.4901  True         0.0178      0.0000       0.2112 ...
    a                  2  0.5840  0.4151  0.8296  False        0.3051      0.0737       0.5763 ...
    """
    source = find_source(data, truth, pred if other is None else {"a": pred, "b": other})
    measures = [get_measure(measure)]
    return compare_by(
        source, measures, confidence_level, n_resamples, rng, groups, progress, **labels
    )[0]


def compare_by(
    source: LabelSource | FrameSource,
    measures: Sequence[Measure],
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: int | None = 0,
    groups: Any = None,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> list[Comparison]:
    """Compare clusterings by each measure, on the same resamples; options as above."""
    for entry in measures:
        entry.sign()  # refuses what ranks nothing
    weights = labels.get("weights")
    if weights is not None and not is_balanced_word(weights):
        raise MeasureError(
            "compare takes no weights: it draws objects, each of which counts once. The word "
            "balanced lets every class count the same."
        )
    balanced = weights is not None
    joint = source.join(labels, groups)
    level = check_numbers(confidence_level, n_resamples, len(joint.names))
    if joint.truth is None:
        objects = _objects_of(joint, balanced)
    else:
        policy = LabelPolicy(truth_noise=labels.get("truth_noise"))
        objects = _groups_of(joint.truth, joint, policy, balanced)
    every = sample_scores(objects, measures, "centred", n_resamples, rng, progress)
    return [
        _compared(entry, list(joint.names), objects, samples, level)
        for entry, samples in zip(measures, every, strict=True)
    ]


def _compared(
    measure: Measure, names: list[Name], objects: Objects, samples: list[Sample], level: float
) -> Comparison:
    """Return the standing of each clustering, the best first."""
    sign = measure.sign()
    order = sorted(range(len(samples)), key=lambda i: -sign * samples[i].value)
    shares = _shares_of_best(sign * np.column_stack([one.drawn for one in samples]))
    behind = _behind(samples, sign, level)
    rows = []
    for i in order:
        low, high, _ = samples[i].limits(level, measure.bounds)
        behind_low, value, behind_high = behind[i].tolist()
        rows.append(
            Standing(
                names[i],
                objects.views[i].table.shape[1],
                samples[i].value,
                low,
                high,
                behind_low == 0,
                value,
                behind_low,
                behind_high,
                shares[i],
            )
        )
    method, many = samples[0].method, len(samples[0].drawn)
    named = dict(zip(names, samples, strict=True))
    tables = {name: view.table for name, view in zip(names, objects.views, strict=True)}
    return Comparison(measure.name, level, tuple(rows), method, many, named, tables)


def _behind(samples: Sequence[Sample], sign: int, level: float) -> FloatArray:
    """Return how far each is behind the best, between its limits: clusterings × (low, value, high).

    Those that are behind are set aside, and the others are compared again: the fewer there are, the
    less chance explains.
    """
    behind = np.zeros((len(samples), 3))
    left = list(range(len(samples)))
    while True:
        leads = _leads([samples[i] for i in left], level)
        if sign < 0:
            leads = 0.0 - leads[:, :, ::-1]
        behind[left] = leads.max(axis=1)  # each leads itself by 0
        still = [i for i in left if behind[i, 0] == 0]
        if len(still) == len(left):
            return behind
        left = still


def _leads(samples: Sequence[Sample], level: float) -> FloatArray:
    """Return how much higher the second of two is, between limits that hold for all pairs at once.

    It is firsts × seconds × (low, value, high). Limits are as many standard errors away as the
    largest deviations of the resamples in any pair, those of longer tails apart.
    """
    pairs = []
    least, most = np.zeros((2, len(samples[0].drawn)))
    for pair in combinations(range(len(samples)), 2):
        first, second = pair
        lead = samples[second].minus(samples[first]).centred()
        if lead.skewness < 0:
            (second, first), lead = pair, lead.turned()
        np.minimum(least, lead.deviations, out=least)
        np.maximum(most, lead.deviations, out=most)
        pairs.append((first, second, lead._replace(deviations=np.empty(0))))
    below, above = central_interval(least, level)[0], central_interval(most, level)[1]
    found = np.zeros((len(samples), len(samples), 3))
    for first, second, lead in pairs:
        # Any of the clusterings may have mistakes that were not seen.
        low, high = lead.limits(below, above, (1 - level) / len(samples))
        found[first, second] = low, lead.value, high
        found[second, first] = -high, 0.0 - lead.value, -low
    return found


def _shares_of_best(merit: NDArray[np.float64]) -> list[float]:
    """Return the share of resamples in which each is the best; ties are shared equally."""
    winners = merit >= merit.max(axis=1, keepdims=True) - ROUNDING * np.abs(merit).max()
    return list((winners / winners.sum(axis=1, keepdims=True)).mean(axis=0).tolist())


def _objects_of(joint: JointLabels, balanced: bool) -> Objects:
    """Return how many objects of each kind there are, and the table of each clustering."""
    kinds, (codes, *clusterings) = joint.count_kinds()
    classes = rank(codes)[0]
    views = []
    for clusters in clusterings:
        table, cells = _table_of(kinds, classes, clusters, balanced)
        views.append(View.of_cells(table, cells))
    return Objects(kinds, views, classes)


def _groups_of(
    truth: GroupedTruth, joint: JointLabels, policy: LabelPolicy, balanced: bool
) -> Objects:
    """Return the groups, and the table of each clustering with the objects of each group."""
    from scipy.sparse import csr_array

    kinds, (codes, *clusterings) = joint.count_kinds()
    classes, groups = truth.places[:, codes]
    keep = keep_classes(policy, truth.classes.tolist(), classes)
    kinds, classes = kinds[keep], rank(classes[keep])[0]
    groups, present = rank(groups[keep])
    tables, members = [], []
    for clusters in clusterings:
        table, cells = _table_of(kinds, classes, rank(clusters[keep])[0], balanced)
        tables.append(table)
        members.append(csr_array((kinds, (cells, groups)), (len(table.counts), len(present))))
    return Objects.in_groups(tables, members, truth.groups[present].tolist())


def _table_of(
    kinds: Counts, classes: NDArray[Any], clusters: NDArray[Any], balanced: bool
) -> tuple[Contingency, NDArray[np.intp]]:
    """Return the table of one clustering, and the cell of each kind of object."""
    class_names, cluster_names = (np.arange(int(some.max()) + 1) for some in (classes, clusters))
    cells, present = rank(classes * len(cluster_names) + clusters)
    counts = np.bincount(cells, weights=kinds).astype(np.int64)
    table = Contingency.from_cells(Cells.from_keys(present, counts, class_names, cluster_names))
    return table.balanced() if balanced else table, cells
