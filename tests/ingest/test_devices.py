"""Labels on a device: the same tables as numpy's labels give, counted where they are.

array-api-strict has devices whose arrays numpy may not read, as those of a GPU. Torch and JAX are
tried too where they are installed, with arrays of the CPU that are taken for those of a GPU.
"""

import ctypes
import hashlib
import importlib
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import array_api_strict
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import LabelError, MissingLabelError, NothingToCountError, TableError
from clusterbits.ingest import arrays, cuda, device_counting, devices

from_labels, from_batches = cb.Contingency.from_labels, cb.Contingency.from_batches
DEVICE = array_api_strict.Device("device1")
LIBRARIES = ["array_api_strict", *filter(find_spec, ("torch", "jax"))]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
RNG = np.random.default_rng(0)
CLASSES, CLUSTERS = RNG.integers(0, 4, 100), RNG.integers(-1, 5, 100)


@pytest.fixture(params=LIBRARIES)
def put(request, monkeypatch):
    """Return a function that puts an array on a device."""
    if request.param == "array_api_strict":
        return lambda array: array_api_strict.asarray(np.asarray(array), device=DEVICE)
    monkeypatch.setattr(devices, "_HOST", "nowhere")
    if request.param == "torch":
        return lambda array: importlib.import_module("torch").from_numpy(np.array(array))
    jax = importlib.import_module("jax")

    def put_there(array):
        with jax.enable_x64(True):
            return jax.numpy.asarray(array)

    return put_there


@pytest.fixture
def counted(monkeypatch):
    """Return a list that grows by one for each table that is counted on a device."""
    found = []

    def count(*labels):
        found.append(labels)
        return device_counting.count_on_device(*labels)

    monkeypatch.setattr(arrays, "count_on_device", count)
    return found


def assert_same(table, expected):
    assert table == expected
    assert table.coverage == expected.coverage
    for found, right in ((table.classes, expected.classes), (table.clusters, expected.clusters)):
        assert found == right
        assert [type(name) for name in found] == [type(name) for name in right]


# --- counts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [3, 1 << 26])
@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float32", "float64"])
def test_types(put, counted, monkeypatch, dtype, chunk):
    monkeypatch.setattr(devices, "CHUNK", chunk)
    for n in (1, 2, 3, 4, 100):
        truth, pred = CLASSES[:n].astype(dtype), (CLUSTERS[:n] % 5).astype(dtype)
        assert_same(from_labels(put(truth), put(pred)), from_labels(truth, pred))
    assert len(counted) == 5


labels = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.integers(-3, 3), st.sampled_from([-(2**63), 2**63 - 1])
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(labels, labels), min_size=1), st.integers(1, 5), st.integers(0, 20))
def test_any_integers(put, pairs, chunk, dense):
    """Spans of any width, chunks that end anywhere, tables counted in an array and by sorting."""
    truth, pred = np.array(pairs, dtype=np.int64).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(devices, "CHUNK", chunk)
        patch.setattr(device_counting, "CHUNK", chunk)
        patch.setattr(device_counting, "DENSE_CELLS", dense)
        assert_same(from_labels(put(truth), put(pred)), from_labels(truth, pred))


def test_parts_are_added_up_again_and_again(put, monkeypatch):
    monkeypatch.setattr(devices, "CHUNK", 10)
    monkeypatch.setattr(device_counting, "CHUNK", 10)
    monkeypatch.setattr(device_counting, "DENSE_CELLS", 0)
    truth, pred = RNG.integers(0, 30, 1000), RNG.integers(0, 30, 1000)
    assert_same(from_labels(put(truth), put(pred)), from_labels(truth, pred))


@pytest.mark.parametrize("high", [2**63, 2**64 - 1])
def test_integers_past_int64(put, counted, high):
    """These are counted here."""
    truth = np.array([0, high, 5], dtype=np.uint64)
    assert_same(from_labels(put(truth), put(truth)), from_labels(truth, truth))
    assert not counted


def test_bounds(put, monkeypatch):
    monkeypatch.setattr(devices, "SAMPLE", 10)
    for dtype in ("int8", "int32", "int64"):
        values = np.sort(CLUSTERS).astype(dtype)
        some = devices.DeviceLabels(put(values))
        assert some.bounds == (-1, 4)
        assert some.sampled_bounds == (values[::10].min(), values[::10].max())
        assert {type(bound) for bound in some.sampled_bounds} == {int}


def test_parts_and_strides(put, counted):
    both = put(np.stack([CLASSES, CLUSTERS], axis=1))
    for part in (slice(1, None, None), slice(3, 90, 2)):
        found = from_labels(both[part, 0], both[part, 1])
        assert_same(found, from_labels(CLASSES[part], CLUSTERS[part]))
    assert len(counted) == 2


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
    assert len(counted) == 1 + 1 + 2 + 2


def test_pairwise(put, counted):
    found = cb.pairwise(
        {"a": put(CLASSES), "b": put(CLUSTERS), "c": put(CLASSES)}, measure="q0"
    ).values
    right = cb.pairwise({"a": CLASSES, "b": CLUSTERS, "c": CLASSES}, measure="q0").values
    assert np.array_equal(found, right)
    assert len(counted) == 9


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
    for batches in ([(true, true), (true, one)], [(one, one), (true, one)]):
        with pytest.raises(TableError, match="a boolean and a number"):
            from_batches(batches)


def test_batches_are_added_up_before_they_are_named(driver, monkeypatch):
    """One table of names for all batches, however many there are."""
    named = []
    monkeypatch.setattr(
        arrays, "name_codes", lambda *a, f=arrays.name_codes: named.append(a) or f(*a)
    )
    truth, pred = OnGpu(CLASSES), OnGpu(CLUSTERS)
    found = from_batches((truth, pred) for _ in range(10))
    assert_same(found, from_labels(np.tile(CLASSES, 10), np.tile(CLUSTERS, 10)))
    assert len(driver.launched) == 10
    assert len(named) == 4  # two here, two for what is expected


def test_estimators(put, counted):
    """Those of cuML have their labels on the GPU."""

    class Fitted:
        labels_ = put(CLUSTERS)

        def fit(self):
            raise AssertionError

    assert_same(from_labels(put(CLASSES), Fitted()), from_labels(CLASSES, CLUSTERS))
    assert counted


@pytest.mark.parametrize(
    "options",
    [
        {"noise": "drop"},
        {"noise": "singletons"},
        {"noise": "singletons", "noise_label": 3},
        {"truth_noise": [1, 2]},
        {"missing": "drop"},
        {"missing": "class"},
        {"weights": "balanced"},
    ],
    ids=str,
)
def test_options(put, counted, options):
    found = from_labels(put(CLASSES), put(CLUSTERS), **options)
    assert_same(found, from_labels(CLASSES, CLUSTERS, **options))
    assert counted


# --- what is read here ---------------------------------------------------------------------------


def test_elsewhere_they_are_read_here(put, counted):
    truth, pred, weights = put(CLASSES), put(CLUSTERS), RNG.random(100)
    assert_same(
        from_labels(truth, pred, weights=put(weights)),
        from_labels(CLASSES, CLUSTERS, weights=weights),
    )
    found = cb.compare(truth, pred, put(CLASSES), measure="ari", n_resamples=50, rng=1)
    assert str(found) == str(
        cb.compare(CLASSES, CLUSTERS, CLASSES, measure="ari", n_resamples=50, rng=1)
    )
    assert cb.codec.encode(truth, pred) == cb.codec.encode(CLASSES, CLUSTERS)
    by = cb.evaluate(truth, pred, "ari", groups=put(CLASSES % 2))
    assert by.to_dicts() == cb.evaluate(CLASSES, CLUSTERS, "ari", groups=CLASSES % 2).to_dicts()
    assert not counted


def test_tables_and_images_are_read_here(put):
    counts, image = np.array([[3, 1], [0, 2]]), np.stack([CLASSES, CLUSTERS])
    assert cb.Contingency.from_counts(put(counts)) == cb.Contingency.from_counts(counts)
    found = cb.Contingency.from_images(put(image), put(image[::-1].copy()))
    assert found == cb.Contingency.from_images(image, image[::-1])


def test_arrays_that_are_here_stay_here(counted):
    here = array_api_strict.asarray(CLASSES)
    assert not devices.is_on_device(here)
    assert_same(from_labels(here, here), from_labels(CLASSES, CLASSES))
    assert not devices.is_on_device(SimpleNamespace(device="cuda"))
    assert not counted


def test_missing_labels(put):
    truth, pred = CLASSES.astype(float), CLUSTERS.astype(float)
    truth[[3, 50]] = np.nan
    for missing in ("drop", "class"):
        found = from_labels(put(truth), put(pred), missing=missing)
        assert_same(found, from_labels(truth, pred, missing=missing))
    with pytest.raises(MissingLabelError, match=r"truth has 2 missing labels.*position 3"):
        from_labels(put(truth), put(pred))


def test_large_floats(put):
    """Past 2^62, where integers of 64 bits end."""
    truth = np.array([1e30, 1.0, 1e30])
    assert_same(from_labels(put(truth), put(truth)), from_labels(truth, truth))


# --- what is refused -----------------------------------------------------------------------------


def test_two_places(put):
    truth, pred = put(CLASSES), put(CLUSTERS)
    for here in (CLUSTERS, CLUSTERS.tolist()):
        with pytest.raises(LabelError, match=r"truth is on .+ and pred on the CPU.*: .*truth.*\."):
            from_labels(truth, here)
        with pytest.raises(LabelError, match=r"truth is on the CPU and pred on .*pred"):
            from_labels(here, pred)
    for call in (
        lambda: cb.evaluate(truth, {"there": pred, "here": CLUSTERS}, "ari"),
        lambda: cb.evaluate(CLASSES, {"there": pred, "here": CLUSTERS}, "ari"),
        lambda: cb.Contingency.from_batches([(truth, CLUSTERS)]),
        lambda: cb.Contingency.from_batches([(CLASSES, pred)]),
    ):
        with pytest.raises(LabelError, match="both in one place"):
            call()


def test_two_devices():
    truth = array_api_strict.asarray(CLASSES, device=DEVICE)
    pred = array_api_strict.asarray(CLUSTERS, device=array_api_strict.Device("device2"))
    with pytest.raises(LabelError, match=r"truth\) and numpy.from_dlpack\(pred"):
        from_labels(truth, pred)


def test_numbers_that_are_not_whole(put, monkeypatch):
    monkeypatch.setattr(devices, "CHUNK", 2)
    for wrong in (0.5, np.inf):
        pred = put(np.array([1, 2, 3, wrong, 0.25]))
        with pytest.raises(LabelError, match=f"pred holds {wrong}"):
            from_labels(put(np.arange(5)), pred)


@pytest.mark.parametrize(
    ("truth", "pred", "words"),
    [
        (CLASSES, CLUSTERS[1:], r"truth has 100 labels and pred has 99"),
        (CLASSES, np.eye(100), r"pred has shape \(100, 100\)"),
        (CLASSES, CLUSTERS * 1j, "pred has dtype complex128; labels are integers"),
    ],
)
def test_wrong_labels(put, truth, pred, words):
    with pytest.raises(LabelError, match=words):
        from_labels(put(truth), put(pred))


def test_no_labels(put):
    with pytest.raises(NothingToCountError, match="truth and pred are empty"):
        from_labels(put(CLASSES[:0]), put(CLUSTERS[:0]))


def test_wrong_weights(put):
    with pytest.raises(LabelError, match=r"weights holds -1\.0 at position 99"):
        from_labels(put(CLASSES), put(CLUSTERS), weights=put(np.append(np.ones(99), -1)))


def test_an_array_that_cannot_be_brought_here():
    class Stuck:
        dtype, shape, device = "int32", (3,), "cuda:0"

        def __array_namespace__(self):
            return np

        def get(self):
            raise RuntimeError("out of memory")

    with pytest.raises(LabelError, match=r"pred is a Stuck on cuda:0 that cannot.*out of memory"):
        from_labels([1, 2, 3], Stuck(), weights=[1, 1, 1])


# --- the kernels: a driver that has the memory of this machine, and counts by numpy --------------


class Driver:
    """Answers what `clusterbits.ingest.cuda` asks of CUDA's driver."""

    def __init__(self, shared):
        self.attributes = {16: 4, 81: shared, 97: shared}
        self.kernels, self.sorted, self.launched = [], None, []

    def __getattr__(self, name):
        return lambda *arguments: 0

    def cuDeviceGetAttribute(self, to, what, device):
        to._obj.value = self.attributes[what]
        return 0

    def cuMemsetD32Async(self, pointer, value, number, stream):
        ctypes.memset(pointer.value, value, 4 * number.value)
        return 0

    def cuMemcpyDtoHAsync_v2(self, to, pointer, size, stream):
        ctypes.memmove(to, pointer.value, size.value)
        return 0

    def cuModuleGetFunction(self, to, module, name):
        self.kernels.append(name.decode())
        to._obj.value = len(self.kernels)
        return 0

    def cuLaunchKernel(self, kernel, *arguments):
        name, given = self.kernels[kernel.value - 1], arguments[8]
        self.launched.append(name)
        if name != "count_buckets":
            number = ctypes.c_uint64 if name.startswith("count") else ctypes.c_uint32
            kinds = (ctypes.c_uint64, ctypes.c_uint64, number, cuda._KernelBox)
            found = [ctypes.cast(given[i], ctypes.POINTER(kind))[0] for i, kind in enumerate(kinds)]
            self.sorted = (np.dtype(f"u{int(name.rpartition('u')[2]) // 8}"), *found)
        if name.startswith("count"):
            table = ctypes.cast(given[6 if name == "count_buckets" else 4], self.pointer)[0]
            self.count(table, *self.sorted)
        return 0

    pointer = ctypes.POINTER(ctypes.c_uint64)

    def count(self, table, dtype, c, k, n, box):
        assert c % 16 == k % 16 == 0
        c, k = (read_memory(pointer, n, dtype) for pointer in (c, k))
        rows, columns = (
            (c - np.uint64(box.low_c).astype(dtype)),
            (k - np.uint64(box.low_k).astype(dtype)),
        )
        inside = (rows < box.height) & (columns < box.width)
        cells = box.height * box.width
        keys = np.where(inside, rows.astype(np.int64) * box.width + columns.astype(np.int64), cells)
        counts = read_memory(table, cells + 1, np.dtype(np.int64))
        counts += np.bincount(keys, minlength=cells + 1)


def read_memory(pointer, number, dtype):
    buffer = (ctypes.c_char * (number * dtype.itemsize)).from_address(pointer)
    return np.frombuffer(buffer, dtype)


class Library:
    """Numpy, whose memory is taken for that of a GPU."""

    __name__ = "library"

    def __getattr__(self, name):
        return getattr(np, name)

    def empty(self, size, dtype, device):
        assert device == OnGpu.device
        return OnGpu(np.empty(size, dtype))


class OnGpu:
    """An array as CuPy's, in the memory of this machine."""

    device = "gpu:0"
    library = Library()

    def __init__(self, array, shift=0):
        room = np.empty(array.nbytes + 32, dtype=np.uint8)
        begin = -room.ctypes.data % 16 + shift * array.itemsize
        self.array = room[begin : begin + array.nbytes].view(array.dtype)
        self.array[:] = array

    dtype = property(lambda self: self.array.dtype)
    shape = property(lambda self: self.array.shape)

    def __array_namespace__(self):
        return self.library

    def __array__(self, dtype=None, copy=None):
        return self.array

    def get(self):
        return self.array

    @property
    def __cuda_array_interface__(self):
        return {"data": (self.array.ctypes.data, False), "strides": self.array.strides}

    def __getitem__(self, place):
        part = object.__new__(OnGpu)
        part.array = self.array[place]
        return part

    def astype(self, dtype):
        return OnGpu(self.array.astype(dtype))

    def copy(self):
        return OnGpu(self.array)

    def __sub__(self, number):
        return self.array - number

    def __mul__(self, number):
        return self.array * number

    def block_until_ready(self):
        pass


@pytest.fixture
def driver(monkeypatch, request):
    found = Driver(getattr(request, "param", 2000))
    monkeypatch.setattr(cuda, "_driver", lambda: found)
    monkeypatch.setattr(cuda, "_gpu", cuda._gpu.__wrapped__)
    return found


@pytest.mark.parametrize("dtype", INTEGERS)
def test_kernels(driver, monkeypatch, dtype):
    """All types, tables that fit and that do not, more objects than are counted at once."""
    monkeypatch.setattr(cuda, "_MOST_OBJECTS", 4096)
    monkeypatch.setattr(cuda, "_SORTED_OBJECTS", 1024)
    for n, height in ((1, 1), (1000, 20), (9000, 20), (9000, 100)):
        low = -20 if dtype.startswith("int") else 3
        truth, pred = ((RNG.integers(0, height, n) + low).astype(dtype) for _ in range(2))
        assert_same(from_labels(OnGpu(truth), OnGpu(pred)), from_labels(truth, pred))
    width = np.dtype(dtype).itemsize
    sort = f"sort_into_buckets_u{8 * max(2, width)}"
    assert {*driver.launched} == {f"count_in_shared_u{8 * width}", sort, "count_buckets"}


def test_floats_of_16_bits(driver):
    """Without a warning: what is too large for int64 is too large for these too."""
    truth, pred = CLASSES.astype(np.float16), CLUSTERS.astype(np.float16)
    assert_same(from_labels(OnGpu(truth), OnGpu(pred)), from_labels(truth, pred))
    assert driver.launched == ["count_in_shared_u64"]


def test_kernels_read_labels_once(driver):
    truth, pred = RNG.integers(0, 9, 10**6), np.sort(RNG.integers(0, 9, 10**6))
    assert_same(from_labels(OnGpu(truth), OnGpu(pred)), from_labels(truth, pred))
    assert len(driver.launched) == 1
    truth[1] = 12  # which a sample does not see
    assert_same(from_labels(OnGpu(truth), OnGpu(pred)), from_labels(truth, pred))
    assert len(driver.launched) == 3


def test_labels_that_kernels_cannot_read_are_copied(driver, monkeypatch):
    monkeypatch.setattr(cuda, "_COPIED_OBJECTS", 32)
    right = from_labels(CLASSES, CLUSTERS)
    for shift in (1, 2):
        assert_same(from_labels(OnGpu(CLASSES, shift), OnGpu(CLUSTERS)), right)
    narrow = OnGpu(CLUSTERS.astype(np.int8))
    assert_same(from_labels(OnGpu(CLASSES), narrow), right)
    assert_same(from_labels(narrow, OnGpu(CLASSES)), from_labels(CLUSTERS, CLASSES))
    odd = from_labels(OnGpu(CLASSES)[::2], OnGpu(CLUSTERS)[1::2])
    assert_same(odd, from_labels(CLASSES[::2], CLUSTERS[1::2]))
    assert {*driver.launched} == {"count_in_shared_u64"}


def no_memory(*arguments, **options):
    raise RuntimeError("out of memory")


def test_without_a_kernel_the_library_counts(driver, monkeypatch):
    right = from_labels(CLASSES, CLUSTERS)
    for wrong in ("cuModuleLoadData", "cuLaunchKernel"):
        monkeypatch.setattr(driver, wrong, lambda *arguments: 2, raising=False)
        assert_same(from_labels(OnGpu(CLASSES), OnGpu(CLUSTERS)), right)
        monkeypatch.delattr(driver, wrong)
    with monkeypatch.context() as patch:
        patch.setattr(OnGpu.library, "empty", no_memory, raising=False)
        assert_same(from_labels(OnGpu(CLASSES), OnGpu(CLUSTERS)), right)
    driver.attributes[97] = 4
    monkeypatch.setattr(cuda, "_BUCKETS", 0)
    assert_same(from_labels(OnGpu(CLASSES), OnGpu(CLUSTERS)), right)
    assert not driver.launched


def test_compiled_kernels_are_those_of_the_source():
    folder = Path(cuda.__file__).parent / "kernels"
    digest = hashlib.sha256((folder / "pairs.cu").read_bytes()).hexdigest()
    assert digest in (folder / "pairs.ptx").read_text().partition("\n")[0]
