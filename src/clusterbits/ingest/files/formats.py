"""The format of a file, by its first bytes; only text needs the file's name as well.

What cannot be read is named for what it is, with the way to turn it into something that can.
"""

from __future__ import annotations

import gzip
import re
import zipfile
import zlib
from pathlib import Path

from clusterbits.errors import FileError

# Formats whose rows are text: these have an encoding.
TEXT = ("csv", "json")
# Formats that a folder is searched for; arrays beside them may be anything.
IN_FOLDERS = (*TEXT, "parquet")
_SUFFIXES = {
    "parquet": (".parquet", ".pq"),
    "json": (".json", ".jsonl", ".ndjson"),
    "csv": (".csv", ".tsv", ".tab", ".txt", ".psv"),
    "numpy": (".npy", ".npz"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "anndata": (".h5ad",),
}
_COMPRESSED = (".gz", ".zst", ".zstd")
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
# Enough to see that a file is a tar archive.
_LOOKED_AT = 512
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*["}]|\[\s*\{)')
_KNOWN = {
    # Each has bytes that text does not: PAR1 alone might be the name of a column.
    "parquet": re.compile(rb"PAR1[^\t\n\r -~]"),
    "sqlite": re.compile(b"SQLite format 3\0"),
    "duckdb": re.compile(b".{8}DUCK.{0,7}\0", re.DOTALL),
    "numpy": re.compile(b"\x93NUMPY"),
    "arrow": re.compile(b"ARROW1|\xff{4}.{4}", re.DOTALL),
    "anndata": re.compile(b"\x89HDF\r\n\x1a\n"),
}
_FOREIGN = {
    rb"II[*+]\0|MM\0[*+]|\x89PNG": "an image; name two label images and no columns: clusterbits "
    "score truth.tif pred.tif",
    rb"\xd0\xcf\x11\xe0": "an old Excel workbook; save it as CSV",
    rb"FEA1": "a Feather file of version 1; save it as Parquet",
    rb"\x80[\x02-\x05]": "a Python pickle, which can run any code and is never read; save it as "
    "CSV or Parquet",
    rb"RD[ABX][23]\n|[XA]\n\0\0|A\n[23]\n\d{6}\n": "R data; in R, write.csv(x, 'labels.csv', "
    "row.names = FALSE)",
    rb".{257}ustar": "a tar archive; unpack it and name the files in it",
    rb"BZh[1-9]": "compressed with bzip2; pipe it: bzcat FILE | clusterbits score -",
    rb"\xfd7zXZ\0": "compressed with xz; pipe it: xzcat FILE | clusterbits score -",
}


def form_by_name(path: Path) -> str | None:
    """Return the format that a file's name promises."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    return next((form for form, known in _SUFFIXES.items() if last in known), None)


def is_store(path: str | Path) -> bool:
    """Whether a folder is a Zarr store, which is read as one file."""
    return any((Path(path) / name).is_file() for name in (".zgroup", "zarr.json"))


def recognise(path: Path) -> tuple[str, str]:
    """Return the format of a file and its compression; refuse what cannot be read."""
    if path.is_dir():
        return "anndata", "none"
    try:
        with path.open("rb") as stream:
            start = stream.read(_LOOKED_AT)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from None
    if not start:
        raise FileError(f"{path} is empty; a header and at least one row are needed.")
    for form, begins in _KNOWN.items():
        if begins.match(start):
            return form, "none"
    if start.startswith(_ZIP):
        return _inside_zip(path), "none"
    compression = {_GZIP: "gzip", _ZSTD: "zstd"}.get(
        start[: 2 if start[:2] == _GZIP else 4], "none"
    )
    if compression == "gzip":
        start = _inside_gzip(path)
        for form in ("parquet", "anndata"):
            if _KNOWN[form].match(start):
                raise FileError(f"{path} is {_TITLES[form]} in gzip; decompress it first.")
    _refuse_foreign(path, start)
    form = form_by_name(path) or ("json" if _JSON.match(start) else "csv")
    if form not in TEXT:
        raise FileError(f"{path} is called {_TITLES[form]} and is not: {_BEGINNINGS[form]}.")
    return form, compression


_TITLES = {"parquet": "Parquet", "numpy": "NumPy", "arrow": "Arrow", "anndata": "AnnData"}
_BEGINNINGS = {
    "parquet": "it does not begin with PAR1",
    "numpy": "it is no array that np.save or np.savez wrote",
    "arrow": "it does not begin with ARROW1",
    "anndata": "it is no HDF5 file",
}


def _refuse_foreign(path: Path, start: bytes) -> None:
    for begins, what in _FOREIGN.items():
        if re.match(begins, start, re.DOTALL):
            raise FileError(f"{path} is {what}.")


def _inside_gzip(path: Path) -> bytes:
    try:
        with gzip.open(path) as stream:
            return stream.read(_LOOKED_AT)
    except (OSError, EOFError, zlib.error):  # reading it says why
        return b""


def _inside_zip(path: Path) -> str:
    """Return "numpy" for an archive of arrays; refuse any other."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        raise FileError(f"{path} is a damaged zip archive: {error}.") from None
    if names and all(name.endswith(".npy") for name in names):
        return "numpy"
    if any(name.startswith("xl/") for name in names):
        raise FileError(f"{path} is an Excel workbook; save it as CSV.")
    if "content.xml" in names:
        raise FileError(f"{path} is an OpenDocument file; save it as CSV.")
    raise FileError(f"{path} is a zip archive; unpack it and name the files in it.")
