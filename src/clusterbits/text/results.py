"""The base class of all results: a title and rows, as text, HTML, DataFrames and plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ClusterbitsError, LabelError, did_you_mean
from clusterbits.system.immutable import Immutable
from clusterbits.text.tables import (
    escape_unseen,
    html_table,
    rows_to_frame,
    to_frame,
)

# Rows of a long result that are printed.
_PRINTED = 12


class Plottable:
    """What has a plot."""

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the result with matplotlib, and return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        **options
            What to draw: ``measure`` or ``over`` of `Scores`, ``part`` of an `Explanation`,
            ``then`` of `Changes`, as ``help(clusterbits.plots)`` says. Other results have no
            options.

        Examples
        --------
        >>> import clusterbits as cb
        >>> why = cb.explain(cb.Contingency.from_counts([[20, 20, 0], [0, 1, 30]]))
        >>> why.plot(part="path").get_xlabel()
        'number of clusters'
        """
        from clusterbits.plots.drawing import draw

        return draw(self, ax, options)


class Result(Immutable, Plottable):
    """A result that shows itself. By default its fields are its one row.

    Results are dataclasses with ``eq=False``: they are equal if all their fields are equal, nan
    and arrays included.
    """

    @property
    def title(self) -> str:
        """The conclusion in one line, above the rows; empty if the rows suffice."""
        return ""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows, one dictionary each."""
        return [asdict(self)]  # type: ignore[call-overload]

    def to_frame(self) -> Any:
        """Return the rows as a pandas or polars frame (what is installed)."""
        return rows_to_frame(self.to_dicts())

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows, so that ``pandas.DataFrame(result)`` has them."""
        return iter(self.to_dicts())

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.to_dicts())

    def _shown(self) -> list[dict[str, Any]]:
        """Return the rows to print; by default all."""
        return self.to_dicts()

    def __repr__(self) -> str:
        """Return the title and a table that fits the terminal."""
        from clusterbits.text.terminal import fitted_table

        return "\n".join(filter(None, [self.title, fitted_table(self._shown())]))

    def _repr_html_(self) -> str:
        """Return the title and the table as HTML."""
        lines = "<br>".join(escape(escape_unseen(line)) for line in self.title.splitlines())
        return (f"<p>{lines}</p>" if lines else "") + self._html_table()

    def _html_table(self) -> str:
        """Return the rows for notebooks; results that rank something mark the best."""
        return html_table(self._shown())

    def __eq__(self, other: object) -> bool:
        """Whether the other is a result of the same type with equal fields."""
        if type(self) is not type(other):
            return NotImplemented
        return bool(_comparable(self) == _comparable(other))

    def __hash__(self) -> int:
        """Return the hash; a result that holds tables or lists is not hashable."""
        return hash(_comparable(self))


class RowsResult(Result):
    """A result of rows that are named tuples, its field `rows`."""

    rows: tuple[Any, ...]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows, one dictionary each."""
        return [row._asdict() for row in self.rows]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows, so that ``pandas.DataFrame(result)`` has them."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)


class Keyed:
    """Items by name: ``result["a"]``, ``"a" in result``, ``dict(result)``.

    By default the items are the rows of the result, and their names the first field.
    """

    rows: tuple[Any, ...]

    def keys(self) -> tuple[Any, ...]:
        """Return the names, in order."""
        return tuple(row[0] for row in self.rows)

    def __getitem__(self, name: Any) -> Any:
        """Return the item of this name."""
        return self._of(self._key(name))

    def __contains__(self, name: object) -> bool:
        """Whether there is an item of this name."""
        with suppress(ClusterbitsError):
            self._key(name)
            return True
        return False

    def _key(self, name: Any) -> Any:
        """Return the full name; raise if there is none."""
        if name not in (names := self.keys()):
            hint = did_you_mean(name, names)
            raise LabelError(f"there is no {name!r} here.{hint}")
        return name

    def _of(self, key: Any) -> Any:
        """Return the item of a full name."""
        return next(row for row in self.rows if row[0] == key)

    def _ipython_key_completions_(self) -> list[Any]:
        """Return the completions of the Tab key after ``result["``."""
        return list(self.keys())


class ColumnResult(Result):
    """A result of many rows, kept as arrays: one for each column."""

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name."""
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows, one dictionary each."""
        return self.rows_at(slice(None))

    def to_frame(self) -> Any:
        """Return the rows as a pandas or polars frame (what is installed)."""
        return to_frame({name: values.tolist() for name, values in self.columns.items()})

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def _shown(self) -> list[dict[str, Any]]:
        return self.rows_at(log_spaced(len(self), _PRINTED))

    def rows_at(self, positions: NDArray[Any] | slice) -> list[dict[str, Any]]:
        """Return the rows at these positions, one dictionary each."""
        columns = self.columns
        lists = [values[positions].tolist() for values in columns.values()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def log_spaced(n: int, max_positions: int) -> NDArray[np.int64]:
    """Return positions in range(n), not too many, evenly spaced over their logarithm.

    >>> log_spaced(1000, 4).tolist(), log_spaced(3, 4).tolist()
    ([0, 9, 99, 999], [0, 1, 2])
    """
    if n <= max_positions:
        return np.arange(n)
    return np.unique(np.geomspace(1, n, max_positions).round().astype(np.int64) - 1)


# Stands for nan, which does not equal itself.
_NAN = object()


def _comparable(value: Any) -> Any:
    """Return a value that equals that of an equal value, and has a hash if all it holds has."""
    if isinstance(value, float):
        return _NAN if value != value else value
    if isinstance(value, np.ndarray):
        return value.shape, _comparable(value.ravel().tolist())
    if isinstance(value, Mapping):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(_comparable, value))
    # A dataclass without a hash, such as a table, has an equality of its own.
    if is_dataclass(value) and not isinstance(value, type) and type(value).__hash__ is not None:
        names = [field.name for field in fields(value) if field.compare]
        return tuple(_comparable(getattr(value, name)) for name in names)
    return value
