"""Ids that are text are numbered by a kernel as Python numbers them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import compiled, on_both_paths

import clusterbits as cb
from clusterbits.core import kernels
from clusterbits.core.coding import number_objects

pytestmark = compiled


class Text(str):
    """Texts of another type, which may compare as they like."""

    __slots__ = ()


NAMES = st.sampled_from(["", "a", "b", "é", "\ud800", "a\0", "0", "a longer name", "日本"])
OTHERS = st.sampled_from([0, -1, 2**70, ("a",), None, Text("a"), np.str_("b")])


def assert_both_agree(ids):
    (numbers, total), (expected, expected_total) = on_both_paths(number_objects, ids)
    assert [some.tolist() for some in numbers] == [some.tolist() for some in expected]
    assert total == expected_total


@given(first=st.lists(NAMES, unique=True), others=st.lists(st.lists(NAMES), min_size=1, max_size=3))
def test_text(first, others):
    assert_both_agree([first, *others])


@given(st.lists(st.lists(NAMES | OTHERS), min_size=2, max_size=3))
def test_ids_of_any_type(lists):
    assert_both_agree(lists)


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
    assert_both_agree(
        [first, first[::-1], [name[:2] + name[2:] for name in first[::3]], [*first[5:], "x"]]
    )


def test_wrong_arguments_are_refused():
    numbers = np.zeros(3, dtype=np.int64)
    assert kernels.native.number_texts((), numbers) == 0
    assert kernels.native.number_texts((["a"], ["b", 1]), numbers) is None
    with pytest.raises(ValueError, match="shorter"):
        kernels.native.number_texts((["a", "b"], ["c", "d"]), numbers)
    with pytest.raises(TypeError):
        kernels.native.number_texts((("a",),), numbers)
    with pytest.raises(TypeError):
        kernels.native.number_texts((["a"],), numbers.astype(np.int32))
