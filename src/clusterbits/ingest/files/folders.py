"""Folders for temporary files."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clusterbits.errors import FileError, as_path
from clusterbits.interrupts import cleaning_up, creating


@contextmanager
def temporary_folder(parent: Any) -> Iterator[str]:
    """Yield a new folder below the parent; remove it afterwards.

    `tempfile.TemporaryDirectory` leaves it behind where Ctrl-C comes just after the folder is made.
    """
    folder = as_path(parent or tempfile.gettempdir()) / f"clusterbits-{secrets.token_hex(8)}"
    with cleaning_up(lambda: shutil.rmtree(folder, ignore_errors=True)):
        try:
            with creating:
                folder.mkdir(mode=0o700)
        except OSError as error:
            raise FileError(f"spill={str(parent)!r}: {error.strerror}.") from None
        yield str(folder)
