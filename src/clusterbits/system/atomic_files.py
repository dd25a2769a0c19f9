"""Atomic files: written under another name, then renamed, so that none is ever half written."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from clusterbits.errors import FileError

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")


def write_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Let `write` fill a new file, which replaces the old one only when it is complete.

    The new file has the old one's permissions. A link stays a link, to the new file; pipes and
    devices are written to directly.
    """
    check_target(path)
    try:
        if _is_device(path):
            with open(str(path), "ab") as stream:  # /dev/stdout may be a file with something in it
                write(stream)
            return
        target = Path(os.path.realpath(path))
        new = target.with_name(f".clusterbits-{secrets.token_hex(8)}")
        try:
            # Opened by a str path, for writers that use its name.
            with open(str(new), "xb") as stream:
                if target.exists():
                    new.chmod(target.stat().st_mode)
                write(stream)
            os.replace(new, target)
        finally:
            new.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from None


def check_target(path: Path) -> None:
    """Raise if a file cannot be written: a folder, in a missing folder, or write-protected."""
    try:
        reason = _obstacle(path)
    except (OSError, ValueError) as error:  # such as a name that is too long
        reason = str(error)
    if reason:
        raise FileError(f"{path} cannot be written: {reason}.")


def _obstacle(path: Path) -> str:
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir():
        return "it is a folder; name a file in it"
    if not folder.is_dir():
        return f"{folder} is not a folder" if folder.exists() else f"there is no folder {folder}"
    if path.exists() and not os.access(path, os.W_OK):
        return "it is write-protected"
    if not _is_device(path) and not os.access(folder, os.W_OK | os.X_OK):
        return f"its folder {folder} is write-protected"
    return ""


def _is_device(path: Path) -> bool:
    # If stdout is a file, /dev/stdout is a link to it, which other processes have open.
    return str(path).startswith(_STREAMS) or (path.exists() and not path.is_file())


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, with a newline at its end."""
    write_file(path, lambda stream: stream.write((text.rstrip("\n") + "\n").encode()))
