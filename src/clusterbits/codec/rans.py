"""An entropy coder in integers: range asymmetric numeral systems (rANS).

A symbol that owns `freq` of 2^28 slots costs log2(2^28 / freq) bits. The coder's state is a number
from 2^32 to 2^64; coding a symbol multiplies it by about 2^28 / freq, and when it would grow too
large its lowest 32 bits move to a stack of words. Decoding undoes this, last symbol coded first.

One state is followed symbol by symbol, by a compiled kernel or by Python's integers; both write the
same bytes.

Everything is computed in integers, so a code means the same on every machine.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.errors import CodeError

Slots = NDArray[np.uint64]
Ints = NDArray[np.int64]
Values = NDArray[Any]

# Part of the format; as in rans.h.
SLOT_BITS = 28
SLOTS = 1 << SLOT_BITS
WORD_BITS = 32
LOW = 1 << WORD_BITS
# A state from freq * 2^36 on would grow past 2^64.
_HEADROOM = 64 - SLOT_BITS
# Symbols that Python's loops handle at a time, which bounds the memory of their lists.
PIECE = 1 << 16
MORE_LABELS = "a class has more labels than its table says"
SLOTS_MASK = np.uint64(SLOTS - 1)
U_SLOT_BITS = np.uint64(SLOT_BITS)


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
    before += group.astype(np.uint64) << U_SLOT_BITS
    return SlotTable(np.append(before, np.uint64(len(widths) << SLOT_BITS)), begins)


# A symbol as Python's loop takes it: (freq << 36, freq, 2^28 - freq, start).
_Symbol = tuple[int, int, int, int]


def _symbols(starts: Values, freqs: Values) -> Iterator[_Symbol]:
    pairs = zip(starts.tolist(), freqs.tolist(), strict=True)
    return ((freq << _HEADROOM, freq, SLOTS - freq, start) for start, freq in pairs)


class _CellRecord(NamedTuple):
    """Symbols that are cells of a slot table, of which there are fewer."""

    values: Ints
    slots: SlotTable

    @property
    def bits(self) -> float:
        costs = self.slots.costs
        return float(np.bincount(self.values, minlength=len(costs)) @ costs)

    def backwards(self) -> Iterator[_Symbol]:
        edges = self.slots.edges
        ready = list(_symbols(edges[:-1] & SLOTS_MASK, np.diff(edges)))
        for end in range(len(self.values), 0, -PIECE):
            piece = self.values[max(0, end - PIECE) : end][::-1]
            yield from map(ready.__getitem__, piece.tolist())

    def push(self, state: int, words: Values) -> tuple[int, int]:
        native = kernels.native
        found: tuple[int, int] = native.rans_push_cells(self.values, self.slots.edges, state, words)
        return found


class _SlotRecord(NamedTuple):
    """Symbols by their slots: the first of each, and how many it owns."""

    values: NDArray[np.uint32]
    freqs: NDArray[np.uint32]

    @property
    def bits(self) -> float:
        return len(self.freqs) * SLOT_BITS - float(np.log2(self.freqs, dtype=np.float64).sum())

    def backwards(self) -> Iterator[_Symbol]:
        for end in range(len(self.values), 0, -PIECE):
            piece = slice(max(0, end - PIECE), end)
            yield from _symbols(self.values[piece][::-1], self.freqs[piece][::-1])

    def push(self, state: int, words: Values) -> tuple[int, int]:
        native = kernels.native
        found: tuple[int, int] = native.rans_push_slots(self.values, self.freqs, state, words)
        return found


class Recorder:
    """Collects symbols for an encoder, in the order in which they will be decoded.

    A `Decoder` has the same methods, so that one model serves both directions: here the values are
    given and come back, there they are found.
    """

    has_one_state = True  # encoders write no lanes

    def __init__(self) -> None:
        self.records: list[_CellRecord | _SlotRecord] = []

    def cells(self, groups: Values, slots: SlotTable, values: Values | None) -> Values:
        """Code each value as a cell of its group."""
        assert values is not None
        if len(slots.edges) <= len(values):
            self.records.append(_CellRecord(np.ascontiguousarray(values, dtype=np.int64), slots))
        else:
            self._record(slots.edges[values], slots.edges[values + 1])
        return values

    def uniform(self, totals: Values, values: Values | None) -> Values:
        """Code each value as one of `totals` equally likely ones; at most 2^20."""
        assert values is not None
        shifted, totals = values.astype(np.uint64) << U_SLOT_BITS, totals.astype(np.uint64)
        self._record(shifted // totals, (shifted + np.uint64(SLOTS)) // totals)
        return values

    def _record(self, starts: Slots, ends: Slots) -> None:
        own = (starts & SLOTS_MASK).astype(np.uint32), (ends - starts).astype(np.uint32)
        self.records.append(_SlotRecord(*own))

    def arrange(self, chunk: tuple[Values, ...], cells: Ints) -> None:
        """Code the cells of a chunk by their arrangement, by a compiled kernel."""
        slots = np.empty((2, len(chunk[0])), dtype=np.uint32)
        kernels.native.arrange_slots(*chunk, cells, slots)
        self.records.append(_SlotRecord(*slots))

    @property
    def bits(self) -> float:
        """The ideal cost of all symbols."""
        return sum(record.bits for record in self.records)


class Encoder:
    """Codes symbols back to front: what is pushed last will be decoded first."""

    def __init__(self) -> None:
        self._state = LOW
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
                words.append(state & (LOW - 1))
                state >>= WORD_BITS
            # This is (state // freq << 28) + state % freq + start.
            state += state // freq * growth + start
        self._state = state

    def finish(self) -> bytes:
        """Return the payload: the code of everything pushed."""
        words = np.array(self._words).astype("<u4").tobytes()
        return b"\0" + words + self._state.to_bytes((self._state.bit_length() + 7) // 8, "little")


def damaged(how: str) -> CodeError:
    """Return the error for a code that was changed or forged."""
    return CodeError(f"the code is damaged: {how}.")
