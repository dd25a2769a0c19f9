"""Subsets of known size, each of all such subsets equally likely.

Up to 64 elements are sent together as the subset's index among all subsets (the combinatorial
number system): an exact integer. Of a larger subset, elements are first sent one by one, as the
gaps between them. With s elements left among R places, a gap is nearly geometric with ratio
a = 1 - s/R; its binary digits are then independent, digit i being 1 with odds a^(2^i) : 1, which
takes few coded bits and integers only. The places of such subsets are scrambled first, so that real
ones look like any other. The approximation costs about 1.4/s² bits a gap, so it ends at 64.

Every function here serves both directions: with a `Recorder` the elements are given, with a
`Decoder` they are found.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clusterbits.codec.decoder import Decoder
from clusterbits.codec.rans import (
    SLOTS,
    Ints,
    Recorder,
    Slots,
    SlotTable,
    Values,
    damaged,
)
from clusterbits.codec.scramble import scrambled, unscrambled

# Up to so many elements, a subset is sent as its index; above, elements are sent as gaps.
_INDEXED = 64
# Of so many gaps left, one is sent before a is computed again.
_SHARE = 64
# An index below 2^20 is one symbol; a larger one has a leading one of 18 bits, then 16 bits each.
_ONE_SYMBOL, _LEADING, _DIGIT = 20, 18, 16


def code_subsets(
    coder: Recorder | Decoder, places: Ints, sizes: Ints, salts: Ints, elements: Ints | None
) -> Ints:
    """Code subsets of range(places[i]) with sizes[i] elements, ascending, one after the other."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    large = np.flatnonzero((sizes > _INDEXED)[owner])
    room, salt = places[owner[large]], salts[owner[large]]
    if elements is not None:
        mixed = elements.copy()
        mixed[large] = scrambled(elements[large], room, salt)
        _code_ascending(coder, places, sizes, _ascending(mixed, owner, large))
        return elements
    found = _code_ascending(coder, places, sizes, None)
    found[large] = unscrambled(found[large], room, salt)
    return _ascending(found, owner, large)


def _ascending(elements: Ints, owner: Values, which: Values) -> Ints:
    order = np.lexsort((elements[which], owner[which]))
    elements[which] = elements[which[order]]
    return elements


def _code_ascending(
    coder: Recorder | Decoder, places: Ints, sizes: Ints, elements: Ints | None
) -> Ints:
    """Code the first elements of large subsets as gaps, a round at a time, then all others."""
    found = np.zeros(int(sizes.sum()), dtype=np.int64) if elements is None else elements
    ends = np.cumsum(sizes)
    # Of each subset, `left` elements are to come, among `room` places from `start` on.
    left, room, start = sizes.copy(), places.copy(), np.zeros_like(places)
    while len(some := np.flatnonzero(left > _INDEXED)):
        count = left[some] // _SHARE
        owner = np.repeat(np.arange(len(some)), count)
        first = np.cumsum(count) - count
        spots = (ends - left)[some][owner] + np.arange(len(owner)) - first[owner]
        gaps = None if elements is None else _to_gaps(elements[spots], first, start[some])
        gaps = _code_gaps(coder, room[some], left[some], owner, gaps)
        passed = np.add.reduceat(gaps + 1, first)
        left[some] -= count
        room[some] -= passed
        if (room[some] < left[some]).any():
            raise damaged("a column of its table is longer than its cluster")
        if elements is None:
            found[spots] = _from_gaps(gaps, first, owner, start[some])
        start[some] += passed
    _code_rest(coder, room, left, start, ends - left, found, elements is None)
    return found


# A gap counts the places skipped before an element: from place 0 on, the elements 2, 3 and 7 have
# the gaps 2, 0 and 3. `first` says where each subset's elements begin.


def _to_gaps(elements: Ints, first: Values, start: Ints) -> Ints:
    before = np.roll(elements, 1) + 1
    before[first] = start
    return elements - before


def _from_gaps(gaps: Ints, first: Values, owner: Values, start: Ints) -> Ints:
    # Gaps 2, 0, 3 are steps of 3, 1, 4, which lead behind the elements: to 3, 4, 8.
    behind = np.cumsum(gaps + 1)
    behind -= (behind[first] - gaps[first] - 1)[owner]
    return start[owner] + behind - 1


def _code_gaps(
    coder: Recorder | Decoder, room: Ints, left: Ints, owner: Values, gaps: Ints | None
) -> Ints:
    """Code geometric gaps by their lowest digits, then the rest as a run of ones and a zero.

    With 100 elements left among 300 places, the mean, 3, has two digits. Gaps of 2, 0 and 7 are
    10, 00 and 111 in binary. Sent are the lowest digits 0, 0, 1; the next ones 1, 0, 1; and for
    what is left above them, 0, 0 and 1, the runs "0", "0" and "10".
    """
    ratio = ((room - left).astype(np.uint64) << np.uint64(32)) // room.astype(np.uint64)
    mean = room // left
    found = np.zeros(len(owner), dtype=np.int64)
    digits = np.zeros(len(room), dtype=np.int64)
    for place in range(int(mean.max()).bit_length()):
        more = mean >> place > 0
        which = np.flatnonzero(more[owner])
        bits = None if gaps is None else gaps[which] >> place & 1
        # A digit has odds a : 1, a probability of a / (1 + a).
        ones = (ratio << np.uint64(28)) // (ratio + np.uint64(1 << 32))
        found[which] |= _code_bits(coder, ones, owner[which], bits) << place
        ratio = np.where(more, ratio * ratio >> np.uint64(32), ratio)
        digits += more
    which = np.arange(len(owner))
    ones = ratio >> np.uint64(4)
    while len(which):
        bits = None if gaps is None else (gaps[which] - found[which] > 0).astype(np.int64)
        bits = _code_bits(coder, ones, owner[which], bits)
        which = which[bits == 1]
        found[which] += 1 << digits[owner[which]]
        if gaps is None and (found[which] > room[owner[which]]).any():
            raise damaged("a column of its table is longer than its cluster")
    return found


def _code_bits(coder: Recorder | Decoder, ones: Slots, owner: Values, bits: Ints | None) -> Ints:
    """Code bits; those of owner i are 1 with probability ones[i] / 2^28."""
    edges = np.zeros(2 * len(ones) + 1, dtype=np.uint64)
    edges[2::2] = np.arange(1, len(ones) + 1, dtype=np.uint64) * np.uint64(SLOTS)
    edges[1::2] = edges[2::2] - np.clip(ones, 1, SLOTS - 1).astype(np.uint64)
    slots = SlotTable(edges, np.arange(0, len(edges), 2))
    cells = coder.cells(owner, slots, None if bits is None else 2 * owner + bits)
    return np.asarray(cells - 2 * owner)


def _code_rest(
    coder: Recorder | Decoder,
    room: Ints,
    left: Ints,
    start: Ints,
    offsets: Values,
    found: Ints,
    decoding: bool,
) -> None:
    """Code what is left of each subset as its index among C(room, left)."""
    # One element is its own index; where there is one place, nothing is sent.
    single = np.flatnonzero((left == 1) & (room > 1))
    values = None if decoding else found[offsets[single]] - start[single]
    values = _code_numbers(coder, room[single], values)
    found[offsets[left == 1]] = start[left == 1]
    found[offsets[single]] += values

    many = np.flatnonzero(left > 1)
    shapes = list(zip(room[many].tolist(), left[many].tolist(), strict=True))
    known = {shape: math.comb(*shape) for shape in set(shapes)}
    totals = [known[shape] for shape in shapes]
    begins, starts = offsets[many].tolist(), start[many].tolist()
    parts = [found[begin : begin + size] for begin, (_, size) in zip(begins, shapes, strict=True)]
    # Numbers past int64 are coded by the same steps on Python's integers, apart from the others.
    for large in (False, True):
        chosen = [i for i, total in enumerate(totals) if (total >= 2**62) == large]
        dtype: Any = object if large else np.int64
        given = None
        if not decoding:
            given = np.array([_rank((parts[i] - starts[i]).tolist()) for i in chosen], dtype=dtype)
        numbers = _code_numbers(coder, np.array([totals[i] for i in chosen], dtype=dtype), given)
        if decoding:
            for i, index in zip(chosen, numbers.tolist(), strict=True):
                parts[i][:] = _unrank(index, *shapes[i])
                parts[i] += starts[i]


def _code_numbers(coder: Recorder | Decoder, totals: Values, numbers: Values | None) -> Values:
    """Code numbers below their totals, all equally likely: the leading bits first."""
    if len(totals) == 0:
        return totals
    length = np.array([int(total - 1).bit_length() for total in totals.tolist()], dtype=np.int64)
    low = np.where(length > _ONE_SYMBOL, length - _LEADING, 0)
    shift = low.astype(totals.dtype)
    leading = ((totals - 1 >> shift) + 1).astype(np.int64)
    which = np.flatnonzero(leading > 1)
    given = None if numbers is None else (numbers >> shift)[which].astype(np.int64)
    found = np.zeros_like(totals)
    found[which] = coder.uniform(leading[which], given)
    while len(which := np.flatnonzero(low)):
        width = np.minimum(low[which], _DIGIT)
        low[which] -= width
        given = None
        if numbers is not None:
            given = numbers[which] >> low[which].astype(totals.dtype)
            given = (given & (1 << width) - 1).astype(np.int64)
        digits = coder.uniform(1 << width, given)
        found[which] = (found[which] << width) | digits
    if numbers is None and (found >= totals).any():
        raise damaged("an index in its table is too large")
    return found


def _rank(elements: list[int]) -> int:
    """Return the place of an ascending subset in the colexicographic order of its size.

    >>> _rank([2, 3, 7])  # C(2, 1) + C(3, 2) + C(7, 3)
    40
    """
    return sum(math.comb(element, i + 1) for i, element in enumerate(elements))


def _unrank(index: int, places: int, size: int) -> list[int]:
    """Return the subset of range(places) with this index: the inverse of `_rank`.

    >>> _unrank(40, 10, 3)
    [2, 3, 7]
    """
    elements = [0] * size
    top = places - 1
    for i in range(size, 0, -1):
        # The largest place with C(place, i) <= index: of 40 = 35 + 3 + 2, first 7, as C(7, 3) = 35.
        place, below = _largest_place(index, i, top)
        elements[i - 1] = place
        index -= below
        top = place - 1
    return elements


def _largest_place(index: int, i: int, top: int) -> tuple[int, int]:
    """Return the largest place up to `top` with C(place, i) <= index, and that binomial."""
    # Rounded logarithms propose a place; exact integers decide.
    place = i - 1
    if index:
        guess = math.exp((math.log(index) + math.lgamma(i + 1)) / i) + (i - 1) / 2
        place = max(i - 1, min(int(guess), top))
    below = math.comb(place, i)
    while below > index:
        below = below * (place - i) // place
        place -= 1
    while place < top:
        above = below * (place + 1) // (place + 1 - i) if below else math.comb(place + 1, i)
        if above > index:
            break
        below, place = above, place + 1
    return place, below
