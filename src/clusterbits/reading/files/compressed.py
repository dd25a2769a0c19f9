"""Compressed files, checked to be whole while DuckDB reads them.

DuckDB checks neither the checksum of gzip nor that zstd data is complete. Gzip is decompressed a
second time, which compares the checksum and the length of each member. Of zstd only the frames are
walked: what ends early is found here, and the checksum, where the file has one, is compared by
DuckDB. Zstd without a checksum (``zstd --no-check``) does not show a flipped bit.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import BinaryIO

from clusterbits.errors import translating
from clusterbits.reading.files.sources import Source

_BLOCK = 1 << 22
_FRAME = 0xFD2FB528
_SKIPPABLE = 0x184D2A50


@contextmanager
def refusing_damage(sources: list[Source]) -> Iterator[None]:
    """Check compressed files in a thread while they are read; raise where one is not whole.

    A damaged file is named as such even where reading it failed for another reason.
    """
    compressed = [source for source in sources if source.compression != "uncompressed"]
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
    for source in sources:
        walk = _walk_gzip if source.compression == "gzip" else _walk_zstd
        with translating(f"{source} is damaged or incomplete"), source.path.open("rb") as stream:
            for _ in walk(stream):
                if stopped.is_set():
                    return


def _walk_gzip(stream: BinaryIO) -> Iterator[None]:
    """Decompress all members; their checksums and lengths are compared at the end of each."""
    with gzip.GzipFile(fileobj=stream) as content:
        while content.read(_BLOCK):
            yield


def _walk_zstd(stream: BinaryIO) -> Iterator[None]:
    """Walk the frames and their blocks (RFC 8878, section 3.1) up to the end of the file."""

    def number(length: int) -> int:
        found = stream.read(length)
        if len(found) < length:
            raise EOFError("its zstd data ends early")
        return int.from_bytes(found, "little")

    size = os.fstat(stream.fileno()).st_size
    while stream.tell() < size:
        magic = number(4)
        if magic & ~0xF == _SKIPPABLE:
            stream.seek(number(4), os.SEEK_CUR)
        elif magic != _FRAME:
            raise ValueError("it holds other data after its zstd data")
        else:
            descriptor = number(1)
            single_segment = descriptor >> 5 & 1
            content_size = (single_segment, 2, 4, 8)[descriptor >> 6]
            dictionary_id = (0, 1, 2, 4)[descriptor & 3]
            stream.seek(1 - single_segment + dictionary_id + content_size, os.SEEK_CUR)
            last = 0
            while not last:
                header = number(3)
                last, kind, length = header & 1, header >> 1 & 3, header >> 3
                stream.seek(1 if kind == 1 else length, os.SEEK_CUR)  # kind 1: one byte, repeated
                yield
            stream.seek(4 if descriptor >> 2 & 1 else 0, os.SEEK_CUR)  # the checksum
    if stream.tell() > size:
        raise EOFError("its zstd data ends early")
