"""The report card: all verdicts on one measure, or on many side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from clusterbits.desiderata.amigo import judge_amigo
from clusterbits.desiderata.baseline import judge_baseline
from clusterbits.desiderata.dom import judge_dom
from clusterbits.desiderata.family import Grid
from clusterbits.desiderata.judge import Judge, as_judge
from clusterbits.desiderata.partitions import judge_partitions
from clusterbits.desiderata.verdict import Verdict
from clusterbits.display.tables import html_table, rows_to_frame, text_table
from clusterbits.errors import MeasureError, did_you_mean
from clusterbits.measures.catalogue import Better, catalogue


@dataclass(frozen=True, repr=False)
class Card:
    """All verdicts on one measure.

    Examples
    --------
    >>> import clusterbits as cb
    >>> card = cb.desiderata.check("rand")
    >>> card["P2"].outcome, card["symmetry"].outcome
    ('fail', 'pass')
    >>> print(card["rag bag"])
    rag bag: fail, violated in 1 of 1
    """

    measure: str
    verdicts: tuple[Verdict, ...]

    def __getitem__(self, criterion: str) -> Verdict:
        """Return the verdict of one criterion."""
        for verdict in self.verdicts:
            if verdict.criterion == criterion:
                return verdict
        names = [verdict.criterion for verdict in self.verdicts]
        raise MeasureError(
            f"there is no criterion {criterion!r}; there are {', '.join(names)}."
            + did_you_mean(criterion, names)
        )

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """The verdicts that are failures."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome == "fail")

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per criterion, witnesses as text."""
        return [
            {
                "measure": verdict.measure,
                "criterion": verdict.criterion,
                "outcome": verdict.outcome,
                "tested": verdict.tested,
                "violated": verdict.violated,
                "sequences": verdict.sequences,
                "violated_sequences": verdict.violated_sequences,
                "note": verdict.note,
                "witness": str(verdict.witness) if verdict.witness else None,
            }
            for verdict in self.verdicts
        ]

    def to_frame(self) -> Any:
        """Return one row per criterion, as a pandas or polars frame (what is installed)."""
        return rows_to_frame(self.to_dicts())

    def witnesses(self) -> str:
        """Return each failure with tables and values that can be checked by hand."""
        return "\n\n".join(f"{failure}\n{failure.witness}" for failure in self.failures)

    def summary(self) -> list[dict[str, Any]]:
        """Return one short row per criterion."""
        return [
            {
                "criterion": verdict.criterion,
                "outcome": verdict.outcome,
                "violated": _counted(verdict),
                "note": verdict.note,
            }
            for verdict in self.verdicts
        ]

    def __repr__(self) -> str:
        """Return a table."""
        return f"Report card of {self.measure}\n{text_table(self.summary())}"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return html_table(self.summary())


@dataclass(frozen=True, repr=False)
class Cards:
    """Report cards side by side."""

    cards: tuple[Card, ...]

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards."""
        return iter(self.cards)

    def __getitem__(self, measure: str) -> Card:
        """Return the card of one measure."""
        return next(card for card in self.cards if card.measure == measure)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per measure and criterion."""
        return [row for card in self.cards for row in card.to_dicts()]

    def to_frame(self) -> Any:
        """Return one row per measure and criterion, as a pandas or polars frame."""
        return rows_to_frame(self.to_dicts())

    def overview(self) -> list[dict[str, Any]]:
        """Return one row per measure; for each criterion ✓, – or how often it was violated."""
        return [
            {
                "measure": card.measure,
                **{verdict.criterion: _mark(verdict) for verdict in card.verdicts},
            }
            for card in self.cards
        ]

    def __repr__(self) -> str:
        """Return a table."""
        return text_table(self.overview())

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return html_table(self.overview())


def check(
    measure: Any,
    *,
    grid: Grid | None = None,
    better: Better | None = None,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Any:
    """Judge a measure by its behaviour: a report card, with a witness for each failure.

    Parameters
    ----------
    measure : str, Measure, callable, or a list of such; "all" for the catalogue
        A measure of the catalogue, or a function of one's own: of a `Contingency`, or of two
        label arrays. Quantities that describe a table without judging it have no card.
    grid : Grid, optional
        Models for Dom's desiderata; by default those of the paper, with n = 500. A larger n
        shows how a measure behaves for many objects.
    better : "higher" or "lower", optional
        Direction of a function of one's own; "higher" by default.
    progress : callable, optional
        Wrapped around the measures, to draw a progress bar.

    Returns
    -------
    Card, or Cards for several measures

    Examples
    --------
    >>> import clusterbits as cb
    >>> def clusters(table):
    ...     return table.shape[1]
    >>> print(cb.desiderata.check(clusters)["maximal agreement"].witness)
    demanded: the classes themselves are better than any other clustering
    first: 2  for [[5, 0], [0, 1]]
    second: 6  for [[1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1]]
    """
    if isinstance(measure, str) and measure == "all":
        measure = [entry for entry in catalogue() if entry.better is not None]
    several = isinstance(measure, list | tuple)
    if several and not measure:
        raise MeasureError("no measure was named; check('all') judges the whole catalogue.")
    judges = [as_judge(one, better) for one in (measure if several else [measure])]
    for judge in judges:
        if judge.better is None:
            raise MeasureError(
                f"{judge.name} describes a table and judges nothing: it has no card."
            )
    cards = tuple(_card(judge, grid) for judge in progress(judges))
    return Cards(cards) if several else cards[0]


def _card(judge: Judge, grid: Grid | None) -> Card:
    verdicts = [
        *judge_dom(judge, grid),
        *judge_amigo(judge),
        *judge_partitions(judge),
        judge_baseline(judge),
    ]
    return Card(judge.name, tuple(verdicts))


def _mark(verdict: Verdict) -> str:
    return {"pass": "✓", "n/a": "–"}.get(verdict.outcome, f"✗ {_counted(verdict)}")


def _counted(verdict: Verdict) -> str:
    if verdict.outcome == "n/a":
        return "–"
    if verdict.sequences:
        return f"{verdict.violated_sequences}/{verdict.sequences}"
    return f"{verdict.violated}/{verdict.tested}"
