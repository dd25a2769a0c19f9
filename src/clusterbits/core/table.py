"""The contingency table: how many objects of each class fell into each cluster.

Rows are classes, columns are clusters, everywhere in this library. h(c,k) counts the objects of
class c in cluster k; h(c) and h(k) are its margins and n its total (section 3 of the paper).
Every measure is a function of this one value, so it is counted once, kept sparse and exact, and
merged with ``+`` where the objects come in pieces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.addition import merge_cells, same_cells
from clusterbits.core.cells import Cells, Coverage
from clusterbits.core.column_constructors import ColumnConstructors
from clusterbits.core.combinatorics import (
    BITS_PER_NAT,
    SQUARE_FITS,
    relative_entropy_term,
    sum_of_squares,
)
from clusterbits.core.excerpt import Excerpt, excerpt_of
from clusterbits.core.margins import Margin, mean_surprise
from clusterbits.display.heatmap import SHOWN, heatmap_html
from clusterbits.display.tables import counted, to_frame
from clusterbits.errors import TableError
from clusterbits.limits import check_memory


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
class Contingency(ColumnConstructors):
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
        were counted, and of how many. None where nothing was left out.
    unbalanced : Contingency or None
        Of a table that is `balanced`: the one it was made from, which has the objects to resample.

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

    cells: Cells = None  # type: ignore[assignment]  # refused in words
    unbalanced: Contingency | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.cells, Cells):
            raise TableError(
                "make a table with Contingency.from_labels(truth, pred), from_counts(counts), "
                "from_frame(frame) or from_file(path)."
            )
        cells = self.cells.in_canonical_form()
        for array in (cells.classes, cells.clusters, cells.rows, cells.columns, cells.counts):
            array.setflags(write=False)
        object.__setattr__(self, "cells", cells)

    @classmethod
    def with_margins(cls, cells: Cells, classes: Margin, clusters: Margin) -> Self:
        """Return the table of canonical cells whose margins are known, without adding them up."""
        table = cls(cells)
        table.__dict__.update(class_margin=classes, cluster_margin=clusters, n=classes.n)
        return table

    def __reduce__(self) -> tuple[type[Contingency], tuple[Cells, Contingency | None]]:
        """Copy and pickle by the cells, so that copies are as immutable."""
        return Contingency, (self.cells, self.unbalanced)

    @property
    def rows(self) -> NDArray[np.intp]:
        """The row of each non-zero cell: a position in `classes`."""
        return self.cells.rows

    @property
    def columns(self) -> NDArray[np.intp]:
        """The column of each non-zero cell: a position in `clusters`."""
        return self.cells.columns

    @property
    def counts(self) -> NDArray[Any]:
        """The count of each non-zero cell."""
        return self.cells.counts

    @property
    def class_names(self) -> NDArray[Any]:
        """Class names as an array."""
        return self.cells.classes

    @property
    def cluster_names(self) -> NDArray[Any]:
        """Cluster names as an array."""
        return self.cells.clusters

    @property
    def coverage(self) -> Coverage | None:
        """How much of the data was counted; None where nothing was left out."""
        return self.cells.coverage

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

        save_cells(path, self.cells)

    def __add__(self, other: Contingency) -> Contingency:
        """Merge partial counts: cells of the same class and cluster names are added.

        Where there are integers and text, integers become text: 1 and '1' of different tables are
        one label, as when CSV files are read. Booleans and other numbers are not added. Noise
        singletons stay singletons. Coverages are added up.
        """
        if not isinstance(other, Contingency):
            return NotImplemented
        return Contingency(merge_cells([self.cells, other.cells]))

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
    def class_margin(self) -> Margin:
        """The sizes of the classes, with what follows from them alone."""
        return Margin.of(self.rows, self.counts, self.shape[0], self.n)

    @cached_property
    def cluster_margin(self) -> Margin:
        """The sizes of the clusters, with what follows from them alone."""
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
    def is_perfect(self) -> bool:
        """Whether classes and clusters are the same partition."""
        return len(self.counts) == self.shape[0] == self.shape[1]

    @cached_property
    def pairs(self) -> PairCounts:
        """The 2×2 table of pairs of objects, in exact integers (or expectations)."""
        n, of_cells = self.n, sum_of_squares(self.counts)
        squares = of_cells, self.class_margin.squares, self.cluster_margin.squares
        if self.exact:
            both, same_class, same_cluster = ((square - n) // 2 for square in squares)
            total = n * (n - 1) // 2
        else:
            # Expectations over pairs: M Σp². Up to one object there is no pair; shares remain.
            total = n * (n - 1) / 2 if n > 1 else 1.0
            both, same_class, same_cluster = (total * (square / n**2) for square in squares)
        only_cluster = same_cluster - both
        apart = total - same_class - only_cluster  # exactly 0 for one class, and for one cluster
        return PairCounts(both, same_class - both, only_cluster, apart)

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
        """I(C;K), the bits a cluster label tells about the class.

        Written as n² I = Σ h(c)h(k) φ(x), x = n h(c,k)/(h(c)h(k)) - 1, over all cells: no term
        is negative, empty cells contribute h(c)h(k) each, and independent labels give exactly 0.
        """
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

    # --- other forms -----------------------------------------------------------------------------

    def with_counts(self, counts: NDArray[Any]) -> Contingency:
        """Return a table with other counts in the same cells, empty ones left out.

        Those of a balanced table are balanced anew: its weights depend on the class sizes.
        """
        if self.unbalanced is not None:
            return self.unbalanced.with_counts(counts).balanced()
        return Contingency(self.cells._replace(counts=counts, canonical=bool(counts.all())))

    def balanced(self) -> Self:
        """Return the table in which every class counts the same: h(c,k) n / (m h(c)), m classes.

        Its counts are real-valued, unless all classes have the same size already, and its pair
        counts are expectations, as of `expected`. So `adjusted_rand` of it is the balanced one of
        Maan et al. (2024, doi:10.1038/s41587-023-02097-9), but for terms of order 1/n: they cut
        counts to whole numbers. Random clusters score a little above 0 by it, up to about 1/h(c) of
        the smallest class. Measures that count arrangements of whole objects, such as
        `adjusted_mutual_information`, are not defined for it.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.Contingency.from_counts([[80, 10], [0, 10]]).balanced().to_dense().round(2)
        array([[44.44,  5.56],
               [ 0.  , 50.  ]])
        """
        first = self if self.unbalanced is None else self.unbalanced
        return type(self)(self.cells.with_equal_classes(), first)

    def transpose(self) -> Contingency:
        """Return the table with classes and clusters exchanged."""
        return Contingency(
            Cells(self.cluster_names, self.class_names, self.columns, self.rows, self.counts)
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

    def excerpt(self, classes: int, clusters: int) -> Excerpt:
        """Return the largest clusters and the classes they hold most of, at most so many.

        >>> import clusterbits as cb
        >>> cb.Contingency.from_counts([[0, 9, 1], [20, 0, 2]]).excerpt(5, 5).counts.tolist()
        [[20, 2, 0], [0, 1, 9]]
        """
        return excerpt_of(self, classes, clusters)

    def plot(self, ax: Any = None) -> Any:
        """Draw the counts as a heat map, and return the axes.

        The stronger the colour, the larger the share of the cluster. Of large tables the largest
        clusters are drawn.

        >>> import clusterbits as cb
        >>> cb.Contingency.from_counts([[9, 1], [2, 8]]).plot().get_xlabel()
        'cluster'
        """
        from clusterbits.display.plots import MOST

        return self.excerpt(MOST, MOST).plot(ax)

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
        return same_cells(self.cells, other.cells)

    __hash__ = None  # type: ignore[assignment]  # equality ignores order, which no cheap hash does

    @property
    def description(self) -> str:
        """One line: size and shape."""
        n = counted(self.n, "object") if self.exact else f"{self.n:,.6g} objects (real-valued)"
        classes, clusters = counted(self.shape[0], "class"), counted(self.shape[1], "cluster")
        cells = counted(len(self.counts), "non-zero cell")
        return f"{n}, {classes} × {clusters}, {cells}"

    def __repr__(self) -> str:
        """Return one line: size and shape."""
        return f"<Contingency: {self.description}>"

    def _repr_html_(self) -> str:
        """Return a small heatmap for notebooks: the largest clusters of a large table."""
        excerpt = self.excerpt(SHOWN, SHOWN)
        cut = f"; {excerpt.caption}" if excerpt.counts.shape != self.shape else ""
        coverage = "" if self.coverage is None else f"; {self.coverage}"
        return heatmap_html(excerpt, f"{self.description}{coverage}{cut}")
