"""Tables × measures → Scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Unpack

from clusterbits.core.policy import (
    LabelOptions,
    takes_labels,
)
from clusterbits.core.table import Contingency
from clusterbits.errors import MeasureError, naming
from clusterbits.inference.comparison import compare_request
from clusterbits.inference.intervals import find_intervals
from clusterbits.ingest.arguments import count_each, count_groups, find_request, has_tables
from clusterbits.ingest.runs import Name
from clusterbits.ingest.tally import GroupedTable
from clusterbits.measures.catalogue import Measure, find_family, get_measure, split_asked
from clusterbits.progress import Progress, track
from clusterbits.scoring.ranks import have_same_classes
from clusterbits.scoring.scores import Score, Scores

# Dom's measure, and the others that people know best.
DEFAULT_MEASURES = (
    "share_saved",
    "q0",
    "q2",
    "adjusted_rand",
    "adjusted_mutual_information",
    "v_measure",
)


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
        excluded. The first measure decides which clustering is the best; q0 if none was named.
    truth : labels, or name of a column
        The classes.
    groups : labels, or name of a column, optional
        The group of each object, such as its document, batch or patient: each group is then scored
        by itself too. The result's `groups` and `means` have these scores; all else is pooled.
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
        A bar is drawn in terminals and notebooks, from the first second on; False for none. Or what
        to wrap around the tasks instead, such as a ``tqdm`` of your own.
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
    1.00 → 0.63 bits per object: 59 % of what can be saved. Bits alone do not exclude chance.
    measure         value
    q0             0.6289
    q2             0.8407
    adjusted_rand  0.7772
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> cb.evaluate(table, measures=["q0", "q2"], confidence_level=0.95, rng=1)
    1.00 → 0.69 bits per object: 35 % of what can be saved.
    95 % intervals
    measure   value     low    high
    q0       0.6857  0.4974  0.8759
    q2       0.6852  0.5828  0.7857

    Names of authors, each shared by several people; the mean over names counts each name once:

    >>> name = ["Li"] * 4 + ["Kim"] * 2
    >>> person, cluster = [1, 1, 2, 2, 3, 4], [1, 1, 2, 2, 3, 3]
    >>> cb.evaluate(person, cluster, measures="bcubed_f1,bcubed_recall", groups=name)
    2.00 → 1.99 bits per object: 3 % of what can be saved.
    2 groups, which weigh the same in the mean.
    group   objects  clusters  bcubed_f1  bcubed_recall
    pooled        6         3     0.9091         1.0000
    mean          –         –     0.8333         1.0000
    Kim           2         1     0.6667         1.0000
    Li            4         2     1.0000         1.0000
    """
    request = find_request(data, truth, pred)
    runs: Mapping[Name, Contingency | GroupedTable] = (
        count_each(request, labels) if groups is None else count_groups(request, groups, labels)
    )
    scores = score_runs(runs, measures, confidence_level, n_resamples, rng, progress)
    if confidence_level is None or scores.primary is None or len(runs) < 2 or has_tables(request):
        return scores
    primary = get_measure(scores.primary)
    comparison = compare_request(request, primary, confidence_level, rng, groups, False, **labels)
    return replace(scores, comparison=comparison)


def score_runs(
    runs: Mapping[Any, Contingency | GroupedTable],
    measures: Any,
    confidence_level: float | None,
    n_resamples: int | None,
    rng: int | None,
    progress: Progress = None,
) -> Scores:
    """Score the tables of several clusterings, or their tables by group; options as above."""
    grouped = {name: run for name, run in runs.items() if isinstance(run, GroupedTable)}
    tables = {
        name: run if isinstance(run, Contingency) else run.table for name, run in runs.items()
    }
    chosen = choose_measures(measures, tables.values(), resampled=confidence_level is not None)
    primary = find_primary(measures, chosen, tables.values())
    called = {name: f"clustering {name!r}" if len(runs) > 1 else "" for name in runs}
    rows = []
    if confidence_level is None:
        asked = [(name, measure) for name in tables for measure in chosen]
        for name, measure in track(progress, asked):
            with naming(called[name]):
                rows.append(Score(name, measure.name, measure.of(tables[name])))
        return Scores(tuple(rows), tables, None, _score_groups(grouped, chosen), primary)
    # One bar: over the runs, or over the resamples of the only one.
    over_runs, over_resamples = (progress, False) if len(runs) > 1 else (False, progress)
    methods = {}
    for name, run in track(over_runs, list(runs.items())):
        with naming(called[name]):
            found = find_intervals(
                run, chosen, confidence_level, n_resamples, rng, progress=over_resamples
            )
        rows += [Score(name, one.measure, one.value, one.low, one.high) for one in found]
        methods[name] = found[-1].method
    by_group = _score_groups(grouped, chosen)
    return Scores(
        tuple(rows),
        tables,
        float(confidence_level),
        by_group,
        primary,
        methods=methods,
        n_resamples=n_resamples,
        seed=rng,
    )


def _score_groups(
    runs: Mapping[Name, GroupedTable], measures: Iterable[Measure]
) -> dict[Any, Scores]:
    """Return the scores of each group: nan where a measure is not defined or nothing counted."""
    if not runs:
        return {}
    every_group = next(iter(runs.values())).every_group  # the same of all
    tables: dict[Any, dict[Name, Contingency]] = {group: {} for group in every_group}
    for name, grouped in runs.items():
        for group, table in grouped.tables():
            tables[group][name] = table
    found = {}
    for group, some in tables.items():
        with naming(f"group {group!r}"):
            rows = [
                Score(name, measure.name, _value(measure, some.get(name)))
                for name in runs
                for measure in measures
            ]
        found[group] = Scores(tuple(rows), some)
    return found


def _value(measure: Measure, table: Contingency | None) -> float:
    if table is None:
        return math.nan
    try:
        return measure.of(table)
    except MeasureError:  # not defined for so small a table
        return math.nan


@cache
def _usual() -> list[Measure]:
    return [get_measure(name) for name in DEFAULT_MEASURES]


def find_primary(
    measures: Any, chosen: Sequence[Measure], tables: Iterable[Contingency]
) -> str | None:
    """Return the measure that decides: the first asked for that has a direction, or None.

    Of the usual measures and of families it is q0. Bits of different objects do not compare: of
    the usual measures it is share_saved then.
    """
    names = [entry.name for entry in chosen if entry.better is not None]
    asked = split_asked(measures) or ["usual"]
    if asked[0] == "usual" and not have_same_classes(tables) and "share_saved" in names:
        return "share_saved"
    if (asked[0] == "usual" or find_family(asked[0])) and "q0" in names:
        return "q0"
    return next(iter(names), None)


def choose_measures(
    measures: Any, tables: Iterable[Contingency], resampled: bool = False
) -> list[Measure]:
    """Return the measures asked for; of the usual ones, "all" and families, those that apply."""
    asked, every = split_asked(measures), list(tables)
    if asked == []:
        raise MeasureError("no measure was named; leave measures out for the usual ones.")
    # Resamples of a balanced table are balanced anew: real-valued, and chance in them takes long.
    balanced = resampled and any(table.unbalanced is not None for table in every)
    chosen: dict[Measure, None] = {}
    for name in asked or ["usual"]:
        family = _usual() if name == "usual" else find_family(name)
        found = [entry for entry in family if entry.weights == "any" or not balanced]
        found = [entry for entry in found if all(map(entry.applies_to, every))]
        found = found if family else [get_measure(name)]
        if not found:
            raise MeasureError(f"no measure of {name!r} is defined for this table.")
        chosen |= dict.fromkeys(found)
    return list(chosen)
