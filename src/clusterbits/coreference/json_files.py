"""Clusters of mentions in JSON: one document, a mapping of documents, or a record for each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from clusterbits.coreference.annotation import Annotation
from clusterbits.coreference.clusters import UNNAMED, gather, refuse_entities
from clusterbits.display.tables import short
from clusterbits.errors import FileError

# What records call a document, its true clusters, and those of a system: as the toolkits write.
_NAMES = ("doc_key", "document_id", "doc_id", "doc_name", "name", "id")
_CLUSTERS = ("clusters", "span_clusters", "coref_clusters")
_PREDICTED = ("predicted_clusters", "pred_clusters", "predictions")


class JsonDocument(NamedTuple):
    """A document of a file: a record, or the name of a document and its clusters."""

    place: str
    # What it is called where it has no name.
    stem: str
    name: Any
    value: Any
    is_record: bool = False


def read_json(
    files: Sequence[tuple[str, bytes]],
    name: str,
    stems: Sequence[str] | None,
    *,
    is_key: bool,
    has_both: bool,
) -> Annotation:
    """Return the annotation in JSON files; `stems` name their documents where they do not.

    `has_both` says that the other side is read from the same files.
    """
    entries = [
        entry
        for number, (file, data) in enumerate(files)
        for place, value in _values(file, data)
        for entry in _find_documents(value, place, UNNAMED if stems is None else stems[number])
    ]
    fields = _choose_fields(entries, is_key, has_both)
    documents: dict[Any, Any] = {}
    places: dict[Any, str] = {}
    for entry in entries:
        document = entry.stem if entry.name is None else entry.name
        if document in documents:
            raise FileError(
                f"{entry.place} has no {_NAMES[0]!r}: of several documents, each needs a name."
                if entry.name is None
                else f"{entry.place}: document {short(repr(document))} appears twice; first in "
                f"{places[document]}."
            )
        documents[document] = _take_clusters(entry, fields) if entry.is_record else entry.value
        places[document] = entry.place
    return gather(documents, name, places.__getitem__)


def _choose_fields(entries: Sequence[JsonDocument], is_key: bool, has_both: bool) -> Sequence[str]:
    """Return what records call the clusters of this side: of all of them the same kind.

    Otherwise a record without a prediction would be scored by its own key.
    """
    if is_key:
        return _CLUSTERS
    predicted = any(
        not {*_PREDICTED}.isdisjoint(entry.value) for entry in entries if entry.is_record
    )
    return _PREDICTED if predicted or has_both else _CLUSTERS


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
                raise FileError(f"{file} is not JSON: {whole}.") from None
            raise FileError(f"{file}, line {number:,} is not JSON: {error}.") from None
        yield f"{file}, line {number:,}", value


def _parse(text: str) -> Any:
    """Return the value of a JSON text; NaN, which equals nothing, is not JSON."""
    return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_read_object)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; of two values of one name, a dictionary would drop the first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has {short(repr(twice))} twice")
    return found


def _find_documents(value: Any, place: str, stem: str) -> Iterator[JsonDocument]:
    """Yield the documents that a value has."""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for number, record in enumerate(value, 1):
            place_of = f"{place}, record {number:,}"
            yield JsonDocument(place_of, stem, _name_record(record), record, is_record=True)
    elif isinstance(value, dict) and not {*_CLUSTERS, *_PREDICTED}.isdisjoint(value):
        yield JsonDocument(place, stem, _name_record(value), value, is_record=True)
    elif isinstance(value, dict) and all(isinstance(one, list | dict) for one in value.values()):
        refuse_entities(value, place)
        for name, clusters in value.items():
            yield JsonDocument(place, stem, name, clusters)
    elif isinstance(value, list):
        yield JsonDocument(place, stem, None, value)
    else:
        raise FileError(
            f"{place} has {short(repr(value))}: clusters of mentions, a mapping of documents to "
            "them, or records with 'doc_key' and 'clusters' are read."
        )


def _name_record(record: dict[str, Any]) -> Any:
    """Return the name of a record's document; None without one."""
    name = next((record[field] for field in _NAMES if field in record), None)
    return name if name is None or isinstance(name, str | int) else str(name)


def _take_clusters(entry: JsonDocument, fields: Sequence[str]) -> Any:
    """Return the clusters that a record has in one of those fields."""
    found = next((field for field in fields if field in entry.value), None)
    if found is None:
        has = short(", ".join(map(str, entry.value)))
        raise FileError(f"{entry.place} has no {fields[0]!r}, only {has}.")
    return entry.value[found]
