"""Tables × measures → Scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusterbits import inference
from clusterbits.core.arguments import LabelOptions, as_table
from clusterbits.core.policy import Missing, Noise
from clusterbits.core.table import Contingency
from clusterbits.errors import MeasureError, answer_wrong_calls
from clusterbits.ingest.columns import read_labels
from clusterbits.measures.catalogue import Measure, catalogue, find
from clusterbits.parallel import Progress, track
from clusterbits.scoring.scores import Score, Scores

# Dom's measure, and the rivals that people know best.
DEFAULT_MEASURES = (
    "share_saved",
    "bits_saved",
    "q0",
    "q2",
    "q2_adjusted",
    "adjusted_rand",
    "adjusted_mutual_information",
    "v_measure",
    "fowlkes_mallows",
    "rand",
)


@answer_wrong_calls
def evaluate(
    truth: Any,
    pred: Any = None,
    measures: Any = None,
    *,
    interval: float | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
    missing: Missing = "error",
    weights: Any = None,
    noise_label: Any = -1,
    align: bool = False,
    progress: Progress = iter,
) -> Scores:
    """Score one clustering, or several of the same objects, by several measures.

    Parameters
    ----------
    truth : 1-D sequence of labels, Contingency, or mapping of names to Contingency
        The classes; or a table, which holds the clusters too; or tables of several clusterings.
    pred : 1-D sequence of labels, or mapping of names to such sequences
        The clusters of one clustering or of several.
    measures : names, optional
        Measures to compute: full names or aliases, ``"all"`` for the whole catalogue; by default
        Dom's and the best-known rivals. Of these two choices, measures that are not defined for
        a table (real-valued counts) are left out.
    interval : float, optional
        Level of a confidence interval for each value, such as 0.95, by `clusterbits.interval`. A
        measure is then computed some thousand times; those adjusted for chance take seconds.
    seed : int, optional
        For the intervals: the same seed gives the same ones.
    noise, missing, weights, noise_label, align
        How labels are read, as in `Contingency.from_labels`.
    progress : callable, optional
        Wrapped around the values to compute, to draw a progress bar.

    Returns
    -------
    Scores

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.evaluate(["a", "a", "b", "b"], [1, 1, 1, 2], measures=["q0", "q2", "ari"])
    1.58 → 1.44 bits per object: 18 % of what can be saved. The clusters save some of it.
    measure         value
    q0             1.4387
    q2             0.4648
    adjusted_rand  0.0000
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> cb.evaluate(table, measures=["q0", "q2"], interval=0.95, seed=1)
    1.00 → 0.69 bits per object: 35 % of what can be saved. The clusters save some of it.
    measure   value     low    high
    q0       0.6857  0.4974  0.8759
    q2       0.6852  0.5828  0.7857
    """
    tables = _tables(truth, pred, LabelOptions(noise, missing, weights, noise_label, align))
    chosen = _chosen(measures, tables.values())
    asked = [(name, measure) for name in tables for measure in chosen]
    rows = [
        _score(name, tables[name], measure, interval, seed)
        for name, measure in track(progress, asked)
    ]
    return Scores(tuple(rows), tables, None if interval is None else float(interval))


def _score(
    name: str, table: Contingency, measure: Measure, level: float | None, seed: int | None
) -> Score:
    if level is None:
        return Score(name, measure.name, measure.of(table))
    found = inference.interval(table, measure=measure, level=level, seed=seed)
    return Score(name, measure.name, found.value, found.low, found.high)


def _tables(truth: Any, pred: Any, options: LabelOptions) -> dict[str, Contingency]:
    named = truth if isinstance(truth, Mapping) and pred is None else pred
    if not isinstance(named, Mapping):
        return {"pred": as_table(truth, pred, options)}
    if not named:
        raise MeasureError("an empty mapping was given; name at least one clustering.")
    if len(set(map(str, named))) < len(named):
        raise MeasureError("two clusterings have the same name once written as text.")
    if named is truth:
        return {str(name): as_table(table, None, options) for name, table in named.items()}
    if not isinstance(truth, Contingency):
        truth = read_labels(truth, "truth")  # once for all
    return {str(name): as_table(truth, labels, options) for name, labels in named.items()}


def _chosen(measures: Any, tables: Iterable[Contingency]) -> list[Measure]:
    """Return the measures asked for; of "all" or the usual ones, those that apply."""
    if isinstance(measures, str):
        measures = [name.strip() for name in measures.split(",") if name.strip()]
    elif isinstance(measures, Measure):
        measures = [measures]
    try:
        asked = None if measures is None else list(measures)
    except TypeError:
        raise MeasureError(
            f"measures={measures!r}: name measures, such as ['q0', 'ari']."
        ) from None
    everything = asked is not None and any(
        isinstance(name, str) and name.casefold() == "all" for name in asked
    )
    if asked is not None and not everything:
        if not asked:
            raise MeasureError("no measure was named; leave measures out for the usual ones.")
        return list(dict.fromkeys(find(name) for name in asked))
    offered = catalogue() if everything else map(find, DEFAULT_MEASURES)
    every = list(tables)
    return [entry for entry in offered if all(entry.applies_to(table) for table in every)]
