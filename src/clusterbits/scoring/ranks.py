"""Which clustering is better: the order by one measure, ranks by several, and what they dispute."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.immutable import read_only
from clusterbits.core.table import Contingency
from clusterbits.display.results import Result
from clusterbits.errors import LabelError, MeasureError
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.results import ByMeasure

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores

# Values closer than this are a tie: they differ by rounding.
_TIE = 1e-12
# Sums that differ by less, relative to their size, differ by the order of their terms.
_ROUNDING = 1e-9


class Dispute(NamedTuple):
    """Two clusterings that two measures rank the other way round.

    Attributes
    ----------
    measure, rival : str
        The two measures.
    tau : float
        Kendall's tau-b of their ranks: 1 where they agree about every pair, nan where one of
        them ties all clusterings.
    preferred, instead : name or None
        The clustering that `measure` prefers and the one that `rival` prefers to it: of all such
        pairs the one where both rank highest, as that concerns who takes the best. None where they
        dispute nothing.
    disputed : int
        How many pairs of clusterings they dispute.
    """

    measure: str
    rival: str
    tau: float
    preferred: Name | None
    instead: Name | None
    disputed: int


@dataclass(frozen=True, eq=False, repr=False)
class Ranks(ByMeasure, Result):
    """The places of the clusterings by each measure that ranks: 1 is best. Made by `Scores.ranks`.

    By name it has those of a measure: ``ranks["q0"]``. Clusterings that tie share the best of
    their places: 1, 1, 1, 4.

    >>> import clusterbits as cb
    >>> runs = {"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]}
    >>> ranks = cb.evaluate([0, 0, 1, 1], runs, ["q0", "purity"]).ranks()
    >>> ranks["q0"]
    {'a': 2, 'b': 1}
    >>> ranks
    clustering  q0  purity
    a            2       2
    b            1       1
    """

    clusterings: tuple[Name, ...]
    measures: tuple[str, ...]
    values: FloatArray

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each clustering: its place by each measure."""
        places = self.values.T.astype(int).tolist()
        return [
            {"clustering": name, **dict(zip(self.measures, row, strict=True))}
            for name, row in zip(self.clusterings, places, strict=True)
        ]

    def of(self, measure: str) -> FloatArray:
        """Return the places of the clusterings by one measure, as an array."""
        return np.asarray(self.values[self.measures.index(self._key(measure))])

    def _of(self, measure: str) -> dict[Name, int]:
        return dict(zip(self.clusterings, self.of(measure).astype(int).tolist(), strict=True))

    def ties_all(self, measure: str) -> bool:
        """Return whether the measure tells no two clusterings apart."""
        return bool(np.ptp(self.of(measure)) == 0)

    def tau(self, first: str, second: str) -> float:
        """Return Kendall's tau-b of two measures; nan where one of them ties all clusterings."""
        from scipy.stats import kendalltau

        return float(kendalltau(self.of(first), self.of(second)).statistic)

    def dispute(self, measure: str, rival: str) -> Dispute:
        """Return what two measures dispute."""
        measure, rival = get_measure(measure).name, get_measure(rival).name
        a, b = self.of(measure), self.of(rival)
        reversed_ = (a[:, None] < a[None, :]) & (b[:, None] > b[None, :])
        pair: tuple[Name | None, Name | None] = (None, None)
        if reversed_.any():
            height = np.where(reversed_, a[:, None] + b[None, :], np.inf)
            i, j = np.unravel_index(height.argmin(), height.shape)
            pair = self.clusterings[i], self.clusterings[j]
        disputed = int(reversed_.sum())
        return Dispute(measure, rival, self.tau(measure, rival), *pair, disputed)

    def plot(self, ax: Any = None) -> Any:
        """Draw a named line for each clustering from measure to measure, and return the axes.

        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]}
        >>> ax = cb.evaluate([0, 0, 1, 1], runs, ["q0", "ari"]).ranks().plot()
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['a', 'b']
        """
        from clusterbits.display.plots.ranks import draw_ranks

        return draw_ranks(self, ax)


def best_first(scores: Scores, measure: str) -> list[Score]:
    """Return the rows of one measure, from the best to the worst clustering."""
    sign = get_measure(measure).sign()
    return sorted(scores.of(measure), key=lambda row: (math.isnan(row.value), -sign * row.value))


def same_objects(scores: Scores) -> bool:
    """Whether all clusterings have classes of the same sizes, so that their bits compare."""
    return have_same_classes(scores.tables.values())


def have_same_classes(tables: Iterable[Contingency]) -> bool:
    """Whether all tables have classes of the same sizes."""
    first, *others = (table.class_sizes for table in tables)
    return all(equal_sizes(first, sizes) for sizes in others)


def check_same_objects(scores: Scores) -> None:
    """Raise where clusterings were counted on different objects: their values do not compare."""
    if not same_objects(scores):
        raise LabelError(
            "the clusterings were counted on different objects; compare takes those that all have."
        )


def equal_sizes(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether class sizes are equal; real-valued weights but for the order they were added in."""
    if one.shape != other.shape or {one.dtype.kind, other.dtype.kind} != {"f"}:
        return np.array_equal(one, other)
    return bool(np.allclose(one, other, rtol=_ROUNDING, atol=0))


def _ranking(scores: Scores) -> tuple[str, ...]:
    """Return the measures that rank clusterings."""
    return tuple(name for name in scores.measures if get_measure(name).better is not None)


def rank(scores: Scores) -> Ranks:
    """Rank the clusterings by each measure that has a direction: see `Scores.ranks`."""
    if not (measures := _ranking(scores)):
        raise MeasureError("none of the measures ranks clusterings; add one, such as q0.")
    rows = []
    for name in measures:
        values = -get_measure(name).sign() * np.array([row.value for row in scores.of(name)])
        rows.append(_places(np.nan_to_num(values, nan=np.inf)))
    return Ranks(scores.clusterings, measures, read_only(np.array(rows)))


def _places(values: FloatArray) -> FloatArray:
    """Return places from 1 on, the least value first; values that tie share a place."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    with np.errstate(invalid="ignore"):  # values that are not defined come last, and tie
        new = np.diff(ordered) > _TIE * np.maximum(1.0, np.abs(ordered[:-1]))
    starts = np.concatenate([[True], new])
    result = np.empty(len(values))
    result[order] = np.maximum.accumulate(np.where(starts, np.arange(1, len(values) + 1), 0))
    return result
