"""Label images in files: NumPy's .npy and .npz, TIFF, PNG, HDF5 and Zarr.

If a file holds several arrays, append a colon and the array's name: volume.h5:labels/truth.
.npy and uncompressed TIFF are mapped into memory; chunks of HDF5 and Zarr are read when their block
is counted; .npz, PNG and compressed TIFF are read at once.
"""

from __future__ import annotations

import io
import logging
import math
import os
import zlib
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import FileError, did_you_mean, import_extra, translating
from clusterbits.reading.files.arrays import map_array, read_member
from clusterbits.reading.files.formats import recognise
from clusterbits.reading.files.stores import check_array, is_array, open_store
from clusterbits.system.limits import check_memory

# Modes of Pillow with one number per pixel: black and white, gray, palette, 16 and 32 bits.
_GRAY = ("1", "L", "P", "I", "I;16", "I;16B", "I;16L")
# The factors by which Pillow multiplies gray values of few bits.
_SCALED = {2: 85, 4: 17}
# The codes of zlib in TIFF: today's, and the older one.
_ZLIB = (8, 32946)


class _Strict(logging.Handler):
    """Raises errors that tifffile only logs: a truncated stack would be a smaller one."""

    def emit(self, record: logging.LogRecord) -> None:
        raise ValueError(record.getMessage())


def is_image(name: str) -> bool | None:
    """Whether a file is an image; None if it may also be an array of a class and a cluster."""
    try:
        path, inner = locate_image(name)
        if inner is None and path.suffix == ".h5ad":  # columns of AnnData
            return False
        form, _ = recognise(path)
        if form == "npy":
            array = map_array(path)
            if array.dtype.kind not in "biuf":  # text, or columns with names
                return False
            return None if array.shape[1:] == (2,) else True
        if form == "npz" and inner is None:
            with ZipFile(path) as archive:
                return len(archive.namelist()) == 1
    except (FileError, OSError, ValueError, BadZipFile):  # a pipe, or reading it will raise
        return False
    return inner is not None or form in ("TIFF", "PNG", "HDF5", "Zarr")


def open_image(name: str | os.PathLike[str], files: ExitStack) -> Any:
    """Return the image of a file as an array, or as one to slice while `files` is open."""
    with translating(f"{name} cannot be read"):
        path, inner = locate_image(name)
        form, _ = recognise(path)
        if form == "npz":
            return _open_archive(path, inner)
        if form in ("HDF5", "Zarr"):
            return _open_stored(path, form, inner, files)
        if inner is not None:
            raise FileError(f"{path} holds one image; name it without :{inner}.")
        if form == "npy":
            return map_array(path)
        if form == "TIFF":
            return _open_tiff(path, files)
        if form == "PNG":
            return _open_png(path, files)
        raise FileError(f"{path} is not a label image in NumPy's format, TIFF, PNG, HDF5 or Zarr.")


def locate_image(name: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """Return a file and the name of an array in it."""
    text = os.fspath(name)
    if ":" not in text or Path(text).exists():
        return Path(text), None
    colons = (i for i, character in enumerate(text) if character == ":")
    end = next((i for i in colons if Path(text[:i]).exists()), text.rindex(":"))
    file, inner = Path(text[:end]), text[end + 1 :]
    return (file / inner, None) if file.is_dir() else (file, inner)


def _choose(path: Path, inner: str | None, names: list[str]) -> str:
    """Return the name of an array of a file; if there is only one, it may be omitted."""
    if not names:
        raise FileError(f"{path} holds no arrays.")
    if inner is None and len(names) == 1:
        return names[0]
    if inner in names:
        return inner
    if inner is None:
        first = ", ".join(f"{path}:{name}" for name in names[:5]) + ", …" * (len(names) > 5)
        raise FileError(f"{path} holds {len(names)} arrays; name one: {first}.")
    raise FileError(f"{path} holds no array {inner!r}.{did_you_mean(inner, names)}")


def _open_archive(path: Path, inner: str | None) -> NDArray[Any]:
    # np.load would not close a file that is not an archive.
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        name = _choose(path, inner, archive.files)
        size = archive.zip.getinfo(f"{name}.npy").file_size
        check_memory(size, f"{path}: {name}")
        return read_member(archive, name)


def _open_stored(path: Path, form: str, inner: str | None, files: ExitStack) -> Any:
    """Return an array of an HDF5 file or a Zarr store."""
    root = open_store(path, form, "images", files)
    if is_array(root):
        array = root
    elif inner and is_array(root.get(inner)):  # links included
        array = root[inner]
    else:
        array = root[_choose(path, inner, _list_arrays(root))]
    check_array(path, array)
    return array


def _list_arrays(root: Any) -> list[str]:
    """Return the names of all arrays with axes in a file."""
    if hasattr(root, "members"):
        return sorted(name for name, item in root.members(None) if is_array(item))
    names: list[str] = []
    root.visititems(lambda name, item: names.append(name) if getattr(item, "shape", None) else None)
    return names


def _open_tiff(path: Path, files: ExitStack) -> Any:
    tifffile = import_extra("tifffile", f"{path} is a TIFF image, which", "images")
    strict, log = _Strict(logging.ERROR), logging.getLogger("tifffile")
    files.callback(log.removeHandler, strict)
    log.addHandler(strict)
    tiff = files.enter_context(tifffile.TiffFile(path))
    series, *others = tiff.series
    if others and not _are_slices(tiff.series):
        raise _several(path, len(tiff.series))
    _check_pages(path, tiff)
    if series.keyframe.samplesperpixel > 1:
        raise _colored(path)
    if not others and series.dataoffset is not None and series.keyframe.is_memmappable:
        _check_pixels(path, tiff, series.keyframe)
        return tifffile.memmap(path, mode="r")
    for page in chain.from_iterable(image.pages for image in tiff.series):
        _check_pixels(path, tiff, page)
    check_memory(series.nbytes * len(tiff.series), f"{path}")
    return tiff.asarray(key=slice(None), series=None) if others else series.asarray()


def _are_slices(series: Any) -> bool:
    """Whether images were written one by one, with equal shapes: a stack."""
    slices = {(image.kind, image.shape, image.dtype, len(image.pages)) for image in series}
    return len(slices) == 1 and (series[0].kind, len(series[0].pages)) == ("shaped", 1)


def _check_pages(path: Path, tiff: Any) -> None:
    """Raise if pages are lost: tifffile reads zeros, or fewer pages, and only logs it."""
    if any(page is None for series in tiff.series for page in series.pages):
        raise FileError(f"{path} lacks some of its planes; they may be in files that are lost.")
    # The last page has the offset 0 of a next page.
    tiff.filehandle.seek(tiff.pages.next_page_offset)
    no_offset = bytes(tiff.tiff.offsetsize)
    if tiff.filehandle.read(len(no_offset)) != no_offset:
        raise FileError(f"{path} cannot be read: it ends before its last page.")


def _check_pixels(path: Path, tiff: Any, page: Any) -> None:
    """Raise if a page has other pixels than its header says: tifffile truncates it or adds zeros.

    The last strip, and tiles at the edge, may be padded.
    """
    header = page.keyframe
    size = sum(page.databytecounts)
    if 0 in page.databytecounts:
        raise FileError(f"{path}: some of its strips or tiles were never written, or are lost.")
    if header.compression in _ZLIB:
        segments = tiff.filehandle.read_segments(page.dataoffsets, page.databytecounts)
        size = sum(len(zlib.decompress(packed)) for packed, _ in segments)
    elif header.compression != 1:
        return
    row = -(-header.chunks[-1] * header.bitspersample // 8)
    padded = math.prod(header.chunked + header.chunks[:-1])
    if size not in (row * math.prod(header.shape[:-1]), row * padded):
        raise FileError(f"{path} is damaged: it has more or fewer pixels than its header says.")


def _open_png(path: Path, files: ExitStack) -> NDArray[Any]:
    pillow = import_extra("PIL.Image", f"{path} is a PNG image, which", "images")
    data = path.read_bytes()
    with pillow.open(io.BytesIO(data)) as unread:
        unread.verify()  # the checksums, which reading ignores
    picture = files.enter_context(pillow.open(io.BytesIO(data)))
    if picture.mode not in _GRAY:
        raise _colored(path)
    if getattr(picture, "n_frames", 1) > 1:
        raise _several(path, picture.n_frames)
    depth, color_type = data[24:26]
    pixels = np.asarray(picture)
    return pixels // _SCALED[depth] if color_type == 0 and depth in _SCALED else pixels


def _several(path: Path, n: int) -> FileError:
    return FileError(f"{path} holds {n} images; save the image to score in a separate file.")


def _colored(path: Path) -> FileError:
    return FileError(
        f"{path} has several numbers per pixel, such as colors; a label image has one."
    )
