"""All criteria, and report cards by them: of one measure, or of several side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, overload

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import find_family, get_measure
from clusterbits.measures.declaration import Measure
from clusterbits.paper.cards import amigo, baseline, partitions
from clusterbits.paper.cards.criterion import Verdict
from clusterbits.paper.cards.dom import DOM_CRITERIA, LARGE_DOM_CRITERIA
from clusterbits.paper.cards.judge import Judge
from clusterbits.paper.family import Grid
from clusterbits.system.progress import Progress, track
from clusterbits.text.results import Keyed, Result

CRITERIA = (
    *chain(*zip(DOM_CRITERIA, LARGE_DOM_CRITERIA, strict=True)),
    amigo.homogeneity,
    amigo.completeness,
    amigo.rag_bag,
    amigo.size_vs_quantity,
    partitions.maximal_agreement,
    partitions.minimal_agreement,
    partitions.symmetry,
    partitions.monotonicity,
    partitions.strong_monotonicity,
    partitions.triangle_inequality,
    baseline.constant_baseline,
    baseline.asymptotic_constant_baseline,
    baseline.bias,
    partitions.doubling,
)

# What can be judged: a measure, or its name.
Judged = str | Measure
# What a row of a card has of a verdict, besides its witness.
_FIELDS = (
    "measure", "criterion", "mark", "outcome", "tested", "reversed", "tied",
    "sequences", "reversed_sequences", "tied_sequences", "note",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Card(Keyed, Result):
    """All verdicts on one measure.

    ``card["P2"]`` is the verdict for the grid's n, 500 in the paper, and ``card["P2 large n"]`` for
    a large one, 189,000 for the paper's grid. Measures that need whole counts have only the latter.

    Examples
    --------
    >>> import clusterbits as cb
    >>> card = cb.paper.check("rand")
    >>> card["P2"].outcome, card["symmetry"].outcome
    ('fail', 'pass')
    >>> print(card["rag bag"])
    rag bag: ties, reversed in 0 and tied in 9 of 9 [n = 2 to 10]
    """

    measure: str
    rows: tuple[Verdict, ...]

    def keys(self) -> tuple[str, ...]:
        """Return the names of the criteria, in order."""
        return tuple(verdict.criterion for verdict in self.rows)

    def __getitem__(self, criterion: str) -> Verdict:
        """Return the verdict by a criterion."""
        return self.rows[self.keys().index(self._key(criterion))]

    @property
    def title(self) -> str:
        """Whose card it is."""
        return f"Report card of {self.measure}"

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """The verdicts that are failures, also those with ties only."""
        return tuple(verdict for verdict in self.rows if verdict.outcome in ("fail", "ties"))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per criterion, witnesses as text."""
        return [
            {name: getattr(verdict, name) for name in _FIELDS}
            | {"witness": str(verdict.witness) if verdict.witness else None}
            for verdict in self.rows
        ]

    def witnesses(self) -> str:
        """Return the failures as text, with tables and values that can be checked by hand."""
        return "\n\n".join(f"{failure}\n{failure.witness}" for failure in self.failures)

    def summary(self) -> list[dict[str, Any]]:
        """Return one short row per criterion."""
        names = ("criterion", "outcome", "mark", "note")
        return [{name: getattr(verdict, name) for name in names} for verdict in self.rows]

    _shown = summary


@dataclass(frozen=True, eq=False, repr=False)
class Cards(Keyed, Result):
    """Report cards side by side, by measure: ``cards["rand"]``."""

    cards: tuple[Card, ...]

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards."""
        return iter(self.cards)

    def __len__(self) -> int:
        """Return the number of cards."""
        return len(self.cards)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the measures, in order."""
        return tuple(card.measure for card in self.cards)

    def __getitem__(self, measure: str) -> Card:
        """Return the card of a measure."""
        return self.cards[self.keys().index(self._key(measure))]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per measure and criterion."""
        return [row for card in self.cards for row in card.to_dicts()]

    def overview(self) -> list[dict[str, Any]]:
        """Return one row per measure: a mark for each criterion, as `criterion.LEGEND` explains."""
        return [
            {"measure": card.measure, **{v.criterion: v.mark for v in card.rows}}
            for card in self.cards
        ]

    _shown = overview


@overload
def check(measure: Judged, *, grid: Grid | None = ..., progress: Progress = ...) -> Card: ...
@overload
def check(
    measure: list[Any] | tuple[Judged, ...], *, grid: Grid | None = ..., progress: Progress = ...
) -> Cards: ...
def check(
    measure: Judged | list[Any] | tuple[Judged, ...],
    *,
    grid: Grid | None = None,
    progress: Progress = None,
) -> Card | Cards:
    """Judge a measure by its behaviour: a report card, with a witness for each failure.

    Parameters
    ----------
    measure : str, Measure, or a list of such and of families, ["all"] for the catalogue
        A measure of the catalogue, or one of your own, declared with ``@clusterbits.measure``.
        Quantities that describe a table, and judge nothing, have no card.
    grid : Grid, optional
        Models for Dom's desiderata; by default those of the paper, with n = 500. They are also
        tried with a large n, the least from 100,000 that divides evenly.
    progress : bool or callable, optional
        By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.

    Returns
    -------
    Card, or Cards for several measures

    Examples
    --------
    >>> import clusterbits as cb
    >>> print(cb.paper.check("rand")["P2"].witness)
    from |C|=5 |K_u|=2 |K_n|=1 ε1=0.06667 ε2=0.3 to |C|=5 |K_u|=2 |K_n|=2 ε1=0.06667 ε2=0.3
    demanded: worse with more noise clusters
    first: 0.6568  for [[63.3333, 6.66667, 30], [63.3333, 6.66667, 30], [63.3333, 6.66667, 30], ...
    second: 0.6838  for [[63.3333, 6.66667, 15, 15], [63.3333, 6.66667, 15, 15], ...
    """
    if several := isinstance(measure, list | tuple):
        entries = [entry for name in measure for entry in _find_judged(name)]
    else:
        entries = [get_measure(measure)]
    if not entries:
        raise MeasureError("no measure was named; check(['all']) judges the whole catalogue.")
    for entry in entries:
        if entry.better is None:
            raise MeasureError(f"{entry.name} describes tables and judges nothing: it has no card.")
    cards = tuple(
        Card(entry.name, tuple(criterion(judge) for criterion in CRITERIA))
        for entry in track(progress, entries)
        for judge in [Judge(entry, grid or Grid())]
    )
    return Cards(cards) if several else cards[0]


def _find_judged(name: Any) -> list[Measure]:
    """Return the measures of a family that may have a card, or the one measure of this name."""
    family = find_family(name)
    return [entry for entry in family if entry.better is not None] or [get_measure(name)]


def list_criteria() -> list[dict[str, str]]:
    """Return one row per criterion: what it demands, and when that matters."""
    return [
        {"criterion": entry.name, "demand": entry.meaning, "it matters": entry.matters}
        for entry in CRITERIA
    ]


@cache
def shipped_cards() -> dict[str, dict[str, str]]:
    """Return `Cards.overview` of the whole catalogue, as ``make data`` writes it."""
    text = files("clusterbits").joinpath("data/cards.json").read_text(encoding="utf-8")
    cards: dict[str, dict[str, str]] = json.loads(text)
    return cards
