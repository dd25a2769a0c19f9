"""Label images in files: NumPy's .npy and .npz, TIFF, PNG, HDF5 and Zarr.

Of several arrays in a file, one is named after a colon: volume.h5:labels/truth, images.npz:truth.
.npy and uncompressed TIFF are mapped into memory; pages of a TIFF stack and chunks of HDF5 and Zarr
are read when their block is counted. Read whole are .npz, PNG and other compressed TIFF.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import (
    ClusterbitsError,
    FileError,
    did_you_mean,
    first_line,
    import_extra,
    no_file,
    refuse_device,
)
from clusterbits.ingest.files.formats import is_store
from clusterbits.limits import check_memory

_HDF5 = b"\x89HDF\r\n\x1a\n"
_BEGINNINGS = {
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
    b"II+\0": "TIFF",
    b"MM\0+": "TIFF",
    b"\x89PNG": "PNG",
    _HDF5: "HDF5",
}
# A block of the user's own may stand before an HDF5 file, as MATLAB writes one.
_USER_BLOCKS = (512, 1024, 2048)
# Pictures of which each pixel is one number: black and white, grey, palette, 16 and 32 bits.
_GREY = ("1", "L", "P", "I", "I;16", "I;16B", "I;16L")
# What Pillow multiplies grey of so many bits by.
_SCALED = {2: 85, 4: 17}


class StoredImage:
    """An image that stays in its file: a block is read when it is sliced."""

    def __init__(
        self,
        path: Path,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        chunks: tuple[int, ...] | None,
        read: Callable[[tuple[slice, ...]], NDArray[Any]],
    ) -> None:
        self.shape, self.dtype, self.chunks = shape, dtype, chunks
        self._path, self._read = path, read

    def __getitem__(self, block: tuple[slice, ...]) -> NDArray[Any]:
        with _refusing(self._path):
            return self._read(block)


class _Strict(logging.Handler):
    """Raises what tifffile only logs: a stack that was cut off would be a smaller one."""

    def emit(self, record: logging.LogRecord) -> None:
        raise ValueError(record.getMessage())


def is_image(name: str) -> bool:
    """Whether a name means an image; an array of two columns may hold classes and clusters."""
    try:
        path, inner = locate_image(name)
        if not path.is_file() and not path.is_dir():  # what a pipe holds can be read only once
            return False
        if inner is None and path.suffix == ".h5ad":  # columns of AnnData
            return False
        form = _recognise(path)
        if form == "npy":
            array = np.load(path, mmap_mode="r", allow_pickle=False)
            return array.dtype.names is None and (array.ndim != 2 or array.shape[1] != 2)
        if form == "npz":
            with ZipFile(path) as archive:
                return inner is not None or len(archive.namelist()) == 1
    except (OSError, ValueError, BadZipFile):  # reading it says why
        return False
    return inner is not None or form in ("TIFF", "PNG", "HDF5", "Zarr")


def count_table_rows(name: str) -> int | None:
    """Return how many rows an array of two columns of numbers has, None for any other file."""
    path = Path(name)
    try:
        if not path.is_file() or _recognise(path) != "npy":
            return None
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):  # reading it says why
        return None
    return len(array) if array.dtype.kind in "biuf" and array.shape[1:] == (2,) else None


def open_image(given: str | os.PathLike[str], files: ExitStack) -> Any:
    """Return the image of a file as an array, or as one to slice while `files` is open."""
    with _refusing(given):
        path, inner = locate_image(given)
        refuse_device(path)
        form = _recognise(path)
        if form is None:
            raise FileError(
                f"{path} is no label image in NumPy's format, TIFF, PNG, HDF5 or Zarr. Read others "
                "in Python: Contingency.from_images takes arrays."
            )
        if form == "npz":
            return _open_archive(path, inner)
        if form == "HDF5":
            return _open_hdf5(path, inner, files)
        if form == "Zarr":
            return _open_zarr(path)
        if inner is not None:
            raise FileError(f"{path} holds one image; name it without :{inner}.")
        if form == "npy":
            return np.load(path, mmap_mode="r", allow_pickle=False)
        return (_open_tiff if form == "TIFF" else _open_png)(path, files)


def locate_image(given: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """Return a file and the name of an array in it."""
    text = os.fspath(given)
    if ":" not in text or Path(text).exists():
        return Path(text), None
    colons = (i for i, character in enumerate(text) if character == ":")
    end = next((i for i in colons if Path(text[:i]).exists()), text.rindex(":"))
    file, inner = Path(text[:end]), text[end + 1 :]
    return (file / inner, None) if file.is_dir() else (file, inner)


def _recognise(path: Path) -> str | None:
    """Return the format of a file by its first bytes; Zarr is a folder with a file that says so."""
    if path.is_dir():
        return "Zarr" if is_store(path) or (path / ".zarray").is_file() else None
    try:
        with path.open("rb") as stream:
            start = stream.read(_USER_BLOCKS[-1] + len(_HDF5))
    except FileNotFoundError:
        raise no_file(path, " A label image is an array, or the path of one.") from None
    if any(start.startswith(_HDF5, block) for block in _USER_BLOCKS):
        return "HDF5"
    return next((form for begin, form in _BEGINNINGS.items() if start.startswith(begin)), None)


@contextmanager
def _refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Refuse in words what a package cannot read: damaged files raise errors of all kinds."""
    try:
        yield
    except ClusterbitsError:
        raise
    except Exception as error:
        why = first_line(error)
        cure = ": pip install imagecodecs" if "imagecodecs" in why else ""
        raise FileError(f"{path} cannot be read: {why}{cure}") from None


def _need(package: str, path: Path, form: str) -> Any:
    return import_extra(package, f"{path} is {form}, which", "images")


def _choose(path: Path, inner: str | None, names: list[str]) -> str:
    """Return which array of a file is meant; the only one needs no name."""
    if not names:
        raise FileError(f"{path} holds no arrays.")
    if inner is None and len(names) == 1:
        return names[0]
    if inner in names:
        return inner
    some = ", ".join(f"{path}:{name}" for name in names[:5]) + ", …" * (len(names) > 5)
    if inner is None:
        raise FileError(f"{path} holds {len(names)} arrays; name one: {some}.")
    raise FileError(f"{path} holds no array {inner!r}.{did_you_mean(inner, names)}")


def _open_archive(path: Path, inner: str | None) -> NDArray[Any]:
    # Opened here, because np.load leaves what is no archive open.
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        name = _choose(path, inner, archive.files)
        size = archive.zip.getinfo(f"{name}.npy").file_size
        check_memory(size, f"{path}: {name}")
        array: NDArray[Any] = archive[name]
        return array


def _open_hdf5(path: Path, inner: str | None, files: ExitStack) -> StoredImage:
    h5py = _need("h5py", path, "an HDF5 file")
    file = files.enter_context(h5py.File(path, "r"))
    names: list[str] = []
    if inner and getattr(file.get(inner), "shape", None):  # by any link to it
        names.append(inner)
    else:
        file.visititems(
            lambda name, item: names.append(name) if getattr(item, "shape", None) else None
        )
    dataset = file[_choose(path, inner, names)]
    _refuse_lost_sources(path, dataset)
    return StoredImage(
        path, dataset.shape, dataset.dtype, dataset.chunks, lambda block: dataset[block]
    )


def _refuse_lost_sources(path: Path, dataset: Any) -> None:
    """Refuse a dataset of other files that are lost or cut: HDF5 reads its fill value there."""
    sources = dataset.virtual_sources() if dataset.is_virtual else ()
    for name, inner in {(source.file_name, source.dset_name) for source in sources}:
        if "%b" in name + inner:  # a series of files, as far as it goes
            continue
        # Where HDF5 looks: beside the file, then in the working folder.
        places = [path] if name == "." else [path.parent / name, Path(name)]
        file = next((place for place in places if place.exists()), None)
        if file is None:
            raise FileError(f"{path} needs {name}, which is not there.")
        with type(dataset.file)(file, "r") as other:
            if inner not in other:
                raise FileError(f"{path} needs {inner} of {file}, which is not there.")
    for name, offset, size in dataset.external or ():
        if os.path.getsize(name) < offset + min(size, dataset.nbytes):
            raise FileError(f"{path} needs more of {name} than is there.")


def _open_zarr(path: Path) -> StoredImage:
    array = _need("zarr", path, "a Zarr array").open(path, mode="r")
    if not hasattr(array, "shape"):  # a group
        arrays = {name: one for name, one in array.members(None) if hasattr(one, "shape")}
        array = arrays[_choose(path, None, sorted(arrays))]
    return StoredImage(
        path, array.shape, array.dtype, array.chunks, lambda block: np.asarray(array[block])
    )


def _open_tiff(path: Path, files: ExitStack) -> Any:
    tifffile = _need("tifffile", path, "a TIFF image")
    strict, log = _Strict(logging.ERROR), logging.getLogger("tifffile")
    files.callback(log.removeHandler, strict)
    log.addHandler(strict)
    tiff = files.enter_context(tifffile.TiffFile(path))
    series, *others = tiff.series
    if others and not _are_slices(tiff.series):
        raise _several(path, len(tiff.series))
    _refuse_lost_pages(path, tiff)
    if series.keyframe.samplesperpixel > 1:
        raise _coloured(path)
    if not others and series.dataoffset is not None and series.keyframe.is_memmappable:
        return tifffile.memmap(path, mode="r")
    shape = (len(tiff.series), *series.shape) if others else series.shape
    if others or (len(shape) == 3 and len(series.pages) == shape[0]):

        def read(block: tuple[slice, ...]) -> NDArray[Any]:
            pages = range(*block[0].indices(shape[0]))
            slab: NDArray[Any] = tiff.asarray(key=pages, series=None if others else 0)
            return slab.reshape(len(pages), *shape[1:])[:, *block[1:]]

        return StoredImage(path, shape, series.dtype, (1, *shape[1:]), read)
    check_memory(series.nbytes, f"{path}")
    return series.asarray()


def _are_slices(series: Any) -> bool:
    """Whether images were written one by one, each alike: a stack."""
    kinds = {(one.kind, one.shape, one.dtype, len(one.pages)) for one in series}
    return len(kinds) == 1 and (series[0].kind, len(series[0].pages)) == ("shaped", 1)


def _refuse_lost_pages(path: Path, tiff: Any) -> None:
    """Refuse a stack that lacks pages: tifffile reads zeros, or fewer pages, and only logs it."""
    if any(page is None for series in tiff.series for page in series.pages):
        raise FileError(f"{path} lacks some of its planes; they may be in files that are lost.")
    # The last page says where the next one is: nowhere.
    tiff.filehandle.seek(tiff.pages.next_page_offset)
    nowhere = bytes(tiff.tiff.offsetsize)
    if tiff.filehandle.read(len(nowhere)) != nowhere:
        raise FileError(f"{path} cannot be read: it ends before its last page.")


def _open_png(path: Path, files: ExitStack) -> NDArray[Any]:
    picture = files.enter_context(_need("PIL.Image", path, "a PNG image").open(path))
    if picture.mode not in _GREY:
        raise _coloured(path)
    if getattr(picture, "n_frames", 1) > 1:
        raise _several(path, picture.n_frames)
    with path.open("rb") as stream:
        depth, colours = stream.read(26)[24:]
    pixels = np.asarray(picture)
    return pixels // _SCALED[depth] if colours == 0 and depth in _SCALED else pixels


def _several(path: Path, many: int) -> FileError:
    return FileError(f"{path} holds {many} images; save the one that is meant by itself.")


def _coloured(path: Path) -> FileError:
    return FileError(
        f"{path} has several numbers for each pixel, such as colours; a label image has one."
    )
