"""The kernels that join pairs and number ids find what numpy, scipy and Python find."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import compiled, on_both_paths

import clusterbits as cb
from clusterbits.system import kernels
from clusterbits.table.numbering import factorize_integers, number_objects

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


CHAIN = np.arange(10**6)
# Ids that are joined to the next one, and the components of all pairs and of the first alone.
SHAPES = {
    "chain": (CHAIN, 1, 10**6 - 1),
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


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64])
@given(st.data())
def test_ranks(dtype, data):
    limits = np.iinfo(dtype)
    some = st.integers(int(limits.min), int(limits.max)) | st.integers(0, 5)
    labels = np.array(data.draw(st.lists(some)), dtype=dtype)
    (ranks, distinct), (expected_ranks, expected) = on_both_paths(factorize_integers, labels)
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
    codes, first = np.empty((2, 10**6), dtype=np.int64)
    items = np.ascontiguousarray(PATTERNS[name]).view(np.uint8)
    assert kernels.native.code_items(items, 8, codes, first) == 10**6
    assert np.array_equal(codes, CHAIN)
    assert np.array_equal(first, CHAIN)


def test_wrong_arguments_are_refused():
    numbers = np.zeros(3, dtype=np.int64)
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


# --- ids that are text ---------------------------------------------------------------------------


class Text(str):
    """Texts of another type, which may compare as they like."""

    __slots__ = ()


NAMES = st.sampled_from(["", "a", "b", "é", "\ud800", "a\0", "0", "a longer name", "日本"])
OTHERS = st.sampled_from([0, -1, 2**70, ("a",), None, Text("a"), np.str_("b")])


def assert_numbered_alike(ids):
    (numbers, total), (expected, expected_total) = on_both_paths(number_objects, ids)
    assert [some.tolist() for some in numbers] == [some.tolist() for some in expected]
    assert total == expected_total
    names = dict(zip((n for some in numbers for n in some.tolist()), chain(*ids), strict=True))
    assert len(names) == total == len(set(chain(*ids)))  # equal ids, and no others, are one


@given(first=st.lists(NAMES, unique=True), others=st.lists(st.lists(NAMES), min_size=1, max_size=3))
def test_numbers_of_text(first, others):
    assert_numbered_alike([first, *others])


@given(st.lists(st.lists(NAMES | OTHERS), min_size=2, max_size=3))
def test_ids_of_any_type(lists):
    assert_numbered_alike(lists)


@given(st.lists(NAMES, min_size=2, max_size=5), st.permutations(range(5)))
def test_joins_and_their_errors(names, order):
    """A repeated id is refused in the same words."""
    pairs = list(zip(names, range(len(names)), strict=True))
    shuffled = [pairs[i] for i in order if i < len(pairs)]

    def joined():
        truth, pred = ([{name} for name, _ in some] for some in (pairs, shuffled))
        try:
            return cb.Contingency.from_labels(truth, pred)
        except cb.errors.LabelError as error:
            return str(error)

    found, expected = on_both_paths(joined)
    assert found == expected
    assert isinstance(found, str) == (len(set(names)) < len(names))


def test_many_ids():
    first = [f"{i:05x}" for i in range(200_000)]
    assert_numbered_alike(
        [first, first[::-1], [name[:2] + name[2:] for name in first[::3]], [*first[5:], "x"]]
    )


def test_wrong_texts_are_refused():
    numbers = np.zeros(3, dtype=np.int64)
    assert kernels.native.number_texts((), numbers) == 0
    assert kernels.native.number_texts((["a"], ["b", 1]), numbers) is None
    with pytest.raises(ValueError, match="shorter"):
        kernels.native.number_texts((["a", "b"], ["c", "d"]), numbers)
    with pytest.raises(TypeError):
        kernels.native.number_texts((("a",),), numbers)
    with pytest.raises(TypeError):
        kernels.native.number_texts((["a"],), numbers.astype(np.int32))
