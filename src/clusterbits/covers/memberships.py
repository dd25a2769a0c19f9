"""Memberships: how far each object belongs to each cluster, sparse and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.membership_forms import Matrix, read_clusters, read_label_sets, read_matrix
from clusterbits.errors import LabelError, NothingToCountError, check_flag
from clusterbits.labels.labeling import Ids, Labels, positions
from clusterbits.reading.ids import name_repeated, read_ids, read_names
from clusterbits.reading.type_checks import to_list
from clusterbits.system.immutable import Immutable, read_only
from clusterbits.system.limits import check_memory
from clusterbits.table.numbering import factorize_integers
from clusterbits.text.tables import counted, html_table, short, to_frame

# Rows may miss 1 by this much: posteriors in single precision do.
_ROUNDING = 1e-5
# Rows that miss 1 by less stay as they are, so that what was normalised once keeps its digits.
_NORMALIZED = 1e-12
# Clusters that a notebook shows.
_SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Memberships(Immutable):
    """How far each object belongs to each cluster: rows of degrees that sum to 1.

    For clusterings that are not partitions: soft ones, such as the posteriors of a mixture model,
    and overlapping ones, in which an object in several clusters belongs to each of them equally.

    Parameters
    ----------
    matrix : 2-D array, scipy sparse array, or frame of pandas or polars
        Objects in rows, clusters in columns, no degree below 0, at least one above 0 in each row.
        The columns of a frame name the clusters; the index of a pandas frame names the objects.
    normalize : bool, default False
        Divide each row by its sum. Without it, a row whose sum is not 1 is refused.
    ids : sequence of ids, optional
        The ids of the objects, one for each row: measures join on them, whatever the order.
    clusters : sequence of names, optional
        The names of the columns; by default a frame's own, or 0, 1, 2, ...

    Attributes
    ----------
    starts, columns, degrees : ndarray
        The degrees above 0, row by row: those of object i are ``degrees[starts[i]:starts[i + 1]]``,
        in the clusters at the same places of ``columns``.
    clusters : tuple
        The names of the clusters. Columns without any object are left out.
    ids : Ids or None
        The ids of the objects; None where they are known by position.

    Examples
    --------
    >>> import clusterbits as cb
    >>> soft = cb.covers.Memberships([[0.9, 0.1], [0.5, 0.5], [0, 1]])
    >>> soft
    <Memberships: 3 objects, 2 clusters, 5 degrees above 0; soft>
    >>> soft.sizes.tolist()
    [1.4, 1.6]
    >>> cb.covers.Memberships([[1, 1], [1, 0]])
    Traceback (most recent call last):
    clusterbits.errors.LabelError: row 0 sums to 2, and degrees of membership sum to 1: pass ...
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    degrees: NDArray[np.float64]
    clusters: tuple[Any, ...]
    ids: Ids | None

    def __init__(
        self,
        matrix: Any,
        *,
        normalize: bool = False,
        ids: Any = None,
        clusters: Sequence[Any] | None = None,
    ) -> None:
        check_flag("normalize", normalize)
        rows, names, own_ids = read_matrix(matrix)
        names = names if clusters is None else read_names(clusters, "clusters", "column")
        if len(names) != rows.shape[1] or len(set(names)) < len(names):
            raise LabelError(
                f"{counted(rows.shape[1], 'column')} and the names {short(repr(names))}: each has "
                "one of its own. Pass clusters=names."
            )
        _normalize(rows, normalize)
        columns, present = factorize_integers(rows.indices)
        if ids is None:
            ids = own_ids
        elif not isinstance(ids, Ids):
            ids = Ids(tuple(read_names(ids, "ids", "row")))
        self.__dict__.update(
            starts=rows.indptr.astype(np.int64),
            columns=columns.astype(np.int64),
            degrees=rows.data,
            clusters=tuple(names[column] for column in present.tolist()),
            ids=ids,
        )
        self.__post_init__()
        if ids is not None and len(read_ids(ids, "memberships")) != len(self):
            raise LabelError(
                f"{counted(len(self), 'row')} and {counted(len(ids.values), 'id')}: each row has "
                "one id."
            )
        if self.objects.has_explicit_ids and (twice := name_repeated(ids, "memberships")):
            raise LabelError(f"the id {twice} stands for several rows: each object has one row.")

    @classmethod
    def of_matrix(cls, matrix: Matrix, ids: Any = None) -> Self:
        """Return memberships of what was read already; rows are divided by their sums."""
        ids = matrix.ids if ids is None else ids
        return cls(matrix.rows, normalize=True, ids=ids, clusters=matrix.clusters)

    @classmethod
    def from_clusters(cls, clusters: Any) -> Self:
        """Read clusters that may overlap; each object belongs equally to all of its clusters.

        Parameters
        ----------
        clusters : clusters of ids, or a labeling
            An iterable of sets or lists of ids, a mapping of cluster names to ids, a CDlib
            clustering, an igraph ``VertexCover``, a frame of two columns (ids, clusters) in which
            an id may stand several times; and every labeling that `Contingency.from_labels` takes.

        Examples
        --------
        >>> import clusterbits as cb
        >>> clusters = {"red": ["ann", "bob"], "blue": ["bob", "cid"]}
        >>> cover = cb.covers.Memberships.from_clusters(clusters)
        >>> cover
        <Memberships: 3 objects, 2 clusters, 4 degrees above 0; overlapping>
        >>> cover.to_dense().tolist()
        [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
        """
        return cls.of_matrix(read_clusters(clusters, "clusters"))

    @classmethod
    def from_label_sets(cls, label_sets: Any, ids: Any = None) -> Self:
        """Read the set of clusters of each object, to all of which it belongs equally.

        Parameters
        ----------
        label_sets : iterable of sets, or mapping of ids to sets
            For each object the names of its clusters, at least one.
        ids : sequence of ids, optional
            The ids of the objects, where `label_sets` is not a mapping.

        Examples
        --------
        >>> import clusterbits as cb
        >>> labels = [{"red"}, {"red", "blue"}, {"blue"}]
        >>> cb.covers.Memberships.from_label_sets(labels).to_dense().tolist()
        [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
        """
        return cls.of_matrix(read_label_sets(label_sets), ids)

    @classmethod
    def from_estimator(cls, estimator: Any, data: Any) -> Self:
        """Ask a fitted mixture model, by its ``predict_proba``, for the posteriors of data.

        Examples
        --------
        >>> import clusterbits as cb
        >>> class Unsure:
        ...     def predict_proba(self, data):
        ...         return [[0.7, 0.3] for _ in data]
        >>> cb.covers.Memberships.from_estimator(Unsure(), [[1.0], [2.0]])
        <Memberships: 2 objects, 2 clusters, 4 degrees above 0; soft>
        """
        return cls(estimator.predict_proba(data))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of objects and of clusters."""
        return len(self), len(self.clusters)

    @property
    def objects(self) -> Labels:
        """The objects as labels that can be joined: their rows, with their ids."""
        return positions(len(self), self.ids)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many clusters each object belongs to."""
        return read_only(np.diff(self.starts))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The object of each degree above 0."""
        return read_only(np.repeat(np.arange(len(self)), self.counts))

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """The degrees of each cluster added up: the expected number of its objects."""
        sums = np.bincount(self.columns, weights=self.degrees)
        return read_only(sums.astype(np.float64, copy=False))

    @cached_property
    def is_hard(self) -> bool:
        """Whether each object is in one cluster: a partition."""
        return len(self.columns) == len(self)

    @cached_property
    def is_cover(self) -> bool:
        """Whether each object belongs equally to all of its clusters: sets, without degrees."""
        return bool((self.degrees == (1 / self.counts)[self.rows]).all())

    def hardened(self) -> Any:
        """Return each object's cluster of the highest degree, the first of several.

        A mapping of ids to names where the objects have ids, else an array of names: what measures
        of partitions take.
        """
        names = np.empty(len(self.clusters), dtype=object)
        names[:] = self.clusters
        labels = names[self.top_columns]
        if self.ids is None or self.ids.implicit:
            return labels
        return dict(zip(to_list(self.ids.values), labels.tolist(), strict=True))

    @cached_property
    def top_columns(self) -> NDArray[np.int64]:
        """The column of each object's highest degree, the first of several."""
        highest = np.maximum.reduceat(self.degrees, self.starts[:-1])
        is_top = np.flatnonzero(self.degrees == highest[self.rows])
        first = is_top[np.searchsorted(is_top, self.starts[:-1])]
        return read_only(self.columns[first])

    def subset(self, objects: NDArray[np.int64]) -> Memberships:
        """Return some objects, by position; those at -1 share a cluster named None."""
        from scipy.sparse import block_diag

        if np.array_equal(objects, np.arange(len(self))):
            return self
        rows, clusters = self.to_sparse(), self.clusters
        if (objects < 0).any():  # the last row is theirs
            rows, clusters = block_diag([rows, [[1.0]]], format="csr"), (*clusters, None)
        return Memberships(rows[objects], clusters=clusters)

    def to_sparse(self) -> Any:
        """Return the objects × clusters matrix as a scipy ``csr_array``."""
        from scipy.sparse import csr_array

        return csr_array((self.degrees, self.columns, self.starts), shape=self.shape, copy=True)

    @cached_property
    def indicator(self) -> Any:
        """The same matrix with 1 for each degree above 0: which object is in which cluster."""
        from scipy.sparse import csr_array

        ones = np.ones(len(self.columns), dtype=np.int64)
        return csr_array((ones, self.columns, self.starts), shape=self.shape)

    def to_dense(self) -> NDArray[np.float64]:
        """Return the objects × clusters matrix as an array."""
        height, width = self.shape
        check_memory(8 * height * width, f"a dense copy of {height:,} × {width:,} degrees")
        dense = np.zeros(self.shape)
        dense[self.rows, self.columns] = self.degrees
        return dense

    def to_frame(self) -> Any:
        """Return one row for each degree above 0, as a pandas or polars frame."""
        ids = range(len(self)) if self.ids is None else to_list(self.ids.values)
        return to_frame(
            {
                "object": [ids[row] for row in self.rows.tolist()],
                "cluster": [self.clusters[column] for column in self.columns.tolist()],
                "degree": self.degrees.tolist(),
            }
        )

    @property
    def description(self) -> str:
        """One line: size, shape and kind."""
        kind = "hard" if self.is_hard else "overlapping" if self.is_cover else "soft"
        objects, clusters = counted(len(self), "object"), counted(len(self.clusters), "cluster")
        many = counted(len(self.degrees), "degree")
        return f"{objects}, {clusters}, {many} above 0; {kind}"

    def __repr__(self) -> str:
        """Return one line: size, shape and kind."""
        return f"<Memberships: {self.description}>"

    def _repr_html_(self) -> str:
        """Return the same for notebooks, with the largest clusters."""
        objects = np.bincount(self.columns)
        rows = [
            {"cluster": self.clusters[k], "objects": int(objects[k]), "size": float(self.sizes[k])}
            for k in np.argsort(-self.sizes, kind="stable")[:_SHOWN].tolist()
        ]
        return f"<p>{self.description}</p>{html_table(rows, mark_best=False)}"

    def __eq__(self, other: object) -> bool:
        """Whether the other has the same objects in the same order, with the same degrees."""
        if not isinstance(other, Memberships):
            return NotImplemented
        return self._comparable == other._comparable

    @property
    def _comparable(self) -> tuple[Any, ...]:
        ids = None if self.ids is None else (to_list(self.ids.values), self.ids.implicit)
        arrays = self.starts, self.columns, self.degrees
        return (*(array.tolist() for array in arrays), self.clusters, ids)

    __hash__ = None  # type: ignore[assignment]  # as that of tables

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the matrix and the names."""
        return partial(type(self), ids=self.ids, clusters=self.clusters), (self.to_sparse(),)


def _normalize(rows: Any, normalize: bool) -> None:
    """Divide each row by its sum; refuse sums other than 1 unless told to, and empty rows."""
    n, counts = rows.shape[0], np.diff(rows.indptr)
    if n == 0:
        raise NothingToCountError("the memberships are empty: at least one object is needed.")
    without = np.flatnonzero(counts == 0)
    if len(without):
        raise LabelError(
            f"{counted(len(without), 'object')} of {n:,} {'is' if len(without) == 1 else 'are'} in "
            f"no cluster, the first in row {without[0]}: give each at least one, such as one of "
            "its own. Or pass clusters of ids to from_clusters(), and unmatched='drop' or 'class' "
            "to the measure."
        )
    first = rows.indptr[:-1]
    highest = np.maximum.reduceat(rows.data, first)
    # As shares of the highest, so that no sum overflows, and equal degrees are 1 over their number.
    shares = rows.data / np.repeat(highest, counts)
    sums = np.add.reduceat(shares, first)
    with np.errstate(over="ignore"):
        totals = sums * highest
    apart = np.abs(totals - 1)
    wrong = np.flatnonzero(apart > _ROUNDING)
    if len(wrong) and not normalize:
        row = int(wrong[0])
        others = f" ({len(wrong):,} rows do not sum to 1.)" if len(wrong) > 1 else ""
        raise LabelError(
            f"row {row} sums to {short(f'{totals[row]:.6g}')}, and degrees of "
            "membership sum to 1: pass Memberships(matrix, normalize=True) to divide each row by "
            f"its sum.{others}"
        )
    keep = np.repeat((apart < _NORMALIZED) & (sums < counts), counts)
    rows.data = np.where(keep, rows.data, shares / np.repeat(sums, counts))
    rows.data[rows.data < np.finfo(np.float64).tiny] = 0  # less has no full precision
    rows.eliminate_zeros()
