"""Where commands write: files, or standard output."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clusterbits.errors import FileError
from clusterbits.system.atomic_files import check_target, write_file
from clusterbits.text.tables import escape_unseen
from clusterbits.text.terminal import print_note

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


def protect_inputs(inputs: Iterable[Path], output: Path | None) -> None:
    """Refuse an output that is one of the inputs, by whatever name or link."""
    if output is None or not output.is_file():
        return
    written = output.stat()
    for path in inputs:
        if path.exists() and os.path.samestat(path.stat(), written):
            raise FileError(f"{output} is the input {path}; name another file to write to.")


def write_output(path: Path, content: bytes, what: str = "") -> None:
    """Write bytes to standard output, or to a file, and print `what` is there."""
    if not is_standard_output(path):
        write_file(path, lambda stream: stream.write(content))
        if what:
            print_note(f"{what} in {path}")
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def write_csv(path: Path, rows: Iterable[Sequence[Any]], what: str = "") -> None:
    """Write rows of labels as CSV, None as an empty cell; print `what` is there."""
    text = io.StringIO()
    plain = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        # Unquoted, a carriage return is read as the end of a line.
        (quoted if any("\r" in str(label) for label in row) else plain).writerow(row)
    content = text.getvalue()
    if is_standard_output(path):
        # A terminal would obey the controls in a label.
        print(escape_unseen(content, keep="\n\t") if sys.stdout.isatty() else content, end="")
        return
    try:
        write_output(path, content.encode(), what)
    except UnicodeEncodeError as error:
        letters = content[error.start : error.end]
        raise FileError(f"a label cannot be written as UTF-8: {letters!r}.") from None
