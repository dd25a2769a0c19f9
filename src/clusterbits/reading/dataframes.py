"""Columns of any DataFrame that narwhals knows, of a file or an AnnData, counted in their engine.

Columns in memory are counted as label arrays. A lazy DataFrame (polars, DuckDB, Dask, Spark, Ibis)
groups and counts itself; only the table comes back. No engine is ever imported here.
"""

from __future__ import annotations

import os
from typing import Any

from clusterbits.errors import ColumnError, EngineError, LabelError, translating
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.forms import read_labels
from clusterbits.reading.request import Chosen, Request, by_type, run_roles, tally_groups
from clusterbits.reading.type_checks import (
    as_narwhals,
    is_duckdb,
    is_frame,
    is_in_memory,
    names_objects,
)
from clusterbits.reading.weights import SUMS, checked_sums

# Cluster columns that one query counts: of more, engines plan longer than they count.
_BATCH = 50


def tally_columns(request: Request, policy: LabelPolicy) -> list[Tally]:
    """Count columns that are not in memory: of a file, a DuckDB relation or another lazy frame.

    Return one tally for each cluster column, or one of all if they are counted jointly. Of the
    policy only a join of two files uses a part.
    """
    data = request.data
    if isinstance(data, str | os.PathLike | list):
        from clusterbits.reading.files.counted_files import count_files

        return count_files(request, policy)
    if is_duckdb(data):
        from clusterbits.reading.files.relations import Relation, by_position, count_rows

        rows = Relation("the frame", column_names(data), by_position(data), read_labels)
        with translating("duckdb could not count the frame", EngineError):
            return count_rows([rows], request)
    return _count_lazily(request)


def frame_of(data: Any) -> Any:
    """Return the frame of the observations of an AnnData; anything else as it is."""
    observations = None if is_frame(data) else getattr(data, "obs", None)
    return observations if is_frame(observations) else data


def column_names(frame: Any) -> list[str]:
    """Return the names of a frame's columns; raise for anything else."""
    if is_duckdb(frame):
        return list(frame.columns)
    if (narwhal := as_narwhals(frame)) is None:
        raise ColumnError(
            f"{type(frame).__name__} is not a dataframe that narwhals knows, such as one of "
            "pandas, polars, pyarrow, DuckDB, Dask, Spark or Ibis. For two label sequences use "
            "from_labels()."
        )
    # A lazy frame may be of a file that is not there, or of a closed connection.
    with translating(f"{narwhal.implementation.value} could not count the frame", EngineError):
        return list(narwhal.collect_schema().names())


def read_columns(frame: Any) -> dict[Any, Any]:
    """Return the columns of a frame in memory, as its library has them."""
    if not is_in_memory(frame):
        raise ColumnError(f"{type(frame).__name__} is lazy: collect it into memory first.")
    return {column.name: column.to_native() for column in as_narwhals(frame).iter_columns()}


def split_ids(frame: Any) -> tuple[Any, dict[Any, Any]]:
    """Return the ids of a frame's rows, and its other columns.

    Ids are the index of a pandas frame if it names objects, else the first column; None if that
    is the only one.
    """
    columns = read_columns(frame)
    if hasattr(frame, "iloc") and names_objects(frame.index):
        return frame.index, columns
    if len(columns) < 2:
        return None, columns
    ids = columns.pop(next(iter(columns)))
    return ids, columns


def _count_lazily(request: Request) -> list[Tally]:
    if request.jointly:
        raise EngineError("a lazy frame does not count clusterings together; collect it first.")
    frame = request.data
    names = column_names(frame)
    chosen = request.choose("the frame", names)
    lazy = as_narwhals(frame)
    if lazy.implementation.is_spark_like():  # takes dots and backticks in a name for syntax
        lazy = as_narwhals(frame.toDF(*map(str, range(len(names)))))
    types = list(lazy.collect_schema().values())
    runs = run_roles(chosen)
    for role, i in chosen.items():
        if role != "w" and types[i].is_nested():  # engines differ in what they make of them
            raise LabelError(
                f"column {names[i]!r} has the type {types[i]}; each object has one label, such as "
                "a string or a number."
            )
    tallies: dict[str, Tally] = {}
    for alike in by_type(runs, {role: types[chosen[role]] for role in runs}):
        for begin in range(0, len(alike), _BATCH):
            batch = alike[begin : begin + _BATCH]
            tallies |= _count_batch(lazy, types, names, chosen, batch)
    return [tallies[role] for role in runs]


def _count_batch(
    lazy: Any, types: list[Any], names: list[str], chosen: Chosen, batch: list[str]
) -> dict[str, Tally]:
    """Return the tally of each of these cluster columns, counted by one query."""
    import narwhals as nw

    keys = {role: chosen[role] for role in chosen if role in ("c", "b")}
    question = _question(lazy, types, keys, [chosen[role] for role in batch], chosen.get("w"))
    with translating(f"{lazy.implementation.value} could not count the frame", EngineError):
        answer = question.collect()
    tallies = {}
    for number, role in enumerate(batch):
        rows = answer.filter(nw.col("pred") == str(number))
        columns: dict[str, Any] = {key: rows.get_column(key).to_native() for key in keys}
        columns |= {role: rows.get_column("k").to_native(), "n": rows["n"].to_numpy()}
        if "w" in chosen:
            sums = {part: rows.get_column(part).to_list() for part in SUMS}
            columns["w"] = checked_sums(names[chosen["w"]], **sums)
        label_names = {key: names[chosen[key]] for key in (*keys, role)}
        tallies[role] = tally_groups(columns, label_names, read_labels)
    return tallies


def _question(
    lazy: Any, types: list[Any], keys: dict[str, int], preds: list[int], weights: int | None
) -> Any:
    """Return one query that counts the class column against each cluster column.

    Its columns are pred (the number of the cluster column, as text), c, k, b if any, and counts.
    Several cluster columns are stacked and grouped once: one pass over the data and one shuffle.
    Polars is faster if it counts each column; it reads their common source once.
    """
    import narwhals as nw

    def label(i: int, name: str) -> Any:
        column = nw.nth(i)
        # Engines differ on categories that are declared and do not occur.
        category = str(types[i]).startswith(("Categorical", "Enum"))
        return (column.cast(nw.String) if category else column).alias(name)

    parts = {} if weights is None else _weight_parts(weights, types[weights])
    shared = [label(i, name) for name, i in keys.items()]
    shared += [column.alias(name) for name, column in parts.items()]
    sums = [nw.col(name).min() if name == "minimum" else nw.col(name).sum() for name in parts]
    sums.append(nw.len().alias("n"))
    if len(preds) > 1 and not lazy.implementation.is_polars():
        columns = [label(i, str(number)) for number, i in enumerate(preds)]
        stacked = lazy.select(*columns, *shared).unpivot(
            [str(number) for number in range(len(preds))],
            index=[*keys, *parts],
            variable_name="pred",
            value_name="k",
        )
        return stacked.group_by("pred", *keys, "k").agg(*sums)
    return nw.concat(
        [
            lazy.select(label(i, "k"), *shared)
            .group_by(*keys, "k")
            .agg(*sums)
            .with_columns(nw.lit(str(number)).alias("pred"))
            for number, i in enumerate(preds)
        ]
    )


def _weight_parts(weights: int, dtype: Any) -> dict[str, Any]:
    """Return the weight expressions that the engine sums or minimizes."""
    import narwhals as nw

    if not (dtype.is_numeric() or dtype == nw.Boolean):
        raise LabelError(f"the weights have type {dtype}; weights are non-negative numbers.")
    column = nw.nth(weights).cast(nw.Float64)
    fraction = (column != column.round(0)).cast(nw.Int64)
    absent = column.is_null().cast(nw.Int64)
    return {"total": column, "fraction": fraction, "minimum": column, "absent": absent}
