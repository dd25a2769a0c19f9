"""Label columns of files, counted by DuckDB; only the table comes into Python.

CSV labels are compared as they are written (see `read_text`), an empty field is a missing label.
JSON and Parquet bring their own types. Columns are called by position and never by name in SQL,
and paths are values, so nothing that a file or its columns are called can be executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple

from clusterbits.core.duckdb import checked_utf8, import_duckdb, translating_errors
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import ColumnError, FileError, LabelError, MissingLabelError, first_line
from clusterbits.ingest.columns import read_json, read_stored, read_text
from clusterbits.ingest.files.arrays import open_arrays
from clusterbits.ingest.files.failures import name_together, translating
from clusterbits.ingest.files.folders import temporary_folder
from clusterbits.ingest.files.headers import Header, read_header
from clusterbits.ingest.files.integrity import checking
from clusterbits.ingest.files.observations import open_observations
from clusterbits.ingest.files.relations import count_relation
from clusterbits.ingest.files.schemas import (
    Schema,
    parquet_schemas,
    refuse_mixed_types,
)
from clusterbits.ingest.files.sources import Source, Watched, find_sources
from clusterbits.ingest.groups import Count, Reader, T
from clusterbits.ingest.selection import ColumnChoice, as_list, choose_columns, is_pattern
from clusterbits.parallel import Progress, watching

# What is no name of a column, unless someone says that it is.
_NUMBER = re.compile(r"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*")
# Bits of the largest table of counts that DuckDB may index directly instead of hashing: 4 million
# cells. Its own limit, 12, is meant for columns of a few flags.
_DIRECT_BITS = 22
# What to do where names of columns look like data.
NAME_BOTH = "say which is which, as truth='CLASSES' and pred='CLUSTERS'"


class Resources(NamedTuple):
    """What counting may use: memory (such as "2GB"), a folder to spill to, a progress bar."""

    memory_limit: str | None = None
    spill: Any = None
    progress: Progress = None


class Request(NamedTuple, Generic[T]):
    """What to count: columns by name or pattern, what their labels mean, how to read the files.

    `count_one` makes cells of what the engine has grouped, or tables by group, with a column
    `groups`.
    """

    truth: Any
    pred: Any
    weights: Any
    groups: Any
    policy: LabelPolicy
    delimiter: str | None
    resources: Resources
    count_one: Count[T]

    @property
    def others(self) -> list[Any]:
        """The names of the columns of weights and groups, where there are such."""
        return [name for name in (self.weights, self.groups) if name is not None]

    @property
    def wanted(self) -> list[Any]:
        """The names and patterns of all columns, None for a column without a name."""
        return [self.truth, *as_list(self.pred), *self.others]

    def choose(self, where: str, names: list[str]) -> ColumnChoice:
        """Return which columns of a source are meant."""
        return choose_columns(where, names, self.truth, self.pred, self.weights, self.groups)


class FileRows(NamedTuple):
    """Rows of one or several files as a relation, with the names of its columns by position."""

    relation: Any
    names: list[str]
    read: Reader
    sources: list[Source]
    # Where there are several files and they bring types: in what their columns may differ.
    schemas: Sequence[Schema] = ()

    @property
    def where(self) -> str:
        """The files' name in messages."""
        return name_together(self.sources)

    def refuse_mixed_types(self, chosen: Iterable[int]) -> None:
        """Raise where one of the chosen columns differs between the files."""
        refuse_mixed_types(self.schemas, [self.names[i] for i in chosen])


def count_files(sources: list[list[Source]], request: Request[T]) -> dict[str, T]:
    """Count the class column against each of the cluster columns of the rows of all files."""
    with connected(request.resources) as connection:
        rows = open_files(connection, find_sources(sources), request.delimiter, request.wanted)
        columns = request.choose(rows.where, rows.names)
        rows.refuse_mixed_types(columns.chosen)
        with reading(rows.sources):
            try:
                return count_relation(
                    rows.relation, columns, request.policy, rows.read, request.count_one
                )
            except LabelError as error:
                more = ""
                if isinstance(error, MissingLabelError):
                    connection.execute("set preserve_insertion_order = true")
                    more = _first_missing(rows, columns)
                raise type(error)(f"{rows.where}: {error}{more}") from None


def _first_missing(rows: FileRows, columns: ColumnChoice) -> str:
    """Return a sentence with the first row of a CSV file that lacks a label, if there is one."""
    if len(rows.sources) > 1 or rows.sources[0].form != "csv":
        return ""
    lacking = " or ".join(f"#{i + 2} is null" for i in (columns.truth, *columns.preds))
    numbered = rows.relation.project("row_number() over () as number, *")
    first = numbered.project(f"number, {lacking} as lacks").filter("lacks")
    row = first.aggregate("min(number)").fetchall()[0][0]
    return "" if row is None else f" The first is in row {row}."


@contextmanager
def connected(resources: Resources, database: str = ":memory:") -> Iterator[Any]:
    """Yield a connection with its own spill folder; close and remove them afterwards."""
    duckdb = import_duckdb("reading files")
    if not isinstance(resources.memory_limit, str | None):
        raise FileError(f"memory_limit={resources.memory_limit!r}: text, such as '4GB'.")
    with temporary_folder(resources.spill) as folder:
        # No extension is ever fetched from anywhere.
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": checked_utf8(folder),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        if resources.memory_limit is not None:
            config["memory_limit"] = checked_utf8(resources.memory_limit)
        read_only = database != ":memory:"
        what = database if read_only else f"memory_limit={resources.memory_limit!r}"
        with (
            translating_errors(lambda error: FileError(f"{what}: {first_line(error)}")),
            duckdb.connect(checked_utf8(database), read_only, config=config) as connection,
        ):
            connection.execute(f"set perfect_ht_threshold = {_DIRECT_BITS}")
            # Rows are counted, not listed: their order need not be kept.
            connection.execute("set preserve_insertion_order = false")
            percentage = getattr(connection, "query_progress", float)  # 0 in an older DuckDB
            with watching(resources.progress, percentage):
                yield connection


@contextmanager
def reading(*sides: list[Source]) -> Iterator[None]:
    """Turn DuckDB's errors into one line; refuse files that are not whole or change meanwhile."""
    sources = [source for some in sides for source in some]
    watched = Watched(sources)
    try:
        with checking(sources), translating(*sides):
            yield
    except FileError:
        watched.check()
        raise
    watched.check()


def open_files(
    connection: Any,
    sources: list[Source],
    delimiter: str | None,
    wanted: list[Any],
    advice: str = NAME_BOTH,
) -> FileRows:
    """Return the rows of files of one format.

    Where not all of the `wanted` columns have names that are found at once, JSON is searched for
    keys up to its end, and the header of CSV must look like one; `advice` says what to do where
    it does not, but is one.
    """
    form = sources[0].form
    if form == "csv":
        with translating(sources):
            rows = _open_csv(connection, sources, delimiter)
        unnamed = None in wanted and not any(name in wanted for name in rows.names)
        if unnamed and sources[0].header:
            _refuse_data_as_header(rows, advice)
        return rows
    if delimiter is not None:
        raise FileError(f"{sources[0]} is {form}; only CSV files have a delimiter.")
    if form in ("duckdb", "sqlite"):
        raise FileError(
            f"{sources[0]} is a {form} database; say what to count, such as "
            "sql='select species, cluster from labels'."
        )
    if form in ("numpy", "arrow", "anndata"):
        relation, schemas = (
            open_observations(connection, sources, wanted)
            if form == "anndata"
            else open_arrays(connection, sources)
        )
        return FileRows(relation, schemas[0].names, read_stored, sources, schemas)
    with translating(sources):
        return (_open_parquet if form == "parquet" else _open_json)(connection, sources, wanted)


def _open_parquet(connection: Any, sources: list[Source], wanted: list[Any]) -> FileRows:
    paths = [source.literal for source in sources]
    relation = connection.read_parquet(paths, union_by_name=len(paths) > 1)
    names = list(relation.columns)
    schemas = parquet_schemas(connection, sources)
    if len(sources) == 1:
        own = schemas[0].names
        names[: len(own)] = own
        return FileRows(relation, names, read_stored, sources, schemas)
    for source, own, *_ in schemas:
        if len({name.lower() for name in own}) < len(own):
            raise ColumnError(
                f"{source} has two columns of one name (capitals aside); several Parquet files "
                "are put together by the names of their columns. Rename one of the two."
            )
    return FileRows(relation, names, read_stored, sources, schemas)


def _open_json(connection: Any, sources: list[Source], wanted: list[Any]) -> FileRows:
    paths = [source.literal for source in sources]
    # DuckDB knows compressed files by their names only; a pipe has none.
    found = {source.compression for source in sources}
    # By the names that DuckDB before 2.0 knows too.
    compression = found.pop() if len(found) == 1 else "auto_detect"
    options = {
        "format": "auto",
        "compression": "uncompressed" if compression == "none" else compression,
    }
    known = list(connection.read_json(paths, **options).columns)
    if any(name is None or is_pattern(name) or name not in known for name in wanted):
        # A key that the first rows lack may come later.
        keys = connection.execute(
            "select distinct unnest(json_keys(json)) from "
            f"read_json_objects(?, format='auto', compression='{options['compression']}')",
            [paths],
        ).fetchall()
        known += sorted({key for (key,) in keys}.difference(known))
    # As JSON, 1 and "1" stay two labels.
    relation = connection.read_json(
        paths, columns=dict.fromkeys(known, "JSON"), hive_partitioning=False, **options
    )
    return FileRows(relation, known, read_json, sources)


def _open_csv(connection: Any, sources: list[Source], delimiter: str | None) -> FileRows:
    """Return the rows of CSV files with the same columns, in whatever order each has them."""
    alike: dict[tuple[Header, str], list[Source]] = {}
    for source in sources:
        header = read_header(source, delimiter)
        alike.setdefault((header, source.compression), []).append(source)
    names = next(iter(alike))[0].names
    union = None
    for (header, compression), some in alike.items():
        if sorted(header.names) != sorted(names):
            odd = next(iter({*header.names} ^ {*names}), header.names[0])
            raise ColumnError(f"{sources[0]} and {some[0]} differ in their columns: {odd!r}.")
        # Nothing is guessed, and the columns are called by number: names are only data.
        rows = connection.read_csv(
            [source.literal for source in some],
            auto_detect=False,
            header=some[0].header,
            columns={f"c{i}": "VARCHAR" for i in range(len(names))},
            delimiter=header.delimiter,
            quotechar='"',
            escapechar='"',
            compression=compression,
            hive_partitioning=False,
            strict_mode=header.strict,
        )
        if header.names != names:
            if len(set(names)) < len(names):
                raise ColumnError(f"{sources[0]} has two columns of one name.")
            rows = rows.project(", ".join(f"c{header.names.index(name)}" for name in names))
        union = rows if union is None else union.union(rows)
    return FileRows(union, list(names), read_text, sources)


def _refuse_data_as_header(rows: FileRows, advice: str) -> None:
    """Raise where columns were not named and the first line has numbers in the place of names."""
    if any(_NUMBER.fullmatch(name) for name in rows.names):
        columns = ", ".join(map(repr, rows.names[:5])) + ", …" * (len(rows.names) > 5)
        raise ColumnError(
            f"{rows.where} may lack a header: its first line has the names {columns}. If they are "
            f"names of columns, {advice}; else pass header=False, or add a line with "
            "names."
        )
