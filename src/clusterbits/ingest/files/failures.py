"""What DuckDB says of files that it cannot read, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from clusterbits.errors import FileError, first_line
from clusterbits.ingest.files.relations import raise_interrupt
from clusterbits.ingest.files.sources import Source


@contextmanager
def translating_errors(*sides: list[Source]) -> Iterator[None]:
    """Turn DuckDB's errors into one line."""
    import duckdb

    where = " and ".join(map(name_together, sides))
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise FileError(
            f"{where}: not enough memory, or disk to spill to: {first_line(error)} Raise "
            "memory_limit (--memory-limit), or name a folder with more space with spill (--spill)."
        ) from None
    except (duckdb.Error, RuntimeError) as error:  # the latter for damaged Parquet before 1.3
        raise_interrupt(error)
        raise _readable(where, error) from None


def _readable(where: str, error: Exception) -> FileError:
    text = str(error)
    if "utf-8" in text.lower() or "unicode" in text.lower():
        return not_utf8(where)
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
        f"{where} is not UTF-8 text; name its encoding, such as --encoding latin-1 or utf-16, or "
        "convert it with iconv."
    )


def name_together(sources: list[Source]) -> str:
    more = len(sources) - 1
    return str(sources[0]) + (f" (and {more} more)" if more else "")
