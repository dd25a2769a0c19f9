"""The contingency table: how many objects of each class fell into each cluster.

Rows are classes, columns are clusters, everywhere in this library. h(c,k) counts the objects of
class c in cluster k; h(c) and h(k) are its margins and n its total (section 3 of the paper).
Every measure is a function of this one value, so it is counted once, kept sparse and exact, and
merged with ``+`` where the objects come in pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clusterbits.core.addition import merge_cells, same_cells
from clusterbits.core.cells import (
    Cells,
    Coverage,
    LabelPolicy,
    as_names,
    sum_by_key,
    without_noise,
)
from clusterbits.core.combinatorics import BITS_PER_NAT, relative_entropy_term, surprise
from clusterbits.display.heatmap import SHOWN, heatmap_html
from clusterbits.display.tables import to_frame
from clusterbits.errors import ColumnError, FileError, NothingToCountError, TableError

# Up to here n² fits an int64, and with it every sum of products of counts.
_SQUARE_FITS = math.isqrt(2**63 - 1)
# Cells of batches that may wait to be added up together.
_WAITING_CELLS = 1 << 23
# A dense copy past this many cells is more likely a slip than a wish.
_DENSE_LIMIT = 10**8


class PairCounts(NamedTuple):
    """How pairs of objects are treated by classes and clusters: the paper's 2×2 table A.

    The first index is the class, the second the cluster; 0 means together, 1 apart. Whole tables
    have exact integers of any size; tables of expected counts have expectations over pairs.
    """

    a00: int | float
    a01: int | float
    a10: int | float
    a11: int | float

    @property
    def total(self) -> int | float:
        """M, the number of pairs."""
        return self.a00 + self.a01 + self.a10 + self.a11

    @property
    def same_class(self) -> int | float:
        """Pairs within a class: a0• in the paper."""
        return self.a00 + self.a01

    @property
    def same_cluster(self) -> int | float:
        """Pairs within a cluster: a•0 in the paper."""
        return self.a00 + self.a10


@dataclass(frozen=True, eq=False, repr=False)
class Contingency:
    """Counts of objects by class (rows) and cluster (columns): immutable, sparse, exact.

    Make one with `from_labels`, `from_counts` or `expected`; add partial ones with ``+``.
    Only classes and clusters that occur are kept, and only cells that are not zero.

    Attributes
    ----------
    rows, columns : ndarray of int
        Position in `classes` and `clusters` of each non-zero cell, row by row.
    counts : ndarray
        The count of each non-zero cell: int64, Python integers where int64 is too small, or
        float64 for expected and weighted tables.
    coverage : Coverage or None
        Where objects without a class or a cluster were left out: how many objects and clusters
        were judged, and of how many. None where nothing was left out.

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_labels(["a", "a", "b", "b"], [1, 1, 1, 2])
    >>> table
    <Contingency: 4 objects, 2 classes × 2 clusters, 3 non-zero cells>
    >>> table.to_dense()
    array([[2, 0],
           [1, 1]])
    >>> table.pairs
    PairCounts(a00=1, a01=1, a10=2, a11=2)
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[Any]
    class_names: NDArray[Any]
    cluster_names: NDArray[Any]
    coverage: Coverage | None = None

    # --- making one ------------------------------------------------------------------------------

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        pred: Any,
        noise: str | None = None,
        missing: str = "error",
        weights: Any = None,
        *,
        noise_label: Any = -1,
        align: bool = False,
    ) -> Contingency:
        """Count two sequences of labels of the same objects.

        Parameters
        ----------
        truth, pred : 1-D sequences
            Classes and clusters: integers, booleans, strings, dates, categoricals or whole
            floats, in a list, a numpy array, or a pandas, polars or pyarrow column.
        noise : None, "singletons" or "drop"
            What the cluster label `noise_label` means: a cluster like any other (None), objects
            each in a cluster of its own, or objects to leave out.
        missing : "error", "drop" or "class"
            What to do with objects that lack a label: refuse, leave out, or let the missing
            label be a class (or cluster) of its own, named None.
        weights : 1-D sequence of non-negative numbers, optional
            How much each object counts. Whole weights keep the table exact.
        noise_label : label, default -1
            The cluster label that stands for noise.
        align : bool, default False
            Join two pandas Series on their indexes instead of comparing by position.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.Contingency.from_labels([0, 0, 1, 1], [5, -1, 5, -1], noise="singletons").clusters
        (5, (-1, 1), (-1, 2))
        """
        from clusterbits.ingest.arrays import count_labels

        policy = LabelPolicy(noise, missing, noise_label)
        return cls._from_cells(count_labels(truth, pred, policy, weights, align))

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        classes: Sequence[Any] | None = None,
        clusters: Sequence[Any] | None = None,
    ) -> Contingency:
        """Take counts that are ready: classes in rows, clusters in columns.

        Parameters
        ----------
        counts : 2-D array, nested lists, scipy sparse array, or pandas crosstab
            Non-negative numbers. Integers may be of any size; whole floats count as integers.
        classes, clusters : sequences of labels, optional
            Names of the rows and columns; by default a frame's own, or 0, 1, 2, ...

        Examples
        --------
        >>> import clusterbits as cb
        >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]], classes=["cat", "dog"])
        >>> table.n, table.classes, table.class_sizes.tolist()
        (100, ('cat', 'dog'), [35, 65])
        """
        from clusterbits.ingest.matrices import read_counts

        return cls._from_cells(read_counts(counts, classes, clusters))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str | None = None,
        pred: str | Sequence[str] | None = None,
        weight: str | None = None,
        noise: str | None = None,
        missing: str = "error",
        *,
        noise_label: Any = -1,
    ) -> Any:
        """Count columns of a dataframe, where its engine keeps them.

        Frames in memory (pandas, polars, pyarrow) are counted here. Lazy ones (polars lazy,
        DuckDB relations, Dask, Spark, Ibis) are grouped and counted by their engine, and only the
        table comes back.

        Parameters
        ----------
        frame : dataframe
            Any that narwhals knows.
        truth : str, optional
            The column of classes. It and `pred` may be left out where the frame has just two
            columns, classes first.
        pred : str or sequence of str
            The column of clusters; or several, as a list or a pattern such as ``"k*"``, which are
            counted in one pass over the data where the engine can.
        weight : str, optional
            A column that says how much each row counts.
        noise, missing, noise_label
            As in `from_labels`.

        Returns
        -------
        Contingency, or dict of str to Contingency where `pred` is a list or a pattern

        Examples
        --------
        >>> import clusterbits as cb, pandas as pd
        >>> frame = pd.DataFrame({"species": ["cat", "cat", "dog"], "k2": [0, 0, 1], "k1": [0] * 3})
        >>> cb.Contingency.from_frame(frame, truth="species", pred="k2")
        <Contingency: 3 objects, 2 classes × 2 clusters, 2 non-zero cells>
        >>> cb.evaluate(cb.Contingency.from_frame(frame, "species", "k*"), measures=["q0", "ari"])
        clustering  clusters      q0  adjusted_rand
        k2                 2  0.8617         1.0000
        k1                 1  1.5850         0.0000
        """
        from clusterbits.ingest.frames import count_frame

        policy = LabelPolicy(noise, missing, noise_label)
        return cls._one_or_many(count_frame(frame, truth, pred, weight, policy), pred)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str] | Sequence[str | PathLike[str]],
        truth: str | None = None,
        pred: str | Sequence[str] | None = None,
        noise: str | None = None,
        missing: str = "error",
        *,
        noise_label: Any = -1,
        weight: str | None = None,
        on: str | Sequence[str] | None = None,
        unmatched: str = "error",
        sql: str | None = None,
        delimiter: str | None = None,
        memory_limit: str | None = None,
        spill: str | PathLike[str] | None = None,
        progress: Any = None,
    ) -> Any:
        """Count label columns of files, without loading their rows.

        Parameters
        ----------
        path : path, or sequence of paths
            CSV (any delimiter), Parquet or JSON lines; text may be gzip- or zstd-compressed. A
            folder or a pattern such as ``"runs/*.parquet"`` means all its files. With `on`, two
            paths: the one with the classes first. With `sql`, a DuckDB or SQLite database.
        truth, pred : str, optional
            Names of the columns of classes and of clusters; may be left out where there are just
            two columns, classes first. `pred` may be a list or a pattern such as ``"k*"``.
        noise, missing, noise_label
            As in `from_labels`. An empty field is a missing label.
        weight : str, optional
            A column that says how much each row counts.
        on : str or sequence of str, optional
            Columns that identify an object in both of two files.
        unmatched : "error", "drop" or "class"
            What to do with ids that only one of the two files has: refuse; leave out, and say so
            in `coverage`; or let them form a class (or cluster) of their own, named None.
        sql : str, optional
            A query of the database; its result is counted like a file.
        delimiter : str, optional
            What stands between CSV columns, where it is not a comma, semicolon, tab or bar.
        memory_limit : str, optional
            Such as ``"2GB"``; what needs more is spilled to disk.
        spill : path, optional
            The folder to spill to; the system's own by default.
        progress : callable, optional
            Draws how far the counting is: given a function that tells it in percent, returns a
            context manager.

        Returns
        -------
        Contingency, or dict of str to Contingency where `pred` is a list or a pattern
        """
        from clusterbits.ingest.files.databases import count_query
        from clusterbits.ingest.files.joins import count_joined
        from clusterbits.ingest.files.readers import Resources, count_files

        if sql is not None and (on is not None or delimiter is not None):
            raise FileError("sql asks a database, which has no delimiter and joins by itself.")
        if on is None and unmatched != "error":
            raise FileError(f"unmatched={unmatched!r} is about two files; name their ids with on.")
        policy = LabelPolicy(noise, missing, noise_label)
        resources = Resources(memory_limit, spill, progress)
        if sql is not None:
            cells = count_query(path, sql, truth, pred, policy, weight, resources)
        elif on is not None:
            cells = count_joined(
                path, on, truth, pred, policy, unmatched, weight, delimiter, resources
            )
        else:
            cells = count_files(path, truth, pred, policy, weight, delimiter, resources)
        return cls._one_or_many(cells, pred)

    @classmethod
    def _one_or_many(cls, counted: dict[str, Cells], pred: Any) -> Any:
        """Return one table where one column was named, a dictionary where several could be."""
        tables = {name: cls._from_cells(cells) for name, cells in counted.items()}
        one = pred is None or (not isinstance(pred, list | tuple) and pred in tables)
        return next(iter(tables.values())) if one else tables

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Any],
        truth: str | None = None,
        pred: str | None = None,
        noise: str | None = None,
        missing: str = "error",
        *,
        noise_label: Any = -1,
    ) -> Contingency:
        """Count data that comes in pieces: only the table and one piece are ever held.

        Parameters
        ----------
        batches : iterable
            Of pairs (truth, pred) of label sequences; of frames or record batches, with the names
            of their columns in `truth` and `pred`; or of tables, which are added up.
        truth, pred : str, optional
            Names of the columns, where batches are frames.
        noise, missing, noise_label
            As in `from_labels`. Tables among the batches keep the classes they have.

        Examples
        --------
        >>> import clusterbits as cb
        >>> batches = ((["a", "b"], [day, day]) for day in range(3))
        >>> cb.Contingency.from_batches(batches)
        <Contingency: 6 objects, 2 classes × 3 clusters, 6 non-zero cells>
        """
        merged: list[Cells] = []
        for batch in batches:
            with suppress(NothingToCountError):  # a batch may be empty, as long as not all are
                merged.append(cls._from_batch(batch, truth, pred, missing)._cells)
            if not merged:
                continue
            # Merged when much more has come than is there: each cell is moved once or twice.
            waiting = sum(len(cells.counts) for cells in merged[1:])
            if waiting > max(_WAITING_CELLS, len(merged[0].counts)):
                merged = [merge_cells(merged)]
        if not merged:
            raise NothingToCountError("no batch has a labelled object: nothing to count.")
        policy = LabelPolicy(noise, missing, noise_label)
        policy.check()
        return cls._from_cells(without_noise(merge_cells(merged), policy))

    @classmethod
    def _from_batch(
        cls, batch: Any, truth: str | None, pred: str | None, missing: str
    ) -> Contingency:
        if isinstance(batch, Contingency):
            return batch
        if isinstance(batch, tuple | list) and len(batch) == 2:
            return cls.from_labels(batch[0], batch[1], missing=missing)
        table = cls.from_frame(batch, truth, pred, missing=missing)
        if not isinstance(table, Contingency):
            raise ColumnError(f"pred={pred!r}: batches are counted for one cluster column.")
        return table

    @classmethod
    def expected(
        cls,
        p: ArrayLike,
        n: float,
        classes: Sequence[Any] | None = None,
        clusters: Sequence[Any] | None = None,
    ) -> Contingency:
        """Make the table of expected counts n·p(c,k), as in the paper's experiments.

        Its pair counts are expectations over pairs, M·Σp², not pairs of fractional objects.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.rand(cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=500))
        0.68
        """
        from clusterbits.ingest.matrices import read_probabilities

        return cls._from_cells(read_probabilities(p, n, classes, clusters))

    @classmethod
    def _from_cells(cls, cells: Cells) -> Contingency:
        """Add up repeated cells, drop empty ones, and keep them row by row."""
        if not cells.tidy:
            cells = _tidied(cells)
        arrays = cells.rows, cells.columns, cells.counts, cells.classes, cells.clusters
        for array in arrays:
            array.setflags(write=False)
        return cls(*arrays, cells.coverage)

    @property
    def _cells(self) -> Cells:
        return Cells(
            self.class_names,
            self.cluster_names,
            self.rows,
            self.columns,
            self.counts,
            tidy=True,
            coverage=self.coverage,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a small ``.json`` or ``.parquet`` file, for `load` and ``+``.

        The file is whole or not there: it is written beside its place, then renamed.

        Examples
        --------
        >>> import clusterbits as cb, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for day in ("monday", "tuesday"):
        ...     cb.Contingency.from_labels(["a", "b"], [0, 1]).save(folder / f"{day}.json")
        >>> sum(cb.Contingency.load(path) for path in folder.glob("*.json"))
        <Contingency: 4 objects, 2 classes × 2 clusters, 2 non-zero cells>
        """
        from clusterbits.core.storage import save_cells

        save_cells(path, self._cells)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Contingency:
        """Read a table that `save` has written."""
        from clusterbits.core.storage import load_cells

        return cls._from_cells(load_cells(path))

    def __add__(self, other: Contingency) -> Contingency:
        """Merge partial counts: cells of the same class and cluster names are added.

        Where names are integers on one side and text on the other, integers become text, as they
        would in one file of all. Objects that were noise and stand alone stay alone. Sums do not
        keep `coverage`: it does not say which clusters were left out.
        """
        if not isinstance(other, Contingency):
            return NotImplemented
        return Contingency._from_cells(merge_cells([self._cells, other._cells]))

    def __radd__(self, other: object) -> Contingency:
        """Let ``sum(tables)`` start from 0."""
        return self if other == 0 else NotImplemented

    # --- what it holds ---------------------------------------------------------------------------

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """Class names, in the order of the rows."""
        return tuple(self.class_names.tolist())

    @cached_property
    def clusters(self) -> tuple[Any, ...]:
        """Cluster names, in the order of the columns."""
        return tuple(self.cluster_names.tolist())

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of classes and of clusters."""
        return len(self.class_names), len(self.cluster_names)

    @property
    def exact(self) -> bool:
        """Whether the counts are whole numbers of objects."""
        return self.counts.dtype != np.float64

    @cached_property
    def n(self) -> int | float:
        """Number of objects."""
        return int(self.counts.sum()) if self.exact else math.fsum(self.counts.tolist())

    @cached_property
    def class_sizes(self) -> NDArray[Any]:
        """h(c), the objects in each class."""
        return self._margin(self.rows, self.shape[0])

    @cached_property
    def cluster_sizes(self) -> NDArray[Any]:
        """h(k), the objects in each cluster."""
        return self._margin(self.columns, self.shape[1])

    def _margin(self, index: NDArray[np.intp], size: int) -> NDArray[Any]:
        if self.exact and self.n >= 2**53:  # past what float64 adds exactly
            sizes = np.zeros(size, dtype=self.counts.dtype)
            np.add.at(sizes, index, self.counts)
        else:
            weights = self.counts.astype(np.float64, copy=False)
            sizes = np.bincount(index, weights=weights, minlength=size)
            sizes = sizes.astype(self.counts.dtype, copy=False)
        sizes.setflags(write=False)
        return sizes

    @cached_property
    def is_perfect(self) -> bool:
        """Whether classes and clusters are the same partition."""
        return len(self.counts) == self.shape[0] == self.shape[1]

    @cached_property
    def pairs(self) -> PairCounts:
        """The 2×2 table of pairs of objects, in exact integers (or expectations)."""
        squares = [_sum_of_squares(x) for x in (self.counts, self.class_sizes, self.cluster_sizes)]
        n = self.n
        if self.exact:
            both, same_class, same_cluster = ((square - n) // 2 for square in squares)
            total = n * (n - 1) // 2
        else:
            # Expectations over pairs: M Σp². Up to one object there is no pair; shares remain.
            total = n * (n - 1) / 2 if n > 1 else 1.0
            both, same_class, same_cluster = (total * (square / n**2) for square in squares)
        apart = total - same_class - same_cluster + both
        return PairCounts(both, same_class - both, same_cluster - both, apart)

    # --- entropies, in bits per object -----------------------------------------------------------

    @cached_property
    def class_entropy(self) -> float:
        """H(C), the bits that name an object's class."""
        return self._mean_surprise(self.class_sizes, np.asarray(self.n))

    @cached_property
    def cluster_entropy(self) -> float:
        """H(K), the bits that name an object's cluster."""
        return self._mean_surprise(self.cluster_sizes, np.asarray(self.n))

    @cached_property
    def class_entropy_given_cluster(self) -> float:
        """H(C|K), equation (2): the bits that name an object's class once its cluster is known."""
        return self._mean_surprise(self.counts, self.cluster_sizes[self.columns])

    @cached_property
    def cluster_entropy_given_class(self) -> float:
        """H(K|C), the bits that name an object's cluster once its class is known."""
        return self._mean_surprise(self.counts, self.class_sizes[self.rows])

    def _mean_surprise(self, part: NDArray[Any], whole: NDArray[Any]) -> float:
        """Return Σ part/n log2(whole/part)."""
        return float(surprise(part, whole).sum()) / self.n * BITS_PER_NAT

    @cached_property
    def mutual_information(self) -> float:
        """I(C;K), the bits a cluster label tells about the class.

        Written as n² I = Σ h(c)h(k) φ(x), x = n h(c,k)/(h(c)h(k)) - 1, over all cells: no term
        is negative, empty cells contribute h(c)h(k) each, and independent labels give exactly 0.
        """
        n, counts = self.n, self.counts
        a, b = self.class_sizes[self.rows], self.cluster_sizes[self.columns]
        if self.exact and n > _SQUARE_FITS:
            n, counts, a, b = int(n), counts.astype(object), a.astype(object), b.astype(object)
        product = a * b
        excess = (n * counts - product).astype(np.float64)
        empty = float(n * n - product.sum())
        product = product.astype(np.float64)
        total = float((product * relative_entropy_term(excess / product)).sum())
        return (total + max(empty, 0.0)) / float(n * n) * BITS_PER_NAT

    # --- other forms -----------------------------------------------------------------------------

    def transpose(self) -> Contingency:
        """Return the table with classes and clusters exchanged."""
        return Contingency._from_cells(
            Cells(self.cluster_names, self.class_names, self.columns, self.rows, self.counts)
        )

    def to_dense(self) -> NDArray[Any]:
        """Return the full classes × clusters array."""
        cells = self.shape[0] * self.shape[1]
        if cells > _DENSE_LIMIT:
            raise TableError(
                f"a dense copy would have {self.shape[0]:,} × {self.shape[1]:,} cells; the "
                f"{len(self.counts):,} that are not zero are in .rows, .columns and .counts."
            )
        dense = np.zeros(self.shape, dtype=self.counts.dtype)
        dense[self.rows, self.columns] = self.counts
        return dense

    def to_frame(self) -> Any:
        """Return one row per non-zero cell, as a pandas or polars frame (what is installed)."""
        return to_frame(
            {
                "class": self.class_names[self.rows].tolist(),
                "cluster": self.cluster_names[self.columns].tolist(),
                "count": self.counts.tolist(),
            }
        )

    def __eq__(self, other: object) -> bool:
        """Equal tables have the same counts for the same names, in whatever order."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return same_cells(self._cells, other._cells)

    __hash__ = None  # type: ignore[assignment]  # equality ignores order, which no cheap hash does

    def __repr__(self) -> str:
        """Return one line: size and shape."""
        n = _many(self.n, "object") if self.exact else f"{self.n:,.6g} objects (real-valued)"
        classes, clusters = _many(self.shape[0], "class"), _many(self.shape[1], "cluster")
        cells = _many(len(self.counts), "non-zero cell")
        return f"<Contingency: {n}, {classes} × {clusters}, {cells}>"

    def _repr_html_(self) -> str:
        """Return a small heatmap for notebooks; large tables show their first rows and columns."""
        shown = (self.rows < SHOWN) & (self.columns < SHOWN)
        corner = np.zeros((min(self.shape[0], SHOWN), min(self.shape[1], SHOWN)), self.counts.dtype)
        corner[self.rows[shown], self.columns[shown]] = self.counts[shown]
        classes = self.class_names[: SHOWN + 1].tolist()
        clusters = self.cluster_names[: SHOWN + 1].tolist()
        return heatmap_html(repr(self).strip("<>"), classes, clusters, corner.tolist())


# --- helpers of the above ------------------------------------------------------------------------


def _many(count: int | float, thing: str) -> str:
    plural = "" if count == 1 else "es" if thing.endswith("s") else "s"
    return f"{count:,} {thing}{plural}"


def _tidied(cells: Cells) -> Cells:
    rows, columns, counts = cells.rows, cells.columns, cells.counts
    if counts.dtype.kind in "iu":
        past_int64 = counts.astype(np.float64).sum() >= 2.0**62
        counts = as_names(counts.tolist()) if past_int64 else counts.astype(np.int64, copy=False)
    width = max(len(cells.clusters), 1)
    keys = rows * np.intp(width) + columns
    if not (keys[1:] > keys[:-1]).all():
        keys, counts = sum_by_key(keys, counts)
        rows, columns = np.divmod(keys, width)
    present = counts != 0
    if not present.all():
        rows, columns, counts = rows[present], columns[present], counts[present]
    if len(counts) == 0:
        raise TableError("the table is empty: all counts are zero.")
    rows, classes = _only_present(rows, cells.classes)
    columns, clusters = _only_present(columns, cells.clusters)
    return Cells(classes, clusters, rows, columns, counts, tidy=True, coverage=cells.coverage)


def _only_present(
    index: NDArray[np.intp], names: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    seen = np.zeros(len(names), dtype=np.bool_)
    seen[index] = True
    if seen.all():
        return index, names
    return (np.cumsum(seen) - 1)[index], names[seen]


def _sum_of_squares(counts: NDArray[Any]) -> Any:
    """Return Σ counts², exactly for integers of any size."""
    if counts.dtype == np.float64:
        return math.fsum((counts * counts).tolist())
    if counts.dtype == object:
        return sum(count * count for count in counts.tolist())
    if int(counts.sum()) <= _SQUARE_FITS:
        return int(counts @ counts)
    # Parts of 2^32 and 2^16: no partial sum passes int64 for totals below 2^62.
    high, low = counts >> 32, counts & (2**32 - 1)
    middle, least = low >> 16, low & (2**16 - 1)
    square_of_low = (int(middle @ middle) << 32) + (int(middle @ least) << 17) + int(least @ least)
    return (int(high @ high) << 64) + (int(high @ low) << 33) + square_of_low
