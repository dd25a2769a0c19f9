"""Counting pairs of labels on NVIDIA's GPUs, by kernels of our own (kernels/pairs.cu).

A library's bincount reads keys that it first wrote, and adds in memory that all cores share: some
ten times the time it takes to read the labels. The kernels read labels once and count in the
memory of each core. They come as PTX, which the driver compiles for its GPU, and are launched
through the driver itself, so that neither a compiler nor a particular library is needed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import first_line
from clusterbits.ingest.devices import cast, dtype_name, library_of

# As in pairs.cu.
_BUCKETS, _THREADS, _TILE = 128, 512, 8192
# Parts of memory begin at a multiple of so many bytes.
_ALIGNED = 256
# Objects counted at once, so that a block's counts fit 32 bits; those whose keys are written down
# at once, 2 bytes each.
_MOST_OBJECTS, _SORTED_OBJECTS = 1 << 30, 1 << 27
# Objects that are copied at once where they cannot be read as they are.
_COPIED_OBJECTS = 1 << 26
# The driver's numbers for what is asked of a pointer, a device and a function.
_ORDINAL_OF_POINTER, _CORES, _SHARED_PER_CORE, _SHARED_PER_BLOCK = 9, 16, 81, 97
_DYNAMIC_SHARED = 8
# What the driver keeps of a block's shared memory for itself.
_RESERVED = 1024


class _KernelBox(ctypes.Structure):
    """The labels of a table, as in pairs.cu: the lowest, and how many from there on."""

    _fields_ = (
        ("low_c", ctypes.c_uint64),
        ("low_k", ctypes.c_uint64),
        ("height", ctypes.c_uint32),
        ("width", ctypes.c_uint32),
    )


class DriverError(Exception):
    """A call of the driver that failed; labels are then counted by their library."""


def _call(name: str, *arguments: Any) -> None:
    code = getattr(_driver(), name)(*arguments)
    if code:
        raise DriverError(f"{name} answered {code}")


@cache
def _driver() -> Any:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise DriverError(str(error)) from None
    if code := driver.cuInit(0):
        raise DriverError(f"cuInit answered {code}")
    return driver


class _Gpu(NamedTuple):
    """One GPU: its context, our kernels in it, and what it has."""

    context: ctypes.c_void_p
    module: ctypes.c_void_p
    cores: int
    shared_per_core: int
    shared_per_block: int

    def kernel(self, name: str, shared: int = 0) -> ctypes.c_void_p:
        """Return a kernel that may use so many bytes of shared memory."""
        found = ctypes.c_void_p()
        _call("cuModuleGetFunction", ctypes.byref(found), self.module, name.encode())
        if shared:
            _call("cuFuncSetAttribute", found, _DYNAMIC_SHARED, shared)
        return found


@cache
def _gpu(ordinal: int) -> _Gpu:
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    _call("cuDeviceGet", ctypes.byref(device), ordinal)
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)

    def ask(what: int) -> int:
        number = ctypes.c_int()
        _call("cuDeviceGetAttribute", ctypes.byref(number), what, device)
        return number.value

    code = files("clusterbits.ingest").joinpath("kernels/pairs.ptx").read_bytes()
    with _current(context):
        _call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(code))
    return _Gpu(context, module, ask(_CORES), ask(_SHARED_PER_CORE), ask(_SHARED_PER_BLOCK))


@contextmanager
def _current(context: ctypes.c_void_p) -> Iterator[None]:
    _call("cuCtxPushCurrent_v2", context)
    try:
        yield
    finally:
        _call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


def _allocate(like: Any, *sizes: int) -> tuple[Any, list[ctypes.c_uint64]]:
    """Return memory beside an array, and where parts of so many bytes begin in it.

    It comes from the array's library, which keeps memory at hand; the driver's takes milliseconds.
    """
    xp = library_of(like)
    ends = list(accumulate(-(-size // _ALIGNED) * _ALIGNED for size in sizes))
    try:
        if xp.__name__ == "cupy":
            with like.device:
                room = xp.empty(ends[-1], dtype=xp.uint8)
        else:
            room = xp.empty(ends[-1], dtype=xp.uint8, device=like.device)
        _stream_of(room)
    except Exception as error:  # of any library
        raise DriverError(first_line(error)) from None
    begins = [_pointer(room) + end for end in (0, *ends[:-1])]
    return room, [ctypes.c_uint64(begin) for begin in begins]


def _pointer(array: Any) -> int:
    return int(array.__cuda_array_interface__["data"][0])


def _stream_of(array: Any) -> int:
    """Return the stream that the array is made in; JAX does not say, and is waited for."""
    xp = library_of(array)
    if xp.__name__ == "torch":
        return int(xp.cuda.current_stream(array.device).cuda_stream)
    if xp.__name__ == "cupy":
        return int(xp.cuda.get_current_stream().ptr)
    array.block_until_ready()
    return 0


class _Chunk(NamedTuple):
    """Some of the labels, as the kernels read them: where they are, how many, how wide."""

    c: int
    k: int
    objects: int
    width: int


class PairCounter:
    """Counts two arrays of labels on one GPU."""

    def __init__(self, c: Any, k: Any) -> None:
        ordinal, where = ctypes.c_int(), ctypes.c_uint64(_pointer(c))
        _call("cuPointerGetAttribute", ctypes.byref(ordinal), _ORDINAL_OF_POINTER, where)
        self._gpu = _gpu(ordinal.value)
        self._labels = c, k
        self._stream = ctypes.c_void_p(_stream_of(c))
        _stream_of(k)

    def count(self, low_c: int, low_k: int, height: int, width: int) -> NDArray[np.int64] | None:
        """Return the counts of a table's cells, and then that of the pairs outside.

        None where the table is too large for this GPU.
        """
        cells = height * width + 1
        in_shared = 4 * cells <= self._gpu.shared_per_block
        bits = 15 if self._gpu.shared_per_block >= 4 << 15 else 14
        if not in_shared and cells > _BUCKETS << bits:
            return None
        box = _KernelBox(low_c % 2**64, low_k % 2**64, height, width)
        c, _ = self._labels
        n = int(c.shape[0])
        tiles = 0 if in_shared else -(-min(n, _SORTED_OBJECTS) // _TILE)
        sizes = 8 * cells, 4 * _BUCKETS, 2 * _TILE * tiles, 2 * (_BUCKETS + 1) * tiles
        _room, (table, *sorting) = _allocate(c, *sizes)
        with _current(self._gpu.context):
            _call("cuMemsetD32Async", table, 0, ctypes.c_size_t(2 * cells), self._stream)
            if in_shared:
                self._count_in_shared(box, table)
            else:
                self._count_in_buckets(box, bits, table, sorting)
            return _fetch(table, cells, self._stream)

    def _chunks(self, most: int, narrowest: int) -> Iterator[_Chunk]:
        """Yield labels in one piece, aligned, and both equally wide; others are copied."""
        c, k = self._labels
        width = max(narrowest, _width(c), _width(k))
        plain = all(_width(x) == width and _is_plain(x) for x in (c, k))
        step = most if plain else min(most, _COPIED_OBJECTS)
        objects = int(c.shape[0])
        for begin in range(0, objects, step):
            n = min(step, objects - begin)
            if plain:
                yield _Chunk(_pointer(c) + begin * width, _pointer(k) + begin * width, n, width)
                continue
            some = tuple(_copy(x[begin : begin + n], width) for x in (c, k))
            yield _Chunk(_pointer(some[0]), _pointer(some[1]), n, width)
            _call("cuStreamSynchronize", self._stream)  # copies live until they are counted

    def _count_in_shared(self, box: _KernelBox, table: ctypes.c_uint64) -> None:
        shared = 4 * (box.height * box.width + 1)
        per_core = 2 if 2 * (shared + _RESERVED) <= self._gpu.shared_per_core else 1
        for chunk in self._chunks(_MOST_OBJECTS, 1):
            kernel = self._gpu.kernel(f"count_in_shared_u{8 * chunk.width}", shared)
            n = ctypes.c_uint64(chunk.objects)
            arguments = (ctypes.c_uint64(chunk.c), ctypes.c_uint64(chunk.k), n, box, table)
            _launch(kernel, per_core * self._gpu.cores, 1024, shared, self._stream, arguments)

    def _count_in_buckets(
        self,
        box: _KernelBox,
        bits: int,
        table: ctypes.c_uint64,
        sorting: list[ctypes.c_uint64],
    ) -> None:
        sizes, keys, starts = sorting
        cells = box.height * box.width + 1
        buckets = -(-cells // (1 << bits))
        # One block for each bucket, and more by its size: all at once or twice, as one fits a core.
        blocks = buckets + max(self._gpu.cores, 2 * self._gpu.cores - buckets)
        count, wide = self._gpu.kernel("count_buckets", 4 << bits), ctypes.c_uint32(bits)
        for chunk in self._chunks(_SORTED_OBJECTS, 2):
            _call("cuMemsetD32Async", sizes, 0, ctypes.c_size_t(_BUCKETS), self._stream)
            sort = self._gpu.kernel(f"sort_into_buckets_u{8 * chunk.width}")
            c, k, n = (
                ctypes.c_uint64(chunk.c),
                ctypes.c_uint64(chunk.k),
                ctypes.c_uint32(chunk.objects),
            )
            given = (c, k, n, box, wide, keys, starts, sizes)
            _launch(sort, 8 * self._gpu.cores, _THREADS, 0, self._stream, given)
            found = (keys, starts, sizes, n, wide, ctypes.c_uint32(cells), table)
            _launch(count, blocks, 1024, 4 << bits, self._stream, found)


def _fetch(table: ctypes.c_uint64, cells: int, stream: ctypes.c_void_p) -> NDArray[np.int64]:
    found = np.empty(cells, dtype=np.int64)
    to = found.ctypes.data_as(ctypes.c_void_p)
    _call("cuMemcpyDtoHAsync_v2", to, table, ctypes.c_size_t(found.nbytes), stream)
    _call("cuStreamSynchronize", stream)
    return found


def _launch(
    kernel: ctypes.c_void_p,
    blocks: int,
    threads: int,
    shared: int,
    stream: ctypes.c_void_p,
    arguments: tuple[Any, ...],
) -> None:
    pointers = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    _call("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, shared, stream, pointers, None)


def _width(array: Any) -> int:
    """Return the bytes of a label."""
    return np.dtype(dtype_name(array)).itemsize


def _is_plain(array: Any) -> bool:
    """Whether labels lie one after the other, from a multiple of 16 bytes on."""
    strides = array.__cuda_array_interface__.get("strides")
    return (strides is None or strides == (_width(array),)) and _pointer(array) % 16 == 0


def _copy(array: Any, width: int) -> Any:
    """Return labels of a width, in an array of their own."""
    if _width(array) != width:
        array = cast(array, {2: "int16", 4: "int32", 8: "int64"}[width])
    elif not _is_plain(array):
        array = array.clone() if hasattr(array, "clone") else array.copy()
    _stream_of(array)
    return array


def count_by_kernel(
    c: Any, k: Any, lows: tuple[int, int], sizes: tuple[int, int]
) -> NDArray[np.int64] | None:
    """Return the counts of a table's cells, and then that of the pairs outside.

    None where the driver has no room, or not our kernels, or the table is too large for them.
    """
    try:
        return PairCounter(c, k).count(*lows, *sizes)
    except DriverError:
        return None
