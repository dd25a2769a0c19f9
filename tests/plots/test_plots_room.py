"""Plots have room for their texts: long names, large fonts, small axes, many clusterings."""

from functools import cache
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import clusterbits as cb
from clusterbits.cli.demo import load_digits
from clusterbits.text.shortened import distinct_texts

RUNS = load_digits()
TRUTH = RUNS.pop("digit")
LONG = {f"scanpy_leiden_resolution_{i % 2}_neighbors_{i}": v for i, v in enumerate(RUNS.values())}
WARD = {name: labels for name, labels in RUNS.items() if "ward" in name}
TABLE = cb.Contingency.from_labels(
    [f"CD{label}-positive, alpha-beta memory T cell" for label in TRUTH],
    [f"leiden resolution 1.0, cluster {label}" for label in RUNS["ward_12"]],
)
SCORES = cb.evaluate(TRUTH, LONG, ["q0", "ari", "rand"])
WHY = cb.explain(TABLE)
SIX = cb.evaluate(TRUTH, dict(list(WARD.items())[:6]), ["ari"], groups=np.arange(len(TRUTH)) % 4)

# Made once, when a test asks for them.
SQUARES = {
    "pairwise": cache(lambda: cb.pairwise(LONG)),
    "table": lambda: TABLE,
    "cards": cache(lambda: cb.paper.check(["rand"])),
}
PLOTS = {
    "bits": lambda ax=None: SCORES.plot(ax),
    "leaderboard": lambda ax=None: SCORES.plot(ax, measure="ari"),
    "measures": lambda ax=None: cb.evaluate(TABLE).plot(ax),
    "groups": lambda ax=None: SIX.plot(ax),
    "ranks": lambda ax=None: SCORES.ranks().plot(ax),
    **{name: lambda ax=None, square=square: square().plot(ax) for name, square in SQUARES.items()},
    "clusters": lambda ax=None: WHY.plot(ax),
    "classes": lambda ax=None: WHY.plot(ax, part="classes"),
    "path": lambda ax=None: WHY.plot(ax, part="path"),
    "codes": lambda ax=None: cb.codec.code_lengths(TRUTH, RUNS["ward_12"]).plot(ax),
    "worst": lambda ax=None: cb.worst_clustering([40, 30, 12, 12, 5]).plot(ax),
}


def texts(labels):
    return [label.get_text() for label in labels if label.get_text()]


def boxes_of(ax):
    """Return what is written and the legend, with the boxes they take."""
    ax.figure.draw_without_rendering()
    texts_and_titles = [child for child in ax.get_children() if isinstance(child, Text)]
    shown = [*texts_and_titles, ax.xaxis.label, ax.yaxis.label]
    for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        for tick in axis.get_major_ticks():
            if min(limits) <= tick.get_loc() <= max(limits):
                shown += [tick.label1, tick.label2]
    shown = [text for text in shown if text.get_text() and text.get_visible()] + [ax.legend_] * (
        ax.legend_ is not None
    )
    return [(artist, artist.get_window_extent().padded(-2)) for artist in shown]


def check_room(ax):
    """Check that texts and the legend are in the figure and apart, and no bar below the legend."""
    boxes = boxes_of(ax)
    left, bottom, right, top = ax.figure.bbox.extents
    for artist, box in boxes:
        assert left <= box.x0 <= box.x1 <= right, artist
        assert bottom <= box.y0 <= box.y1 <= top, artist
    for (first, box), (second, second_box) in combinations(boxes, 2):
        assert not box.overlaps(second_box), (first, second)
    if ax.legend_:
        assert ax.legend_.get_window_extent().y0 >= ax.get_window_extent().y1


@pytest.mark.parametrize(
    ("name", "size"),
    [*((name, 10) for name in PLOTS), ("bits", 20), ("table", 20), ("classes", 20)],
)
def test_texts_have_room_in_fonts_of_any_size(name, size):
    with plt.rc_context({"font.size": size}):
        check_room(PLOTS[name]())


@pytest.mark.parametrize("name", ["bits", "measures", "ranks", "table", "clusters", "groups"])
def test_subplots_do_not_collide(name):
    figure, axes = plt.subplots(1, 2, figsize=(9, 3))
    for ax in axes:
        PLOTS[name](ax)
    left, right = ([box for _, box in boxes_of(ax)] for ax in axes)
    assert not any(box.overlaps(other) for box, other in product(left, right))
    x0, y0, x1, y1 = Bbox.union(left + right).extents
    assert 0 <= x0 < x1 <= figure.bbox.x1
    assert 0 <= y0 < y1 <= figure.bbox.y1


@pytest.mark.parametrize("name", ["leaderboard", "pairwise", "table", "clusters", "classes"])
def test_long_names_are_told_apart(name):
    labels = texts(PLOTS[name]().get_yticklabels())
    assert len(set(labels)) == len(labels) >= 10


def test_names_that_no_cut_tells_apart_are_numbered():
    names = [letter + "-" * 30 + inner + "-" * 30 + letter for letter in "ab" for inner in "uv"]
    texts = distinct_texts([*names, names[0]], 12)
    assert len(set(texts)) == 4
    assert texts[4] == texts[0]
    assert texts[0].endswith("(1)")


def test_legends_name_what_begins_with_an_underscore():
    runs = {"_a": RUNS["ward_10"], "_b": RUNS["ward_12"]}
    ax = cb.evaluate(TRUTH, runs, ["ari"], groups=np.arange(len(TRUTH)) % 2).plot()
    assert sorted(text.strip() for text in texts(ax.legend_.get_texts())) == ["_a", "_b"]


@pytest.mark.parametrize("part", ["clusters", "classes"])
def test_bars_keep_their_length_beside_long_notes(part):
    ax = WHY.plot(part=part)
    ax.figure.draw_without_rendering()
    longest = max(bar.get_x() + bar.get_width() for bar in ax.patches)
    assert longest > 0.4 * ax.get_xlim()[1]
    assert len(ax.texts) == len(ax.get_yticks())
    assert ax.get_title(loc="left").count("\n") <= 1
    narrow = plt.figure(figsize=(4.5, 3), layout="constrained").subplots()
    WHY.plot(narrow, part=part)
    longest = max(bar.get_x() + bar.get_width() for bar in narrow.patches)
    assert longest > 0.4 * narrow.get_xlim()[1]


@pytest.mark.parametrize("name", SQUARES)
def test_cells_are_written_where_they_fit(name):
    ax = plt.figure(figsize=(6, 6), layout="constrained").subplots(2, 2)[0, 0]
    SQUARES[name]().plot(ax)
    ax.figure.draw_without_rendering()
    for written in (ax.texts, ax.get_yticklabels(), ax.get_xticklabels()):
        boxes = [text.get_window_extent().padded(-1) for text in written]
        assert not any(box.overlaps(other) for box, other in combinations(boxes, 2))


def marks(runs, truth):
    ax = cb.evaluate(truth, runs, ["q0"]).plot()
    return [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"]


def test_ties_share_the_mark():
    t = np.arange(120) % 4
    more = {"c": np.arange(120) % 8, "d": np.arange(120) // 2}
    assert marks({"a": t, **more}, t) == ["a: 0.41"]
    assert marks({"a": t, "b": 3 - t, **more}, t) == ["a, b: 0.41"]
    five = {name: (t + i) % 4 for i, name in enumerate("uvwxy")}
    assert marks({**five, **more}, t) == ["u, v, w, 2 more: 0.41"]


@pytest.mark.parametrize("measure", ["ari", "purity"])
def test_no_tick_is_past_a_bound(measure):
    t = np.arange(120) % 4
    runs = {"a": t, "b": np.where(np.arange(120) < 12, 0, t)}
    for ax in (
        cb.evaluate(t, runs, [measure]).plot(),
        cb.evaluate(t, t, [measure], groups=t // 2).plot(),
    ):
        ax.figure.draw_without_rendering()
        assert 1 - 1e-9 <= max(ax.get_xticks()) <= 1 + 1e-9
