"""HDF5 files and Zarr stores: how they are opened, and arrays in them that are not read."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from clusterbits.errors import FileError, import_extra


def open_store(path: Path, form: str, extra: str, files: ExitStack) -> Any:
    """Return the root of a file, for reading, while `files` is open."""
    if form == "Zarr":
        return import_extra("zarr", f"{path} is a Zarr store, which", extra).open(path, mode="r")
    h5py = import_extra("h5py", f"{path} is an HDF5 file, which", extra)
    return files.enter_context(h5py.File(path, "r"))


def check_array(path: os.PathLike[str], array: Any) -> None:
    """Refuse an array whose values are in other files, and one that would run code.

    HDF5 reads zeros where another file is lost.
    """
    if hasattr(array, "external"):
        linked = array.file.filename != os.fspath(path)
        if linked or array.external or array.is_virtual:
            raise FileError(f"{path}: the values of {array.name} are in another file; copy them.")
    else:
        codecs = [*(array.filters or ()), *(array.compressors or ())]
        if any(getattr(codec, "codec_id", "") == "pickle" for codec in codecs):
            raise FileError(f"{path}: {array.name} holds pickles, which can run any code.")


def is_array(element: Any) -> bool:
    """Whether an element of a store is an array and not a group."""
    return hasattr(element, "dtype")
