"""What is asked for, and which columns are meant: by name, or by patterns such as ``k*``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from clusterbits.errors import ColumnError, did_you_mean
from clusterbits.system.progress import Progress
from clusterbits.table.label_names import is_label

T = TypeVar("T")
# The signs that make a name a pattern.
MAGIC = "*?["
# Columns without a name, such as the index of a pandas DataFrame in CSV and Parquet files.
_UNNAMED = re.compile(r"|Unnamed: \d+|__index_level_\d+__")


class Request(NamedTuple):
    """What is asked for: labels in memory, or columns of a source by name.

    Attributes
    ----------
    data : DataFrame, path, list of lists of Source, or None
        What holds the columns; None if `truth` and `pred` are labels or tables themselves.
    truth, pred : labels or names
        Classes, and clusters of one run or of several; names of clusters may be patterns.
    weights, groups : names or None
        Further columns.
    jointly : bool
        Whether rows are grouped by all cluster columns at once, and not by each.
    on, sql, delimiter, memory_limit, spill, progress
        How files are read: see `Contingency.from_file`.
    """

    data: Any = None
    truth: Any = None
    pred: Any = None
    weights: Any = None
    groups: Any = None
    jointly: bool = False
    on: Any = None
    sql: str | None = None
    delimiter: str | None = None
    memory_limit: str | None = None
    spill: Any = None
    progress: Progress = False

    @property
    def others(self) -> list[Any]:
        """The names of the columns of weights and groups, if any."""
        return [name for name in (self.weights, self.groups) if name is not None]

    @property
    def columns(self) -> list[Any]:
        """The names and patterns of all columns, None for a column without a name."""
        return [self.truth, *as_list(self.pred), *self.others]

    def choose(self, where: str, names: list[str]) -> dict[str, int]:
        """Return the positions of columns by role: c, k0, k1, ..., and w and b if any."""
        roles = {"truth": self.truth, "weights": self.weights, "groups": self.groups}
        for role, name in [*roles.items(), *(("pred", name) for name in as_list(self.pred))]:
            if not is_label(name):
                raise ColumnError(
                    f"{role} holds a {type(name).__name__}; name a column, such as "
                    f"{_listed(names[:1])}."
                )
        if self.weights is not None and self.weights in (self.truth, *as_list(self.pred)):
            raise ColumnError(f"{self.weights!r} is named twice, for labels and for weights.")
        truth, preds = label_columns(where, names, self.truth, self.pred, self.others)
        chosen = {"c": truth, **{f"k{j}": i for j, i in enumerate(preds)}}
        if self.weights is not None:
            chosen["w"] = one_column(where, names, self.weights, "weights")
        if self.groups is not None:
            chosen["b"] = one_column(where, names, self.groups, "groups")
        return chosen


def run_roles(chosen: Iterable[str]) -> list[str]:
    """Return the roles of cluster columns: k0, k1, ..."""
    return [role for role in chosen if role.startswith("k")]


def one_column(where: str, columns: Sequence[str], name: Any, role: str) -> int:
    """Return the position of a column that must be there once."""
    if name is None:
        raise ColumnError(
            f"{where}: which column is {role}? Pass {role}= with one of {_listed(columns)}."
        )
    if name not in columns:
        hint = did_you_mean(str(name), columns)
        raise ColumnError(f"{where} has no column {name!r}.{hint} It has {_listed(columns)}.")
    if columns.count(name) > 1:
        raise ColumnError(f"{where} has {columns.count(name)} columns called {name!r}.")
    return columns.index(name)


def label_columns(
    where: str, columns: Sequence[str], truth: Any, pred: Any, others: Collection[Any] = ()
) -> tuple[int, list[int]]:
    """Return the positions of the class column and of one or many cluster columns.

    Without names a source must have just two `free_columns`, classes first.
    """
    free = free_columns(columns, others)
    if truth is None and pred is None and len(free) == 2:
        return free[0], free[1:]
    unnamed = truth is None or pred is None
    if len(columns) < 2 or (len(free) < 2 and unnamed):
        only = f"one column, {columns[free[0]]!r}" if free else "no column of labels"
        raise ColumnError(
            f"{where} has {only}; two are needed, classes and clusters. In a CSV file commas, "
            "semicolons, tabs or pipes separate them, or the delimiter= that you pass."
        )
    at = one_column(where, columns, truth, "truth")
    preds = matching_columns(where, columns, pred, {truth, *others})
    if at in preds:
        raise ColumnError(
            f"{where}: column {truth!r} is both truth and pred. Pass pred= with another column: "
            "scored against itself, any column is perfect."
        )
    return at, preds


def free_columns(columns: Sequence[str], others: Collection[Any]) -> list[int]:
    """Return the positions of the columns that have a name and are not among the `others`.

    >>> free_columns(["", "id", "species"], ["id"])
    [2]
    """
    return [
        i
        for i, name in enumerate(columns)
        if name not in others and not _UNNAMED.fullmatch(str(name))
    ]


def only_column(where: str, columns: Sequence[str], name: Any, role: str, others: list[Any]) -> int:
    """Return the position of a column that may be left unnamed where it is the only one."""
    free = free_columns(columns, others)
    if name is None and len(free) == 1:
        return free[0]
    return one_column(where, columns, name, role)


def matching_columns(
    where: str, columns: Sequence[str], pred: Any, others: Collection[Any] = ()
) -> list[int]:
    """Return the positions of the columns that names or patterns match, in the order given.

    A column whose own name looks like a pattern, or like several names with commas between them, is
    chosen by that name.
    """
    places: dict[Any, list[int]] = {}
    for i, column in enumerate(columns):
        places.setdefault(column, []).append(i)
    found: dict[int, None] = {}
    for name in chain.from_iterable(_between_commas(name, places) for name in as_list(pred)):
        some = [name]
        if name not in places and is_pattern(name):
            texts = [x for x in places if isinstance(x, str) and x not in others]
            some = [x for x in texts if fnmatchcase(x, name)]
            if not some:
                raise ColumnError(
                    f"{where} has no column like {name!r} for pred. It has {_listed(columns)}."
                )
        for one in some:
            own = places.get(one, [])
            # Where there are none, or two, it says so.
            found[own[0] if len(own) == 1 else one_column(where, columns, one, "pred")] = None
    if not found:
        raise ColumnError(
            f"{where}: which columns are pred? Pass pred= with some of {_listed(columns)}."
        )
    return list(found)


def _between_commas(name: Any, columns: Collection[str]) -> list[Any]:
    if not isinstance(name, str) or name in columns or "," not in name:
        return [name]
    return [part.strip() for part in name.split(",") if part.strip()]


def as_list(names: Any) -> list[Any]:
    """Return one name or several as a list."""
    if hasattr(names, "tolist"):  # an array or an index of names
        names = names.tolist()
    several = isinstance(names, Sequence) and not isinstance(names, str)
    return list(names) if several else [names]


def is_pattern(name: Any) -> bool:
    """Whether a name holds any of * ? [."""
    return isinstance(name, str) and any(sign in name for sign in MAGIC)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in columns[:20]) + ", …" * (len(columns) > 20)


def by_type(columns: list[T], types: Mapping[T, Any]) -> list[list[T]]:
    """Return the columns in lists of one type: only such can share a column of results."""
    found: dict[str, list[T]] = {}
    for column in columns:
        found.setdefault(str(types[column]), []).append(column)
    return list(found.values())
