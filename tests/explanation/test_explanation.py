"""Explanations: the parts are the whole, and what is promised is what a full evaluation finds."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import DEGENERATE, tables

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.explanation import merging, overlap
from clusterbits.table.cells import Cells

from_counts = cb.Contingency.from_counts
REAL = cb.Contingency.expected([[0.3, 0.05, 0.02], [0.01, 0.4, 0.22]], n=123.4)


def merged(table, a, b):
    """Return the table in which cluster b has joined cluster a."""
    clusters = list(table.clusters)
    group = np.arange(len(clusters))
    group[clusters.index(b)] = clusters.index(a)
    cells = Cells(
        table.cells.classes, table.cells.clusters, table.rows, group[table.columns], table.counts
    )
    return cb.Contingency.from_cells(cells)


def split(table, name):
    """Return the table in which a cluster has been replaced by one for each of its classes."""
    dense = table.to_dense()
    at = table.clusters.index(name)
    pieces = [
        np.where(np.arange(len(dense)) == c, dense[:, at], 0) for c in np.flatnonzero(dense[:, at])
    ]
    return from_counts(np.column_stack([np.delete(dense, at, axis=1), *pieces]))


def check(table, why):
    """Hold every number of an explanation against full evaluations."""
    q0 = cb.q0(table)
    near = {"rel": 1e-12, "abs": 1e-12}
    assert why.q0 == pytest.approx(q0, **near)
    for parts in (why.clusters, why.classes):
        assert math.fsum(part.bits for part in parts) == pytest.approx(q0, **near)
        labels = math.fsum(part.label_bits for part in parts)
        columns = math.fsum(part.table_bits for part in parts)
        assert labels == pytest.approx(table.class_entropy_given_cluster, **near)
        assert columns == pytest.approx(table.table_bits(), **near)
        assert math.fsum(part.share for part in parts) == pytest.approx(1 if q0 else 0)
        for part in parts:
            assert part.bits_per_object * part.size / table.n == pytest.approx(part.bits, **near)
    bits = [part.bits for part in why.costliest]
    assert bits == sorted(bits, reverse=True)
    dense = table.to_dense().astype(float)
    recalls = dense.max(axis=1) / dense.sum(axis=1)
    assert [part.recall for part in why.classes] == pytest.approx(recalls)
    for merge in why.merges:
        assert merge.bits_saved == pytest.approx(
            q0 - cb.q0(merged(table, merge.first, merge.second)), **near
        )
    for cut in why.splits:
        assert cut.bits_saved == pytest.approx(q0 - cb.q0(split(table, cut.cluster)), **near)
        assert cut.bits_saved > -1e-12
    state = table
    for i, step in enumerate(why.path):
        if i and step.first is None:  # a round: what merged with what is not told
            break
        if step.first is not None:
            state = merged(state, step.first, step.second)
        assert step.clusters == state.shape[1]
        assert step.q0 == pytest.approx(cb.q0(state), **near)


def best_by_force(table):
    """Return q0 after the best merge of any two clusters."""
    pairs = itertools.combinations(table.clusters, 2)
    return min(cb.q0(merged(table, a, b)) for a, b in pairs)


@pytest.fixture(params=["dense", "walk"])
def engine(request, monkeypatch):
    """Answer small tables by the way of large ones too."""
    if request.param == "walk":
        monkeypatch.setattr(overlap, "_MAX_CELLS", -1)
    return request.param


@settings(max_examples=50)
@given(table=tables())
def test_parts_savings_and_path(table):
    why = cb.explain(table)
    check(table, why)
    assert why.merges_proven
    assert why.path[-1].clusters == 1
    if table.shape[1] > 1:
        best = best_by_force(table)
        assert why.q0 - why.merges[0].bits_saved == pytest.approx(best, abs=1e-12)
        assert len(why.merges) == min(10, math.comb(table.shape[1], 2))
        state = table
        for step in why.path[1:]:
            assert step.q0 == pytest.approx(best_by_force(state), abs=1e-12)
            state = merged(state, step.first, step.second)


@settings(max_examples=40)
@given(table=tables(max_clusters=9), top=st.integers(1, 10))
def test_walk_finds_the_best_merges_too(table, top):
    dense = cb.explain(table, top=top)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "_MAX_CELLS", -1)
        walked = cb.explain(table, top=top)
    check(table, walked)
    assert walked.merges_proven
    assert walked.confused_proven
    assert len(walked.merges) == min(top, math.comb(table.shape[1], 2))
    for ours, theirs in ((walked.merges, dense.merges), (walked.confused, dense.confused)):
        assert [row[2] for row in ours] == pytest.approx([row[2] for row in theirs], abs=1e-12)


@given(
    classes=st.sampled_from([1, 2, 5]),
    unit=st.sampled_from([1, 0.1, 1e12, 1e-20]),
    sizes=st.lists(st.integers(1, 1000), min_size=2, max_size=8),
    top=st.integers(1, 30),
)
def test_merges_that_save_next_to_nothing_are_listed_by_both(classes, unit, sizes, top):
    # Clusters of equal compositions: merges save what they can, which is 0 for one class.
    counts = np.outer(np.arange(1, classes + 1), sizes) * unit
    table = cb.Contingency.expected(counts / counts.sum(), n=counts.sum())
    found = [cb.explain(table, top=top)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "_MAX_CELLS", -1)
        found.append(cb.explain(table, top=top))
    for why in found:
        assert len(why.merges) == min(top, math.comb(len(sizes), 2))
        assert len(why.confused) == min(top, math.comb(classes, 2))
        assert why.merges_proven
    ours, theirs = ([merge.bits_saved for merge in why.merges] for why in found)
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate(name, engine):
    table = from_counts(DEGENERATE[name])
    why = cb.explain(table)
    check(table, why)
    title, *rest = repr(why).splitlines()
    assert title == why.title
    assert any(line.split()[:2] == ["cluster", "size"] for line in rest)
    assert rest[len(rest) - len(why.advice()) :] == why.advice()
    html = why._repr_html_()
    assert html.count("<tr>") == len(why.clusters) + 1
    assert html.count("<li>") == len(why.advice())


HUGE = from_counts([[10**18, 7, 0], [0, 3, 10**16], [10**17, 0, 1]])


@pytest.mark.parametrize("table", [REAL, HUGE], ids=["real", "huge"])
def test_other_counts(table, engine):
    check(table, cb.explain(table))


@settings(max_examples=30)
@given(tables(), st.integers(0, 50))
def test_classes_that_could_have_occurred(table, more):
    n_classes = table.shape[0] + more
    why = cb.explain(table, n_classes=n_classes)
    assert why.q0 == pytest.approx(cb.q0(table, n_classes=n_classes), abs=1e-12)
    for merge in why.merges:
        after = cb.q0(merged(table, merge.first, merge.second), n_classes=n_classes)
        assert merge.bits_saved == pytest.approx(why.q0 - after, abs=1e-12)


def test_labels_and_table_agree():
    truth, pred = ["a", "a", "b", "b", None], [1, 1, 1, 2, 2]
    why = cb.explain(truth, pred, missing="drop")
    assert why.clusters == cb.explain(from_counts([[2, 0], [1, 1]], ["a", "b"], [1, 2])).clusters
    with pytest.raises(TypeError, match=r"'noize'.*Did you mean 'noise'"):
        cb.explain(truth, pred, noize="drop")
    with pytest.raises(MeasureError, match=r"^missing, align cannot .*a table has no labels"):
        cb.explain(REAL, missing="drop", align=True)
    with pytest.raises(ClusterbitsError, match="top must be a whole number, at least 1, got 0"):
        cb.explain(truth, pred, top=0)
    with pytest.raises(MeasureError, match=r"n_classes must be .* got 1\."):
        cb.explain(from_counts([[2, 0], [1, 1]]), n_classes=1)


KINDS = {
    "pure": ([[50, 0], [0, 50]], ["pure", "pure"]),
    "fragments": ([[25, 0, 25], [0, 50, 0]], ["fragment", "pure", "fragment"]),
    "mixed": ([[30, 0], [20, 50]], ["mixed", "pure"]),
    "90 %": ([[90, 0], [10, 90]], ["pure", "pure"]),
    "less": ([[89, 0], [11, 90]], ["mixed", "pure"]),
    "noise-like": ([[50, 10, 0], [1, 10, 50]], ["pure", "noise-like", "pure"]),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds(name):
    counts, kinds = KINDS[name]
    assert [part.kind for part in cb.explain(from_counts(counts)).clusters] == kinds


def test_a_piece_that_holds_most_of_its_class_is_pure():
    why = cb.explain(from_counts([[60, 40, 0], [0, 0, 50]]))
    assert [part.kind for part in why.clusters] == ["pure", "fragment", "pure"]
    assert why.kinds == {"pure": 2, "fragment": 1, "mixed": 0, "noise-like": 0}


def test_over_split_classes_are_put_together_again():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 2000)
    why = cb.explain(truth, truth * 4 + rng.integers(0, 4, 2000))
    assert why.best_step.clusters == 5
    assert why.over_split == 15
    assert why.best_step.q0 == pytest.approx(cb.q0(truth, truth))
    assert "Merge down to 5 clusters, each time the best pair: saves " in repr(why)
    assert all(merge.first // 4 == merge.second // 4 for merge in why.merges)


def test_scattered_and_confused():
    table = from_counts([[10, 10, 10], [0, 9, 0], [0, 0, 2]], classes=["x", "y", "z"])
    why = cb.explain(table)
    assert [part.name for part in why.scattered] == ["x"]
    assert why.scattered[0].scatter == pytest.approx(math.log2(3))
    assert [pair[:2] for pair in why.confused] == [("x", "y"), ("x", "z")]
    one_class = from_counts([[10, 19, 10], [0, 0, 2]])
    saved = table.class_entropy_given_cluster - one_class.class_entropy_given_cluster
    assert why.confused[0].bits == pytest.approx(saved)


def large_table():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 30, 30_000)
    pred = truth * 20 + rng.integers(0, 20, len(truth))
    pred[::50] = rng.integers(0, 600, len(pred[::50]))
    return cb.Contingency.from_labels(truth, pred)


def test_rounds_reach_the_same_minimum(monkeypatch):
    table = large_table()
    step_by_step = cb.explain(table)
    monkeypatch.setattr(overlap, "_MAX_COLUMNS", 200)
    why = cb.explain(table)
    assert why.merges_proven
    assert (why.merges, why.confused) == (step_by_step.merges, step_by_step.confused)
    assert why.path[1].first is None
    assert why.path[-1].clusters == 1
    assert why.best_step.clusters == 30
    assert why.best_step.q0 == pytest.approx(step_by_step.best_step.q0)
    assert why.path[-1].q0 == pytest.approx(
        cb.q0(table.rows, np.zeros_like(table.rows), weights=table.counts)
    )
    for merge in why.merges:
        after = cb.q0(merged(table, merge.first, merge.second))
        assert merge.bits_saved == pytest.approx(why.q0 - after, abs=1e-12)


LIMITS = [
    (overlap, "_LOOKED_UP", 10),
    (overlap, "_AT_ONCE", 1),
    (merging, "_AT_ONCE", 1),
]


@pytest.mark.parametrize(("module", "limit", "value"), LIMITS)
def test_portions_change_nothing(module, limit, value, monkeypatch):
    table = from_counts(np.random.default_rng(0).poisson(1.5, (6, 40)))
    whole = cb.explain(table)
    assert whole.path[-1].clusters == 1
    monkeypatch.setattr(module, limit, value)
    part = cb.explain(table)
    assert (part.merges, part.confused, part.path) == (whole.merges, whole.confused, whole.path)


@settings(max_examples=40)
@given(table=tables(max_clusters=9), top=st.integers(1, 40), portion=st.sampled_from([1, 2**20]))
def test_the_list_of_merges_is_that_of_all_pairs_by_force(table, top, portion):
    q0 = cb.q0(table)
    pairs = itertools.combinations(table.clusters, 2)
    savings = sorted((q0 - cb.q0(merged(table, *pair)) for pair in pairs), reverse=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "_PORTION", portion)
        for cells in (overlap._MAX_CELLS, -1):
            patch.setattr(overlap, "_MAX_CELLS", cells)
            merges = cb.explain(table, top=top).merges
            assert [merge.bits_saved for merge in merges] == pytest.approx(savings[:top], abs=1e-12)


@pytest.mark.parametrize("top", [1, 7, 60, 1000])
def test_merges_without_a_common_class_are_the_cheapest(top):
    sizes = np.random.default_rng(0).integers(1, 30, 40)
    table = from_counts(np.diag(sizes))
    pairs = itertools.combinations(table.clusters, 2)
    savings = sorted((cb.q0(table) - cb.q0(merged(table, *pair)) for pair in pairs), reverse=True)
    why = cb.explain(table, top=top)
    assert why.merges_proven
    assert [merge.bits_saved for merge in why.merges] == pytest.approx(savings[:top], abs=1e-12)


@settings(max_examples=40)
@given(table=tables(max_clusters=9), top=st.integers(1, 10), limit=st.integers(0, 20))
def test_a_limited_search_is_proven_only_if_it_is_complete(table, top, limit):
    merges = cb.explain(table, top=top).merges
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "_MAX_CELLS", -1)
        patch.setattr(overlap, "_PORTION", 1)
        patch.setattr(overlap, "_MAX_PAIRS", limit)
        limited = cb.explain(table, top=top)
    check(table, limited)
    if limited.merges_proven:
        savings = [merge.bits_saved for merge in merges]
        assert [merge.bits_saved for merge in limited.merges] == pytest.approx(savings, abs=1e-12)


def test_beyond_the_limit_the_largest_clusters_are_tried(monkeypatch):
    monkeypatch.setattr(overlap, "_MAX_CELLS", -1)
    monkeypatch.setattr(overlap, "_PORTION", 1)
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 3, 500), rng.integers(0, 20, 500)
    assert cb.explain(truth, pred).merges_proven
    monkeypatch.setattr(overlap, "_MAX_PAIRS", math.comb(6, 2))
    why = cb.explain(truth, pred)
    assert not why.merges_proven
    assert "Only merges of the largest clusters were tried." in repr(why)
    largest = np.argsort(-np.bincount(pred), kind="stable")[:6].tolist()
    pairs = {frozenset(merge[:2]) for merge in why.merges}
    assert pairs <= {frozenset(pair) for pair in itertools.combinations(largest, 2)}


def test_advice():
    counts = [[30, 28, 0, 1], [0, 1, 40, 20], [9, 0, 0, 0]]
    why = cb.explain(from_counts(counts, ["cat", "dog", "fox"], list("abcd")))
    _, merge, split, *others = why.advice()
    saved = why.merges[0].bits_saved
    assert merge == f"Merge cluster c and cluster d: saves {saved:.3g} bits per object."
    most = f"saves at most {why.splits[0].bits_saved:.3g} bits per object."
    assert split == f"Split cluster a, which holds 2 classes, mostly class cat: {most}"
    assert others[0].startswith("Separate class cat from class fox: saves at most ")
    assert others[2].startswith("Most scattered: class cat (effectively 2.2 clusters); class dog ")
    assert cb.explain([0], [0]).advice() == ["1 cluster: 1 pure."]


# --- the labels after the merges -----------------------------------------------------------------


def over_split_labels(n=300, pieces=5, seed=0):
    """Return classes, and clusters that are random pieces of noisy copies of them."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    noisy = np.where(rng.random(n) < 0.8, truth, rng.integers(0, 4, n))
    return truth, noisy * pieces + rng.integers(0, pieces, n)


@settings(deadline=None)
@given(tables(max_count=8))
def test_merged_labels_have_the_promised_bits(table):
    truth, pred = (np.repeat(some, table.counts) for some in (table.rows, table.columns))
    why = cb.explain(truth, pred)
    before = pred.copy()
    found = why.merged(pred)
    assert cb.q0(truth, found) == pytest.approx(why.best_step.q0, rel=1e-12, abs=1e-12)
    assert len(set(found.tolist())) == why.best_step.clusters
    assert (pred == before).all()
    assert not np.shares_memory(found, pred)
    sizes = np.bincount(pred)
    for name in set(found.tolist()):  # the largest of the set, the first of equal ones
        merged_set = sorted(set(pred[found == name].tolist()), key=lambda k: (-sizes[k], k))
        assert merged_set[0] == name


def test_merged_labels_after_rounds(monkeypatch):
    monkeypatch.setattr(overlap, "_MAX_COLUMNS", 50)
    truth, pred = over_split_labels(4000, 40)
    why = cb.explain(truth, pred)
    assert why.path[1].first is None  # many pairs at once
    assert why.over_split > 100
    assert cb.q0(truth, why.merged(pred)) == pytest.approx(why.best_step.q0, rel=1e-12)


def test_merged_labels_have_the_forms_of_relabelled_ones():
    """An array, or a dict if objects have ids: as `Match.relabel` and `Changes.carry` return."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    truth, pred = over_split_labels()
    why = cb.explain(truth, pred)
    expected = why.merged(pred)
    assert expected.dtype == pred.dtype
    ids = [f"object {i}" for i in range(len(pred))]
    series = pd.Series(pred, index=ids)
    for other in (pred.tolist(), series, series.astype("category"), pl.Series(pred)):
        assert why.merged(other).tolist() == expected.tolist()
    by_id = why.merged(dict(zip(ids, pred.tolist(), strict=True)))
    assert by_id == dict(zip(ids, expected.tolist(), strict=True))
    names = [f"k{k}" for k in pred]
    assert len(set(cb.explain(truth, names).merged(names))) == why.best_step.clusters


def test_labels_that_are_no_cluster_stay():
    truth, pred = over_split_labels()
    some = [None if i % 50 == 3 else label for i, label in enumerate(pred.tolist())]
    why = cb.explain(truth, some, missing="drop")
    found = why.merged(some)
    assert [label is None for label in found] == [label is None for label in some]
    assert cb.q0(truth, found, missing="drop") == pytest.approx(why.best_step.q0)
    # As a cluster it may be merged like any other, and names no other.
    why = cb.explain(truth, some, missing="class")
    found = why.merged(some)
    assert cb.q0(truth, found, missing="class") == pytest.approx(why.best_step.q0)
    assert all(old is None for old, new in zip(some, found, strict=True) if new is None)
    noisy = np.where(np.arange(len(pred)) % 10 == 0, -1, pred)
    why = cb.explain(truth, noisy, noise="drop")
    found = why.merged(noisy)
    assert ((found == -1) == (noisy == -1)).all()
    assert cb.q0(truth, found, noise="drop") == pytest.approx(why.best_step.q0)
    # Which noise object is which singleton is not known.
    why = cb.explain(truth, noisy, noise="singletons")
    found = why.merged(noisy)
    assert ((found == -1) == (noisy == -1)).all()
    assert why.q0 > cb.q0(truth, found, noise="singletons") > why.best_step.q0


def test_other_labels_than_those_explained_are_an_error():
    why = cb.explain([0, 0, 1, 1], [7, 8, 9, 9])
    for other in (["7", "8", "9", "9"], [7, 8, 8, 8], [9, 8, 8, 8]):
        with pytest.raises(LabelError, match="pass the labels that were explained"):
            why.merged(other)
    assert why.merged([9, 8, 7, 5]).tolist() == [9, 7, 7, 5]
