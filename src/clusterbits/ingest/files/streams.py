"""Files as the command line names them: also standard input, pipes, and text in any encoding.

What cannot be read twice, and text that is not UTF-8, is copied to a temporary file first.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from encodings import aliases
from pathlib import Path
from typing import IO, Any

from clusterbits.errors import ClusterbitsError, FileError, did_you_mean
from clusterbits.ingest.files.folders import temporary_folder
from clusterbits.ingest.files.formats import TEXT
from clusterbits.ingest.files.sources import Source, find_sources

STANDARD_INPUT = "/dev/stdin"
_BLOCK = 1 << 20


@contextmanager
def opening(
    files: Sequence[str],
    *,
    spill: Any = None,
    encoding: str | None = None,
    header: bool = True,
) -> Iterator[list[list[Source]]]:
    """Yield the files that each argument means; remove the copies that were made afterwards."""
    refuse_one_stream_twice(files)
    copies: dict[Path, str] = {}
    copying = temporary_folder(spill) if any(map(is_stream, files)) else nullcontext("")
    with copying as folder, _naming_originals(copies):
        found = [_copy_stream(f, folder, copies) if is_stream(f) else f for f in files]
        with reading_as(found, spill=spill, encoding=encoding, header=header) as sources:
            yield sources


@contextmanager
def reading_as(
    given: Any, *, spill: Any = None, encoding: str | None = None, header: bool = True
) -> Iterator[list[list[Source]]]:
    """Yield the files that a path, or each of several, means: in UTF-8, with a header or not."""
    if not isinstance(header, bool):
        raise FileError(f"header={header!r}: True where CSV begins with names, or False.")
    several = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    found = [find_sources(one) for one in (given if several else [given])]
    if (encoding is None and header) or not found:
        yield found
        return
    copies: dict[Path, str] = {}
    with temporary_folder(spill) as folder, _naming_originals(copies):
        if encoding is not None:
            _check_encoding(encoding)
            found = [[_recode(s, encoding, folder, copies) for s in some] for some in found]
        if not header:
            found = [[replace(s, header=s.form != "csv") for s in some] for some in found]
        _refuse_idle_options(found, encoding, header)
        yield found


@contextmanager
def _naming_originals(copies: dict[Path, str]) -> Iterator[None]:
    """Let errors call a copy by what it is a copy of."""
    try:
        yield
    except ClusterbitsError as error:
        text = str(error)
        for copy, name in copies.items():
            text = text.replace(str(copy), name)
        error.args = (text,)
        raise


def is_stream(file: str | os.PathLike[str]) -> bool:
    """Whether a file can be read only once: standard input, or a pipe."""
    if str(file) == STANDARD_INPUT:
        return True
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)
    except (OSError, ValueError):  # looking for it says why
        return False


def name_file(file: str | os.PathLike[str]) -> str:
    """Return how messages call a file."""
    return "standard input" if str(file) == STANDARD_INPUT else str(file)


@contextmanager
def open_stream(file: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield the bytes of standard input or of a pipe; refuse a terminal."""
    if str(file) != STANDARD_INPUT:
        with open(file, "rb") as stream:
            yield stream
        return
    if sys.stdin is None or sys.stdin.closed:
        raise FileError("standard input is closed; pipe a file into it, or name one.")
    if sys.stdin.isatty():
        raise FileError(
            "nothing is piped into standard input (-). Name a file, or pipe one: cat "
            "labels.csv | clusterbits score -"
        )
    yield sys.stdin.buffer


def refuse_one_stream_twice(files: Sequence[str]) -> None:
    """Raise where standard input or a pipe is to be read for two purposes."""
    streams = [file for file in files if is_stream(file)]
    for file in streams:
        if streams.count(file) > 1:
            raise FileError(f"{name_file(file)} was given twice; it can be read only once.")


def _copy_stream(file: str, folder: str, copies: dict[Path, str]) -> Path:
    """Return the copy of a stream, which has the stream's name in a folder of its own."""
    name = name_file(file)
    copy = _place(name, folder, copies)
    try:
        with open_stream(file) as stream, copy.open("xb") as target:
            shutil.copyfileobj(stream, target, _BLOCK)
    except OSError as error:
        raise _failed_copy(name, error) from None
    return copy


def _recode(source: Source, encoding: str, folder: str, copies: dict[Path, str]) -> Source:
    """Return a text file as UTF-8; any other file as it is."""
    if source.form not in TEXT or source.is_table:
        return source
    name = copies.get(source.path, str(source))
    if source.compression == "zstd":
        raise FileError(
            f"{name} is compressed with zstd, which encoding does not read; pipe it: "
            f"zstdcat FILE | clusterbits score - --encoding {encoding}"
        )
    opened = gzip.open if source.compression == "gzip" else open
    copy = _place(name, folder, copies)
    try:
        with (
            opened(source.path, "rb") as stream,
            io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
            copy.open("x", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(text, target, _BLOCK)
    except UnicodeError:
        raise FileError(f"{name} is not {encoding} text.") from None
    except (EOFError, zlib.error) as error:
        raise FileError(f"{name} cannot be read: {error}.") from None
    except OSError as error:
        raise _failed_copy(name, error) from None
    return replace(source, path=copy, compression="none")


def _place(name: str, folder: str, copies: dict[Path, str]) -> Path:
    own = Path(folder).absolute() / str(len(copies))
    own.mkdir()
    place = own / Path(name).name
    copies[place] = name
    return place


def _failed_copy(name: str, error: OSError) -> FileError:
    return FileError(
        f"{name} cannot be copied to a temporary file: {error.strerror or error}. "
        "spill='FOLDER' names another folder for it."
    )


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(encoding)
    except (LookupError, ValueError, TypeError):
        known = {*aliases.aliases, *aliases.aliases.values()}
        names = sorted(name.replace("_", "-") for name in known)
        hint = did_you_mean(str(encoding).replace("_", "-"), names)
        raise FileError(
            f"encoding={encoding!r} is no encoding of text; latin-1, cp1252 and utf-16 are.{hint}"
        ) from None


def _refuse_idle_options(found: list[list[Source]], encoding: str | None, header: bool) -> None:
    """Refuse an option that none of the files has a use for."""
    first = found[0][0]
    forms = {source.form for some in found for source in some if not source.is_table}
    if encoding is not None and forms.isdisjoint(TEXT):
        raise FileError(f"{first} is {first.form}; only text has an encoding.")
    if not header and "csv" not in forms:
        raise FileError(f"{first} is {first.form}; header=False is about CSV.")
