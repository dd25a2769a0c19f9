"""What DuckDB says of files that it cannot read, in one line."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager

from clusterbits.core.duckdb import translating_errors
from clusterbits.errors import FileError, first_line
from clusterbits.ingest.files.sources import Source


def translating(*sides: list[Source]) -> AbstractContextManager[None]:
    """Turn DuckDB's errors into one line that names the files."""
    where = " and ".join(map(name_together, sides))
    return translating_errors(lambda error: _readable(where, error))


def _readable(where: str, error: Exception) -> FileError:
    text = str(error)
    if type(error).__name__ == "OutOfMemoryException":
        return FileError(
            f"{where}: not enough memory, or disk to spill to: {first_line(error)} Allow "
            "more, such as memory_limit='8GB', or name a folder with more space, as spill='FOLDER'."
        )
    if "utf-8" in text.lower() or "unicode" in text.lower():
        return not_utf8(where)
    if keys := re.search(r"keys (.+) and (.+) differ only in case", text):
        return FileError(
            f"{where} has the keys {keys[1]} and {keys[2]}, which DuckDB takes for one column. "
            "Rename one of them."
        )
    line = re.search(r"CSV Error on Line: (\d+)", text)
    place = f" (line {line.group(1)})" if line else ""
    if "state machine" in text:
        reason = "its quotes are not those of CSV, or its lines end in two ways (\\r\\n and \\n)."
        return FileError(f"{where} cannot be read{place}: {reason}")
    what = re.search(r"Expected Number of Columns.*|Value with unterminated quote.*", text)
    reason = what.group() if what else first_line(error)
    return FileError(f"{where} cannot be read{place}: {reason}")


def not_utf8(where: str) -> FileError:
    return FileError(
        f"{where} is not UTF-8 text; name its encoding, such as encoding='latin-1' or "
        "utf-16, or convert it with iconv."
    )


def name_together(sources: list[Source]) -> str:
    more = len(sources) - 1
    return str(sources[0]) + (f" (and {more} more)" if more else "")
