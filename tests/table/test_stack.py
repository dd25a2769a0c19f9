"""A stack of tables has the sums of each table."""

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.measures.catalogue import catalogue
from clusterbits.table.expected_information import expected_informations
from clusterbits.table.many_tables import TableStack

OF_SUMS = [entry for entry in catalogue() if entry.of_statistics]


def resamples(table, n_tables, seed, sizes=None):
    rng = np.random.default_rng(seed)
    shares = table.counts / table.n
    sizes = [int(table.n)] * n_tables if sizes is None else sizes
    counts = np.stack([rng.multinomial(size, shares) for size in sizes], axis=1)
    return TableStack(table.rows, table.columns, counts, table.with_counts)


TABLES = {
    "small": [[3, 1, 0], [0, 2, 2], [1, 0, 1]],
    "sparse": np.eye(12, dtype=int) + np.eye(12, k=1, dtype=int),
    "large": [[300, 20, 5], [10, 900, 40], [0, 7, 100_000]],
    "one class": [[4, 3, 2]],
    "perfect": [[4, 0], [0, 3]],
}


@pytest.mark.parametrize("name", TABLES)
def test_every_measure_of_sums_is_that_of_each_table(name):
    assert len(OF_SUMS) > 50
    table = cb.Contingency.from_counts(TABLES[name])
    stack = resamples(table, 20, seed=1)
    for entry in OF_SUMS:
        alone = [entry.score_table(column) for column in stack]
        assert np.asarray(entry.score_table(stack)) == pytest.approx(alone, rel=1e-11, abs=1e-12), (
            entry.name
        )


@pytest.mark.parametrize(
    "entry",
    [
        cb.q2.using(worst="exact"),
        cb.q0.using(n_classes=7),
        cb.adjusted_mutual_information.using(average_method="max"),
        cb.normalized_variation_of_information.using(average_method="classes"),
        cb.accuracy,
    ],
    ids=lambda entry: entry.name,
)
def test_parameters_tables_of_several_sizes_and_measures_of_cells(entry):
    table = cb.Contingency.from_counts(TABLES["small"])
    stack = resamples(table, 12, seed=2, sizes=[10, 4, 2, 30] * 3)
    alone = [entry.score_table(column) for column in stack]
    assert entry.score_table(stack) == pytest.approx(alone, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(("n", "classes", "clusters"), [(90, 4, 7), (1797, 10, 20), (10**6, 30, 9)])
def test_expectations_at_the_nodes_are_those_of_each_table(n, classes, clusters):
    rng = np.random.default_rng(3)
    sides = [
        rng.multinomial(n, rng.dirichlet(np.ones(groups)), size=5).T
        for groups in (classes, clusters)
    ]
    alone = [
        cb.Contingency.from_labels(
            np.repeat(np.arange(classes), a), np.repeat(np.arange(clusters), b)
        ).expected_information
        for a, b in zip(sides[0].T, sides[1].T, strict=True)
    ]
    assert expected_informations(n, *sides) == pytest.approx(alone, rel=1e-13)
