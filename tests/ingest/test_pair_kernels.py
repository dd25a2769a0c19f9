"""The kernels that join pairs and number ids find what numpy and scipy find."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import compiled, on_both_paths

import clusterbits as cb
from clusterbits.core import kernels
from clusterbits.core.coding import rank

pytestmark = compiled
from_pairs = cb.Contingency.from_pairs
INTEGERS = st.integers(-3, 30) | st.integers(-(2**63), 2**63 - 1)


def assert_both_agree(*arguments):
    table, expected = on_both_paths(from_pairs, *arguments)
    assert table == expected
    assert (table.classes, table.clusters) == (expected.classes, expected.clusters)
    return table


@given(st.lists(st.tuples(INTEGERS, INTEGERS)), st.lists(st.tuples(INTEGERS, INTEGERS)))
def test_integers(truth, pred):
    assert_both_agree([(0, 0), *truth], pred)


@given(st.data())
def test_text(data):
    names = st.sampled_from(["", "a", "é", "1", "01", "a longer name", "a\0"])
    pairs = st.lists(st.tuples(names, names), min_size=1)
    truth, pred = data.draw(pairs), data.draw(pairs)
    ids = [name for pair in truth + pred for name in pair]
    table = assert_both_agree(truth, pred)
    assert assert_both_agree(truth, pred, ids) == table
    columns = [tuple(map(list, zip(*pairs, strict=True))) for pairs in (truth, pred)]
    assert assert_both_agree(*columns) == table
    if not any("\0" in name for name in ids):  # numpy's fixed-width strings lose it
        assert assert_both_agree(*map(np.array, (truth, pred))) == table


def test_columns_of_text_and_of_objects():
    one = np.array([["a", "b"], ["c", "c"]])
    tables = [
        assert_both_agree(truth, pred)
        for truth in (one, one.astype(object), one.tolist())
        for pred in (one, one.astype("U9"), one.astype(">U1"), one.astype(object), one.tolist())
    ]
    assert all(table == tables[0] for table in tables)


CHAIN = np.arange(10**6)
# Ids that are joined to the next one, and the components of all pairs and of the first alone.
SHAPES = {
    "chain": (CHAIN, 1, 10**6 - 1),
    "chain from its end": (CHAIN[::-1], 1, 10**6 - 1),
    "chain in random order": (np.random.default_rng(0).permutation(CHAIN), 1, 10**6 - 1),
    "scattered chain": (CHAIN * (2**43) - 2**62, 1, 10**6 - 1),
    "all at the end of uint64": (
        CHAIN.astype(np.uint64) + np.uint64(2**64 - 10**6),
        1,
        10**6 - 1,
    ),
    "star": (np.stack([np.zeros(10**6, dtype=np.int64), CHAIN]).T.ravel(), 1, 10**6),
    "self pairs": (CHAIN.repeat(2), 10**6, 10**6),
}


@pytest.mark.parametrize("name", SHAPES)
def test_large_components(name):
    ids, classes, clusters = SHAPES[name]
    pairs = np.stack([ids[:-1], ids[1:]], axis=1)
    if name == "self pairs":
        pairs = pairs[::2]
    table = from_pairs(pairs, pairs[:1])
    assert table.n == 10**6
    assert table.shape == (classes, clusters)
    assert table.classes[0] == ids.min()


def test_uint64_past_int64():
    ids = np.array([[2**64 - 1, 2**63], [7, 7]], dtype=np.uint64)
    assert assert_both_agree(ids, ids[:1]).classes == (7, 2**63)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
@given(st.data())
def test_ranks(dtype, data):
    limits = np.iinfo(dtype)
    some = st.integers(int(limits.min), int(limits.max)) | st.integers(0, 5)
    labels = np.array(data.draw(st.lists(some)), dtype=dtype)
    (ranks, distinct), (expected_ranks, expected) = on_both_paths(rank, labels)
    assert ranks.tolist() == expected_ranks.tolist()
    assert (distinct.tolist(), distinct.dtype) == (expected.tolist(), expected.dtype)


PATTERNS = {
    "multiples of a power": CHAIN << 43,
    "floats": CHAIN.astype(np.float64).view(np.int64),
    "two halves": (CHAIN % 1000 << 44) + CHAIN // 1000,
    "multiples of the hash's inverse": CHAIN.astype(np.uint64) * np.uint64(0xF1DE83E19937733D),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_integers_with_a_pattern(name):
    # If they met in one place of the table, this would take hours.
    numbers, distinct = np.empty((2, 10**6), dtype=np.int64)
    assert kernels.native.number_integers(PATTERNS[name], numbers, distinct) == 10**6
    assert np.array_equal(numbers, CHAIN)
    assert np.array_equal(distinct.view(PATTERNS[name].dtype), PATTERNS[name])


def test_wrong_arguments_are_refused():
    numbers = np.zeros(3, dtype=np.int64)
    with pytest.raises(ValueError, match="shorter"):
        kernels.native.number_integers(numbers, numbers, numbers[:2])
    with pytest.raises(ValueError, match="length"):
        kernels.native.join_pairs(numbers, numbers[:2], numbers)
    with pytest.raises(TypeError):
        kernels.native.join_pairs(numbers.astype(float), numbers, numbers)
    with pytest.raises(TypeError):
        kernels.native.join_pairs(numbers, numbers, numbers.astype(np.int32))


@pytest.mark.parametrize("parents", [[0, 2, 2], [0, -1, 2], [0, 1, 2]])
@pytest.mark.parametrize("far", [3, -1, 2**62])
def test_what_is_out_of_range_is_not_followed(parents, far):
    ends = np.array([0, far])
    with pytest.raises(ValueError, match="out of range"):
        kernels.native.join_pairs(ends, ends[::-1], np.array(parents))
