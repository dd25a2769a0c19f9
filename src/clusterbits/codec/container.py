"""The format around the payload: magic, version, sizes, fingerprint, class names, checksum.

docs/reference/code_format.md describes every byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.codec.rans import damaged
from clusterbits.codec.varint import put_varint, take_varint
from clusterbits.core.cells import as_names
from clusterbits.errors import CodeError, LabelError

MAGIC = b"\x8eclb"
VERSION = 1
MODES = ("entropy", "enumerative")
_CHECKSUM = _FINGERPRINT = 8
# The two lowest bits of a name's first number say what it is.
_NUMBER, _LARGE_NUMBER, _TEXT, _BOOLEAN = range(4)


class Container(NamedTuple):
    """A code taken apart."""

    mode: str
    n: int
    fingerprint: bytes
    names: Sequence[Any]
    payload: bytes


def pack(parts: Container) -> tuple[bytes, int]:
    """Return the code, and how many of its bytes are not payload."""
    head = [MAGIC, bytes([VERSION, MODES.index(parts.mode)]), put_varint(parts.n)]
    head += [parts.fingerprint, put_varint(len(parts.names)), *map(_put_name, parts.names)]
    body = b"".join([*head, parts.payload])
    return body + _checksum(body), len(body) - len(parts.payload) + _CHECKSUM


def unpack(code: Any) -> Container:
    """Return the parts of a code; every field is checked, none is trusted."""
    if not isinstance(code, bytes | bytearray | memoryview):
        raise CodeError(f"a code is bytes, as encode returns them; got {type(code).__name__}.")
    code = bytes(code)
    if code[: len(MAGIC)] != MAGIC[: len(code)] or not code:
        raise CodeError("this is not a clusterbits code: its magic bytes are missing.")
    if len(code) < len(MAGIC) + 2 + _CHECKSUM:
        raise damaged(f"{len(code)} bytes are too few")
    if code[len(MAGIC)] != VERSION:
        raise CodeError(
            f"the code has format version {code[len(MAGIC)]}; this clusterbits reads {VERSION}."
        )
    body, checksum = code[:-_CHECKSUM], code[-_CHECKSUM:]
    if _checksum(body) != checksum:
        raise damaged("its checksum is wrong, so it was cut short or changed")
    mode = body[len(MAGIC) + 1]
    if mode >= len(MODES):
        raise damaged(f"its labels are of an unknown kind, {mode}")
    n, begin = take_varint(body, len(MAGIC) + 2)
    fingerprint = body[begin : begin + _FINGERPRINT]
    count, begin = take_varint(body, begin + _FINGERPRINT)
    if not 0 < count <= n or count > len(body) - begin:
        raise damaged(f"it cannot have {count} classes")
    names = []
    for _ in range(count):
        name, begin = _take_name(body, begin)
        names.append(name)
    if len(set(names)) != count:
        raise damaged("two classes have the same name")
    return Container(MODES[mode], n, fingerprint, names, body[begin:])


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM).digest()


def _put_name(name: Any) -> bytes:
    if isinstance(name, bool | np.bool_):
        return put_varint(int(name) << 2 | _BOOLEAN)
    if isinstance(name, int | np.integer):
        number = int(name)
        if 0 <= number < 1 << 60:
            return put_varint(number << 2 | _NUMBER)
        kind = _LARGE_NUMBER
        text = number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
    elif isinstance(name, str):
        kind, text = _TEXT, name.encode("utf-8", "surrogatepass")
    else:
        raise LabelError(
            f"truth has a class {name!r} of type {type(name).__name__}; a code names classes by "
            "integers, strings and booleans. Encode str(label) instead."
        )
    return put_varint(len(text) << 2 | kind) + text


def _take_name(code: bytes, begin: int) -> tuple[Any, int]:
    number, begin = take_varint(code, begin)
    kind, number = number & 3, number >> 2
    if kind == _NUMBER:
        return number, begin
    if kind == _BOOLEAN:
        if number > 1:
            raise damaged("a boolean class name is neither true nor false")
        return bool(number), begin
    end = begin + number
    if end > len(code):
        raise damaged("a class name does not end")
    text = code[begin:end]
    if kind == _LARGE_NUMBER:
        return int.from_bytes(text, "little", signed=True), end
    try:
        return text.decode("utf-8", "surrogatepass"), end
    except UnicodeDecodeError:
        raise damaged("a class name is not valid UTF-8") from None


def names_array(names: Sequence[Any]) -> NDArray[Any]:
    """Return the class names in the narrowest array that keeps them as they are."""
    kinds = set(map(type, names))
    if kinds == {bool}:
        return np.array(names)
    if kinds == {int} and min(names) >= -(2**63) and max(names) < 2**63:
        return np.array(names, dtype=np.int64)
    return as_names(list(names))
