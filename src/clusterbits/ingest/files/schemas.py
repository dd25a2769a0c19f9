"""The columns of files that are read as one: each has one type in all of them, or is refused.

DuckDB would promote the types. Timestamps without a time zone would become those of the machine's,
and numbers beside text would be written out: 1 as ``1`` or as ``1.0``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from clusterbits.core.duckdb import literal_path
from clusterbits.errors import ColumnError
from clusterbits.ingest.files.sources import Source

INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")}
INTEGERS |= {"INTEGER", "UINTEGER", "HUGEINT"}
# They are numbers together: whole floats are integers, and too large ones are refused.
_NUMBERS = INTEGERS | {"FLOAT", "DOUBLE"}
# Durations that DuckDB would cut to microseconds, so that two became one label.
FINE_DURATION = "durations with nanoseconds"
# The same of times: DuckDB before 2.0 where they have a time zone, before 1.5 those of a day.
FINE_TIME = "times with nanoseconds, which this version of DuckDB cuts off"
# A column without any value; it goes with all types.
_EMPTY = '"NULL"'


class Schema(NamedTuple):
    """The names of a file's columns, and DuckDB's types of them.

    `cell_names` is the index of AnnData, which is a column only where it is named.
    """

    file: str
    names: list[str]
    types: list[str]
    cell_names: str | None = None


def parquet_schemas(connection: Any, sources: list[Source]) -> list[Schema]:
    """Return the different schemas of Parquet files, each with the first file that has it.

    Names are those in the file: DuckDB calls the second of two columns k and K (or k) K_1.
    """
    different: dict[tuple[Any, ...], str] = {}
    for path, columns in _columns_of(connection, sources):
        different.setdefault(columns, path)
    given = {str(source.path.absolute()): str(source) for source in sources}
    found = []
    for columns, path in different.items():
        relation = connection.read_parquet(literal_path(Path(path)), hive_partitioning=False)
        outer = _outer(columns)
        types = [
            FINE_TIME if "NANOS=NanoSeconds" in str(logical) and "_NS" not in kind else kind
            for (*_, logical, _, _), kind in zip(outer, map(str, relation.types), strict=True)
        ]
        found.append(Schema(given.get(path, path), [name for name, *_ in outer], types))
    return found


def _columns_of(connection: Any, sources: list[Source]) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the path of each Parquet file and what it says of its columns, in the order given."""
    rows = connection.execute(
        "select file_name, name, coalesce(num_children, 0), type, converted_type, logical_type, "
        "scale, precision from parquet_schema(?)",
        [[source.literal for source in sources]],
    ).fetchall()
    found: dict[str, list[Any]] = {}
    for path, *column in rows:  # DuckDB reads files in any order
        found.setdefault(path, []).append(tuple(column))
    place = {str(source.path.absolute()): i for i, source in enumerate(sources)}
    paths = sorted(found, key=lambda path: place.get(path, len(place)))
    return [(path, tuple(found[path])) for path in paths]


def _outer(columns: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Return a file's columns without their parts; its schema lists parents before children."""
    outer, inside = [], 0
    for column in columns[1:]:
        if inside == 0:
            outer.append(column)
            inside = 1
        inside += column[1] - 1
    return outer


def refuse_mixed_types(schemas: Sequence[Schema], chosen: Iterable[str]) -> None:
    """Raise where one of the chosen columns differs between files in its type or its capitals.

    Raise, too, where DuckDB would cut its values.
    """
    for wanted in chosen:
        found = [
            (schema.file, name, kind)
            for schema in schemas
            for name, kind in zip(schema.names, schema.types, strict=True)
            if name.lower() == wanted.lower() and kind != _EMPTY
        ]
        for file, name, kind in found:
            if name == wanted and kind in (FINE_DURATION, FINE_TIME):
                raise ColumnError(
                    f"{file}: column {name!r} holds {kind}; round them to microseconds first."
                )
        for file, name, kind in found[1:] if len(schemas) > 1 else ():
            first, first_name, first_kind = found[0]
            if name != first_name:
                raise ColumnError(
                    f"{first} has a column {first_name!r} and {file} a column {name!r}; files "
                    "that are read as one have the same names, in the same capitals. Rename one."
                )
            if kind != first_kind and not {kind, first_kind} <= _NUMBERS:
                raise ColumnError(
                    f"column {name!r} is {first_kind} in {first} and {kind} in {file}; in files "
                    "that are read as one it has one type. Convert the column, or count each file "
                    "by itself and add the tables (score --save)."
                )
