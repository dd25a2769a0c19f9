"""Files that are whole or not there: written beside their place, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from clusterbits.errors import FileError


def write_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Let `write` fill a new file, which takes the place of the old one only when it is done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=".clusterbits-", delete=False
        ) as new:
            try:
                write(new)
                new.flush()
                os.chmod(new.name, 0o666 & ~_umask())
                os.replace(new.name, path)
            except BaseException:
                os.unlink(new.name)
                raise
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from None


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, with a newline at its end."""
    write_file(path, lambda stream: stream.write((text.rstrip("\n") + "\n").encode()))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
