"""The files of one side: columns of CoNLL or JSON, plain or gzip, one or a folder of them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from clusterbits.coreference.annotation import Annotation
from clusterbits.coreference.clusters import UNNAMED, gather, refuse_entities
from clusterbits.coreference.conll_columns import read_columns
from clusterbits.errors import FileError, refuse_device, translating
from clusterbits.reading.files.formats import is_gzip
from clusterbits.reading.files.sources import find_paths, list_files
from clusterbits.reading.files.streams import is_stream, name_file, open_stream
from clusterbits.system.limits import check_memory
from clusterbits.text.tables import short

# Endings of the files that are read of a folder.
_ENDINGS = ("conll", ".json", ".jsonl", ".jsonlines", ".ndjson", ".key", ".response")
_MARK = b"\xef\xbb\xbf"
# Peak bytes of memory per byte of a file, measured.
_BYTES = 12
# Fields of a record with the document's name, its true clusters and a system's, by toolkits.
_NAMES = ("doc_key", "document_id", "doc_id", "doc_name", "name", "id")
_CLUSTERS = ("clusters", "span_clusters", "coref_clusters")
_PREDICTED = ("predicted_clusters", "pred_clusters", "predictions")


def read_annotation(
    path: str | PathLike[str], key: str | PathLike[str] | None = None, *, is_key: bool
) -> Annotation:
    """Return the annotation in a file, or in all files of a folder or a pattern.

    If the `key` is of the same path, a response of records has to have predictions.
    """
    paths, name = find_paths(path, _search), name_file(path)
    folder = paths != [Path(path)]  # or a pattern
    if not is_stream(path):
        _check_size(name, sum(file.stat().st_size for file in paths))
    files = [(str(file) if folder else name, _read(file)) for file in paths]
    if not any(data.lstrip().startswith((b"{", b"[")) for _, data in files):
        return read_columns(files, name)
    stems = [file.name.partition(".")[0] if folder else UNNAMED for file in paths]
    has_both = key is not None and Path(key).resolve() == Path(path).resolve()
    return read_json(files, name, stems, is_key=is_key, has_both=has_both)


def _search(folder: Path) -> list[Path]:
    files = [
        path
        for path in list_files(folder)
        if path.name.removesuffix(".gz").lower().endswith(_ENDINGS)
    ]
    if not files:
        raise FileError(
            f"{folder} is a folder without coreference files: those whose names end with "
            f"{', '.join(_ENDINGS)} are read, with or without .gz."
        )
    return files


def _read(path: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    with translating(f"{path} cannot be read"):
        if is_stream(path):
            with open_stream(path) as stream:
                data = stream.read()
        else:
            refuse_device(path)
            data = path.read_bytes()
        if is_gzip(data):
            data = gzip.decompress(data)
            _check_size(str(path), len(data))
    if b"\r" in data:  # line ends of Windows and of old Macs; a text in JSON has none
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.removeprefix(_MARK)


def _check_size(name: str, size: int) -> None:
    check_memory(_BYTES * size, f"reading {name}")


# --- JSON: one document, a mapping of documents, or a record for each --------------------------


def read_json(
    files: Sequence[tuple[str, bytes]],
    name: str,
    stems: Sequence[str],
    *,
    is_key: bool,
    has_both: bool,
) -> Annotation:
    """Return the annotation in JSON files; `stems` name their documents without a name.

    `has_both`: the other side is read from the same files.
    """
    documents = [
        document
        for (file, data), stem in zip(files, stems, strict=True)
        for location, value in _values(file, data)
        for document in _find_documents(value, location, stem)
    ]
    # If one record has a prediction, all need one: the rest would be scored by their own key.
    predicted = any(not {*_PREDICTED}.isdisjoint(record) for _, _, record in documents)
    fields = _PREDICTED if not is_key and (predicted or has_both) else _CLUSTERS
    clusters: dict[Any, Any] = {}
    locations: dict[Any, str] = {}
    for location, document, record in documents:
        if document in clusters:
            raise FileError(
                f"{location}: document {short(repr(document))} appears twice; first in "
                f"{locations[document]}. Each needs a name of its own, its {_NAMES[0]!r}."
            )
        field = next((field for field in fields if field in record), None)
        if field is None:
            present = short(", ".join(map(str, record)))
            raise FileError(f"{location} has no {fields[0]!r}, only {present}.")
        clusters[document], locations[document] = record[field], location
    return gather(clusters, name, locations)


def _values(file: str, data: bytes) -> Iterator[tuple[str, Any]]:
    """Yield file and line of each value of a file, JSON or JSON lines, and the value."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{file} is not UTF-8 text.") from None
    try:
        yield file, _parse(text)
        return
    except (ValueError, RecursionError) as error:
        not_json = error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, line in lines:
        try:
            value = _parse(line)
        except (ValueError, RecursionError) as error:
            if number == lines[0][0]:  # it is not a file of JSON lines
                raise FileError(f"{file} is not JSON: {not_json}.") from None
            raise FileError(f"{file}, line {number:,} is not JSON: {error}.") from None
        yield f"{file}, line {number:,}", value


def _parse(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_read_object)


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; of two values of one name, a dictionary would drop the first."""
    values = dict(pairs)
    if len(values) < len(pairs):
        ((duplicate, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"an object has {short(repr(duplicate))} twice")
    return values


def _find_documents(
    value: Any, location: str, stem: str
) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Yield location, name and record of each document of a value; the stem names one without."""
    in_list = isinstance(value, list) and {*map(type, value)} == {dict}
    if in_list or (isinstance(value, dict) and not {*_CLUSTERS, *_PREDICTED}.isdisjoint(value)):
        for number, record in enumerate(value if in_list else [value], 1):
            name = next((record[field] for field in _NAMES if field in record), stem)
            place = f"{location}, record {number:,}" if in_list else location
            yield place, name if isinstance(name, str | int) else str(name), record
    elif isinstance(value, list):
        yield location, stem, {_CLUSTERS[0]: value}
    elif isinstance(value, dict) and all(isinstance(part, list | dict) for part in value.values()):
        refuse_entities(value, location)
        for name, clusters in value.items():
            yield location, name, {_CLUSTERS[0]: clusters}
    else:
        raise FileError(
            f"{location} has {short(repr(value))}: clusters of mentions, a mapping of documents to "
            "them, or records with 'doc_key' and 'clusters' are read."
        )
