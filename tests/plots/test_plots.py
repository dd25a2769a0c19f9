"""Plots: what is drawn of ordinary, odd and large results, in any style."""

import itertools
import sys
from functools import cache, partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import clusterbits as cb
from clusterbits.cli.demo import load_digits
from clusterbits.errors import MissingExtraError
from clusterbits.plots.canvas import save_figure
from clusterbits.plots.drawing import DRAWN_BY
from clusterbits.scoring.bits_over_clusters import bits_over_clusters
from clusterbits.table.excerpt import excerpt_of
from clusterbits.text.results import Result
from clusterbits.text.tables import percent

from_counts = cb.Contingency.from_counts


def drawn(plot, **options):
    """Return the axes a plot method drew on, after a look at all of the figure."""
    ax = Figure(layout="constrained").subplots()
    assert plot(ax=ax, **options) is ax
    ax.figure.draw_without_rendering()  # a bare canvas draws nothing
    return ax


def texts(labels):
    return [label.get_text() for label in labels]


def notes(ax):
    return [text for text in texts(ax.texts) if text]


def points(collection):
    return collection.get_offsets().tolist()


def bars(container):
    return [(bar.get_x() + bar.get_width() / 2, bar.get_y(), bar.get_height()) for bar in container]


def judge_all(changes):
    """Return the questions on a change, each answered by yes."""
    columns = changes.question_columns(20)
    return columns | {"together": ["yes"] * 20}


TABLE = from_counts([[40, 2, 1], [3, 1, 9]], classes=["cat", "dog"], clusters=["x", "y", "z"])
TRUTH = [0, 0, 1, 1, 1]
RUNS = {"a": [0, 0, 1, 1, 2], "b": [0, 0, 1, 1, 1], "c": [0, 1, 2, 3, 4]}
TREE = cb.trees.Tree.from_children([[0, 1], [2, 3], [6, 4], [5, 7]])
LARGE_TREE = cb.trees.Tree.from_children([[2 * i, 2 * i + 1] for i in range(499)])
DEGREES = [[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.0, 1.0], [0.5, 0.5]]
SCORES = cb.evaluate(TRUTH, RUNS, measures=["q0", "ari", "purity"])
COREFERENCE = cb.coreference.score(
    {"x": [["a", "b"], ["c", "d", "e"]], "y": [["f", "g"]]}, {"x": [["a", "b", "c"]], "y": [["f"]]}
)
CHANGES = cb.diff(TRUTH, RUNS["a"], groups=list("uuvvv"))
DIGITS = load_digits()
CLASSES = DIGITS.pop("digit")


# --- the axes ------------------------------------------------------------------------------------

# Made once, when a test asks for them.
MADE = {
    "bits": lambda: SCORES,
    "leaderboard": lambda: cb.evaluate(TRUTH, {"a": RUNS["b"], "b": RUNS["b"]}, ["ari"]),
    "measures": lambda: cb.evaluate(TRUTH, RUNS["a"]),
    "intervals": lambda: cb.evaluate(TRUTH, RUNS, ["q0"], confidence_level=0.9, rng=0),
    "groups": lambda: cb.evaluate(TRUTH, RUNS, ["q0", "ari"], groups=list("uuvvv")),
    "explanation": lambda: cb.explain(TABLE),
    "interval": lambda: cb.interval(TABLE, measure="q0", rng=0, n_resamples=99),
    "comparison": lambda: cb.compare(TRUTH, RUNS, measure="q0", rng=0),
    "comparison over tasks": lambda: cb.compare(
        {"x": (TRUTH, RUNS), "y": (RUNS["a"], RUNS), "z": (TRUTH[::-1], RUNS)}, measure="purity"
    ),
    "permutation test": lambda: cb.permutation_test(TABLE, measure="q0", rng=0, n_resamples=99),
    "pairwise": lambda: cb.pairwise(RUNS),
    "ranks": lambda: SCORES.ranks(),
    "card": lambda: made("cards")["rand"],
    "cards": lambda: cb.paper.check(["rand"]),
    "code lengths": lambda: cb.codec.code_lengths(TRUTH, RUNS["a"]),
    "soft code": lambda: cb.covers.soft_code(TRUTH, DEGREES),
    "worst clustering": lambda: cb.worst_clustering([9, 4, 2]),
    "cuts": lambda: cb.trees.cuts(TRUTH, TREE),
    "all cuts": lambda: cb.trees.cuts(np.arange(500) // 5 % 7, LARGE_TREE),
    "best cut": lambda: cb.trees.best_cut(TRUTH, TREE),
    "coreference": lambda: COREFERENCE,
    "documents": lambda: COREFERENCE.by_document,
    "table": lambda: TABLE,
    "match": lambda: cb.match(TABLE),
    "estimates": lambda: cb.records.estimate(
        {1: "a", 2: "a", 3: "b"}, dict(enumerate([0, 0, 1, 1]))
    ),
    "changes": lambda: CHANGES,
    "nothing changed": lambda: cb.diff(TRUTH, RUNS["b"]),
    "fates": lambda: CHANGES.old,
    "changes by group": lambda: CHANGES.groups,
    "judged changes": lambda: CHANGES.judged(judge_all(CHANGES)),
    "consensus": lambda: cb.consensus(RUNS),
    "isolated labels": lambda: cb.isolated_labels_f1(TRUTH, RUNS["a"], list("uvuvv")),
}


@cache
def made(name):
    return MADE[name]()


# All are drawn in a dark style; the others differ in what few pictures show.
STYLES = [(name, "dark_background") for name in MADE]
STYLES += [(name, style) for name in ("bits", "pairwise") for style in ("default", "ggplot")]


@pytest.mark.parametrize(("name", "style"), STYLES)
def test_every_result_is_drawn_in_every_style(name, style, tmp_path):
    """Without a warning, with text that differs from what is behind it."""
    with plt.style.context(style):
        ax = made(name).plot()
        assert plt.get_fignums() == [ax.figure.number]  # so that notebooks show it
        ax.figure.savefig(tmp_path / "picture.png", dpi=50)
        behind = to_rgb(ax.figure.get_facecolor())
        for text in [ax.title, ax.xaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()]:
            assert np.abs(np.subtract(to_rgb(text.get_color()), behind)).max() > 0.4


@pytest.mark.parametrize("name", MADE)
def test_what_is_drawn_goes_by_name(name):
    with pytest.raises(TypeError, match="ax must be axes of matplotlib, got 'ari'"):
        made(name).plot("ari")


def test_every_result_has_its_plot():
    assert {type(made(name)).__name__ for name in MADE} == {*DRAWN_BY}


def test_a_comparison_over_tasks_has_a_dot_for_each_task():
    comparison = made("comparison over tasks")
    ax = comparison.plot()
    means, *dots = ax.collections[-len(RUNS) :]
    best, *others = comparison.keys()
    for row, (name, drawn) in enumerate(zip(others, dots, strict=True), 1):
        x, y = drawn.get_offsets().T
        assert x.tolist() == [*comparison.task_differences(name, best).values()]
        assert set(y.tolist()) == {row + 0.25}
    assert means.get_offsets()[:, 0].tolist() == [row.difference for row in comparison]


def test_unknown_options_are_errors():
    with pytest.raises(TypeError, match="unexpected keyword argument 'part'"):
        SCORES.plot(part="classes")
    with pytest.raises(TypeError, match="Result has no plot"):
        Result().plot()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match="plot"):
        TABLE.plot()


HOSTILE = ["$\\frac{", "$x$", "_^", "two\nlines", "half \ud800", "long " * 100, "", "\u202eback"]


def test_hostile_names(tmp_path):
    truth = [0, 0, 1, 1, 2, 2, 3, 3]
    runs = {name: [i // (1 + j) for i in range(8)] for j, name in enumerate(HOSTILE)}
    table = from_counts(np.eye(8, dtype=int) * 3 + 1, classes=HOSTILE, clusters=HOSTILE)
    grouped = cb.evaluate(truth, runs, ["ari", "q0"], groups=[HOSTILE[i % 4] for i in range(8)])
    scores = cb.evaluate(truth, runs, ["ari", "q0"])
    why = cb.explain(table)
    plotters = [
        table.plot, partial(why.plot, part="classes"), scores.plot,
        partial(scores.plot, measure="ari"), grouped.plot, scores.ranks().plot,
    ]  # fmt: skip
    for plot in plotters:
        plot().figure.savefig(tmp_path / "picture.png", dpi=40)
        plt.close("all")
    assert texts(table.plot().get_yticklabels())[0] == "\\$\\frac{"


# --- scores --------------------------------------------------------------------------------------


def test_bits_are_stacked_over_the_number_of_clusters():
    runs = {
        f"{kind}_{k}": DIGITS[f"{kind}_{k}"] for k in (5, 10, 12) for kind in ("ward", "kmeans")
    }
    scores = cb.evaluate(CLASSES, runs, ["q0"], confidence_level=0.9, rng=0)
    bits = bits_over_clusters(scores)
    ax = drawn(scores.plot)
    labels, tables = [container for container in ax.containers if hasattr(container, "patches")]
    assert [height for _, _, height in bars(labels)] == [bar.label_bits for bar in bits.bars]
    stacked = [(bar.label_bits, bar.table_bits) for bar in bits.bars]
    assert np.allclose([(y, height) for _, y, height in bars(tables)], stacked, rtol=1e-12)
    assert [x for x, _, _ in bars(labels)] == [x for x, _, _ in bars(tables)] == [*range(6)]
    names = [bar.clustering for bar in bits.bars]  # which have the number of clusters in them
    assert texts(ax.get_xticklabels()) == names
    (errors,) = [c for c in ax.containers if not hasattr(c, "patches")]
    segments = errors.lines[2][0].get_segments()
    ends = sorted(tuple(segment[:, 1]) for segment in segments)
    assert np.allclose(ends, sorted((bar.low, bar.high) for bar in bits.bars))
    assert notes(ax) == ["no clusters\n3.32 ↑", "perfect\n0.27", "ward_12: 0.66"]
    fewest = next(text for text in ax.texts if text.get_text().startswith("ward_12"))
    assert fewest.xy[0] == names.index("ward_12")
    assert fewest.xy[1] > next(bar.high for bar in bits.bars if bar.clustering in bits.best)
    assert texts(ax.get_legend().get_texts()) == ["classes, given the clusters", "table of counts"]
    assert ax.get_title(loc="left").replace("\n", " ") == scores.verdict


def test_bars_stand_in_even_steps():
    truth = np.arange(2000) % 7
    runs = {f"k={k}": np.arange(2000) % k for k in (2, 500, 501, 502, 503)}
    ax = drawn(cb.evaluate(truth, runs, ["q0"]).plot)
    assert ax.get_xlabel() == "number of clusters"
    assert texts(ax.get_xticklabels()) == ["2", "500", "501", "502", "503"]
    assert np.diff([x for x, _, _ in bars(ax.containers[0])]).tolist() == pytest.approx([1] * 4)


def test_names_without_numbers_are_below_the_bars():
    ax = drawn(SCORES.plot)
    assert texts(ax.get_xticklabels()) == ["b\n2", "a\n3", "c\n5"]
    runs = {f"{letter} " * 9: DIGITS[name] for letter, name in zip("abcdef", DIGITS, strict=False)}
    ax = drawn(cb.evaluate(CLASSES, runs, ["q0"]).plot)
    assert [label.get_rotation() for label in ax.get_xticklabels()] == [90] * 6


def test_the_leaderboard():
    ax = drawn(SCORES.plot, measure="q0")
    order = list(SCORES.sorted_by("q0").clusterings)
    assert texts(ax.get_yticklabels()) == ["b (2)", "a (3)", "c (5)"]
    assert points(ax.collections[0]) == [[SCORES["q0"][name], i] for i, name in enumerate(order)]
    assert ax.yaxis_inverted()
    assert min(ax.get_ylim()) < -0.5  # no row on the frame
    assert max(ax.get_ylim()) > 2.5
    assert len(ax.lines) == 0
    assert notes(ax) == [f"{SCORES['q0'][name]:.4f}" for name in order]
    assert ax.get_xlabel() == "q0 (lower is better)"
    assert drawn(SCORES.plot, measure="ari").get_xlabel() == "adjusted_rand (higher is better)"
    with_ends = cb.evaluate(TRUTH, RUNS, measures=["q0"], confidence_level=0.9, rng=0)
    ax = drawn(with_ends.plot, measure="q0")
    ends = [line.get_xdata().tolist() for line in ax.lines]
    assert ends == [[row.low, row.high] for row in with_ends.sorted_by("q0").rows_for("q0")]
    assert (
        ax.get_xlabel()
        .replace("\n", " ")
        .endswith("with 90 % confidence intervals band: the interval of the best")
    )


def test_one_clustering_has_its_measures_in_their_range():
    scores = cb.evaluate(TRUTH, RUNS["a"], ["q0", "ari", "rand", "share_saved"])
    ax = drawn(scores.plot)
    assert texts(ax.get_yticklabels()) == [
        "q0 (lower is better)", "adjusted_rand", "rand", "share_saved",
    ]  # fmt: skip
    assert notes(ax) == [f"{row.value:.4f}" for row in scores.rows]
    lengths = {round(bar.get_y() + 0.35): bar.get_width() for bar in ax.patches}
    assert lengths == {i: scores.rows[i].value for i in (1, 2, 3)}  # q0 has no upper bound
    ranges = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches[::2]]
    assert ranges == [(-0.5, 1), (0, 1), (0, 1)]
    assert ax.get_title(loc="left").replace("\n", " ") == scores.conclusion


def test_values_by_group():
    scores = cb.evaluate(TRUTH, {"a": RUNS["a"], "c": RUNS["c"]}, ["ari"], groups=list("uuvvv"))
    ax = drawn(scores.plot)
    assert texts(ax.get_yticklabels())[:2] == ["pooled", "mean of the groups"]
    assert sorted(texts(ax.get_yticklabels())[2:]) == ["u", "v"]
    assert texts(ax.get_legend().get_texts()) == list(scores.sorted_by("ari").clusterings)
    means = {row.clustering: row.value for row in scores.means}
    for name, collection in zip(
        list(scores.sorted_by("ari").clusterings), ax.collections, strict=True
    ):
        x = [point[0] for point in points(collection)]
        by_group = {key: group["ari"][name] for key, group in scores.groups.items()}
        order = texts(ax.get_yticklabels())[2:]
        expected = [scores["ari"][name], means[name], *(by_group[key] for key in order)]
        assert np.array_equal(x, expected, equal_nan=True)


def test_precision_recall_and_f1_of_coreference():
    ax = drawn(COREFERENCE.plot)
    rows = COREFERENCE.to_dicts()
    assert texts(ax.get_yticklabels()) == [row["measure"] for row in rows]
    assert ax.get_title(loc="left") == f"CoNLL F1 {COREFERENCE['conll']:.4f}"
    fields = texts(ax.get_legend().get_texts())
    for field, collection in zip(fields, ax.collections, strict=True):
        assert points(collection) == [[row[field], i] for i, row in enumerate(rows)]
    nearly = cb.coreference.score([[1, 2, 3, 4], [5, 6, 7]], [[1, 2, 3], [5, 6, 7]])
    lowest = min(row[field] for row in nearly.to_dicts() for field in fields)
    assert 0.5 < lowest < drawn(nearly.plot).get_xlim()[0] + 0.15  # no empty half
    ax = drawn(COREFERENCE.by_document.plot)
    assert texts(ax.get_yticklabels()) == ["y", "x"]
    assert [x for x, _ in points(ax.collections[0])] == [
        row["conll"] for row in COREFERENCE.by_document.list_documents()
    ]
    by_lea = cb.coreference.score({"x": [["a"]]}, {"x": [["a"]]}, "lea").by_document
    assert drawn(by_lea.plot).get_xlabel().startswith("LEA F1 (")
    assert (
        texts(drawn(cb.coreference.score({"x": []}, {"x": []}).by_document.plot).get_yticklabels())
        == []
    )
    documents = cb.coreference.score(*[{i: [["a", "b"]] for i in range(60)}] * 2).by_document
    assert documents.plot().get_title(loc="left") == "the worst 40 of 60 documents"


def test_ticks_of_leaderboards_enclose_the_values():
    for measure in SCORES.measures:
        ax = drawn(SCORES.plot, measure=measure)
        values, ticks = list(SCORES[measure].values()), ax.get_xticks()
        first, last = ax.get_xlim()
        assert first <= ticks[0] <= min(values) <= max(values) <= ticks[-1] <= last


# --- one clustering ------------------------------------------------------------------------------


def test_the_heat_map_draws_the_excerpt():
    ax = drawn(TABLE.plot)
    excerpt = excerpt_of(TABLE, 40, 40)
    assert texts(ax.get_yticklabels()) == ["cat", "dog"]
    assert texts(ax.get_xticklabels()) == list(excerpt.clusters) == ["x", "y", "z"]
    assert ax.images[0].get_array().tolist() == excerpt.shares.tolist()
    assert texts(ax.texts) == ["40", "2", "1", "3", "1", "9"]
    assert [text.get_color() for text in ax.texts] == ["white", "white", *["black"] * 3, "white"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("cluster", "class")
    assert ax.get_title(loc="left") == "2 classes × 3 clusters"
    huge = drawn(from_counts([[10**18, 0], [12_345, 2_500_000]]).plot)
    assert texts(huge.texts) == ["1e+18", "12.3k", "2.5M"]
    assert texts(drawn(from_counts(np.eye(21, dtype=int)).plot).texts) == []


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
    assert "2 of 4 clusters and 1 of 3 classes, with 34.5 % of the objects" in few.caption


def test_bars_are_the_parts_of_q0():
    why = cb.explain(TABLE)
    ax = drawn(why.plot)
    labels, columns = ax.containers
    assert texts(ax.get_yticklabels()) == [part.cluster for part in why.costliest]
    assert [bar.get_width() for bar in labels] == [part.label_bits for part in why.costliest]
    assert [bar.get_x() for bar in columns] == [part.label_bits for part in why.costliest]
    widths = [part.table_bits for part in why.costliest]
    assert [bar.get_width() for bar in columns] == pytest.approx(widths, rel=1e-14)
    assert ax.yaxis_inverted()
    assert texts(ax.texts) == [
        f"{part.kind}, {percent(part.purity, 0)} are class {part.majority}"
        for part in why.costliest
    ]
    assert ax.get_title(loc="left").replace("\n", " ") == why.title
    assert ax.get_xlabel() == "part of q0, bits per object"
    assert texts(ax.get_legend().get_texts()) == ["classes, given the clusters", "table of counts"]


def test_the_merge_path_is_that_of_the_explanation():
    why = cb.explain(from_counts([[20, 20, 0, 1], [0, 1, 30, 30]]))
    ax = drawn(why.plot, part="path")
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [4, 3, 2]
    assert line.get_ydata().tolist() == [step.q0 for step in why.path][:3]
    start, best = ax.collections
    assert points(best) == [[why.best_step.clusters, why.best_step.q0]]
    assert points(start) == [[4, why.q0]]
    assert notes(ax) == [
        "as given: 4 clusters",
        f"fewest bits: {why.best_step.q0:.4f}, 2 clusters",
        f"1 cluster\n{why.path[-1].q0:.2f} ↑",
    ]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("number of clusters", "q0, bits per object")
    assert ax.get_xscale() == "linear"
    with plt.rc_context({"font.size": 12}):  # as in reports
        small = Figure((440 / 72, 220 / 72), dpi=72, layout="constrained").subplots()
        cb.explain(CLASSES, DIGITS["ward_12"]).plot(small, part="path")
        small.figure.draw_without_rendering()
    (fewest,) = (text for text in small.texts if text.get_text().startswith("fewest"))
    assert fewest.get_window_extent().y0 > small.bbox.y0 + 1  # above the axis
    long_path = drawn(cb.explain(from_counts(np.ones((2, 101), dtype=int))).plot, part="path")
    assert long_path.get_xscale() == "log"


def test_parts_of_a_code():
    lengths = cb.codec.code_lengths(CLASSES, DIGITS["ward_12"])
    ax = drawn(lengths.plot)
    for part, container in zip(("header", "table", "labels", "coder"), ax.containers, strict=True):
        widths = [getattr(row, part) for row in lengths.rows]
        assert [bar.get_width() for bar in container] == pytest.approx(widths, rel=1e-12)
    ends = [segment[0, 0] for segment in ax.collections[0].get_segments()]
    assert ends == [row.header + row.predicted for row in lengths.rows]
    assert notes(ax) == [f"{row.file:,}" for row in lengths.rows]


def test_soft_codes_have_their_parts_and_bits():
    code = cb.covers.soft_code(TRUTH, DEGREES)
    ax = drawn(code.plot)
    labels, table, other_codes = ax.containers
    parts = [labels[0].get_width(), table[0].get_width()]
    assert parts == pytest.approx([code.label_bits, code.table_bits], rel=1e-12)
    bits = [row["bits"] for row in code.to_dicts()]
    assert [bar.get_width() for bar in other_codes] == pytest.approx([0, *bits[1:]])
    assert notes(ax) == [f"{value:.4f}" for value in bits]


@pytest.mark.parametrize("sizes", [[9, 4, 2], [400, 30, 12, 12, 5], [1], [10**18, 3]])
def test_the_worst_clustering_has_all_its_objects(sizes):
    worst = cb.worst_clustering(sizes)
    ax = drawn(worst.plot)
    area = sum(bar.get_width() * bar.get_height() for bar in ax.patches)
    assert area == pytest.approx(sum(sizes))


# --- inference -----------------------------------------------------------------------------------


def test_an_interval_and_zero():
    result = made("interval")
    ax = drawn(result.plot)
    interval, zero = (line.get_xdata() for line in ax.lines)
    assert list(interval) == [result.low, result.high]
    assert list(zero) == [0, 0]
    assert points(ax.collections[0]) == [[result.value, 0]]
    assert ax.get_title(loc="left").replace("\n", " ") == result.title
    far = cb.interval(CLASSES, DIGITS["ward_12"], measure="ari", rng=0, n_resamples=99)
    assert len(drawn(far.plot).lines) == 1  # zero is far away


def test_a_value_beside_those_of_chance():
    result = made("permutation test")
    ax = drawn(result.plot)
    assert points(ax.collections[0]) == [[result.value, 0], [result.null_mean, 1]]
    ends = [result.null_mean - 2 * result.null_sd, result.null_mean + 2 * result.null_sd]
    assert ax.lines[0].get_xdata().tolist() == ends


def test_what_is_in_the_set_is_filled():
    ranking = made("comparison")
    ax = drawn(ranking.plot)
    assert texts(ax.get_yticklabels()) == [row.clustering for row in ranking.rows]
    faces = ax.collections[0].get_facecolors()
    background = to_rgb(ax.get_facecolor())
    filled = [tuple(face[:3]) != background for face in faces]
    assert filled == [row.in_set for row in ranking.rows]


# --- several clusterings -------------------------------------------------------------------------


@pytest.mark.parametrize(("measure", "style"), [("ari", "default"), ("q0", "dark_background")])
def test_better_pairs_stand_out(measure, style):
    """The better a value, the further its colour is from the background."""
    square = cb.pairwise(dict(list(DIGITS.items())[:5]), measure=measure)
    with plt.style.context(style):
        ax = plt.figure().subplots()
        square.plot(ax)
    (image,) = ax.images
    colours = image.cmap(image.norm(square.values))[..., :3]
    distance = np.abs(colours - to_rgb(ax.get_facecolor())).sum(axis=-1)
    best = np.argsort(square.values.ravel())
    best = best if measure == "q0" else best[::-1]
    assert (np.diff(distance.ravel()[best]) <= 1e-6).all()
    (bar,) = ax.child_axes
    assert bar.get_ylabel().endswith(f"({square.better} is better)")
    assert bar.yaxis_inverted() == (measure == "q0")  # the best is on top


def test_similar_labelings_side_by_side():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 3, (2, 60))
    runs = {"a": first, "b": second, "c": first, "d": second, "e": first}
    square = cb.pairwise(runs)
    assert texts(drawn(square.plot).get_xticklabels()) == list("abcde")
    ax = drawn(square.sorted_by_similarity().plot)
    names = texts(ax.get_xticklabels())
    assert {"".join(names[:2]), "".join(names[3:])} & {"bd", "db"}
    values = ax.images[0].get_array()
    assert values[0, 4] == square[names[0], names[4]]


def test_ranks_are_named_lines():
    ranks = SCORES.ranks()
    ax = drawn(ranks.plot)
    lines = {tuple(line.get_ydata()) for line in ax.lines}
    assert lines == {tuple(column) for column in ranks.values.T}
    named = dict(zip(ax.get_yticks().tolist(), texts(ax.get_yticklabels()), strict=True))
    assert named == dict(zip(ranks.of("q0").tolist(), ranks.clusterings, strict=True))
    tau = ranks.tau("q0", "adjusted_rand")
    assert texts(ax.get_xticklabels())[:2] == ["q0", f"adjusted\nrand\nτ = {tau:.2f}"]
    assert ax.yaxis_inverted()
    assert {text.xy: text.get_text() for text in ax.texts} == {(2, 1.0): "a, b, 1 more"}


# --- files, and the figures of the paper ---------------------------------------------------------


def path_figure(table):
    ax = Figure().subplots()
    return cb.explain(table).plot(ax, part="path").figure


def test_names_of_files(tmp_path):
    save_figure(path_figure(from_counts([[3, 1]])), tmp_path / "k=1.5")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["k=1.5.png", "k=1.5.svg"]


def test_same_bytes(tmp_path):
    table = from_counts([[30, 5, 1], [10, 55, 9]])
    for name in ("a", "b"):
        save_figure(path_figure(table), tmp_path / name)
    for kind in ("png", "svg"):
        first, second = (tmp_path / f"{name}.{kind}" for name in "ab")
        assert first.read_bytes() == second.read_bytes()


# --- trees ---------------------------------------------------------------------------------------


def test_cuts_are_bits_over_the_number_of_clusters():
    cuts = cb.trees.cuts(TRUTH, TREE)
    ax = drawn(cuts.plot)
    labels, tables = ax.containers
    assert [height for _, _, height in bars(labels)] == cuts.label_bits.tolist()
    assert [height for _, _, height in bars(tables)] == pytest.approx(cuts.table_bits)
    assert notes(ax)[-1] == "2 clusters: 0.72"
    assert texts(ax.get_xticklabels()) == ["1", "2", "3", "4", "5"]


def test_cuts_are_named_by_their_number_of_clusters_once():
    truth = np.arange(2000) // 500
    tree = cb.trees.Tree.from_children([[2 * i, 2 * i + 1] for i in range(1999)])
    ax = drawn(cb.trees.cuts(truth, tree, k=[4, 12, 1200]).plot)
    assert texts(ax.get_xticklabels()) == ["4", "12", "1,200"]
    assert ax.get_xlabel().startswith("number of clusters")


def test_the_best_of_many_cuts_is_among_those_drawn():
    truth = np.arange(500) // 5 % 7
    cuts = cb.trees.cuts(truth, LARGE_TREE)
    bits = cuts.bits_over_clusters()
    (best,) = (bar for bar in bits.bars if bar.clustering in bits.best)
    assert (best.clusters, best.bits) == (cuts.best_k(), cuts.bits.min())
    assert len(bits.bars) <= 400
    assert f"{cuts.best_k():,} clusters: {cuts.bits.min():.2f}" in notes(drawn(cuts.plot))


# --- what changed --------------------------------------------------------------------------------


def flow_heights(ax):
    """Return the heights of the flows at their left end, by colour."""
    heights = {}
    for flow in ax.collections:
        corners = [path.vertices for path in flow.get_paths()]
        if corners:
            at_left = np.concatenate(corners)
            at_left = at_left[at_left[:, 0] == at_left[:, 0].min(), 1]
            shade = tuple(flow.get_facecolor()[0][:3])
            heights[shade] = heights.get(shade, 0) + np.ptp(at_left)
    return heights


def test_flows_are_as_wide_as_their_objects():
    changes = cb.diff([1] * 8 + [2] * 4 + [3] * 5, [1] * 6 + [4] * 2 + [2] * 4 + [7] * 5)
    ax = changes.plot()
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["unchanged (not to scale)", "keep their name", "move"]
    assert {"1", "4 → 8", "2 unchanged"} <= {text.get_text() for text in ax.texts}
    stay, move = sorted(flow_heights(ax).values())[-2:][::-1]
    heights = sorted(flow_heights(ax).values())
    assert any(a / b == pytest.approx(3) for a in heights for b in heights), (stay, move)


def test_flows_of_many_clusters_and_of_a_sequence():
    rng = np.random.default_rng(0)
    nights = [rng.integers(0, 200, 5000)]
    for _ in range(2):
        nights.append(np.where(rng.random(5000) < 0.1, rng.integers(0, 200, 5000), nights[-1]))
    ax = cb.diff(nights[0], nights[1]).plot()
    assert "the 24 that changed most" in ax.get_title(loc="left")
    assert sum("others" in text.get_text() for text in ax.texts) == 2
    first, later = (cb.diff(*pair) for pair in itertools.pairwise(nights))
    ax = first.plot(then=[later])
    assert ax.get_xticks().tolist() == [0, 2]
    assert not any("→" in text.get_text() for text in ax.texts)
    ax = first.plot(then=[later], steps=["mon", "tue", "wed"])
    assert ax.get_xticks().tolist() == [0, 1, 2]
    assert len(ax.patches) >= 3 * 24


def test_in_a_sequence_an_unchanged_cluster_may_change_later():
    sweep = [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 2, 2], [5, 5, 3, 4, 6, 6], [5, 5, 3, 4, 7, 8]
    first, *later = (cb.diff(*pair) for pair in itertools.pairwise(sweep))
    ax = first.plot(then=later)
    _, labels = ax.get_legend_handles_labels()
    assert labels == ["keep their name", "move"]
    low, high = sorted(ax.get_ylim())
    flows = [path.vertices[:, 1] for shape in ax.collections for path in shape.get_paths()]
    assert len([flow for flow in flows if len(flow)]) == 2 + 4 + 5
    assert all(low <= flow.min() and flow.max() <= high for flow in flows if len(flow))
