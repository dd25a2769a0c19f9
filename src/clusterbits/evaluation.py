"""Tables × measures → Scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusterbits import measures as _families  # noqa: F401  # importing them fills the catalogue
from clusterbits.catalogue import Measure, as_table, catalogue, find
from clusterbits.errors import MeasureError
from clusterbits.scores import Score, Scores
from clusterbits.table import Contingency

# Dom's measure, and the rivals that people know best.
DEFAULT_MEASURES = (
    "q0",
    "q2",
    "q2_adjusted",
    "adjusted_rand",
    "adjusted_mutual_information",
    "v_measure",
    "fowlkes_mallows",
    "jaccard",
    "rand",
    "hamming",
)


def evaluate(
    truth: Any,
    pred: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    **label_options: Any,
) -> Scores:
    """Score one clustering, or several of the same objects, by several measures.

    Parameters
    ----------
    truth : 1-D sequence of labels, or Contingency
        The classes; or a table, which holds the clusters too.
    pred : 1-D sequence of labels, or mapping of names to such sequences
        The clusters of one clustering or of several.
    measures : names, optional
        Measures to compute: full names or aliases, ``"all"`` for the whole catalogue; by default
        Dom's and the best-known rivals. Of these two choices, measures that are not defined for
        a table (real-valued counts) are left out.
    **label_options
        ``noise``, ``missing``, ``weights``, ``noise_label``, ``align``: as in
        `Contingency.from_labels`.

    Returns
    -------
    Scores

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.evaluate(["a", "a", "b", "b"], [1, 1, 1, 2], measures=["q0", "q2", "ari"])
    measure         value
    q0             1.4387
    q2             0.4648
    adjusted_rand  0.0000
    """
    tables = _tables(truth, pred, label_options)
    chosen = _chosen(measures, tables.values())
    return Scores(
        tuple(
            Score(name, measure.name, measure.of(table))
            for name, table in tables.items()
            for measure in chosen
        ),
        tables,
    )


def _tables(truth: Any, pred: Any, label_options: dict[str, Any]) -> dict[str, Contingency]:
    if isinstance(pred, Mapping):
        if not pred:
            raise MeasureError("pred is an empty mapping; name at least one clustering.")
        return {
            str(name): as_table(truth, labels, **label_options) for name, labels in pred.items()
        }
    return {"pred": as_table(truth, pred, **label_options)}


def _chosen(
    measures: str | Measure | Iterable[str | Measure] | None, tables: Iterable[Contingency]
) -> list[Measure]:
    if isinstance(measures, str) and measures != "all":
        measures = [name for name in measures.split(",") if name.strip()]
    if isinstance(measures, Measure):
        measures = [measures]
    if measures is not None and measures != "all":
        chosen = list(dict.fromkeys(find(name) for name in measures))
        if not chosen:
            raise MeasureError("no measure was named; leave measures out for the usual ones.")
        return chosen
    offered = catalogue() if measures == "all" else map(find, DEFAULT_MEASURES)
    every = list(tables)
    return [entry for entry in offered if all(entry.applies_to(table) for table in every)]
