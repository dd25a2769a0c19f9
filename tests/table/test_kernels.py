"""The compiled kernels and their reference implementations: bit-identical, and no crash."""

import datetime
import importlib.machinery
import math
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.paths import compiled as needed
from support.paths import on_both_paths

import clusterbits as cb
from clusterbits.errors import LabelError
from clusterbits.labels import pair_counting
from clusterbits.labels.labeling import read_array
from clusterbits.system import kernels
from clusterbits.table import numbering
from clusterbits.table.label_names import as_names

native = kernels.native


def array(n, dtype=np.int64):
    return np.zeros(n, dtype=dtype)


def assert_equal_arrays(arrays, others):
    for array, other in zip(arrays, others, strict=True):
        assert array.dtype == other.dtype
        np.testing.assert_array_equal(array, other)


def test_kernels_are_built_where_they_can_be():
    """A silent fall-back to numpy would leave the kernels without a test."""
    if os.environ.get("CLUSTERBITS_NATIVE") == "0":
        pytest.skip("switched off")
    headers = Path(sysconfig.get_path("include"), "Python.h").exists()
    if os.environ.get("CI") or (headers and shutil.which("cc")):
        assert native is not None, kernels.absence


# --- counting ------------------------------------------------------------------------------------


@st.composite
def integers(draw, n):
    """Draw labels of any integer dtype, as they may lie in memory."""
    name = draw(st.sampled_from(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]))
    dtype = np.dtype(name)
    if name == "?":
        values = st.booleans()
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        near = st.integers(high - 3, high)
        small = st.integers(max(low, -3), 5)
        values = draw(st.sampled_from([small, near, small | near | st.just(low)]))
    array = draw(hnp.arrays(dtype, n, elements=values))
    forms = ["plain", "reversed", "strided", "swapped", "spelt out", "unaligned", "frozen"]
    form = draw(st.sampled_from(forms))
    if form == "reversed":
        return np.ascontiguousarray(array[::-1])[::-1]
    if form == "strided":
        return np.repeat(array, 3)[::3]
    if form == "swapped":
        return array.astype(dtype.newbyteorder("S"))
    if form == "spelt out":  # "<i8" where the machine is little-endian, as zarr has it
        return array.astype(dtype.newbyteorder({"little": "<", "big": ">"}[sys.byteorder]))
    if form == "unaligned":
        packed = np.zeros(n, dtype=[("pad", "i1"), ("label", dtype)])
        packed["label"] = array
        return packed["label"]
    array.flags.writeable = False
    return array


@st.composite
def pairs_of_integers(draw, max_labels=70):
    n = draw(st.integers(1, max_labels))
    return draw(integers(n)), draw(integers(n))


@pytest.mark.parametrize(("chunk", "dense"), [(4, 0), (4, 1 << 22), (1 << 16, 0)])
def test_counting_by_every_route(chunk, dense, monkeypatch, kernel_path):
    """Dense or sparse, in chunks: what a dictionary counts."""
    monkeypatch.setattr(pair_counting, "SMALL_CHUNK", chunk)
    monkeypatch.setattr(pair_counting, "LARGE_CHUNK", chunk)
    monkeypatch.setattr(pair_counting, "DENSE_CELLS", dense)

    @given(pairs_of_integers(), st.booleans())
    def check(pair, weighted):
        c, k = pair
        weights = list(range(len(c))) if weighted else None
        expected = {}
        for i, key in enumerate(zip(c.tolist(), k.tolist(), strict=True)):
            expected[key] = expected.get(key, 0) + (i if weighted else 1)
        expected = {key: count for key, count in expected.items() if count}
        if not expected:
            return
        table = cb.Contingency.from_labels(c, k, weights=weights)
        cells = zip(table.rows, table.columns, table.counts.tolist(), strict=True)
        assert {(table.classes[r], table.clusters[j]): n for r, j, n in cells} == expected
        assert list(table.classes) == sorted(table.classes)

    check()


def test_threads_count_shares(monkeypatch, kernel_path):
    monkeypatch.setattr(pair_counting, "SMALL_CHUNK", 100)
    monkeypatch.setattr(pair_counting, "LARGE_CHUNK", 1000)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    rng = np.random.default_rng(0)
    c, k = rng.integers(-3, 5, 10_000), rng.integers(0, 4, 10_000)
    for outlier in (None, 5000, 9500):
        if outlier is not None:
            c[outlier] = 77
        table = cb.Contingency.from_labels(c, k)
        assert table.n == 10_000
        for row, name in enumerate(table.classes):
            assert table.class_sizes[row] == (c == name).sum()
    weighted = cb.Contingency.from_labels(c, k, weights=np.arange(10_000) / 4)
    assert weighted.n == np.arange(10_000).sum() / 4


@needed
@given(st.integers(0, 70).flatmap(integers))
def test_codes_are_alike(labels):
    assert_equal_arrays(
        *on_both_paths(numbering.factorize_integers, read_array(labels, "labels").codes)
    )


@needed
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("distinct", [1, 50, 5000, 100_000])
def test_labels_far_apart_are_coded_alike(dtype, distinct):
    """By a hash table; strided as well."""
    info = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    known = rng.integers(info.min, info.max, distinct, dtype=dtype, endpoint=True)
    labels = rng.choice(known, 20_000) if distinct < 20_000 else known
    for view in (labels, labels[::-3]):
        assert_equal_arrays(*on_both_paths(numbering.factorize_integers, view))


@needed
@pytest.mark.parametrize(
    ("height", "width", "dtype"),
    [
        (1, 1, np.uint8),
        (127, 129, np.uint8),
        (3, 5, np.int16),
        (200, 400, np.int16),
        (1000, 1200, np.int32),
        (1000, 1200, np.uint64),
        (2, 2**40, np.uint64),
    ],
)
def test_tables_of_every_size_are_counted_alike(height, width, dtype):
    """Two tables, one table, one that leaves the cache; keys of 4 and of 8 bytes."""
    rng = np.random.default_rng(0)
    c = rng.integers(0, height, 30_011).astype(dtype)
    k = rng.integers(0, min(width, np.iinfo(dtype).max), 30_011).astype(dtype)
    assert_equal_arrays(*(cells[:5] for cells in on_both_paths(pair_counting.count_pairs, c, k)))
    assert_equal_arrays(
        *(cells[:5] for cells in on_both_paths(pair_counting.count_pairs, np.sort(c), np.sort(k)))
    )


@needed
@pytest.mark.parametrize("bits", [(1, 1), (1, 10), (11, 11), (16, 16), (16, 17), (31, 32), (1, 62)])
def test_keys_of_every_length_are_sorted(bits):
    """An odd and an even number of passes, each in both lengths of keys."""
    rng = np.random.default_rng(0)
    c, k = (rng.integers(0, 2**bit, 3000, dtype=np.uint64, endpoint=False) for bit in bits)
    c[::2], k[::2] = c[0], k[0]
    counted = np.empty((2, 3000), dtype=np.int64)
    n_keys = native.count_sparse(c, k, 0, 0, *bits, *counted)
    expected = np.unique((c << np.uint64(bits[1]) | k).astype(np.int64), return_counts=True)
    np.testing.assert_array_equal(counted[:, :n_keys], expected)


@needed
def test_threads_count_sparse_shares_alike(monkeypatch):
    monkeypatch.setattr(pair_counting, "LARGE_CHUNK", 1000)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    c, k = np.random.default_rng(0).integers(0, 10**6, (2, 20_000))
    c[5000:], k[5000:] = c[:15_000], k[:15_000]
    assert_equal_arrays(*(cells[:5] for cells in on_both_paths(pair_counting.count_pairs, c, k)))


@needed
def test_hostile_counts_are_merged_in_order():
    """Keys whose difference does not fit, counts whose sum does not."""
    far = [np.array([-(2**63), 2**63 - 1]), np.array([2**63 - 1, 1])]
    near = [np.array([2]), np.array([3])]
    merged = [array(4), array(4)]
    assert native.merge_counts(*far, *near, *merged) == 3
    assert merged[0][:3].tolist() == [-(2**63), 2, 2**63 - 1]
    assert native.merge_counts(*far, *far, *merged) == 2
    assert merged[1][:2].tolist() == [-2, 2]


# --- strings and objects -------------------------------------------------------------------------

TEXTS = st.text(max_size=40) | st.sampled_from(
    ["", "a", "\0", "a\0", "a\0b", "\ud800", "\U0001f40d" * 9, "class-7", "class-10", "x" * 16]
)


@needed
@given(st.lists(TEXTS, min_size=1, max_size=80))
def test_strings_are_coded_alike(texts):
    labels = np.array(texts)  # without trailing NULs
    for given_labels in (labels, labels[::-1], labels.astype(labels.dtype.newbyteorder("S"))):
        if given_labels.itemsize:
            plain = np.ascontiguousarray(given_labels, dtype=labels.dtype)
            (codes, names), (others, strings) = on_both_paths(numbering.code_strings, plain)
            assert (codes.tolist(), names) == (others.tolist(), strings)
        compiled, plain = on_both_paths(cb.Contingency.from_labels, given_labels, labels)
        assert compiled == plain


ENCODABLE = TEXTS.filter(lambda text: not any("\ud800" <= letter <= "\udfff" for letter in text))


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view()])
@given(st.lists(ENCODABLE | st.none(), min_size=1, max_size=80), st.integers(0, 5))
def test_string_columns_are_read_as_lists(kind, texts, cut):
    """In one array, in chunks, in a slice whose memory begins and ends elsewhere."""
    array = pa.array(texts, kind)
    chunks = pa.chunked_array([array[:cut], array[cut:], array[:0]])
    expected = cb.Contingency(texts, texts, missing="class")
    for column in (array, chunks, pl.Series(texts, dtype=pl.String), pd.Series(texts, dtype="str")):
        assert cb.Contingency(column, texts, missing="class") == expected
    if cut < len(texts):
        rest = texts[cut:]
        assert cb.Contingency(array[cut:], rest, missing="class") == cb.Contingency(
            rest, rest, missing="class"
        )


SCALARS = (
    st.integers(-3, 3) | st.integers(2**62, 2**65) | st.floats(-2, 2) | st.booleans() | st.none()
)
OBJECTS = SCALARS | TEXTS | st.binary(max_size=3) | st.tuples(SCALARS, st.text(max_size=1))


def in_arrays(labels):
    """Return arrays of objects that hold these labels: as they may lie in memory."""
    plain = as_names(labels)
    packed = np.zeros(len(labels), dtype=[("pad", "i1"), ("label", object)])
    packed["label"] = plain
    frozen_one = plain.copy()
    frozen_one.flags.writeable = False
    reversed_one = plain[::-1].copy()[::-1]
    return [plain, np.repeat(plain, 3)[::3], reversed_one, packed["label"], frozen_one]


@needed
@given(st.lists(OBJECTS, max_size=60))
def test_objects_are_coded_alike_in_lists_and_arrays(labels):
    def code(objects):
        book = numbering.CodeBook()
        return numbering.code_objects(objects, book).tolist(), list(map(repr, book))

    compiled, plain = on_both_paths(code, labels)
    assert compiled == plain
    for array in in_arrays(labels):
        assert code(array) == plain


@pytest.mark.parametrize(
    "labels",
    [
        ["a", None, "b"],
        ["a", math.nan, math.nan],
        ["a", 1, "1"],
        ["a", np.str_("a"), np.int64(2)],
        [True, False, True],
        [1.0, 2.0, math.nan],
        [2**70, 1, 1],
        [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 1)],
    ],
)
def test_tables_of_objects_in_arrays(labels, kernel_path):
    expected = cb.Contingency.from_labels(labels, [0, 1, 1], missing="class")
    for array in (*in_arrays(labels), pd.Series(labels, dtype=object)):
        table = cb.Contingency.from_labels(array, [0, 1, 1], missing="class")
        assert (table, table.classes) == (expected, expected.classes)
        assert [*map(type, table.classes)] == [*map(type, expected.classes)]


class Awkward:
    """A label whose hash or comparison does something when it is asked for."""

    def __init__(self, number, act):
        self.number, self.act = number, act

    def __hash__(self):
        self.act("hash")
        return 7

    def __eq__(self, other):
        self.act("eq")
        return self is other


@needed
@pytest.mark.parametrize("when", ["hash", "eq"])
@pytest.mark.parametrize("kind", [TypeError, ValueError, KeyboardInterrupt])
def test_labels_that_raise(when, kind):
    def act(what):
        if what == when:
            raise kind("no label")

    outcomes = []

    def read(labels):
        try:
            numbering.code_objects(labels, numbering.CodeBook())
        except BaseException as error:
            outcomes.append((type(error), str(error)))

    on_both_paths(read, [Awkward(i, act) for i in range(3)])
    assert outcomes == [(kind, "no label")] * 2


@needed
def test_labels_that_change_the_list():
    def act(what):
        labels.clear()

    labels = [Awkward(i, act) for i in range(2000)]
    with pytest.raises(RuntimeError, match="changed"):
        native.code_objects(labels, {}, np.empty(2000, dtype=np.int64))

    def let_go(what):
        labels[:] = [str(i) * 3 for i in range(2000)]

    labels = [str(i) * 2 for i in range(1000)] + [Awkward(i, let_go) for i in range(1000)]
    book = {}
    native.code_objects(labels, book, np.empty(2000, dtype=np.int64))
    assert all(isinstance(key, str | Awkward) for key in book)


@pytest.mark.parametrize("labels", [[[1], [2]], [{}], [1, [2]], ["a", {1: 2}]])
def test_labels_that_cannot_be_hashed(labels, kernel_path):
    for unhashable in (labels, as_names(labels)):
        with pytest.raises(LabelError):
            cb.Contingency.from_labels(unhashable, range(len(labels)))


@needed
@given(st.lists(st.integers(-(2**64), 2**64) | st.integers(-5, 5) | st.just(True), max_size=20))
def test_lists_of_integers_are_read_alike(labels):
    compiled, plain = on_both_paths(numbering.as_int64, labels)
    assert (compiled is None) == (plain is None)
    if plain is not None:
        assert_equal_arrays([compiled], [plain])


@needed
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
@pytest.mark.parametrize("name", ["code_objects", "read_integers"])
def test_long_lists_can_be_interrupted(name):
    labels = [1, 2] * 4_000_000
    more = {"code_objects": ({}, array(len(labels))), "read_integers": (array(len(labels)),)}

    def stop(number, frame):
        raise InterruptedError

    def seconds():
        start = time.process_time()
        with suppress(InterruptedError):
            getattr(native, name)(labels, *more[name])
        return time.process_time() - start

    uninterrupted = min(seconds() for _ in range(3))
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        assert seconds() < 0.7 * uninterrupted
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- wrong arguments -----------------------------------------------------------------------------


def unaligned(n):
    return np.zeros(8 * n + 1, dtype=np.uint8)[1:].view(np.int64)


def frozen(n):
    read_only = array(n)
    read_only.flags.writeable = False
    return read_only


def urns():
    """Return the state of a coder, four draws from two urns, their balls, and those drawn."""
    state = np.array([0, 2**64 - 1, 0], dtype=np.uint64)
    counts = np.array([1, 2, 3, 4])
    return [state, array(4, np.uint32), np.array([0, 2, 4]), counts, array(4, np.uint32)]


GOOD = {
    "count_dense": lambda: [array(4), array(4), 0, 0, 2, 3, array(6)],
    "count_sparse": lambda: [array(4), array(4), 0, 0, 2, 3, array(4), array(4)],
    "merge_counts": lambda: [*(array(2) for _ in range(4)), *(array(4) for _ in range(2))],
    "code_items": lambda: [array(8, np.uint8), 2, array(4), array(4)],
    "code_objects": lambda: [["a", 1], {}, array(2)],
    "read_integers": lambda: [[1, 2], array(2)],
    "join_pairs": lambda: [array(4), array(4), np.arange(4)],
    "number_texts": lambda: [(["a"], ["b"]), array(2)],
    "draw_balls": lambda: [bytearray(16), *urns(), False, True],
}
WRONG = [
    None,
    "text",
    -1,
    2**70,
    array(3),
    array(40),
    frozen(4),
    unaligned(4),
    array(8)[::2],
    array((2, 2)),
    array(4, np.float64),
    array(4, np.int32),
    array(4, np.uint8),
    array(4, ">i8"),
    array(4, object),
    array(4, "S3"),
    array(0),
    b"bytes",
    [],
    {},
    (),
    (1, 2),
    object(),
]


@needed
def test_all_kernels_are_given_wrong_arguments():
    assert set(GOOD) == {name for name in dir(native) if not name.startswith("_")}


@needed
@pytest.mark.parametrize("name", GOOD)
def test_wrong_arguments_are_refused(name):
    """Whatever stands in the place of one argument is read right or refused, and nothing else."""
    kernel = getattr(native, name)
    kernel(*GOOD[name]())
    refused = (TypeError, ValueError, BufferError, OverflowError)
    for i in range(len(GOOD[name]())):
        for wrong in WRONG:
            arguments = GOOD[name]()
            arguments[i] = wrong
            with suppress(*refused):
                kernel(*arguments)
    for arguments in ([], [None], [*GOOD[name](), None]):
        with pytest.raises(refused):
            kernel(*arguments)


@needed
@pytest.mark.parametrize(
    ("name", "index", "wrong"),
    [
        ("count_dense", 1, array(3)),
        ("count_dense", 4, 2**62),
        ("count_dense", 6, array(5)),
        ("count_dense", 6, frozen(6)),
        ("count_dense", 6, array(6, np.int32)),
        ("count_dense", 0, array((4, 1))),
        ("count_dense", 0, array(4, ">i8")),
        ("count_sparse", 4, 61),
        ("count_sparse", 5, 2**63),
        ("count_sparse", 6, array(3)),
        ("count_sparse", 7, array(3)),
        ("count_sparse", 7, array(4, object)),
        ("code_objects", 2, array(2, object)),
        ("read_integers", 1, array(2, np.float64)),
        ("merge_counts", 4, array(3)),
        ("merge_counts", 1, array(3)),
        ("code_items", 1, 3),
        ("code_items", 1, 0),
        ("code_items", 2, array(3)),
        ("code_items", 3, array(3)),
        ("code_objects", 0, array(2)),
        ("code_objects", 0, array((2, 1), object)),
        ("code_objects", 2, array(1)),
        ("read_integers", 1, array(1)),
    ],
)
def test_arguments_that_do_not_fit(name, index, wrong):
    arguments = GOOD[name]()
    arguments[index] = wrong
    with pytest.raises((TypeError, ValueError, BufferError)):
        getattr(native, name)(*arguments)


@needed
def test_labels_outside_are_noticed():
    table, c, k = array(6), np.array([0, 1, 1]), np.array([0, 2, 1])
    assert native.count_dense(c, k, 0, 0, 2, 3, table)
    for outside in (2, -1, 2**32, 2**62):
        for dtype in (np.int64, np.int32, np.int8, np.uint64):
            if np.iinfo(dtype).min <= outside <= np.iinfo(dtype).max:
                wrong = np.array([0, outside, 1], dtype=dtype)
                assert not native.count_dense(wrong, k, 0, 0, 2, 3, array(6))
                with pytest.raises(ValueError, match="more bits"):
                    native.count_sparse(wrong, k, 0, 0, 1, 2, array(3), array(3))
    # The difference of two 32-bit labels may have 33 bits.
    far = np.array([-(2**31), 2**31 - 1], dtype=np.int32)
    assert not native.count_dense(far, far, 2**31 - 1, 2**31 - 1, 2, 2, array(4))


@needed
@pytest.mark.parametrize("where", [0, 1000])
@pytest.mark.parametrize(("height", "width"), [(3, 5), (256, 256), (65_536, 1), (1, 65_536)])
def test_bytes_outside_are_noticed(height, width, where):
    c, k = array(1001, np.uint8), array(1001, np.uint8)
    c[where], k[where] = min(height, 256) - 1, min(width, 256) - 1
    table = array(height * width)
    assert native.count_dense(c, k, 0, 0, height, width, table)
    assert table[0] == 1000
    assert table[int(c[where]) * width + int(k[where])] == 1
    for labels, size in ((c, height), (k, width)):
        if size < 256:
            labels[where] += 1
            assert not native.count_dense(c, k, 0, 0, height, width, table)
            labels[where] -= 1


# --- without the kernels -------------------------------------------------------------------------

SAMPLE = """
import numpy as np, clusterbits as cb
rng = np.random.default_rng(0)
c, k = rng.integers(0, 9, 500), rng.integers(0, 7, 500)
words = np.array([f"class {i}" for i in range(9)])
for truth in (c, words[c].tolist(), [int(i) if i < 4 else str(words[i]) for i in c]):
    print(cb.evaluate(truth, k).to_dicts())
wide = rng.integers(-2**62, 2**62, 500)
print(cb.ari(wide, k), cb.ami(wide[c], k), cb.pairwise([c, k, wide], measure="vi").values.tolist())
print(list(cb.codec.decode(cb.codec.encode(words[c], k), k)) == words[c].tolist())
print(cb.interval(c, k, measure="q2", rng=0).low, cb.explain(words[c], k).to_dicts())
"""


@needed
def test_without_kernels_everything_is_the_same(capsys):
    code = f"from clusterbits.system import kernels; assert kernels.native is None\n{SAMPLE}"
    environment = {**os.environ, "CLUSTERBITS_NATIVE": "0"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    exec(SAMPLE, {})
    assert run.stdout == capsys.readouterr().out != ""


def test_absent_kernels_say_why(tmp_path):
    """Not built, or built for another system: the package works and says which."""
    code = "import clusterbits as cb; cb.show_versions(); print(cb.ari([0, 1], [0, 1]))"
    package = Path(cb.__file__).parent
    for name, why in {
        "without": "not built",
        "broken": "not loaded",
    }.items():
        home = tmp_path / name
        home.mkdir()
        ignored = shutil.ignore_patterns("__pycache__", "_native*")
        shutil.copytree(package, home / "clusterbits", ignore=ignored)
        if name == "broken":
            suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
            (home / "clusterbits" / f"_native{suffix}").write_bytes(b"not a library")
        environment = {**os.environ, "CLUSTERBITS_NATIVE": "", "PYTHONPATH": str(home)}
        run = subprocess.run(
            [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        assert f"no ({why}" in run.stdout
        assert run.stdout.endswith("1.0\n")
