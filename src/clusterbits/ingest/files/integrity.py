"""Compressed files, checked to be whole while DuckDB reads them.

DuckDB checks neither the checksum of gzip nor that zstd data is complete. Gzip is decompressed a
second time, which compares the checksum and the length of each member. Of zstd only the frames are
walked: what ends early is found here, and the checksum, where the file has one, is compared by
DuckDB. Zstd without a checksum (``zstd --no-check``) does not show a flipped bit.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import BinaryIO

from clusterbits.errors import FileError
from clusterbits.ingest.files.sources import Source

_BLOCK = 1 << 18
_MOST_DECOMPRESSED = 1 << 22
_GZIP_FORMAT = 16 + zlib.MAX_WBITS
_FRAME = 0xFD2FB528
_SKIPPABLE = 0x184D2A50


@contextmanager
def checking(sources: list[Source]) -> Iterator[None]:
    """Check compressed files in a thread while they are read; raise where one is not whole.

    A damaged file is named as such even where reading it failed for another reason.
    """
    compressed = [source for source in sources if source.compression != "none"]
    if not compressed:
        yield
        return
    stopped = Event()
    with ThreadPoolExecutor(1) as pool:
        check = pool.submit(check_files, compressed, stopped)
        try:
            try:
                yield
            except Exception:
                check.result()
                raise
            check.result()
        finally:
            stopped.set()  # Ctrl-C does not wait


def check_files(sources: list[Source], stopped: Event) -> None:
    """Raise where a compressed file is not whole; leave off when `stopped`."""
    for source in sources:
        check = _check_gzip if source.compression == "gzip" else _check_zstd
        try:
            with Path(source.path).open("rb") as stream:
                check(stream, stopped)
        except (EOFError, zlib.error) as error:
            raise FileError(
                f"{source} is damaged or incomplete: {error}. Copy or compress it again."
            ) from None
        except OSError as error:
            raise FileError(f"{source} cannot be read: {error.strerror}.") from None


def _check_gzip(stream: BinaryIO, stopped: Event) -> None:
    """Decompress all members; zlib compares their checksums and lengths."""
    member = None
    while not stopped.is_set() and (block := stream.read(_BLOCK)):
        while block:
            member = member or zlib.decompressobj(_GZIP_FORMAT)
            member.decompress(block, _MOST_DECOMPRESSED)
            block = member.unconsumed_tail or member.unused_data
            if member.eof:
                member = None
    if member is not None and not stopped.is_set():
        raise EOFError("its gzip data ends early")


def _check_zstd(stream: BinaryIO, stopped: Event) -> None:
    """Walk the frames and their blocks (RFC 8878, section 3.1) up to the end of the file."""
    size = os.fstat(stream.fileno()).st_size
    while stream.tell() < size and not stopped.is_set():
        magic = _number(stream, 4)
        if magic & ~0xF == _SKIPPABLE:
            stream.seek(_number(stream, 4), os.SEEK_CUR)
        elif magic == _FRAME:
            _skip_frame(stream, stopped)
        else:
            raise EOFError("it holds other data after its zstd data")
    if stream.tell() > size:
        raise EOFError("its zstd data ends early")


def _skip_frame(stream: BinaryIO, stopped: Event) -> None:
    descriptor = _number(stream, 1)
    single_segment = descriptor >> 5 & 1
    content_size = (single_segment, 2, 4, 8)[descriptor >> 6]
    dictionary_id = (0, 1, 2, 4)[descriptor & 3]
    stream.seek(1 - single_segment + dictionary_id + content_size, os.SEEK_CUR)
    last = 0
    while not last and not stopped.is_set():
        header = _number(stream, 3)
        last, kind, length = header & 1, header >> 1 & 3, header >> 3
        stream.seek(1 if kind == 1 else length, os.SEEK_CUR)  # kind 1: one byte, repeated
    stream.seek(4 if descriptor >> 2 & 1 else 0, os.SEEK_CUR)  # the checksum


def _number(stream: BinaryIO, length: int) -> int:
    found = stream.read(length)
    if len(found) < length:
        raise EOFError("its zstd data ends early")
    return int.from_bytes(found, "little")
