"""The files that paths, patterns and folders mean.

A path that exists is taken as it is, even if it looks like a pattern.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterbits.core.duckdb import literal_path
from clusterbits.core.storage import is_saved
from clusterbits.errors import FileError, no_file, refuse_device
from clusterbits.ingest.files.formats import IN_FOLDERS, form_by_name, is_store, recognise
from clusterbits.ingest.selection import MAGIC


@dataclass(frozen=True)
class Source:
    """One file that was found: what is in it, and how it is compressed (none, gzip or zstd).

    It may be given wherever a path may, and is then not looked for again.
    """

    path: Path
    form: str
    compression: str
    # Whether a CSV file begins with the names of its columns.
    header: bool = True

    def __str__(self) -> str:
        return str(self.path)

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
        return is_saved(self.path)

    @property
    def literal(self) -> str:
        """The path as DuckDB has to be given it."""
        return literal_path(self.path)


def find_sources(given: Any) -> list[Source]:
    """Return the files that a path, a pattern, a folder or several of them mean."""
    # A file that is named twice, or by a link beside itself, is one file.
    found = list({source.identity: source for source in _search(given)}.values())
    if not found:
        raise FileError("no file was named.")
    forms = {source.form: source for source in found}
    if len(forms) > 1:
        one, other = list(forms.values())[:2]
        raise FileError(
            f"{one} is {one.form} and {other} is {other.form}; files that are counted together "
            "have one format. Name those of one format."
        )
    return found


def _search(given: Any) -> list[Source]:
    if isinstance(given, Source):
        return [given]
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return [source for one in given for source in _search(one)]
    return [_source(path) for path in find_paths(given, _in_folder)]


def find_paths(given: Any, in_folder: Callable[[Path], list[Path]]) -> list[Path]:
    """Return the files that a path or a pattern means, of a folder those that are found in it."""
    if not isinstance(given, str | os.PathLike):
        raise FileError(f"{given!r} is no path; name a file, a folder or a pattern such as *.csv.")
    if not os.fspath(given):
        raise FileError("a path is empty; name a file, a folder or a pattern such as *.csv.")
    path = Path(given)
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)[:80]}… cannot be a file: {error}.") from None
    if exists:
        return in_folder(path) if path.is_dir() and not is_store(path) else [path]
    if any(sign in str(given) for sign in MAGIC):
        found = sorted(glob.glob(str(given), recursive=True))
        if files := [Path(name) for name in found if not os.path.isdir(name) or is_store(name)]:
            return files
        raise FileError(f"no file matches {str(given)!r}.")
    raise no_file(path)


def _in_folder(folder: Path) -> list[Path]:
    """Return the data files below a folder, without those of engines: names with . or _ first."""
    known = [path for path in list_files(folder, "._") if form_by_name(path) in IN_FOLDERS]
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


def _source(path: Path) -> Source:
    refuse_device(path)
    return Source(path, *recognise(path))


class Watched:
    """Files that must not change while they are read."""

    def __init__(self, sources: list[Source]) -> None:
        self._before = {source.path: _state(source.path) for source in sources}

    def check(self) -> None:
        """Raise where a file has changed."""
        for path, before in self._before.items():
            if _state(path) != before:
                raise FileError(f"{path} changed while it was read; run again when it is whole.")


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
