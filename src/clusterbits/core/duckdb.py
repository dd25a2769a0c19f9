"""DuckDB, where it is installed: reads files and saved Parquet tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from clusterbits.errors import MissingExtraError


def import_duckdb(what: str) -> Any:
    """Return the duckdb module, or say what needs it."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError(what, "cli") from None
    return duckdb


def literal_path(path: Path) -> str:
    """Return a path as DuckDB has to be told it: nothing in it is a pattern or a home folder."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))
