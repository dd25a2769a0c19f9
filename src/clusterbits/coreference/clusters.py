"""Clusters of mentions in memory: of one document, or of each of many."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.coreference.annotation import LONGEST, Annotation
from clusterbits.errors import LabelError
from clusterbits.labels.labeling import is_array_type
from clusterbits.reading.ids import by_value
from clusterbits.reading.label_columns import as_array
from clusterbits.reading.type_checks import to_list
from clusterbits.text.tables import short

# What the one document of clusters without a name is called.
UNNAMED = "document"
# Clusters that are read at a time: their mentions stay in the processor's cache.
_BLOCK = 200
_SHAPE = (
    "pass a list of clusters, each a list of mentions, such as [[(0, 1), (5, 5)], [(3, 3)]]; or a "
    "mapping of documents to such lists."
)


def read_clusters(given: Any, name: str) -> Annotation:
    """Return the annotation that a list of clusters, or a mapping of documents to them, has."""
    if isinstance(given, Mapping):
        refuse_entities(given, name)
        return gather(given, name, lambda _: name)
    return gather({UNNAMED: given}, name, lambda _: name)


def refuse_entities(documents: Mapping[Any, Any], where: str) -> None:
    """Refuse a mapping of entities to spans, which reads like one of documents to clusters."""
    if not all(isinstance(one, list | tuple) for one in documents.values()):
        return
    clusters = chain.from_iterable(documents.values())
    first = next(clusters, None)
    if first is not None and all(map(_is_span, chain([first], clusters))):
        raise LabelError(
            f"{where} maps {short(repr(next(iter(documents))))} to spans such as "
            f"{short(repr(first))}, and a mapping is of documents to clusters of them. Of entities "
            "x of one document, pass list(x.values()), or {'doc': x}; where numbers are the "
            "mentions, write them as text."
        )


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and [*map(type, value)] == [int, int]
        and value[0] <= value[1]
    )


def gather(documents: Mapping[Any, Any], name: str, locate: Callable[[Any], str]) -> Annotation:
    """Return the annotation of documents; `locate` says where a document stands, for messages."""
    names = list(documents)
    listed = [_list_clusters(documents[one], locate(one)) for one in names]
    clusters = list(chain.from_iterable(listed))
    entity_documents = np.repeat(np.arange(len(names)), [len(some) for some in listed])
    if not all(map(_is_collection, {type(cluster) for cluster in clusters})):
        wrong = [_is_collection(type(cluster)) for cluster in clusters].index(False)
        where = locate(names[entity_documents[wrong]])
        shown = short(repr(clusters[wrong]))
        raise LabelError(f"{where}: {shown} is not a cluster of mentions; {_SHAPE}")
    sizes = np.array([len(cluster) for cluster in clusters], dtype=np.intp)
    filled = sizes > 0
    entities = np.repeat(np.arange(int(filled.sum())), sizes[filled])
    entity_documents = entity_documents[filled].astype(np.intp)
    mentions = _read_mentions(clusters, name)
    return Annotation(
        name,
        names,
        entity_documents,
        entities.astype(np.intp),
        mentions,
        lambda mention: locate(names[entity_documents[entities[mention]]]),
    )


def _list_clusters(given: Any, where: str) -> list[Any]:
    """Return the clusters of a document, which may go by names."""
    if isinstance(given, Mapping):
        return list(given.values())
    if _is_collection(type(given)):
        return list(given)
    raise LabelError(f"{where}: {short(repr(given))} is not a list of clusters; {_SHAPE}")


def _is_collection(kind: type) -> bool:
    return issubclass(kind, Sequence | Set) and not issubclass(kind, str | bytes)


def _read_mentions(clusters: list[Any], name: str) -> NDArray[np.int64] | list[Any]:
    """Return spans as an array with two columns, and mentions of any other kind as they are."""
    if (spans := _read_spans(clusters)) is not None:
        return spans
    mentions = list(chain.from_iterable(clusters))
    if {*map(type, mentions)} == {str}:
        return mentions
    mentions = to_list(by_value([_as_mention(one, name) for one in mentions], name))
    parts = chain.from_iterable(one if isinstance(one, tuple) else (one,) for one in mentions)
    for one in {type(part): part for part in parts}.values():
        # What is compared by its address, or holds a tensor, equals nothing of the other side.
        with suppress(Exception):  # of any library
            if hash(deepcopy(one)) == hash(one):
                continue
        raise _no_mention(one, name)
    return mentions


def _no_mention(given: Any, name: str) -> LabelError:
    return LabelError(
        f"{name}: {short(repr(given))} is not a mention: a mention is a span such as [3, 5], or a "
        "value that equals its copies, such as text, a number or a tuple of such. Several "
        "documents are a mapping."
    )


def _as_mention(given: Any, name: str) -> Any:
    """Return a list as a tuple; refuse one of spans: a cluster, as in a list of documents."""
    if is_array_type(type(given)):
        given = as_array(given, name).tolist()
    if isinstance(given, list) and not any(isinstance(part, list | tuple) for part in given):
        return tuple(given)
    if isinstance(given, list | Set | Mapping):
        raise _no_mention(given, name)
    return given


def _read_spans(clusters: list[Any]) -> NDArray[np.int64] | None:
    """Return the start and end of each mention; None where not all are spans."""
    ends = array("q")
    for first in range(0, len(clusters), _BLOCK):
        mentions = list(chain.from_iterable(clusters[first : first + _BLOCK]))
        if not ({*map(type, mentions)} <= {list, tuple} and {*map(len, mentions)} <= {2}):
            return None
        try:
            ends.extend(chain.from_iterable(mentions))
        except Exception:  # no whole numbers, or not of 64 bits; a tensor may say anything
            return None
    spans = np.array(ends, dtype=np.int64).reshape(-1, 2)
    fits = spans.min(initial=0) >= 0 and spans.max(initial=0) < LONGEST
    return spans if fits else None
