"""The second family of models: errors over the other classes."""

import numpy as np
import pytest

from clusterbits.errors import CostError
from clusterbits.paper import Model


def both(**parameters):
    return [Model(**parameters, errors_over=over).joint() for over in ("clusters", "classes")]


@pytest.mark.parametrize("useful", [5, 10, 1])
def test_the_families_agree_where_clusters_are_dealt_evenly(useful):
    epsilon1 = 0.2 if useful > 1 else 0
    clusters, classes = both(useful=useful, noise=2, epsilon1=epsilon1, epsilon2=0.1)
    assert clusters == pytest.approx(classes, abs=1e-15)


@pytest.mark.parametrize(
    ("useful", "dealt"),
    [
        (5, [[0], [1], [2], [3], [4]]),
        (7, [[0, 1], [2, 3], [4], [5], [6]]),
        (11, [[0, 1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]),
        (2, [[0], [0], [0], [1], [1]]),
        (3, [[0], [0], [1], [1], [2]]),
    ],
)
def test_dealing(useful, dealt):
    assert [list(clusters) for clusters in Model(useful=useful).clusters_of_classes()] == dealt


def test_errors_over_classes():
    clusters, classes = both(useful=7, epsilon1=0.2)
    clusters_of = Model(useful=7).clusters_of_classes()
    shares = np.array([[classes[c, list(k)].sum() for k in clusters_of] for c in range(5)]) * 5
    assert shares == pytest.approx(0.05 + np.eye(5) * 0.75)
    assert not np.allclose(clusters, classes)


def test_errors_over_classes_that_share_clusters():
    # five classes in two clusters, three and two: the others' cluster takes it all
    assert both(useful=2, epsilon1=0.2)[0] == pytest.approx(both(useful=2, epsilon1=0.2)[1])
    # two, two and one in three: of class 1's errors 2/3 go to the second cluster
    assert both(useful=3, epsilon1=0.3)[1][0] * 5 == pytest.approx([0.7, 0.2, 0.1])


def test_entropy_is_constant_beyond_the_classes():
    values = [
        Model(useful=k, epsilon1=0.2, errors_over="classes").expected().class_entropy_given_cluster
        for k in range(5, 25)
    ]
    assert values == pytest.approx([values[0]] * 20, rel=1e-12)


def test_shares_that_leave_nothing():
    assert Model(noise=1, epsilon1=0.9, epsilon2=0.1).expected().n == pytest.approx(500)


def test_models_that_no_memory_holds_are_refused_at_once():
    for huge in ({"useful": 10**9}, {"classes": 10**9, "useful": 10**3}):
        with pytest.raises(CostError, match=r"would take about [\d,]+ GB"):
            Model(**huge, epsilon1=0.1).joint()
