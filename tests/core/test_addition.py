"""Tables added up: in any order, batch by batch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import tables

import clusterbits as cb
from clusterbits.errors import LabelError


@settings(max_examples=40)
@given(st.lists(tables(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_order(parts, chance):
    total = sum(parts)
    shuffled = chance.sample(parts, len(parts))
    merged = cb.Contingency.from_batches(shuffled)
    if all(part.exact for part in parts):
        assert merged == total
        assert (parts[0] + total) == (total + parts[0])
    assert merged.n == pytest.approx(total.n)


def test_batches():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 5, 1000), rng.integers(-1, 7, 1000)
    parts = [slice(i, i + 90) for i in range(0, 1000, 90)]
    whole = cb.Contingency.from_labels(truth, pred)
    assert cb.Contingency.from_batches((truth[p], pred[p]) for p in parts) == whole
    frames = [pa.table({"c": truth[p], "k": pred[p]}) for p in parts]
    assert cb.Contingency.from_batches(frames, "c", "k") == whole
    batches = pa.Table.from_batches([b for f in frames for b in f.to_batches()]).to_reader(50)
    assert cb.Contingency.from_batches(batches, "c", "k") == whole
    alone = cb.Contingency.from_batches(((truth[p], pred[p]) for p in parts), noise="singletons")
    assert alone == cb.Contingency.from_labels(truth, pred, noise="singletons")
    with pytest.raises(LabelError, match="no batch has"):
        cb.Contingency.from_batches([])
