"""The files that paths, patterns and folders mean.

A path that exists is taken as it is, even if it looks like a pattern.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterbits.errors import FileError, no_file
from clusterbits.reading.files.formats import form_by_name, is_store, recognise
from clusterbits.reading.request import MAGIC
from clusterbits.table.saving import is_saved


@dataclass(frozen=True)
class Source:
    """One file: its format, and how its text is written. It may be passed in place of a path."""

    path: Path
    form: str
    compressed: bool = False
    # Whether a CSV file begins with the names of its columns.
    header: bool = True
    # What separates its columns; None if that is detected.
    delimiter: str | None = None
    # What the file is a copy of, such as standard input.
    original: str | None = None

    def __str__(self) -> str:
        return self.original or str(self.path)

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def identity(self) -> tuple[int, int]:
        """The number of the file, which links to it share."""
        properties = self.path.stat()
        return properties.st_dev, properties.st_ino

    @property
    def is_table(self) -> bool:
        """Whether the file holds a saved table instead of labels."""
        return self.form == "json" and is_saved(self.path)

    @property
    def literal(self) -> str:
        """The path as DuckDB expects it: nothing in it is a pattern or a home folder."""
        return re.sub(r"([*?\[])", r"[\1]", str(self.path.absolute()))


def find_sources(paths: Any) -> list[Source]:
    """Return the files that a path, a pattern, a folder or several of them mean."""
    # A file that is named twice, or by a link next to itself, is one file.
    sources = list({source.identity: source for source in _search(paths)}.values())
    if not sources:
        raise FileError("no file was named.")
    first = sources[0]
    for other in sources:
        if other.form != first.form:
            raise FileError(
                f"{first} is {first.form} and {other} is {other.form}; files that are counted "
                "together have one format. To join classes and clusters, pass on= with a column "
                "of ids."
            )
    return sources


def name_together(sources: list[Source]) -> str:
    """Return how messages call several files."""
    more = len(sources) - 1
    return str(sources[0]) + (f" (and {more} more)" if more else "")


def _search(paths: Any) -> list[Source]:
    if isinstance(paths, Source):
        if paths.path.exists():
            return [paths]
        if paths.original is None:
            raise no_file(paths.path)
        raise FileError(
            f"{paths} was read by a temporary copy, which is gone; write it as UTF-8 first."
        )
    if isinstance(paths, Sequence) and not isinstance(paths, str | bytes):
        return [source for path in paths for source in _search(path)]
    return [Source(path, *recognise(path)) for path in find_paths(paths, _in_folder)]


def find_paths(name: Any, in_folder: Callable[[Path], list[Path]]) -> list[Path]:
    """Return the files that a path or a pattern means; `in_folder` lists those of a folder."""
    if not isinstance(name, str | os.PathLike) or not os.fspath(name):
        value = repr(name) if isinstance(name, str) else f"a {type(name).__name__}"
        raise FileError(f"{value} is not a path; name a file, a folder or a pattern such as *.csv.")
    path = Path(name)
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)[:80]}… cannot be a file: {error}.") from None
    if exists:
        return in_folder(path) if path.is_dir() and not is_store(path) else [path]
    if any(sign in str(name) for sign in MAGIC):
        matches = map(Path, sorted(glob.glob(str(name), recursive=True)))
        if files := [match for match in matches if not match.is_dir() or is_store(match)]:
            return files
        raise FileError(f"no file matches {str(name)!r}.")
    raise no_file(path)


def _in_folder(folder: Path) -> list[Path]:
    """Return the data files below a folder, without those of engines: names with . or _ first."""
    files = [path for path in list_files(folder, "._") if form_by_name(path)]
    if not files:
        raise FileError(f"{folder} is a folder without CSV, Parquet or JSON files.")
    return files


def list_files(folder: Path, hidden: str = ".") -> list[Path]:
    """Return the files below a folder, unless a name on the way begins with a hidden sign."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part[0] in hidden for part in path.relative_to(folder).parts)
    )


@contextmanager
def refusing_changes(sources: list[Source]) -> Iterator[None]:
    """Raise if a file has changed while it was read, whether or not that failed."""
    before = list(map(_state, sources))
    try:
        yield
    finally:
        for source, state in zip(sources, before, strict=True):
            if _state(source) != state:
                raise FileError(
                    f"{source} changed while it was read; run again when it is complete."
                )


def _state(source: Source) -> tuple[int, int] | None:
    try:
        properties = source.path.stat()
    except OSError:
        return None
    return properties.st_size, properties.st_mtime_ns
