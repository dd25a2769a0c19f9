"""Panoptic quality and F1 of segments, by brute force over segments and by properties."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from support.hostile import examples

import clusterbits as cb
from clusterbits.errors import LabelError, MeasureError

IMAGES = arrays.arrays(np.int64, (2, 4, 5), elements=st.integers(0, 4))
FUNCTIONS = (
    *("panoptic_quality", "segmentation_quality", "recognition_quality"),
    *("segment_f1", "segment_precision", "segment_recall"),
)


def overlaps_by_hand(truth, pred, background, ignore):
    """Return the intersection over union of all segments, and which predicted ones count."""
    valid = ~np.isin(truth, ignore)
    true = [c for c in np.unique(truth) if c not in (*background, *ignore)]
    predicted = [k for k in np.unique(pred) if k not in background]
    iou = np.zeros((len(true), len(predicted)))
    for i, c in enumerate(true):
        for j, k in enumerate(predicted):
            inside = (truth == c) & (pred == k)
            union = ((truth == c) | (pred == k)) & valid
            iou[i, j] = inside.sum() / union.sum()
    void = np.array(
        [((pred == k) & ~valid).sum() > (pred == k).sum() / 2 for k in predicted], dtype=bool
    )
    return iou, void


def most_matches(near):
    """Return the largest number of pairs, each segment in one, by trying all assignments."""
    near = near if near.shape[0] <= near.shape[1] else near.T
    rows = range(near.shape[0])
    return max(
        (sum(near[i, j] for i, j in zip(rows, columns, strict=True)))
        for columns in permutations(range(near.shape[1]), near.shape[0])
    )


@examples(200)
@given(IMAGES, st.sampled_from([(), (0,), (1,), (1, 2)]), st.sampled_from([0.2, 0.5, 0.6]))
def test_every_number_is_that_of_brute_force(images, ignore, threshold):
    truth, pred = images
    iou, void = overlaps_by_hand(truth, pred, (0,), ignore)
    matched = iou > 0.5
    tp = matched.sum()
    fp = (~matched.any(axis=0) & ~void).sum()
    fn = (~matched.any(axis=1)).sum()
    options = {"ignore": sorted({*ignore} & {*truth.ravel().tolist()})}
    empty = tp + fp + fn == 0
    quality = 1.0 if empty else iou[matched].sum() / (tp + fp / 2 + fn / 2)
    assert cb.images.panoptic_quality(truth, pred, **options) == pytest.approx(quality)
    drawn = iou[matched].mean() if tp else float(empty)
    assert cb.images.segmentation_quality(truth, pred, **options) == pytest.approx(drawn)
    f1 = 1.0 if empty else 2 * tp / (2 * tp + fp + fn)
    assert cb.images.recognition_quality(truth, pred, **options) == pytest.approx(f1)
    if not ignore:
        pairs = most_matches(iou > threshold) if iou.size else 0
        f1 = 2 * pairs / sum(iou.shape) if sum(iou.shape) else 1.0
        assert cb.images.segment_f1(truth, pred, threshold=threshold) == pytest.approx(f1)
        if iou.shape[1]:
            precision = cb.images.segment_precision(truth, pred, threshold=threshold)
            assert precision == pytest.approx(pairs / iou.shape[1])
        if iou.shape[0]:
            recall = cb.images.segment_recall(truth, pred, threshold=threshold)
            assert recall == pytest.approx(pairs / iou.shape[0])


@examples(50)
@given(IMAGES)
def test_labels_and_order_of_voxels_change_nothing(images):
    truth, pred = images
    renamed = np.where(pred == 0, 0, 10 - pred)
    order = np.random.default_rng(0).permutation(truth.size)
    for name in FUNCTIONS:
        score = getattr(cb.images, name)
        assert score(truth, pred) == score(truth, renamed)
        assert score(truth, pred) == score(truth.ravel()[order], pred.ravel()[order])
        assert score(truth, pred) == score(np.repeat(truth, 2), np.repeat(pred, 2))
        assert score(truth, truth) == 1


def test_it_takes_a_table_and_refuses_one_image():
    truth, pred = [[1, 1, 1, 0], [2, 2, 0, 0]], [[5, 5, 5, 5], [0, 6, 0, 0]]
    table = cb.Contingency.from_images(truth, pred)
    assert cb.images.panoptic_quality(table) == cb.images.panoptic_quality(truth, pred) == 0.375
    with pytest.raises(LabelError, match="pred is missing"):
        cb.images.panoptic_quality(truth)
    with pytest.raises(LabelError, match="threshold must be"):
        cb.images.segment_f1(truth, pred, threshold=1)


@pytest.mark.parametrize("ignore", [2, [2], (2,), {2}, np.array([2]), range(2, 3), iter([2]), "2"])
def test_labels_to_ignore_are_one_or_any_collection(ignore):
    truth, pred = [[1, 1, 1, 0], [2, 2, 0, 0]], [[5, 5, 5, 5], [0, 6, 0, 0]]
    assert cb.images.panoptic_quality(truth, pred, ignore=ignore) == 0.75


def test_labels_that_no_image_has_are_named():
    truth, pred = [[1, 1, 1, 2]], [[5, 5, 5, 5]]
    with pytest.warns(UserWarning, match="ignore: 3 is not a class"):
        cb.images.panoptic_quality(truth, pred, ignore=3)
    with pytest.warns(UserWarning, match="background: 9 is not a class"):
        cb.images.panoptic_quality(truth, pred, background=[0, 5, 9])
    with pytest.raises(LabelError, match="background holds"):
        cb.images.panoptic_quality(truth, pred, background=[[0]])


@examples(30)
@given(IMAGES)
def test_masks_are_images_of_0_and_1(images):
    truth, pred = images > 2
    for name in FUNCTIONS:
        score = getattr(cb.images, name)
        assert score(truth, pred) == score(truth.astype(int), pred.astype(np.uint8))
        assert score(truth, pred) == score(truth, pred.astype(int))


def test_a_name_of_a_measure_leads_to_the_images():
    with pytest.raises(MeasureError, match="needs whole label images"):
        cb.get_measure("panoptic_quality")


def test_a_table_without_all_voxels_is_an_error():
    truth, pred = [[1, 1, 1, 0], [2, 2, 0, 0]], [[5, 5, 5, 5], [0, 6, 0, 0]]
    tables = [
        cb.Contingency.from_images(truth, pred, **options)
        for options in ({"ignore": 0}, {"noise": "drop"}, {"noise": "singletons"})
    ]
    for table in (*tables, cb.Contingency.from_images(truth, pred).balanced()):
        with pytest.raises(LabelError, match="must count each voxel once"):
            cb.images.panoptic_quality(table)


def test_files_and_blocks_of_them_are_the_images(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, (4, 6, 6)).repeat(3, axis=1)
    pred = np.where(rng.random(truth.shape) < 0.2, 7, truth)
    paths = [tmp_path / "truth.npy", str(tmp_path / "pred.npy")]
    for path, image in zip(paths, (truth, pred), strict=True):
        np.save(path, image)
    monkeypatch.setattr("clusterbits.images.voxel_counting._BLOCK", 20)
    for name in FUNCTIONS:
        score = getattr(cb.images, name)
        assert score(*paths, ignore=2) == score(truth, pred, ignore=2)


def test_many_segments_are_counted_in_a_sparse_table():
    """100,000 segments: nothing of their number squared."""
    truth = np.repeat(np.arange(1, 100_001), 3).reshape(500, -1)
    pred = truth.copy()
    pred[::2] += 200_000
    assert cb.images.panoptic_quality(truth, pred) == 1
    assert cb.images.segment_f1(truth, pred, threshold=0.2) == 1


# What torchmetrics 1.9.0 answers: functional.detection.panoptic_quality(pred, truth, things={1},
# stuffs={0}, return_sq_and_rq=True, return_per_class=True)[0], where the category is 1 for labels
# above 0, and the instance is the label.
TORCHMETRICS = [
    (0.8401651740074157, 0.8401651740074157, 1.0),
    (0.7562447905540466, 0.7562447905540466, 1.0),
    (0.6377920746803284, 0.6377920746803284, 1.0),
    (0.5819584131240845, 0.5819584131240845, 1.0),
    (0.23647358769884086, 0.5911839604377747, 0.4000000059604645),
]


@pytest.mark.parametrize("seed", range(len(TORCHMETRICS)))
def test_torchmetrics_has_the_same_values(seed):
    rng = np.random.default_rng(seed)
    truth = np.kron(rng.integers(0, 6, (6, 6)), np.ones((4, 4), dtype=int))
    noisy = rng.random(truth.shape) < 0.08 * (seed + 1)
    pred = np.where(noisy, rng.integers(0, 6, truth.shape), truth)
    ours = [getattr(cb.images, name)(truth, pred) for name in FUNCTIONS[:3]]
    # Theirs are of single precision.
    assert ours == pytest.approx(TORCHMETRICS[seed], rel=1e-7)
