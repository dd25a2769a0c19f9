"""Many labelings counted in pairs: each is ranked once, then counted against every other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.cells import Cells
from clusterbits.core.counting import (
    DENSE_CELLS,
    DENSE_CELLS_PER_OBJECT,
    count_pairs,
    find_cells,
)
from clusterbits.core.margins import Margin
from clusterbits.core.ranking import IntArray, rank
from clusterbits.core.table import Contingency

# From here on scipy counts faster than numpy; below, importing it costs more than counting.
_MANY_OBJECTS = 1 << 16


class RankedCodes(NamedTuple):
    """Codes as ranks 0, 1, … size - 1, to be counted against many others.

    `names` are those ranks, and `margin` says how often each occurs: every table shares them.
    """

    codes: NDArray[Any]
    names: NDArray[np.int64]
    margin: Margin

    @classmethod
    def of(cls, codes: IntArray) -> RankedCodes:
        """Rank the codes, as short as they can be; int32 is what scipy counts fastest."""
        ranks, distinct = rank(codes)
        dtype: Any = np.int32 if len(ranks) < 2**31 else np.int64
        if kernels.native is not None:
            dtype = np.min_scalar_type(len(distinct))
        margin = Margin(np.bincount(ranks, minlength=len(distinct)), len(ranks))
        return cls(ranks.astype(dtype), np.arange(len(distinct)), margin)

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return len(self.names)


def count_ranked(c: RankedCodes, k: RankedCodes, ones: NDArray[Any]) -> Contingency:
    """Count two labelings of the same objects; `ones` has a one of the codes' type for each."""
    cells = Cells(c.names, k.names, *_count_cells(c, k, ones), canonical=True)
    return Contingency.with_margins(cells, c.margin, k.margin)


def _count_cells(
    c: RankedCodes, k: RankedCodes, ones: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows, columns and counts of the cells, in order."""
    n, cells = len(ones), c.size * k.size
    if cells > min(DENSE_CELLS, DENSE_CELLS_PER_OBJECT * n):
        rows, columns, counts = count_pairs(c.codes, k.codes)
    elif kernels.native is not None:
        table = np.zeros(cells, dtype=np.int64)
        kernels.native.count_dense(c.codes, k.codes, 0, 0, c.size, k.size, table)
        rows, columns, counts = find_cells(table, k.size)
    elif n >= _MANY_OBJECTS:
        # scipy adds up the entries of a sparse array without making keys of them, and lets other
        # threads run meanwhile, which np.bincount hardly does.
        from scipy.sparse import coo_array

        entries = coo_array((c.size, k.size), dtype=ones.dtype)
        # Given to the constructor, they would be looked through for positions out of bounds.
        entries.data, entries.coords = ones, (c.codes, k.codes)
        rows, columns, counts = find_cells(entries.toarray().ravel(), k.size)
    else:
        keys = np.multiply(c.codes, k.size, dtype=np.int32)
        keys += k.codes
        rows, columns, counts = find_cells(np.bincount(keys, minlength=cells), k.size)
    return rows, columns, counts.astype(np.int64, copy=False)
