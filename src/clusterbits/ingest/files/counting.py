"""Label columns of files, of two joined files or of a database's query, counted where they are."""

from __future__ import annotations

from typing import Any

from clusterbits.errors import FileError, LabelError
from clusterbits.ingest.files.databases import count_query
from clusterbits.ingest.files.joins import count_joined
from clusterbits.ingest.files.readers import Request, count_files
from clusterbits.ingest.files.sources import Source
from clusterbits.ingest.groups import T


def count_columns(
    sources: list[list[Source]], on: Any, sql: str | None, request: Request[T]
) -> dict[str, T]:
    """Count the class column against each of the cluster columns, by the names of the latter."""
    unmatched = request.policy.unmatched
    if sql is not None and (on is not None or request.delimiter is not None):
        raise FileError("sql queries a database, which has no delimiter and joins by itself.")
    if on is None and unmatched != "error":
        raise FileError(f"unmatched={unmatched!r} is about two files; name their ids, as on='id'.")
    if request.groups is not None and unmatched == "class":
        raise LabelError(
            f"unmatched='class' does not go with {request.groups!r}: an object that one file lacks "
            "may have none. Use unmatched='drop'."
        )
    if sql is not None:
        return count_query(sources, sql, request)
    return count_files(sources, request) if on is None else count_joined(sources, on, request)
