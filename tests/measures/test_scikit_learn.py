"""scikit-learn's own tests of clustering metrics, run against our measures.

The test files are those of the installed package; while they are imported, our functions stand in
for scikit-learn's. A test that scikit-learn adds runs here by itself: it passes, or it is listed
below with a reason. A listed test that begins to pass fails as well.
"""

import importlib.util
import inspect
import math
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics import cluster
from sklearn.metrics.cluster import _supervised

import clusterbits as cb
from clusterbits.measures import short_names
from clusterbits.table.statistics import AVERAGES

NATS = math.log(2)
# What pytest.raises raises where an error has other words, and pytest.warns where none came.
OTHER_WORDS, NO_WARNING = AssertionError, pytest.fail.Exception

# What we do in another way: the reason, and how scikit-learn's test notices.
DIFFERENT = {
    "test_error_messages_on_wrong_input": ("our messages have our words", OTHER_WORDS),
    "test_inf_nan_input": ("our messages have our words", OTHER_WORDS),
    "test_check_clustering_error": (
        "numbers that are not whole are refused, without a warning",
        NO_WARNING,
    ),
}
# What is not about measures of a clustering against classes.
LEFT_OUT = {
    "test_public_entropy_deprecation": "a name that scikit-learn is giving up",
    "test_array_api_compliance": "measures without classes, on other array libraries",
    "test_entropy_array_api": "test_entropy again, on other array libraries",
}


def stand_in(name):
    """Return our measure under scikit-learn's name, also of no labels at all."""
    measure = getattr(cb, name)

    def call(labels_true, labels_pred, **options):
        if labels_true is not None and len(labels_true) == len(labels_pred) == 0:
            return 1.0  # scikit-learn's answer; we refuse to score nothing
        return measure(labels_true, labels_pred, **options)

    call.__name__ = name
    return call


def homogeneity_completeness_v_measure(labels_true, labels_pred, *, beta=1.0):
    table = cb.Contingency.from_labels(labels_true, labels_pred)
    return cb.homogeneity(table), cb.completeness(table), cb.v_measure(table, beta=beta)


def contingency_matrix(labels_true, labels_pred, *, eps=None, sparse=False):
    if eps is not None and sparse:
        raise ValueError("Cannot set 'eps' when sparse=True")  # we have no eps at all
    counts = cb.Contingency.from_labels(labels_true, labels_pred).to_dense()
    return scipy.sparse.csr_array(counts) if sparse else counts + (eps or 0)


def pair_confusion_matrix(labels_true, labels_pred):
    a00, a01, a10, a11 = cb.Contingency.from_labels(labels_true, labels_pred).pairs
    return np.array([[2 * a11, 2 * a10], [2 * a01, 2 * a00]])


def expected_mutual_information(contingency, n_samples):
    table = cb.Contingency.from_counts(contingency)
    assert table.n == n_samples
    return cb.expected_mutual_information(table) * NATS


def entropy(labels):
    if len(labels) == 0:
        return 1.0  # as above
    return cb.Contingency.from_labels(labels, labels).class_entropy * NATS


PUBLIC = {
    "homogeneity_completeness_v_measure": homogeneity_completeness_v_measure,
    "contingency_matrix": contingency_matrix,
    "pair_confusion_matrix": pair_confusion_matrix,
    "expected_mutual_information": expected_mutual_information,
    **{name: stand_in(name) for name in cluster.__all__ if hasattr(cb, name) and "_score" in name},
}
PRIVATE = {
    "entropy": entropy,
    "_entropy": entropy,
    "_generalized_average": lambda one, other, method: AVERAGES[method](one, other),
    "check_clusterings": cb.Contingency.from_labels,
}


def collect(path):
    """Return the tests of one of scikit-learn's files, our functions in the place of its own."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_with_our_measures", path)
    module = importlib.util.module_from_spec(spec)
    known = {name: value for name, value in PRIVATE.items() if hasattr(_supervised, name)}
    with mock.patch.multiple(cluster, **PUBLIC), mock.patch.multiple(_supervised, **known):
        spec.loader.exec_module(module)
    tests = {name: value for name, value in vars(module).items() if name.startswith("test")}
    for test in tests.values():
        unsupervised = vars(module).get("UNSUPERVISED_METRICS", {})
        marks = getattr(test, "pytestmark", [])
        test.pytestmark = [_only_supervised(mark, unsupervised) for mark in marks]
    for name, (reason, raises) in DIFFERENT.items():
        if name in tests:
            tests[name] = pytest.mark.xfail(reason=reason, raises=raises)(tests[name])
    return {f"{name}__{path.stem}": test for name, test in tests.items() if name not in LEFT_OUT}


def _only_supervised(mark, unsupervised):
    """Return a mark without the parameters that name measures of a clustering alone."""
    if mark.name != "parametrize":
        return mark
    names, values = mark.args
    firsts = [(value, value[0] if isinstance(value, tuple) else value) for value in values]
    kept = [value for value, first in firsts if str(first) not in unsupervised]
    return pytest.mark.parametrize(names, kept, **mark.kwargs).mark


for file in sorted(Path(cluster.__file__).parent.glob("tests/test_*.py")):
    if any(name in file.read_text(encoding="utf-8") for name in PUBLIC):
        globals().update(collect(file))


def test_every_measure_of_scikit_learn_has_a_stand_in():
    """A supervised metric that scikit-learn adds is listed here, or is one of ours."""
    public = {name for name in cluster.__all__ if hasattr(_supervised, name)}
    assert public - set(PUBLIC) - set(PRIVATE) == set()
    assert set(collected_files()) >= {"test_supervised", "test_common"}


def collected_files():
    return {name.rpartition("__")[2] for name in globals() if name.startswith("test_")}


SCORES = sorted(set(PUBLIC) & set(vars(short_names)) | {"mutual_info_score"})
TRUTH, PRED = [0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 1, 2, 3, 0]
COUNTS = cluster.contingency_matrix(TRUTH, PRED)
OPTIONS = {
    "average_method": ["arithmetic", "geometric", "min", "max"],
    "beta": [0, 0.5, np.int64(2)],
    "contingency": [COUNTS, scipy.sparse.csr_matrix(COUNTS)],
}


@pytest.mark.parametrize("name", SCORES)
def test_scikit_learns_own_arguments(name):
    ours, theirs = getattr(cb, name), getattr(cluster, name)
    words = list(inspect.signature(theirs).parameters)
    labels = dict(zip(words, (TRUTH, PRED), strict=False))
    # `sparse` did nothing, and is gone since 1.9.
    tried = [{word: value} for word in words[2:] if word != "sparse" for value in OPTIONS[word]]
    for options in [{}, *tried]:
        given = dict.fromkeys(labels) if "contingency" in options else labels
        assert ours(**given, **options) == pytest.approx(theirs(**given, **options), abs=1e-12)


def test_other_names_of_scikit_learn_say_where_to_go():
    others = set(cluster.__all__) - set(SCORES) - {"expected_mutual_information"}
    assert others <= short_names.ELSEWHERE.keys()
    with pytest.raises(AttributeError, match="It judges clusters by the data X"):
        cb.silhouette_score  # noqa: B018
