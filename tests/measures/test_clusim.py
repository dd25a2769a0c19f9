"""Random models against clusim, the package by the authors of these models."""

import pytest
from hypothesis import Phase, given, settings
from support.samples import labels_of, tables

import clusterbits as cb

sim = pytest.importorskip("clusim.sim", reason="clusim is not installed")
from clusim.clustering import Clustering  # noqa: E402

MODELS = {
    "permutation": "perm",
    "fixed_clusters": "num",
    "fixed_clusters_one_sided": "num1",
    "all": "all",
    "all_one_sided": "all1",
}
AVERAGES = {"arithmetic": "sum", "geometric": "sqrt", "min": "min", "max": "max"}
# Without perfect tables, 1 for us whatever the model: for clusim 0, a division by zero, or what the
# formula gives. clusim sums in plain Python: few objects.
SMALL = tables(max_count=4).filter(lambda table: table.n <= 16 and not table.is_perfect)

pytestmark = pytest.mark.slow
every_model = pytest.mark.parametrize("model", MODELS)


def clusterings(table):
    """Return clusters, then classes: clusim's one-sided models keep the second."""
    return [Clustering().from_membership_list(labels) for labels in reversed(labels_of(table))]


@every_model
@given(table=SMALL)
@settings(max_examples=30, phases=[Phase.generate])
def test_adjusted_rand(model, table):
    expected = sim.adjrand_index(*clusterings(table), random_model=MODELS[model])
    assert cb.adjusted_rand(table, model=model) == pytest.approx(expected, rel=1e-12, abs=1e-13)


@every_model
@pytest.mark.parametrize("average", AVERAGES)
@given(table=SMALL.filter(lambda table: min(table.shape) > 1))  # with one group it divides by 0
@settings(max_examples=6, phases=[Phase.generate])
def test_adjusted_mutual_information(model, average, table):
    options = {"random_model": MODELS[model], "norm_type": AVERAGES[average]}
    expected = sim.adj_mi(*clusterings(table), **options)
    own = cb.adjusted_mutual_information(table, model=model, average_method=average)
    assert own == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("model", ["all", "all_one_sided"])
def test_one_cluster_is_below_the_chance_of_any_number_of_clusters(model):
    table = cb.Contingency.from_counts([[3], [2], [1]])
    expected = sim.adj_mi(*clusterings(table), random_model=MODELS[model])
    assert expected < 0
    assert cb.ami(table, model=model) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("model", ["fixed_clusters_one_sided"])
def test_more_objects(model):
    table = cb.Contingency.from_counts([[20, 3, 0], [4, 18, 5], [0, 1, 9]])
    pair = clusterings(table)
    expected = sim.adjrand_index(*pair, random_model=MODELS[model])
    assert cb.adjusted_rand(table, model=model) == pytest.approx(expected, rel=1e-12)
    expected = sim.adj_mi(*pair, random_model=MODELS[model])
    assert cb.ami(table, model=model) == pytest.approx(expected, rel=1e-11)
