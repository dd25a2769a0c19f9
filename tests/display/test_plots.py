"""Figures: drawn for ordinary, odd and large results; the same bytes twice."""

import numpy as np
import pytest
from support.samples import DEGENERATE

import clusterbits as cb
from clusterbits.core.excerpt import excerpt_of
from clusterbits.display import plots
from clusterbits.errors import MeasureError
from clusterbits.scoring.ranks import ranks_of

from_counts = cb.Contingency.from_counts


def drawn(figure):
    figure.canvas.draw()
    return figure.axes[0]


@pytest.mark.parametrize("name", DEGENERATE)
def test_every_table_is_drawn(name):
    table = from_counts(DEGENERATE[name])
    why = cb.explain(table)
    for figure in (
        plots.contingency_heatmap(table),
        plots.bits_per_cluster(why),
        plots.merge_path(why),
    ):
        drawn(figure)


def test_names_are_no_formulas():
    names = ["$\\frac{", "$x$", "_^", "<b>"]
    table = from_counts(np.eye(4, dtype=int) * 3, classes=names, clusters=names)
    axis = drawn(plots.contingency_heatmap(table))
    assert axis.get_yticklabels()[0].get_text() == "\\$\\frac{"
    drawn(plots.bits_per_cluster(cb.explain(table)))
    drawn(plots.pairwise_heatmap(cb.pairwise({"$\\frac{": [0, 1], "b": [0, 1]})))


def test_large_results_say_what_is_left_out():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 60, 5000)
    table = cb.Contingency.from_labels(truth, truth * 3 + rng.integers(0, 3, 5000))
    title = drawn(plots.contingency_heatmap(table)).get_title(loc="left")
    assert title.startswith("the largest 40 of 180 clusters and 40 of 60 classes")
    title = drawn(plots.bits_per_cluster(cb.explain(table))).get_title(loc="left")
    assert "the costliest 40 of 180 clusters" in title


def test_the_matching_shows_as_a_staircase():
    dense = np.array([[0, 9, 0, 1], [30, 0, 2, 0], [0, 0, 20, 25]])
    corner = excerpt_of(from_counts(dense), 10, 10)
    assert corner.classes == (2, 1, 0)
    assert corner.clusters == (3, 2, 0, 1)
    assert corner.counts.tolist() == [[25, 20, 0, 0], [0, 2, 30, 0], [1, 0, 0, 9]]
    assert corner.shares[:, 1].sum() == pytest.approx(1)
    few = excerpt_of(from_counts(dense), 1, 2)
    assert (few.classes, few.clusters) == ((1,), (0, 3))
    assert few.counts.tolist() == [[30, 0]]
    assert "2 of 4 clusters and 1 of 3 classes, with 34.5% of the objects" in few.caption


def test_leaderboard_and_ranks():
    labels = {"a": [0, 0, 1, 1, 2], "b": [0, 0, 1, 1, 1], "c": [0, 1, 2, 3, 4]}
    scores = cb.evaluate([0, 0, 1, 1, 1], labels, measures=["q0", "ari", "purity"])
    axis = drawn(plots.leaderboard(scores))
    assert [label.get_text() for label in axis.get_yticklabels()] == scores.ranking("q0")
    assert axis.get_xlabel() == "q0 (lower is better)"
    assert (
        drawn(plots.leaderboard(scores, "ari")).get_xlabel() == "adjusted_rand (higher is better)"
    )
    with_ends = cb.evaluate([0, 0, 1, 1, 1], labels, measures=["q0"], interval=0.9, seed=0)
    assert len(drawn(plots.leaderboard(with_ends)).lines) == 3
    titles = [axis.get_title() for axis in plots.measure_ranks(ranks_of(scores)).axes]
    assert titles[0].startswith("adjusted_rand\nτ = ")


def test_leaderboard_takes_a_measure_that_ranks():
    scores = cb.evaluate([0, 0, 1], {"a": [0, 0, 1], "b": [0, 1, 1]}, measures=["emi", "ari"])
    assert plots.leaderboard(scores).axes[0].get_xlabel().startswith("adjusted_rand")
    with pytest.raises(MeasureError, match="none of the measures ranks"):
        plots.leaderboard(cb.evaluate([0, 0, 1], [0, 0, 1], measures=["emi"]))
    sure = cb.evaluate([0, 0, 1, 1], [0, 0, 0, 1], measures=["q0"], interval=0.8, seed=0)
    assert plots.leaderboard(sure).axes[0].get_xlabel().endswith("with 80 % intervals")


def test_ranks_of_one_measure_are_not_drawn():
    scores = cb.evaluate([0, 0, 1], {"a": [0, 0, 1], "b": [0, 1, 1]}, measures=["q0"])
    with pytest.raises(MeasureError, match="only q0 ranks"):
        plots.measure_ranks(ranks_of(scores))


def test_ranks_that_tie_all_have_no_tau():
    scores = cb.evaluate([0, 0, 1], {"a": [0, 0, 1], "b": [0, 1, 2]}, measures=["q0", "purity"])
    assert plots.measure_ranks(ranks_of(scores)).axes[0].get_title() == "purity\nτ = –"


def test_the_legend_covers_nothing():
    figure = plots.bits_per_cluster(cb.explain(from_counts(np.eye(12, dtype=int) * 5 + 1)))
    axis = drawn(figure)
    assert axis.get_legend() is None
    legend = figure.legends[0].get_window_extent()
    assert not any(legend.overlaps(note.get_window_extent()) for note in axis.texts)


def test_no_bits_start_at_zero():
    axis = drawn(plots.bits_per_cluster(cb.explain(from_counts([[5]]))))
    assert axis.get_xlim() == (0, 1)


def test_letters_no_font_has(tmp_path):
    names = ["half \ud800", "\u6f22\u5b57"]
    table = from_counts([[3, 1], [0, 4]], classes=names, clusters=names)
    plots.save_figure(plots.bits_per_cluster(cb.explain(table)), tmp_path / "bits")
    plots.save_figure(plots.contingency_heatmap(table), tmp_path / "heat")


@pytest.mark.parametrize("given", ["k=1.5", "k=1.5.png", "k=1.5.SVG"])
def test_names_of_files(tmp_path, given):
    plots.save_figure(plots.merge_path(cb.explain(from_counts([[3, 1]]))), str(tmp_path / given))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["k=1.5.png", "k=1.5.svg"]


def test_same_bytes(tmp_path):
    why = cb.explain(from_counts([[30, 5, 1], [10, 55, 9]]))
    for name in ("a", "b"):
        plots.save_figure(plots.merge_path(why), tmp_path / name)
    for kind in ("png", "svg"):
        first, second = (tmp_path / f"{name}.{kind}" for name in "ab")
        assert first.read_bytes() == second.read_bytes()
