"""What reads bytes from outside: samples of what each reads, and a call that may only refuse.

Tried by tests/fuzz/test_bytes.py (mutations) and tests/fuzz/guided.py (atheris).
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb
from support import mutations
from support.files import COLUMNS, FORMATS

import clusterbits as cb
from clusterbits.errors import ClusterbitsError

LABELS = cb.Contingency.from_labels(*COLUMNS.values())


class Target(NamedTuple):
    """A reader: makes samples, and reads bytes; anything but ClusterbitsError is a bug."""

    samples: Callable[[], list[bytes]]
    read: Callable[[bytes], None]


def _file_target(name: str, write: Callable[[Path], object], **options: str) -> Target:
    def samples() -> list[bytes]:
        with TemporaryDirectory() as folder:
            write(Path(folder) / name)
            return [(Path(folder) / name).read_bytes()]

    def read(data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with contextlib.suppress(ClusterbitsError):
                cb.Contingency.from_file(path, *COLUMNS, **options)
            assert [p.name for p in Path(folder).iterdir()] == [name]
            assert path.read_bytes() == data

    return Target(samples, read)


def _load_target(name: str) -> Target:
    """Saved tables: what is loaded can be scored and saved again."""

    def samples() -> list[bytes]:
        with TemporaryDirectory() as folder:
            LABELS.save(Path(folder) / name)
            return [(Path(folder) / name).read_bytes()]

    def read(data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with contextlib.suppress(ClusterbitsError):
                table = cb.Contingency.load(path)
                cb.evaluate(table, measures=["q0", "rand"])
                table.save(path)
                assert cb.Contingency.load(path) == table

    return Target(samples, read)


def _decode_target() -> Target:
    made: list[tuple[bytes, list, list]] = []

    def samples() -> list[bytes]:
        made[:] = made or mutations.samples()
        # The first byte chooses the clusters; the second, whether the checksum is put right.
        return [
            bytes([i, sealed]) + (code[:-8] if sealed else code)
            for i, (code, _, _) in enumerate(made)
            for sealed in (0, 1)
        ]

    def read(data: bytes) -> None:
        if len(data) < 2:
            return
        samples()
        sample, code = made[data[0] % len(made)], data[2:]
        if data[1] & 1:
            mutations.try_decoding(mutations.sealed(code), sample, honest=False)
        else:
            mutations.try_decoding(code, sample, honest=code != sample[0])

    return Target(samples, read)


def _write_duckdb(path: Path) -> None:
    with duckdb.connect(path) as connection:
        connection.execute("create table labels (species varchar, cluster integer)")
        rows = zip(*COLUMNS.values(), strict=True)
        connection.executemany("insert into labels values (?, ?)", list(rows))


def _write_sqlite(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("create table labels (species, cluster)")
        rows = zip(*COLUMNS.values(), strict=True)
        connection.executemany("insert into labels values (?, ?)", rows)
        connection.commit()


QUERY = "select species, cluster from labels"
TARGETS = {
    "decode": _decode_target(),
    "load json": _load_target("table.json"),
    "load parquet": _load_target("table.parquet"),
    **{
        name.removeprefix("labels."): _file_target(
            name, lambda path, write=write: write(path, COLUMNS)
        )
        for name, write in FORMATS.items()
    },
    "duckdb": _file_target("labels.duckdb", _write_duckdb, sql=QUERY),
    "sqlite": _file_target("labels.sqlite", _write_sqlite, sql=QUERY),
}
