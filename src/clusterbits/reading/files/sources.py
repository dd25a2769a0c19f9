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
    """One file that was found: what is in it, and how it is compressed.

    It may be given wherever a path may, and is then not looked for again.
    """

    path: Path
    form: str
    compression: str = "uncompressed"
    # Whether a CSV file begins with the names of its columns.
    header: bool = True
    # What the file is a copy of, such as standard input.
    original: str | None = None

    def __str__(self) -> str:
        return self.original or str(self.path)

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def identity(self) -> tuple[int, int]:
        """What links to one file have in common."""
        found = self.path.stat()
        return found.st_dev, found.st_ino

    @property
    def is_table(self) -> bool:
        """Whether the file holds a saved table instead of labels."""
        return self.form == "json" and is_saved(self.path)

    @property
    def literal(self) -> str:
        """The path as DuckDB expects it: nothing in it is a pattern or a home folder."""
        return re.sub(r"([*?\[])", r"[\1]", str(self.path.absolute()))


def find_sources(given: Any) -> list[Source]:
    """Return the files that a path, a pattern, a folder or several of them mean."""
    # A file that is named twice, or by a link beside itself, is one file.
    found = list({source.identity: source for source in _search(given)}.values())
    if not found:
        raise FileError("no file was named.")
    first = found[0]
    for other in found:
        if other.form != first.form:
            raise FileError(
                f"{first} is {first.form} and {other} is {other.form}; files that are counted "
                "together have one format. To join classes and clusters, pass on= with a column "
                "of ids."
            )
    return found


def name_together(sources: list[Source]) -> str:
    """Return how messages call several files."""
    more = len(sources) - 1
    return str(sources[0]) + (f" (and {more} more)" if more else "")


def _search(given: Any) -> list[Source]:
    if isinstance(given, Source):
        return [given]
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return [source for one in given for source in _search(one)]
    return [Source(path, *recognise(path)) for path in find_paths(given, _in_folder)]


def find_paths(given: Any, in_folder: Callable[[Path], list[Path]]) -> list[Path]:
    """Return the files that a path or a pattern means, of a folder those that are found in it."""
    if not isinstance(given, str | os.PathLike) or not os.fspath(given):
        raise FileError(
            f"{given!r} is not a path; name a file, a folder or a pattern such as *.csv."
        )
    path = Path(given)
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)[:80]}… cannot be a file: {error}.") from None
    if exists:
        return in_folder(path) if path.is_dir() and not is_store(path) else [path]
    if any(sign in str(given) for sign in MAGIC):
        found = map(Path, sorted(glob.glob(str(given), recursive=True)))
        if files := [path for path in found if not path.is_dir() or is_store(path)]:
            return files
        raise FileError(f"no file matches {str(given)!r}.")
    raise no_file(path)


def _in_folder(folder: Path) -> list[Path]:
    """Return the data files below a folder, without those of engines: names with . or _ first."""
    known = [path for path in list_files(folder, "._") if form_by_name(path)]
    if not known:
        raise FileError(f"{folder} is a folder without CSV, Parquet or JSON files.")
    return known


def list_files(folder: Path, hidden: str = ".") -> list[Path]:
    """Return the files below a folder, except where a name on the way begins with a hidden sign."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part[0] in hidden for part in path.relative_to(folder).parts)
    )


@contextmanager
def refusing_changes(sources: list[Source]) -> Iterator[None]:
    """Raise where a file has changed while it was read, whether or not that failed."""
    before = list(map(_state, sources))

    def check() -> None:
        for source, state in zip(sources, before, strict=True):
            if _state(source) != state:
                raise FileError(f"{source} changed while it was read; run again when it is whole.")

    try:
        yield
    except FileError:
        check()
        raise
    check()


def _state(source: Source) -> tuple[int, int] | None:
    try:
        found = source.path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
