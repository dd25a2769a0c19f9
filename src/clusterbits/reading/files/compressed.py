"""Compressed files, checked to be complete while DuckDB reads them.

DuckDB does not compare the checksum of gzip: the files are decompressed a second time.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from clusterbits.errors import translating
from clusterbits.reading.files.sources import Source

_BLOCK = 1 << 22


@contextmanager
def refusing_damage(sources: list[Source]) -> Iterator[None]:
    """Check compressed files in a thread while they are read; raise if one is incomplete.

    A damaged file is named as such even if reading it failed for another reason.
    """
    compressed = [source for source in sources if source.compressed]
    if not compressed:
        yield
        return
    stopped = Event()
    with ThreadPoolExecutor(1) as pool:
        check = pool.submit(_check, compressed, stopped)
        try:
            try:
                yield
            except Exception:
                check.result()
                raise
            check.result()
        finally:
            stopped.set()  # Ctrl-C does not wait


def _check(sources: list[Source], stopped: Event) -> None:
    """Decompress files, which compares the checksum and the length of each member."""
    for source in sources:
        with translating(f"{source} is damaged or incomplete"), gzip.open(source.path) as content:
            while content.read(_BLOCK) and not stopped.is_set():
                pass
