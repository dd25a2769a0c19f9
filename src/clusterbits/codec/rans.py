"""An entropy coder in integers: range asymmetric numeral systems (rANS).

A symbol that owns `freq` of 2^28 slots costs log2(2^28 / freq) bits. The coder's state is a number
from 2^32 to 2^64; coding a symbol multiplies it by about 2^28 / freq, and when it would grow too
large its lowest 32 bits move to a stack of words. Decoding undoes this, last symbol coded first.

One state is followed symbol by symbol, by a compiled kernel or by Python's integers; both write the
same bytes. A code may also have many states ("lanes"), which take symbols in rotation and share the
stack: earlier versions wrote long codes so, for numpy to handle a row of symbols at once. With 4
lanes, symbols 0 … 9 are coded by lanes 2 3, 0 1 2 3, 0 1 2 3. Such codes are decoded, and no longer
written: a lane costs five bits.

Everything is computed in integers, so a code means the same on every machine.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.codec.varint import take_varint
from clusterbits.core import kernels
from clusterbits.errors import CodeError

Slots = NDArray[np.uint64]
Ints = NDArray[np.int64]
Values = NDArray[Any]

SLOT_BITS = 28
SLOTS = 1 << SLOT_BITS
_WORD_BITS = 32
_LOW = 1 << _WORD_BITS
# A state from freq * 2^36 on would grow past 2^64.
_HEADROOM = 64 - SLOT_BITS
# Symbols that Python's loops handle at a time, which bounds the memory of their lists.
_PIECE = 1 << 16
_FEWEST_LANES, _MOST_LANES = 32, 1024
_SLOTS_MASK = np.uint64(SLOTS - 1)
_U_LOW = np.uint64(_LOW)
_U_WORD = np.uint64(_WORD_BITS)
_U_SLOT_BITS = np.uint64(SLOT_BITS)


class SlotTable(NamedTuple):
    """The slots of cells, group by group.

    `edges` are the first slot of each cell, and the end of the last: group g has the slots from
    g * 2^28. `begins` are the first cell of each group, and the end of the last.
    """

    edges: Slots
    begins: Ints

    @property
    def costs(self) -> NDArray[np.float64]:
        """The bits that each cell costs."""
        return np.asarray(SLOT_BITS - np.log2(np.diff(self.edges)))


def divide_slots(counts: Values, widths: Values) -> SlotTable:
    """Divide the slots of each group among its cells by their counts; every cell gets one or more.

    `counts` are the cells', group by group, and `widths` the groups' numbers of cells.
    """
    group = np.repeat(np.arange(len(widths)), widths)
    begins = np.concatenate([[0], np.cumsum(widths)])
    first = begins[:-1]
    sums = np.concatenate([[0], np.cumsum(counts)])
    totals = np.maximum(sums[begins[1:]] - sums[first], 1)  # a group may be used up
    before = (sums[:-1] - sums[first][group]).astype(np.uint64)
    before *= (SLOTS - widths).astype(np.uint64)[group]
    before //= totals.astype(np.uint64)[group]
    # One slot for each cell, the others by their counts.
    before += (np.arange(len(counts)) - first[group]).astype(np.uint64)
    before += group.astype(np.uint64) << _U_SLOT_BITS
    return SlotTable(np.append(before, np.uint64(len(widths) << SLOT_BITS)), begins)


# A symbol as Python's loop takes it: (freq << 36, freq, 2^28 - freq, start).
_Symbol = tuple[int, int, int, int]


def _symbols(starts: Slots, freqs: Slots) -> Iterator[_Symbol]:
    pairs = zip(starts.tolist(), freqs.tolist(), strict=True)
    return ((freq << _HEADROOM, freq, SLOTS - freq, start) for start, freq in pairs)


class _CellRecord(NamedTuple):
    """Values that were coded as cells of a slot table."""

    values: Values
    slots: SlotTable

    @property
    def bits(self) -> float:
        edges = self.slots.edges
        freqs = edges[self.values + 1] - edges[self.values]
        return len(freqs) * SLOT_BITS - float(np.log2(freqs).sum())

    def backwards(self) -> Iterator[_Symbol]:
        edges, ready = self.slots.edges, None
        starts, freqs = edges[:-1] & _SLOTS_MASK, np.diff(edges)
        if len(starts) <= len(self.values):
            ready = list(_symbols(starts, freqs))
        for end in range(len(self.values), 0, -_PIECE):
            piece = self.values[max(0, end - _PIECE) : end][::-1]
            if ready is not None:
                yield from map(ready.__getitem__, piece.tolist())
            else:
                yield from _symbols(starts[piece], freqs[piece])

    def push(self, state: int, words: Values) -> tuple[int, int]:
        found: tuple[int, int] = kernels.native.rans_push_cells(
            np.ascontiguousarray(self.values, dtype=np.int64), self.slots.edges, state, words
        )
        return found


class _UniformRecord(NamedTuple):
    """Values that were coded as one of so many equally likely ones."""

    values: Slots
    totals: Slots

    def _slots(self, which: slice) -> tuple[Slots, Slots]:
        shifted, totals = self.values[which] << _U_SLOT_BITS, self.totals[which]
        starts = shifted // totals
        return starts, (shifted + np.uint64(SLOTS)) // totals - starts

    @property
    def bits(self) -> float:
        freqs = self._slots(slice(None))[1]
        return len(freqs) * SLOT_BITS - float(np.log2(freqs).sum())

    def backwards(self) -> Iterator[_Symbol]:
        for end in range(len(self.values), 0, -_PIECE):
            starts, freqs = self._slots(slice(max(0, end - _PIECE), end))
            yield from _symbols(starts[::-1], freqs[::-1])

    def push(self, state: int, words: Values) -> tuple[int, int]:
        found: tuple[int, int] = kernels.native.rans_push_uniform(
            self.totals, self.values, state, words
        )
        return found


class Recorder:
    """Collects symbols for an encoder, in the order in which they will be decoded.

    `Decoder` has the same methods, so that one model serves both directions: here the values are
    given and come back, there they are found.
    """

    def __init__(self) -> None:
        self.records: list[_CellRecord | _UniformRecord] = []

    def cells(self, groups: Values, slots: SlotTable, values: Values | None) -> Values:
        """Code each value as a cell of its group."""
        assert values is not None
        self.records.append(_CellRecord(values, slots))
        return values

    def uniform(self, totals: Values, values: Values | None) -> Values:
        """Code each value as one of `totals` equally likely ones; at most 2^20."""
        assert values is not None
        self.records.append(_UniformRecord(values.astype(np.uint64), totals.astype(np.uint64)))
        return values

    @property
    def bits(self) -> float:
        """The ideal cost of all symbols."""
        return sum(record.bits for record in self.records)


class Encoder:
    """Codes symbols back to front: what is pushed last will be decoded first."""

    def __init__(self) -> None:
        self._state = _LOW
        self._words = array("I")

    def push(self, recorder: Recorder) -> None:
        """Put these symbols before those already there."""
        for record in reversed(recorder.records):
            if kernels.native is None:
                self._push_all(record.backwards())
            else:
                words = np.empty(len(record.values), dtype=np.uint32)
                self._state, count = record.push(self._state, words)
                self._words.frombytes(words[:count].tobytes())

    def _push_all(self, symbols: Iterable[_Symbol]) -> None:
        state, words = self._state, self._words
        for limit, freq, growth, start in symbols:
            if state >= limit:
                words.append(state & (_LOW - 1))
                state >>= _WORD_BITS
            # This is (state // freq << 28) + state % freq + start.
            state += state // freq * growth + start
        self._state = state

    def finish(self) -> bytes:
        """Return the payload: the code of everything pushed."""
        words = np.array(self._words).astype("<u4").tobytes()
        return b"\0" + words + self._state.to_bytes((self._state.bit_length() + 7) // 8, "little")


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
            if count < 0 or self._state < _LOW:
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
            below = (packed >> position & 31) + _WORD_BITS
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
            own = groups[part].astype(np.uint64) << _U_SLOT_BITS
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
        known: Any = edges if len(edges) > _PIECE else edges.tolist()
        for begin in range(0, len(groups), _PIECE):
            piece = groups[begin : begin + _PIECE].astype(np.uint64) << _U_SLOT_BITS
            found[begin : begin + _PIECE] = self._cells_in_python(piece.tolist(), known)
        return found

    def _cells_in_python(self, bases: list[int], edges: Any) -> list[int]:
        state, words, found = self._state, self._words, []
        for base in bases:
            slot = base + (state & (SLOTS - 1))
            end = bisect_right(edges, slot)
            start = edges[end - 1]
            state = (state >> SLOT_BITS) * (edges[end] - start) + slot - start
            if state < _LOW:
                state = state << _WORD_BITS | _popped(words)
            found.append(end - 1)
        self._state = state
        return found

    def uniform(self, totals: Values, values: Values | None = None) -> Values:
        """Return the next values, each one of `totals` equally likely ones."""
        totals = totals.astype(np.uint64)

        def find(inner: Slots, part: slice) -> tuple[Values, Slots, Slots]:
            own = totals[part]
            found = ((inner + np.uint64(1)) * own - np.uint64(1)) >> _U_SLOT_BITS
            starts = (found << _U_SLOT_BITS) // own
            return found, starts, ((found << _U_SLOT_BITS) + np.uint64(SLOTS)) // own - starts

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
            if state < _LOW:
                state = state << _WORD_BITS | _popped(words)
            found[i] = value
        self._state = state
        return found

    def _pull(self, kernel: Callable[..., Any], *model: Values) -> Values:
        """Decode one value for each item of the model's first array, by a compiled kernel."""
        found = np.empty(len(model[0]), dtype=np.int64)
        left = kernel(*model, self._state, self._words, found)
        if left is None:
            raise damaged("it ends early")
        self._state, top = left
        del self._words[top:]
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
            slots = row & _SLOTS_MASK
            found[begin:end], starts, freqs = find(slots, slice(begin, end))
            row >>= _U_SLOT_BITS
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
        self._put_words(first & np.uint64(_LOW - 1))
        self._state = int(self._lanes[0])

    def finish(self) -> None:
        """Refuse a code that holds more than was decoded."""
        if self._in_lanes or self._words or self._state != _LOW:
            raise damaged("something is left after the last label")


def _popped(words: array[int]) -> int:
    if not words:
        raise damaged("it ends early")
    return words.pop()


def damaged(how: str) -> CodeError:
    """Return the error for a code that was changed or forged."""
    return CodeError(f"the code is damaged: {how}.")
