"""Clusters of mentions in JSON: one document, a mapping of documents, or a record for each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from clusterbits.coreference.annotation import Annotation
from clusterbits.coreference.clusters import UNNAMED, gather
from clusterbits.display.tables import short
from clusterbits.errors import FileError

# What records call a document, its true clusters, and those of a system: as the toolkits write.
_NAMES = ("doc_key", "document_id", "doc_id", "doc_name", "name", "id")
_CLUSTERS = ("clusters", "span_clusters", "coref_clusters")
_PREDICTED = ("predicted_clusters", "pred_clusters", "predictions")


def read_json(
    files: Sequence[tuple[str, bytes]], name: str, stems: Sequence[str] | None, *, is_key: bool
) -> Annotation:
    """Return the annotation in JSON files; `stems` name their documents where they do not."""
    documents: dict[Any, Any] = {}
    places: dict[Any, str] = {}
    for number, (file, data) in enumerate(files):
        for place, value in _values(file, data):
            own = UNNAMED if stems is None else stems[number]
            for document, clusters in _find_clusters(value, place, own, is_key):
                if document in documents:
                    raise FileError(
                        f"{place}: document {short(repr(document))} is there twice; first in "
                        f"{places[document]}."
                    )
                documents[document], places[document] = clusters, place
    return gather(documents, name, places.__getitem__)


def _values(file: str, data: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the values of a file, JSON or JSON lines, and where each is."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{file} is not UTF-8 text.") from None
    try:
        yield file, _parse(text)
        return
    except (ValueError, RecursionError) as error:
        whole = error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, line in lines:
        try:
            value = _parse(line)
        except (ValueError, RecursionError) as error:
            if number == lines[0][0]:  # it is not a file of JSON lines
                raise FileError(f"{file} is no JSON: {whole}.") from None
            raise FileError(f"{file}, line {number:,} is no JSON: {error}.") from None
        yield f"{file}, line {number:,}", value


def _parse(text: str) -> Any:
    """Return the value of a JSON text; NaN, which equals nothing, is no JSON."""
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _find_clusters(value: Any, place: str, name: str, is_key: bool) -> Iterator[tuple[Any, Any]]:
    """Yield the documents that a value has: their names, and clusters of mentions."""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for number, record in enumerate(value, 1):
            yield _read_record(record, f"{place}, record {number:,}", name, is_key)
    elif isinstance(value, dict) and not {*_CLUSTERS, *_PREDICTED}.isdisjoint(value):
        yield _read_record(value, place, name, is_key)
    elif isinstance(value, dict) and all(isinstance(one, list | dict) for one in value.values()):
        yield from value.items()
    elif isinstance(value, list):
        yield name, value
    else:
        raise FileError(
            f"{place} has {short(repr(value))}: clusters of mentions, a mapping of documents to "
            "them, or records with 'doc_key' and 'clusters' are read."
        )


def _read_record(record: dict[str, Any], place: str, name: str, is_key: bool) -> tuple[Any, Any]:
    """Return the name and the clusters of a document: predicted ones, where it is the response."""
    fields = _CLUSTERS if is_key else (*_PREDICTED, *_CLUSTERS)
    found = next((field for field in fields if field in record), None)
    if found is None:
        raise FileError(f"{place} has no {fields[0]!r}, only {short(', '.join(map(str, record)))}.")
    own = next((record[field] for field in _NAMES if field in record), name)
    return (own if isinstance(own, str | int) else str(own)), record[found]
