"""The figures in the sentences of the page on entity resolution."""

import math
from pathlib import Path

import pytest
from record_questions import CASES, COMPLETE, draw_sample, make_records, read_answers

import clusterbits as cb

PAGE = Path(__file__).parents[2].joinpath("docs/howto/entity_resolution.md").read_text("utf-8")
PAGE = " ".join(PAGE.split())


def test_a_complete_sample():
    value, error = read_answers()["complete"]["cluster_precision"]
    assert (
        f'er-evaluation\'s estimate with `"uniform"` weights is {value:.4f} ± {error:.4f}' in PAGE
    )
    found = cb.records.estimate(COMPLETE.person, COMPLETE.cluster)["cluster_precision"]
    assert (found.value, found.standard_error) == (0.25, 0)
    assert "here it is 0.25 ± 0" in PAGE


def test_what_is_known_makes_errors_smaller():
    records = make_records(*CASES["fair"])
    known = len(draw_sample(records)) / len(records.person)
    less = 1 - math.sqrt(1 - known)
    assert f"Standard errors differ by {less:.1%}: {known:.0%} of the".replace("%", " %") in PAGE


def test_a_sample_without_mistakes():
    right = {i: i // 2 for i in range(10_000)}
    found = cb.records.estimate({i: right[i] for i in range(400)}, right, "cluster_recall").rows[0]
    assert found.low == pytest.approx(0.9817, abs=5e-5)
    assert "with 200 of 200 right, the share is 98.2 % at least" in PAGE
    single = {f"r{i}": f"r{i}" for i in range(190)}
    sample = {i: right[i] for i in range(20)} | single
    found = cb.records.estimate(sample, right | single, "pair_recall").rows[0]
    assert found.low == pytest.approx(0.6915, abs=5e-5)
    assert "if ten of the 200 have two records or more, pair recall is 69.2 % at least" in PAGE
