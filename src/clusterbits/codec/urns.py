"""An entropy coder in integers: balls drawn from urns, coded by narrowing a range.

Everything in a code is a ball drawn from an urn whose counts both sides know. A ball of a kind that
has `count` of `total` balls costs log2(total / count) bits: the range of numbers that the code may
still be is narrowed to that share of itself (a range coder). Drawn with putting back, labels cost
their entropy; drawn without, log2 of the number of arrangements.

One state is followed ball by ball, by a compiled kernel or by Python's integers; both write the
same bytes. Everything is computed in integers, so a code means the same on every machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import CodeError
from clusterbits.system import kernels

Ints = NDArray[np.int64]
Numbers = NDArray[np.uint32]

# Part of the format; as in urns.c. Totals are below 2^32, so that a draw of a ball takes at most
# four bytes and wastes less than 2^-24 of the range.
_WHOLE = 2**64 - 1
_LEAST = 1 << 56
_MOST_BYTES = 4
# Large numbers are sent this many bits at a time. Part of the format.
_DIGIT = 31
# Balls drawn in one call of the kernel: between calls, Ctrl-C is heard.
_CHUNK = 1 << 20
_IMPOSSIBLE = "it says what no code says"


class Coder(ABC):
    """Balls that are coded in order: `Encoder` and `Decoder` take the same steps."""

    def __init__(self, code: bytes = b"") -> None:
        self._code = bytearray(code)
        self._range, self._position = _WHOLE, 0

    def draw(
        self,
        urns: NDArray[Any],
        begins: Ints,
        counts: Ints,
        balls: NDArray[Any] | None,
        *,
        putting_back: bool,
    ) -> Numbers:
        """Code one ball of each of these urns, and return them; `balls` is None for a decoder.

        Kinds of balls are numbered urn by urn: those of urn u from begins[u] to begins[u + 1] - 1.
        Without putting back, `counts` are brought up to date.
        """
        urns = np.ascontiguousarray(urns, dtype=np.uint32)
        drawn = np.zeros(len(urns), np.uint32) if balls is None else balls.astype(np.uint32)
        draw = self._draw_plainly if kernels.native is None else self._draw_compiled
        for start in range(0, len(urns), _CHUNK):
            part = slice(start, start + _CHUNK)
            draw(urns[part], begins, counts, drawn[part], putting_back)
        return drawn

    @abstractmethod
    def _draw_compiled(
        self, urns: Numbers, begins: Ints, counts: Ints, balls: Numbers, putting_back: bool
    ) -> None:
        """Draw by the kernel."""

    def _call_kernel(self, start: int, *arguments: Any) -> int:
        """Call the kernel with a state that begins with `start`, and return that after the call."""
        state = np.array([start, self._range, self._position], dtype=np.uint64)
        if not kernels.native.draw_balls(self._code, state, *arguments):
            raise damaged(_IMPOSSIBLE)
        start, self._range, self._position = state.tolist()
        return start

    def _draw_plainly(
        self, urns: Numbers, begins: Ints, counts: Ints, balls: Numbers, putting_back: bool
    ) -> None:
        """Do what the kernel does, to the last bit; sums are kept in binary indexed trees."""
        starts, left, trees = begins.tolist(), counts.tolist(), []
        for begin, end in pairwise(starts):
            tree = left[begin:end]
            for i in range(1, len(tree) + 1):
                if (parent := i + (i & -i)) <= len(tree):
                    tree[parent - 1] += tree[i - 1]
            trees.append(tree)
        totals = [sum(left[begin:end]) for begin, end in pairwise(starts)]
        drawn = balls.tolist()
        for i, urn in enumerate(urns.tolist()):
            begin, tree, total = starts[urn], trees[urn], totals[urn]
            each = self._range // total
            kind, before = self._find_kind(tree, total, each, drawn[i] - begin)
            drawn[i] = begin + kind
            count = left[begin + kind]
            if count < total:  # what is certain takes no bits
                self._narrow(before, count, each)
            if not putting_back:
                left[begin + kind] -= 1
                totals[urn] -= 1
                j = kind + 1
                while j <= len(tree):
                    tree[j - 1] -= 1
                    j += j & -j
        balls[:], counts[:] = drawn, left

    @abstractmethod
    def _find_kind(self, tree: list[int], total: int, each: int, kind: int) -> tuple[int, int]:
        """Return the kind of the next ball, and how many balls are of kinds before it.

        `kind` is that of an encoder's ball.
        """

    def number(self, total: int, number: int = 0) -> int:
        """Code one of `total` equally likely numbers, and return it; a decoder needs none."""
        below = max(0, (total - 1).bit_length() - _DIGIT)
        sent = self._digit((total - 1 >> below) + 1, number >> below)
        while below:
            bits = min(below, _DIGIT)
            below -= bits
            sent = sent << bits | self._digit(1 << bits, number >> below & (1 << bits) - 1)
        if sent >= total:
            raise damaged("a number in it is too large")
        return sent

    def _digit(self, total: int, digit: int) -> int:
        """Code one of `total` balls of different kinds, and return its kind."""
        each = self._range // total
        digit = self._find_place(total, each, digit)
        self._narrow(digit, 1, each)
        return digit

    @abstractmethod
    def _find_place(self, total: int, each: int, place: int) -> int:
        """Return the place of the next ball among `total`; `place` is that of an encoder's."""

    @abstractmethod
    def _narrow(self, before: int, count: int, each: int) -> None:
        """Narrow the range to `count` balls after `before` others, each of them `each` wide."""


class Encoder(Coder):
    """Writes a code. `_low` is where the range begins."""

    _low = 0

    def _draw_compiled(
        self, urns: Numbers, begins: Ints, counts: Ints, balls: Numbers, putting_back: bool
    ) -> None:
        self._code.extend(bytes(_MOST_BYTES * len(urns)))
        self._low = self._call_kernel(self._low, urns, begins, counts, balls, False, putting_back)
        del self._code[self._position :]

    def _find_place(self, total: int, each: int, place: int) -> int:
        return place

    def _find_kind(self, tree: list[int], total: int, each: int, kind: int) -> tuple[int, int]:
        before, j = 0, kind
        while j:
            before += tree[j - 1]
            j &= j - 1
        return kind, before

    def _narrow(self, before: int, count: int, each: int) -> None:
        self._range = count * each
        self._raise_low(before * each)
        while self._range < _LEAST:
            self._range <<= 8
            self._code.append(self._low >> 56)
            self._low = self._low << 8 & _WHOLE
            self._position += 1

    def _raise_low(self, step: int) -> None:
        self._low += step
        if self._low > _WHOLE:
            self._low &= _WHOLE
            self._carry()

    def _carry(self) -> None:
        """Add one to the bytes that were written."""
        position = self._position - 1
        while self._code[position] == 255:
            self._code[position] = 0
            position -= 1
        self._code[position] += 1

    def finish(self) -> bytes:
        """End the code, and return it."""
        self._raise_low(_LEAST - 1)
        return bytes(self._code) + bytes([self._low >> 56])


class Decoder(Coder):
    """Reads a code. `_offset` is how far above the beginning of the range the code lies."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self._offset, self._position = int.from_bytes(code[:8].ljust(8, b"\0"), "big"), 8

    def _draw_compiled(
        self, urns: Numbers, begins: Ints, counts: Ints, balls: Numbers, putting_back: bool
    ) -> None:
        arguments = urns, begins, counts, balls, True, putting_back
        self._offset = self._call_kernel(self._offset, *arguments)

    def _find_place(self, total: int, each: int, place: int = 0) -> int:
        return min(self._offset // each, total - 1)

    def _find_kind(self, tree: list[int], total: int, each: int, kind: int) -> tuple[int, int]:
        place, kind, before = self._find_place(total, each), 0, 0
        for step in reversed([1 << bit for bit in range(len(tree).bit_length())]):
            if kind + step <= len(tree) and before + tree[kind + step - 1] <= place:
                kind += step
                before += tree[kind - 1]
        return kind, before

    def _narrow(self, before: int, count: int, each: int) -> None:
        self._range = count * each
        self._offset -= before * each
        if self._offset >= self._range:
            raise damaged(_IMPOSSIBLE)
        while self._range < _LEAST:
            self._range <<= 8
            byte = self._code[self._position] if self._position < len(self._code) else 0
            self._offset = self._offset << 8 | byte
            self._position += 1

    def check_end(self) -> None:
        """Raise `CodeError` if the code holds more or less than was decoded."""
        # Of the eight bytes that the range spans, one is written: that above its low end.
        if self._position != len(self._code) + 7 or self._offset >= _LEAST:
            raise damaged("it does not end with the last label")


def damaged(how: str) -> CodeError:
    """Return the error for a code that was changed or forged."""
    return CodeError(f"the code is damaged: {how}.")
