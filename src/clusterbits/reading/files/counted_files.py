"""Label columns of files, of two joined files or of a database's query, counted where they are."""

from __future__ import annotations

from clusterbits.errors import ColumnError, FileError, error_prefix
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.files.databases import count_query
from clusterbits.reading.files.joins import count_joined
from clusterbits.reading.files.readers import open_relations
from clusterbits.reading.files.relations import Relation, count_rows
from clusterbits.reading.files.sources import find_sources, name_together
from clusterbits.reading.request import Request, free_columns


def count_files(request: Request, policy: LabelPolicy) -> list[Tally]:
    """Count the class column against each of the cluster columns, or all jointly."""
    if request.sql is not None:
        if request.on is not None:
            raise FileError("sql= queries a database: pass it without on=.")
        return count_query(find_sources(request.data), request)
    if request.on is not None:
        return count_joined(request, policy)
    sources = find_sources(request.data)
    with open_relations(request, (sources, request.columns)) as (_, (parts,)):
        where = name_together(sources)
        with error_prefix(where):
            try:
                tallies = count_rows(parts, request)
            except ColumnError as error:
                hint = _suggest_join(parts, request) if len(request.data) == 2 else ""
                raise ColumnError(f"{error}{hint}") from None
    return [tally._replace(where=where) for tally in tallies]


def _suggest_join(parts: list[Relation], request: Request) -> str:
    """Return the option that joins two files, with its value if they share one column."""
    truth, *_, pred = (part.names for part in parts)
    free = [truth[i] for i in free_columns(truth, request.columns)]
    shared = [name for name in free if name in pred]
    if len(shared) != 1:
        return " To join two files, pass on= with a column of ids."
    return f" Both have {shared[0]!r}: to join them by it, pass on={shared[0]!r}."
