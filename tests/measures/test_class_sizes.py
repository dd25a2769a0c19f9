"""Class sizes that are none, for best_bits and worst_clustering."""

import math

import pytest

import clusterbits as cb
from clusterbits.errors import MeasureError, TableError


@pytest.mark.parametrize("sizes", [[], [0], [-1], [[1, 2]], [math.inf, 1], 5, ["a"]])
def test_best_bits_of_nothing(sizes):
    with pytest.raises(TableError, match="class_sizes"):
        cb.best_bits(sizes)


@pytest.mark.parametrize("sizes", [[10**101, 5], [math.inf, 1]], ids=["huge", "infinite"])
def test_worst_clustering_of_too_many_objects(sizes):
    with pytest.raises(TableError, match="class_sizes"):
        cb.worst_clustering(sizes)


@pytest.mark.parametrize("n_classes", [1, 0, "x", 10**400], ids=["1", "0", "x", "huge"])
def test_worst_clustering_of_too_few_classes(n_classes):
    with pytest.raises(MeasureError, match="n_classes"):
        cb.worst_clustering([3, 2], n_classes)
