"""Dates, timestamps and durations: one label for one moment, whichever reader brings it."""

import datetime as dt
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
from clusterbits.errors import ColumnError, LabelError
from clusterbits.ingest.files.ordered import read_classes_and_clusters

from_labels = cb.Contingency.from_labels
UNITS = ("s", "us", "ns")
# Before, it has no nanoseconds beside a time zone.
DUCKDB_2 = int(duckdb.__version__.partition(".")[0]) >= 2
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
    readers = {"list": list, "objects": lambda x: np.array(x, dtype=object)}
    for unit in UNITS:
        arrow = pa.timestamp(unit) if kind == "M" else pa.duration(unit)
        numpy = np.array(values, dtype=f"{kind}8[{unit}]")
        readers |= {
            f"numpy {unit}": lambda _, numpy=numpy: numpy,
            f"numpy scalars {unit}": lambda _, numpy=numpy: [*numpy],
            f"masked {unit}": lambda _, numpy=numpy: np.ma.array(numpy),
            f"pandas {unit}": lambda _, numpy=numpy: pd.Series(numpy),
            f"pandas index {unit}": lambda _, numpy=numpy: pd.Index(numpy),
            f"pandas objects {unit}": lambda _, numpy=numpy: pd.Series(numpy).astype(object),
            f"pandas arrow {unit}": lambda x, arrow=arrow: pd.Series(x, dtype=pd.ArrowDtype(arrow)),
            f"category {unit}": lambda _, numpy=numpy: pd.Series(numpy).astype("category"),
            f"arrow {unit}": lambda x, arrow=arrow: pa.array(x, arrow),
            f"arrow chunks {unit}": lambda x, arrow=arrow: pa.chunked_array([x[:2], x[2:]], arrow),
            f"dictionary {unit}": lambda x, arrow=arrow: pa.array(x, arrow).dictionary_encode(),
        }
        if unit != "s":
            polars = pl.Datetime(unit) if kind == "M" else pl.Duration(unit)
            readers[f"polars {unit}"] = lambda x, polars=polars: pl.Series(x, dtype=polars)
    return readers


NAIVE_READERS, SPAN_READERS = readers_of(NAIVE, "M"), readers_of(SPANS, "m")


@pytest.mark.parametrize("reader", NAIVE_READERS)
def test_naive_timestamps(reader):
    found = classes(NAIVE_READERS[reader](NAIVE))
    assert found == tuple(sorted({*NAIVE}))
    assert {type(name) for name in found} == {dt.datetime}


@pytest.mark.parametrize("reader", SPAN_READERS)
def test_durations(reader):
    found = classes(SPAN_READERS[reader](SPANS))
    assert found == tuple(sorted({*SPANS}))
    assert {type(name) for name in found} == {dt.timedelta}


def aware_readers():
    in_berlin = [moment.astimezone(BERLIN) for moment in INSTANTS]
    readers = {
        "UTC": INSTANTS,
        "Berlin": in_berlin,
        "both": [*INSTANTS[:2], *in_berlin[2:]],
        "pandas objects": pd.Series(in_berlin, dtype=object),
        "pandas scalars": [*map(pd.Timestamp, in_berlin)],
    }
    for unit in UNITS:
        for zone in ("UTC", "Europe/Berlin"):
            arrow = pa.timestamp(unit, zone)
            series = pd.Series(INSTANTS).dt.as_unit(unit).dt.tz_convert(zone)
            readers |= {
                f"pandas {unit} {zone}": series,
                f"pandas index {unit} {zone}": pd.Index(series),
                f"pandas arrow {unit} {zone}": pd.Series(INSTANTS, dtype=pd.ArrowDtype(arrow)),
                f"category {unit} {zone}": series.astype("category"),
                f"arrow {unit} {zone}": pa.array(INSTANTS, arrow),
                f"dictionary {unit} {zone}": pa.array(INSTANTS, arrow).dictionary_encode(),
            }
            if unit != "s":
                dtype = pl.Datetime(unit, zone)
                readers[f"polars {unit} {zone}"] = pl.Series(INSTANTS).cast(dtype)
    return readers


AWARE_READERS = aware_readers()


@pytest.mark.parametrize("reader", AWARE_READERS)
def test_an_instant_is_one_label_in_all_zones(reader):
    found = classes(AWARE_READERS[reader])
    assert found == tuple(sorted({*INSTANTS}))
    assert {name.tzinfo for name in found} == {dt.UTC}


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


NANOSECONDS = np.array([0, 1, 2, 2], dtype="M8[ns]")


@pytest.mark.parametrize(
    "labels",
    [
        NANOSECONDS,
        [*NANOSECONDS],
        pd.Series(NANOSECONDS),
        pd.Series(NANOSECONDS).astype(object),
        pl.Series(NANOSECONDS),
        pa.array(NANOSECONDS),
        pd.Series(NANOSECONDS).dt.tz_localize("UTC"),
        pl.Series(NANOSECONDS).dt.replace_time_zone("UTC"),
        pa.array(NANOSECONDS).cast(pa.timestamp("ns", "UTC")),
    ],
    ids=lambda labels: f"{type(labels).__module__} {getattr(labels, 'dtype', '')}",
)
def test_nanoseconds_are_not_rounded_away(labels, tmp_path):
    zone = "+00:00" if "UTC" in str(getattr(labels, "type", getattr(labels, "dtype", ""))) else ""
    table = from_labels(labels, [0, 1, 2, 3])
    start = dt.datetime(1970, 1, 1, tzinfo=dt.UTC if zone else None)
    ends = [f"1970-01-01T00:00:00.00000000{i}{zone}" for i in (1, 2)]
    assert set(table.classes) == {start, *ends}
    if isinstance(labels, pa.Array):
        path = tmp_path / "nanoseconds.parquet"
        pq.write_table(pa.table({"t": labels, "k": [0, 1, 2, 3]}), path)
        if DUCKDB_2 or not zone:
            assert cb.Contingency.from_file(path) == table
        else:
            with pytest.raises(ColumnError, match="'t' holds times with nanoseconds"):
                cb.Contingency.from_file(path)


@pytest.mark.parametrize(
    "labels",
    [pa.array([0, 1, 2, 2], pa.time64("ns")), pl.Series([0, 1, 2, 2]).cast(pl.Time)],
    ids=["arrow", "polars"],
)
def test_times_of_day_with_nanoseconds_are_refused(labels):
    with pytest.raises(LabelError, match=r"truth holds times with nanoseconds"):
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
        with pytest.raises(LabelError, match=r"holds times with nanoseconds"):
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


def test_out_of_the_range_of_python():
    far = np.array([0, 10**12, 10**12 + 1, 0], dtype="M8[s]")
    assert classes(far)[1:] == ("33658-09-27T01:46:40", "33658-09-27T01:46:41")
    assert classes(np.array([3, 4, 4, 3], dtype="m8[M]")) == ("3 months", "4 months")
    assert from_labels([dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-5)))], [0])


# Microseconds: the years 12000 and 44 BC, the last before and the first after Python's own.
FAR = [316516204800 * 10**6, -63517824000 * 10**6, -62135596800 * 10**6 - 1, 253402300800 * 10**6]
# What DuckDB calls infinity, and moments beside it.
ENDLESS = [2**63 - 1, -(2**63) + 1, 0, 1]


@pytest.mark.parametrize("aware", [False, True], ids=["naive", "aware"])
@pytest.mark.parametrize("moments", [FAR, ENDLESS], ids=["far", "endless"])
def test_far_moments_are_one_label_in_all_readers(moments, aware, tmp_path):
    zone = "UTC" if aware else None
    arrow = pa.array(moments, pa.int64()).cast(pa.timestamp("us", zone))
    expected = set(classes(arrow))
    assert len(expected) == 4
    assert "12000-01-01T00:00:00" + "+00:00" * aware in expected or moments is ENDLESS
    pq.write_table(table := pa.table({"t": arrow, "k": [0, 1, 2, 3]}), tmp_path / "far.parquet")
    with ipc.new_file(tmp_path / "far.arrow", table.schema) as file:
        file.write_table(table)
    with duckdb.connect(tmp_path / "far.duckdb") as connection:
        connection.from_arrow(table).create("far")
        tables = [cb.Contingency.from_frame(connection.table("far"))]
    from_file = cb.Contingency.from_file
    tables += [from_file(tmp_path / f"far.{form}") for form in ("parquet", "arrow")]
    tables += [from_file(tmp_path / "far.duckdb", sql="select * from far")]
    tables += [cb.Contingency.from_frame(frame) for frame in (table, pl.from_arrow(table))]
    tables += [cb.Contingency.from_frame(pl.from_arrow(table).lazy())]
    assert [set(table.classes) for table in tables] == [expected] * len(tables)
    read = read_classes_and_clusters(tmp_path / "far.parquet", "t", "k", None)[0]
    assert set(read.name(np.unique(read.codes)).tolist()) == expected
    if moments is FAR:
        for unit in ("s", "ms"):
            assert set(classes(arrow.cast(pa.timestamp(unit, zone), safe=False))) >= {
                name for name in expected if not str(name).endswith("9" * 6 + "+00:00" * aware)
            }


def test_far_dates_are_one_label_in_all_readers(tmp_path):
    days = pa.array([3663382, -735160, 19844, 2**31 - 1], pa.int32())
    dates = days.cast(pa.date32())
    expected = {"12000-01-01", "-043-03-15", dt.date(2024, 5, 1), "5881580-07-11"}
    assert set(classes(dates)) == set(classes(pl.from_arrow(dates))) == expected
    assert set(classes(days.to_numpy().astype("M8[D]"))) == expected
    path = tmp_path / "far.parquet"
    pq.write_table(pa.table({"t": dates, "k": [0, 1, 2, 3]}), path)
    assert set(cb.Contingency.from_file(path).classes) == expected


@pytest.mark.parametrize("name", ["fine.parquet", "fine.arrow"])
@pytest.mark.parametrize("kind", [pa.timestamp("ns", "UTC"), pa.time64("ns")], ids=str)
def test_nanoseconds_of_files_are_counted_or_refused(name, kind, tmp_path):
    """DuckDB may lack the type; a column that is not asked for may hold anything."""
    column = pa.array([0, 1, 2, 2], pa.int64()).cast(kind)
    table = pa.table({"t": column, "k": [0, 1, 2, 3], "a": [1, 1, 2, 2]})
    path = tmp_path / name
    if name.endswith("parquet"):
        pq.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    assert cb.Contingency.from_file(path, truth="a", pred="k").shape == (2, 4)
    if DUCKDB_2 and pa.types.is_timestamp(kind):
        assert cb.Contingency.from_file(path, truth="t", pred="k").shape == (3, 4)
        return
    refusal = "times with nanoseconds.*; round them to microseconds first"
    with pytest.raises((ColumnError, LabelError), match=refusal):
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
