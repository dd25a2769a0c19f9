"""Labels on a device: the same tables as numpy's labels give, counted where they are.

`pytest -m gpu` runs all of it on a GPU, with CuPy and whichever of torch and JAX is installed.
Elsewhere arrays of array-api-strict, torch and JAX in this machine's memory are taken for those of
a device, from which they are copied.
"""

import importlib
from importlib.util import find_spec

import array_api_strict
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import (
    ClusterbitsWarning,
    LabelError,
    MissingLabelError,
    NothingToCountError,
    TableError,
)
from clusterbits.reading import cuda, memory, on_device

from_labels, from_batches = cb.Contingency.from_labels, cb.Contingency.from_batches
LIBRARIES = [
    "array_api_strict",
    *filter(find_spec, ("torch", "jax")),
    *(
        pytest.param(f"{library} on a GPU", marks=pytest.mark.gpu)
        for library in ("cupy", "torch", "jax")
    ),
]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
RNG = np.random.default_rng(0)
CLASSES, CLUSTERS = RNG.integers(0, 4, 100), RNG.integers(-1, 5, 100)


def _import_for_gpu(name):
    cupy, library = pytest.importorskip("cupy"), pytest.importorskip(name)
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU that CuPy can use")
    return library


@pytest.fixture(params=LIBRARIES)
def put(request, monkeypatch):
    """Return a function that puts an array on a device."""
    name, _, on_gpu = request.param.partition(" on ")
    if on_gpu:
        library = _import_for_gpu(name)
    else:
        library = importlib.import_module(name)
        monkeypatch.setattr(on_device, "_HOST", ())
        array = type(array_api_strict.zeros(1))
        monkeypatch.setattr(array, "__len__", lambda self: self.shape[0], raising=False)
    put_on_device = _putter(name, library, on_gpu)
    put_on_device.counts = bool(on_gpu)
    return put_on_device


def _putter(name, library, on_gpu):
    if name == "cupy":
        return lambda array: library.asarray(array)
    if name == "torch":
        device = "cuda" if on_gpu else "cpu"
        return lambda array: library.asarray(np.array(array), device=device)
    if name == "jax":

        def put_there(array):
            with library.enable_x64(True):
                return library.numpy.asarray(array)

        return put_there
    return lambda array: array_api_strict.asarray(np.asarray(array))


@pytest.fixture
def counted(monkeypatch):
    """Return a list that grows by one for each table that is counted on a device."""
    found = []

    def count(*labels):
        cells = on_device.count_on_device(*labels)
        if cells is not None:
            found.append(cells)
        return cells

    monkeypatch.setattr(memory, "count_on_device", count)
    return found


def assert_same(table, expected):
    assert table == expected
    assert table.coverage == expected.coverage
    for found, right in ((table.classes, expected.classes), (table.clusters, expected.clusters)):
        assert found == right
        assert [type(name) for name in found] == [type(name) for name in right]


# --- counts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float32", "float64"])
def test_types(put, counted, dtype):
    for n in (1, 2, 17, 100):
        truth, pred = CLASSES[:n].astype(dtype), (CLUSTERS[:n] % 5).astype(dtype)
        assert_same(from_labels(put(truth), put(pred)), from_labels(truth, pred))
    countable = put.counts and dtype.startswith(("int", "uint")) and dtype != "uint64"
    assert len(counted) == (4 if countable else 0)


labels = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.integers(-3, 3), st.sampled_from([-(2**63), 2**63 - 1])
)
pairs_of_labels = st.lists(st.tuples(labels, labels), min_size=1)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs_of_labels, st.integers(1, 5), st.integers(0, 20))
def test_any_integers(put, pairs, at_once, dense):
    """Spans of any width, parts that end anywhere, tables counted in an array and by sorting."""
    truth, pred = np.array(pairs, dtype=np.int64).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_device, "_SORTED", at_once)
        patch.setattr(cuda, "DENSE_CELLS", dense)
        assert_same(from_labels(put(truth), put(pred)), from_labels(truth, pred))


def test_without_cupy(put, counted, monkeypatch):
    monkeypatch.setattr(on_device, "find_spec", lambda name: None)
    assert_same(from_labels(put(CLASSES), put(CLUSTERS)), from_labels(CLASSES, CLUSTERS))
    assert not counted


def test_a_cupy_that_is_broken(counted, monkeypatch, tmp_path):
    """Another error than ImportError, as of a driver that is not there."""
    (tmp_path / "cupy.py").write_text("raise RuntimeError('no driver')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(on_device, "_HOST", ())
    monkeypatch.setattr(on_device, "_CUDA", 1)
    array = type(array_api_strict.zeros(1))
    monkeypatch.setattr(array, "__len__", lambda self: self.shape[0], raising=False)
    truth, pred = (array_api_strict.asarray(labels) for labels in (CLASSES, CLUSTERS))
    with pytest.warns(ClusterbitsWarning, match="without it: no driver"):
        assert_same(from_labels(truth, pred), from_labels(CLASSES, CLUSTERS))
    assert not counted


@given(pairs_of_labels)
def test_sorted_pairs(pairs):
    """What CuPy does but for the kernel, done by numpy."""
    truth, pred = np.array(pairs, dtype=np.int64).T
    found = cb.Contingency.from_cells(cuda.count_sorted(np, truth, pred))
    assert_same(found, from_labels(truth, pred))


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-3, 9)), min_size=1))
def test_table_of_all_cells(pairs):
    truth, pred = np.array(pairs).T
    table = np.bincount((truth + 5) * 13 + pred + 3, minlength=11 * 13)
    cells = cuda.read_table(np, table, cuda.Span(-5, 11), cuda.Span(-3, 13))
    assert cells.canonical
    assert_same(cb.Contingency.from_cells(cells), from_labels(truth, pred))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", INTEGERS[:-1])
@pytest.mark.parametrize("height", [1, 20, 200, 1500])
def test_kernel(dtype, height):
    """Tables that fit into a core's memory, and larger ones, with cells that are hot."""
    cupy = _import_for_gpu("cupy")
    height = min(height, np.iinfo(dtype).max)
    for n in (1, 1000, 3 * 10**6 + 7):
        truth, pred = (RNG.integers(0, height, n).astype(dtype) for _ in range(2))
        truth[: n // 2] = pred[: n // 2] = height // 3
        assert_same(from_labels(cupy.asarray(truth), cupy.asarray(pred)), from_labels(truth, pred))


@pytest.mark.gpu
def test_labels_that_a_sample_does_not_see():
    cupy = _import_for_gpu("cupy")
    truth, pred = RNG.integers(0, 9, 10**6), np.sort(RNG.integers(0, 9, 10**6))
    truth[1], pred[3] = 12, -5
    assert_same(from_labels(cupy.asarray(truth), cupy.asarray(pred)), from_labels(truth, pred))


@pytest.mark.gpu
def test_labels_of_two_libraries():
    cupy, torch = _import_for_gpu("cupy"), _import_for_gpu("torch")
    truth, pred = cupy.asarray(CLASSES), torch.asarray(CLUSTERS, device="cuda")
    assert on_device.count_on_device(truth, pred) is not None
    assert_same(from_labels(truth, pred), from_labels(CLASSES, CLUSTERS))


def test_labels_past_int64(put):
    truth = np.array([0, 2**64 - 1, 5], dtype=np.uint64)
    assert_same(from_labels(put(truth), put(truth)), from_labels(truth, truth))


def test_parts_and_strides(put, counted):
    both = put(np.stack([CLASSES, CLUSTERS], axis=1))
    for part in (slice(1, None, None), slice(3, 90, 2)):
        found = from_labels(both[part, 0], both[part, 1])
        assert_same(found, from_labels(CLASSES[part], CLUSTERS[part]))
    assert len(counted) == (2 if put.counts else 0)


def test_types_of_two_widths(put, counted):
    for narrow in ("int8", "uint8", "int32"):
        found = from_labels(put(CLASSES.astype(narrow)), put(CLUSTERS))
        assert_same(found, from_labels(CLASSES, CLUSTERS))
    assert len(counted) == (3 if put.counts else 0)


# --- wherever labels are taken -------------------------------------------------------------------


def test_measures_and_runs(put, counted):
    truth, pred, runs = put(CLASSES), put(CLUSTERS), np.stack([CLUSTERS, CLASSES], axis=1)
    assert cb.ari(truth, pred) == cb.ari(CLASSES, CLUSTERS)
    for those, expected in (
        (pred, CLUSTERS),
        (put(runs), runs),
        ({"a": pred, "b": truth}, {"a": CLUSTERS, "b": CLASSES}),
    ):
        found = cb.evaluate(truth, those, ["ari", "q0"])
        assert found.to_dicts() == cb.evaluate(CLASSES, expected, ["ari", "q0"]).to_dicts()
    assert len(counted) == (1 + 1 + 2 + 2 if put.counts else 0)


def test_pairwise(put, counted):
    found = cb.pairwise({"a": put(CLASSES), "b": put(CLUSTERS)}, measure="q0").values
    assert np.array_equal(found, cb.pairwise({"a": CLASSES, "b": CLUSTERS}, measure="q0").values)
    assert len(counted) == (4 if put.counts else 0)


def test_batches(put):
    truth, pred = np.tile(CLASSES, 3), np.repeat([1, 2, 7], 100) * np.tile(CLUSTERS, 3)
    truth[150] = 10**9  # too far for an array of all cells
    there, found = (put(truth), put(pred)), put(pred[:0])
    places = [slice(i, i + 30) for i in range(0, 300, 30)]
    batches = [(found, found), *((there[0][some], there[1][some]) for some in places)]
    assert_same(from_batches(batches, noise="drop"), from_labels(truth, pred, noise="drop"))
    batches[3] = truth[places[2]].tolist(), pred[places[2]]
    assert_same(from_batches(batches), from_labels(truth, pred))
    with pytest.raises(NothingToCountError, match="no batch"):
        from_batches(batches[:1])


def test_batches_of_numbers_after_booleans(put):
    true, one = put(np.array([True, False])), put(np.array([1, 0]))
    with pytest.raises(TableError, match="a boolean and a number"):
        from_batches([(true, true), (true, one)])


def test_estimators(put, counted):
    """Those of cuML have their labels on the GPU."""

    class Fitted:
        labels_ = put(CLUSTERS)

        def fit(self):
            raise AssertionError

    assert_same(from_labels(put(CLASSES), Fitted()), from_labels(CLASSES, CLUSTERS))
    assert bool(counted) == put.counts


@pytest.mark.parametrize(
    "options",
    [
        {"noise": "drop"},
        {"noise": "singletons", "noise_label": 3},
        {"truth_noise": [1, 2]},
        {"missing": "class"},
        {"weights": "balanced"},
    ],
    ids=str,
)
def test_options(put, counted, options):
    found = from_labels(put(CLASSES), put(CLUSTERS), **options)
    assert_same(found, from_labels(CLASSES, CLUSTERS, **options))
    assert bool(counted) == put.counts


# --- what is read here ---------------------------------------------------------------------------


def test_elsewhere_they_are_read_here(put, counted):
    truth, pred, weights = put(CLASSES), put(CLUSTERS), RNG.random(100)
    right = from_labels(CLASSES, CLUSTERS, weights=weights)
    assert_same(from_labels(truth, pred, weights=put(weights)), right)
    found = cb.compare(truth, pred, put(CLASSES), measure="ari", rng=1)
    right = cb.compare(CLASSES, CLUSTERS, CLASSES, measure="ari", rng=1)
    assert str(found) == str(right)
    assert cb.codec.encode(truth, pred) == cb.codec.encode(CLASSES, CLUSTERS)
    by = cb.evaluate(truth, pred, "ari", groups=put(CLASSES % 2))
    assert by.to_dicts() == cb.evaluate(CLASSES, CLUSTERS, "ari", groups=CLASSES % 2).to_dicts()
    for one, other in ((truth, CLUSTERS), (CLASSES.tolist(), pred)):
        assert_same(from_labels(one, other), from_labels(CLASSES, CLUSTERS))
    assert not counted


def test_tables_and_images_are_read_here(put):
    counts, image = np.array([[3, 1], [0, 2]]), np.stack([CLASSES, CLUSTERS])
    assert cb.Contingency.from_counts(put(counts)) == cb.Contingency.from_counts(counts)
    found = cb.Contingency.from_images(put(image), put(image[::-1].copy()))
    assert found == cb.Contingency.from_images(image, image[::-1])


def test_arrays_that_are_here_stay_here(counted):
    here = array_api_strict.asarray(CLASSES)
    assert not on_device.is_on_device(here)
    assert_same(from_labels(here, here), from_labels(CLASSES, CLASSES))
    assert not counted


def test_missing_labels(put):
    truth, pred = CLASSES.astype(float), CLUSTERS.astype(float)
    truth[[3, 50]] = np.nan
    found = from_labels(put(truth), put(pred), missing="drop")
    assert_same(found, from_labels(truth, pred, missing="drop"))
    with pytest.raises(MissingLabelError, match=r"truth has 2 missing labels.*position 3"):
        from_labels(put(truth), put(pred))


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "pred", "words"),
    [
        (CLASSES, CLUSTERS[1:], r"truth has 100 labels and pred has 99"),
        (CLASSES, np.eye(100), r"pred has shape \(100, 100\)"),
        (CLASSES, CLUSTERS * 1j, "pred has dtype complex128; labels are integers"),
        (CLASSES, CLUSTERS + 0.5, "pred holds"),
        (CLASSES[:0], CLUSTERS[:0], "is empty|are empty"),
    ],
)
def test_wrong_labels(put, truth, pred, words):
    with pytest.raises(LabelError, match=words):
        from_labels(put(truth), put(pred))


def test_an_array_that_cannot_be_brought_here():
    class Stuck:
        dtype, shape, device = "int32", (3,), "cuda:0"

        def __dlpack_device__(self):
            return 2, 0

        def get(self):
            raise RuntimeError("out of memory")

    with pytest.raises(LabelError, match=r"pred is a Stuck on cuda:0 that cannot.*out of memory"):
        from_labels([1, 2, 3], Stuck(), weights=[1, 1, 1])


class _Meta:
    """A tensor without values, as torch's on the device "meta"."""

    shape, dtype, device = (3,), "torch.int64", "meta"

    def __dlpack_device__(self):
        raise ValueError("Unknown device type meta for Dlpack")

    def __array__(self, *args, **kwargs):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def __iter__(self):
        return iter(())

    tolist = item = __array__


class _Nested(_Meta):
    """A tensor of rows of several lengths, which has no shape."""

    @property
    def shape(self):
        raise RuntimeError("Internal error: NestedTensorImpl doesn't support sizes.")


class _Single(_Meta):
    shape = ()


@pytest.mark.parametrize("tensor", [_Meta(), _Nested(), _Single()])
def test_tensors_without_values_are_refused(tensor):
    labels = [0, 1, 2]
    for refused in (
        lambda: cb.q0(labels, tensor),
        lambda: cb.q0(tensor, tensor),
        lambda: cb.q0(labels, [1, tensor, 2]),
        lambda: cb.q0(labels, labels, weights=tensor),
        lambda: cb.evaluate(labels, tensor),
        lambda: cb.evaluate(labels, [tensor, labels]),
        lambda: cb.evaluate(labels, {"a": tensor}),
        lambda: cb.evaluate(labels, labels, groups=tensor),
        lambda: cb.q0({"x": tensor}, {"x": tensor}),
        lambda: cb.Labels.from_clusters([tensor]),
        lambda: cb.covers.omega(labels, tensor),
        lambda: cb.covers.Memberships(tensor),
        lambda: cb.Contingency.from_counts(tensor),
        lambda: cb.trees.Tree.from_linkage(tensor),
    ):
        with pytest.raises((LabelError, TableError)):
            refused()
