"""Columns of any dataframe that narwhals knows, counted where the data lives.

A frame that is in memory gives its columns to the counting of label arrays. A lazy one (polars
lazy, DuckDB, Dask, Spark, Ibis) is told to group and count; only the table comes back. No engine
is ever imported here: the frame brings its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import ColumnError, EngineError, LabelError, first_line
from clusterbits.ingest.arrays import count_labels
from clusterbits.ingest.columns import read_labels
from clusterbits.ingest.groups import Groups, WeightSums, count_groups
from clusterbits.ingest.kinds import (
    as_narwhals,
    is_duckdb,
    is_in_memory,
    is_record_batch,
    names_objects,
)
from clusterbits.ingest.selection import ColumnChoice, by_type, choose_columns


def count_frame(
    frame: Any, truth: Any, pred: Any, weights: Any, policy: LabelPolicy
) -> tuple[dict[str, Cells], bool]:
    """Count the class column against each of the cluster columns; are they to be balanced?"""
    names = column_names(frame)
    balanced = asks_for_balance(weights, names)
    columns = choose_columns("the frame", names, truth, pred, None if balanced else weights)
    if is_duckdb(frame):
        counted = _count_in_duckdb(frame, columns, policy)
    elif is_in_memory(frame):
        counted = _count_in_memory(frame, columns, policy)
    else:
        counted = _count_lazily(frame, columns, policy)
    return counted, balanced


def asks_for_balance(weights: Any, names: list[str]) -> bool:
    """Whether weights="balanced" is the word, and no column's name."""
    return isinstance(weights, str) and weights == "balanced" and weights not in names


def column_names(frame: Any) -> list[str]:
    """Return the names of a frame's columns; refuse what is not a frame."""
    if is_duckdb(frame) or is_record_batch(frame):
        return list(frame.columns if is_duckdb(frame) else frame.schema.names)
    if (narwhal := as_narwhals(frame)) is None:
        raise ColumnError(
            f"{type(frame).__name__} is no dataframe that narwhals knows, such as one of pandas, "
            "polars, pyarrow, DuckDB, Dask, Spark or Ibis. For two label sequences use "
            "from_labels()."
        )
    try:
        return list(narwhal.collect_schema().names())
    except Exception as error:  # a lazy frame of a file that is not there, a closed connection
        raise _gave_up(str(narwhal.implementation.value), error) from error


def _count_in_duckdb(relation: Any, columns: ColumnChoice, policy: LabelPolicy) -> dict[str, Cells]:
    from clusterbits.core.duckdb import translating_errors
    from clusterbits.ingest.files.relations import count_relation

    with translating_errors(lambda error: _gave_up("duckdb", error)):
        return count_relation(relation, columns, policy, read_labels, count_groups)


def _count_in_memory(frame: Any, columns: ColumnChoice, policy: LabelPolicy) -> dict[str, Cells]:
    names, read = columns.names, read_columns(frame)
    weights = None if columns.weights is None else read[names[columns.weights]]
    classes = read_labels(read[names[columns.truth]], "truth")  # once for all
    policy = replace(policy, weights=weights)
    return {names[i]: count_labels(classes, read[names[i]], policy) for i in columns.preds}


def read_columns(frame: Any) -> dict[Any, Any]:
    """Return the columns of a frame in memory, as its library has them."""
    if is_record_batch(frame):
        return dict(zip(frame.schema.names, frame.columns, strict=True))
    if not is_in_memory(frame):
        raise ColumnError(f"{type(frame).__name__} is lazy: collect it into memory first.")
    return {column.name: column.to_native() for column in as_narwhals(frame).iter_columns()}


def split_ids(frame: Any) -> tuple[Any, dict[Any, Any]]:
    """Return the ids of a frame's rows, and its other columns.

    They are the index of a pandas frame where that names objects, else the first column; None
    where there is no other.
    """
    columns = read_columns(frame)
    if hasattr(frame, "iloc") and names_objects(frame.index):
        return frame.index, columns
    if len(columns) < 2:
        return None, columns
    (_, ids), *others = columns.items()
    return ids, dict(others)


def _count_lazily(frame: Any, columns: ColumnChoice, policy: LabelPolicy) -> dict[str, Cells]:
    import narwhals as nw

    names, truth = columns.names, columns.truth
    lazy = _numbered(frame, len(names))
    types = list(lazy.collect_schema().values())
    for i in (truth, *columns.preds):
        if types[i].is_nested():  # engines differ in what they make of lists and structs
            raise LabelError(
                f"column {names[i]!r} has the type {types[i]}; each object has one label, such as "
                "a string or a number."
            )
    counted: dict[str, Cells] = {}
    for some in by_type(columns.preds, types):
        try:
            answer = _question(lazy, types, truth, some, columns.weights).collect()
        except LabelError:
            raise
        except Exception as error:
            raise _gave_up(str(lazy.implementation.value), error) from error
        for number, i in enumerate(some):
            rows = answer.filter(nw.col("pred") == str(number))
            labels = rows.get_column("c").to_native(), rows.get_column("k").to_native()
            counts = _counts(rows, columns.weights_name)
            groups = Groups.read(labels, counts, (names[truth], names[i]))
            counted[names[i]] = count_groups(groups, policy)
    return {names[i]: counted[names[i]] for i in columns.preds}


def _numbered(frame: Any, width: int) -> Any:
    """Return a narwhals frame whose columns are called 0, 1, 2, ...: names are only data.

    Spark takes dots and backticks in a name for syntax, so it renames by position.
    """
    numbers = [str(i) for i in range(width)]
    lazy = as_narwhals(frame)
    if lazy.implementation.is_spark_like():
        return as_narwhals(frame.toDF(*numbers))
    return lazy.rename(dict(zip(lazy.collect_schema().names(), numbers, strict=True)))


def _question(
    lazy: Any, types: list[Any], truth: int, preds: list[int], weights: int | None
) -> Any:
    """Return one query that counts the class column against each cluster column.

    Its rows are: which cluster column (a number, as text), class, cluster, and the counts.
    Spark and Ibis stack the cluster columns and group once: one pass over the data and one
    shuffle. Polars and Dask count each column and read their common source once.
    """
    import narwhals as nw

    def label(i: int, name: str) -> Any:
        column = nw.col(str(i))
        # Engines differ in what they do with categories that are declared and absent.
        category = str(types[i]).startswith(("Categorical", "Enum"))
        return (column.cast(nw.String) if category else column).alias(name)

    parts = {} if weights is None else _weight_parts(weights, types[weights])
    kept = [column.alias(name) for name, column in parts.items()]
    sums = [nw.col(name).min() if name == "least" else nw.col(name).sum() for name in parts]
    sums = sums or [nw.len().alias("n")]
    if lazy.implementation.is_spark_like() or lazy.implementation.is_ibis():
        columns = [label(i, str(number)) for number, i in enumerate(preds)]
        stacked = lazy.select(label(truth, "c"), *columns, *kept).unpivot(
            [str(number) for number in range(len(preds))],
            index=["c", *parts],
            variable_name="pred",
            value_name="k",
        )
        return stacked.group_by("pred", "c", "k").agg(*sums)
    return nw.concat(
        [
            lazy.select(label(truth, "c"), label(i, "k"), *kept)
            .group_by("c", "k")
            .agg(*sums)
            .with_columns(nw.lit(str(number)).alias("pred"))
            for number, i in enumerate(preds)
        ]
    )


def _weight_parts(weights: int, dtype: Any) -> dict[str, Any]:
    """Return what is added up of the weights, and of what the minimum is taken.

    Integers are cut in two, so that no engine's sum can pass int64 and wrap around.
    """
    import narwhals as nw

    column = nw.col(str(weights))
    if dtype == nw.Boolean:
        column, dtype = column.cast(nw.Int64), nw.Int64()
    if not dtype.is_numeric():
        raise LabelError(f"the weights have type {dtype}; weights are non-negative numbers.")
    if dtype.is_integer():
        high = column // 2**32
        parts = {"high": high, "low": column - high * 2**32}
    else:
        column = column.cast(nw.Float64)
        parts = {"total": column, "fraction": (column != column.round(0)).cast(nw.Int64)}
    return parts | {"least": column, "absent": column.is_null().cast(nw.Int64)}


def _counts(rows: Any, weights: str | None) -> NDArray[Any]:
    """Return how much each row of the answer counts."""
    if weights is None:
        return np.asarray(rows.get_column("n").to_numpy()).astype(np.int64)
    parts = {name: rows.get_column(name).to_list() for name in rows.columns}
    if "high" in parts:
        pairs = zip(parts["high"], parts["low"], strict=True)
        totals = [int(high or 0) * 2**32 + int(low or 0) for high, low in pairs]
        fractions = [0]
    else:
        totals, fractions = parts["total"], parts["fraction"]
    least = [value for value in parts["least"] if value is not None]
    return WeightSums(totals, fractions, least, parts["absent"]).checked(weights)


def _gave_up(engine: str, error: Exception) -> EngineError:
    """Return the error of an engine, in one line."""
    return EngineError(f"{engine} could not count the frame: {first_line(error)[:400]}")
