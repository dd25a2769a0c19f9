"""The decoder of the entropy coder in `rans`: symbols come out in order.

A code may have many states ("lanes"), which take symbols in rotation and share the stack: earlier
versions wrote long codes so, for numpy to handle a row of symbols at once. With 4 lanes, symbols
0 … 9 are coded by lanes 2 3, 0 1 2 3, 0 1 2 3. The last symbols of all are coded by the first lane
alone, and the words that it pushed are the other lanes' first states. Such codes are no longer
written: a lane costs five bits.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np

from clusterbits.codec.rans import (
    LOW,
    MORE_LABELS,
    PIECE,
    SLOT_BITS,
    SLOTS,
    SLOTS_MASK,
    U_SLOT_BITS,
    WORD_BITS,
    Ints,
    Slots,
    SlotTable,
    Values,
    damaged,
)
from clusterbits.codec.varint import take_varint
from clusterbits.core import kernels

_FEWEST_LANES, _MOST_LANES = 32, 1024
_U_LOW = np.uint64(LOW)
_U_WORD = np.uint64(WORD_BITS)


class Decoder:
    """Decodes symbols in order; work is bounded by the number of symbols asked for."""

    def __init__(self, code: bytes) -> None:
        exponent = code[0] if code else 0
        self._words = array("I")
        self._in_lanes = 0
        if exponent == 0:
            # The state is the last five to eight bytes.
            count = (len(code) - 6) // 4
            self._state = int.from_bytes(code[1 + 4 * count :], "little")
            if count < 0 or self._state < LOW:
                raise damaged("its words are incomplete")
            self._put_words(np.frombuffer(code, "<u4", count, offset=1))
        else:
            self._read_lanes(1 << exponent, code)

    def _put_words(self, words: Values) -> None:
        self._words.frombytes(words.astype(np.uint32).tobytes())

    def _read_lanes(self, count: int, code: bytes) -> None:
        if not _FEWEST_LANES <= count <= _MOST_LANES:
            raise damaged(f"it has {count} lanes")
        self._in_lanes, begin = take_varint(code, 1)
        packed = int.from_bytes(code[begin : begin + 9 * count], "little")
        states, position = [], 0
        for _ in range(count):
            below = (packed >> position & 31) + WORD_BITS
            states.append(1 << below | packed >> position + 5 & (1 << below) - 1)
            position += below + 5
        begin += (position + 7) // 8
        if begin > len(code) or (len(code) - begin) % 4 or self._in_lanes == 0:
            raise damaged("its words are incomplete")
        self._state = 0
        self._lanes = np.array(states, dtype=np.uint64)
        self._lane_words = np.frombuffer(code, dtype="<u4", offset=begin)
        self._top = len(self._lane_words)

    def cells(self, groups: Values, slots: SlotTable, values: Values | None = None) -> Values:
        """Return for each group the cell whose slots hold the next symbol."""
        edges = slots.edges

        def find(inner: Slots, part: slice) -> tuple[Values, Slots, Slots]:
            own = groups[part].astype(np.uint64) << U_SLOT_BITS
            found = edges.searchsorted(inner + own, side="right") - 1
            starts = edges[found]
            return found, starts - own, edges[found + 1] - starts

        return self._decode(len(groups), find, lambda rest: self._cells_alone(groups[rest], slots))

    def _cells_alone(self, groups: Values, slots: SlotTable) -> Values:
        if kernels.native is not None:
            return self._pull(kernels.native.rans_pull_cells, groups, *slots)
        found = np.empty(len(groups), dtype=np.int64)
        # Lists hold a number in 40 bytes, arrays in eight.
        edges = array("Q", slots.edges.tobytes())
        known: Any = edges if len(edges) > PIECE else edges.tolist()
        for begin in range(0, len(groups), PIECE):
            piece = groups[begin : begin + PIECE].astype(np.uint64) << U_SLOT_BITS
            found[begin : begin + PIECE] = self._cells_in_python(piece.tolist(), known)
        return found

    def _cells_in_python(self, bases: list[int], edges: Any) -> list[int]:
        state, words, found = self._state, self._words, []
        for base in bases:
            slot = base + (state & (SLOTS - 1))
            end = bisect_right(edges, slot)
            start = edges[end - 1]
            state = (state >> SLOT_BITS) * (edges[end] - start) + slot - start
            if state < LOW:
                state = state << WORD_BITS | _popped(words)
            found.append(end - 1)
        self._state = state
        return found

    def uniform(self, totals: Values, values: Values | None = None) -> Values:
        """Return the next values, each one of `totals` equally likely ones."""
        totals = totals.astype(np.uint64)

        def find(inner: Slots, part: slice) -> tuple[Values, Slots, Slots]:
            own = totals[part]
            found = ((inner + np.uint64(1)) * own - np.uint64(1)) >> U_SLOT_BITS
            starts = (found << U_SLOT_BITS) // own
            return found, starts, ((found << U_SLOT_BITS) + np.uint64(SLOTS)) // own - starts

        return self._decode(len(totals), find, lambda rest: self._uniform_alone(totals[rest]))

    def _uniform_alone(self, totals: Slots) -> Values:
        if kernels.native is not None:
            return self._pull(kernels.native.rans_pull_uniform, totals)
        state, words = self._state, self._words
        found = np.empty(len(totals), dtype=np.int64)
        for i, total in enumerate(totals.tolist()):
            slot = state & (SLOTS - 1)
            value = ((slot + 1) * total - 1) >> SLOT_BITS
            start = (value << SLOT_BITS) // total
            freq = ((value + 1) << SLOT_BITS) // total - start
            state = (state >> SLOT_BITS) * freq + slot - start
            if state < LOW:
                state = state << WORD_BITS | _popped(words)
            found[i] = value
        self._state = state
        return found

    @property
    def has_one_state(self) -> bool:
        """Whether one state decodes what is left."""
        return not self._in_lanes

    def arrange(self, chunk: tuple[Values, ...], cells: Ints) -> None:
        """Find the cells of a chunk by their arrangement, by a compiled kernel."""
        left = kernels.native.arrange_pull(*chunk, cells, self._state, self._words)
        self._leave_words(left)

    def _leave_words(self, left: Any) -> None:
        """Go on with the state and the words that a kernel left."""
        if not left:
            raise damaged("it ends early" if left is None else MORE_LABELS)
        self._state, top = left
        del self._words[top:]

    def _pull(self, kernel: Callable[..., Any], *model: Values) -> Values:
        """Decode one value for each item of the model's first array, by a compiled kernel."""
        found = np.empty(len(model[0]), dtype=np.int64)
        self._leave_words(kernel(*model, self._state, self._words, found))
        return found

    def _decode(
        self,
        n: int,
        find: Callable[[Slots, slice], tuple[Values, Slots, Slots]],
        find_alone: Callable[[slice], Values],
    ) -> Values:
        """Return n values: a row of lanes at a time, then one by one."""
        if not self._in_lanes:
            return find_alone(slice(n))
        found = np.empty(n, dtype=np.int64)
        begin = 0
        while begin < n and self._in_lanes:
            lane = len(self._lanes) - 1 - (self._in_lanes - 1) % len(self._lanes)
            end = min(n, begin + len(self._lanes) - lane)
            row = self._lanes[lane : lane + end - begin]
            slots = row & SLOTS_MASK
            found[begin:end], starts, freqs = find(slots, slice(begin, end))
            row >>= U_SLOT_BITS
            row *= freqs
            slots -= starts
            row += slots
            low = row < _U_LOW
            count = int(np.count_nonzero(low))
            if count:
                if count > self._top:
                    raise damaged("it ends early")
                words = self._lane_words[self._top - count : self._top][::-1].astype(np.uint64)
                row[low] = row[low] << _U_WORD | words
                self._top -= count
            self._in_lanes -= end - begin
            if self._in_lanes == 0:
                self._leave_lanes()
            begin = end
        if begin < n:
            found[begin:] = find_alone(slice(begin, n))
        return found

    def _leave_lanes(self) -> None:
        """Return the first states of the other lanes to the stack, as words."""
        first = self._lanes[1:]
        if self._top or (first >> _U_WORD != 1).any():
            raise damaged("its lanes do not end where they began")
        self._put_words(first & np.uint64(LOW - 1))
        self._state = int(self._lanes[0])

    def finish(self) -> None:
        """Refuse a code that holds more than was decoded."""
        if self._in_lanes or self._words or self._state != LOW:
            raise damaged("something is left after the last label")


def _popped(words: array[int]) -> int:
    if not words:
        raise damaged("it ends early")
    return words.pop()
