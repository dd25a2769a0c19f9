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
from clusterbits.core.ranking import IntArray, rank

# From here on scipy counts faster than numpy; below, importing it costs more than counting.
_MANY_OBJECTS = 1 << 16


class RankedCodes(NamedTuple):
    """Codes as ranks 0, 1, … size - 1, to be counted against many others."""

    codes: NDArray[Any]
    size: int

    @classmethod
    def of(cls, codes: IntArray) -> RankedCodes:
        """Rank the codes, as short as they can be; int32 is what scipy counts fastest."""
        ranks, distinct = rank(codes)
        dtype: Any = np.int32 if len(ranks) < 2**31 else np.int64
        if kernels.native is not None:
            dtype = np.min_scalar_type(len(distinct))
        return cls(ranks.astype(dtype), len(distinct))


def count_ranked(c: RankedCodes, k: RankedCodes, ones: NDArray[Any]) -> Cells:
    """Count two labelings of the same objects; `ones` has a one of the codes' type for each."""
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
    counts = counts.astype(np.int64, copy=False)
    return Cells(np.arange(c.size), np.arange(k.size), rows, columns, counts, canonical=True)
