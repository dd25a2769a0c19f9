"""Folders for temporary files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clusterbits.errors import FileError, as_path


@contextmanager
def temporary_folder(parent: Any) -> Iterator[str]:
    """Yield a new folder below the parent; remove it afterwards."""
    where = as_path(parent) if parent else None
    try:
        folder = tempfile.TemporaryDirectory(
            prefix="clusterbits-", dir=where, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise FileError(f"spill={str(parent)!r}: {error.strerror}.") from None
    with folder as name:
        yield name
