"""The labelled square that `pairwise` returns: every labeling against every other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.immutable import read_only
from clusterbits.display.results import Result
from clusterbits.display.tables import to_frame
from clusterbits.errors import LabelError, check_choice, did_you_mean
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import get_measure

# Rows and columns that a printed square shows.
_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise(Result):
    """The values of one measure for all pairs of labelings: a labelled square.

    Attributes
    ----------
    names : tuple of str or numbers
        Names of the labelings, in order.
    measure : str
        Full name of the measure.
    values : ndarray of float
        ``values[i, j]`` has labeling i as the truth and labeling j as the clustering. Read-only.
    symmetric : bool
        Whether the order of a pair does not matter.

    Examples
    --------
    >>> import clusterbits as cb
    >>> square = cb.pairwise({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]}, measure="rand")
    >>> square["a", "b"]
    0.8333333333333334
    >>> square.to_dicts()[1]
    {'first': 'a', 'second': 'b', 'value': 0.8333333333333334}
    """

    names: tuple[Name, ...]
    measure: str
    values: NDArray[np.float64]
    symmetric: bool = False

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        """Return the value for two labelings, by name: the truth first."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise LabelError(f"{pair!r} is not a pair of labelings: write result['a', 'b'].")
        first, second = (self._position(name) for name in pair)
        return float(self.values[first, second])

    def _position(self, name: Any) -> int:
        names = [str(one) for one in self.names]  # 2 and "2" are the same name
        if str(name) not in names:
            some = ", ".join(map(repr, self.names[:_SHOWN]))
            some += ", ..." if len(names) > _SHOWN else ""
            hint = did_you_mean(str(name), names)
            raise LabelError(f"there is no labeling {name!r}; there are {some}.{hint}")
        return names.index(str(name))

    @property
    def better(self) -> str | None:
        """Which values are better: "higher" or "lower"; None where the measure does not rank."""
        return get_measure(self.measure).better

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary for each ordered pair."""
        return [
            {"first": first, "second": second, "value": value}
            for first, row in zip(self.names, self.values.tolist(), strict=True)
            for second, value in zip(self.names, row, strict=True)
        ]

    def to_frame(self) -> Any:
        """Return the labelled square as a pandas or polars frame (what is installed)."""
        columns = dict(zip(map(str, self.names), self.values.T.tolist(), strict=True))
        return to_frame({self._corner: list(self.names), **columns})

    def plot(self, ax: Any = None, *, order: str = "given") -> Any:
        """Draw the square, the better a value the stronger its colour, and return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        order : "given" or "similarity"
            The order of the labelings: as given, or those that are alike side by side
            (hierarchical clustering, average linkage).

        Examples
        --------
        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]}
        >>> ax = cb.pairwise(runs).plot(order="similarity")
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['b', 'c', 'a']
        """
        from clusterbits.display.plots.matrices import draw_pairwise

        check_choice("order", order, ("given", "similarity"))
        return draw_pairwise(self if order == "given" else self._by_similarity(), ax)

    def _by_similarity(self) -> Pairwise:
        """Return the same square, labelings that are alike side by side."""
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        sign = 1 if self.better == "lower" else -1
        distances = sign * (self.values + self.values.T) / 2
        known = distances[np.isfinite(distances)]
        if not known.size:
            return self
        farthest = known.max() - known.min()
        distances = np.nan_to_num(distances - known.min(), nan=farthest, posinf=farthest, neginf=0)
        np.fill_diagonal(distances, 0)
        near = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
        place = leaves_list(near)
        values = read_only(self.values[np.ix_(place, place)])
        return replace(self, names=tuple(self.names[i] for i in place), values=values)

    @property
    def _corner(self) -> str:
        """What the column of names is called, also where a labeling has that name."""
        corner = "labeling"
        while corner in self.names:
            corner += "_"
        return corner

    def _shown(self) -> list[dict[str, Any]]:
        names, corner = self.names[:_SHOWN], self.values[:_SHOWN, :_SHOWN].tolist()
        return [
            {self._corner: name, **dict(zip(map(str, names), row, strict=True))}
            for name, row in zip(names, corner, strict=True)
        ]

    @property
    def title(self) -> str:
        """The measure, and how many labelings were compared."""
        many = len(self.names)
        return f"{self.measure}, {many} labelings" + (
            f" (the first {_SHOWN} are shown)" if many > _SHOWN else ""
        )
