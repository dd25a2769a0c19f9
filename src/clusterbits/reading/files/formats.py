"""The format of a file, by its first bytes; only text goes by its name as well."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from clusterbits.errors import FileError, no_file, refuse_device, translating

# Formats whose rows are text: these have an encoding.
TEXT = ("csv", "json")
_SUFFIXES = {
    "csv": (".csv", ".tsv", ".tab", ".txt", ".psv"),
    "json": (".json", ".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
}
_BEGINNINGS = {
    # Each has bytes that text does not: PAR1 alone might be the name of a column.
    "parquet": rb"PAR1[^\t\n\r -~]",
    "sqlite": rb"SQLite format 3\0",
    "duckdb": rb".{8}DUCK.{0,7}\0",
    "npy": rb"\x93NUMPY",
    # The name of its first array comes after 26 bytes; other zip archives are not read.
    "npz": rb"PK\x03\x04.{26}[^/\0]+?\.npy",
    "arrow": rb"ARROW1|\xff{4}.{4}",
    # A block of the user's own may stand before it, as MATLAB writes one.
    "HDF5": rb"(?:.{512}|.{1024}|.{2048})?\x89HDF\r\n\x1a\n",
    "TIFF": rb"II[*+]\0|MM\0[*+]",
    "PNG": rb"\x89PNG",
}
_GZIP = b"\x1f\x8b"
# What is not read, and what to do instead.
_UNREAD = {
    b"PK\x03\x04": "a zip archive, such as an Excel workbook: save the labels in it as CSV",
    b"BZh": "compressed with bzip2; gzip is read: decompress it with bunzip2",
    b"\xfd7zXZ\0": "compressed with xz; gzip is read: decompress it with unxz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; gzip is read: decompress it with unzstd",
}
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*["}]|\[\s*\{)')
# Bytes that contain all beginnings.
_START = 2056


def recognise(path: Path, name: str | None = None) -> tuple[str, bool]:
    """Return the format of a file and whether it is compressed; `name` is its name in errors."""
    if is_store(path):
        return "Zarr", False
    if not path.exists():
        raise no_file(path)
    refuse_device(path)
    with translating(f"{path} cannot be read"), path.open("rb") as stream:
        start = stream.read(_START)
    if not start:
        raise FileError(f"{name or path} is empty; a header and at least one row are needed.")
    for form, begins in _BEGINNINGS.items():
        if re.match(begins, start, re.DOTALL):
            return form, False
    for magic, advice in _UNREAD.items():
        if start.startswith(magic):
            raise FileError(f"{name or path} is {advice}.")
    compressed = is_gzip(start)
    form_named = form_by_name(path)
    if form_named in TEXT:
        return form_named, compressed
    if compressed:
        start = _inside_gzip(start)
    return "json" if _JSON.match(start) else "csv", compressed


def is_gzip(data: bytes) -> bool:
    """Whether the bytes of a file are compressed."""
    return data.startswith(_GZIP)


def form_by_name(path: Path) -> str:
    """Return the format by a file's name, of those that a folder is searched for; else ""."""
    name = path.name.lower().removesuffix(".gz")
    return next((form for form, suffixes in _SUFFIXES.items() if name.endswith(suffixes)), "")


def is_store(path: Path) -> bool:
    """Whether a folder is a Zarr store, which is read as one file."""
    return any((path / name).is_file() for name in (".zgroup", ".zarray", "zarr.json"))


def _inside_gzip(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(start)
    except zlib.error:  # reading it says why
        return b""
