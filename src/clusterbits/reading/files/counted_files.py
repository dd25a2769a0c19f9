"""Label columns of files, of two joined files or of a database's query, counted by DuckDB."""

from __future__ import annotations

from clusterbits.errors import ColumnError, FileError, error_prefix
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.files.databases import count_query
from clusterbits.reading.files.joins import count_joined
from clusterbits.reading.files.readers import open_relations
from clusterbits.reading.files.relations import count_rows
from clusterbits.reading.files.sources import find_sources, name_together
from clusterbits.reading.request import Request


def count_files(request: Request, policy: LabelPolicy) -> list[Tally]:
    """Count the class column against each of the cluster columns, or all jointly."""
    if request.sql is not None:
        if request.on is not None:
            raise FileError("sql= queries a database: pass it without on=.")
        return count_query(find_sources(request.data), request)
    if request.on is not None:
        return count_joined(request, policy)
    sources = find_sources(request.data)
    with open_relations(request, (sources, request.columns)) as (connection, (parts,)):
        where = name_together(sources)
        with error_prefix(where):
            try:
                tallies = count_rows(parts, request, connection)
            except ColumnError as error:
                if not isinstance(request.data, list) or len(request.data) != 2:
                    raise
                hint = "To join two files, pass on= with a column of ids."
                raise ColumnError(f"{error} {hint}") from None
    return [tally._replace(where=where) for tally in tallies]
