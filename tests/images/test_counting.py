"""Label images: the same table as their ravelled labels, whatever the blocks and the storage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clusterbits as cb
from clusterbits.errors import ClusterbitsWarning, LabelError, NothingToCountError
from clusterbits.images import voxel_counting as images
from clusterbits.table.cells import Coverage

from_images, from_labels = cb.Contingency.from_images, cb.Contingency.from_labels
RNG = np.random.default_rng(0)
SHAPE = (5, 7, 9)
TRUTH, PRED = RNG.integers(0, 4, SHAPE), RNG.integers(-2, 40, SHAPE)


def assert_same(table, expected):
    assert table == expected
    assert table.classes == expected.classes
    assert table.clusters == expected.clusters
    assert table.class_sizes.tolist() == expected.class_sizes.tolist()


@pytest.fixture(params=[1, 50, 1 << 23, "runs"])
def block(request, monkeypatch):
    monkeypatch.setattr(images, "_MAX_PENDING", 30)
    if request.param == "runs":  # as where there are many labels
        monkeypatch.setattr(images, "DENSE_CELLS", 0)
        monkeypatch.setattr(images, "_MIN_RANGE", 0)
    monkeypatch.setattr(images, "_BLOCK", 50 if request.param == "runs" else request.param)


def test_any_shape_and_dtype(block):
    @given(st.data())
    def check(data):
        shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=5))
        dtypes = st.sampled_from(["?", "u1", "i2", ">u4", "i8", "u8", "f2", ">f4", "f8"])
        kinds = data.draw(st.tuples(dtypes, dtypes))
        truth, pred = (
            data.draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 90))).astype(kind)
            for kind in kinds
        )
        table = from_images(truth, pred)
        assert_same(table, from_labels(truth.ravel(), pred.ravel()))
        stacked = np.stack([truth.ravel().astype(int), pred.ravel().astype(int)])
        _, counts = np.unique(stacked, axis=1, return_counts=True)
        assert table.counts.tolist() == counts.tolist()

    check()


def test_extreme_labels(block):
    truth = RNG.choice(np.array([0, 5, 2**63, 2**64 - 1], dtype=np.uint64), (20, 10))
    pred = RNG.choice(np.array([-(2**63), 0, 2**63 - 1]), (20, 10))
    assert_same(from_images(truth, pred), from_labels(truth.ravel(), pred.ravel()))


def test_many_labels_in_long_runs():
    truth, pred = (RNG.integers(0, 2**40, (30, 40)).repeat(9, axis=1) for _ in range(2))
    assert_same(from_images(truth, pred), from_labels(truth.ravel(), pred.ravel()))


LAYOUTS = {
    "plain": lambda image: image,
    "lists": lambda image: image.tolist(),
    "Fortran": np.asfortranarray,
    "slices": lambda image: np.repeat(image, 2, axis=1)[:, ::2],
    "negative strides": lambda image: image[:, ::-1].copy()[:, ::-1],
    "unmasked": lambda image: np.ma.array(image),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(block, layout):
    table = from_images(LAYOUTS[layout](TRUTH), PRED)
    assert_same(from_images(TRUTH, LAYOUTS[layout](PRED)), table)
    assert_same(table, from_labels(TRUTH.ravel(), PRED.ravel()))


def test_memory_mapped_images(block, tmp_path):
    stored = np.memmap(tmp_path / "image.dat", TRUTH.dtype, "w+", shape=SHAPE)
    stored[:] = TRUTH
    assert_same(from_images(stored, PRED), from_labels(TRUTH.ravel(), PRED.ravel()))


class Chunked:
    """An image stored in chunks, as by h5py and zarr; it counts how many voxels are read."""

    def __init__(self, image, chunks):
        self.image, self.chunks = image, chunks
        self.shape, self.dtype, self.read = image.shape, image.dtype, 0

    def __getitem__(self, block):
        for slices, chunk in zip(block, self.chunks, strict=True):
            assert slices.start % chunk == 0, "a chunk would be read twice"
        self.read += self.image[block].size
        return self.image[block]


@pytest.mark.parametrize("size", [1, 100, 10**6])
@pytest.mark.parametrize("chunks", [(2, 3, 4), (1, 7, 9), (8, 8, 8)])
def test_each_chunk_is_read_once(size, chunks, monkeypatch):
    monkeypatch.setattr(images, "_BLOCK", size)
    truth = Chunked(TRUTH, chunks)
    assert_same(from_images(truth, PRED), from_labels(TRUTH.ravel(), PRED.ravel()))
    assert truth.read == TRUTH.size


@pytest.mark.parametrize("ignore", [0, [0], (0, 3), {0, 2}, np.array([0, 1]), np.uint8(2), 0.0])
def test_ignored_classes(ignore):
    table = from_images(TRUTH, PRED, ignore=ignore)
    labels = np.atleast_1d(list(ignore) if isinstance(ignore, set) else ignore)
    keep = ~np.isin(TRUTH, labels)
    assert_same(table, from_labels(TRUTH[keep], PRED[keep]))
    of = TRUTH.size, len(np.unique(PRED))
    assert table.coverage == Coverage(keep.sum(), of[0], len(np.unique(PRED[keep])), of[1])


def test_clusters_of_ignored_voxels_only():
    table = from_images([[0, 0, 1]], [[5, 6, 6]], ignore=0)
    assert table.clusters == (6,)
    assert table.coverage == Coverage(1, 3, 1, 2)


def test_nothing_to_ignore():
    with pytest.warns(ClusterbitsWarning, match="ignore: 99 is not a class"):
        assert from_images(TRUTH, PRED, ignore=[99, 1, 0]) == from_images(TRUTH, PRED, [0, 1])
    assert from_images(TRUTH + 1, PRED, ignore=0).coverage is None
    assert from_images(TRUTH, PRED, ignore=[]).coverage is None
    assert from_images(TRUTH > 0, PRED, ignore=0).classes == (1,)  # a mask is of 0 and 1
    with pytest.raises(NothingToCountError, match=r"ignore \(\[0, 1, 2, 3\]\)"):
        from_images(TRUTH, PRED, ignore=[*range(4)])


def test_wrong_ignore():
    with pytest.raises(LabelError, match="a label is one value"):
        from_images(TRUTH, PRED, ignore=[[0]])
    with pytest.warns(ClusterbitsWarning, match="ignore: 0.5 is not a class"):
        from_images(TRUTH, PRED, ignore=0.5)


FLAT = np.zeros((6, 8), dtype=np.uint8)


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        (np.zeros((6, 9), int), r"truth has shape \(6, 8\) and pred has shape \(6, 9\)"),
        (np.full((6, 8), 0.5), "pred holds 0.5: labels name"),
        (np.full((6, 8), 2.0**53), "pred holds 9007199254740992.0, a float so large"),
        (np.full((6, 8), 2**24, np.float32), "a float so large"),
        (np.full((6, 8), 2**24, ">f4"), "a float so large"),
        (np.full((6, 8), 2**11, np.float16), "a float so large"),
        (np.full((6, 8), np.inf), "pred holds inf"),
        (np.full((6, 8), np.nan), "pred holds NaN; give them a separate label"),
        (np.ma.masked_all((6, 8), int), "pred has masked voxels; give them a separate label"),
        (np.full((6, 8), "a"), "pred has shape .* dtype <U1; a label image is an array"),
        (np.int64(3), r"pred has shape \(\)"),
        (None, "pred has .* dtype object"),
        ([[1, 2], [3]], "pred is not a label image"),
    ],
)
def test_wrong_images(pred, message):
    with pytest.raises(LabelError, match=message):
        from_images(FLAT, pred)


def test_empty_images():
    with pytest.raises(NothingToCountError, match=r"\(0, 3\)"):
        from_images(np.zeros((0, 3), int), np.zeros((0, 3), int))


BACKGROUND = (
    np.array([[0, 0, 1, 1, 1], [0, 2, 2, 2, 2]]),
    np.array([[0, 5, 0, 7, 7], [0, 0, 0, 8, 7]]),
)


def test_background_of_the_prediction():
    """The conventions of scikit-image, SNEMI3D and gala: a cluster, singletons, left out."""
    truth, pred = BACKGROUND
    labeled = truth > 0
    plain = from_images(truth, pred, ignore=0)
    assert_same(plain, from_labels(truth[labeled], pred[labeled]))
    numbered = pred.copy()
    numbered[pred == 0] = 100 + np.arange((pred == 0).sum())
    singletons = from_images(truth, pred, ignore=0, noise="singletons")
    assert sorted(singletons.counts.tolist()) == sorted(
        from_labels(truth[labeled], numbered[labeled]).counts.tolist()
    )
    assert cb.q0(singletons) == cb.q0(from_labels(truth[labeled], numbered[labeled]))
    foreground = labeled & (pred > 0)
    dropped = from_images(truth, pred, ignore=0, noise="drop")
    assert_same(dropped, from_labels(truth[foreground], pred[foreground]))
    assert dropped.coverage == Coverage(4, 10, 2, 4)
    other = from_images(truth, pred, noise="drop", noise_label=7)
    assert_same(other, from_labels(truth[pred != 7], pred[pred != 7]))


def test_a_background_that_does_not_occur():
    with pytest.warns(ClusterbitsWarning, match="9 is not a cluster"):
        from_images(*BACKGROUND, noise="drop", noise_label=9)
    with pytest.warns(ClusterbitsWarning, match="noise_label is -1"):
        from_images(*BACKGROUND, noise_label=-1)
    truth, pred = BACKGROUND
    assert from_images(truth, pred + 1, noise="drop").coverage is None  # and no warning
    with pytest.raises(NothingToCountError, match="every object is noise"):
        from_images([[1, 1]], [[0, 0]], noise="drop")


def test_the_rand_error_of_the_challenges():
    """SNEMI3D: self pairs count, and each voxel of the predicted background is a segment."""
    truth, pred = BACKGROUND
    table = from_images(truth, pred, ignore=0, noise="singletons")
    cells = np.array([[0, 2, 0, 0], [0, 1, 1, 0]])  # in segments 5, 7, 8 and none
    single = 3  # voxels of the objects that are background in the prediction
    shared = (cells**2).sum() + single
    of_truth, of_pred = 3**2 + 4**2, (cells.sum(axis=0) ** 2).sum() + single
    error = cb.images.adapted_rand_error(table, self_pairs=True)
    assert error == pytest.approx(1 - 2 * shared / (of_truth + of_pred), rel=1e-15)
