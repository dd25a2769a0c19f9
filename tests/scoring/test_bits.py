"""Bits over the number of clusters: parts that add up to q0, levels, parameters."""

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError
from clusterbits.inference.verdict import have_same_class_sizes
from clusterbits.report.content import make_content
from clusterbits.scoring.bits_over_clusters import bits_over_clusters

TRUTH = [0, 0, 0, 1, 1, 1, 2, 2, 2]
RUNS = {
    "ward_3": TRUTH,
    "kmeans_3": [0, 0, 1, 1, 1, 1, 2, 2, 2],
    "ward_1": [0] * 9,
    "kmeans_9": list(range(9)),
}


def test_the_parts_add_up_and_the_fewest_clusters_come_first():
    scores = cb.evaluate(TRUTH, RUNS, ["q0"])
    bits = bits_over_clusters(scores)
    assert [bar.clusters for bar in bits.bars] == [1, 3, 3, 9]
    assert {bar.clustering: bar.bits for bar in bits.bars} == pytest.approx(scores["q0"], rel=1e-14)
    assert bits.best == scores.sorted_by("q0").clusterings[:1] == ("ward_3",)
    assert bits.no_clusters == pytest.approx(scores["q0"]["kmeans_9"], rel=1e-14)
    assert bits.perfect == pytest.approx(scores["q0"]["ward_3"], rel=1e-14)


def test_intervals_are_those_of_q0():
    scores = cb.evaluate(TRUTH, RUNS, ["q0", "ari"], confidence_level=0.9, rng=1)
    expected = {row.clustering: (row.low, row.high) for row in scores.rows if row.measure == "q0"}
    bars = bits_over_clusters(scores).bars
    assert {bar.clustering: (bar.low, bar.high) for bar in bars} == expected
    assert all(bar.low is None for bar in bits_over_clusters(cb.evaluate(TRUTH, RUNS)).bars)


def test_clusterings_of_different_objects_share_no_levels():
    tables = {
        "all": cb.Contingency.from_counts([[4, 0], [0, 4]]),
        "some": cb.Contingency.from_counts([[3, 0], [0, 4]]),
    }
    bits = bits_over_clusters(cb.evaluate(tables, measures=["q0"]))
    assert (bits.no_clusters, bits.perfect) == (None, None)


def test_real_weights_add_up_to_the_same_objects():
    """Weights are added in another order for each clustering: rounding is no other object."""
    rng = np.random.default_rng(6)
    truth, runs = np.arange(120) % 4, {name: rng.permutation(np.arange(120) % 5) for name in "ab"}
    for weights in (rng.random(120) * 3, rng.random(120) * 1e-7, rng.random(120) * 1e7):
        scores = cb.evaluate(truth, runs, weights=weights)
        assert have_same_class_sizes(scores.tables.values())
        if weights.sum() < 4:  # less than one unit per class: no code lengths
            continue
        assert scores.primary == "q0"
        assert bits_over_clusters(scores).perfect is not None
        assert " to " not in make_content(scores, "", {}).subject
    tables = [cb.Contingency.from_counts([[1.5, n], [0, 1]]) for n in (1, 2)]
    assert not have_same_class_sizes(tables)


@pytest.mark.parametrize("values", [["2", "0.25", "1.0"], ["2", "0_25", "1_0"]])
def test_a_plot_over_the_number_in_the_names(values):
    names = [f"leiden_{value}" for value in values]
    labels = {name: np.arange(9) * (i + 1) // 9 for i, name in enumerate(names)}
    scores = cb.evaluate(TRUTH, labels, ["q0", "ari"])
    ax = scores.plot(over="leiden_*")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.25\n2", "1\n3", "2\n1"]
    assert "leiden_*" in ax.get_xlabel()
    for pattern in ("leiden", "louvain_*", "leiden_*_n15"):
        with pytest.raises(LabelError, match="no number in place of a star"):
            scores.plot(over=pattern)
