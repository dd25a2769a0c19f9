"""Label columns of AnnData files (.h5ad) and stores (.zarr): columns of ``obs``, nothing else.

Only the columns that are asked for are read, by the published layout of these files; anndata itself
is not needed. The names of the cells, the index of ``obs``, are a column where it is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import (
    ClusterbitsError,
    ColumnError,
    FileError,
    first_line,
    import_extra,
)
from clusterbits.ingest.files.arrays import checked_column, register_columns
from clusterbits.ingest.files.schemas import Schema
from clusterbits.ingest.files.sources import Source
from clusterbits.ingest.selection import is_wanted
from clusterbits.limits import check_memory


class _Column(NamedTuple):
    """Labels, or codes of categories with -1 for a missing label."""

    values: NDArray[Any]
    categories: NDArray[Any] | None = None


def open_observations(
    connection: Any, sources: list[Source], wanted: list[Any]
) -> tuple[Any, list[Schema]]:
    """Return the rows of all files as a relation, and what columns each file has.

    Columns that no name or pattern of `wanted` means are null.
    """
    union, schemas = None, list[Schema]()
    for source in sources:
        with _opening(source) as store:
            names = store.names + [store.index] * (store.index in wanted)
            if schemas and sorted(names) == sorted(schemas[0].names):
                names = schemas[0].names  # in another order
            columns = {
                i: store.read(name) for i, name in enumerate(names) if is_wanted(name, wanted)
            }
        if len({len(column.values) for column in columns.values()}) > 1:
            raise FileError(f"{source} is damaged: columns of obs differ in length.")
        relation = _register(connection, len(names), columns)
        schemas.append(Schema(str(source), names, list(map(str, relation.types)), store.index))
        if names != schemas[0].names:
            odd = next(iter({*names} ^ {*schemas[0].names}), names[0])
            raise ColumnError(f"{sources[0]} and {source} differ in their columns: {odd!r}.")
        union = relation if union is None else union.union(relation)
    return union, schemas


def _register(connection: Any, width: int, columns: dict[int, _Column]) -> Any:
    """Return so many columns as a relation; `columns` has those that were read, by position."""
    values = {f"c{i}": column.values for i, column in columns.items()}
    view = register_columns(connection, values or {"none": np.zeros(1)})
    chosen = [f"c{i}" if i in columns else "null" for i in range(width)]
    for i, (_, categories) in columns.items():
        if categories is not None:
            named = {"code": np.arange(len(categories)), "label": categories}
            labels = f"select list(label order by code) from {register_columns(connection, named)}"
            # A list counts from 1, and has null in the place 0 of a missing label.
            chosen[i] = f"({labels})[c{i}::bigint + 1]"
    return connection.table(view).project(
        ", ".join(f"{sql} as c{i}" for i, sql in enumerate(chosen))
    )


@contextmanager
def _opening(source: Source) -> Iterator[_Store]:
    """Yield what a file holds; refuse in words what cannot be read, whatever is raised."""
    try:
        if source.path.is_dir():
            yield _Store(source, _import_zarr(source).open_group(source.path, mode="r"))
        else:
            h5py = import_extra("h5py", "reading AnnData files", "anndata")
            with h5py.File(source.path, "r") as root:
                yield _Store(source, root)
    except ClusterbitsError:
        raise
    except Exception as error:  # a file that is cut, changed or forged, or that another writes
        held = isinstance(error, OSError) and error.errno is not None
        fault = "cannot be read" if held else "is damaged or incomplete"
        raise FileError(f"{source} {fault}: {first_line(error)}") from None


def _import_zarr(source: Source) -> Any:
    try:
        import zarr
    except ImportError:
        raise FileError(
            f"{source} is a Zarr store, which needs zarr: pip install zarr, or save it as .h5ad."
        ) from None
    return zarr


class _Store:
    """The frame ``obs`` of a file, in any layout that anndata has written.

    Since anndata 0.7 it is a group of columns, before it was one array with fields. Categories have
    been in a group with their codes since 0.8; before, beside ``obs`` or in ``uns``.
    """

    def __init__(self, source: Source, root: Any) -> None:
        self._source, self._root = source, root
        if "obs" not in root:
            held = ", ".join(sorted(root)[:5]) or "nothing"
            raise FileError(
                f"{source} is not an AnnData file: it has no obs. It has {held}. Of two label "
                f"images name both: {source}:truth {source}:pred."
            )
        self._obs = root["obs"]
        # Names of the columns, and that of the index.
        if not _is_array(self._obs):
            self.names = [str(_decoded(name)) for name in self._obs.attrs["column-order"]]
            self.index = str(_decoded(self._obs.attrs["_index"]))
        elif self._obs.dtype.names is not None:
            self.index, *self.names = self._obs.dtype.names
        else:
            raise FileError(f"{source} is not an AnnData file: its obs is an array, not a table.")
        if not self.names:
            raise FileError(f"{source}: obs has no columns.")

    def read(self, name: str) -> _Column:
        """Return a column; refuse what holds no labels."""
        values, categories = self._parts(name)
        if categories is None:
            return _Column(self._checked(name, values))
        if len(values) and not -1 <= values.min() <= values.max() < len(categories):
            raise FileError(f"{self._source} is damaged: {name!r} has codes of no category.")
        return _Column(self._checked(name, values), self._checked(name, categories))

    def _parts(self, name: str) -> tuple[NDArray[Any], NDArray[Any] | None]:
        if _is_array(self._obs):
            place = f"uns/{name}_categories"
            known = place in self._root
            return self._load(self._obs, name), self._load(self._root[place]) if known else None
        column = self._obs[name]
        if _is_array(column):
            place = column.attrs.get("categories")
            return self._load(column), self._load(self._root[place]) if place else None
        kind = str(_decoded(column.attrs["encoding-type"]))
        if kind == "categorical":
            return self._load(column["codes"]), self._load(column["categories"])
        if not kind.startswith("nullable"):
            raise FileError(f"{self._source}: {name!r} holds {kind}; labels are integers or text.")
        values = self._load(column["values"]).astype(object)
        values[self._load(column["mask"])] = None
        return values, None

    def _load(self, array: Any, field: Any = ()) -> NDArray[Any]:
        """Return an array of the file, or a field of it, text as Python has it."""
        self._refuse_hostile(array)
        check_memory(array.nbytes, f"{self._source}: its columns")
        values = np.asarray(array[field])
        if values.dtype.kind not in "OSTU":
            return values
        text = [_decoded(one) for one in values.ravel().tolist()]
        return np.array(text, dtype=object).reshape(values.shape)

    def _refuse_hostile(self, array: Any) -> None:
        """Refuse arrays whose values are in another file, and those that would run code."""
        if hasattr(array, "external"):
            inside = array.file.filename == self._root.file.filename
            if not inside or array.external or array.is_virtual:
                raise FileError(f"{self._source}: {array.name} is in another file; copy it.")
        else:
            codecs = [*(array.filters or ()), *(array.compressors or ())]
            if any(getattr(codec, "codec_id", "") == "pickle" for codec in codecs):
                raise FileError(
                    f"{self._source}: {array.name} holds Python pickles, which can run any code "
                    "and are never read."
                )

    def _checked(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        if values.ndim != 1:
            raise FileError(f"{self._source}: {name!r} has the shape {values.shape}; not a column.")
        return values if values.dtype.kind == "O" else checked_column(self._source, name, values)


def _decoded(value: Any) -> Any:
    """Return text that may be stored as bytes, as writers in R do."""
    return value.decode() if isinstance(value, bytes) else value


def _is_array(element: Any) -> bool:
    return hasattr(element, "dtype")
