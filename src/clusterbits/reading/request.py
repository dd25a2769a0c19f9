"""What is asked for, which columns are meant (by name or by patterns like ``k*``), their rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ColumnError, NothingToCountError, did_you_mean
from clusterbits.labels.labeling import Labels
from clusterbits.labels.tally import Tally
from clusterbits.system.progress import Progress
from clusterbits.table.label_names import is_label

T = TypeVar("T")
# The position of each chosen column by its role: c (classes), k0, k1, ... (clusters), and w
# (weights), b (groups) and id0, id1, ... if any.
Chosen = dict[str, int]
# Reads a column as labels; the second argument is its name in errors.
Reader = Callable[[Any, str], Labels]
# The signs that make a name a pattern.
MAGIC = "*?["
# Columns without a name, such as the index of a pandas DataFrame in CSV and Parquet files.
_UNNAMED = re.compile(r"|Unnamed: \d+|__index_level_\d+__")


class Request(NamedTuple):
    """Labels in memory to count, or columns of a source by name."""

    # A DataFrame, a path or lists of Source; None if truth and pred are labels or tables.
    data: Any = None
    truth: Any = None
    # Clusters of one run or of several; names may be patterns.
    pred: Any = None
    # What errors call both: the names of the arguments.
    words: tuple[str, str] = ("truth", "pred")
    # Names of further columns.
    weights: Any = None
    groups: Any = None
    # Whether rows are grouped by all cluster columns at once, and not by each.
    jointly: bool = False
    # How files are read: see `Contingency.from_file`.
    on: Any = None
    sql: str | None = None
    memory_limit: str | None = None
    spill: Any = None
    progress: Progress = False

    @property
    def extras(self) -> dict[str, Any]:
        """The columns of weights and groups by role, if any."""
        columns = {"w": self.weights, "b": self.groups}
        return {role: name for role, name in columns.items() if name is not None}

    @property
    def ids(self) -> list[Any]:
        """The columns of ids that two files are joined on."""
        return [] if self.on is None else as_list(self.on)

    @property
    def columns(self) -> list[Any]:
        """The names and patterns of all columns, None for a column without a name."""
        return [*self.ids, self.truth, *as_list(self.pred), *self.extras.values()]

    def choose(self, where: str, names: list[str]) -> Chosen:
        """Return the positions of columns of one source."""
        truth, pred = self.words
        roles = {truth: self.truth, "weights": self.weights, "groups": self.groups}
        for role, name in [*roles.items(), *((pred, name) for name in as_list(self.pred))]:
            if not is_label(name):
                raise ColumnError(
                    f"{role} holds a {type(name).__name__}; name a column, such as "
                    f"{_listed(names[:1])}."
                )
        if self.weights is not None and self.weights in (self.truth, *as_list(self.pred)):
            raise ColumnError(f"{self.weights!r} is named twice, for labels and for weights.")
        truth_column, pred_columns = _label_columns(where, names, self)
        extras = {role: one_column(where, names, name, role) for role, name in self.extras.items()}
        return {"c": truth_column, **_as_runs(pred_columns), **extras}

    def choose_side(
        self, side: str, extras: Mapping[str, Any], where: str, names: list[str]
    ) -> Chosen:
        """Return the positions of the ids, these columns and the labels of one of two files.

        Labels are the classes, side c, or the clusters, k. A file may have them in its only other
        column, which then needs no name.
        """
        others = {f"id{j}": name for j, name in enumerate(self.ids)} | dict(extras)
        chosen = {role: one_column(where, names, name, "on") for role, name in others.items()}
        excluded = [*self.ids, *self.extras.values()]
        truth, pred = self.words
        if side == "c":
            return chosen | {"c": only_column(where, names, self.truth, truth, excluded)}
        if self.pred is None:
            preds = [only_column(where, names, None, pred, excluded)]
        else:
            preds = matching_columns(where, names, self.pred, pred, [*excluded, self.truth])
        return chosen | _as_runs(preds)


def _as_runs(preds: list[int]) -> Chosen:
    return {f"k{j}": i for j, i in enumerate(preds)}


def run_roles(roles: Iterable[str]) -> list[str]:
    """Return the roles of cluster columns: k0, k1, ..."""
    return [role for role in roles if role.startswith("k")]


def one_column(where: str, columns: Sequence[str], name: Any, role: str) -> int:
    """Return the position of a column that must occur once."""
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


def only_column(
    where: str, columns: Sequence[str], name: Any, role: str, excluded: Collection[Any]
) -> int:
    """Return the position of a column that may be left unnamed if it is the only one."""
    free = free_columns(columns, excluded)
    if name is None and len(free) == 1:
        return free[0]
    return one_column(where, columns, name, role)


def free_columns(columns: Sequence[str], excluded: Collection[Any]) -> list[int]:
    """Return the positions of the columns that have a name and are not among the `excluded`.

    >>> free_columns(["", "id", "species"], ["id"])
    [2]
    """
    return [
        i
        for i, name in enumerate(columns)
        if name not in excluded and not _UNNAMED.fullmatch(str(name))
    ]


def _label_columns(where: str, columns: list[str], request: Request) -> tuple[int, list[int]]:
    """Return the positions of the class column and of the cluster columns.

    Without names a source must have just two `free_columns`, classes first.
    """
    truth, pred, excluded = request.truth, request.pred, request.extras.values()
    free = free_columns(columns, excluded)
    if truth is None and pred is None and len(free) == 2:
        return free[0], free[1:]
    unnamed = truth is None or pred is None
    if len(columns) < 2 or (len(free) < 2 and unnamed):
        only = f"one column, {columns[free[0]]!r}" if free else "no column of labels"
        raise ColumnError(
            f"{where} has {only}; two are needed, classes and clusters. In a CSV file commas, "
            "semicolons, tabs or pipes separate them, or the delimiter= that you pass."
        )
    truth_role, role = request.words
    truth_position = one_column(where, columns, truth, truth_role)
    preds = matching_columns(where, columns, pred, role, {truth, *excluded})
    if truth_position in preds:
        raise ColumnError(
            f"{where}: column {truth!r} is both {truth_role} and {role}. Pass {role}= with another "
            "column: scored against itself, any column is perfect."
        )
    return truth_position, preds


def matching_columns(
    where: str, columns: Sequence[str], pred: Any, role: str, excluded: Collection[Any]
) -> list[int]:
    """Return the positions of the columns that names or patterns match, in the order given.

    A column whose own name looks like a pattern, or like several names with commas between them, is
    chosen by that name.
    """
    positions: dict[int, None] = {}
    times = Counter(columns)
    position = {name: i for i, name in enumerate(columns)}
    for name in _split_names(pred, columns):
        matches = [name]
        if is_pattern(name) and name not in times:
            texts = [x for x in times if isinstance(x, str) and x not in excluded]
            matches = [x for x in texts if fnmatchcase(x, name)]
            if not matches:
                raise ColumnError(
                    f"{where} has no column like {name!r} for {role}. It has {_listed(columns)}."
                )
        for match in matches:
            if times[match] != 1:
                one_column(where, columns, match, role)  # raises
            positions[position[match]] = None
    if not positions:
        raise ColumnError(
            f"{where}: which columns are {role}? Pass {role}= with some of {_listed(columns)}."
        )
    return list(positions)


def _split_names(pred: Any, columns: Collection[str]) -> Iterator[Any]:
    """Yield the names and patterns; a text that is no column may be several between commas."""
    for name in as_list(pred):
        if isinstance(name, str) and name not in columns and "," in name:
            yield from (part.strip() for part in name.split(",") if part.strip())
        else:
            yield name


def as_list(names: Any) -> list[Any]:
    """Return one name or several as a list."""
    if hasattr(names, "tolist"):  # an array or an index of names
        names = names.tolist()
    several = isinstance(names, Sequence) and not isinstance(names, str)
    return list(names) if several else [names]


def is_pattern(name: Any) -> bool:
    """Whether a name contains any of * ? [."""
    return isinstance(name, str) and any(sign in name for sign in MAGIC)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in columns[:20]) + ", …" * (len(columns) > 20)


def by_type(columns: list[T], types: Mapping[T, Any]) -> list[list[T]]:
    """Return the columns in lists of one type: only such can share a column of results."""
    alike: dict[str, list[T]] = {}
    for column in columns:
        alike.setdefault(str(types[column]), []).append(column)
    return list(alike.values())


def tally_groups(answer: Mapping[str, Any], names: Mapping[str, str], read: Reader) -> Tally:
    """Return the groups of an engine: by role their labels, n (objects) and w (weights) if any."""
    labels = {role: read(answer[role], f"column {name!r}") for role, name in names.items()}
    return tally_rows(labels, names, np.asarray(answer["n"]).astype(np.int64), answer.get("w"))


def tally_rows(
    labels: Mapping[str, Labels],
    names: Mapping[str, str],
    objects: NDArray[np.int64] | None = None,
    weights: NDArray[Any] | None = None,
    joined: bool = False,
) -> Tally:
    """Return labels by role: classes (c), clusters (k...) and groups (b) if any."""
    if len(labels["c"]) == 0:
        raise NothingToCountError("there are no rows to count.")
    roles = [role for role in ("c", *run_roles(labels), "b") if role in labels]
    return Tally(
        labels["c"],
        {names[role]: labels[role] for role in run_roles(labels)},
        [f"column {names[role]!r}" for role in roles],
        labels.get("b"),
        objects,
        weights,
        joined,
    )
