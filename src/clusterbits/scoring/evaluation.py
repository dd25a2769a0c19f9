"""Tables × measures → Scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from clusterbits.errors import MeasureError, error_prefix
from clusterbits.inference.comparison import Comparison, compare_request
from clusterbits.inference.intervals import find_intervals
from clusterbits.inference.verdict import (
    Decision,
    describe_saving,
    explain_no_saving,
    make_decision,
)
from clusterbits.labels.options import LabelOptions, object_weights, takes_labels
from clusterbits.labels.tally import GroupedTable
from clusterbits.measures.catalogue import find_family, get_measure, parse_measures
from clusterbits.measures.code_length import q0
from clusterbits.measures.declaration import Measure, Scale
from clusterbits.reading.arguments import (
    count_each,
    count_groups,
    find_request,
    has_tables,
    list_iterator,
)
from clusterbits.reading.request import Request
from clusterbits.scoring.scores import Score, Scores
from clusterbits.system.progress import Progress, track
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.text.tables import counted


@takes_labels
def evaluate(
    data: Any = None,
    /,
    pred: Any = None,
    measures: Any = None,
    *,
    truth: Any = None,
    groups: Any = None,
    confidence_level: float | None = None,
    n_resamples: int | None = None,
    rng: int | None = 0,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Scores:
    """Score one clustering, or several of the same objects, by several measures.

    Parameters
    ----------
    data : labels, Contingency, mapping of names to Contingency, dataframe, path or AnnData
        The classes (which may be passed as ``truth`` instead); or a table, which holds the
        clusters too; or tables of several clusterings; or what holds the columns that `truth` and
        `pred` name: a dataframe, as in `Contingency.from_frame`, or an AnnData.
    pred : labels, runs, or names of columns
        The clusters of one clustering. Or several runs: a mapping of names to labels (numbers as
        names stay numbers), a frame or a 2-D array with a run in each column, or a list of lists,
        arrays, Series or fitted estimators. Or columns: a name, a pattern such as ``"leiden_*"``,
        or a list of them. Where the classes have ids, a frame has ids, too: in its index, if that
        has a name or other labels than integers, else in its first column.
    measures : names, optional
        Measures to compute: full names or aliases, families such as ``"pairs"``, ``"all"`` for
        the whole catalogue; by default ``"usual"``, Dom's and the best-known others. Of families,
        all and the usual, measures that are not defined for a table (non-integer counts) are
        excluded. The first measure that has a direction decides which clustering is the best: q0
        if the first is a family that has it, or none was named.
    truth : labels, or name of a column
        The classes.
    groups : labels, or name of a column, optional
        The group of each object, such as its document, batch or patient: each group is then scored
        separately too. The result's `groups` and `means` have these scores; all else is pooled.
    confidence_level : float, optional
        The level of a confidence interval for each value, such as 0.95, by `clusterbits.interval`.
        All measures are then computed on the same resamples. With `groups`, pooled values have one,
        by resampling whole groups. Several clusterings are compared by the primary measure, as by
        `clusterbits.compare`.
    n_resamples : int, optional
        The number of resamples of the intervals, as in `clusterbits.interval`.
    rng : int or None, default 0
        For the intervals: the same seed gives the same ones, here, in `clusterbits.interval` and
        on the command line; None for a random one.
    progress : bool or callable, optional
        By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`. With columns, `weights` names one. With `groups`,
        "balanced" weights make the classes of each group equal, and those of all.

    Returns
    -------
    Scores

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth, pred = ["a"] * 9 + ["b"] * 9, [1] * 8 + [2] * 10
    >>> cb.evaluate(truth, pred, measures=["q0", "q2", "ari"])
    1.00 → 0.63 bits per object: 59 % of the maximum saving. Bits alone do not exclude chance.
    measure         value
    q0             0.6289
    q2             0.8407
    adjusted_rand  0.7772
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> cb.evaluate(table, measures=["q0", "q2"], confidence_level=0.95, rng=1)
    1.00 → 0.69 bits per object: 35 % of the maximum saving.
    95 % intervals
    measure   value     low    high
    q0       0.6857  0.4974  0.8759
    q2       0.6852  0.5828  0.7857

    Names of authors, each shared by several people; the mean over names counts each name once:

    >>> name = ["Li"] * 4 + ["Kim"] * 2
    >>> person, cluster = [1, 1, 2, 2, 3, 4], [1, 1, 2, 2, 3, 3]
    >>> cb.evaluate(person, cluster, measures="bcubed_f1,bcubed_recall", groups=name)
    2.00 → 1.99 bits per object: 3 % of the maximum saving.
    2 groups, which weigh the same in the mean; groups with the worst bcubed_f1 first.
    group   objects  clusters  bcubed_f1  bcubed_recall
    pooled        6         3     0.9091         1.0000
    mean          –         –     0.8333         1.0000
    Kim           2         1     0.6667         1.0000
    Li            4         2     1.0000         1.0000
    """
    return evaluate_request(
        find_request(data, truth, pred),
        measures,
        groups=list_iterator(groups),
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
        progress=progress,
        **labels,
    )


def evaluate_request(
    request: Request,
    measures: Any = None,
    *,
    groups: Any = None,
    confidence_level: float | None = None,
    compared_at: float | None = None,
    n_resamples: int | None = None,
    rng: int | None = 0,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Scores:
    """Score the clusterings that are asked for; options as above.

    Several are compared at the level `compared_at`, by default that of the intervals, unless there
    are tables, which do not say which objects they share, or weights.
    """
    runs: Mapping[Name, Contingency | GroupedTable] = (
        count_each(request, labels) if groups is None else count_groups(request, groups, labels)
    )
    scores = score_runs(runs, measures, confidence_level, n_resamples, rng, progress)
    level = confidence_level if compared_at is None else compared_at
    comparable = not has_tables(request) and object_weights(labels.get("weights")) is None
    if level is None or not comparable or scores.primary is None or len(runs) < 2:
        return scores
    measure = get_measure(scores.primary)
    comparison = compare_request(request, measure, level, rng, groups, progress=False, **labels)
    return add_comparison(scores, comparison)


def score_runs(
    runs: Mapping[Any, Contingency | GroupedTable],
    measures: Any,
    confidence_level: float | None = None,
    n_resamples: int | None = None,
    rng: int | None = 0,
    progress: Progress = None,
) -> Scores:
    """Score the tables of several clusterings, or their tables by group; options as above."""
    grouped = {name: run for name, run in runs.items() if isinstance(run, GroupedTable)}
    tables = {
        name: run if isinstance(run, Contingency) else run.table for name, run in runs.items()
    }
    names = parse_measures(measures)
    chosen = choose_measures(names, tables.values(), resampled=confidence_level is not None)
    primary = _find_primary(names, chosen)
    scales = {measure.name: measure.scale for measure in chosen}
    prefixes = {name: f"clustering {name!r}" if len(runs) > 1 else "" for name in runs}
    rows, methods, resamples = [], {}, None
    if confidence_level is None:
        pairs = [(name, measure) for name in tables for measure in chosen]
        for name, measure in track(progress, pairs):
            with error_prefix(prefixes[name]):
                rows.append(Score(name, measure.name, measure.score_table(tables[name])))
    else:
        # One bar: over the runs, or over the resamples of the only one.
        over_runs, over_resamples = (progress, False) if len(runs) > 1 else (False, progress)
        for name, run in track(over_runs, list(runs.items())):
            with error_prefix(prefixes[name]):
                intervals = find_intervals(
                    run, chosen, confidence_level, n_resamples, rng, progress=over_resamples
                )
            rows += [Score(name, x.measure, x.value, x.low, x.high) for x in intervals]
            methods[name], resamples = intervals[-1].method, intervals[-1].n_resamples
    values = {x.clustering: x.value for x in rows if primary and x.measure == primary.name}
    return Scores(
        tuple(rows),
        tables,
        None if confidence_level is None else float(confidence_level),
        _score_groups(grouped, scales, chosen),
        methods=methods,
        n_resamples=resamples,
        seed=rng,
        decision=_add_saving(make_decision(primary, values, tables), tables, bool(grouped)),
        scales=scales,
    )


def add_comparison(scores: Scores, comparison: Comparison) -> Scores:
    """Return the scores with a comparison by the primary measure, and its decision."""
    decision, (shared, *_) = comparison.decision, comparison.tables.values()
    if any(table.n > shared.n for table in scores.tables.values()):
        objects = f"They were compared on {counted(shared.n, 'object')} that all have."
        decision = decision._replace(objects=objects)
    decision = _add_saving(decision, scores.tables, bool(scores.groups))
    return replace(scores, comparison=comparison, decision=decision)


def _add_saving(decision: Decision, tables: Mapping[Name, Contingency], grouped: bool) -> Decision:
    """Return the decision with what the first of the best saves."""
    if not decision.best or (len(tables) > 1 and explain_no_saving(tables[decision.best[0]])):
        return decision
    saving = describe_saving(tables[decision.best[0]], len(tables), grouped)
    return decision._replace(saving=saving)


def _score_groups(
    runs: Mapping[Name, GroupedTable], scales: Mapping[str, Scale], measures: Iterable[Measure]
) -> dict[Any, Scores]:
    """Return the scores of each group: nan if a measure is not defined or no object counted."""
    if not runs:
        return {}
    every_group = next(iter(runs.values())).every_group  # the same of all
    tables: dict[Any, dict[Name, Contingency]] = {group: {} for group in every_group}
    for name, grouped in runs.items():
        for group, table in grouped.tables():
            tables[group][name] = table
    scores = {}
    for group, group_tables in tables.items():
        with error_prefix(f"group {group!r}"):
            rows = [
                Score(name, measure.name, _value(measure, group_tables.get(name)))
                for name in runs
                for measure in measures
            ]
        scores[group] = Scores(tuple(rows), group_tables, scales=scales)
    return scores


def _value(measure: Measure, table: Contingency | None) -> float:
    if table is None:
        return math.nan
    try:
        return measure.score_table(table)
    except MeasureError:  # not defined for so small a table
        return math.nan


def _find_primary(names: Sequence[Any] | None, chosen: Sequence[Measure]) -> Measure | None:
    """Return the measure that decides: the first of the chosen that has a direction, or None.

    If the first name is a family with q0, or the usual measures, it is q0.
    """
    if q0 in find_family(names[0] if names else "usual") and q0 in chosen:
        return q0
    return next((entry for entry in chosen if entry.better is not None), None)


def choose_measures(
    names: list[Any] | None, tables: Collection[Contingency], resampled: bool = False
) -> list[Measure]:
    """Return the named measures, by default the usual ones; of families those that apply."""
    if names == []:
        raise MeasureError("no measure was named; leave measures out for the usual ones.")
    # Resamples of a balanced table are balanced anew: real-valued, and chance in them takes long.
    balanced = resampled and any(table.unbalanced is not None for table in tables)
    chosen: dict[str, Measure] = {}
    for name in names or ["usual"]:
        if family := find_family(name):
            entries = [x for x in family if x.weights == "any" or not balanced]
            entries = [x for x in entries if all(map(x.applies_to, tables))]
        else:
            entries = [get_measure(name)]
        if not entries:
            raise MeasureError(f"no measure of {name!r} is defined for this table.")
        chosen |= {entry.name: entry for entry in entries}
    return list(chosen.values())
