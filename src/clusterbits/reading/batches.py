"""Data in pieces: each is counted separately, and the tables are added up on the way."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from clusterbits.errors import ColumnError, NothingToCountError
from clusterbits.labels.options import LabelOptions, LabelPolicy, object_weights, refuse_joins
from clusterbits.labels.settle import count_cells
from clusterbits.labels.tally import Tally
from clusterbits.reading.arguments import count_each
from clusterbits.reading.dataframes import frame_of
from clusterbits.reading.request import Request
from clusterbits.table.adding import merge_cells, merge_if_large
from clusterbits.table.cells import Cells
from clusterbits.table.contingency import Contingency

# Cells that may wait to be added up together.
_WAITING_CELLS = 1 << 23


def count_batches(
    batches: Iterable[Any], truth: str | None, pred: str | None, labels: LabelOptions
) -> Cells:
    """Count pairs of labelings, frames or tables: see `Contingency.from_batches`."""
    refuse_joins(labels)
    column = object_weights(weights := labels.pop("weights", None))
    balanced = weights is not None and column is None
    options = LabelPolicy(**labels)
    # A cluster whose objects one batch drops may be in another, so the sum drops them.
    drops = options.missing == "drop"
    of_batch = "class" if drops else options.missing
    merged: list[Cells] = []
    for batch in batches:
        with suppress(NothingToCountError):  # a batch may be empty, as long as not all are
            cells = _count_batch(batch, truth, pred, of_batch, column).cells
            merged.append(cells._replace(balanced=True) if balanced else cells)
        merged = merge_if_large(merged, _WAITING_CELLS)
    if not merged:
        raise NothingToCountError("no batch has a labelled object: nothing to count.")
    total = merge_cells(merged)
    # Noise and balance last, too.
    of_sum = options if drops else options.replace(missing="class")
    return count_cells(Tally.from_cells(total), of_sum)._replace(balanced=total.balanced)


def _count_batch(
    batch: Any, truth: str | None, pred: str | None, missing: Any, weights: str | None
) -> Contingency:
    pair = isinstance(batch, tuple | list) and len(batch) == 2
    if weights is not None and (pair or isinstance(batch, Contingency)):
        raise ColumnError(f"weights: {weights!r} names a column, and this batch is not a frame.")
    if isinstance(batch, Contingency):
        return batch
    request = Request(None, *batch) if pair else Request(frame_of(batch), truth, pred)
    tables = list(count_each(request, {"missing": missing, "weights": weights}).values())
    if len(tables) > 1:
        raise ColumnError(f"pred is {pred!r}; batches are counted for one cluster column.")
    return tables[0]
