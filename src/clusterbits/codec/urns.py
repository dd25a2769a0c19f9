"""An entropy coder in integers: balls drawn from urns, coded by narrowing a range.

Everything in a code is a ball drawn from an urn whose counts both sides know. A ball of a kind that
has `count` of `total` balls costs log2(total / count) bits: the range of numbers that the code may
still be is narrowed to that share of itself (a range coder). Drawn with replacement, labels cost
their entropy; drawn without, log2 of the number of arrangements.

One state is followed ball by ball, by a compiled kernel or by Python's integers; both write the
same bytes. Everything is computed in integers, so a code means the same on every machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import CodeError
from clusterbits.system import kernels
from clusterbits.table.numbering import Integers

Numbers = NDArray[np.uint32]

# Part of the format; as in urns.c. Totals are below 2^32, so that a draw of a ball takes at most
# four bytes and wastes less than 2^-24 of the range.
_FULL_RANGE = 2**64 - 1
_MIN_RANGE = 1 << 56
_MAX_BYTES = 4
# Bits of a large number that are sent at a time. Part of the format.
_DIGIT = 31
# Balls drawn in one call of the kernel: between calls, Ctrl-C is heard.
_CHUNK = 1 << 20
_INVALID = "it has an invalid symbol"


class Coder(ABC):
    """Balls that are coded in order: `Encoder` and `Decoder` take the same steps.

    `_start` is where the range begins if encoding, and how far above its beginning the code lies if
    decoding.
    """

    _start = _position = 0
    _decoding: bool

    def __init__(self, code: bytes = b"") -> None:
        self._code = bytearray(code)
        self._range = _FULL_RANGE

    def draw(
        self,
        urns: NDArray[Any],
        begins: Integers,
        counts: Integers,
        balls: NDArray[Any] | None,
        *,
        replacement: bool,
    ) -> Numbers:
        """Code one ball of each of these urns, and return them; `balls` is None for a decoder.

        Kinds of balls are numbered urn by urn: those of urn u from begins[u] to begins[u + 1] - 1.
        Without replacement, `counts` are brought up to date.
        """
        urns = np.ascontiguousarray(urns, dtype=np.uint32)
        balls = np.zeros(len(urns), np.uint32) if balls is None else balls.astype(np.uint32)
        draw = self._draw_in_python if kernels.native is None else self._draw_compiled
        for start in range(0, len(urns), _CHUNK):
            part = slice(start, start + _CHUNK)
            draw(urns[part], begins, counts, balls[part], replacement)
        return balls

    def _draw_compiled(self, urns: Numbers, *arguments: Any) -> None:
        """Draw by the kernel; the arguments are those of `_draw_in_python`."""
        *arrays, replacement = arguments
        if not self._decoding:
            self._code.extend(bytes(_MAX_BYTES * len(urns)))
        state = np.array([self._start, self._range, self._position], dtype=np.uint64)
        balls = urns, *arrays, self._decoding, replacement
        if not kernels.native.draw_balls(self._code, state, *balls):
            raise damaged(_INVALID)
        self._start, self._range, self._position = state.tolist()
        if not self._decoding:
            del self._code[self._position :]

    def _draw_in_python(
        self, urns: Numbers, begins: Integers, counts: Integers, balls: Numbers, replacement: bool
    ) -> None:
        """The reference implementation of the kernel, bit-identical."""
        starts, numbers = begins.tolist(), balls.tolist()
        cumulative_counts = [
            [0, *accumulate(counts[begin:end].tolist())] for begin, end in pairwise(starts)
        ]
        for i, urn in enumerate(urns.tolist()):
            cumulative = cumulative_counts[urn]
            kind = self._draw_ball(cumulative, numbers[i] - starts[urn])
            numbers[i] = starts[urn] + kind
            if not replacement:
                cumulative[kind + 1 :] = [count - 1 for count in cumulative[kind + 1 :]]
        balls[:], counts[:] = numbers, np.concatenate([*map(np.diff, cumulative_counts)])

    def _draw_ball(self, cumulative: Sequence[int], kind: int) -> int:
        """Code one ball of an urn, and return its kind, of which an encoder knows.

        `cumulative` has the number of balls of all kinds before each kind, and then of all kinds.
        """
        total = cumulative[-1]
        width = self._range // total
        kind = self._find_kind(cumulative, width, kind)
        count = cumulative[kind + 1] - cumulative[kind]
        if count < total:  # a certain ball takes no bits
            self._narrow(cumulative[kind], count, width)
        return kind

    def number(self, total: int, number: int = 0) -> int:
        """Code one of `total` equally likely numbers, and return it; a decoder needs none."""
        below = max(0, (total - 1).bit_length() - _DIGIT)
        sent = self._draw_ball(range((total - 1 >> below) + 2), number >> below)
        while below:
            bits = min(below, _DIGIT)
            below -= bits
            digit = number >> below & (1 << bits) - 1
            sent = sent << bits | self._draw_ball(range((1 << bits) + 1), digit)
        if sent >= total:
            raise damaged("a number in it is too large")
        return sent

    @abstractmethod
    def _find_kind(self, cumulative: Sequence[int], width: int, kind: int) -> int:
        """The kind of the next ball, which is `width` wide; `kind` is that of an encoder's."""

    @abstractmethod
    def _narrow(self, n_before: int, count: int, width: int) -> None:
        """Narrow the range to `count` balls of this width, after `n_before` others."""


class Encoder(Coder):
    """Writes a code."""

    _decoding = False

    def _find_kind(self, cumulative: Sequence[int], width: int, kind: int) -> int:
        return kind

    def _narrow(self, n_before: int, count: int, width: int) -> None:
        self._range = count * width
        self._raise_start(n_before * width)
        while self._range < _MIN_RANGE:
            self._range <<= 8
            self._code.append(self._start >> 56)
            self._start = self._start << 8 & _FULL_RANGE
            self._position += 1

    def _raise_start(self, step: int) -> None:
        self._start += step
        if self._start > _FULL_RANGE:  # the carry goes into the bytes that were written
            self._start &= _FULL_RANGE
            position = self._position - 1
            while self._code[position] == 255:
                self._code[position] = 0
                position -= 1
            self._code[position] += 1

    def finish(self) -> bytes:
        """End the code, and return it."""
        self._raise_start(_MIN_RANGE - 1)
        return bytes(self._code) + bytes([self._start >> 56])


class Decoder(Coder):
    """Reads a code."""

    _decoding = True

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self._start, self._position = int.from_bytes(code[:8].ljust(8, b"\0"), "big"), 8

    def _find_kind(self, cumulative: Sequence[int], width: int, kind: int) -> int:
        return bisect_right(cumulative, min(self._start // width, cumulative[-1] - 1)) - 1

    def _narrow(self, n_before: int, count: int, width: int) -> None:
        self._range = count * width
        self._start -= n_before * width
        if self._start >= self._range:
            raise damaged(_INVALID)
        while self._range < _MIN_RANGE:
            self._range <<= 8
            byte = self._code[self._position] if self._position < len(self._code) else 0
            self._start = self._start << 8 | byte
            self._position += 1

    def check_end(self) -> None:
        """Raise `CodeError` if the code holds more or less than was decoded."""
        # Of the eight bytes that the range spans, one is written: that above its low end.
        if self._position != len(self._code) + 7 or self._start >= _MIN_RANGE:
            raise damaged("it does not end with the last label")


def damaged(reason: str) -> CodeError:
    """The error for a code that was changed or forged."""
    return CodeError(f"the code is damaged: {reason}.")
