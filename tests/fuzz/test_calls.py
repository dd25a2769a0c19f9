"""Public functions given any object at all: an answer, or a ClusterbitsError."""

import contextlib
import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile import examples

import clusterbits as cb
from clusterbits.errors import ClusterbitsError

# Complex numbers and records make numpy warn.
pytestmark = pytest.mark.filterwarnings("ignore")

ODD = [
    *(None, True, 0, 1, -1, 2**70, 0.5, 1.0, float("nan"), float("inf"), 1j, "a", "", "q0", b"x"),
    *(Decimal("0.5"), Decimal("NaN"), Fraction(1, 2), dt.date(2020, 1, 1), dt.timedelta(1), ...),
    *(np.float32(1), np.datetime64("NaT"), np.ma.masked, object(), int, range(3), frozenset([1])),
    *(memoryview(b"ab"), bytearray(b"ab"), np.array(3), np.zeros((2, 2)), np.array([])),
    *(np.array([1j]), np.array([["a"]], dtype=object), np.array([(1, 2)], dtype="i4,i4")),
]
objects = st.recursive(
    st.sampled_from(ODD),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from(["a", 1, None]), inner, max_size=3)
    ),
    max_leaves=8,
)

TABLE = cb.Contingency.from_labels([1, 2, 2], [1, 2, 1])
CALLS = {
    "from_labels": cb.Contingency.from_labels,
    "from_counts": cb.Contingency.from_counts,
    "names": lambda one, other: cb.Contingency.from_counts([[1, 2]], one, other),
    "from_frame": cb.Contingency.from_frame,
    "from_file": cb.Contingency.from_file,
    "expected": cb.Contingency.expected,
    "rand": cb.rand,
    "q2": cb.q2,
    "average": lambda one, _: cb.nmi(TABLE, average=one),
    "noise": lambda one, other: cb.rand([1, 2], [1, 2], noise=one, noise_label=other),
    "evaluate": lambda one, other: cb.evaluate(one, other, measures=["q0"]),
    "explain": cb.explain,
    "pairwise": cb.pairwise,
    "interval": lambda one, other: cb.interval(
        TABLE, "q0", confidence_level=one, n_resamples=9, rng=other
    ),
    "encode": cb.encode,
    "decode": cb.decode,
    "weights": lambda one, _: cb.rand([1, 2], [1, 2], weights=one),
    "measures": lambda one, _: cb.evaluate(TABLE, measures=one),
    "worst_clustering": cb.worst_clustering,
    "best_bits": cb.best_bits,
    "load": lambda one, _: cb.Contingency.load(one),
    "save": lambda one, _: TABLE.save(one),
}


@pytest.mark.parametrize("name", CALLS)
def test_odd_objects(name):
    @examples(20)
    @given(objects, objects)
    def check(one, other):
        with contextlib.suppress(ClusterbitsError):
            CALLS[name](one, other)

    check()
