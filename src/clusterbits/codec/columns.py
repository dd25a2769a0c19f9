"""The table, column by column: each as one of the C(h(k) + |C| - 1, |C| - 1) that are possible.

A column of |C| counts with sum h(k) is a row of h(k) stars with |C| - 1 bars between the classes:
counts 2, 0, 1 are `**||*`. It is known by a subset of these h(k) + |C| - 1 places: the bars, here 2
and 3, or the stars where they are fewer. Sent with all subsets equally likely, it costs what
equation (3) of the paper says.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from clusterbits.codec.decoder import Decoder
from clusterbits.codec.rans import Ints, Recorder, Values
from clusterbits.codec.subsets import code_subsets

# Columns are coded in blocks of up to so many elements, which bounds the memory.
_BLOCK = 1 << 18


def blocks(sizes: Ints, n_classes: int) -> list[tuple[int, int]]:
    """Return where each block of columns begins and ends."""
    if n_classes == 1:  # nothing to send
        return []
    elements = np.cumsum(np.minimum(sizes, n_classes - 1))
    ends = [0]
    while ends[-1] < len(sizes):
        done = int(elements[ends[-1] - 1]) if ends[-1] else 0
        # At least one column, however long.
        end = int(np.searchsorted(elements, done + _BLOCK, side="right"))
        ends.append(max(end, ends[-1] + 1))
    return list(pairwise(ends))


def code_columns(
    coder: Recorder | Decoder,
    first: int,
    sizes: Ints,
    n_classes: int,
    cells: tuple[Values, Values, Values] | None,
) -> tuple[Values, Values, Values]:
    """Code columns with these sums, the first of them number `first`.

    Cells are (column, class, count), columns from 0, all counts above zero, in that order.
    """
    bars = n_classes - 1
    elements = None if cells is None else _subset_of(sizes, n_classes, *cells)
    places, counts = sizes + bars, np.minimum(sizes, bars)
    salts = np.arange(first, first + len(sizes))
    elements = code_subsets(coder, places, counts, salts, elements)
    return cells if cells is not None else _cells_of(sizes, n_classes, elements)


def _subset_of(
    sizes: Ints, n_classes: int, columns: Values, classes: Values, counts: Values
) -> Ints:
    """Return the places of the stars, or of the bars where they are fewer, column by column."""
    bars = n_classes - 1
    few = sizes < bars
    length = np.minimum(sizes, bars)
    begin = np.cumsum(length) - length
    found = np.empty(int(length.sum()), dtype=np.int64)
    # The star number i of a column stands behind i stars and as many bars as its class says.
    here = few[columns]
    column = np.repeat(columns[here], counts[here])
    star = np.arange(len(column)) - _firsts(column)
    found[begin[column] + star] = np.repeat(classes[here], counts[here]) + star
    # A bar stands behind the bars before it and the stars of all classes up to its own.
    many = np.flatnonzero(~few)
    rank = np.cumsum(~few) - 1
    here = ~few[columns]
    dense = np.zeros((len(many), n_classes), dtype=np.int64)
    dense[rank[columns[here]], classes[here]] = counts[here]
    behind = np.cumsum(dense[:, :bars], axis=1) + np.arange(bars)
    found[begin[many][:, None] + np.arange(bars)] = behind
    return found


def _firsts(sorted_keys: Values) -> Values:
    """Return for each key where its run begins."""
    return np.searchsorted(sorted_keys, sorted_keys, side="left")


def _cells_of(sizes: Ints, n_classes: int, elements: Ints) -> tuple[Values, Values, Values]:
    bars = n_classes - 1
    few = sizes < bars
    length = np.minimum(sizes, bars)
    begin = np.cumsum(length) - length
    owner = np.repeat(np.arange(len(sizes)), length)
    is_star = few[owner]
    column = owner[is_star]
    classes = elements[is_star] - (np.flatnonzero(is_star) - begin[column])
    many = np.flatnonzero(~few)
    behind = elements[begin[many][:, None] + np.arange(bars)] - np.arange(bars)
    dense = np.diff(behind, axis=1, prepend=0, append=sizes[many][:, None])
    rows, filled = np.nonzero(dense)
    # Stars of one class are one cell.
    keys = column * n_classes + classes
    new = np.flatnonzero(np.diff(keys, prepend=-1))
    keys = np.concatenate([keys[new], many[rows] * n_classes + filled])
    counts = np.concatenate([np.diff(new, append=len(column)), dense[rows, filled]])
    order = np.argsort(keys)
    columns, classes = np.divmod(keys[order], n_classes)
    return columns, classes, counts[order]
