"""Atomic files: written under another name, then renamed, so that none is ever half written."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from clusterbits.errors import FileError


def write_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Let `write` fill a new file, which replaces the old one only when it is complete.

    A link stays a link, to the new file; what is no file but can be written to (a pipe, a
    device) is written to directly.
    """
    try:
        if path.is_dir():
            raise FileError(f"{path} is a folder: name a file in it.")
        if path.exists() and not path.is_file():
            with open(str(path), "wb") as stream:
                write(stream)
            return
        place = Path(os.path.realpath(path))
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(f".clusterbits-{secrets.token_hex(8)}")
        try:  # the stream goes by a name that is text, for those who write by name
            with open(str(new), "xb") as stream:
                write(stream)
            os.replace(new, place)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from None


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, with a newline at its end."""
    write_file(path, lambda stream: stream.write((text.rstrip("\n") + "\n").encode()))
