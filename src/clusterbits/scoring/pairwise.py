"""Every clustering against every other: one measure over all pairs of labelings.

Labels are read once for each labeling and not once for each pair: what is left of them is a
number for each object, from which every table is counted. Names play no part in a measure's value.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.arguments import LabelOptions, as_table, friendly
from clusterbits.core.cells import Cells, count_sorted
from clusterbits.core.counting import (
    DENSE_CELLS,
    DENSE_CELLS_PER_OBJECT,
    rank,
)
from clusterbits.core.policy import LabelPolicy, Missing, Noise
from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted
from clusterbits.errors import LabelError, MeasureError
from clusterbits.ingest.arrays import pandas_index
from clusterbits.ingest.columns import read_labels
from clusterbits.measures.catalogue import Measure, find
from clusterbits.parallel import Progress, run_in_threads
from clusterbits.scoring.square import Pairwise

# From here on scipy counts faster than numpy; below, getting at it costs more than counting.
_MANY_OBJECTS = 1 << 16
# What a thread counts while another one is in Python: with fewer they only wait for each other.
_OBJECTS_PER_THREAD = 1 << 17
# Pairs that a thread takes at a time: enough to forget its overhead, few enough to share out.
_PAIRS_AT_A_TIME = 32


@friendly
def pairwise(
    labelings: Any,
    measure: str | Measure = "adjusted_rand",
    *,
    noise: Noise | None = None,
    missing: Missing = "error",
    weights: Any = None,
    noise_label: Any = -1,
    align: bool = False,
    progress: Progress = iter,
) -> Pairwise:
    """Compare every clustering with every other, and with itself.

    Parameters
    ----------
    labelings : mapping, list, 2-D array or data frame
        Two or more labelings of the same objects: a mapping of names to label sequences; a list
        of label sequences, named "0", "1", ...; a 2-D numpy array, whose **columns** are
        labelings and whose rows are objects; or a pandas or polars frame or pyarrow table,
        whose columns are labelings too.
    measure : str or Measure, default "adjusted_rand"
        Full name or alias.
    noise, missing, weights, noise_label, align
        How labels are read, as in `Contingency.from_labels`, for each pair by itself. So
        ``missing="drop"`` leaves out, in each pair, what lacks one of its two labels; and ``noise``
        concerns the second labeling, hence even a symmetric measure then depends on the order.
    progress : callable, optional
        Wrapped around the portions of the work, to draw a progress bar.

    Returns
    -------
    Pairwise
        Value [i, j] is the measure with labeling i as truth and labeling j as clustering. A
        symmetric measure is computed once for both orders.

    Examples
    --------
    >>> import clusterbits as cb
    >>> runs = {"coarse": [0, 0, 0, 1, 1, 1], "fine": [0, 0, 1, 2, 2, 3], "other": list("xyzxyz")}
    >>> cb.pairwise(runs, "ari")
    adjusted_rand, 3 labelings
    labeling   coarse     fine    other
    coarse     1.0000   0.3750  -0.3636
    fine       0.3750   1.0000  -0.1905
    other     -0.3636  -0.1905   1.0000

    Homogeneity asks whether each cluster has one class, and is not symmetric:

    >>> square = cb.pairwise(runs, "homogeneity")
    >>> round(square["coarse", "fine"], 4), round(square["fine", "coarse"], 4)
    (1.0, 0.5213)
    """
    entry = _one_measure(measure)
    LabelPolicy(noise, missing).check()
    options = LabelOptions(noise, missing, weights, noise_label, align)
    named = list(_named(labelings))
    _check_names([name for name, _ in named])
    read = _read_all(named)
    _check_lengths(read)
    if missing == "error":
        _refuse_missing(read)
    tables = _Tables(read, options)
    both_orders = entry.symmetric and noise is None
    values = np.full((len(read), len(read)), np.nan)

    def score(portion: tuple[int, range]) -> None:
        i, columns = portion
        for j in columns:
            values[i, j] = entry.of(tables(i, j))
            if both_orders:
                values[j, i] = values[i, j]

    run_in_threads(score, _portions(len(read), both_orders), _threads(len(read[0])), progress)
    values.setflags(write=False)
    names = tuple(labeling.name for labeling in read)
    return Pairwise(names, entry.name, values, both_orders)


# --- what was given ------------------------------------------------------------------------------


def _named(labelings: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and label sequences, from whatever holds them."""
    for name, labels in _items(labelings):
        # Labels may be read a second time, and an iterator gives them only once.
        yield str(name), list(labels) if isinstance(labels, Iterator) else labels


def _items(labelings: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(labelings, Mapping):
        return labelings.items()
    if isinstance(labelings, np.ndarray):
        if labelings.ndim != 2:
            raise LabelError(
                f"labelings has shape {labelings.shape}; an array of labelings is 2-D, with a row "
                "for each object and a column for each labeling."
            )
        return enumerate(labelings.T)
    if isinstance(labelings, list | tuple | Iterator):
        return enumerate(labelings)
    # narwhals knows a frame by its module's name and imports no backend.
    import narwhals

    try:
        frame = narwhals.from_native(labelings, eager_only=True, pass_through=True)
        if isinstance(frame, narwhals.DataFrame):
            return [(column.name, column.to_native()) for column in frame.iter_columns()]
    except narwhals.exceptions.DuplicateError:
        raise LabelError("two columns of labelings have the same name: rename one.") from None
    if isinstance(labelings, Iterable) and not isinstance(labelings, str | bytes | Set):
        return enumerate(labelings)
    raise LabelError(
        f"labelings is of type {type(labelings).__name__}; pass a mapping of names to labels, a "
        "list of label sequences, a 2-D array, or a data frame (a lazy one collected) with a "
        "column for each labeling."
    )


def _one_measure(measure: object) -> Measure:
    if not isinstance(measure, str | Measure):
        raise MeasureError(
            f"measure={measure!r} is not the name of a measure; pairwise takes one at a time, "
            "such as 'adjusted_rand'."
        )
    return find(measure)


def _check_names(names: list[str]) -> None:
    if len(names) < 2:
        raise LabelError(
            f"labelings holds {counted(len(names), 'labeling')}; "
            "at least two are needed for a pair."
        )
    for name, times in Counter(names).items():
        if times > 1:
            raise LabelError(f"{times} labelings are called {name!r}: each needs its own name.")


def _check_lengths(read: list[_Labeling]) -> None:
    first = read[0]
    for other in read[1:]:
        if len(other) != len(first):
            raise LabelError(
                f"labeling {first.name!r} has {len(first)} labels and labeling {other.name!r} has "
                f"{len(other)}: all must label the same objects, in the same order."
            )
    if len(first) == 0:
        raise LabelError("the labelings are empty: at least one labelled object is needed.")


def _refuse_missing(read: list[_Labeling]) -> None:
    for labeling in read:
        if labeling.missing is not None:
            positions = np.flatnonzero(labeling.missing)
            raise LabelError(
                f"labeling {labeling.name!r} lacks {len(positions)} of {len(labeling)} labels, the "
                f"first at position {positions[0]}. Pass missing='drop' to leave such objects out "
                "of the pairs concerned, or missing='class' to let them form a cluster of their "
                "own."
            )


# --- reading and counting ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Labeling:
    """One labeling as given, and as numbers 0, 1, ... for its distinct labels.

    Where labels are missing the codes mean nothing.
    """

    name: str
    given: Any
    codes: NDArray[Any]
    distinct: NDArray[np.intp]
    missing: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def size(self) -> int:
        return len(self.distinct)


def _read_all(named: list[tuple[str, Any]]) -> list[_Labeling]:
    first = _read(*named[0])
    if (threads := _threads(len(first))) == 1:
        return [first, *(_read(name, given) for name, given in named[1:])]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return [first, *pool.map(_read, *zip(*named[1:], strict=True))]


def _read(name: str, given: Any) -> _Labeling:
    labels = read_labels(given, f"labeling {name!r}")
    if labels.missing is not None or len(labels) == 0:
        return _Labeling(name, given, labels.codes, np.arange(0), labels.missing)
    positions, distinct = rank(labels.codes)
    codes = positions.astype(_counting_dtype(len(positions)))
    return _Labeling(name, given, codes, np.arange(len(distinct)))


def _counting_dtype(n: int) -> type[np.int32 | np.int64]:
    """Return the type of codes and counts: int32 while it will do, which scipy counts fastest."""
    return np.int32 if n < 2**31 else np.int64


class _Tables:
    """The table of any two labelings, by their positions."""

    def __init__(self, labelings: list[_Labeling], options: LabelOptions) -> None:
        self._labelings = labelings
        self._options = options
        asked = {*options.given} & {"noise", "weights", "align"}
        self._plain = not asked and _same_index(labelings)
        n = len(labelings[0])
        self._ones = np.ones(n, dtype=_counting_dtype(n))

    def __call__(self, i: int, j: int) -> Contingency:
        truth, pred = self._labelings[i], self._labelings[j]
        if self._plain and truth.missing is None and pred.missing is None:
            return self._from_codes(truth, pred)
        try:
            return as_table(truth.given, pred.given, self._options)
        except LabelError as error:
            who = f"labelings {truth.name!r} (truth) and {pred.name!r} (pred)"
            raise LabelError(f"{who}: {error}") from None

    def _from_codes(self, truth: _Labeling, pred: _Labeling) -> Contingency:
        cells = truth.size * pred.size
        if cells > min(DENSE_CELLS, DENSE_CELLS_PER_OBJECT * len(truth)):
            keys = _keys(truth, pred, np.int64)
            keys.sort()
            present, counts = count_sorted(keys)
        else:
            dense = self._count_dense(truth, pred)
            present = np.flatnonzero(dense)
            counts = dense[present].astype(np.int64, copy=False)
        return Contingency(Cells.from_keys(present, counts, truth.distinct, pred.distinct))

    def _count_dense(self, truth: _Labeling, pred: _Labeling) -> NDArray[Any]:
        """Return the counts of all cells, row after row."""
        if len(truth) < _MANY_OBJECTS:
            keys = _keys(truth, pred, np.int32)
            return np.bincount(keys, minlength=truth.size * pred.size)
        # scipy adds up the entries of a sparse array without making keys of them, and lets other
        # threads run meanwhile, which np.bincount hardly does.
        from scipy.sparse import coo_array

        entries = coo_array((truth.size, pred.size), dtype=self._ones.dtype)
        # Given to the constructor, they would be looked through for positions out of bounds.
        entries.data, entries.coords = self._ones, (truth.codes, pred.codes)
        dense: NDArray[Any] = entries.toarray().ravel()
        return dense


def _keys(truth: _Labeling, pred: _Labeling, dtype: type[np.int32 | np.int64]) -> NDArray[Any]:
    """Return the position of each object's cell, counted row after row."""
    keys: NDArray[Any] = np.multiply(truth.codes, pred.size, dtype=dtype)
    keys += pred.codes
    return keys


def _same_index(labelings: list[_Labeling]) -> bool:
    """Whether all pandas Series agree on which object is where; `from_labels` judges others."""
    indexes = [pandas_index(labeling.given) for labeling in labelings]
    indexes = [index for index in indexes if index is not None]
    return all(indexes[0].equals(index) for index in indexes[1:])


# --- sharing the work ----------------------------------------------------------------------------


def _threads(objects: int) -> int:
    return max(1, min(os.cpu_count() or 1, objects // _OBJECTS_PER_THREAD))


def _portions(many: int, both_orders: bool) -> list[tuple[int, range]]:
    """Return rows of the square (from the diagonal on, if that is enough) cut into short pieces."""
    return [
        (i, range(begin, min(begin + _PAIRS_AT_A_TIME, many)))
        for i in range(many)
        for begin in range(i if both_orders else 0, many, _PAIRS_AT_A_TIME)
    ]
