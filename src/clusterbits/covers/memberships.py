"""Memberships: how far each object belongs to each cluster, sparse and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.membership_forms import read_clusters, read_label_sets, read_matrix
from clusterbits.errors import LabelError, NothingToCountError, check_flag
from clusterbits.labels.labeling import Ids, Labels, positions
from clusterbits.labels.options import JoinOptions, LabelPolicy
from clusterbits.reading.ids import name_repeated, read_ids, read_names
from clusterbits.reading.memory import join_positions
from clusterbits.reading.type_checks import shape_of, to_list
from clusterbits.system.immutable import Immutable, read_only
from clusterbits.system.limits import check_memory
from clusterbits.table.contingency import Contingency
from clusterbits.table.numbering import factorize_integers, pair_codes
from clusterbits.text.tables import counted, short

# Sums of rows may differ from 1 by this much: posteriors in single precision do.
_ROUNDING = 1e-5
# Rows whose sums differ from 1 by less stay as they are, so that normalizing twice changes nothing.
_NORMALIZED = 1e-12


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Memberships(Immutable):
    """How far each object belongs to each cluster: rows of degrees that sum to 1.

    For clusterings that are not partitions: soft ones, such as ``model.predict_proba(data)`` of a
    mixture model, and overlapping ones, in which an object belongs equally to all its clusters.

    Parameters
    ----------
    matrix : 2-D array, scipy sparse array, or DataFrame of pandas or polars
        Objects in rows, clusters in columns, no degree below 0, at least one above 0 in each row.
        The columns of a DataFrame name the clusters; the index of pandas names the objects.
    normalize : bool, default False
        Divide each row by its sum. Without it, a row whose sum is not 1 is an error.
    ids : sequence of ids, optional
        The ids of the objects, one per row: measures join on them, whatever the order.
    clusters : sequence of names, optional
        The names of the columns; by default those of the DataFrame, or 0, 1, 2, ...

    Attributes
    ----------
    starts, columns, degrees : ndarray
        The degrees above 0, as in a ``csr_array``: those of object i have the indices
        ``starts[i]:starts[i + 1]``.
    clusters : tuple
        The names of the clusters that have an object.
    ids : Ids or None
        The ids of the objects; None if they are identified by position.

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
        if self.objects.has_explicit_ids and (duplicate := name_repeated(ids, "memberships")):
            raise LabelError(f"the id {duplicate} stands for several rows: each object has one.")

    @classmethod
    def from_clusters(cls, clusters: Any) -> Self:
        """Read clusters that may overlap; each object belongs equally to all of its clusters.

        Parameters
        ----------
        clusters : clusters of ids, or a labeling
            An iterable of sets or lists of ids, a mapping of cluster names to ids, a CDlib
            clustering, an igraph ``VertexCover``, a DataFrame of two columns (ids, clusters) in
            which ids may repeat; and every labeling that `Contingency.from_labels` takes.

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
        rows, names, ids = read_clusters(clusters, "clusters")
        return cls(rows, normalize=True, ids=ids, clusters=names)

    @classmethod
    def from_label_sets(cls, label_sets: Any, ids: Any = None) -> Self:
        """Read the set of clusters of each object, to all of which it belongs equally.

        Parameters
        ----------
        label_sets : iterable of sets, or mapping of ids to sets
            The names of the clusters of each object, at least one.
        ids : sequence of ids, optional
            The ids of the objects, if `label_sets` is not a mapping.

        Examples
        --------
        >>> import clusterbits as cb
        >>> labels = [{"red"}, {"red", "blue"}, {"blue"}]
        >>> cb.covers.Memberships.from_label_sets(labels).to_dense().tolist()
        [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
        """
        rows, names, own_ids = read_label_sets(label_sets)
        return cls(rows, normalize=True, ids=own_ids if ids is None else ids, clusters=names)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of objects and of clusters."""
        return len(self), len(self.clusters)

    @property
    def objects(self) -> Labels:
        """The rows as labels that can be joined on the ids."""
        return positions(len(self), self.ids)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of clusters of each object."""
        return read_only(np.diff(self.starts))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The object of each degree above 0."""
        return read_only(np.repeat(np.arange(len(self)), self.counts))

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """The sum of the degrees of each cluster: the expected number of its objects."""
        return read_only(np.bincount(self.columns, weights=self.degrees).astype(np.float64))

    @cached_property
    def is_hard(self) -> bool:
        """Whether each object is in one cluster: a partition."""
        return len(self.columns) == len(self)

    @cached_property
    def is_cover(self) -> bool:
        """Whether each object belongs equally to all of its clusters: sets, without degrees."""
        return bool((self.degrees == (1 / self.counts)[self.rows]).all())

    @cached_property
    def row_codes(self) -> NDArray[np.int64]:
        """A code for each object: equal codes for equal memberships, in order of contents."""
        codes = factorize_integers(self.counts)[0].copy()
        levels = np.unique(self.degrees, return_inverse=True)[1]
        entries = self.columns * (int(levels.max()) + 1) + levels
        objects = np.arange(len(codes))
        for index in range(int(self.counts.max())):
            # Objects in more clusters have higher codes, so only the last codes are divided.
            objects = objects[self.counts[objects] > index]
            first_code = int(codes[objects].min())
            divided = pair_codes(codes[objects] - first_code, entries[self.starts[objects] + index])
            codes[objects] = first_code + divided
            if int(divided.max()) + 1 == len(objects):  # all differ already
                break
        return read_only(codes)

    @cached_property
    def top_columns(self) -> NDArray[np.int64]:
        """The column of the highest degree of each object, the first of several."""
        highest = np.maximum.reduceat(self.degrees, self.starts[:-1])
        is_top = np.flatnonzero(self.degrees == highest[self.rows])
        first = is_top[np.searchsorted(is_top, self.starts[:-1])]
        return read_only(self.columns[first])

    def subset(self, objects: NDArray[np.int64]) -> Memberships:
        """Return the objects at these positions; those at -1 share a cluster named None."""
        from scipy.sparse import block_diag

        if np.array_equal(objects, np.arange(len(self))):
            return self
        rows, clusters = self.to_sparse(), self.clusters
        if (objects < 0).any():  # -1 selects the last row
            rows, clusters = block_diag([rows, [[1.0]]], format="csr"), (*clusters, None)
        return Memberships(rows[objects], clusters=clusters)

    def to_sparse(self) -> Any:
        """Return the objects × clusters matrix as a scipy ``csr_array``."""
        from scipy.sparse import csr_array

        return csr_array((self.degrees, self.columns, self.starts), shape=self.shape, copy=True)

    @cached_property
    def indicator(self) -> Any:
        """The objects × clusters matrix with 1 for each degree above 0."""
        return (self.to_sparse() > 0).astype(np.int64)

    def to_dense(self) -> NDArray[np.float64]:
        """Return the objects × clusters matrix as an array."""
        height, width = self.shape
        check_memory(8 * height * width, f"a dense copy of {height:,} × {width:,} degrees")
        return np.asarray(self.to_sparse().toarray())

    def __repr__(self) -> str:
        """Return one line: numbers of objects, clusters and degrees, and the kind."""
        kind = "hard" if self.is_hard else "overlapping" if self.is_cover else "soft"
        objects, clusters = counted(len(self), "object"), counted(len(self.clusters), "cluster")
        degrees = counted(len(self.degrees), "degree")
        return f"<Memberships: {objects}, {clusters}, {degrees} above 0; {kind}>"

    def __eq__(self, other: object) -> bool:
        """Whether both have the same objects in the same order, with the same degrees."""
        if not isinstance(other, Memberships):
            return NotImplemented
        arrays = "starts", "columns", "degrees"
        return (
            all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
            and self.clusters == other.clusters
            and _list_ids(self.ids) == _list_ids(other.ids)
        )

    __hash__ = None  # type: ignore[assignment]  # as that of tables

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the matrix and the names."""
        return partial(type(self), ids=self.ids, clusters=self.clusters), (self.to_sparse(),)


def as_memberships(value: Any, input_name: str) -> Memberships:
    """Return memberships as they are; read others as a matrix of degrees, or as clusters."""
    if isinstance(value, Memberships):
        return value
    if isinstance(value, list | tuple):  # of rows; other lists are clusters, or labels
        is_rows = all(isinstance(row, list | tuple | np.ndarray) for row in value)
        is_matrix = len(value) > 0 and is_rows
    else:
        is_matrix = hasattr(value, "tocsr") or len(shape_of(value) or ()) == 2
    if is_matrix:
        return Memberships(value)
    rows, names, ids = read_clusters(value, input_name)
    return Memberships(rows, normalize=True, ids=ids, clusters=names)


def join_covers(
    a: Any, b: Any, **labels: Unpack[JoinOptions]
) -> tuple[Memberships, Memberships, Contingency | None]:
    """Return two memberships of the same objects, in one order; and their table if both are hard.

    None if an object is in several clusters.
    """
    a, b = as_memberships(a, "a"), as_memberships(b, "b")
    in_a, in_b = join_positions({"a": a.objects, "b": b.objects}, LabelPolicy(**labels))
    a, b = a.subset(in_a), b.subset(in_b)
    is_flat = a.is_hard and b.is_hard
    return a, b, Contingency.from_labels(a.columns, b.columns) if is_flat else None


def _list_ids(ids: Ids | None) -> tuple[list[Any], bool] | None:
    return None if ids is None else (to_list(ids.values), ids.implicit)


def _normalize(rows: Any, normalize: bool) -> None:
    """Divide each row by its sum; raise if it is empty, or the sum not 1 without `normalize`."""
    n, counts = rows.shape[0], np.diff(rows.indptr)
    if n == 0:
        raise NothingToCountError("the memberships are empty: at least one object is needed.")
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        raise LabelError(
            f"{counted(len(empty), 'object')} of {n:,} {'is' if len(empty) == 1 else 'are'} in "
            f"no cluster, the first in row {empty[0]}: give each at least one, such as one of "
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
    error = np.abs(totals - 1)
    wrong = np.flatnonzero(error > _ROUNDING)
    if len(wrong) and not normalize:
        rest = f" ({len(wrong):,} rows do not sum to 1.)" if len(wrong) > 1 else ""
        raise LabelError(
            f"row {wrong[0]} sums to {totals[wrong[0]]:.6g}, and degrees of membership sum to 1: "
            f"pass Memberships(matrix, normalize=True) to divide each row by its sum.{rest}"
        )
    keep = np.repeat((error < _NORMALIZED) & (sums < counts), counts)
    rows.data = np.where(keep, rows.data, shares / np.repeat(sums, counts))
    rows.data[rows.data < np.finfo(np.float64).tiny] = 0  # less has no full precision
    rows.eliminate_zeros()
