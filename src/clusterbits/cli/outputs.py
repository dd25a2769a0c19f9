"""Where commands write: files, or standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from clusterbits.atomic import check_target, write_file
from clusterbits.errors import FileError

STANDARD_OUTPUT = "/dev/stdout"


def is_standard_output(path: Path | None) -> bool:
    """Whether an output is standard output, which other things then must not be printed to."""
    return str(path) == STANDARD_OUTPUT


def check_output(path: Path, *, binary: bool = False) -> None:
    """Refuse an output that cannot be written, before anything is computed."""
    if not is_standard_output(path):
        check_target(path)
    elif binary and sys.stdout.isatty():
        raise FileError("binary data would garble the terminal; name a file, or pipe it on.")


def write_output(path: Path, content: bytes) -> None:
    """Write bytes to a file or to standard output."""
    if not is_standard_output(path):
        write_file(path, lambda stream: stream.write(content))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
