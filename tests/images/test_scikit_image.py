"""Measures of segmentation against scikit-image, where it is right, and where it is not."""

import numpy as np
import pytest

import clusterbits as cb

metrics = pytest.importorskip("skimage.metrics")
RNG = np.random.default_rng(0)


def draw(shape, objects, moved):
    """Return blocks of labels, and the same with some voxels moved to other blocks."""
    small = RNG.integers(0, objects, [-(-length // 4) for length in shape])
    truth = small
    for axis, length in enumerate(shape):
        truth = truth.repeat(4, axis=axis).take(range(length), axis=axis)
    pred = np.where(RNG.random(shape) < moved, RNG.integers(0, objects, shape), truth)
    return truth, pred


IMAGES = [
    draw((9, 11), 3, 0.3),
    draw((40, 50), 30, 0.05),
    draw((12, 13, 14), 60, 0.2),
    draw((200, 300), 900, 0.01),
]


@pytest.mark.filterwarnings("ignore:.*nothing is left out")
@pytest.mark.parametrize(("truth", "pred"), IMAGES)
@pytest.mark.parametrize("ignore", [(), (0,), (1, 2)])
def test_the_same_to_12_digits(truth, pred, ignore):
    table = cb.Contingency.from_images(truth, pred, ignore=ignore)
    split, merge = metrics.variation_of_information(truth, pred, ignore_labels=ignore)
    assert cb.images.vi_split(table) == pytest.approx(split, rel=1e-12)
    assert cb.images.vi_merge(table) == pytest.approx(merge, rel=1e-12)
    error, precision, recall = metrics.adapted_rand_error(truth, pred, ignore_labels=ignore)
    assert cb.images.adapted_rand_error(table) == pytest.approx(error, rel=1e-12)
    # What scikit-image calls precision is recall, and the other way round.
    assert cb.pair_recall(table) == pytest.approx(precision, rel=1e-12)
    assert cb.pair_precision(table) == pytest.approx(recall, rel=1e-12)


def test_true_label_0_is_left_out_by_one_of_them_only():
    truth, pred = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    labeled = cb.Contingency.from_images(truth, pred, ignore=0)
    every = cb.Contingency.from_images(truth, pred)
    assert metrics.adapted_rand_error(truth, pred)[0] == cb.images.adapted_rand_error(labeled) == 0
    assert metrics.variation_of_information(truth, pred)[0] == cb.images.vi_split(every) == 0.5


def test_splitting_an_object_lowers_recall():
    """Two halves of one object: all pairs that are together belong together."""
    truth, pred = np.ones(4, int), np.array([1, 1, 2, 2])
    assert (cb.pair_precision(truth, pred), cb.pair_recall(truth, pred)) == (1, 1 / 3)
    assert metrics.adapted_rand_error(truth, pred)[1:] == pytest.approx((1 / 3, 1))


def test_where_no_two_voxels_are_together():
    truth = np.arange(1, 4)
    with np.errstate(invalid="ignore"):
        assert np.isnan(metrics.adapted_rand_error(truth, truth)[0])
    assert cb.images.adapted_rand_error(truth, truth) == 0


def test_labels_of_64_bits():
    """scikit-image makes a row for every number up to the largest label."""
    truth = np.array([[2**62, 2**62, 7]])
    assert cb.images.vi_split(cb.Contingency.from_images(truth, truth)) == 0
    with pytest.raises((MemoryError, ValueError)):
        metrics.variation_of_information(truth, truth)
