"""Labels on a GPU or another device: recognised, read as integers, and brought here where needed.

Torch, CuPy and JAX are never imported: an array says itself which library it is of.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.labels import Labels, not_whole
from clusterbits.errors import LabelError, first_line
from clusterbits.ingest.kinds import is_estimator

# Objects looked at together: their keys and what sorting takes stay below some 2 GB.
CHUNK = 1 << 26
# Labels looked at to guess the smallest and the largest.
SAMPLE = 1 << 16
# How the device of arrays that are here is called, in all libraries.
_HOST = "cpu"
# What the place of all other labels is called, and how an array comes there.
_HERE = "on the CPU"
_COPIES = {"torch": "{}.cpu()", "cupy": "{}.get()", "jax.numpy": "numpy.asarray({})"}
# Whole floats below this become integers without loss, as in numpy's arrays.
_EXACT_FLOAT = 2.0**62
# Unsigned integers that torch has no arithmetic for.
_BARE_IN_TORCH = ("uint16", "uint32", "uint64")


def is_on_device(value: Any) -> bool:
    """Whether a value is an array in the memory of a GPU or of another device.

    >>> is_on_device(np.arange(3)), is_on_device([1, 2])
    (False, False)
    """
    if isinstance(value, np.ndarray | type) or not hasattr(value, "device"):
        return False
    return library_of(value) is not None and _HOST not in str(value.device).casefold()


def library_of(array: Any) -> Any:
    """Return the namespace with an array's functions: torch, cupy, jax.numpy; None for others."""
    package = type(array).__module__.partition(".")[0]
    if package in ("torch", "cupy"):
        return sys.modules[package]
    return array.__array_namespace__() if hasattr(array, "__array_namespace__") else None


def to_host(array: Any) -> NDArray[Any]:
    """Return an array of a device as one of numpy's."""
    for method in ("get", "cpu"):  # CuPy's and torch's
        if hasattr(array, method):
            array = getattr(array, method)()
            break
    else:
        if not type(array).__module__.startswith("jax"):
            return np.from_dlpack(array)
    return np.asarray(array)


def with_integers_of_64_bits(xp: Any) -> AbstractContextManager[Any]:
    """Return the context in which a library has int64: JAX has only int32 unless it is asked."""
    if xp.__name__ != "jax.numpy":
        return nullcontext()
    home = sys.modules["jax"]
    if not hasattr(home, "enable_x64"):  # before 0.8
        home = import_module("jax.experimental")
    context: AbstractContextManager[Any] = home.enable_x64(True)
    return context


def cast(array: Any, dtype: str) -> Any:
    """Return an array with the elements as a type of its library, given by name."""
    xp = library_of(array)
    kind = getattr(xp, dtype)
    if xp.__name__ == "torch":
        return array.to(kind)
    return array.astype(kind) if hasattr(array, "astype") else xp.astype(array, kind)


def chunks(objects: int) -> Iterator[slice]:
    """Yield the places of some objects at a time."""
    for begin in range(0, objects, CHUNK):
        yield slice(begin, min(begin + CHUNK, objects))


def dtype_name(array: Any) -> str:
    """Return the name of an array's type of elements, which is the same in all libraries."""
    return str(array.dtype).rpartition(".")[2]


class DeviceLabels:
    """Integer labels on a device, to be counted there; `names` are as of `Labels`."""

    in_order = True
    missing = None
    ids = None

    def __init__(self, array: Any, names: NDArray[Any] | None = None) -> None:
        self.array = array
        self.names = names

    def __len__(self) -> int:
        return int(self.array.shape[0])

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest label."""
        return _bounds(self.array)

    @cached_property
    def sampled_bounds(self) -> tuple[int, int]:
        """The smallest and the largest of some labels, spread over all so as to see sorted ones."""
        sample = self.array[:: -(-len(self) // SAMPLE)]
        if library_of(sample).__name__ != "jax.numpy":
            return _bounds(sample)
        here = to_host(sample)  # sooner than JAX finds them there
        return int(here.min()), int(here.max())

    @cached_property
    def on_host(self) -> Labels:
        """The labels here, for what cannot be done there."""
        return Labels(to_host(self.array), self.names)

    def name(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the names of codes."""
        return codes if self.names is None else self.names[codes]


def _bounds(array: Any) -> tuple[int, int]:
    xp = library_of(array)
    if xp.__name__ == "torch":
        low, high = xp.stack(xp.aminmax(array)).tolist()
        return low, high
    with with_integers_of_64_bits(xp):
        return int(xp.min(array)), int(xp.max(array))


def may_be_there(labels: Any) -> bool:
    """Whether labels, or those of an estimator, are on a device."""
    return not isinstance(labels, np.ndarray | list) and is_on_device(_array_of(labels))


def refuse_two_places(truth: Any, pred: Any) -> None:
    """Refuse labels on two devices or of two libraries: copying them may take long."""
    arrays = {"truth": _array_of(truth), "pred": _array_of(pred)}
    places = {who: _place_of(array) for who, array in arrays.items()}
    if places["truth"] == places["pred"]:
        return
    calls = [
        _COPIES.get(library_of(array).__name__, "numpy.from_dlpack({})").format(who)
        for who, array in arrays.items()
        if places[who] != _HERE
    ]
    raise LabelError(
        f"truth is {places['truth']} and pred {places['pred']}: labels are counted where they are, "
        f"both in one place. Bring them to one, such as the CPU: {' and '.join(calls)}."
    )


def _array_of(labels: Any) -> Any:
    """Return the array of labels that may be on a device."""
    if isinstance(labels, DeviceLabels):
        return labels.array
    return getattr(labels, "labels_", None) if is_estimator(labels) else labels


def _place_of(array: Any) -> str:
    if not is_on_device(array):
        return _HERE
    return f"on {array.device} ({library_of(array).__name__.partition('.')[0]})"


def read_on_device(labels: Any, who: str) -> DeviceLabels | None:
    """Return labels to be counted on their device; None for others, which are read here.

    Those are labels that are here already, arrays with more than one axis, floats with NaN for
    missing labels, and what is refused for its type.
    """
    if isinstance(labels, DeviceLabels):
        return labels
    array = _array_of(labels)
    if not is_on_device(array) or len(array.shape) != 1:
        return None
    kind, xp = dtype_name(array), library_of(array)
    if kind == "bool":
        return DeviceLabels(cast(array, "uint8"), np.array([False, True]))
    if "float" in kind:
        with with_integers_of_64_bits(xp):
            return _read_floats(array, xp, who)
    if not kind.startswith(("int", "uint")):
        return None
    if xp.__name__ == "torch" and kind in _BARE_IN_TORCH:
        array = cast(array, "int64")
    found = DeviceLabels(array)
    if kind == "uint64" and len(found) > 0:
        low, high = found.bounds
        if low < 0 or high >= 2**63:  # too large for int64: torch's have wrapped around
            return None
    return found


def _read_floats(array: Any, xp: Any, who: str) -> DeviceLabels | None:
    for place in chunks(array.shape[0]):
        some = array[place]
        if bool(xp.any(xp.isnan(some))):
            return None
        odd = (xp.floor(some) != some) | ~xp.isfinite(some)
        if bool(xp.any(odd)):
            first = int(xp.argmax(cast(odd, "int8")))
            raise not_whole(who, float(some[first]))
        # Compared as Python's floats: the limit itself is no float of 16 bits.
        if max(float(xp.max(some)), -float(xp.min(some))) >= _EXACT_FLOAT:
            return None
    return DeviceLabels(cast(array, "int64"))


def bring(array: Any, who: str) -> NDArray[Any]:
    """Return an array of a device as one of numpy's, or say why that cannot be done."""
    try:
        return to_host(array)
    except Exception as error:  # of any library
        raise LabelError(
            f"{who} is a {type(array).__name__} on {array.device} that cannot be brought to the "
            f"CPU: {first_line(error)}"
        ) from None
