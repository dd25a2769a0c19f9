"""Files of any format as rows of DuckDB, with the names of their columns.

Paths are values and columns go by position, so nothing that a file or its columns are called can
be executed.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Event
from typing import Any

from clusterbits.errors import FileError, import_extra, translating
from clusterbits.reading.files.anndata import open_anndata
from clusterbits.reading.files.arrays import open_arrow, open_numpy
from clusterbits.reading.files.csv import naming_line_ends, open_csv
from clusterbits.reading.files.json import open_json
from clusterbits.reading.files.parquet import open_parquet
from clusterbits.reading.files.relations import Relation
from clusterbits.reading.files.sources import Source, name_together, refusing_changes
from clusterbits.reading.request import Request
from clusterbits.system.progress import watching

# Bytes that are decompressed at a time.
_BLOCK = 1 << 22
# Bits of the largest table of counts that DuckDB may index directly instead of hashing: 4 million
# cells. Its own limit, 12, is meant for columns of a few flags.
_DIRECT_BITS = 22


@contextmanager
def connected(request: Request, database: str = ":memory:") -> Iterator[Any]:
    """Yield a connection to DuckDB with its own spill folder; remove that afterwards."""
    duckdb = import_extra("duckdb", "reading files", "files")
    with temporary_folder(request.spill) as folder:
        # No extension is ever fetched from anywhere.
        config: dict[str, Any] = {
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            # Rows are counted, not listed: their order need not be kept.
            "preserve_insertion_order": "false",
        }
        if request.memory_limit is not None:
            config["memory_limit"] = request.memory_limit
        in_memory = database == ":memory:"
        with translating(f"memory_limit={request.memory_limit!r}" if in_memory else database):
            connection = duckdb.connect(database, not in_memory, config=config)
        with connection:
            connection.execute(f"set perfect_ht_threshold = {_DIRECT_BITS}")
            percentage = getattr(connection, "query_progress", float)  # 0 in an older DuckDB
            with watching(request.progress, percentage):
                yield connection


@contextmanager
def temporary_folder(parent: Any) -> Iterator[str]:
    """Yield a new folder below the parent, or in the folder of the system; remove it afterwards."""
    with translating(f"spill={str(parent)!r}"):
        folder = tempfile.TemporaryDirectory(
            prefix="clusterbits-",
            dir=parent or None,
            ignore_cleanup_errors=True,
        )
    with folder as name:
        yield name


@contextmanager
def open_relations(
    request: Request, *sides: tuple[list[Source], list[Any]]
) -> Iterator[tuple[Any, list[list[Relation]]]]:
    """Yield a connection to DuckDB, and the relations of each side: files of one format.

    With its files a side has the names and patterns of its columns, None for one without a name.
    """
    with ExitStack() as files, connected(request) as connection, _reading(sides):
        relations = [_open(connection, sources, wanted, files) for sources, wanted in sides]
        yield connection, relations


@contextmanager
def _reading(sides: Sequence[tuple[list[Source], list[Any]]]) -> Iterator[None]:
    """Name the files if they cannot be read, are not complete, or change meanwhile."""
    sources = [source for side, _ in sides for source in side]
    where = " and ".join(name_together(side) for side, _ in sides)
    with (
        refusing_changes(sources),
        _refusing_damage(sources),
        naming_line_ends(where),
        translating(f"{where} cannot be read"),
    ):
        yield


@contextmanager
def _refusing_damage(sources: list[Source]) -> Iterator[None]:
    """Check compressed files in a thread while they are read; raise if one is incomplete.

    DuckDB does not compare the checksum of gzip. A damaged file is named as such even if reading
    it failed for another reason.
    """
    compressed = [source for source in sources if source.compressed]
    if not compressed:
        yield
        return
    stopped = Event()
    with ThreadPoolExecutor(1) as pool:
        check = pool.submit(_check, compressed, stopped)
        try:
            yield
        except Exception:
            check.result()
            raise
        else:
            check.result()
        finally:
            stopped.set()  # Ctrl-C does not wait


def _check(sources: list[Source], stopped: Event) -> None:
    """Decompress files, which compares the checksum and the length of each member."""
    for source in sources:
        with translating(f"{source} is damaged or incomplete"), gzip.open(source.path) as content:
            while content.read(_BLOCK) and not stopped.is_set():
                pass


def _open(
    connection: Any, sources: list[Source], wanted: list[Any], files: ExitStack
) -> list[Relation]:
    """Return files of one format as relations, which may be read while `files` is open."""
    form, where = sources[0].form, name_together(sources)
    if sources[0].is_table:
        raise FileError(f"{where} is a saved table, which Contingency.load reads.")
    if form == "csv":
        return open_csv(connection, sources, wanted)
    if form == "json":
        return open_json(connection, sources, wanted)
    if form == "parquet":
        return open_parquet(connection, sources)
    if form in ("npy", "npz"):
        return [open_numpy(connection, source) for source in sources]
    if form == "arrow":
        return [open_arrow(connection, source) for source in sources]
    if form in ("HDF5", "Zarr"):
        return [open_anndata(connection, source, wanted, files) for source in sources]
    if form in ("duckdb", "sqlite"):
        raise FileError(
            f"{where} is a {form} database; pass what to count, such as sql='select species, "
            "cluster from labels'."
        )
    raise FileError(f"{where} is {form}; name two label images, and no columns.")
