"""Dates, timestamps and durations: one label for one moment, whichever reader brings it."""

import datetime as dt
from contextlib import suppress
from functools import partial
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

import clusterbits as cb
from clusterbits.errors import LabelError
from clusterbits.reading.files.ordered import read_clustering
from clusterbits.reading.request import Request

from_labels = cb.Contingency.from_labels
UNITS = ("s", "us", "ns")
BERLIN = ZoneInfo("Europe/Berlin")
# 02:30 in October comes twice in Berlin, so clock time alone does not say which.
INSTANTS = [dt.datetime(2024, 10, 27, hour, 30, tzinfo=dt.UTC) for hour in (0, 1, 1, 12)]
NAIVE = [moment.replace(tzinfo=None) for moment in INSTANTS]
SPANS = [dt.timedelta(days=1), dt.timedelta(seconds=-5), dt.timedelta(0), dt.timedelta(0)]
DATES = [dt.date(2024, 5, 1), dt.date(1969, 7, 20), dt.date(2024, 5, 1), dt.date(1, 1, 1)]


def classes(labels):
    return from_labels(labels, [0, 1, 2, 3]).classes


def readers_of(values, kind):
    """Return the same moments as every library in memory holds them; kind is M or m."""
    readers = {"list": values, "objects": np.array(values, dtype=object)}
    for unit in UNITS:
        arrow = pa.timestamp(unit) if kind == "M" else pa.duration(unit)
        numpy = np.array(values, dtype=f"{kind}8[{unit}]")
        readers |= {
            f"numpy {unit}": numpy,
            f"numpy scalars {unit}": [*numpy],
            f"masked {unit}": np.ma.array(numpy),
            f"pandas objects {unit}": pd.Series(numpy).astype(object),
            **columns_of(pd.Series(numpy), pa.array(values, arrow), unit),
        }
    return readers


def columns_of(series, arrow, unit):
    """Return moments of pandas and Arrow in other columns."""
    found = {
        "pandas": series,
        "pandas index": pd.Index(series),
        "pandas arrow": pd.Series(arrow.to_pylist(), dtype=pd.ArrowDtype(arrow.type)),
        "category": series.astype("category"),
        "arrow": arrow,
        "arrow chunks": pa.chunked_array([arrow[:2], arrow[2:]]),
        "dictionary": arrow.dictionary_encode(),
    }
    if unit != "s":
        found["polars"] = pl.from_arrow(arrow)
    return {f"{name} {arrow.type}": column for name, column in found.items()}


def aware_readers():
    in_berlin = [moment.astimezone(BERLIN) for moment in INSTANTS]
    readers = {
        "UTC": INSTANTS,
        "both zones": [*INSTANTS[:2], *in_berlin[2:]],
        "pandas scalars": [*map(pd.Timestamp, in_berlin)],
    }
    for unit in UNITS:
        for zone in ("UTC", "Europe/Berlin"):
            series = pd.Series(INSTANTS).dt.as_unit(unit).dt.tz_convert(zone)
            readers |= columns_of(series, pa.array(INSTANTS, pa.timestamp(unit, zone)), unit)
    return readers


@pytest.mark.parametrize(
    ("readers", "values"),
    [
        (readers_of(NAIVE, "M"), NAIVE),
        (readers_of(SPANS, "m"), SPANS),
        (aware_readers(), INSTANTS),
    ],
    ids=["naive", "durations", "aware"],
)
def test_a_moment_is_one_label_in_all_readers_and_zones(readers, values):
    for name, labels in readers.items():
        found = classes(labels)
        assert found == tuple(sorted({*values})), name
        assert {type(label) for label in found} == {type(values[0])}, name
        assert {getattr(label, "tzinfo", None) for label in found} <= {None, dt.UTC}, name


# TIMESTAMP_S and TIMESTAMP_MS exist in DuckDB alone; a Parquet file keeps the others.
DUCKDB_TYPES = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ")


@pytest.mark.parametrize(("zone", "beside"), [("America/New_York", "INTEGER"), ("UTC", "DATE")])
@pytest.mark.parametrize("kind", DUCKDB_TYPES)
def test_duckdb(kind, beside, zone, tmp_path):
    moments = INSTANTS if kind == "TIMESTAMPTZ" else NAIVE
    written = ", ".join(
        f"('{moment}'::{kind}, {'null' if i else repr(str(DATES[0]))}::DATE, {i})"
        for i, moment in enumerate(moments)
    )
    other = {"INTEGER": "i", "DATE": "d"}[beside]
    with duckdb.connect() as connection:
        connection.execute(f"set timezone = '{zone}'")
        rows = connection.sql(f"select t, {other} as k from (values {written}) as x(t, d, i)")
        path = tmp_path / "moments.parquet"
        rows.write_parquet(str(path))
        tables = [
            cb.Contingency.from_frame(rows, missing="class"),
            cb.Contingency.from_file(path, missing="class"),
        ]
    expected = tuple(sorted({*moments}))
    assert [table.classes for table in tables] == [expected, expected]


def test_naive_and_aware_and_dates_are_never_equal():
    midnight = dt.datetime(2024, 5, 1)
    mixed = [midnight, midnight.replace(tzinfo=dt.UTC), midnight.date(), str(midnight)]
    assert from_labels(mixed, [0] * 4).shape == (4, 1)
    tables = [from_labels([label], [0]) for label in mixed]
    for order in (tables, tables[::-1]):
        assert sum(order) == from_labels(mixed, [0] * 4)
    days = np.array([midnight.date()] * 4, dtype="M8[D]")
    assert (from_labels(days, [0] * 4) + tables[2]).shape == (1, 1)
    assert (from_labels(days, [0] * 4) + tables[0]).shape == (2, 1)


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_nanoseconds_are_refused_not_rounded(zone):
    arrow = pa.array(np.array([0, 1, 2, 2], dtype="M8[ns]")).cast(pa.timestamp("ns", zone))
    series = arrow.to_pandas()
    forms = [arrow, series, series.astype(object), pl.from_arrow(arrow)]
    for labels in forms if zone else [*forms, [*arrow.to_numpy()]]:
        with pytest.raises(LabelError, match="round them to microseconds first"):
            classes(labels)


def test_times_of_day_with_nanoseconds_are_refused():
    for labels in (pa.array([0, 1, 2, 2], pa.time64("ns")), pl.Series([0, 1, 2, 2]).cast(pl.Time)):
        with pytest.raises(LabelError, match=r"truth holds nanoseconds"):
            classes(labels)


@pytest.mark.parametrize("kind", ["TIME", "TIME_NS"])
def test_times_of_day_in_duckdb(kind):
    if not duckdb.sql(f"from duckdb_types() where upper(type_name) = '{kind}'").fetchall():
        pytest.skip(f"this DuckDB has no {kind}")
    rows = f"(values ('12:00:00'::{kind}, 1), ('13:00:00.000005'::{kind}, 2), (null, 2)) rows(t, k)"
    relation = duckdb.sql(f"select * from {rows}")
    table = cb.Contingency.from_frame(relation, missing="drop")
    assert table.classes == (dt.time(12), dt.time(13, 0, 0, 5))
    if kind == "TIME_NS":
        more = relation.union(duckdb.sql("select '12:00:00.000000001'::TIME_NS, 1"))
        with pytest.raises(LabelError, match=r"holds nanoseconds"):
            cb.Contingency.from_frame(more, missing="drop")


def test_times_of_day():
    noon, one = dt.time(12), dt.time(13, 0, 0, 5)
    for labels in (
        [noon, one, one, noon],
        pa.array([noon, one, one, noon]),
        pa.array([noon, one, one, noon], pa.time64("ns")),
        pl.Series([noon, one, one, noon]),
        pd.Series([noon, one, one, noon]),
    ):
        assert classes(labels) == (noon, one)


# Microseconds: just outside Python's own, far outside, and what DuckDB calls infinity.
FAR = [-62135596800 * 10**6 - 1, 253402300800 * 10**6, 316516204800 * 10**6]
ENDLESS = [2**63 - 1, -(2**63) + 1]


@pytest.mark.parametrize("aware", [False, True], ids=["naive", "aware"])
@pytest.mark.parametrize("microseconds", [*FAR, *ENDLESS])
def test_timestamps_outside_of_python_s_range_are_refused_by_all_readers(
    microseconds, aware, tmp_path
):
    arrow = pa.array([0, microseconds], pa.int64()).cast(
        pa.timestamp("us", "UTC" if aware else None)
    )
    table = pa.table({"t": arrow, "k": [0, 1]})
    pq.write_table(table, tmp_path / "far.parquet")
    with ipc.new_file(tmp_path / "far.arrow", table.schema) as file:
        file.write_table(table)
    with duckdb.connect(tmp_path / "far.duckdb") as connection:
        connection.from_arrow(table).create("far")
    polars = pl.from_arrow(table)
    reads = [
        lambda: from_labels(arrow, [0, 1]),
        lambda: cb.Contingency.from_file(tmp_path / "far.parquet"),
        lambda: cb.Contingency.from_file(tmp_path / "far.arrow"),
        lambda: cb.Contingency.from_file(tmp_path / "far.duckdb", sql="select * from far"),
        *(partial(cb.Contingency.from_frame, frame) for frame in (table, polars, polars.lazy())),
        lambda: read_clustering(Request(tmp_path / "far.parquet", "t", "k")),
    ]
    for read in reads:
        with pytest.raises(LabelError, match="in the years 1 to 9999"):
            read()


@pytest.mark.parametrize("days", [3663382, -735160, 2**31 - 1])
def test_dates_outside_of_python_s_range_are_refused_by_all_readers(days, tmp_path):
    dates = pa.array([19844, days], pa.int32()).cast(pa.date32())
    path = tmp_path / "far.parquet"
    pq.write_table(pa.table({"t": dates, "k": [0, 1]}), path)
    numpy = np.array([19844, days]).astype("M8[D]")
    reads = [partial(from_labels, x, [0, 1]) for x in (dates, pl.from_arrow(dates), numpy)]
    for read in [*reads, partial(cb.Contingency.from_file, path)]:
        with pytest.raises(LabelError, match="in the years 1 to 9999"):
            read()


@pytest.mark.parametrize("name", ["fine.parquet", "fine.arrow"])
@pytest.mark.parametrize(
    "kind", [pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.time64("ns")], ids=str
)
def test_nanoseconds_of_files_are_refused(name, kind, tmp_path):
    """A column that is not asked for may hold anything."""
    column = pa.array([0, 1, 2, 2], pa.int64()).cast(kind)
    table = pa.table({"t": column, "k": [0, 1, 2, 3], "a": [1, 1, 2, 2]})
    path = tmp_path / name
    if name.endswith("parquet"):
        pq.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    assert cb.Contingency.from_file(path, truth="a", pred="k").shape == (2, 4)
    with pytest.raises(LabelError, match="round them to microseconds first"):
        cb.Contingency.from_file(path, truth="t", pred="k")


@pytest.mark.parametrize(
    "make",
    [list, lambda x: np.array(x, dtype=object), pa.array, pl.Series, pd.Series],
    ids=["list", "objects", "arrow", "polars", "pandas"],
)
def test_integers_and_floats_past_2_to_the_53_stay_apart(make):
    odd = 2**53 + 1
    integers = from_labels(make([odd, odd, 1]), [0, 0, 1])
    floats = from_labels(make([2.0**53, 2.0**53, 1.0]), [0, 0, 1])
    assert (integers + floats).classes == (1, 2**53, odd)
    assert from_labels([odd, 2.0**53, 1], [0, 0, 1]).classes == (1, 2**53, odd)


ALL_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")


@pytest.mark.parametrize("kind", "Mm")
@pytest.mark.parametrize("unit", [*ALL_UNITS, "25s", "3h", "7ns"])
def test_times_of_all_units_are_labels_of_their_own_or_refused(kind, unit):
    """2^60 hours are 2^60 · 3600 seconds, which int64 does not hold: numpy writes 1970."""
    powers = 1 << np.arange(63)
    times = np.unique([*powers, *(powers + 1), *-powers, 0]).view(f"{kind}8[{unit}]")
    named = {}
    for time in times:
        with suppress(LabelError):
            named[time] = from_labels(np.array([time]), [0]).classes[0]
    assert len({*named.values()}) == len(named) > 0
    assert from_labels(np.array([*named]), range(len(named))).shape[0] == len(named)
    assert {*map(type, named.values())} <= {dt.date, dt.datetime, dt.timedelta}
    if len(named) < len(times):
        with pytest.raises(LabelError, match="in the years 1 to 9999"):
            from_labels(times, times)
