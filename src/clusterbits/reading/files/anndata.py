"""Label columns of AnnData files (.h5ad) and stores (.zarr): columns of ``obs``, nothing else.

Only the columns that are asked for are read, by the published layout of these files; anndata itself
is not needed. The names of the cells, the index of ``obs``, are a column if it is named.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import FileError, translating
from clusterbits.reading.files.arrays import as_relation, checked_column
from clusterbits.reading.files.relations import Relation
from clusterbits.reading.files.sources import Source
from clusterbits.reading.files.stores import check_array, is_array, open_store
from clusterbits.reading.label_columns import read_stored
from clusterbits.reading.request import Chosen
from clusterbits.system.limits import check_memory

# The kinds of numpy's types that the parts of a column may have, and what they are in words.
_TEXT, _LABELS = "OSTU", "biufOSTU"
_KINDS = {"iu": "integers", "b": "booleans", _TEXT: "text", _LABELS: "integers or text"}
_NULLABLE = {"nullable-integer": "iu", "nullable-boolean": "b", "nullable-string-array": _TEXT}


def open_anndata(connection: Any, source: Source, wanted: list[Any], files: ExitStack) -> Relation:
    """Return the columns of ``obs``, which are read while `files` is open."""
    with translating(f"{source} is not an AnnData file that can be read"):
        observations = _Observations(source, open_store(source.path, source.form, "anndata", files))
    names = observations.names + [observations.index] * (observations.index in wanted)

    def project(chosen: Chosen) -> Any:
        columns = [observations.read(names[i]) for i in chosen.values()]
        if len({len(codes) for codes, _ in columns}) > 1:
            raise FileError(f"{source} is damaged: columns of obs differ in length.")
        relation = as_relation(connection, {f"c{i}": codes for i, (codes, _) in enumerate(columns)})
        lists = {f"l{i}": _in_one_row(of) for i, (_, of) in enumerate(columns) if of is not None}
        if lists:  # the categories, next to every row
            relation = relation.cross(as_relation(connection, lists))
        # A list counts from 1, and has null in the place 0 of a missing label.
        labels = [
            f"l{i}[c{i}::bigint + 1]" if f"l{i}" in lists else f"c{i}" for i in range(len(columns))
        ]
        return relation.project(
            ", ".join(f"{label} as {name}" for label, name in zip(labels, chosen, strict=True))
        )

    return Relation(str(source), names, project, read_stored)


def _in_one_row(values: NDArray[Any]) -> NDArray[Any]:
    """Return a column with all values, as a list, in its only row."""
    row = np.empty(1, dtype=object)
    row[0] = values
    return row


class _Observations:
    """The columns of ``obs``, as anndata has written them since 0.7.

    Categories have been in a group with their codes since 0.8, before they were next to them.
    """

    def __init__(self, source: Source, root: Any) -> None:
        self._source, self._root = source, root
        self._obs = root["obs"]
        # Names of the columns, and that of the index.
        self.names = [str(_decoded(name)) for name in self._obs.attrs["column-order"]]
        self.index = str(_decoded(self._obs.attrs["_index"]))

    def read(self, name: str) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Return the labels of a column; or codes, -1 for a missing label, and their categories."""
        column = self._obs[name]
        if is_array(column):
            return self._coded(name, column, column.attrs.get("categories"))
        kind = str(_decoded(column.attrs["encoding-type"]))
        if kind == "categorical":
            return self._coded(name, column["codes"], f"obs/{name}/categories")
        if kind not in _NULLABLE:
            raise FileError(f"{self._source}: {name!r} holds {kind}; labels are integers or text.")
        values = self._load(name, column["values"], _NULLABLE[kind])
        mask = self._load(f"{name}/mask", column["mask"], "b")
        if len(mask) != len(values):
            raise FileError(f"{self._source} is damaged: values and mask of {name!r} do not match.")
        categories, codes = np.unique(values, return_inverse=True)
        return np.where(mask, -1, codes), categories

    def _coded(
        self, name: str, column: Any, categories_path: Any
    ) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Return labels, or codes and the categories at a path in the file."""
        if not categories_path:
            return self._load(name, column, _LABELS), None
        codes = self._load(name, column, "iu")
        categories = self._load(f"{name}/categories", self._root[categories_path], _LABELS)
        if len(codes) and not -1 <= codes.min() <= codes.max() < len(categories):
            raise FileError(f"{self._source} is damaged: {name!r} has codes of no category.")
        return codes, categories

    def _load(self, name: str, array: Any, kinds: str) -> NDArray[Any]:
        """Return an array of the file: a column of the kinds that it may have."""
        check_array(self._source, array)
        check_memory(array.nbytes, f"{self._source}: its columns")
        values = np.asarray(array[()])
        if values.ndim == 1 and values.dtype.kind in kinds:
            if values.dtype.kind not in _TEXT:
                return checked_column(self._source, name, values)
            text = [_decoded(value) for value in values.tolist()]
            if all(isinstance(value, str) for value in text):
                return np.array(text, dtype=object)
        raise FileError(
            f"{self._source}: {name!r} has the shape {values.shape} and holds {values.dtype}; it "
            f"should be a column of {_KINDS[kinds]}."
        )


def _decoded(value: Any) -> Any:
    """Return text that may be stored as bytes, as writers in R do."""
    return value.decode() if isinstance(value, bytes) else value
