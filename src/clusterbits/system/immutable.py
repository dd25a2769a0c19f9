"""Values made of read-only arrays, and so are their copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

DType = TypeVar("DType", bound=np.generic)


def read_only(array: NDArray[DType]) -> NDArray[DType]:
    """Return the array, made read-only."""
    array.setflags(write=False)
    return array


class Immutable:
    """A dataclass whose arrays, lists and mappings are read-only.

    Copies are made from its fields alone.
    """

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, list):
                object.__setattr__(self, field.name, value := tuple(value))
            elif isinstance(value, dict):
                object.__setattr__(self, field.name, MappingProxyType(value))
                value = tuple(value.values())
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, np.ndarray):
                    read_only(item)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Copy and pickle by the fields; computed properties are computed again."""
        values = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
        # A view of a dictionary cannot be pickled.
        return type(self), tuple(dict(v) if isinstance(v, Mapping) else v for v in values)
