"""Sweeps: which names are one, what is said of them, and their picture."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import clusterbits as cb
from clusterbits.scoring.bits import bits_over_sweep
from clusterbits.scoring.sweeps import find_sweep

TRUTH = np.repeat([0, 1, 2], [60, 20, 20])


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def runs(names):
    return {name: np.arange(100) * (i + 1) // 100 for i, name in enumerate(names)}


def swept(names):
    return find_sweep(cb.evaluate(TRUTH, runs(names), ["q0"]).tables)


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (["leiden_0.1", "leiden_1", "leiden_0.50"], "leiden_*"),
        (["leiden_res_0.50", "leiden_res_1.00", "leiden_res_2.00"], "leiden_res_*"),
        (["louvain_r1.0", "louvain_r0.4", "louvain_r2.0"], "louvain_r*"),
        (["resolution 0.05", "resolution 4", "resolution 5"], "resolution *"),
        (["n15_leiden0.5_v2", "n15_leiden1_v2", "n15_leiden2_v2"], "n15_leiden*_v2"),
        (["RNA_snn_res.0.5", "RNA_snn_res.1", "RNA_snn_res.0.8"], "RNA_snn_res.*"),
        ([0.5, 1, 2], "*"),
    ],
)
def test_names_of_sweeps(names, pattern):
    found = swept(names)
    assert found.pattern == pattern
    assert list(found.values) == names


@pytest.mark.parametrize(
    "names",
    [
        ["kmeans_2", "kmeans_3", "kmeans_4"],  # numbers of clusters
        [2, 3, 4],
        ["leiden_0.5"],
        ["GPT-3.5", "GPT-4"],
        ["leiden_0.5", "leiden_1.0", "louvain_1.0"],
        ["n10_leiden_0.5", "n15_leiden_1.0", "n20_leiden_2.0"],  # two numbers differ
        ["pred.npy", "other.npy", "third.npy"],  # text differs
        ["leiden_0.5", "leiden_1.0", "other"],
        ["a", "b", "c"],
        ["v1.0.3", "v1.1.3", "v1.2.3"],  # versions
        ["v1.0.10", "v1.0.1", "v1.0.5"],
        ["2024.01.15", "2024.02.15", "2024.03.15"],
        ["leiden_0.5", "leiden_0.50", "leiden_1.0"],  # one value twice
    ],
)
def test_names_of_other_runs(names):
    assert swept(names) is None
    assert "adjusted Rand" not in cb.evaluate(TRUTH, runs(names), ["q0"]).conclusion


def test_the_conclusion_says_whether_both_measures_agree():
    coarse, fine = np.repeat([0, 1], [60, 40]), np.r_[np.arange(60) // 20, np.repeat([8, 9], 20)]
    one = {"leiden_0.1": np.zeros(100)}
    scores = cb.evaluate(TRUTH, one | {"leiden_0.5": coarse, "leiden_1.0": fine})
    best = [scores.sorted_by(name).clusterings[0] for name in ("q0", "ari")]
    assert best == ["leiden_1.0", "leiden_0.5"]
    assert scores.conclusion.startswith("leiden_1.0: ")
    assert scores.conclusion.endswith("prefers leiden_0.5 (2 clusters).")
    same = cb.evaluate(TRUTH, one | {"leiden_0.5": coarse, "leiden_1.0": TRUTH})
    assert same.conclusion.endswith("The adjusted Rand index prefers it, too.")


def test_the_picture_is_over_the_swept_values():
    labels = runs(["leiden_2", "leiden_0.5", "leiden_1.0"])
    scores = cb.evaluate(TRUTH, labels, ["q0"])
    ax = scores.plot()
    below = [tick.get_text() for tick in ax.get_xticklabels()]
    assert below == ["0.5\n2", "1\n3", "2\n1"]
    assert "leiden_*" in ax.get_xlabel()
    (right,) = [one for one in ax.figure.axes if one is not ax]
    line, star = right.lines
    ari = cb.evaluate(TRUTH, labels, ["ari"])["ari"]
    order = ["leiden_0.5", "leiden_1.0", "leiden_2"]
    assert line.get_ydata() == pytest.approx([ari[name] for name in order])
    assert star.get_ydata()[0] == max(ari.values())


@pytest.mark.parametrize("pattern", ["leiden_{}", "leiden_{}_n15", "{} leiden 3"])
def test_a_sweep_is_one_series(pattern):
    scores = cb.evaluate(TRUTH, runs([pattern.format(value) for value in (0.5, 1.0, 2)]), ["q0"])
    ax = scores.plot()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.5\n1", "1\n2", "2\n3"]
    bits = bits_over_sweep(scores, find_sweep(scores.tables))
    assert bits.series == ("",)
    assert bits.fewest in bits.bars
