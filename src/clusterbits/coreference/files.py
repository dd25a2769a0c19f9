"""The files of one side: columns of CoNLL or JSON, plain or gzip, one or a folder of them."""

from __future__ import annotations

import gzip
import io
from os import PathLike
from pathlib import Path

from clusterbits.coreference.annotation import Annotation
from clusterbits.coreference.columns import read_columns
from clusterbits.coreference.json_files import read_json
from clusterbits.errors import FileError, refuse_device, translating
from clusterbits.ingest.files.formats import compression_of
from clusterbits.ingest.files.sources import find_paths, list_files
from clusterbits.ingest.files.streams import is_stream, name_file, open_stream
from clusterbits.limits import check_memory

# How the names of files end that a folder is searched for.
_ENDINGS = ("conll", ".json", ".jsonl", ".jsonlines", ".ndjson", ".key", ".response")
_MARK = b"\xef\xbb\xbf"
# What reading took for each byte of a file.
_BYTES = 12
_BLOCK = 1 << 24


def read_annotation(
    path: str | PathLike[str], key: str | PathLike[str] | None = None, *, is_key: bool
) -> Annotation:
    """Return the annotation in a file, or in all that a folder or a pattern has.

    Where the `key` is of the same path, a response of records has to have predictions.
    """
    paths, name = find_paths(path, _search), name_file(path)
    folder = paths != [Path(path)]  # or a pattern
    if not is_stream(path):
        _check_size(name, sum(one.stat().st_size for one in paths))
    files = [(str(one) if folder else name, _read(one)) for one in paths]
    starts = [data.lstrip()[:1] for _, data in files]
    as_json = [start in (b"{", b"[") for start in starts]
    for (file, _), start in zip(files, starts, strict=True):
        if not start:
            raise FileError(f"{file} is empty; files of CoNLL-2012 and JSON are read.")
    if not any(as_json):
        return read_columns(files, name)
    if not all(as_json):
        one, other = files[as_json.index(True)][0], files[as_json.index(False)][0]
        raise FileError(f"{one} is JSON and {other} is not; a folder has files of one format.")
    stems = [one.name.partition(".")[0] for one in paths] if folder else None
    has_both = key is not None and Path(key).resolve() == Path(path).resolve()
    return read_json(files, name, stems, is_key=is_key, has_both=has_both)


def _search(folder: Path) -> list[Path]:
    known = [
        path
        for path in list_files(folder)
        if path.name.removesuffix(".gz").lower().endswith(_ENDINGS)
    ]
    if not known:
        raise FileError(
            f"{folder} is a folder without coreference files: those whose names end with "
            f"{', '.join(_ENDINGS)} are read, with or without .gz."
        )
    return known


def _read(path: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    with translating(f"{path} cannot be read"):
        if is_stream(path):
            with open_stream(path) as stream:
                data = stream.read()
        else:
            refuse_device(path)
            data = path.read_bytes()
        if compression_of(data) == "gzip":
            data = _unpack(path, data)
    if b"\r" in data:  # line ends of Windows and of old Macs; a text in JSON has none
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.removeprefix(_MARK)


def _unpack(path: Path, data: bytes) -> bytes:
    """Return what is in a gzip file, unless it is far larger than the file."""
    blocks, size = [], 0
    with gzip.open(io.BytesIO(data)) as stream:
        while block := stream.read(_BLOCK):
            size += len(block)
            _check_size(str(path), size)
            blocks.append(block)
    return b"".join(blocks)


def _check_size(name: str, size: int) -> None:
    check_memory(_BYTES * size, f"reading {name}")
