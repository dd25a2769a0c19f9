"""Labels on a GPU or another device: counted there by CuPy, or copied.

On NVIDIA's GPUs CuPy counts integers of all libraries, which share their memory by DLPack. Other
labels, those on other devices, and all if CuPy is not installed or broken, are copied to the host.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from clusterbits.errors import LabelError, first_line, warn
from clusterbits.reading.type_checks import is_estimator
from clusterbits.table.adding import merge_cells
from clusterbits.table.cells import Cells

# DLPack's numbers for memory of this machine, also if a GPU can read it, and of NVIDIA's GPUs.
_HOST, _CUDA = (1, 3), 2
# Labels that are counted on their device; uint64 may exceed int64.
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
# Objects whose pairs are sorted at once: that takes some 4 GB.
_SORTED = 1 << 27


def is_on_device(value: Any) -> bool:
    """Whether a value is an array in the memory of a GPU or of another device.

    >>> is_on_device(np.arange(3)), is_on_device([1, 2])
    (False, False)
    """
    if isinstance(value, np.ndarray | list | type) or not hasattr(value, "__dlpack_device__"):
        return False
    try:
        return _device(value)[0] not in _HOST
    except Exception:  # torch's meta tensors are nowhere
        return False


def _device(array: Any) -> tuple[int, int]:
    """Return the kind of an array's device, and its number."""
    kind, number = array.__dlpack_device__()
    return int(kind), int(number)


def copy_to_host(array: Any, input_name: str) -> Any:
    """Return an array of a device as one of numpy's, anything else as it is."""
    if not is_on_device(array):
        return array
    try:
        for method in ("get", "cpu"):  # CuPy's and torch's
            if hasattr(array, method):
                return np.asarray(getattr(array, method)())
        # JAX copies, others say no.
        return np.asarray(array) if hasattr(array, "__array__") else np.from_dlpack(array)
    except Exception as error:  # of any library
        raise LabelError(
            f"{input_name} is a {type(array).__name__} on {array.device} that cannot be copied to "
            f"the CPU: {first_line(error)}"
        ) from None


def is_device_countable(labels: Any) -> bool:
    """Whether CuPy counts labels on their device: integers."""
    if not is_on_device(labels) or _device(labels)[0] != _CUDA or len(labels.shape) != 1:
        return False
    dtype = str(labels.dtype).rpartition(".")[2]  # torch.int64
    return dtype in _INTEGERS and find_spec("cupy") is not None


def count_on_device(truth: Any, pred: Any) -> Cells | None:
    """Count labels on their device; None if they are to be copied first."""
    if isinstance(truth, np.ndarray | list):  # the usual case
        return None
    c, k = (getattr(x, "labels_", x) if is_estimator(x) else x for x in (truth, pred))
    if not (is_device_countable(c) and is_device_countable(k) and _device(c) == _device(k)):
        return None
    if c.shape != k.shape or c.shape[0] == 0:  # an error
        return None
    try:
        return _count_by_cupy(c, k)
    except Exception as error:  # whatever is broken, such as the driver or the compiler
        warn(f"CuPy is installed and failed, so labels are counted without it: {first_line(error)}")
        return None


def _count_by_cupy(c: Any, k: Any) -> Cells:
    import cupy

    from clusterbits.reading.cuda import count_small, count_sorted

    c, k = (cupy.from_dlpack(x) for x in (c, k))
    with c.device:
        if (small := count_small(cupy, c, k)) is not None:
            return small
        parts = [slice(begin, begin + _SORTED) for begin in range(0, len(c), _SORTED)]
        return merge_cells([count_sorted(cupy, c[part], k[part]) for part in parts])
