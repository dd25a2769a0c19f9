"""Every call that can take long is done, or refused with the number and the way out."""

import numpy as np
import pytest

import clusterbits as cb
from clusterbits import limits
from clusterbits.errors import CostError
from clusterbits.measures import assignment
from clusterbits.scoring import pairwise as pairing

RNG = np.random.default_rng(0)
TRUTH, PRED = RNG.integers(0, 5, 200), RNG.integers(0, 8, 200)
TABLE = cb.Contingency.from_labels(TRUTH, PRED)
CODE = cb.encode(TRUTH, PRED)
SCORES = cb.evaluate(TABLE, measures=["q0", "ari"])
RUNS = {"a": TRUTH, "b": PRED, "c": TRUTH}

# What each call says about its cost in seconds, and what to do instead.
SLOW = {
    "pairwise": (lambda: cb.pairwise(RUNS), "6 pairs of labelings of 200 objects", "compare fewer"),
    "encode": (lambda: cb.encode(TRUTH, PRED), "200 objects and 40 cells", "encode .* in parts"),
    "decode": (lambda: cb.decode(CODE, PRED), "200 objects and 40 cells", "whoever made it can"),
    "explain": (lambda: cb.explain(TABLE), "a table of 40 cells", "explain a random sample"),
    "report": (lambda: SCORES.report(), "explains 1 clustering", "report on fewer"),
    "accuracy": (lambda: cb.accuracy(TABLE), "5 classes with 8 clusters", "that need no match"),
    "smi": (lambda: cb.smi(TABLE), "terms of standardized", "permutation_test"),
    "q0_nml": (lambda: cb.q0_nml(TABLE), "q0_nml of 5 classes", "q0 takes no such steps"),
    "permutation_test": (
        lambda: cb.permutation_test(TABLE, "rand", resamples=20),
        "20 resamples of 40 cells or objects",
        "a random sample",
    ),
}
# The same of its memory.
LARGE = {
    **{name: SLOW[name] for name in ("pairwise", "encode", "decode", "explain", "accuracy", "smi")},
    "to_dense": (lambda: TABLE.to_dense(), "dense copy of 5 × 8 cells", "the 40 that are not zero"),
    "worst_clustering": (
        lambda: cb.worst_clustering([50, 60]).table,
        "110 objects",
        "its code length is in .bits",
    ),
}


@pytest.mark.parametrize(("call", "what", "instead"), SLOW.values(), ids=SLOW)
def test_what_takes_too_long_is_refused(call, what, instead, monkeypatch):
    monkeypatch.setattr(assignment, "_WHOLE", 0)
    call()
    monkeypatch.setattr(limits, "MOST_SECONDS", 1e-9)
    with pytest.raises(CostError, match=rf"{what}.* would take about 0 minutes; .*{instead}.*\.$"):
        call()


@pytest.mark.parametrize(("call", "what", "instead"), LARGE.values(), ids=LARGE)
def test_what_takes_too_much_memory_is_refused(call, what, instead, monkeypatch):
    monkeypatch.setattr(assignment, "_WHOLE", 0)
    call()
    monkeypatch.setattr(limits, "_machine_memory", lambda: 1)
    with pytest.raises(CostError, match=rf"{what}.* GB of memory; .*{instead}.*\.$"):
        call()


def test_the_first_pairs_show_what_a_measure_takes(monkeypatch):
    labelings = {i: RNG.integers(0, 8, 100) for i in range(100)}
    monkeypatch.setattr(limits, "MOST_SECONDS", 0.25)
    monkeypatch.setattr(limits, "_KNOWN_AFTER", 0.1)
    with pytest.raises(CostError, match=r"^10,000 pairs of labelings .*; compare \d+ labelings or"):
        cb.pairwise(labelings, "q2_adjusted")
    monkeypatch.setattr(limits, "MOST_SECONDS", 1e-5)
    monkeypatch.setattr(pairing, "check_cost", lambda *what, **cost: None)
    with pytest.raises(CostError, match=r"; compare a random sample of the objects\.$"):
        cb.pairwise(labelings, "q2_adjusted")
