"""An entropy coder in integers: balls drawn from urns, coded by narrowing a range.

Everything in a code is a ball drawn from an urn whose counts both sides know. A ball of a kind that
has `count` of `total` balls costs log2(total / count) bits: the range of numbers that the code may
still be is narrowed to that share of itself (a range coder). Drawn with putting back, labels cost
their entropy; drawn without, log2 of the number of arrangements.

One state is followed ball by ball, by a compiled kernel or by Python's integers; both write the
same bytes. Everything is computed in integers, so a code means the same on every machine.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.errors import CodeError

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


class Coder:
    """Codes balls in order, or decodes them: both take the same steps.

    `_low` is where the range begins or, when decoding, how far above that the code lies.
    """

    def __init__(self, code: bytes | None = None) -> None:
        self._decoding = code is not None
        self._code = bytearray(code or b"")
        self._low, self._range, self._at = 0, _WHOLE, 0
        if self._decoding:
            self._low, self._at = int.from_bytes(self._code[:8].ljust(8, b"\0"), "big"), 8

    def draw(
        self,
        urns: NDArray[Any],
        begins: Ints,
        counts: Ints,
        balls: NDArray[Any] | None,
        *,
        putting_back: bool,
    ) -> Numbers:
        """Code one ball of each of these urns, and return them; None are given when decoding.

        Kinds of balls are numbered urn by urn: those of urn u from begins[u] to begins[u + 1] - 1.
        Without putting back, `counts` are brought up to date.
        """
        urns = np.ascontiguousarray(urns, dtype=np.uint32)
        found = np.zeros(len(urns), np.uint32) if balls is None else balls.astype(np.uint32)
        draw = self._draw_plainly if kernels.native is None else self._draw_compiled
        for begin in range(0, len(urns), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            if not draw(urns[part], begins, counts, found[part], putting_back):
                raise damaged("it says what no code says")
        return found

    def _draw_compiled(
        self, urns: Numbers, begins: Ints, counts: Ints, balls: Numbers, putting_back: bool
    ) -> bool:
        state = np.array([self._low, self._range, self._at], dtype=np.uint64)
        if not self._decoding:
            self._code.extend(bytes(_MOST_BYTES * len(urns)))
        good: bool = kernels.native.draw_balls(
            self._code, state, urns, begins, counts, balls, self._decoding, putting_back
        )
        self._low, self._range, self._at = state.tolist()
        if not self._decoding:
            del self._code[self._at :]
        return good

    def _draw_plainly(
        self, urns: Numbers, begins: Ints, counts: Ints, balls: Numbers, putting_back: bool
    ) -> bool:
        """Do what the kernel does, to the last bit; sums are kept in binary indexed trees."""
        starts, left, tree = begins.tolist(), counts.tolist(), counts.tolist()
        totals = [sum(left[b:e]) for b, e in pairwise(starts)]
        for begin, end in pairwise(starts):
            for i in range(1, end - begin + 1):
                if (parent := i + (i & -i)) <= end - begin:
                    tree[begin + parent - 1] += tree[begin + i - 1]
        given = balls.tolist()
        for i, urn in enumerate(urns.tolist()):
            begin, total = starts[urn], totals[urn]
            width, each, before, place = starts[urn + 1] - begin, self._range // total, 0, 0
            if self._decoding:
                place, kind = self._low // each, 0
                within = min(place, total - 1)
                for step in reversed([1 << bit for bit in range(width.bit_length())]):
                    if kind + step <= width and before + tree[begin + kind + step - 1] <= within:
                        kind += step
                        before += tree[begin + kind - 1]
                given[i] = begin + kind
            else:
                kind = j = given[i] - begin
                while j:
                    before += tree[begin + j - 1]
                    j &= j - 1
            count = left[begin + kind]
            if count < total:  # what is certain takes no bits
                if place >= total:
                    return False
                self._narrow(before, count, each)
            if not putting_back:
                left[begin + kind] -= 1
                totals[urn] -= 1
                j = kind + 1
                while j <= width:
                    tree[begin + j - 1] -= 1
                    j += j & -j
        balls[:], counts[:] = given, left
        return True

    def number(self, total: int, number: int | None) -> int:
        """Code one of `total` equally likely numbers: balls of different kinds, and return it."""
        below = max(0, (total - 1).bit_length() - _DIGIT)
        found = self._digit((total - 1 >> below) + 1, None if number is None else number >> below)
        while below:
            bits = min(below, _DIGIT)
            below -= bits
            digit = None if number is None else number >> below & (1 << bits) - 1
            found = found << bits | self._digit(1 << bits, digit)
        if found >= total:
            raise damaged("a number in it is too large")
        return found

    def _digit(self, total: int, digit: int | None) -> int:
        each = self._range // total
        found = self._low // each if digit is None else digit
        if found >= total:
            raise damaged("it says what no code says")
        self._narrow(found, 1, each)
        return found

    def _narrow(self, before: int, count: int, each: int) -> None:
        """Narrow the range to `count` balls after `before` others, each of them `each` wide."""
        self._range = count * each
        self._low += -before * each if self._decoding else before * each
        if self._low > _WHOLE:
            self._carry()
        while self._range < _LEAST:
            self._range <<= 8
            if self._decoding:
                byte = self._code[self._at] if self._at < len(self._code) else 0
                self._low = self._low << 8 | byte
            else:
                self._code.append(self._low >> 56)
                self._low = self._low << 8 & _WHOLE
            self._at += 1

    def _carry(self) -> None:
        self._low &= _WHOLE
        place = self._at - 1
        while self._code[place] == 255:
            self._code[place] = 0
            place -= 1
        self._code[place] += 1

    def finish(self) -> bytes:
        """End the code, and return it; refuse one that holds more or less than was decoded."""
        if self._decoding:
            # Of the eight bytes that the range spans, one is written: that above its low end.
            if self._at != len(self._code) + 7 or self._low >= _LEAST:
                raise damaged("it does not end with the last label")
            return bytes(self._code)
        self._low += _LEAST - 1
        if self._low > _WHOLE:
            self._carry()
        return bytes(self._code) + bytes([self._low >> 56])


def damaged(how: str) -> CodeError:
    """Return the error for a code that was changed or forged."""
    return CodeError(f"the code is damaged: {how}.")
