"""Figures: what is drawn of ordinary, odd and large results; the same bytes twice."""

import sys

import numpy as np
import pytest
from support.samples import DEGENERATE

import clusterbits as cb
from clusterbits.display import plots
from clusterbits.errors import MeasureError
from clusterbits.scoring.ranks import ranks_of

from_counts = cb.Contingency.from_counts


def drawn(figure):
    figure.canvas.draw()
    return figure.axes[0]


def texts(labels):
    return [label.get_text() for label in labels]


def points(collection):
    return collection.get_offsets().tolist()


TABLE = from_counts([[40, 2, 1], [3, 1, 9]], classes=["cat", "dog"], clusters=["x", "y", "z"])


def test_the_heat_map_draws_the_excerpt():
    axis = drawn(plots.contingency_heatmap(TABLE))
    excerpt = TABLE.excerpt(40, 40)
    assert texts(axis.get_yticklabels()) == ["cat", "dog"]
    assert texts(axis.get_xticklabels()) == list(excerpt.clusters) == ["x", "y", "z"]
    assert axis.images[0].get_array().tolist() == excerpt.shares.tolist()
    assert texts(axis.texts) == ["40", "2", "1", "3", "1", "9"]
    assert [text.get_color() for text in axis.texts] == ["white", "white", *["black"] * 3, "white"]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("cluster", "class")
    assert axis.get_title(loc="left") == "2 classes × 3 clusters"
    huge = drawn(plots.contingency_heatmap(from_counts([[10**30, 0], [12_345, 2_500_000]])))
    assert texts(huge.texts) == ["1e+30", "12.3k", "2.5M"]
    assert texts(drawn(plots.contingency_heatmap(from_counts(np.eye(21, dtype=int)))).texts) == []


def test_notebooks_draw_the_same_excerpt():
    rng = np.random.default_rng(0)
    table = from_counts(rng.integers(0, 9, (20, 30)) * (1 + np.arange(30)))
    excerpt, html = table.excerpt(15, 15), table._repr_html_()
    assert excerpt.caption in html
    assert excerpt.caption.startswith("the largest 15 of 30 clusters and 15 of 20 classes")
    heads = html.partition("</thead>")[0].split("<th scope='col'>")[1:]
    assert [head.partition("<")[0] for head in heads] == list(map(str, excerpt.clusters))
    rows = html.split("<th scope='row'>")[1:]
    assert [row.partition("<")[0] for row in rows] == list(map(str, excerpt.classes))
    first = [cell.partition("</td>")[0] for cell in rows[0].split("'>")[1:]]
    assert first == [f"{count:,}" if count else "" for count in excerpt.counts[0].tolist()]
    small = from_counts([[3]])._repr_html_()
    assert small.count("3 objects, 1 class × 1 cluster, 1 non-zero cell<") == 1


def test_bars_are_the_parts_of_q0():
    why = cb.explain(TABLE)
    figure = plots.bits_per_cluster(why)
    axis = drawn(figure)
    labels, columns = axis.containers
    assert texts(axis.get_yticklabels()) == [part.cluster for part in why.costliest]
    assert [bar.get_width() for bar in labels] == [part.label_bits for part in why.costliest]
    assert [bar.get_x() for bar in columns] == [part.label_bits for part in why.costliest]
    widths = [part.table_bits for part in why.costliest]
    assert [bar.get_width() for bar in columns] == pytest.approx(widths, rel=1e-14)
    assert axis.yaxis_inverted()
    assert texts(axis.texts) == [
        f"{part.kind}, {part.purity:.0%} {part.majority}" for part in why.costliest
    ]
    assert axis.get_title(loc="left") == why.title
    assert axis.get_xlabel() == "part of q0, bits per object"
    assert texts(figure.legends[0].get_texts()) == ["labels", "table"]


def test_the_merge_path_is_that_of_the_explanation():
    why = cb.explain(from_counts([[20, 20, 0, 1], [0, 1, 30, 30]]))
    axis = drawn(plots.merge_path(why))
    (line,) = axis.lines
    assert line.get_xdata().tolist() == [4, 3, 2, 1]
    assert line.get_ydata().tolist() == [step.q0 for step in why.path]
    best, start = axis.collections
    assert points(best) == [[why.best_step.clusters, why.best_step.q0]]
    assert points(start) == [[4, why.q0]]
    assert texts(axis.texts) == [
        f"fewest bits: {why.best_step.q0:.4f}, 2 clusters",
        "as given: 4 clusters",
    ]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("number of clusters", "q0, bits per object")
    assert axis.get_xscale() == "linear"
    many = drawn(plots.merge_path(cb.explain(from_counts(np.ones((2, 61), dtype=int)))))
    assert many.get_xscale() == "log"


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
    corner = from_counts(dense).excerpt(10, 10)
    assert corner.classes == (2, 1, 0)
    assert corner.clusters == (3, 2, 0, 1)
    assert corner.counts.tolist() == [[25, 20, 0, 0], [0, 2, 30, 0], [1, 0, 0, 9]]
    assert corner.shares[:, 1].sum() == pytest.approx(1)
    few = from_counts(dense).excerpt(1, 2)
    assert (few.classes, few.clusters) == ((1,), (0, 3))
    assert few.counts.tolist() == [[30, 0]]
    assert "2 of 4 clusters and 1 of 3 classes, with 34.5% of the objects" in few.caption


def test_leaderboard_and_ranks():
    labels = {"a": [0, 0, 1, 1, 2], "b": [0, 0, 1, 1, 1], "c": [0, 1, 2, 3, 4]}
    scores = cb.evaluate([0, 0, 1, 1, 1], labels, measures=["q0", "ari", "purity"])
    axis = drawn(plots.leaderboard(scores))
    order = scores.ranking("q0")
    assert texts(axis.get_yticklabels()) == order
    assert points(axis.collections[0]) == [[scores["q0"][name], i] for i, name in enumerate(order)]
    assert axis.yaxis_inverted()
    assert len(axis.lines) == 0
    assert axis.get_xlabel() == "q0 (lower is better)"
    assert (
        drawn(plots.leaderboard(scores, "ari")).get_xlabel() == "adjusted_rand (higher is better)"
    )
    with_ends = cb.evaluate([0, 0, 1, 1, 1], labels, measures=["q0"], interval=0.9, seed=0)
    ends = [line.get_xdata().tolist() for line in drawn(plots.leaderboard(with_ends)).lines]
    assert ends == [[row.low, row.high] for row in with_ends.ranked("q0")]


def test_ranks_are_drawn_against_those_of_the_first_measure():
    labels = {"a": [0, 0, 1, 1, 2], "b": [0, 0, 1, 1, 1], "c": [0, 1, 2, 3, 4]}
    ranks = ranks_of(cb.evaluate([0, 0, 1, 1, 1], labels, measures=["q0", "ari", "purity"]))
    figure = plots.measure_ranks(ranks)
    assert len(figure.axes) == 2
    for axis, rival in zip(figure.axes, ["adjusted_rand", "purity"], strict=True):
        tau = ranks.tau("q0", rival)
        assert axis.get_title() == f"{rival}\nτ = {'–' if np.isnan(tau) else f'{tau:.2f}'}"
        expected = np.transpose([ranks.of("q0"), ranks.of(rival)])
        assert points(axis.collections[0]) == expected.tolist()
        assert axis.lines[0].get_xdata().tolist() == [1, 3]
    assert figure.get_supxlabel() == "rank by q0 (1 is best)"
    assert figure.get_supylabel() == "rank by the other measure"


def test_long_leaderboards_say_what_is_left_out():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 30)
    runs = {f"run {i}": rng.integers(0, 3, 30) for i in range(41)}
    scores = cb.evaluate(truth, runs, measures=["ari"])
    axis = drawn(plots.leaderboard(scores))
    assert texts(axis.get_yticklabels()) == scores.ranking("ari")[:40]
    assert axis.get_title(loc="left") == "the best 40 of 41 clusterings"


def test_pairs_have_a_truth_only_where_their_order_matters():
    runs = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]}
    for options, named in (
        ({"measure": "rand"}, ("", "")),
        ({"measure": "homogeneity"}, ("clustering", "truth")),
        ({"measure": "rand", "noise": "drop"}, ("clustering", "truth")),
    ):
        square = cb.pairwise(runs, **options)
        assert square.symmetric == (named == ("", ""))
        axis = drawn(plots.pairwise_heatmap(square))
        assert (axis.get_xlabel(), axis.get_ylabel()) == named
        assert axis.images[0].get_array().tolist() == square.values.tolist()


def test_figures_of_the_paper():
    from clusterbits.display.plots.paper import NAMES

    rows = [
        {"measure": name, "epsilon1": x, "value": i / 10 + x}
        for i, name in enumerate(NAMES)
        for x in (0.0, 0.8)
    ]
    left, right = plots.paper_figure_1(rows).axes
    assert [line.get_ydata().tolist() for line in right.lines] == [[0.0, 0.8]]
    assert texts(left.texts) == [NAMES[name] for name in list(NAMES)[1:]]
    assert right.get_ylabel() == "Q0, bits per object (lower is better)"
    pairs = [{"rival": "rand", "rank_q2": i, "rank_rival": 4 - i} for i in (1, 2, 3)]
    (axis,) = plots.paper_figure_2(pairs, {"rand": (-1.0, -0.5)}).axes
    assert axis.get_title() == "Rand\nτ = -1.00, ρ = -0.50"
    assert points(axis.collections[0]) == [[1, 3], [2, 2], [3, 1]]
    models = [{"model": m, "n": n, "excess": 1 / n} for m in "abc" for n in (10, 100)]
    (axis,) = plots.equation_6(models).axes
    assert [line.get_ydata().tolist() for line in axis.lines] == [[0.1, 0.01]] * 3
    assert texts(axis.get_legend().get_texts()) == ["a", "b", "c"]
    useful = [
        {
            "errors_over": over,
            "epsilon1": e,
            "useful": u,
            "conditional_entropy": u,
            "q0_at_500": e,
            "q0_at_100000": 2 * u,
        }
        for over in ("clusters", "classes")
        for e in (0.1, 0.2, 0.3)
        for u in (5, 6)
    ]
    axes = plots.large_n(useful).axes
    assert [axis.lines[0].get_ydata().tolist() for axis in axes] == [[0, 1], [0, 0], [0, 2]]
    assert axes[2].get_title() == "Q0, n = 100,000"


@pytest.mark.parametrize(
    "line", ["from clusterbits.render import plots", "import clusterbits.render.plots as plots"]
)
def test_the_former_address_warns(line, monkeypatch):
    for name in ("clusterbits.render", "clusterbits.render.plots"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    space = {}
    with pytest.warns(DeprecationWarning, match="now clusterbits.display.plots"):
        exec(line, space)
    assert space["plots"] is plots


def test_leaderboard_takes_a_measure_that_ranks():
    scores = cb.evaluate([0, 0, 1], {"a": [0, 0, 1], "b": [0, 1, 1]}, measures=["emi", "ari"])
    assert plots.leaderboard(scores).axes[0].get_xlabel().startswith("adjusted_rand")
    with pytest.raises(MeasureError, match="none of the measures ranks"):
        plots.leaderboard(cb.evaluate([0, 0, 1], [0, 0, 1], measures=["emi"]))
    sure = cb.evaluate([0, 0, 1, 1], [0, 0, 0, 1], measures=["q0"], interval=0.8, seed=0)
    assert plots.leaderboard(sure).axes[0].get_xlabel().endswith("with 80% confidence intervals")


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
