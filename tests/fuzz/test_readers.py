"""The same labels by every way into a table: the same table, or the same refusal."""

from decimal import Decimal
from fractions import Fraction
from itertools import cycle
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.engines import ENGINES
from support.files import DATABASES, FORMATS
from support.hostile import (
    TIMES,
    TYPES,
    Column,
    as_written,
    columns,
    dates_as_text,
    examples,
    outcome,
    policies,
    text,
)

import clusterbits as cb

# What engines warn each other of is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

from_labels = cb.Contingency.from_labels
from_file = cb.Contingency.from_file


def as_is(column):
    return column


def without_booleans(column):
    """SQLite has neither booleans nor dates nor NaN."""
    values = [int(v) if isinstance(v, bool) else None if v != v else v for v in column.values]
    return dates_as_text(Column(column.kind, values))


def without_nan(column):
    """JSON has neither NaN nor dates."""
    return dates_as_text(Column(column.kind, [None if v != v else v for v in column.values]))


def floats_where_missing(column):
    """pandas makes integers floats where one is missing, unless it keeps Arrow's types."""
    if None not in column.values or column.kind not in ("integers", "unsigned"):
        return column
    return Column("floats", [None if v is None else float(v) for v in column.values])


def stored(column):
    """Return what a file holds: a float from 2**53 on may once have been another whole number.

    It is refused in files of any format, as any float is that is not whole. Text files hold digits.
    """
    return [0.5 if isinstance(v, float) and 2**53 <= abs(v) < inf else v for v in column.values]


# How each format writes a column: the only differences there may be.
TYPED = tuple(TYPES)
ANY = (*TYPED, "huge", "mixed")
TEXT = (*TYPED, "huge")
RULES = {
    "csv": (as_written, TEXT),
    "tsv": (as_written, TEXT),
    "txt": (as_written, TEXT),
    "csv.gz": (as_written, TEXT),
    "parquet": (as_is, TYPED),
    "jsonl": (without_nan, ANY),
    "jsonl.gz": (without_nan, ANY),
    "json": (without_nan, ANY),
    "duckdb": (as_is, TYPED),
    "sqlite": (without_booleans, ("integers", "booleans", "floats", "text", "dates")),
}
# The same for frames, where they hold other types than Arrow.
FRAME_RULES = {
    "pandas": (floats_where_missing, TYPED),
    "spark": (as_is, ("integers", "booleans", "floats", "text", "dates")),
}


def write(folder, ending, named):
    """Write columns by name into a file; return its path."""
    rule = RULES[ending][0]
    if rule is as_is:
        plain = {name: column.to_arrow() for name, column in named.items()}
    else:
        rule = as_is if rule is as_written else rule
        plain = {name: rule(column).values for name, column in named.items()}
    path = folder / f"labels.{ending}"
    return (FORMATS | DATABASES)[path.name](path, plain)


@pytest.mark.parametrize("ending", RULES)
def test_files(ending):
    rule, kinds = RULES[ending]
    sql = {"sql": "select c, k from labels"} if f"labels.{ending}" in DATABASES else {}

    @examples(8)
    @given(columns(kinds), policies)
    def check(drawn, options):
        expected = outcome(lambda: from_labels(*(stored(rule(c)) for c in drawn), **options))
        with TemporaryDirectory() as folder:
            path = write(Path(folder), ending, dict(zip("ck", drawn, strict=True)))
            found = outcome(lambda: from_file(path, "c", "k", **sql, **options))
        assert found == expected

    check()


def numbers_of_all_kinds(column):
    """Return integers as numpy and Python have them, in turn."""
    kinds = cycle([int, np.int64, Decimal, np.float64, Fraction])
    found = []
    for value, kind in zip(column.values, kinds, strict=False):
        plain = type(value) is int and abs(value) < 2**53
        found.append(kind(value) if plain else value)
    return found


SEQUENCES = {
    "numbers": numbers_of_all_kinds,
    "pandas text": lambda column: pd.Series(column.values, dtype="string[python]"),
    "tuple": lambda column: tuple(column.values),
    "generator": lambda column: iter(column.values),
    "objects": lambda column: np.array([*column.values, None], dtype=object)[:-1],
    "pandas objects": lambda column: pd.Series(column.values, dtype=object),
    "polars": lambda column: pl.from_arrow(column.to_arrow()),
    "pyarrow": lambda column: column.to_arrow(),
    "chunks": lambda column: pa.chunked_array([column.to_arrow()[:2], column.to_arrow()[2:]]),
    "categories": lambda column: column.to_arrow().dictionary_encode(),
}


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_sequences(sequence):
    typed = sequence in ("polars", "pyarrow", "chunks", "categories")
    kinds = ("text",) if sequence == "pandas text" else TYPED if typed else ANY

    @examples(50)
    @given(columns(kinds), policies)
    def check(drawn, options):
        expected = outcome(lambda: from_labels(*(c.values for c in drawn), **options))
        assert outcome(lambda: from_labels(*map(SEQUENCES[sequence], drawn), **options)) == expected

    check()


# They take seconds to start, and tests/reading/test_frames.py does that already.
SLOW = () if TIMES > 1 else ("dask", "spark")


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine not in SLOW])
def test_frames(engine):
    rule, kinds = FRAME_RULES.get(engine, (as_is, TYPED))

    @examples(8)
    @given(columns(kinds), policies)
    def check(drawn, options):
        expected = outcome(lambda: from_labels(*(rule(c).values for c in drawn), **options))
        frame = ENGINES[engine](pa.table([c.to_arrow() for c in drawn], ["c", "k"]))
        found = outcome(lambda: cb.Contingency.from_frame(frame, "c", "k", **options))
        assert found == expected

    check()


ID_KINDS = {"integers": st.integers(-(2**63), 2**63 - 1), "text": text.filter(bool)}


@pytest.mark.parametrize(
    ("left", "right"),
    [("csv", "jsonl"), ("csv.gz", "parquet"), ("parquet", "csv"), ("jsonl", "csv.gz")],
)
def test_joins(left, right):
    @examples(4)
    @given(st.data(), columns(TYPED), policies)
    def check(data, drawn, options):
        n = len(drawn[0].values)
        kind = data.draw(st.sampled_from(sorted(ID_KINDS)))
        ids = data.draw(st.lists(ID_KINDS[kind], min_size=n, max_size=n, unique=True))
        order = data.draw(st.permutations(range(n)))
        rules = RULES[left][0], RULES[right][0]
        labels = [stored(rule(c)) for rule, c in zip(rules, drawn, strict=True)]
        expected = outcome(lambda: from_labels(*labels, **options))
        shuffled = [
            Column(c.kind, [c.values[i] for i in order]) for c in (Column(kind, ids), drawn[1])
        ]
        with TemporaryDirectory() as one, TemporaryDirectory() as other:
            paths = [
                write(Path(one), left, {"id": Column(kind, ids), "c": drawn[0]}),
                write(Path(other), right, {"id": shuffled[0], "k": shuffled[1]}),
            ]
            found = outcome(lambda: from_file(paths, "c", "k", on="id", **options))
        assert found == expected

    check()
