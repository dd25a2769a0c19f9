"""An entropy coder in integers: interleaved range asymmetric numeral systems (rANS).

A symbol that owns `freq` of 2^28 slots costs log2(2^28 / freq) bits. The coder's state is a number
from 2^32 to 2^64; coding a symbol multiplies it by about 2^28 / freq, and when it would grow too
large its lowest 32 bits move to a stack of words. Decoding undoes this, last symbol coded first.

One state is followed symbol by symbol, compiled or in Python. Without the compiled kernels long
codes use many states ("lanes") in turn, so that numpy handles a row of symbols at once: symbols are given to lanes in rotation, and all lanes
share the stack. The last one is the last lane's: with 4 lanes, symbols 0 … 9 are coded by lanes
2 3, 0 1 2 3, 0 1 2 3. A lane must begin with a state of at least 2^32, which costs 32 bits;
so the last symbols of all are coded by the first lane alone, and the words that it pushed become
the other lanes' first states. A lane then costs the five bits that tell its last state's length.

Everything is computed in integers, so a code means the same on every machine.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.codec.varint import put_varint, take_varint
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
# Five bits a lane are then less than 0.03 % of the code.
_BITS_PER_LANE = 1 << 14
# With fewer lanes, Python's own loop is faster; with more, the rows leave the cache.
_FEWEST_LANES, _MOST_LANES = 32, 1024
_SLOTS_MASK = np.uint64(SLOTS - 1)
_U_LOW = np.uint64(_LOW)
_U_WORD = np.uint64(_WORD_BITS)
_U_SLOT_BITS = np.uint64(SLOT_BITS)


def lanes_for(bits: float) -> int:
    """Return how many lanes suit a code of about this many bits: a power of two."""
    if kernels.native is not None:
        return 1
    lanes = 1 << (max(int(bits), 1) // _BITS_PER_LANE).bit_length() >> 1
    return min(lanes, _MOST_LANES) if lanes >= _FEWEST_LANES else 1


def edges_of(counts: Values, widths: Values) -> Slots:
    """Divide the slots of each group among its cells by their counts; every cell gets one or more.

    `counts` are the cells', group by group, and `widths` the groups' numbers of cells. The result
    is the first slot of each cell, and the end of the last: group g has the slots from g * 2^28.
    """
    group = np.repeat(np.arange(len(widths)), widths)
    first = np.cumsum(widths) - widths
    sums = np.concatenate([[0], np.cumsum(counts)])
    totals = np.maximum(sums[first + widths] - sums[first], 1)  # a group may be used up
    before = (sums[:-1] - sums[first][group]).astype(np.uint64)
    before *= (SLOTS - widths).astype(np.uint64)[group]
    before //= totals.astype(np.uint64)[group]
    # One slot for each cell, the others by their counts.
    before += (np.arange(len(counts)) - first[group]).astype(np.uint64)
    before += group.astype(np.uint64) << _U_SLOT_BITS
    return np.append(before, np.uint64(len(widths) << SLOT_BITS))


class Recorder:
    """Collects symbols for an encoder, in the order in which they will be decoded.

    `Decoder` has the same methods, so that one model serves both directions: here the values are
    given and come back, there they are found.
    """

    def __init__(self) -> None:
        self._starts: list[Slots] = []
        self._freqs: list[Slots] = []

    def cells(self, groups: Values, edges: Slots, values: Values | None) -> Values:
        """Code each value as a cell of its group, with the slots between its edges."""
        assert values is not None
        starts = edges[values]
        self._freqs.append(edges[values + 1] - starts)
        self._starts.append(starts & _SLOTS_MASK)
        return values

    def uniform(self, totals: Values, values: Values | None) -> Values:
        """Code each value as one of `totals` equally likely ones; at most 2^20."""
        assert values is not None
        shifted, totals = values.astype(np.uint64) << _U_SLOT_BITS, totals.astype(np.uint64)
        starts = shifted // totals
        self._freqs.append((shifted + np.uint64(SLOTS)) // totals - starts)
        self._starts.append(starts)
        return values

    def taken(self) -> tuple[Slots, Slots]:
        """Return the first slots and the frequencies of all symbols."""
        empty = np.empty(0, dtype=np.uint64)
        return np.concatenate([empty, *self._starts]), np.concatenate([empty, *self._freqs])


class Encoder:
    """Codes symbols back to front: what is pushed last will be decoded first."""

    def __init__(self, lanes: int) -> None:
        self._wanted = lanes
        self._state = _LOW
        self._first_words = array("I")
        self._lanes: Slots | None = None
        self._in_lanes = 0
        self._words = np.empty(1 << 12, dtype=np.uint32)
        self._top = 0

    def push(self, recorder: Recorder) -> float:
        """Put these symbols before those already there; return their ideal cost in bits."""
        starts, freqs = recorder.taken()
        left = self._push_alone(starts, freqs) if self._lanes is None else len(starts)
        if left:
            self._push_rows(starts[:left], freqs[:left])
        return len(freqs) * SLOT_BITS - float(np.log2(freqs).sum())

    def _push_alone(self, starts: Slots, freqs: Slots) -> int:
        """Code with one state; stop when there is a word for every other lane."""
        state, words, left = self._state, self._first_words, len(starts)
        if kernels.native is not None and self._wanted == 1:
            pushed = np.empty(left, dtype=np.uint32)
            self._state, count = kernels.native.rans_push(starts, freqs, state, pushed)
            words.frombytes(pushed[:count].tobytes())
            return 0
        symbols = zip(starts[::-1].tolist(), freqs[::-1].tolist(), strict=True)
        for start, freq in symbols:
            if state >= freq << _HEADROOM:
                if len(words) == self._wanted - 1 > 0:
                    self._lanes = np.array([state, *(w + _LOW for w in words)], dtype=np.uint64)
                    break
                words.append(state & (_LOW - 1))
                state >>= _WORD_BITS
            quotient, rest = divmod(state, freq)
            state = (quotient << SLOT_BITS) + rest + start
            left -= 1
        self._state = state
        return left

    def _push_rows(self, starts: Slots, freqs: Slots) -> None:
        """Code with all lanes, a row of symbols at a time."""
        assert self._lanes is not None
        lanes, end = self._lanes, len(starts)
        limits = freqs << np.uint64(_HEADROOM)
        growth = np.uint64(SLOTS) - freqs
        while end:
            # Lanes are filled from the last to the first, symbols are taken from the end.
            lane = len(lanes) - self._in_lanes % len(lanes)
            begin = max(0, end - lane)
            row = lanes[lane - (end - begin) : lane]
            full = row >= limits[begin:end]
            words = row[full]
            if len(words):
                self._store(words[::-1])
                row[full] = words >> _U_WORD
            quotient = row // freqs[begin:end]
            quotient *= growth[begin:end]
            quotient += starts[begin:end]
            row += quotient
            self._in_lanes += end - begin
            end = begin

    def _store(self, words: Slots) -> None:
        top = self._top + len(words)
        if top > len(self._words):
            self._words = np.concatenate([self._words, np.empty_like(self._words)])
        self._words[self._top : top] = words & np.uint64(_LOW - 1)
        self._top = top

    def finish(self) -> bytes:
        """Return the payload: the code of everything pushed."""
        if self._lanes is None:
            words = np.array(self._first_words).astype("<u4").tobytes()
            return (
                b"\0" + words + self._state.to_bytes((self._state.bit_length() + 7) // 8, "little")
            )
        packed = position = 0
        for state in self._lanes.tolist():
            below = state.bit_length() - 1  # from 32 to 63; the highest bit is known
            packed |= (below - _WORD_BITS | (state - (1 << below)) << 5) << position
            position += below + 5
        return b"".join(
            [
                bytes([len(self._lanes).bit_length() - 1]),
                put_varint(self._in_lanes),
                packed.to_bytes((position + 7) // 8, "little"),
                self._words[: self._top].astype("<u4").tobytes(),
            ]
        )


class Decoder:
    """Decodes symbols in order; work is bounded by the number of symbols asked for."""

    def __init__(self, code: bytes) -> None:
        exponent = code[0] if code else 0
        self._first_words = array("I")
        if exponent == 0:
            # The state is the last five to eight bytes.
            count = (len(code) - 6) // 4
            self._state = int.from_bytes(code[1 + 4 * count :], "little")
            if count < 0 or self._state < _LOW:
                raise damaged("its words are incomplete")
            self._first_words.extend(np.frombuffer(code, "<u4", count, offset=1).tolist())
            self._in_lanes = self._top = 0
        else:
            self._read_lanes(1 << exponent, code)

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
        self._words = np.frombuffer(code, dtype="<u4", offset=begin)
        self._top = len(self._words)

    def cells(self, groups: Values, edges: Slots, values: Values | None = None) -> Values:
        """Return for each group the cell whose slots hold the next symbol."""
        bases = groups.astype(np.uint64) << _U_SLOT_BITS

        def find(slots: Slots, part: slice) -> tuple[Values, Slots, Slots]:
            own = bases[part]
            found = edges.searchsorted(slots + own, side="right") - 1
            starts = edges[found]
            return found, starts - own, edges[found + 1] - starts

        return self._decode(len(groups), find, lambda rest: self._cells_alone(bases[rest], edges))

    def _cells_alone(self, bases: Slots, edges: Slots) -> Values | list[int]:
        if kernels.native is not None:
            groups = (bases >> _U_SLOT_BITS).view(np.int64)
            firsts = np.arange((int(edges[-1]) >> SLOT_BITS) + 1, dtype=np.uint64) << _U_SLOT_BITS
            return self._pull(
                kernels.native.rans_pull_cells, groups, edges, edges.searchsorted(firsts)
            )
        state, words, found = self._state, self._first_words, []
        known: Any = edges if len(edges) > 8 * len(bases) else edges.tolist()
        for base in bases.tolist():
            slot = base + (state & (SLOTS - 1))
            cell = bisect_right(known, slot) - 1
            start = int(known[cell])
            state = (state >> SLOT_BITS) * (int(known[cell + 1]) - start) + slot - start
            if state < _LOW:
                state = state << _WORD_BITS | _popped(words)
            found.append(cell)
        self._state = state
        return found

    def uniform(self, totals: Values, values: Values | None = None) -> Values:
        """Return the next values, each one of `totals` equally likely ones."""
        totals = totals.astype(np.uint64)

        def find(slots: Slots, part: slice) -> tuple[Values, Slots, Slots]:
            own = totals[part]
            found = ((slots + np.uint64(1)) * own - np.uint64(1)) >> _U_SLOT_BITS
            starts = (found << _U_SLOT_BITS) // own
            return found, starts, ((found << _U_SLOT_BITS) + np.uint64(SLOTS)) // own - starts

        return self._decode(len(totals), find, lambda rest: self._uniform_alone(totals[rest]))

    def _uniform_alone(self, totals: Slots) -> Values | list[int]:
        if kernels.native is not None:
            return self._pull(kernels.native.rans_pull_uniform, totals)
        state, words, found = self._state, self._first_words, []
        for total in totals.tolist():
            slot = state & (SLOTS - 1)
            value = ((slot + 1) * total - 1) >> SLOT_BITS
            start = (value << SLOT_BITS) // total
            freq = ((value + 1) << SLOT_BITS) // total - start
            state = (state >> SLOT_BITS) * freq + slot - start
            if state < _LOW:
                state = state << _WORD_BITS | _popped(words)
            found.append(value)
        self._state = state
        return found

    def _pull(self, kernel: Callable[..., Any], *model: Values) -> Values:
        """Decode one value for each item of the model's first array, by a compiled kernel."""
        found = np.empty(len(model[0]), dtype=np.int64)
        left = kernel(*model, self._state, self._first_words, found)
        if left is None:
            raise damaged("it ends early")
        self._state, top = left
        del self._first_words[top:]
        return found

    def _decode(
        self,
        n: int,
        find: Callable[[Slots, slice], tuple[Values, Slots, Slots]],
        find_alone: Callable[[slice], Values | list[int]],
    ) -> Values:
        """Return n values: a row of lanes at a time, then one by one."""
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
                words = self._words[self._top - count : self._top][::-1].astype(np.uint64)
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
        self._first_words.extend((first & np.uint64(_LOW - 1)).tolist())
        self._state = int(self._lanes[0])

    def finish(self) -> None:
        """Refuse a code that holds more than was decoded."""
        if self._in_lanes or self._first_words or self._state != _LOW:
            raise damaged("something is left after the last label")


def _popped(words: array[int]) -> int:
    if not words:
        raise damaged("it ends early")
    return words.pop()


def damaged(how: str) -> CodeError:
    """Return the error for a code that was changed or forged."""
    return CodeError(f"the code is damaged: {how}.")
