"""DuckDB, where it is installed: reads files and saved Parquet tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clusterbits.errors import ClusterbitsError, FileError, import_extra


def import_duckdb(what: str) -> Any:
    """Return the duckdb module, or say what needs it."""
    return import_extra("duckdb", what, "cli")


@contextmanager
def translating_errors(readable: Callable[[Exception], ClusterbitsError]) -> Iterator[None]:
    """Raise DuckDB's errors as `readable` puts them, and its report of Ctrl-C as Ctrl-C."""
    duckdb = import_duckdb("reading files")
    try:
        yield
    # A RuntimeError for damaged Parquet before 1.3; an interval may be too long for Python.
    except (duckdb.Error, RuntimeError, OverflowError) as error:
        if isinstance(error, duckdb.InterruptException) or str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise readable(error) from None


def literal_path(path: Path) -> str:
    """Return a path as DuckDB expects it: nothing in it is a pattern or a home folder."""
    return re.sub(r"([*?\[])", r"[\1]", checked_utf8(str(path.absolute())))


def restrict_access(connection: Any) -> None:
    """Leave a connection nothing but its own database and spill folder, for good.

    Files, extensions, stored secrets and Python variables are then out of reach of any query, and
    of the views of a database that someone else made. So is the environment: DuckDB shows its
    settings to every query, and some of them are taken from there.
    """
    for setting in (
        "http_proxy = ''",
        "http_proxy_username = ''",
        "http_proxy_password = ''",
        "secret_directory = ''",
        "python_enable_replacements = false",
        "allow_persistent_secrets = false",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"set {setting}")


def checked_utf8(text: str) -> str:
    """Return text that DuckDB can be told; the names of files may be no text at all."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FileError(f"{text} is not UTF-8 text, which DuckDB needs.") from None
    return text
