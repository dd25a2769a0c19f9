"""Subsets of known size, each of all such subsets equally likely.

Up to 64 elements are sent together as the subset's index among all subsets: an exact integer. Of a
larger subset, elements are first sent one by one, as the gaps between them. With s elements left
among R places, a gap is nearly geometric with ratio a = 1 - s/R; its binary digits are then
independent, digit i being 1 with odds a^(2^i) : 1, which takes few coded bits and whole numbers
only. The places of such subsets are scrambled first: then real ones look like any other, and the
approximation costs about 1.4/s² bits a gap, which is why it ends at 64.

Every function here is one walk for both directions: with a `Recorder` the elements are given, with
a `Decoder` they are found.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clusterbits.codec.rans import SLOTS, Decoder, Ints, Recorder, Slots, Values, damaged
from clusterbits.codec.scramble import scrambled, unscrambled

# From here on gaps are sent; up to here subsets have an index.
_INDEXED = 64
# So many gaps are sent with the same a: a share of those left, so that a is always nearly right.
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
    found = np.zeros(int(sizes.sum()), dtype=np.int64) if elements is None else elements
    offsets = np.cumsum(sizes) - sizes
    left, room, next_place = sizes.copy(), places.copy(), np.zeros_like(places)
    while len(some := np.flatnonzero(left > _INDEXED)):
        count = left[some] // _SHARE
        owner = np.repeat(np.arange(len(some)), count)
        first = np.cumsum(count) - count
        spot = (offsets + sizes - left)[some][owner] + np.arange(len(owner)) - first[owner]
        gaps = None
        if elements is not None:
            before = elements[spot - 1] + 1
            before[first] = next_place[some]
            gaps = elements[spot] - before
        gaps = _code_gaps(coder, room[some], left[some], owner, gaps)
        used = np.add.reduceat(gaps + 1, first)
        left[some] -= count
        room[some] -= used
        if (room[some] < left[some]).any():
            raise damaged("a column of its table is longer than its cluster")
        if elements is None:
            steps = np.cumsum(gaps + 1)
            steps -= (steps[first] - gaps[first] - 1)[owner]
            found[spot] = next_place[some][owner] + steps - 1
        next_place[some] += used
    _code_indexed(coder, room, left, next_place, offsets + sizes - left, found, elements is None)
    return found


def _code_gaps(
    coder: Recorder | Decoder, room: Ints, left: Ints, owner: Values, gaps: Ints | None
) -> Ints:
    """Code geometric gaps by their lowest digits, then the rest as a run of ones and a zero."""
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
    cells = coder.cells(owner, edges, None if bits is None else 2 * owner + bits)
    return np.asarray(cells - 2 * owner)


def _code_indexed(
    coder: Recorder | Decoder,
    room: Ints,
    left: Ints,
    next_place: Ints,
    offsets: Values,
    found: Ints,
    find: bool,
) -> None:
    """Code what is left of each subset as its index among C(room, left)."""
    single = np.flatnonzero((left == 1) & (room > 1))
    values = None if find else found[offsets[single]] - next_place[single]
    values = _code_numbers(coder, room[single], values)
    found[offsets[left == 1]] = next_place[left == 1]
    found[offsets[single]] += values

    many = np.flatnonzero(left > 1)
    shapes = list(zip(room[many].tolist(), left[many].tolist(), strict=True))
    spans = list(zip(offsets[many].tolist(), next_place[many].tolist(), strict=True))
    known: dict[tuple[int, int], int] = {}
    totals = [known.get(s) or known.setdefault(s, math.comb(*s)) for s in shapes]
    indexes = None
    if not find:
        indexes = [
            _rank((found[begin : begin + size] - first).tolist())
            for (begin, first), (_, size) in zip(spans, shapes, strict=True)
        ]
    # Numbers past int64 are coded by the same steps on Python's integers, apart from the others.
    for large in (False, True):
        chosen = [i for i, total in enumerate(totals) if (total >= 2**62) == large]
        dtype: Any = object if large else np.int64
        given = None if indexes is None else np.array([indexes[i] for i in chosen], dtype=dtype)
        numbers = _code_numbers(coder, np.array([totals[i] for i in chosen], dtype=dtype), given)
        if find:
            for i, index in zip(chosen, numbers.tolist(), strict=True):
                (begin, first), (places, size) = spans[i], shapes[i]
                found[begin : begin + size] = _unrank(index, places, size)
                found[begin : begin + size] += first


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
    """Return the place of an ascending subset in the colexicographic order of its size."""
    return sum(math.comb(element, i + 1) for i, element in enumerate(elements))


def _unrank(index: int, places: int, size: int) -> list[int]:
    """Return the subset of range(places) with this index: the inverse of `_rank`."""
    elements = [0] * size
    top = places - 1
    for i in range(size, 0, -1):
        # Rounded logarithms propose a place; exact integers decide.
        place = i - 1
        if index:
            guess = math.exp((math.log(index) + math.lgamma(i + 1)) / i) + (i - 1) / 2
            place = max(i - 1, min(int(guess), top))
        below = math.comb(place, i)
        while below > index:
            below = below * (place - i) // place
            place -= 1
        while (
            place < top
            and (
                above := below * (place + 1) // (place + 1 - i)
                if below
                else math.comb(place + 1, i)
            )
            <= index
        ):
            below, place = above, place + 1
        elements[i - 1] = place
        index -= below
        top = place - 1
    return elements
