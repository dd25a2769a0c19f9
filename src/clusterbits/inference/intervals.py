"""Confidence intervals of a measure by the bootstrap and the jackknife."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from clusterbits.errors import check_choice, check_level
from clusterbits.inference.resampling import (
    ResamplingUnits,
    check_drawable,
    check_resamples,
    resample_scores,
    unbalanced_table,
)
from clusterbits.labels.options import LabelOptions, takes_labels
from clusterbits.labels.tally import GroupedTable
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Measure
from clusterbits.reading.arguments import UNNAMED, count_groups
from clusterbits.reading.request import Request
from clusterbits.system.progress import Progress
from clusterbits.table.contingency import Contingency, as_table
from clusterbits.text.results import Result
from clusterbits.text.tables import percent, show

METHODS = ("centred", "percentile", "jackknife")


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result):
    """A value and its confidence interval.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    value : float
        Its value for the table as it is.
    low, high : float
        Its confidence limits.
    confidence_level : float
        The confidence level.
    standard_error : float
        Standard deviation of the resamples' values or the jackknife's, the larger one if "centred".
    bias : float
        An estimate of what a sample of n objects adds to the measure, compared with infinitely
        many. By the bootstrap it is the mean of the resamples' values minus the value: terms that
        depend on n alone, such as the table bits of `q0`, are not in it. They are in the
        jackknife's, so the two may differ in sign.
    method : str
        "centred", "percentile" or "jackknife": the last also if "centred" was asked for and the
        table is large.
    n_resamples : int
        The number of resamples; by the jackknife, of sums of groups' effects.
    """

    measure: str
    value: float
    low: float
    high: float
    confidence_level: float
    standard_error: float
    bias: float
    method: str
    n_resamples: int

    @property
    def title(self) -> str:
        """The value and its interval."""
        how = ", jackknife" if self.method == "jackknife" else ""
        return (
            f"{self.measure} {show(self.value)}, "
            f"{percent(self.confidence_level)} interval {show(self.low)} … {show(self.high)}{how}"
        )

    def __repr__(self) -> str:
        """Return the title."""
        return self.title


@takes_labels
def interval(
    truth: Any,
    pred: Any = None,
    *,
    measure: str | Measure = "q0",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: int | None = 0,
    method: str = "centred",
    groups: Any = None,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Interval:
    r"""Return a measure's value and its confidence interval, by the bootstrap or the jackknife.

    The interval is for the mean of the measure over samples of n objects from the population
    that these came from: had n others been drawn, what would the measure have been, on average?

    Parameters
    ----------
    truth : 1-D sequence of labels, or Contingency
        The classes; or the table, of whole counts.
    pred : 1-D sequence of labels
        The clusters, if `truth` is not a table.
    measure : str or Measure, default "q0"
        Full name or alias of any measure of the catalogue, or ``q2.using(worst="exact")``.
    confidence_level : float, default 0.95
        How often such intervals should contain that mean.
    n_resamples : int, optional
        The number of resamples, by default 2,000. Without it, tables of more than 20,000 cells are
        not resampled: "centred" then is "jackknife".
    rng : int or None, default 0
        The same seed gives the same interval, on any number of cores; None for a random one.
    method : "centred", "percentile" or "jackknife"
        See the notes. "percentile" does not keep its level on sparse tables, and if few objects are
        misassigned.
    groups : 1-D sequence of labels, optional
        The group of each object, such as its document, batch or patient. Whole groups are then
        resampled: objects of one group tend to be alike, and to resample them as if they were
        not makes the interval too narrow.
    progress : bool or callable, optional
        By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`. Weights are an error, except "balanced": then
        objects are resampled, and each resample is balanced.

    Returns
    -------
    Interval
        With ``value``, ``low`` and ``high``.

    Notes
    -----
    A resample's counts are multinomial with probabilities h(c,k)/n, so the cost depends on the
    non-zero cells and not on n. If it happens to lack a class, Dom's family uses the smaller number
    of classes, unless ``n_classes`` is given.

    *percentile* is the textbook method: quantiles of the resamples. On a table with few objects per
    cell it fails: objects drawn twice make its cells fuller and fewer.

    *centred* takes only the shape from the resamples. It moves their mean onto the value, widens
    them to the jackknife's standard error [1]_ if that is larger, and stretches the longer tail by
    the skewness, as the limits of a Poisson count are. Errors that the sample lacks are in no
    resample: in 2.5 % of all cases a sample of n objects lacks those of up to 1 - 0.025^(1/n) of
    the population, some 3.7/n. So the limits are at least as far away as so many misassigned
    objects would move the value, of all objects and of those of each class (or of eight, from the
    rarest to the largest; two if the table is large).

    *jackknife* is how "centred" is done if the table has more than 20,000 non-zero cells and
    `n_resamples` is not given. The measure is computed without each of 24 random groups of objects
    (or of `groups`) of one size [2]_, and their effects are resampled, with Student's t for the
    error of the standard error. The width varies between seeds with a standard deviation of 15 %.

    With `groups` a resample has as many groups as there are, drawn with replacement (the cluster
    bootstrap), and the jackknife leaves out one group. The interval is for the mean over samples of
    as many groups. Unobserved errors are then those of groups, and not by class: all objects of a
    group that are in one cluster are misassigned together.

    The page on intervals has the reasons, and the measured coverage of all methods.

    References
    ----------
    .. [1] B. Efron, C. Stein (1981). The jackknife estimate of variance. Annals of Statistics 9.
           https://doi.org/10.1214/aos/1176345462
    .. [2] J. Shao, C. F. J. Wu (1989). A general theory for jackknife variance estimation. Annals
           of Statistics 17. https://doi.org/10.1214/aos/1176347263

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> cb.interval(table, measure="q2", rng=1)
    q2 0.6852, 95 % interval 0.5828 … 0.7857
    >>> cb.interval([0] * 10 + [1] * 10, [0] * 12 + [1] * 8, measure="rand", rng=1)
    rand 0.8105, 95 % interval 0.5059 … 1.0000
    """
    source: Contingency | GroupedTable
    if groups is None:
        source = as_table(truth, pred, labels)
    else:
        (source,) = count_groups(Request(None, truth, {UNNAMED: pred}), groups, labels).values()
    (result,) = find_intervals(
        source, [get_measure(measure)], confidence_level, n_resamples, rng, method, progress
    )
    return result


def find_intervals(
    source: Contingency | GroupedTable,
    measures: Sequence[Measure],
    confidence_level: float,
    n_resamples: int | None = None,
    rng: int | None = 0,
    method: str = "centred",
    progress: Progress = False,
) -> list[Interval]:
    """Return the interval of each measure of a table, all on the same resamples."""
    check_choice("method", method, METHODS)
    level = check_level(confidence_level)
    check_resamples(n_resamples)
    table = source if isinstance(source, Contingency) else source.table
    check_drawable("interval", unbalanced_table(table))
    if isinstance(source, Contingency):
        units = ResamplingUnits.from_table(table)
    else:
        units = ResamplingUnits.from_groups(table, source.counts, source.groups)
    scores = resample_scores(units, measures, method, n_resamples, rng, progress)
    intervals = []
    for measure, score in zip(measures, scores, strict=True):
        low, high, error = score.limits(level, measure.bounds)
        interval = Interval(
            measure.name, score.value, low, high, level, error, score.bias, score.method,
            len(score.drawn),
        )  # fmt: skip
        intervals.append(interval)
    return intervals
