"""JSON files, lines or an array, plain or compressed: read by DuckDB, every value as JSON."""

from __future__ import annotations

from typing import Any

from clusterbits.reading.files.relations import Relation, by_position
from clusterbits.reading.files.sources import Source, name_together
from clusterbits.reading.label_columns import read_json
from clusterbits.reading.request import is_pattern


def open_json(connection: Any, sources: list[Source], wanted: list[Any]) -> list[Relation]:
    """Return the rows of JSON files; their columns are the keys."""
    parts = []
    for compressed in sorted({source.compressed for source in sources}):
        alike = [source for source in sources if source.compressed == compressed]
        paths = [source.literal for source in alike]
        # DuckDB knows compressed files by their names only; a pipe has none.
        options = {"format": "auto", "compression": "gzip" if compressed else "uncompressed"}
        names = list(connection.read_json(paths, **options).columns)
        if any(name is None or is_pattern(name) or name not in names for name in wanted):
            # A key that the first rows lack may come later.
            keys = connection.execute(
                "select distinct unnest(json_keys(json)) from "
                f"read_json_objects(?, format='auto', compression='{options['compression']}')",
                [paths],
            ).fetchall()
            names += sorted({key for (key,) in keys}.difference(names))
        # As JSON, 1 and "1" stay two labels.
        relation = connection.read_json(
            paths, columns=dict.fromkeys(names, "JSON"), hive_partitioning=False, **options
        )
        parts.append(Relation(name_together(alike), names, by_position(relation), read_json))
    return parts
