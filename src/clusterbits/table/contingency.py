"""The contingency table: how many objects of each class fell into each cluster.

Rows are classes, columns are clusters, everywhere in this library. h(c,k) counts the objects of
class c in cluster k; h(c) and h(k) are its margins and n its total (section 3 of the paper).
Every measure is a function of this one value, which is sparse and exact. Its signatures show the
label options, and each ``from_*`` method imports its reader when it is called.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any, Self, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clusterbits.errors import MeasureError
from clusterbits.labels.options import (
    PLAIN,
    FileOptions,
    ImageOptions,
    LabelOptions,
    LabelPolicy,
    given_options,
    split_options,
    takes_labels,
)
from clusterbits.system.limits import check_memory
from clusterbits.table.adding import merge_cells, same_cells
from clusterbits.table.balanced_chance import BalancedChance
from clusterbits.table.cells import MIN_REST, Cells, Coverage, describe_uneven
from clusterbits.table.expected_information import expected_information
from clusterbits.table.log_factorials import (
    BITS_PER_NAT,
    SQUARE_FITS,
    as_integers,
    distinct,
    relative_entropy_term,
    sum_of_squares,
)
from clusterbits.table.margins import Margin, TableBits, mean_surprise, sum_by_code
from clusterbits.table.numbering import factorize_integers, pair_codes
from clusterbits.table.statistics import PairCounts, number_of_classes
from clusterbits.text.results import Plottable
from clusterbits.text.tables import counted, to_frame

_Path = str | PathLike[str]
Paths = _Path | Sequence[_Path | Sequence[_Path]]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Contingency(TableBits, Plottable):
    """Counts of objects by class (rows) and cluster (columns): immutable, sparse, exact.

    ``Contingency(truth, pred)`` counts two labelings, as `from_labels` does. Other constructors are
    `from_counts`, `from_frame`, `from_file`, `from_pairs`, `from_images`, `from_batches` and
    `expected`. Add partial tables with ``+``. Only classes and clusters that occur are kept, and
    only non-zero cells.

    Attributes
    ----------
    rows, columns : ndarray of int
        Index in `classes` and `clusters` of each non-zero cell, row by row.
    counts : ndarray
        The count of each non-zero cell: int64, or float64 for expected and weighted tables. They
        add up to less than 2^63.
    coverage : Coverage or None
        The objects and clusters counted, and of how many; None if nothing was excluded.
    shape : (int, int)
        Numbers of classes and of clusters.
    exact : bool
        Whether the counts are integers.
    weighted : bool
        Whether counts are sums of weights (`weights`, other than "balanced"), in any part of a sum.
    unbalanced : Contingency or None
        The table that a `balanced` one was made from; it is resampled, saved and added instead.

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency(["a", "a", "b", "b"], [1, 1, 1, 2])
    >>> table
    <Contingency: 4 objects, 2 classes × 2 clusters, 3 non-zero cells>
    >>> table.to_dense()
    array([[2, 0],
           [1, 1]])
    >>> table.pairs
    PairCounts(a00=1, a01=1, a10=2, a11=2)
    """

    cells: Cells
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[Any]
    coverage: Coverage | None
    shape: tuple[int, int]
    exact: bool

    @takes_labels
    def __new__(cls, truth: Any, pred: Any, **labels: Unpack[LabelOptions]) -> Self:
        return cls.from_policy(truth, pred, LabelPolicy(**labels) if labels else PLAIN)

    @classmethod
    def from_cells(cls, cells: Cells) -> Self:
        """Return the table of these cells, which may come in any order."""
        cells = cells.in_canonical_form()
        counts = cells.table_counts
        arrays = cells.classes, cells.clusters, cells.rows, cells.columns, cells.counts, counts
        for array in arrays:
            array.setflags(write=False)
        table = object.__new__(cls)
        table.__dict__.update(
            cells=cells,
            rows=cells.rows,
            columns=cells.columns,
            counts=counts,
            coverage=cells.coverage,
            shape=(len(cells.classes), len(cells.clusters)),
            exact=counts.dtype != np.float64,
        )
        return table

    @classmethod
    def from_policy(cls, truth: Any, pred: Any, policy: LabelPolicy) -> Self:
        """Return the table of two labelings, by options that are checked already."""
        from clusterbits.reading.memory import count_labels

        table = cls.from_cells(count_labels(truth, pred, policy))
        return table.balanced() if policy.balanced else table

    @classmethod
    def with_margins(cls, cells: Cells, classes: Margin, clusters: Margin) -> Self:
        """Return the table of canonical cells with known margins, which are not added up again."""
        table = cls.from_cells(cells)
        table.__dict__.update(class_margin=classes, cluster_margin=clusters, n=classes.n)
        return table

    def __reduce__(self) -> tuple[Any, tuple[Cells]]:
        """Copy and pickle by the cells, so that copies are as immutable."""
        return Contingency.from_cells, (self.cells,)

    # --- how it is made --------------------------------------------------------------------------

    @classmethod
    @takes_labels
    def from_labels(cls, truth: Any, pred: Any, **labels: Unpack[LabelOptions]) -> Self:
        """Count two labelings of the same objects: the same as ``Contingency(truth, pred)``.

        Parameters
        ----------
        truth, pred : labelings
            Classes and clusters: integers, booleans, strings, dates, categoricals or integer
            floats. By position: a list, an array or tensor (one on a GPU is counted there), a
            pandas, polars or pyarrow column, a fitted estimator with ``labels_``, an igraph
            clustering. By id: a mapping of ids to labels or of clusters to ids, an iterable of
            sets of ids, a DataFrame of two columns (ids, labels), a CDlib clustering. Two
            labelings with ids are joined in any order.
        **labels
            How labels are read: see `LabelOptions`.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.Contingency.from_labels([0, 0, 1, 1], [5, -1, 5, -1], noise="singletons").clusters
        (5, (-1, 1), (-1, 2))

        Objects that are known by id may come in any order:

        >>> truth = {"ann": "x", "bob": "x", "cid": "y"}
        >>> cb.Contingency.from_labels(truth, [{"bob", "ann"}, {"cid"}]).to_dense().tolist()
        [[2, 0], [0, 1]]
        >>> cb.Contingency.from_labels(truth, [{"bob"}, {"cid"}], unmatched="drop").coverage
        Coverage(objects=2, of_objects=3, clusters=2, of_clusters=2)
        """
        return cls(truth, pred, **labels)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        classes: Sequence[Any] | None = None,
        clusters: Sequence[Any] | None = None,
    ) -> Self:
        """Take counts that are ready: classes in rows, clusters in columns.

        Parameters
        ----------
        counts : 2-D array, nested lists, scipy sparse array, or pandas crosstab
            Non-negative numbers that add up to less than 2^63.
        classes, clusters : sequences of labels, optional
            Names of the rows and columns; by default those of a DataFrame, or 0, 1, 2, ...

        Examples
        --------
        >>> import clusterbits as cb
        >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]], classes=["cat", "dog"])
        >>> table.n, table.classes, table.class_sizes.tolist()
        (100, ('cat', 'dog'), [35, 65])
        """
        from clusterbits.reading.given_counts import read_counts

        return cls.from_cells(read_counts(counts, classes, clusters))

    @classmethod
    def from_pairs(cls, truth_pairs: Any, pred_pairs: Any, ids: Any = None) -> Self:
        """Count matches, as pairs of ids: classes and clusters are connected components.

        Parameters
        ----------
        truth_pairs, pred_pairs : pairs of ids
            True and predicted matches: a list of tuples, an array of shape (m, 2), a DataFrame
            with two columns, or a tuple of two columns. Repeated and reversed pairs change
            nothing. The smallest id of a component is the name of its class or cluster. An object
            in only one of the lists is a singleton in the other.
        ids : sequence or set of ids, mapping of ids to labels, or DataFrame, optional
            The ids of all objects; those in no pair are singletons. Without `ids` they are not
            counted: pair_precision and pair_recall stay the same, but measures that depend on the
            number of objects, such as q0 and rand, differ.

        Examples
        --------
        >>> import clusterbits as cb
        >>> truth, pred = [("a", "b"), ("b", "c")], [("a", "b"), ("d", "e")]
        >>> table = cb.Contingency.from_pairs(truth, pred, ids=["a", "b", "c", "d", "e", "f"])
        >>> table.classes, table.clusters
        (('a', 'd', 'e', 'f'), ('a', 'c', 'd', 'f'))
        >>> cb.pair_precision(table), cb.pair_recall(table)
        (0.5, 0.3333333333333333)
        """
        from clusterbits.reading.matched_pairs import count_matches

        return cls.from_cells(count_matches(truth_pairs, pred_pairs, ids))

    @classmethod
    @takes_labels
    def from_images(
        cls,
        truth: Any,
        pred: Any,
        ignore: Any = None,
        **labels: Unpack[ImageOptions],
    ) -> Self:
        """Count two label images of equal shape, voxel by voxel.

        Parameters
        ----------
        truth, pred : arrays of integers, booleans or integer floats, of any shape, or paths
            Label images: numpy arrays, memory-mapped ones, and those of h5py and zarr; or files,
            .npy, .npz, TIFF, PNG, HDF5 and Zarr ("volume.h5:labels" names an array). But for .npz,
            PNG and compressed TIFF, they are read a block at a time, so they may be larger than
            memory. Booleans are labels 0 and 1.
        ignore : label or collection of labels, optional
            Labels of `truth` whose voxels are excluded, such as 0 for the background.
        noise : None, "singletons" or "drop"
            What the label `noise_label` of `pred` means in the other voxels: a cluster like any
            other (None; scikit-image, CREMI's variation of information), singletons (the Rand
            error of SNEMI3D, CREMI and gala), or voxels to exclude (gala's variation of
            information).
        noise_label : label, default 0
            The background label of `pred`.

        Examples
        --------
        >>> import clusterbits as cb
        >>> truth, pred = [[0, 0, 1], [0, 2, 2]], [[7, 7, 7], [0, 9, 9]]
        >>> table = cb.Contingency.from_images(truth, pred, ignore=0)
        >>> table
        <Contingency: 3 objects, 2 classes × 2 clusters, 2 non-zero cells>
        >>> print(table.coverage)
        scored 3 of 6 objects (0.5) in 2 of 3 clusters
        >>> cb.Contingency.from_images([[1, 1, 2]], [[0, 0, 2]], noise="singletons").clusters
        (2, (0, 1), (0, 2))
        """
        from clusterbits.images.voxel_counting import count_images

        return cls.from_cells(count_images(truth, pred, ignore, **labels))

    @classmethod
    def expected(cls, p: ArrayLike, n: float) -> Self:
        """Make the table of expected counts n·p(c,k), as in the paper's experiments.

        Its pair counts are expectations over pairs, M·Σp², not pairs of fractional objects.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.rand(cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=500))
        0.68
        """
        from clusterbits.reading.given_counts import read_probabilities

        return cls.from_cells(read_probabilities(p, n))

    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str | None = ...,
        pred: str | None = ...,
        **labels: Unpack[LabelOptions],
    ) -> Self: ...
    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        pred: list[str] | tuple[str, ...],
        **labels: Unpack[LabelOptions],
    ) -> dict[str, Self]: ...
    @classmethod
    @takes_labels
    def from_frame(
        cls,
        frame: Any,
        truth: str | None = None,
        pred: str | Sequence[str] | None = None,
        **labels: Unpack[LabelOptions],
    ) -> Self | dict[str, Self]:
        """Count columns of a DataFrame by its engine, of an AnnData, or of a file.

        Lazy DataFrames (polars, DuckDB relations, Dask, Spark, Ibis) are counted by their engine:
        only the table comes back.

        Parameters
        ----------
        frame : DataFrame, path or AnnData
            Any DataFrame that narwhals knows; a file, as in `from_file`; or an AnnData, whose
            columns are those of ``obs``.
        truth : str, optional
            The column of classes. It and `pred` may be omitted if there are just two columns,
            classes first.
        pred : str or sequence of str, optional
            The column of clusters; or several, as a list of names and patterns such as ``["k*"]``,
            which are counted in one pass over the data if the engine can.
        **labels
            How labels are read: see `LabelOptions`. `weights` names a column.

        Returns
        -------
        Contingency, or dict of str to Contingency if `pred` is a list or a pattern

        Examples
        --------
        >>> import clusterbits as cb, pandas as pd
        >>> frame = pd.DataFrame({"species": ["cat", "cat", "dog"], "k2": [0, 0, 1], "k1": [0] * 3})
        >>> cb.Contingency.from_frame(frame, truth="species", pred="k2")
        <Contingency: 3 objects, 2 classes × 2 clusters, 2 non-zero cells>
        >>> tables = cb.Contingency.from_frame(frame, truth="species", pred=["k*"])
        >>> cb.evaluate(tables, measures=["q0", "ari"])
        k2 has the fewest bits (q0 0.8617).
        k2: 1.00 → 0.86 bits per object: 100 % of the maximum saving. Bits alone do not exclude
        chance.
        clustering  clusters      q0  adjusted_rand
        k2                 2  0.8617         1.0000
        k1                 1  1.5850         0.0000
        """
        from clusterbits.reading.arguments import count_each
        from clusterbits.reading.dataframes import frame_of
        from clusterbits.reading.request import Request

        tables = count_each(Request(frame_of(frame), truth, pred), labels)
        return cls._one_or_many(tables, pred)

    @overload
    @classmethod
    def from_file(
        cls,
        path: Paths,
        truth: str | None = ...,
        pred: str | None = ...,
        **options: Unpack[FileOptions],
    ) -> Self: ...
    @overload
    @classmethod
    def from_file(
        cls,
        path: Paths,
        truth: str | None,
        pred: list[str] | tuple[str, ...],
        **options: Unpack[FileOptions],
    ) -> dict[str, Self]: ...
    @classmethod
    @takes_labels
    def from_file(
        cls,
        path: Paths,
        truth: str | None = None,
        pred: str | Sequence[str] | None = None,
        **options: Unpack[FileOptions],
    ) -> Self | dict[str, Self]:
        """Count label columns of files, without loading their rows.

        Parameters
        ----------
        path : path, or sequence of paths
            CSV (any delimiter), Parquet or JSON lines; text may be gzip-compressed.
            AnnData (.h5ad): columns of ``obs``. A folder or a pattern such as
            ``"runs/*.parquet"`` means all its files. With `on`, two paths: the one with the
            classes first. With `sql`, a DuckDB or SQLite database.
        truth, pred : str, or list of str for `pred`, optional
            Columns, as in `from_frame`.
        on : str or sequence of str, optional
            Columns that identify an object in both of two files. A missing id is an error. Numbers
            are compared by value; if a side is text, as CSV is, ids are compared as written.
        sql : str, optional
            A query of the database; its result is counted like a file.
        delimiter : str, optional
            The delimiter of CSV columns if it is not a comma, semicolon, tab or pipe.
        encoding : str, optional
            Encoding of text that is not UTF-8, such as ``"latin-1"``, ``"cp1252"``, ``"utf-16"``.
        header : bool, default True
            Whether CSV files begin with a line of names. If not, columns go by number, from 1:
            ``truth="1", pred="2"``.
        memory_limit : str, optional
            Such as ``"2GB"``; what needs more is spilled to disk.
        spill : path, optional
            The folder to spill to; by default the system's temporary one.
        progress : bool or callable, optional
            By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.
        **options
            How labels are read: see `LabelOptions`. An empty field is a missing label, and
            `weights` names a column.

        Returns
        -------
        Contingency, or dict of str to Contingency if `pred` is a list or a pattern
        """
        from clusterbits.reading.arguments import count_each
        from clusterbits.reading.files.streams import requesting

        labels, reading = split_options(options)
        with requesting(path, truth, pred, **reading) as request:
            return cls._one_or_many(count_each(request, labels), pred)

    @classmethod
    def _one_or_many(cls, tables: dict[Any, Any], pred: Any) -> Self | dict[str, Self]:
        """Return the only table if `pred` names one column, else a dictionary."""
        single = pred is None or (not isinstance(pred, list | tuple) and pred in tables)
        return next(iter(tables.values())) if single else tables

    @classmethod
    @takes_labels
    def from_batches(
        cls,
        batches: Iterable[Any],
        truth: str | None = None,
        pred: str | None = None,
        **labels: Unpack[LabelOptions],
    ) -> Self:
        """Count data in batches: only the table and one batch are held in memory.

        Parameters
        ----------
        batches : iterable
            Pairs (truth, pred) of label sequences; DataFrames or record batches; or tables. They
            are added up as by ``+``.
        truth, pred : str, optional
            The columns of DataFrames.
        **labels
            How labels are read: see `LabelOptions`. `weights` names a column of DataFrames, or
            "balanced" balances the sum. Tables keep the classes they have.

        Examples
        --------
        >>> import clusterbits as cb
        >>> batches = ((["a", "b"], [day, day]) for day in range(3))
        >>> cb.Contingency.from_batches(batches)
        <Contingency: 6 objects, 2 classes × 3 clusters, 6 non-zero cells>
        """
        from clusterbits.reading.batches import count_batches

        return cls.from_cells(count_batches(batches, truth, pred, labels))

    # --- saved and added -------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a small ``.json`` file, for `load` and ``+``.

        The file is complete or not there. That of a `balanced` table has the counts it was made
        from.

        Examples
        --------
        >>> import clusterbits as cb, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for day in ("monday", "tuesday"):
        ...     cb.Contingency.from_labels(["a", "b"], [0, 1]).save(folder / f"{day}.json")
        >>> sum(cb.Contingency.load(path) for path in folder.glob("*.json"))
        <Contingency: 4 objects, 2 classes × 2 clusters, 2 non-zero cells>
        """
        from clusterbits.table.saving import save_cells

        save_cells(path, self.cells)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a table that `save` has written."""
        from clusterbits.table.saving import load_cells

        return cls.from_cells(load_cells(path))

    def __add__(self, other: Contingency) -> Contingency:
        """Merge partial counts: cells of the same class and cluster names are added.

        If one table has integers and the other text, integers become text: 1 and '1' are one
        label, as when CSV files are read. Noise singletons stay singletons. Coverages are added up.
        The sum of `balanced` tables is balanced anew, from the counts they were made from.
        """
        if not isinstance(other, Contingency):
            return NotImplemented
        return Contingency.from_cells(merge_cells([self.cells, other.cells]))

    def __radd__(self, other: object) -> Contingency:
        """Let ``sum(tables)`` start from 0."""
        return self if other == 0 else NotImplemented

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """Class names, in the order of the rows."""
        return tuple(self.cells.classes.tolist())

    @cached_property
    def clusters(self) -> tuple[Any, ...]:
        """Cluster names, in the order of the columns."""
        return tuple(self.cells.clusters.tolist())

    @property
    def weighted(self) -> bool:
        """Whether counts are sums of the weights of objects."""
        return self.cells.weighted

    @cached_property
    def unbalanced(self) -> Contingency | None:
        """The table that a balanced one was made from; None for other tables."""
        if not self.cells.balanced:
            return None
        return Contingency.from_cells(self.cells._replace(balanced=False))

    @cached_property
    def n(self) -> int | float:
        """The number of objects, or the sum of their weights."""
        return int(self.counts.sum()) if self.exact else math.fsum(self.counts.tolist())

    @cached_property
    def class_margin(self) -> Margin:
        """The sizes of the classes, with their entropy."""
        return Margin.of(self.rows, self.counts, self.shape[0], self.n)

    @cached_property
    def cluster_margin(self) -> Margin:
        """The sizes of the clusters, with their entropy."""
        return Margin.of(self.columns, self.counts, self.shape[1], self.n)

    @property
    def class_sizes(self) -> NDArray[Any]:
        """h(c), the objects in each class."""
        return self.class_margin.sizes

    @property
    def cluster_sizes(self) -> NDArray[Any]:
        """h(k), the objects in each cluster."""
        return self.cluster_margin.sizes

    @cached_property
    def uneven(self) -> str:
        """The reason why floating-point sums lose some of the weights, or "".

        Measures check it, because parts of a table may be uneven until they are added up.
        """
        if self.exact:
            return ""
        sides = self.class_sizes, self.cluster_sizes
        return next(filter(None, (describe_uneven(sizes, self.n) for sizes in sides)), "")

    @cached_property
    def too_light(self) -> str:
        """The reason why measures that depend on the scale of weights raise, or "".

        A unit of weight costs as much as an object, so perfect clusters save bits only if there is
        more than one unit per class.
        """
        n_classes = self.shape[0]
        if self.exact or not self.weighted or self.n > (1 + MIN_REST) * n_classes:
            return ""
        return (
            f"depends on the scale of weights, and these add up to {self.n:.3g} for "
            f"{counted(n_classes, 'class')}: more than one unit per class is needed. Scale them "
            "to the number of objects: weights * len(weights) / sum(weights)."
        )

    @cached_property
    def is_perfect(self) -> bool:
        """Whether classes and clusters are the same partition."""
        return len(self.counts) == self.shape[0] == self.shape[1]

    @cached_property
    def pairs(self) -> PairCounts:
        """The 2×2 table of pairs of objects, in integers; of non-integer counts, in fractions."""
        if self.exact:
            margins = self.class_margin.squares, self.cluster_margin.squares
            squares = sum_of_squares(self.counts), *margins
            together, same_class, same_cluster = ((square - self.n) // 2 for square in squares)
            return PairCounts.of(together, same_class, same_cluster, self.n * (self.n - 1) // 2)
        # Expectations over pairs: M Σp². If there is less than one pair, shares remain.
        cells, unit = as_integers(self.counts)
        classes = sum_by_code(self.rows, cells, self.shape[0])
        clusters = sum_by_code(self.columns, cells, self.shape[1])
        sum_of_cells = int(cells.sum())
        n = sum_of_cells * unit
        total = max(n * (n - 1) / 2, Fraction(1))
        scale = total / sum_of_cells**2
        together, same_class, same_cluster = (
            scale * sum_of_squares(counts) for counts in (cells, classes, clusters)
        )
        return PairCounts.of(together, same_class, same_cluster, total)

    # --- entropies, in bits per object -----------------------------------------------------------

    @property
    def class_entropy(self) -> float:
        """H(C), the bits that name an object's class."""
        return self.class_margin.entropy

    @property
    def cluster_entropy(self) -> float:
        """H(K), the bits that name an object's cluster."""
        return self.cluster_margin.entropy

    @cached_property
    def class_entropy_given_cluster(self) -> float:
        """H(C|K), equation (2): the bits that name an object's class once its cluster is known."""
        return mean_surprise(self.counts, self.cluster_sizes[self.columns], self.n)

    @cached_property
    def cluster_entropy_given_class(self) -> float:
        """H(K|C), the bits that name an object's cluster once its class is known."""
        return mean_surprise(self.counts, self.class_sizes[self.rows], self.n)

    @cached_property
    def mutual_information(self) -> float:
        """I(C;K), the mutual information of class and cluster.

        Written as n² I = Σ h(c)h(k) φ(x), x = n h(c,k)/(h(c)h(k)) - 1, over all cells: no term
        is negative, empty cells contribute h(c)h(k) each, and independent labels give exactly 0.
        """
        if 1 in self.shape:
            return 0.0
        n, counts = self.n, self.counts
        a, b = self.class_sizes[self.rows], self.cluster_sizes[self.columns]
        if self.exact and n > SQUARE_FITS:
            n, counts, a, b = int(n), counts.astype(object), a.astype(object), b.astype(object)
        product = a * b
        excess = (n * counts - product).astype(np.float64)
        empty = float(n * n - product.sum())
        product = product.astype(np.float64)
        total = float((product * relative_entropy_term(excess / product)).sum())
        return (total + max(empty, 0.0)) / float(n * n) * BITS_PER_NAT

    @property
    def expected_information(self) -> float:
        """E[I(C;K)], the mean over shuffled objects: see `expected_mutual_information`."""
        if self._balanced_chance:
            return self._balanced_chance.information
        sizes = distinct(self.class_sizes), distinct(self.cluster_sizes)
        return expected_information(self.n, *sizes)

    @cached_property
    def _balanced_chance(self) -> BalancedChance | None:
        if self.exact or self.unbalanced is None:
            return None
        return BalancedChance(self.unbalanced.class_margin, self.unbalanced.cluster_margin)

    # --- table bits per object -------------------------------------------------------------------

    def expected_table_bits(self, n_classes: int | None = None) -> float:
        """Return the mean table bits over random permutations of the objects."""
        if self._balanced_chance:
            return self._balanced_chance.table_bits(number_of_classes(n_classes, self.shape[0]))
        return super().expected_table_bits(n_classes)

    def singleton_bits(self, n_classes: int | None = None) -> float:
        """Return the table bits per object of singletons: log2 of the number of classes."""
        if self._balanced_chance:
            return self._balanced_chance.singleton_bits(number_of_classes(n_classes, self.shape[0]))
        return super().singleton_bits(n_classes)

    # --- other forms -----------------------------------------------------------------------------

    def with_counts(self, counts: NDArray[Any]) -> Contingency:
        """Return a table with other counts in the same cells.

        A balanced table is balanced anew, as its weights depend on the class sizes.
        """
        return Contingency.from_cells(
            self.cells._replace(counts=counts, canonical=bool(counts.all()))
        )

    def balanced(self) -> Self:
        """Return the table with class-balanced weights: counts h(c,k) n / (m h(c)), m classes.

        Its pair counts are expectations, as of `expected`. So its `adjusted_rand` is the balanced
        one of Maan et al. (2024, doi:10.1038/s41587-023-02097-9), but for terms of order 1/n: they
        truncate counts to integers. Random clusters score a little above 0 by it, up to about
        1/h(c) of the smallest class. `adjusted_mutual_information` and `q2_adjusted` take chance
        from shuffled objects, each with its weight. Measures that count links or arrangements of
        objects are not defined for it.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.Contingency.from_counts([[80, 10], [0, 10]]).balanced().to_dense().round(2)
        array([[44.44,  5.56],
               [ 0.  , 50.  ]])
        """
        return self.from_cells(self.cells._replace(balanced=True))

    def transpose(self) -> Contingency:
        """Return the table with classes and clusters exchanged."""
        return Contingency.from_cells(
            Cells(
                self.cells.clusters,
                self.cells.classes,
                self.columns,
                self.rows,
                self.counts,
                weighted=self.weighted,
            )
        )

    def to_dense(self) -> NDArray[Any]:
        """Return the full classes × clusters array."""
        height, width = self.shape
        check_memory(
            height * width * self.counts.itemsize, f"a dense copy of {height:,} × {width:,} cells"
        )
        dense = np.zeros(self.shape, dtype=self.counts.dtype)
        dense[self.rows, self.columns] = self.counts
        return dense

    def to_frame(self) -> Any:
        """Return one row per non-zero cell, as a pandas or polars DataFrame."""
        return to_frame(
            {
                "class": self.cells.classes[self.rows].tolist(),
                "cluster": self.cells.clusters[self.columns].tolist(),
                "count": self.counts.tolist(),
            }
        )

    def __eq__(self, other: object) -> bool:
        """Equal tables have the same counts for the same names, in any order."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return same_cells(self.cells, other.cells)

    __hash__ = None  # type: ignore[assignment]  # equality ignores order, which no cheap hash does

    @property
    def description(self) -> str:
        """One line: size and shape."""
        objects = self if self.unbalanced is None else self.unbalanced
        n = counted(objects.n, "object") if objects.exact else f"{objects.n:,.6g} objects"
        if self.cells.balanced:
            n += " (class-balanced)"
        elif not self.exact:
            n += " (real-valued)"
        classes, clusters = counted(self.shape[0], "class"), counted(self.shape[1], "cluster")
        cells = counted(len(self.counts), "non-zero cell")
        return f"{n}, {classes} × {clusters}, {cells}"

    def __repr__(self) -> str:
        """Return one line: size and shape."""
        return f"<Contingency: {self.description}>"

    def _repr_html_(self) -> str:
        """Return the largest clusters as an HTML table."""
        from clusterbits.table.excerpt import table_html

        return table_html(self)


def as_table(truth: Any, pred: Any, labels: LabelOptions) -> Contingency:
    """Return the table itself, or count two labelings."""
    if not isinstance(truth, Contingency):
        if pred is None:
            raise MeasureError("pred is missing: pass truth and pred, or one Contingency.")
        return Contingency(truth, pred, **labels)
    if pred is not None:
        raise MeasureError(
            "a Contingency already contains pred: pass it as the only argument, without labels."
        )
    if options := given_options(labels):
        raise MeasureError(
            f"{', '.join(options)} cannot be used with a Contingency: a table has no labels."
        )
    return truth


def as_tables_beyond(
    truth: Any, pred: Any, beyond: Any, labels: LabelOptions
) -> tuple[Contingency, Contingency]:
    """Return the table of the intersections of `pred` and `beyond`, and that of `beyond`.

    Both are of the objects that count in all three labelings.
    """
    from clusterbits.labels.settle import settle
    from clusterbits.reading.memory import tally_labels

    if pred is None or isinstance(truth, Contingency):
        raise MeasureError(
            "beyond needs the labels of the same objects three times, and a table has none: pass "
            "evidence(truth, pred, beyond=other)."
        )
    if labels.get("weights") is not None:
        raise MeasureError(
            "beyond takes no weights: it is about objects, each of which counts once. Leave "
            "weights out."
        )
    options = LabelPolicy(**labels)
    tally = tally_labels({"truth": truth, "pred": pred, "beyond": beyond}, options)
    rows = settle(tally, options).counted()
    classes, clusters, beyond_codes = (labels.codes for labels in rows.labelings)
    row_labels, class_codes = factorize_integers(classes)

    def count(column_labels: NDArray[Any]) -> Contingency:
        columns, codes = factorize_integers(column_labels)
        return Contingency.from_cells(Cells(class_codes, codes, row_labels, columns, rows.counts))

    intersections = pair_codes(factorize_integers(beyond_codes)[0], clusters)
    return count(intersections), count(beyond_codes)
