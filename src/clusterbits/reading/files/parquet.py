"""Parquet files: read by DuckDB, with their own types."""

from __future__ import annotations

from typing import Any

from clusterbits.reading.files.relations import Relation, by_position
from clusterbits.reading.files.sources import Source, name_together
from clusterbits.reading.label_columns import read_stored


def open_parquet(connection: Any, sources: list[Source]) -> list[Relation]:
    """Return the rows of Parquet files, those with the same schema together."""
    alike: dict[tuple[Any, ...], list[Source]] = {}
    for source, schema in zip(sources, _schemas(connection, sources), strict=True):
        alike.setdefault(schema, []).append(source)
    return [_open(connection, schema, files) for schema, files in alike.items()]


def _open(connection: Any, schema: tuple[Any, ...], sources: list[Source]) -> Relation:
    relation = connection.read_parquet([source.literal for source in sources])
    where, types = name_together(sources), list(map(str, relation.types))
    names = list(relation.columns)
    outer = _outer(schema)
    # Those in the file: DuckDB calls the second of two columns k and K (or k) K_1.
    names[: len(outer)] = [name for name, *_ in outer]
    rounded = [
        i
        for i, (*_, logical) in enumerate(outer)
        if "NANOS=NanoSeconds" in str(logical) and "_NS" not in types[i]
    ]
    return Relation(where, names, by_position(relation), read_stored, rounded)


def _schemas(connection: Any, sources: list[Source]) -> list[tuple[Any, ...]]:
    """Return the columns of each file: name, number of parts, types."""
    rows = connection.execute(
        "select file_name, name, coalesce(num_children, 0), type, converted_type, scale, "
        "precision, logical_type from parquet_schema(?)",
        [[source.literal for source in sources]],
    ).fetchall()
    schemas: dict[str, list[Any]] = {}
    for path, *column in rows:  # DuckDB reads files in any order
        schemas.setdefault(path, []).append(tuple(column))
    return [tuple(schemas[str(source.path.absolute())]) for source in sources]


def _outer(schema: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Return a file's columns without their parts; its schema lists parents before children."""
    outer, inside = [], 0
    for column in schema[1:]:
        if inside == 0:
            outer.append(column)
            inside = 1
        inside += column[1] - 1
    return outer
