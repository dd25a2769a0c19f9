"""Tables on disk: a small JSON file that can be added to others another day.

It has the version of the format and a checksum of everything, so that a file that was truncated,
edited or comes from elsewhere is an error. A checksum is not a signature: whoever forges it can
save any table, but nothing else.
"""

from __future__ import annotations

import datetime
import json
import operator
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from clusterbits.errors import FileError, TableError, refuse_device, translating
from clusterbits.system.atomic_files import write_file
from clusterbits.table.cells import Cells, Coverage
from clusterbits.table.label_names import NoiseSingleton, as_names

_VERSION = 6
_MARK = "clusterbits"
# Every saved table begins with this.
_START = b'{"clusterbits":'


def save_cells(path: str | os.PathLike[str], cells: Cells) -> None:
    """Write cells to a .json file, completely or not at all."""
    target = Path(path)
    if target.suffix.lower() != ".json":
        raise FileError(f"{target}: a table is saved as JSON. Name the file *.json.")
    text = _as_text(
        {
            _MARK: _VERSION,
            "coverage": cells.coverage,
            "weighted": cells.weighted,
            "balanced": cells.balanced,
            "classes": [label_to_json(name) for name in cells.classes.tolist()],
            "clusters": [label_to_json(name) for name in cells.clusters.tolist()],
            "rows": cells.rows.tolist(),
            "columns": cells.columns.tolist(),
            "counts": cells.counts.tolist(),
        }
    )
    complete = text[:-1] + b',"digest":%d}' % zlib.crc32(text)
    write_file(target, lambda stream: stream.write(complete))


def load_cells(path: str | os.PathLike[str]) -> Cells:
    """Read cells that were saved."""
    source = Path(path)
    refuse_device(source)
    with translating(f"{source} cannot be read"):
        saved = is_saved(source)
    if not saved:
        raise FileError(f"{source} is not a table saved by clusterbits, or it is truncated.")
    with translating(f"{source} is damaged or incomplete"):
        content = json.loads(source.read_bytes())
        if content[_MARK] != _VERSION:
            raise FileError(
                f"{source} has version {content[_MARK]} of the format; this clusterbits reads "
                f"version {_VERSION}."
            )
        if content.pop("digest") != zlib.crc32(_as_text(content)):
            raise ValueError("its content differs from what was saved")
        coverage = content["coverage"]
        return Cells(
            as_names([label_from_json(name) for name in content["classes"]]),
            as_names([label_from_json(name) for name in content["clusters"]]),
            np.array(content["rows"], dtype=np.intp),
            np.array(content["columns"], dtype=np.intp),
            np.array(content["counts"]),
            coverage=None if coverage is None else Coverage(*coverage),
            weighted=content["weighted"],
            balanced=content["balanced"],
        )


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a saved table, by its beginning."""
    with open(path, "rb") as stream:
        return stream.read(len(_START)) == _START


def _as_text(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


# --- labels in JSON ------------------------------------------------------------------------------

# Labels of types that JSON lacks are objects with one key.
_WORDS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    datetime.datetime: ("datetime", datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.date: ("date", datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.time: ("time", datetime.time.isoformat, datetime.time.fromisoformat),
    datetime.timedelta: (
        "duration",
        lambda span: [span.days, span.seconds, span.microseconds],
        lambda parts: datetime.timedelta(*map(operator.index, parts)),
    ),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    NoiseSingleton: (
        "alone",
        lambda name: [label_to_json(name.label), name.number],
        lambda name: NoiseSingleton(label_from_json(name[0]), operator.index(name[1])),
    ),
    tuple: (
        "tuple",
        lambda names: [label_to_json(name) for name in names],
        lambda names: tuple(label_from_json(name) for name in names),
    ),
}


_READ = {word: read for word, _, read in _WORDS.values()}


def label_to_json(name: Any) -> Any:
    """Return a label as JSON can hold it; refuse a label that would not come back."""
    if name is None or type(name) in (str, int, bool):
        return name
    if isinstance(name, np.integer | np.bool_ | np.str_):
        return name.item()
    for kind, (word, write, read) in _WORDS.items():
        # Subclasses may hold more than their kind, such as nanoseconds.
        if isinstance(name, kind) and read(written := write(name)) == name:
            return {word: written}
    raise TableError(
        f"the label {name!r} is a {type(name).__name__}; a saved table has labels that are text, "
        "integers, booleans, dates, times, bytes, None or tuples of these."
    )


def label_from_json(value: Any) -> Any:
    """Return the label that `label_to_json` wrote."""
    if not isinstance(value, dict):
        if isinstance(value, list | float):
            raise ValueError(value)
        return value
    ((word, content),) = value.items()
    return _READ[word](content)
