"""A labelled square: the values of one measure for all pairs of labelings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.display.results import Result
from clusterbits.display.tables import to_frame
from clusterbits.errors import LabelError, did_you_mean

# Rows and columns that a printed square shows.
_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise(Result):
    """The values of one measure for all pairs of labelings: a labelled square.

    Attributes
    ----------
    names : tuple of str
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
    >>> square = cb.pairwise({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]}, "rand")
    >>> square["a", "b"]
    0.8333333333333334
    >>> square.to_dicts()[1]
    {'first': 'a', 'second': 'b', 'value': 0.8333333333333334}
    """

    names: tuple[str, ...]
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
        if str(name) not in self.names:
            some = ", ".join(map(repr, self.names[:_SHOWN]))
            some += ", ..." if len(self.names) > _SHOWN else ""
            hint = did_you_mean(str(name), self.names)
            raise LabelError(f"there is no labeling {name!r}; there are {some}.{hint}")
        return self.names.index(str(name))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary for each ordered pair."""
        return [
            {"first": first, "second": second, "value": value}
            for first, row in zip(self.names, self.values.tolist(), strict=True)
            for second, value in zip(self.names, row, strict=True)
        ]

    def to_frame(self) -> Any:
        """Return the labelled square as a pandas or polars frame (what is installed)."""
        columns = dict(zip(self.names, self.values.T.tolist(), strict=True))
        return to_frame({self._corner: list(self.names), **columns})

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
            {self._corner: name, **dict(zip(names, row, strict=True))}
            for name, row in zip(names, corner, strict=True)
        ]

    @property
    def title(self) -> str:
        """The measure, and how many labelings were compared."""
        many = len(self.names)
        return f"{self.measure}, {many} labelings" + (
            f" (the first {_SHOWN} are shown)" if many > _SHOWN else ""
        )
