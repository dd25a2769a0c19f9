"""What would take too much memory is refused before it is allocated."""

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import CostError
from clusterbits.system import limits

RNG = np.random.default_rng(0)
TRUTH, PRED = RNG.integers(0, 5, 200), RNG.integers(0, 8, 200)
TABLE = cb.Contingency.from_labels(TRUTH, PRED)

LARGE = {
    "pairwise": (lambda: cb.pairwise({"a": TRUTH, "b": PRED}), "2 labelings of 200 objects"),
    "encode": (lambda: cb.codec.encode(TRUTH, PRED), "a code of 200 objects"),
    "explain": (lambda: cb.explain(TABLE), "a table of 40 cells"),
    "accuracy": (lambda: cb.accuracy(TABLE), "a match in 40 cells"),
    "smi": (lambda: cb.standardized_mutual_information(TABLE), "standardized_mutual_information"),
    "to_dense": (lambda: TABLE.to_dense(), "dense copy of 5 × 8 cells"),
    "worst_clustering": (lambda: cb.worst_clustering([50, 60]).table, "110 objects"),
}


@pytest.mark.parametrize(("call", "what"), LARGE.values(), ids=LARGE)
def test_what_takes_too_much_memory_is_refused(call, what, monkeypatch):
    call()
    monkeypatch.setattr(limits, "_machine_memory", lambda: 1)
    with pytest.raises(CostError, match=rf"{what}.* GB of memory"):
        call()
