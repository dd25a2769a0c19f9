"""Label columns of files, of two joined files or of a database's query, counted where they are."""

from __future__ import annotations

from contextlib import ExitStack

from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import ColumnError, FileError, LabelError, naming
from clusterbits.ingest.files.databases import count_query
from clusterbits.ingest.files.joins import count_joined
from clusterbits.ingest.files.readers import Reading, connected, open_files, reading
from clusterbits.ingest.files.relations import Rows, count_rows
from clusterbits.ingest.files.sources import Source, find_sources
from clusterbits.ingest.selection import Wanted
from clusterbits.ingest.tallies import EngineTally


def count_files(
    sides: list[list[Source]],
    wanted: Wanted,
    policy: LabelPolicy,
    options: Reading,
) -> dict[str, EngineTally]:
    """Count the class column against each of the cluster columns, by the names of the latter."""
    on, sql = options.on, options.sql
    if sql is not None and (on is not None or options.delimiter is not None):
        raise FileError("sql queries a database, which has no delimiter and joins by itself.")
    if on is None and policy.unmatched != "error":
        raise FileError(
            "the option unmatched is about two files, joined on a column of ids (option on)."
        )
    if wanted.groups is not None and policy.unmatched == "class":
        raise LabelError(
            f"the option unmatched makes no class of objects where there are groups: an object "
            f"that one file lacks may have no {wanted.groups!r}. It can drop them."
        )
    if sql is not None:
        return count_query(find_sources(sides), wanted, options)
    if on is not None:
        return count_joined(sides, wanted, policy, options)
    sources = find_sources(sides)
    with ExitStack() as files, connected(options) as connection, reading(sources):
        rows = open_files(connection, sources, options.delimiter, wanted.every, files)
        with naming(rows.where):
            try:
                counted = count_rows(rows.parts, wanted, rows.read)
            except ColumnError as error:
                hint = _suggest_join(rows.parts, wanted) if len(sides) == 2 else ""
                raise ColumnError(f"{error}{hint}") from None
    return {name: tally._replace(where=rows.where) for name, tally in counted.items()}


def _suggest_join(parts: list[Rows], wanted: Wanted) -> str:
    """Return the option that joins two files, with its value where they share one column."""
    truth, *_, pred = (part.names for part in parts)
    shared = [name for name in truth if name in pred and name not in wanted.every]
    if len(shared) != 1:
        return " Two files are joined by a column of ids, the option on (--on)."
    return f" Both have {shared[0]!r}: to join them by it, pass on={shared[0]!r} (--on)."
