"""Memberships: how far each object belongs to each cluster, sparse and checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.immutable import read_only
from clusterbits.core.labels import Ids
from clusterbits.core.spans import list_spans
from clusterbits.covers.reading import Entries, read_clusters, read_label_sets, read_matrix
from clusterbits.display.tables import counted, html_table, short, to_frame
from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.ingest.join import name_repeated, read_ids, read_names
from clusterbits.limits import check_memory

# Rows may miss 1 by this much: posteriors in single precision do.
_ROUNDING = 1e-5
# Rows that miss 1 by less are normalised.
_NORMALIZED = 1e-12
# Clusters that a notebook shows.
_SHOWN = 10


class Memberships:
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
        self._hold(_with_ids(read_matrix(matrix, clusters), ids), normalize)

    @classmethod
    def of_entries(cls, entries: Entries) -> Self:
        """Return memberships that were read already, with rows divided by their sums."""
        found = cls.__new__(cls)
        found._hold(entries, normalize=True)
        return found

    def _hold(self, entries: Entries, normalize: bool) -> None:
        _check_entries(entries)
        entries = _normalized(entries, normalize)
        for array in entries[:3]:
            read_only(array)
        self.__dict__.update(entries._asdict())

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: what was computed from the entries would not be true any more."""
        raise AttributeError(f"{name} cannot be set: Memberships are immutable, make another.")

    def __delattr__(self, name: str) -> None:
        """Refuse, as to set one."""
        raise AttributeError(f"{name} cannot be deleted: Memberships are immutable.")

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
        return cls.of_entries(read_clusters(clusters, "clusters"))

    @classmethod
    def from_label_sets(cls, label_sets: Any, ids: Any = None) -> Self:
        """Read the set of clusters of each object, to all of which it belongs equally.

        Parameters
        ----------
        label_sets : iterable of sets, or mapping of ids to sets
            For each object the names of its clusters, at least one.
        ids : sequence of ids, optional
            The ids of the objects, where `label_sets` is no mapping.

        Examples
        --------
        >>> import clusterbits as cb
        >>> labels = [{"red"}, {"red", "blue"}, {"blue"}]
        >>> cb.covers.Memberships.from_label_sets(labels).to_dense().tolist()
        [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
        """
        entries = read_label_sets(label_sets)
        if ids is not None and entries.ids is not None and not entries.ids.offered:
            raise LabelError("label_sets is a mapping, whose keys are the ids: leave ids out.")
        return cls.of_entries(_with_ids(entries, ids))

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
        if self.ids is None or self.ids.offered:
            return labels
        return dict(zip(list(self.ids.values), labels.tolist(), strict=True))

    @cached_property
    def top_columns(self) -> NDArray[np.int64]:
        """The column of each object's highest degree, the first of several."""
        highest = np.maximum.reduceat(self.degrees, self.starts[:-1])
        is_top = np.flatnonzero(self.degrees == highest[self.rows])
        first = is_top[np.searchsorted(is_top, self.starts[:-1])]
        return read_only(self.columns[first])

    def only(self, objects: NDArray[np.int64]) -> Memberships:
        """Return some objects, by position; -1 is an object in a cluster of its own, named None.

        All objects at -1 share that cluster.
        """
        if np.array_equal(objects, np.arange(len(self))):
            return self
        counts = np.where(objects < 0, 1, self.counts[objects])
        starts = np.concatenate([[0], np.cumsum(counts)])
        at = list_spans(self.starts[objects], counts)
        new = np.repeat(objects < 0, counts)
        columns = np.where(new, len(self.clusters), self.columns[np.where(new, 0, at)])
        degrees = np.where(new, 1.0, self.degrees[np.where(new, 0, at)])
        clusters = (*self.clusters, None) if new.any() else self.clusters
        entries = Entries(starts, columns, degrees, clusters, None)
        return self.of_entries(entries.without_empty_columns())

    def to_sparse(self) -> Any:
        """Return the objects × clusters matrix as a scipy ``csr_array``."""
        from scipy.sparse import csr_array

        return csr_array((self.degrees, self.columns, self.starts), shape=self.shape, copy=True)

    def to_dense(self) -> NDArray[np.float64]:
        """Return the objects × clusters matrix as an array."""
        height, width = self.shape
        check_memory(8 * height * width, f"a dense copy of {height:,} × {width:,} degrees")
        dense = np.zeros(self.shape)
        dense[self.rows, self.columns] = self.degrees
        return dense

    def to_frame(self) -> Any:
        """Return one row for each degree above 0, as a pandas or polars frame."""
        ids = range(len(self)) if self.ids is None else list(self.ids.values)
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
        arrays = ((self.starts, other.starts), (self.columns, other.columns))
        return (
            self.clusters == other.clusters
            and all(np.array_equal(*both) for both in (*arrays, (self.degrees, other.degrees)))
            and _comparable(self.ids) == _comparable(other.ids)
        )

    __hash__ = None  # type: ignore[assignment]  # as that of tables

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the entries, so that copies are as immutable."""
        parts = self.starts, self.columns, self.degrees, self.clusters, self.ids
        return type(self).of_entries, (Entries(*parts),)


def _comparable(ids: Ids | None) -> tuple[list[Any], bool] | None:
    return None if ids is None else (list(ids.values), ids.offered)


def _with_ids(entries: Entries, ids: Any) -> Entries:
    """Return the entries with the ids that were passed beside them, if any."""
    if ids is None:
        return entries
    return entries._replace(ids=Ids(tuple(read_names(ids, "ids", "row"))))


def _check_entries(entries: Entries) -> None:
    """Refuse no objects at all, objects in no cluster, and ids that do not name each object."""
    n = len(entries.starts) - 1
    if n == 0:
        raise NothingToCountError("the memberships are empty: at least one object is needed.")
    without = np.flatnonzero(np.diff(entries.starts) == 0)
    if len(without):
        raise LabelError(
            f"{counted(len(without), 'object')} of {n:,} {'is' if len(without) == 1 else 'are'} in "
            f"no cluster, the first in row {without[0]}: give each at least one, such as one of "
            "its own. Or pass clusters of ids to from_clusters(), and unmatched='drop' or 'class' "
            "to the measure."
        )
    if entries.ids is None:
        return
    ids = read_ids(entries.ids, "memberships")
    if len(ids) != n:
        raise LabelError(f"{counted(n, 'row')} and {counted(len(ids), 'id')}: each row has one id.")
    if not entries.ids.offered and (twice := name_repeated(entries.ids, "memberships")):
        raise LabelError(f"the id {twice} stands for several rows: each object has one row.")


def _normalized(entries: Entries, normalize: bool) -> Entries:
    """Return degrees that sum to 1 in each row; refuse other rows unless told to normalize."""
    first, counts = entries.starts[:-1], np.diff(entries.starts)
    highest = np.maximum.reduceat(entries.degrees, first)
    # Scaled by a power of 2, which changes no digit, no sum overflows.
    powers = np.frexp(highest)[1] - 1
    scaled = np.ldexp(entries.degrees, -np.repeat(powers, counts))
    scaled_sums = np.add.reduceat(scaled, first)
    with np.errstate(over="ignore"):
        sums, ones = np.ldexp(scaled_sums, powers), np.ldexp(1.0, -powers)
    wrong = np.flatnonzero(np.abs(sums - 1) > _ROUNDING)
    if len(wrong) and not normalize:
        row = int(wrong[0])
        others = f" ({len(wrong):,} rows do not sum to 1.)" if len(wrong) > 1 else ""
        raise LabelError(
            f"row {row} sums to {short(f'{sums[row]:.6g}')}, and degrees of membership sum to 1: "
            f"pass Memberships(matrix, normalize=True) to divide each row by its sum.{others}"
        )
    # What was normalised once stays as it is, to the last digit.
    scaled_sums = np.where(np.abs(sums - 1) < _NORMALIZED, ones, scaled_sums)
    shares = scaled / np.repeat(scaled_sums, counts)
    # Equal degrees are 1 over their number, to the last digit: sums of thirds are not quite 1.
    equal = np.minimum.reduceat(entries.degrees == np.repeat(highest, counts), first)
    shares = np.where(np.repeat(equal, counts), np.repeat(1 / counts, counts), shares)
    return entries._replace(degrees=shares).without_zeros()
