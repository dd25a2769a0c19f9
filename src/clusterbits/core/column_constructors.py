"""How a table is made of columns: the ``from_*`` methods for frames, files and batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any, Self, TypedDict, Unpack, overload

from clusterbits.core.addition import merge_cells
from clusterbits.core.cells import Cells
from clusterbits.core.constructors import LabelConstructors
from clusterbits.core.policy import LabelPolicy, Missing, Noise, treat_noise
from clusterbits.display.progress import progress_bar
from clusterbits.errors import ColumnError, NothingToCountError, answer_wrong_calls
from clusterbits.parallel import Progress

_Path = str | PathLike[str]
Paths = _Path | Sequence[_Path | Sequence[_Path]]
# Cells of batches that may wait to be added up together.
_WAITING_CELLS = 1 << 23


class _FrameOptions(TypedDict, total=False):
    noise: Noise | None
    missing: Missing
    weights: str | None
    noise_label: Any
    truth_noise: Any


class _FileOptions(_FrameOptions, total=False):
    on: str | Sequence[str] | None
    unmatched: Missing
    sql: str | None
    delimiter: str | None
    encoding: str | None
    header: bool
    memory_limit: str | None
    spill: str | PathLike[str] | None
    progress: Progress


class ColumnConstructors(LabelConstructors):
    """Class methods that make a table of columns, wherever they are."""

    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str | None = ...,
        pred: str | None = ...,
        **options: Unpack[_FrameOptions],
    ) -> Self: ...
    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        pred: list[str] | tuple[str, ...],
        **options: Unpack[_FrameOptions],
    ) -> dict[str, Self]: ...
    @classmethod
    @answer_wrong_calls
    def from_frame(
        cls,
        frame: Any,
        truth: str | None = None,
        pred: str | Sequence[str] | None = None,
        *,
        noise: Noise | None = None,
        missing: Missing = "error",
        weights: str | None = None,
        noise_label: Any = -1,
        truth_noise: Any = None,
    ) -> Self | dict[str, Self]:
        """Count columns of a dataframe, where its engine keeps them.

        Frames in memory (pandas, polars, pyarrow) are counted here, lazy ones (polars lazy, DuckDB
        relations, Dask, Spark, Ibis) by their engine: only the table comes back.

        Parameters
        ----------
        frame : dataframe
            Any that narwhals knows.
        truth : str, optional
            The column of classes. It and `pred` may be left out where the frame has just two
            columns, classes first.
        pred : str or sequence of str
            The column of clusters; or several, as a list of names and patterns such as ``["k*"]``,
            which are counted in one pass over the data where the engine can.
        noise, missing, noise_label, truth_noise
            As in `from_labels`.
        weights : str, optional
            A column that says how much each row counts; or "balanced", as in `from_labels`.

        Returns
        -------
        Contingency, or dict of str to Contingency where `pred` is a list (or a pattern by itself)

        Examples
        --------
        >>> import clusterbits as cb, pandas as pd
        >>> frame = pd.DataFrame({"species": ["cat", "cat", "dog"], "k2": [0, 0, 1], "k1": [0] * 3})
        >>> cb.Contingency.from_frame(frame, truth="species", pred="k2")
        <Contingency: 3 objects, 2 classes × 2 clusters, 2 non-zero cells>
        >>> tables = cb.Contingency.from_frame(frame, truth="species", pred=["k*"])
        >>> cb.evaluate(tables, measures=["q0", "ari"])
        k2: 1.58 → 0.86 bits per object: 100 % of what can be saved. The clusters save all of it.
        clustering  clusters      q0  adjusted_rand
        k2                 2  0.8617         1.0000
        k1                 1  1.5850         0.0000
        """
        from clusterbits.ingest.frames import count_frame

        policy = LabelPolicy(noise, missing, noise_label, truth_noise=truth_noise)
        counted, balanced = count_frame(frame, truth, pred, weights, policy)
        return cls._one_or_many(counted, pred, balanced)

    @overload
    @classmethod
    def from_file(
        cls,
        path: Paths,
        truth: str | None = ...,
        pred: str | None = ...,
        **options: Unpack[_FileOptions],
    ) -> Self: ...
    @overload
    @classmethod
    def from_file(
        cls,
        path: Paths,
        truth: str | None,
        pred: list[str] | tuple[str, ...],
        **options: Unpack[_FileOptions],
    ) -> dict[str, Self]: ...
    @overload
    @classmethod
    def from_file(
        cls,
        path: Paths,
        truth: str | None,
        pred: Sequence[str] | None,
        **options: Unpack[_FileOptions],
    ) -> Self | dict[str, Self]: ...
    @classmethod
    @answer_wrong_calls
    def from_file(
        cls,
        path: Paths,
        truth: str | None = None,
        pred: str | Sequence[str] | None = None,
        *,
        noise: Noise | None = None,
        missing: Missing = "error",
        weights: str | None = None,
        noise_label: Any = -1,
        truth_noise: Any = None,
        on: str | Sequence[str] | None = None,
        unmatched: Missing = "error",
        sql: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        header: bool = True,
        memory_limit: str | None = None,
        spill: str | PathLike[str] | None = None,
        progress: Progress = progress_bar,
    ) -> Self | dict[str, Self]:
        """Count label columns of files, without loading their rows.

        Parameters
        ----------
        path : path, or sequence of paths
            CSV (any delimiter), Parquet or JSON lines; text may be gzip- or zstd-compressed.
            AnnData (.h5ad): columns of ``obs``. A folder or a pattern such as
            ``"runs/*.parquet"`` means all its files. With `on`, two paths: the one with the
            classes first. With `sql`, a DuckDB or SQLite database.
        truth, pred : str, optional
            Names of the columns of classes and of clusters; may be left out where there are just
            two columns, classes first. `pred` may be a list of names and
            patterns such as ``["k*"]``.
        noise, missing, noise_label, truth_noise
            As in `from_labels`. An empty field is a missing label.
        weights : str, optional
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
        encoding : str, optional
            Encoding of text that is not UTF-8, such as ``"latin-1"``, ``"cp1252"``, ``"utf-16"``.
        header : bool, default True
            Whether CSV files begin with a line of names. Where not, columns go by number, from 1:
            ``truth="1", pred="2"``.
        memory_limit : str, optional
            Such as ``"2GB"``; what needs more is spilled to disk.
        spill : path, optional
            The folder to spill to; the system's own by default.
        progress : callable, optional
            Wrapped around a hundred steps, to draw a progress bar. By default a plain one in
            terminals and notebooks, from the first second on; None for none.

        Returns
        -------
        Contingency, or dict of str to Contingency where `pred` is a list (or a pattern by itself)
        """
        from clusterbits.ingest.files.counting import count_columns
        from clusterbits.ingest.files.readers import Request, Resources
        from clusterbits.ingest.files.streams import reading_as
        from clusterbits.ingest.groups import count_groups

        policy = LabelPolicy(noise, missing, noise_label, unmatched, truth_noise)
        resources = Resources(memory_limit, spill, progress)
        request = Request(truth, pred, weights, None, policy, delimiter, resources, count_groups)
        with reading_as(path, spill=spill, encoding=encoding, header=header) as sources:
            return cls._one_or_many(count_columns(sources, on, sql, request), pred)

    @classmethod
    def _one_or_many(
        cls, counted: dict[str, Cells], pred: Any, balanced: bool = False
    ) -> Self | dict[str, Self]:
        """Return one table where one column was named, a dictionary where several could be."""
        tables = {name: cls(cells) for name, cells in counted.items()}
        if balanced:
            tables = {name: table.balanced() for name, table in tables.items()}
        one = pred is None or (not isinstance(pred, list | tuple) and pred in tables)
        return next(iter(tables.values())) if one else tables

    @classmethod
    @answer_wrong_calls
    def from_batches(
        cls,
        batches: Iterable[Any],
        truth: str | None = None,
        pred: str | None = None,
        *,
        noise: Noise | None = None,
        missing: Missing = "error",
        weights: str | None = None,
        noise_label: Any = -1,
        truth_noise: Any = None,
    ) -> Self:
        """Count data that comes in pieces: only the table and one piece are ever held.

        Where there are integers and text, integers become text: 1 and '1' of different batches are
        one label, as when CSV files are read.

        Parameters
        ----------
        batches : iterable
            Of pairs (truth, pred) of label sequences; of frames or record batches, with the names
            of their columns in `truth` and `pred`; or of tables, which are added up.
        truth, pred : str, optional
            Names of the columns, where batches are frames.
        noise, missing, noise_label, truth_noise
            As in `from_labels`. Tables among the batches keep the classes they have.
        weights : str, optional
            Where batches are frames: the column that says how much each row counts.

        Examples
        --------
        >>> import clusterbits as cb
        >>> batches = ((["a", "b"], [day, day]) for day in range(3))
        >>> cb.Contingency.from_batches(batches)
        <Contingency: 6 objects, 2 classes × 3 clusters, 6 non-zero cells>
        """
        policy = LabelPolicy(noise, missing, noise_label, truth_noise=truth_noise)
        number = getattr(batches, "shape", None) == ()  # an array without axes
        if not isinstance(batches, Iterable) or isinstance(batches, str) or number:
            raise ColumnError(f"batches is a {type(batches).__name__}; pass a list or a generator.")
        from clusterbits.ingest.arrays import DeviceBatches

        merged: list[Cells] = []
        on_device = DeviceBatches()
        for batch in batches:
            with suppress(NothingToCountError):  # a batch may be empty, as long as not all are
                found = on_device.add(batch) if weights is None else None
                if found is None:
                    found = [cls._from_batch(batch, truth, pred, missing, weights).cells]
                merged += found
            if not merged:
                continue
            # Merged when much more has come than is there: each cell is moved once or twice.
            waiting = sum(len(cells.counts) for cells in merged[1:])
            if waiting > max(_WAITING_CELLS, len(merged[0].counts)):
                merged = [merge_cells(merged)]
        merged += on_device.take()
        if not merged:
            raise NothingToCountError("no batch has a labelled object: nothing to count.")
        return cls(treat_noise(merge_cells(merged), policy))

    @classmethod
    def _from_batch(
        cls, batch: Any, truth: str | None, pred: str | None, missing: Missing, weights: str | None
    ) -> Self:
        pair = isinstance(batch, tuple | list) and len(batch) == 2
        if weights is not None and (pair or isinstance(batch, cls)):
            raise ColumnError(f"weights={weights!r} names a column of frames; this batch is none.")
        if isinstance(batch, cls):
            return batch
        if pair:
            return cls.from_labels(batch[0], batch[1], missing=missing)
        table = cls.from_frame(batch, truth, pred, missing=missing, weights=weights)
        if not isinstance(table, cls):
            raise ColumnError(f"pred={pred!r}: batches are counted for one cluster column.")
        return table

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a table that `save` has written."""
        from clusterbits.core.storage import load_cells

        return cls(load_cells(path))
