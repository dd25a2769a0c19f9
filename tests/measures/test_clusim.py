"""Measures adjusted for chance, against clusim."""

import pytest
from hypothesis import Phase, given, settings
from support.samples import labels_of, tables

import clusterbits as cb

sim = pytest.importorskip("clusim.sim", reason="clusim is not installed")
from clusim.clustering import Clustering  # noqa: E402

AVERAGES = {"arithmetic": "sum", "geometric": "sqrt", "min": "min", "max": "max"}
# Without perfect tables, 1 for us: for clusim 0 or a division by zero. It sums in plain Python: few
# objects.
SMALL = tables(max_count=4).filter(lambda table: table.n <= 16 and not table.is_perfect)

pytestmark = pytest.mark.slow


def clusterings(table):
    return [Clustering().from_membership_list(labels) for labels in labels_of(table)]


@given(table=SMALL)
@settings(max_examples=30, phases=[Phase.generate])
def test_adjusted_rand(table):
    expected = sim.adjrand_index(*clusterings(table), random_model="perm")
    assert cb.adjusted_rand(table) == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("average", AVERAGES)
@given(table=SMALL.filter(lambda table: min(table.shape) > 1))  # with one group it divides by 0
@settings(max_examples=6, phases=[Phase.generate])
def test_adjusted_mutual_information(average, table):
    options = {"random_model": "perm", "norm_type": AVERAGES[average]}
    expected = sim.adj_mi(*clusterings(table), **options)
    own = cb.adjusted_mutual_information(table, average_method=average)
    assert own == pytest.approx(expected, rel=1e-10, abs=1e-12)
