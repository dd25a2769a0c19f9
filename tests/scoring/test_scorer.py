"""scorer: measures in scikit-learn's searches."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError

POINTS, CLASSES = make_blobs(n_samples=90, centers=3, cluster_std=0.3, random_state=0)
MODEL = KMeans(n_init=2, random_state=0)


@pytest.mark.parametrize("measure", ["q0", cb.ari])
def test_grid_search(measure):
    scoring = cb.scorer(measure)
    search = GridSearchCV(MODEL, {"n_clusters": [2, 3, 8]}, scoring=scoring, cv=3)
    assert search.fit(POINTS, CLASSES).best_params_ == {"n_clusters": 3}
    entry = scoring.measure
    expected = entry(CLASSES, search.best_estimator_.predict(POINTS))
    assert search.score(POINTS, CLASSES) == (expected if entry.better == "higher" else -expected)


def test_several_scorers_at_once():
    scoring = {"bits": cb.scorer("q0"), "pairs": cb.scorer("ari")}
    search = GridSearchCV(MODEL, {"n_clusters": [2, 3]}, scoring=scoring, refit="bits", cv=2)
    results = search.fit(POINTS, CLASSES).cv_results_
    assert results["mean_test_bits"].argmax() == results["mean_test_pairs"].argmax() == 1
    assert (results["mean_test_bits"] < 0).all()


def test_options_and_parameters():
    model = DBSCAN(eps=0.1).fit(POINTS)
    assert (model.labels_ == -1).any()
    for options in (
        {"noise": "drop"},
        {"noise": "singletons"},
        {"weights": "balanced"},
        {"noise": "drop", "noise_label": 0},
    ):
        expected = cb.q2(CLASSES, model.labels_, **options)
        assert cb.scorer("q2", **options)(model, POINTS, CLASSES) == expected


def test_copies():
    scoring = cb.scorer("Q2", noise="drop")
    assert repr(scoring) == "scorer('q2', noise='drop')"
    assert repr(cb.scorer("ari")) == "scorer('adjusted_rand')"
    for again in (pickle.loads(pickle.dumps(scoring)), copy.deepcopy(scoring)):
        assert again == scoring
        assert repr(again) == repr(scoring)


@pytest.mark.parametrize("model", [AgglomerativeClustering(3), DBSCAN(eps=1)])
def test_an_estimator_that_does_not_predict_clusters_each_fold(model):
    """Also where folds have one size, so that the labels of the one would fit the other."""
    values = cross_val_score(model, POINTS, CLASSES, scoring=cb.scorer("ari"), cv=3)
    assert values.tolist() == [1] * len(values)
    (name,) = {"n_clusters", "eps"} & {*model.get_params()}
    wrong = model.get_params()[name] / 100 if name == "eps" else 2
    grid = {name: [wrong, model.get_params()[name]]}
    search = GridSearchCV(model, grid, scoring=cb.scorer("ari"), cv=3, return_train_score=True)
    results = search.fit(POINTS, CLASSES).cv_results_
    assert results["mean_test_score"][0] < results["mean_test_score"][1] == 1
    assert results["mean_train_score"][1] == 1
    assert search.best_params_ == {name: grid[name][1]}


def test_a_fitted_estimator_stays_as_it_is():
    model = make_pipeline(StandardScaler(), AgglomerativeClustering(3)).fit(POINTS)
    before = model[-1].labels_.copy()
    scoring = cb.scorer("ari")
    assert scoring(model, POINTS, CLASSES) == scoring(model, POINTS[:40], CLASSES[:40]) == 1
    assert model[-1].labels_.tolist() == before.tolist()


def test_estimators_that_find_no_clusters():
    with pytest.raises(LabelError, match=r"StandardScaler has neither predict\(\) nor fit_predict"):
        cb.scorer("ari")(StandardScaler().fit(POINTS), POINTS, CLASSES)
    with pytest.raises(LabelError, match=r"scorer\('adjusted_rand'\) needs y"):
        cb.scorer("ari")(MODEL, POINTS)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("adjusted_rnd", {}, "Did you mean 'adjusted_rand'"),
        ("emi", {}, "has no direction"),
        ("q2", {"nosie": "drop"}, "Did you mean 'noise'"),
        ("q2", {"noise": "dorp"}, "Did you mean 'drop'"),
        ("q2", {"weights": np.ones(90)}, "weights of objects do not fit the folds"),
        ("q2", {"weights": "balance"}, "or 'balanced', got"),
    ],
)
def test_wrong_calls(given, options, message):
    with pytest.raises((ClusterbitsError, TypeError), match=message) as caught:
        cb.scorer(given, **options)
    assert given != "emi" or isinstance(caught.value, MeasureError)
