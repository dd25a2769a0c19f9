"""Values against peers: scikit-learn, genieclust, igraph and clustering-mi, on drawn tables."""

import math

import clustering_mi
import genieclust.compare_partitions as genie
import igraph
import pytest
from hypothesis import given, settings
from sklearn import metrics as sk
from support.samples import DEGENERATE, labels_of, tables

import clusterbits as cb
from clusterbits.measures.catalogue import get_measure

SMALL = tables(max_count=7)
LABELS = SMALL.map(labels_of)


SKLEARN = {
    "rand": sk.rand_score,
    "adjusted_rand": sk.adjusted_rand_score,
    "fowlkes_mallows": sk.fowlkes_mallows_score,
    "homogeneity": sk.homogeneity_score,
    "completeness": sk.completeness_score,
    "v_measure": sk.v_measure_score,
    "adjusted_mutual_information": sk.adjusted_mutual_info_score,
    "mutual_information": lambda a, b: sk.mutual_info_score(a, b) / math.log(2),
}


@pytest.mark.parametrize("name", SKLEARN)
@given(table=tables(max_count=9))
def test_scikit_learn(name, table):
    check_against_scikit_learn(name, table)


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("kind", [k for k, v in DEGENERATE.items() if sum(map(sum, v)) < 100])
def test_scikit_learn_on_degenerate_tables(name, kind):
    check_against_scikit_learn(name, cb.Contingency.from_counts(DEGENERATE[kind]))


def check_against_scikit_learn(name, table):
    truth, pred = labels_of(table)
    if name == "fowlkes_mallows" and table.is_perfect and table.pairs.a00 == 0:
        assert cb.fowlkes_mallows(table) == 1  # scikit-learn: 0 for a perfect clustering
        return
    # scikit-learn's own expected mutual information holds about 1e-10.
    assert get_measure(name)(table) == pytest.approx(SKLEARN[name](truth, pred), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "min", "max"])
@given(table=SMALL)
@settings(max_examples=40)
def test_normalized_mutual_information(average, table):
    truth, pred = labels_of(table)
    expected = sk.normalized_mutual_info_score(truth, pred, average_method=average)
    own = cb.normalized_mutual_information(table, average_method=average)
    if table.is_perfect:
        assert own == 1
    else:
        assert own == pytest.approx(expected, abs=1e-10)


@given(SMALL.filter(lambda t: min(t.shape) > 1 and t.pairs.a00 > 0))
def test_genieclust(table):
    counts = table.to_dense().astype(float)
    assert cb.rand(table) == pytest.approx(genie.rand_score(counts))
    assert cb.adjusted_rand(table) == pytest.approx(genie.adjusted_rand_score(counts), abs=1e-12)
    assert cb.fowlkes_mallows(table) == pytest.approx(genie.fm_score(counts), abs=1e-12)
    assert cb.adjusted_fowlkes_mallows(table) == pytest.approx(
        genie.adjusted_fm_score(counts), abs=1e-10
    )
    assert cb.pair_sets_index(table) == pytest.approx(genie.pair_sets_index(counts), abs=1e-10)
    assert cb.mutual_info_score(table) == pytest.approx(genie.mi_score(counts), abs=1e-10)
    assert cb.nmi(table) == pytest.approx(genie.normalized_mi_score(counts), abs=1e-10)
    if table.shape[0] == table.shape[1]:
        expected = genie.normalized_clustering_accuracy(counts)
        assert cb.normalized_clustering_accuracy(table) == pytest.approx(expected, abs=1e-10)
        expected = genie.normalized_pivoted_accuracy(counts)
        assert cb.normalized_pivoted_accuracy(table) == pytest.approx(expected, abs=1e-10)


@given(SMALL.filter(lambda t: t.n > 1))
def test_igraph(table):
    truth, pred = labels_of(table)
    vi = igraph.compare_communities(truth, pred, method="vi") / math.log(2)
    assert cb.vi(table) == pytest.approx(vi, abs=1e-9)
    assert cb.split_join(table) == igraph.compare_communities(truth, pred, method="split-join")
    assert cb.rand(table) == pytest.approx(
        igraph.compare_communities(truth, pred, method="rand"), abs=1e-9
    )


@given(SMALL.filter(lambda t: min(t.shape) > 1 and max(t.class_sizes) > 1))
@settings(max_examples=40)
def test_clustering_mi(table):
    # Its columns are the first labeling (the clusters), its rows the second (the truth).
    counts = table.to_dense()
    for variation, method in (("reduced_flat", "flat"), ("reduced", "dirichlet")):
        expected = clustering_mi.mutual_information(counts, variation=variation)
        own = cb.rmi(table, method=method)
        assert own == pytest.approx(expected, rel=1e-6, abs=1e-6), variation
    if max(table.cluster_sizes) > 1:
        for normalization, average in (
            ("second", "truth"),
            ("mean", "arithmetic"),
            ("min", "min"),
            ("max", "max"),
        ):
            expected = clustering_mi.normalized_mutual_information(
                counts, variation="reduced", normalization=normalization
            )
            own = cb.normalized_reduced_mutual_information(table, average_method=average)
            if math.isfinite(expected) and not table.is_perfect:
                assert own == pytest.approx(expected, rel=1e-5, abs=1e-6), average
