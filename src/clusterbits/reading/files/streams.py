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
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

from clusterbits.errors import FileError, check_flag, translating
from clusterbits.reading.files.formats import TEXT, recognise
from clusterbits.reading.files.readers import temporary_folder
from clusterbits.reading.files.sources import Source, find_sources
from clusterbits.reading.request import Request

STANDARD_INPUT = "/dev/stdin"
_BLOCK = 1 << 20
_TEXT_OPTIONS = ("encoding", "header", "delimiter")


@contextmanager
def opening(
    paths: Any,
    *,
    spill: Any = None,
    encoding: str | None = None,
    header: bool = True,
    delimiter: str | None = None,
) -> Iterator[list[list[Source]]]:
    """Yield the files that a path, or each of several, means, in UTF-8; remove copies afterwards.

    `header` and `delimiter` say how CSV files are written.
    """
    check_flag("header", header)
    several = isinstance(paths, Sequence) and not isinstance(paths, str | bytes)
    files = list(paths) if several else [paths]
    refuse_one_stream_twice(files)
    with ExitStack() as stack:
        folder = ""
        if encoding is not None or any(map(is_stream, files)):
            folder = stack.enter_context(temporary_folder(spill))
        sides = [
            [_copy_stream(file, folder)] if is_stream(file) else find_sources(file)
            for file in files
        ]
        for source in chain.from_iterable(sides):
            if delimiter is not None and source.form != "csv":
                raise FileError(f"{source} is {source.form}; only CSV files have a delimiter.")
        if encoding is not None:
            sides = [[_recode(source, encoding, folder) for source in side] for side in sides]
        yield [
            [replace(source, header=header, delimiter=delimiter) for source in side]
            for side in sides
        ]


@contextmanager
def requesting(paths: Any, truth: Any, pred: Any, **options: Any) -> Iterator[Request]:
    """Yield the request for columns of files; the options are those of `SourceOptions`."""
    text = {name: options.pop(name) for name in _TEXT_OPTIONS if name in options}
    with opening(paths, spill=options.get("spill"), **text) as sources:
        yield Request(sources, truth, pred, **{"progress": None, **options})


def is_stream(file: Any) -> bool:
    """Whether a file can be read only once: standard input, or a pipe."""
    if not isinstance(file, str | os.PathLike):  # os.stat would take a number for an open file
        return False
    if str(file) == STANDARD_INPUT:
        return True
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)
    except (OSError, ValueError):  # looking for it says why
        return False


def name_file(file: str | os.PathLike[str]) -> str:
    """Return the name of a file in messages."""
    return "standard input" if str(file) == STANDARD_INPUT else str(file)


@contextmanager
def open_stream(file: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield the bytes of standard input or of a pipe; raise for a terminal."""
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


def refuse_one_stream_twice(files: Sequence[Any]) -> None:
    """Raise if standard input or a pipe is to be read for two purposes."""
    streams = [file for file in files if is_stream(file)]
    for file in streams:
        if streams.count(file) > 1:
            raise FileError(f"{name_file(file)} was given twice; it can be read only once.")


def _new_path(folder: str, name: str) -> Path:
    """Return the path of a copy of a file, in a new folder."""
    return Path(tempfile.mkdtemp(dir=folder)) / Path(name).name


def _copy_stream(file: Any, folder: str) -> Source:
    name = name_file(file)
    copy = _new_path(folder, name)
    with (
        translating(f"{name} cannot be copied to a temporary file"),
        open_stream(file) as stream,
        copy.open("xb") as target,
    ):
        shutil.copyfileobj(stream, target, _BLOCK)
    return Source(copy, *recognise(copy, name), original=name)


def _recode(source: Source, encoding: str, folder: str) -> Source:
    """Return a text file as UTF-8; any other file as it is."""
    if source.form not in TEXT or source.is_table:
        return source
    opened = gzip.open if source.compressed else open
    copy = _new_path(folder, str(source))
    with (
        translating(f"{source} cannot be read as {encoding!r} text"),
        opened(source.path, "rb") as stream,
        io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
        copy.open("x", encoding="utf-8", newline="") as target,
    ):
        shutil.copyfileobj(text, target, _BLOCK)
    return replace(source, path=copy, compressed=False, original=str(source))
