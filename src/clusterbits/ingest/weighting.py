"""Weights of objects as they were given: by position, or by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from clusterbits.core.arguments import list_iterator
from clusterbits.core.labels import Ids
from clusterbits.ingest.kinds import index_of


class Weighting(NamedTuple):
    """Weights as they were given, and the ids of the objects they belong to."""

    values: Any
    ids: Ids | None

    @classmethod
    def of(cls, weights: Any) -> Weighting:
        """Return a mapping of ids to weights taken apart, and the index of a pandas Series."""
        if isinstance(weights, Mapping):
            return cls(list(weights.values()), Ids(list(weights)))
        weights = list_iterator(weights)
        return cls(weights, index_of(weights))
