"""Clusterings of the same objects compared: paired differences, and the model confidence set.

Two scores of the same objects go up and down together, so the interval of their difference is
far narrower than their own two intervals suggest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack, overload

from clusterbits.errors import MeasureError, check_level
from clusterbits.inference.confidence_set import (
    ConfidenceSet,
    compare_with_best,
    find_confidence_set,
)
from clusterbits.inference.resampling import ResamplingUnits
from clusterbits.inference.score_errors import find_errors
from clusterbits.inference.task_comparison import TaskComparison, compare_tasks, tables_of_runs
from clusterbits.inference.verdict import make_decision
from clusterbits.labels.options import LabelOptions, object_weights, takes_labels
from clusterbits.labels.tally import Tally
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Measure
from clusterbits.reading.arguments import find_request, tally_jointly
from clusterbits.reading.request import Request
from clusterbits.system.progress import Progress
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.table.numbering import factorize_integers


class ComparisonRow(NamedTuple):
    """One clustering: its value, its difference from the best, and whether it is in the set."""

    clustering: Name
    clusters: int
    value: float
    difference: float
    difference_low: float
    difference_high: float
    in_set: bool


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ConfidenceSet):
    """Clusterings of the same objects, the best value first, and the model confidence set.

    Attributes
    ----------
    measure, confidence_level, decision, better
        As in every `ConfidenceSet`.
    rows : tuple of ComparisonRow
        For each clustering: its number of ``clusters``; its ``value``; its ``difference`` from the
        best value, with the limits of this pair; and ``in_set``, whether it is in the model
        confidence set: not significantly worse than the best.
    tables : mapping of names to Contingency
        The table of each clustering, of the objects that count in all of them.
    """

    rows: tuple[ComparisonRow, ...]
    tables: Mapping[Name, Contingency]


@overload
def compare(
    tasks: Mapping[Any, Any],
    /,
    *,
    measure: str | Measure,
    confidence_level: float = 0.95,
    rng: int | None = 0,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> TaskComparison: ...
@overload
def compare(
    data: Any = None,
    /,
    pred: Any = None,
    other: Any = None,
    *,
    truth: Any = None,
    measure: str | Measure = "q0",
    confidence_level: float = 0.95,
    rng: int | None = 0,
    groups: Any = None,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Comparison: ...
@takes_labels
def compare(
    data: Any = None,
    /,
    pred: Any = None,
    other: Any = None,
    *,
    truth: Any = None,
    measure: str | Measure | None = None,
    confidence_level: float = 0.95,
    rng: int | None = 0,
    groups: Any = None,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Comparison | TaskComparison:
    r"""Compare clusterings of the same objects: the best one, and those not significantly worse.

    Over several data sets, too: then a data set, or task, is one unit, and not an object.

    Parameters
    ----------
    data : labels, dataframe, path, AnnData or mapping of tasks
        The classes (which may be passed as ``truth`` instead), or what holds the columns that
        `truth` and `pred` name, as in `evaluate`. Without `pred`: a mapping of tasks to pairs
        ``(truth, runs)``, or to the values of the measure, ``{clustering: value}``; each task has
        the same clusterings, by the same names.
    pred : labels, runs, or names of columns
        All clusterings, by name or in the other forms that `evaluate` takes; or the first of two.
    other : labels
        The second of two clusterings.
    truth : labels, or name of a column
        The classes.
    measure : str or Measure
        Full name or alias, or ``q2.using(worst="exact")``; by default q0. Over tasks it must be
        named, and be normalized: code lengths of different data sets do not compare.
    confidence_level : float, default 0.95
        The confidence level of the model confidence set, and of the interval of each difference.
    rng : int or None, default 0
        The seed of the critical values, which are simulated; None for a random one.
    groups : labels, or name of a column, optional
        The group of each object, such as its document, batch or patient. Objects of one group
        tend to be alike: then the groups are the units, and not the objects.
    progress : bool or callable, optional
        By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`. Objects that lack a label, are noise or are
        unmatched in any clustering are treated so in all. Weights of objects are an error: an
        object of weight 100 is not a hundred objects. "balanced" is allowed.

    Returns
    -------
    Comparison
        The clusterings, the best value first, and the model confidence set. Two that are given
        without names are called "a" and "b".
    TaskComparison
        Over tasks: the clusterings, the best mean value first, their mean ranks, and the model
        confidence set.

    Notes
    -----
    No object is resampled. The influence of an object on a value is the change that leaving it out
    makes (the jackknife; with `groups`, leaving out a group), with the number of classes kept.
    Influences of the same objects on all clusterings give the covariance of the values, in which
    what they share cancels. If a table has more than about 4,000 non-zero cells, 24 random groups
    of objects of one size are left out in place of single objects.

    The *model confidence set* [1]_ holds the clusterings that are not significantly worse. The
    differences of all pairs, in standard errors, are compared with the largest such difference in
    draws of a multivariate t with this covariance. Its degrees of freedom are the effective number
    of units minus one: :math:`n^2 / \sum_u m_u^2 - 1` for groups of :math:`m_u` objects. All
    clusterings that are worse than another one by more than the quantile of `confidence_level` are
    eliminated at once, and the rest is compared again [2]_. So with a probability of about
    `confidence_level` no clustering is eliminated that is as good as the best. Two clusterings are
    compared by the paired t-test. Among more, some standard errors are small by chance; so the
    variance of each pair is moderated [3]_, as if 30 more units had the mean variance of all pairs
    (but by a factor of at most 1 + 60 / degrees of freedom).

    The interval of a ``difference`` is Student's, for this pair only: it holds for two clusterings
    that were chosen beforehand, and `best` allows for the choice. In all standard errors, the
    change that one more misassigned object would make is added in quadrature, so that a perfect
    clustering of few objects is not certain. Errors that come with whole groups, and are too rare
    to be in the sample, are not allowed for. The page on intervals has simulated levels.

    Over tasks, the values are means over tasks, and their covariance is that of the values on the
    tasks: two clusterings are compared by the paired t-test over tasks. In place of the change that
    a misassigned object makes, it is the change if the two had been equal on one of the tasks; so
    with three tasks no difference is significant (at 95 %), with four or five only among two or
    three clusterings. It makes no difference how many objects a task has. The level rests on
    differences that are roughly normal: a clustering that fails on a share p of all tasks, and on
    none of these, is called better in up to :math:`(1 - p)^n` of comparisons over n tasks.

    References
    ----------
    .. [1] P. R. Hansen, A. Lunde, J. M. Nason (2011). The model confidence set. Econometrica 79.
           https://doi.org/10.3982/ECTA5771
    .. [2] J. P. Romano, M. Wolf (2005). Stepwise multiple testing as formalized data snooping.
           Econometrica 73. https://doi.org/10.1111/j.1468-0262.2005.00615.x
    .. [3] G. K. Smyth (2004). Linear models and empirical Bayes methods for assessing differential
           expression in microarray experiments. Statistical Applications in Genetics and Molecular
           Biology 3. https://doi.org/10.2202/1544-6115.1027

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = [0] * 40 + [1] * 40
    >>> a, b = [0] * 30 + [1] * 50, [0] * 38 + [1] * 42
    >>> comparison = cb.compare(truth, a, b, measure="ari")
    >>> comparison.verdict
    'b has the highest adjusted_rand (0.9013). All others are significantly worse (95 %).'
    >>> comparison.difference("b", "a")
    Difference(value=0.344..., low=0.113..., high=0.574...)
    >>> runs = {"a": a, "finer": [0] * 38 + [1] * 21 + [2] * 21, "b": b}
    >>> cb.compare(truth, runs)
    b has the fewest bits (q0 0.2789). Not significantly worse (95 %): finer.
                                              difference_  difference_  in_
    clustering  clusters   value  difference          low         high  set
    b                  2  0.2789      0.0000       0.0000       0.0000  True
    finer              3  0.2967      0.0178      -0.1516       0.1871  True
    a                  2  0.5840      0.3051       0.0603       0.5499  False

    Over tasks, here of 30 to 90 objects each:

    >>> tasks = {n: (range(n), {"a": [0] * n, "b": range(n)}) for n in (30, 50, 70, 90)}
    >>> cb.compare(tasks, measure="v_measure").verdict
    'b has the highest mean v_measure (1.0000 over 4 tasks). All others are significantly worse ...'
    """
    if isinstance(data, Mapping) and pred is None and other is None and truth is None:
        if measure is None:
            raise MeasureError(
                "tasks, {name: (truth, runs)}, need a measure that compares across data sets, such "
                "as measure='share_saved'. Clusterings of one data set need truth and runs: tables "
                "do not say which objects they share."
            )
        if groups is not None:
            raise MeasureError("groups cannot be used over tasks: the tasks are the units.")
        _check_weights(labels)
        return compare_tasks(data, get_measure(measure), confidence_level, rng, progress, labels)
    request = find_request(data, truth, pred if other is None else {"a": pred, "b": other})
    return compare_request(
        request, get_measure(measure or "q0"), confidence_level, rng, groups, progress, **labels
    )


def compare_request(
    request: Request,
    measure: Measure,
    confidence_level: float = 0.95,
    rng: int | None = 0,
    groups: Any = None,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Comparison:
    """Compare clusterings by a measure, as `compare`."""
    sign = measure.scale.sign()
    level = check_level(confidence_level)
    balanced = _check_weights(labels)
    rows = tally_jointly(request, labels, groups)
    units = _find_units(rows, balanced)
    errors = find_errors(units, measure, rng, progress)
    tables = {name: run.table for name, run in units.items()}
    members, _ = find_confidence_set(errors, sign, level, rng)
    decision = make_decision(measure, errors.by_name(), tables, level=level, members=members)
    comparison_rows = [
        ComparisonRow(name, tables[name].shape[1], *columns)
        for name, *columns in compare_with_best(errors, decision, level)
    ]
    return Comparison(
        measure.name,
        level,
        tuple(comparison_rows),
        decision,
        measure.better,
        errors.sorted_by(decision.order),
        tables,
    )


def _check_weights(labels: LabelOptions) -> bool:
    """Return whether classes are balanced; raise for weights of objects."""
    weights = labels.get("weights")
    if object_weights(weights) is not None:
        raise MeasureError(
            "compare takes no weights: an object of weight 100 is not a hundred objects. Pass "
            "weights='balanced' to let every class count the same."
        )
    return weights is not None


def _find_units(rows: Tally, balanced: bool) -> dict[Name, ResamplingUnits]:
    """Return the units of each run, objects or groups, from unique label rows."""
    from scipy.sparse import csr_array

    classes, counts, runs = rows.truth.named()[0], rows.counts, {}
    for run, table in tables_of_runs(rows, balanced):
        clusters, _ = rows.runs[run].named()
        cells, _ = factorize_integers(classes * table.shape[1] + clusters)
        if rows.groups is None:
            runs[run] = ResamplingUnits.from_cells(table, cells, counts, classes)
        else:
            groups, names = rows.groups.named()
            members = csr_array((counts, (cells, groups)), (len(table.counts), len(names)))
            runs[run] = ResamplingUnits.from_groups(table, members, names.tolist())
    return runs
