"""Clusters of mentions in memory: of one document, or of each of many."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.coreference.annotation import Annotation, repeat_positions
from clusterbits.errors import LabelError
from clusterbits.labels.labeling import is_array_type
from clusterbits.reading.ids import by_value
from clusterbits.reading.label_columns import as_array
from clusterbits.reading.type_checks import to_list
from clusterbits.text.tables import short

# The name of a document without one.
UNNAMED = "document"
_SHAPE = (
    "pass a list of clusters, each a list of mentions, such as [[(0, 1), (5, 5)], [(3, 3)]]; or a "
    "mapping of documents to such lists."
)


def read_clusters(data: Any, name: str) -> Annotation:
    """Return the annotation of a list of clusters, or of a mapping of documents to them."""
    documents = data if isinstance(data, Mapping) else {UNNAMED: data}
    if documents is data:
        refuse_entities(documents, name)
    return gather(documents, name, dict.fromkeys(documents, name))


def refuse_entities(documents: Mapping[Any, Any], input_name: str) -> None:
    """Raise for a mapping of entities to spans, which reads like one of documents to clusters."""
    if not all(isinstance(clusters, list | tuple) for clusters in documents.values()):
        return
    clusters = list(chain.from_iterable(documents.values()))
    if clusters and all(map(_is_span, clusters)):
        raise LabelError(
            f"{input_name} maps {short(repr(next(iter(documents))))} to spans such as "
            f"{short(repr(clusters[0]))}, and a mapping is of documents to clusters of them. Of "
            "entities x of one document, pass list(x.values()), or {'doc': x}; if numbers are the "
            "mentions, write them as text."
        )


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and [*map(type, value)] == [int, int]
        and value[0] <= value[1]
    )


def gather(documents: Mapping[Any, Any], name: str, locations: Mapping[Any, str]) -> Annotation:
    """Return the annotation of documents, with their locations."""
    by_document = [_list_clusters(documents[key], locations[key]) for key in documents]
    clusters = list(chain.from_iterable(by_document))
    return Annotation(
        name,
        locations,
        repeat_positions(by_document),
        repeat_positions(clusters),
        _read_mentions(clusters, name),
    )


def _list_clusters(clusters: Any, location: str) -> list[Any]:
    """Return the clusters of a document that are not empty, without their names if any."""
    if isinstance(clusters, Mapping):
        clusters = clusters.values()
    elif not _is_collection(type(clusters)):
        shown = short(repr(clusters))
        raise LabelError(f"{location}: {shown} is not a list of clusters; {_SHAPE}")
    if not all(map(_is_collection, {*map(type, clusters)})):
        wrong = next(cluster for cluster in clusters if not _is_collection(type(cluster)))
        shown = short(repr(wrong))
        raise LabelError(f"{location}: {shown} is not a cluster of mentions; {_SHAPE}")
    return [cluster for cluster in clusters if len(cluster)]


def _is_collection(kind: type) -> bool:
    return issubclass(kind, Sequence | Set) and not issubclass(kind, str | bytes)


def _read_mentions(clusters: list[Any], name: str) -> NDArray[np.int64] | list[Any]:
    """Return spans as an array with two columns, and mentions of any other kind as they are."""
    if (spans := _read_spans(clusters)) is not None:
        return spans
    mentions = list(chain.from_iterable(clusters))
    if {*map(type, mentions)} == {str}:
        return mentions
    mentions = to_list(by_value([_as_mention(value, name) for value in mentions], name))
    parts = chain.from_iterable(
        mention if isinstance(mention, tuple) else (mention,) for mention in mentions
    )
    for part in {type(part): part for part in parts}.values():
        # What is compared by its address, or holds a tensor, equals nothing of the other side.
        with suppress(Exception):  # of any library
            if hash(deepcopy(part)) == hash(part):
                continue
        raise _no_mention(part, name)
    return mentions


def _no_mention(value: Any, name: str) -> LabelError:
    return LabelError(
        f"{name}: {short(repr(value))} is not a mention: a mention is a span such as [3, 5], or a "
        "value that equals its copies, such as text, a number or a tuple of such. Several "
        "documents are a mapping."
    )


def _as_mention(value: Any, name: str) -> Any:
    """Return a list as a tuple; one of spans is a cluster, as in a list of documents: an error."""
    if is_array_type(type(value)):
        value = as_array(value, name).tolist()
    if isinstance(value, list) and not any(isinstance(part, list | tuple) for part in value):
        return tuple(value)
    if isinstance(value, list | Set | Mapping):
        raise _no_mention(value, name)
    return value


def _read_spans(clusters: list[Any]) -> NDArray[np.int64] | None:
    """Return the start and end of each mention; None if not all are spans."""
    mentions = list(chain.from_iterable(clusters))
    if not ({*map(type, mentions)} <= {list, tuple} and {*map(len, mentions)} <= {2}):
        return None
    try:
        ends = array("q", chain.from_iterable(mentions))
    except Exception:  # no integers of 64 bits; a tensor may raise anything
        return None
    spans = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return spans if spans.min(initial=0) >= 0 else None
