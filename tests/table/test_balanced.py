"""weights="balanced": every class counts the same."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, MeasureError, TableError
from clusterbits.measures.catalogue import catalogue

RNG = np.random.default_rng(8)
TRUTH = RNG.choice(4, size=400, p=[0.7, 0.2, 0.07, 0.03])
PRED = np.where(RNG.random(400) < 0.8, TRUTH, RNG.integers(-1, 5, 400))


def test_weights_are_those_of_the_classes():
    sizes = np.bincount(TRUTH)
    table = cb.Contingency.from_labels(TRUTH, PRED, weights="balanced")
    weighted = cb.Contingency.from_labels(TRUTH, PRED, weights=400 / (4 * sizes[TRUTH]))
    np.testing.assert_allclose(table.to_dense(), weighted.to_dense(), rtol=1e-12)
    np.testing.assert_allclose(table.class_sizes, 100, rtol=1e-12)
    assert table.n == pytest.approx(400)
    assert table == cb.Contingency.from_labels(TRUTH, PRED).balanced()


@pytest.mark.parametrize("entry", list(catalogue()), ids=lambda entry: entry.name)
def test_every_measure_takes_them_or_says_why_not(entry):
    if entry.weights == "none":
        with pytest.raises(MeasureError, match="whole counts, because it counts arrangements"):
            entry(TRUTH, PRED, weights="balanced")
    else:
        table = cb.Contingency.from_labels(TRUTH, PRED).balanced()
        assert entry(TRUTH, PRED, weights="balanced") == entry(table)


def test_batches_are_balanced_together():
    frame = pd.DataFrame({"t": TRUTH, "k": PRED})
    table = cb.Contingency.from_labels(TRUTH, PRED, weights="balanced")
    pairs = [(TRUTH[:90], PRED[:90]), (TRUTH[90:], PRED[90:])]
    assert cb.Contingency.from_batches(pairs, weights="balanced") == table
    frames = [frame[:90], frame[90:]]
    assert cb.Contingency.from_batches(frames, "t", "k", weights="balanced") == table


def test_balanced_classes_stay_whole():
    truth, pred = [0, 0, 1, 1], [0, 1, 1, 1]
    assert cb.ami(truth, pred, weights="balanced") == cb.ami(truth, pred)
    again = cb.Contingency.from_labels(TRUTH, PRED).balanced()
    np.testing.assert_allclose(again.balanced().counts, again.counts, rtol=1e-12)


def test_labels_left_out_do_not_count():
    clustered = PRED != -1
    expected = cb.Contingency.from_labels(TRUTH[clustered], PRED[clustered], weights="balanced")
    table = cb.Contingency.from_labels(TRUTH, PRED, weights="balanced", noise="drop")
    assert table == expected
    singletons = cb.Contingency.from_labels(TRUTH, PRED, weights="balanced", noise="singletons")
    assert singletons.shape[1] == expected.shape[1] + (~clustered).sum()


def balanced_rand_of_maan(truth, pred):
    """Return the adjusted Rand index as published: rows scaled to the mean size, cut to integers.

    H. Maan et al. (2024), doi:10.1038/s41587-023-02097-9; pairs of objects are counted in the cut
    table, with the number of objects as it was.
    """
    counts = cb.Contingency.from_labels(truth, pred).to_dense().astype(float)
    sizes = counts.sum(axis=1, keepdims=True)
    counts = np.floor(counts * round(sizes.mean()) / sizes + 1e-9)
    n, same = len(truth), (counts**2).sum()
    together = same - n
    class_only = (counts.sum(axis=1) ** 2).sum() - same
    cluster_only = (counts.sum(axis=0) ** 2).sum() - same
    apart = n**2 - class_only - cluster_only - same
    cross = (together + class_only) * (class_only + apart)
    cross += (together + cluster_only) * (cluster_only + apart)
    return 2 * (together * apart - class_only * cluster_only) / cross


@pytest.mark.parametrize("repeats", [1, 10, 100])
def test_the_published_balanced_rand_index_is_near(repeats):
    truth, pred = np.tile(TRUTH, repeats), np.tile(PRED, repeats)
    value = cb.ari(truth, pred, weights="balanced")
    assert abs(value - balanced_rand_of_maan(truth, pred)) < 10 / len(truth)
    assert abs(value - cb.ari(truth, pred)) > 0.02


def test_large_classes_do_not_decide():
    """A clustering that merges two small classes is right about most objects, not most classes."""
    truth = [0] * 900 + [1] * 50 + [2] * 50
    pred = [0] * 900 + [1] * 100
    assert cb.ari(truth, pred) > 0.95
    assert cb.ari(truth, pred, weights="balanced") < 0.65


def test_random_clusters_score_little():
    """More than 0 on average, by about the share of a single object in the smallest class."""
    rng, truth = np.random.default_rng(0), [0] * 900 + [1] * 50 + [2] * 50
    values = [cb.ari(truth, rng.integers(0, 3, 1000), weights="balanced") for _ in range(200)]
    assert 0 < np.mean(values) < 1 / 50


def test_other_words_are_refused():
    with pytest.raises(ClusterbitsError, match="or 'balanced', got"):
        cb.Contingency.from_labels(TRUTH, PRED, weights="balance")
    with pytest.raises(MeasureError, match="needs whole counts, because it draws objects"):
        cb.permutation_test(TRUTH, PRED, measure="ari", weights="balanced")


def test_a_balanced_table_knows_its_objects():
    table = cb.Contingency.from_labels(TRUTH, PRED)
    frame = pd.DataFrame({"t": TRUTH, "k": PRED})
    grouped = cb.evaluate(TRUTH, PRED, "rand", groups=TRUTH, weights="balanced").tables["pred"]
    for balanced in (
        table.balanced(),
        table.balanced().balanced(),
        pickle.loads(pickle.dumps(table.balanced())),
        cb.Contingency.from_labels(TRUTH, PRED, weights="balanced"),
        cb.Contingency.from_frame(frame, "t", "k", weights="balanced"),
        grouped,
    ):
        assert balanced.unbalanced == table
        other = balanced.with_counts(table.counts[::-1].copy())
        assert other == table.with_counts(table.counts[::-1].copy()).balanced()
    assert table.unbalanced is table.transpose().unbalanced is None


OBJECTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-1, 3)), min_size=1, max_size=30)
READING = st.sampled_from([{}, {"noise": "singletons"}])


def values_of(table):
    """Return the value of every measure that is defined for the table."""
    values = {}
    for entry in catalogue():
        try:
            values[entry.name] = entry.score_table(table)
        except MeasureError:
            values[entry.name] = None
    return values


@given(OBJECTS, OBJECTS, READING)
def test_a_sum_of_balanced_tables_is_balanced_from_the_counts(x, y, reading):
    first, second, at_once = (
        cb.Contingency(*zip(*objects, strict=True), weights="balanced", **reading)
        for objects in (x, y, x + y)
    )
    assert first + second == at_once
    assert (first + second).to_dense().tolist() == at_once.to_dense().tolist()
    assert values_of(first + second) == values_of(at_once)
    assert (first + second).n == pytest.approx(len(x + y), rel=1e-12)


def test_a_saved_balanced_table_stays_one(tmp_path):
    table = cb.Contingency(TRUTH, PRED, weights="balanced", noise="singletons")
    table.save(tmp_path / "table.json")
    loaded = cb.Contingency.load(tmp_path / "table.json")
    assert loaded == table
    assert loaded.counts.tolist() == table.counts.tolist()
    assert values_of(loaded) == values_of(table)
    assert cb.interval(loaded, n_resamples=50) == cb.interval(table, n_resamples=50)
    assert cb.Contingency.from_batches([loaded]) == table


def test_balanced_and_other_tables_are_not_added():
    table = cb.Contingency(TRUTH, PRED)
    with pytest.raises(TableError, match=r"balance all of them, with table\.balanced\(\)"):
        table + table.balanced()
    batches = [table, table.balanced(), (TRUTH, PRED)]
    assert cb.Contingency.from_batches(batches, weights="balanced") == (
        (table + table + table).balanced()
    )


def test_a_balanced_table_says_so():
    table = cb.Contingency(TRUTH, PRED)
    assert repr(table.balanced()).startswith("<Contingency: 400 objects (class-balanced), 4 ")
    assert table.balanced() != table
