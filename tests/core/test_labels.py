"""One label sequence as integer codes: strings by hash, and what happens when hashes collide."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.core import labels as codes_module

from_labels = cb.Contingency.from_labels


def test_hash_collisions_are_noticed(monkeypatch):
    def all_equal(hashes):
        return np.zeros(len(hashes), dtype=np.int64), hashes[:1]

    monkeypatch.setattr(codes_module, "rank", all_equal)
    assert from_labels(np.array(["a", "b", "a"]), [1, 2, 1]).classes == ("a", "b")


@given(st.lists(st.text(max_size=6), min_size=1, max_size=30))
def test_strings_by_hash_and_by_dictionary_agree(labels):
    # numpy's fixed-width strings drop trailing NULs, so they are left out here.
    labels = [label.rstrip("\0") for label in labels]
    pred = list(range(len(labels)))
    assert from_labels(np.array(labels), pred) == from_labels(labels, pred)
