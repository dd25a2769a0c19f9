"""The same columns as a frame of every engine that from_frame counts in."""

from __future__ import annotations

import functools
import os
import shutil
import warnings
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest


def _pandas(columns: pa.Table) -> Any:
    return columns.to_pandas()


def _pandas_arrow(columns: pa.Table) -> Any:
    import pandas as pd

    return columns.to_pandas(types_mapper=pd.ArrowDtype)


def _polars(columns: pa.Table) -> Any:
    import polars as pl

    return pl.from_arrow(columns)


def _polars_lazy(columns: pa.Table) -> Any:
    return _polars(columns).lazy()


def _pyarrow(columns: pa.Table) -> Any:
    return columns


def _record_batch(columns: pa.Table) -> Any:
    return pa.record_batch([c.combine_chunks() for c in columns.columns], schema=columns.schema)


@functools.cache
def _duckdb_connection() -> Any:
    import duckdb

    return duckdb.connect()  # older ones close when nobody holds them


def _duckdb(columns: pa.Table) -> Any:
    return _duckdb_connection().from_arrow(columns)


def _ibis(columns: pa.Table) -> Any:
    import ibis

    return ibis.memtable(columns)


@functools.cache
def dask_client() -> Any:
    """Return a client of two worker processes, started once."""
    from dask.distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    return Client(cluster)


def _dask(columns: pa.Table) -> Any:
    import dask.dataframe as dd

    dask_client()
    return dd.from_pandas(_pandas_arrow(columns), npartitions=3)


@functools.cache
def spark_session() -> Any:
    """Return a local Spark session, started once."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, and there is none on this machine")
    # Most of a short session's time goes into optimizing code that runs once. Connect inherits it.
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .getOrCreate()
        )
    session.sparkContext.setLogLevel("OFF")
    return session


def _spark(columns: pa.Table) -> Any:
    return spark_session().createDataFrame(columns)


ENGINES: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": _pandas,
    "pandas with Arrow types": _pandas_arrow,
    "polars": _polars,
    "polars lazy": _polars_lazy,
    "pyarrow": _pyarrow,
    "record batch": _record_batch,
    "duckdb": _duckdb,
    "ibis": _ibis,
    "dask": _dask,
    "spark": _spark,
}
SLOW = ("dask", "spark")  # they take seconds to start


def every_engine() -> list[Any]:
    """Return the names of all engines as parameters of a test."""
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in ENGINES]
