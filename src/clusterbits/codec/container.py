"""The format around the payload: class names, a fingerprint of the clusters and a checksum.

The page "The code, byte by byte" of the documentation describes the format.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from clusterbits.codec.urns import damaged
from clusterbits.errors import CodeError, LabelError

KINDS = ("entropy", "enumerative")
_MAGIC = b"\x8eclb"
# Magic, kind, number of objects, fingerprint.
_HEAD = struct.Struct("<4sBI6s")
_DIGEST = 6


class Container(NamedTuple):
    """The parts of a code."""

    kind: str
    n: int
    fingerprint: bytes
    names: Sequence[Any]
    payload: bytes


def pack(parts: Container) -> bytes:
    """The code of these parts."""
    for name in parts.names:
        if type(name) not in (int, str, bool):
            raise LabelError(
                f"classes must be integers, strings or booleans, got {name!r} of type "
                f"{type(name).__name__} in truth. Encode str(label) instead."
            )
    names = json.dumps(parts.names, ensure_ascii=False, separators=(",", ":"))
    head = _HEAD.pack(_MAGIC, KINDS.index(parts.kind), parts.n, parts.fingerprint)
    # A zero byte ends the names: JSON has none.
    body = head + names.encode("utf-8", "surrogatepass") + b"\0" + parts.payload
    return body + digest(body)


def unpack(code: Any) -> Container:
    """The parts of a code; every field is checked."""
    if not isinstance(code, bytes | bytearray | memoryview):
        raise CodeError(f"a code must be bytes, as encode returns, got {type(code).__name__}.")
    code = bytes(code)
    if not code.startswith(_MAGIC):
        raise CodeError("this is not a clusterbits code: its first bytes are others.")
    body, checksum = code[:-_DIGEST], code[-_DIGEST:]
    if digest(body) != checksum or len(body) < _HEAD.size:
        raise damaged("its checksum is wrong, so it was truncated or changed")
    _, kind, n, fingerprint = _HEAD.unpack_from(body)
    if kind >= len(KINDS):
        raise CodeError(f"the code is of kind {kind}, but must be 0 to {len(KINDS) - 1}.")
    text, _, payload = body[_HEAD.size :].partition(b"\0")
    try:
        names = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise damaged("its class names cannot be read") from None
    if not isinstance(names, list) or not {*map(type, names)} <= {int, str, bool}:
        raise damaged("its class names are not integers, strings and booleans")
    if not 0 < len(set(names)) == len(names) <= n:
        raise damaged("it has no classes, equal ones, or more than objects")
    return Container(KINDS[kind], n, fingerprint, names, payload)


def digest(body: Any) -> bytes:
    """Checksum of bytes, or fingerprint of numbers."""
    return hashlib.blake2b(body, digest_size=_DIGEST).digest()
