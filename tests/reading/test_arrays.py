"""Labels of every kind give one table, or one clear error."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, TableError

from_labels = cb.Contingency.from_labels

STRINGS = ["b", "a", "b", "é", "a", ""]
INTEGERS = [3, 1, 1, 2, 3, 100]

STRING_FORMS = {
    "tuple": tuple,
    "numpy U": np.array,
    "numpy U, big-endian": lambda x: np.array(x).astype(">U4"),
    "numpy objects": lambda x: np.array(x, dtype=object),
    "generator": iter,
    "pandas": pd.Series,
    "pandas objects": lambda x: pd.Series(x, dtype=object),
    "pandas index": pd.Index,
    "pandas categorical": lambda x: pd.Series(x, dtype="category"),
    "pandas bare categorical": pd.Categorical,
    "pandas arrow strings": lambda x: pd.Series(x, dtype="string[pyarrow]"),
    "polars": pl.Series,
    "polars categorical": lambda x: pl.Series(x, dtype=pl.Categorical),
    "polars enum": lambda x: pl.Series(x, dtype=pl.Enum(["é", "b", "unused", "a", ""])),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda x: pa.chunked_array([x[:2], x[2:]]),
    "pyarrow dictionary": lambda x: pa.array(x).dictionary_encode(),
    "pyarrow dictionary chunks": lambda x: pa.chunked_array(
        [pa.array(x[:2]).dictionary_encode(), pa.array(x[2:]).dictionary_encode()]
    ),
}
if hasattr(np.dtypes, "StringDType"):  # since numpy 2.0
    STRING_FORMS["numpy StringDType"] = lambda x: np.array(x, dtype=np.dtypes.StringDType())

INTEGER_FORMS = {
    **{
        str(np.dtype(t)): lambda x, t=t: np.array(x, dtype=t)
        for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", "f2", "f4", "f8", "O")
    },
    "list of floats": lambda x: [float(v) for v in x],
    "list of numpy integers": lambda x: [np.int16(v) for v in x],
    "mixed list": lambda x: [float(x[0]), *x[1:]],
    "strided": lambda x: np.repeat(np.array(x), 3)[::3],
    "read-only": lambda x: _frozen(np.array(x)),
    "masked": np.ma.array,
    "pandas": pd.Series,
    "pandas Int64": lambda x: pd.Series(x, dtype="Int64"),
    "pandas Float64": lambda x: pd.Series(x, dtype="Float64"),
    "pandas category": lambda x: pd.Series(x, dtype="category"),
    "polars": pl.Series,
    "polars float": lambda x: pl.Series(x, dtype=pl.Float32),
    "pyarrow": pa.array,
    "pyarrow float": lambda x: pa.array(x, pa.float64()),
}


def _frozen(array):
    array.setflags(write=False)
    return array


@pytest.mark.parametrize("form", STRING_FORMS)
def test_strings(form):
    table = from_labels(STRING_FORMS[form](STRINGS), INTEGERS)
    assert table == from_labels(STRINGS, INTEGERS)
    if form == "polars enum":  # an enum has an order of its own
        assert table.classes == ("é", "b", "a", "")
    else:
        assert table.classes == ("", "a", "b", "é")


@pytest.mark.parametrize("form", INTEGER_FORMS)
def test_integers(form):
    table = from_labels(STRINGS, INTEGER_FORMS[form](INTEGERS))
    assert table == from_labels(STRINGS, INTEGERS)
    assert table.clusters == (1, 2, 3, 100)


def test_other_labels():
    assert from_labels([True, False], [1, 2]).classes == (False, True)
    assert from_labels(pd.Series([True, False]), [1, 2]).classes == (False, True)
    for names in ([b"x", b"y"], [b"\xff", b"y"]):
        expected = tuple(sorted(names))
        for labels in (names, np.array(names), [*np.array(names)], np.array(names, dtype=object)):
            assert from_labels(labels, [1, 2]).classes == expected
    assert from_labels([1, "1"], [1, 2]).classes == (1, "1")
    assert from_labels([1, 1.0], [1, 2]).shape == (1, 2)
    assert from_labels([2**70, -(2**70), 3], [1, 2, 3]).classes == (-(2**70), 3, 2**70)
    assert from_labels([1e300, 1.0], [1, 2]).classes == (1, int(1e300))


DAYS = [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]


@pytest.mark.parametrize(
    "form",
    [list, pl.Series, pa.array, lambda x: np.array(x, dtype="M8[D]")],
    ids=["list", "polars", "pyarrow", "numpy"],
)
def test_dates(form):
    assert from_labels(form(DAYS), [1, 2, 1]).classes == (DAYS[1], DAYS[0])


MISSING_FORMS = {
    "list": list,
    "objects": lambda x: np.array(x, dtype=object),
    "pandas NA": lambda x: [pd.NA if v is None else v for v in x],
    "floats": lambda x: np.array(x, dtype=float),
    "masked": lambda x: np.ma.array([v or 0 for v in x], mask=[v is None for v in x]),
    "pandas": pd.Series,
    "pandas Int64": lambda x: pd.Series(x, dtype="Int64"),
    "pandas category": lambda x: pd.Series(x, dtype="Int64").astype("category"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow dictionary": lambda x: pa.array(x).dictionary_encode(),
    "pyarrow chunks": lambda x: pa.chunked_array([x[:2], x[2:]]),
}


@pytest.mark.parametrize("form", MISSING_FORMS)
def test_missing(form):
    make = MISSING_FORMS[form]
    labels = [7, 5, None, 5, None]
    with pytest.raises(LabelError, match="pred has 2 missing labels, the first at position 2"):
        from_labels(list("abcab"), make(labels))
    dropped = from_labels(list("abcab"), make(labels), missing="drop")
    assert dropped == from_labels(list("aba"), [7, 5, 5])
    kept = from_labels(list("abcab"), make(labels), missing="class")
    assert kept.clusters == (5, 7, None)
    assert kept.n == 5


def test_missing_strings_and_dates():
    for labels in (
        ["a", None, "b"],
        pl.Series(["a", None, "b"], dtype=pl.Categorical),
        pd.Series(["a", None, "b"]),
        pd.Categorical(["a", None, "b"]),
        pa.array(["a", None, "b"]),
        np.array(["2020", "NaT", "2021"], dtype="M8[Y]"),
        [datetime.date(2020, 1, 1), pd.NaT, datetime.date(2021, 1, 1)],
    ):
        with pytest.raises(LabelError, match="1 missing label, the first at position 1"):
            from_labels(labels, [1, 2, 3])
        assert from_labels(labels, [1, 2, 3], missing="class").classes[-1] is None
        assert from_labels(labels, [1, 2, 3], missing="drop").n == 2


def test_noise():
    truth, pred = [0, 0, 1, 1, 2], [0, -1, -1, 1, -1]
    assert from_labels(truth, pred).clusters == (-1, 0, 1)
    alone = from_labels(truth, pred, noise="singletons")
    assert alone.clusters == (0, 1, (-1, 1), (-1, 2), (-1, 3))
    assert alone.to_dense().tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 0, 1]]
    dropped = from_labels(truth, pred, noise="drop")
    assert (dropped.classes, dropped.n) == ((0, 1), 2)
    named = from_labels(truth, list("xyyzy"), noise="singletons", noise_label="y")
    assert named.shape == (3, 5)
    assert from_labels(truth, [1] * 5, noise="drop").n == 5
    weighted = from_labels([0, 1], [-1, 0], noise="singletons", weights=[3, 1])
    assert weighted.shape == (2, 4)
    with pytest.raises(LabelError, match="every object is noise"):
        from_labels([0, 1], [-1, -1], noise="drop")
    with pytest.raises(LabelError, match="needs integer weights"):
        from_labels([0, 1, 1], [-1, 0, 1], noise="singletons", weights=[2, 0.5, 1])
    with pytest.raises(LabelError, match="needs integer weights"):
        from_labels([0, 1], [-1, 0], noise="singletons", weights=[0.5, 1])


def test_weights():
    truth, pred = ["a", "a", "b"], [1, 1, 2]
    assert from_labels(truth, pred, weights=[1, 2, 3]).to_dense().tolist() == [[3, 0], [0, 3]]
    assert from_labels(truth, pred, weights=[1.0, 2.0, 3.0]).exact
    assert from_labels(truth, pred, weights=np.array([1, 2, 3], dtype=np.uint8)).n == 6
    assert from_labels(truth, pred, weights=[0, 0, 3]).classes == ("b",)
    real = from_labels(truth, pred, weights=[0.5, 0.25, 1])
    assert real.counts.tolist() == [0.75, 1.0]
    assert not real.exact
    assert from_labels(truth, pred, weights=[2**62, 2**62 - 2, 1]).n == 2**63 - 1
    assert from_labels(truth, pred, weights=[2**60, 2**60, 1]).n == 2**61 + 1
    assert from_labels(truth, pred, weights=[True, True, False]).n == 2


@pytest.mark.parametrize(
    ("truth", "options", "message"),
    [
        ([1], {}, "truth has 1 label"),
        ([[1, 2], [3, 4]], {}, "truth holds a list"),
        (np.eye(2), {}, r"shape \(2, 2\)"),
        (np.array(5), {}, r"shape \(\)"),
        (pd.DataFrame({"a": [1, 2]}), {}, r"of 1 column\."),
        ("ab", {}, "of type str"),
        ({1, 2}, {}, "of type set"),
        (pa.array([[1], [2]]), {}, "holds a list"),
        # Probabilities and infinities are no labels, wherever they are.
        ([0.25, 1], {}, "0.25"),
        (np.array([1, 0.5]), {}, "0.5"),
        ([1, 0.5], {}, "0.5"),
        (pl.Series([0.5, 1]), {}, "0.5"),
        (pd.Series([0.5, 1], dtype="Float64"), {}, "0.5"),
        (pd.Series([0.5, 1.5], dtype="category"), {}, "0.5"),
        ([np.inf, 1.0], {}, "inf"),
        (pd.Categorical([1.0, np.inf]), {}, "inf"),
        (pa.array([1.0, np.inf, None])[:2], {}, "inf"),
        (np.array([1j, 2]), {}, "complex128"),
        ([None, None], {"missing": "drop"}, "nothing to count"),
        ([1, 2], {"missing": "dorp"}, "Did you mean 'drop'"),
        ([1, 2], {"noise": "singleton"}, "Did you mean 'singletons'"),
        ([1, 2], {"align": True}, "truth has no ids"),
    ],
)
def test_wrong_labels(truth, options, message):
    with pytest.raises(ClusterbitsError, match=message):
        from_labels(truth, [1, 2], **options)


WEIGHTS = {
    "tiny": ([1e-101] * 4, "1e-100"),
    "squares underflow": ([1e-200] * 4, "1e-100"),
    "large": ([1e300] * 4, r"2\^63"),
    "sum is infinite": ([1.5e308] * 4, r"2\^63|infinite"),
    "past int64": ([2**61] * 4, r"2\^63"),
    "past floats": ([10**400] * 4, "too large|past"),
    "infinite": ([np.inf, 1, 1, 1], "inf at position 0"),
    "NaN": ([1, np.nan, 1, 1], "nan at position 1"),
    "negative": ([1, -0.5, 1, 1], "-0.5 at position 1"),
    "NaN Decimal": ([1, 1, 1, Decimal("nan")], "nan at position 3"),
    "None": ([1, None, 1, 1], "nan at position 1"),
    "masked": (np.ma.array([1, 2, 3, 4], mask=[0, 0, 1, 0]), "nan at position 2"),
    "pandas NA": (pd.Series([1, None, 2, 3], dtype="Int64"), "position 1"),
    "polars null": (pl.Series([1, None, 2, 3]), "position 1"),
    "arrow null": (pa.array([1, None, 2, 3]), "position 1"),
    "text": ([1, 2, 3, "4"], "dtype <U"),
    "dates": (np.array([1, 2, 3, 4], dtype="M8[D]"), "dtype datetime64"),
    "too few": ([1, 2], "and weights has 2"),
    "zero": ([0] * 4, "nothing to count"),
    "a number": (3, "must be a sequence of numbers, not"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_wrong_weights(case):
    weights, message = WEIGHTS[case]
    truth, pred = [0, 0, 1, 1], [0, 1, 1, 1]
    with pytest.raises(ClusterbitsError, match=message):
        from_labels(truth, pred, weights=weights)
    with pytest.raises(ClusterbitsError, match=message):
        cb.pairwise([truth, pred], measure="rand", weights=weights)


@pytest.mark.parametrize(
    "make",
    [list, pd.Series, pl.Series, pa.array, np.array, np.ma.array, iter, pd.Index],
    ids=["list", "pandas", "polars", "arrow", "numpy", "masked", "iterator", "index"],
)
@pytest.mark.parametrize(
    ("weights", "counts"),
    [
        ([1, 2, 3, 4], [1, 2, 7]),
        ([True, False, True, True], [1, 2]),
        ([0.5, 0.25, 1.0, 2.0], [0.5, 0.25, 3.0]),
        ([Decimal(2**60), Decimal(1), Decimal(1), Decimal(1)], [2**60, 1, 2]),
    ],
    ids=["integers", "booleans", "floats", "whole decimals"],
)
def test_weights_in_any_sequence(make, weights, counts):
    table = from_labels([0, 0, 1, 1], [0, 1, 1, 1], weights=make(weights))
    assert table.counts.tolist() == counts
    assert table.exact == (float not in map(type, counts))


def test_what_is_left_must_weigh_enough():
    """The total passes, but not that of the objects that are counted."""
    weights = [1e-200, 1e-200, 1.0]
    for options in ({"missing": "drop"}, {"noise": "drop"}):
        with pytest.raises(TableError, match="1e-100"):
            from_labels(
                [0, 1, 0], [0, 1, None if "missing" in options else -1], weights=weights, **options
            )
    half = from_labels([0], [0], weights=[2**62])
    with pytest.raises(TableError, match=r"2\^63"):
        half + half


# --- rare types, and missing values beside extreme ones ------------------------------------------


def test_a_dictionary_may_repeat_a_value():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", "b"]))
    assert from_labels(twice, [0, 0, 1]).classes == ("a", "b")
    assert cb.ari(twice, [0, 0, 1]) == 1
    assert cb.pairwise({"x": twice, "y": [0, 0, 1]})["x", "y"] == 1


def test_null_in_a_dictionary_is_missing():
    absent = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), pa.array(["a", None, "b"]))
    with pytest.raises(LabelError, match="2 missing labels, the first at position 1"):
        from_labels(absent, [0, 1, 2, 3])
    assert from_labels(absent, [0, 1, 2, 3], missing="drop").n == 2


def test_nan_among_arrow_floats_is_missing():
    labels = pa.array([1.0, np.nan, None, 2.0])
    assert from_labels(labels, [0, 1, 2, 3], missing="drop").n == 2
    assert from_labels(labels, [0, 1, 2, 3], missing="class").classes == (1, 2, None)


@pytest.mark.parametrize(
    "labels",
    [
        pl.Series([2**63 - 1, 5, None]),
        pl.Series([2**64 - 1, 5, None], dtype=pl.UInt64),
        np.ma.array([2**63 - 1, 5, 0], mask=[0, 0, 1]),
    ],
    ids=["int64", "uint64", "masked"],
)
def test_missing_beside_the_largest_integers(labels):
    table = from_labels(labels, [0, 1, 2], missing="class")
    assert table.classes[0] == 5
    assert table.classes[1] >= 2**63 - 1
    assert table.classes[2] is None


def test_rare_types():
    assert from_labels(pl.Series([1, 2], dtype=pl.Int128), [1, 2]).classes == (1, 2)
    assert from_labels(pa.array([1, 1, 2]).dictionary_encode(), [1, 1, 2]).classes == (1, 2)
    unused = pd.Categorical([1.0, 2.0], categories=[1.0, 2.0, 2.5])
    assert from_labels(unused, [1, 2]).classes == (1, 2)
    nul = from_labels([np.str_("a"), np.str_("a\0")], [0, 1])
    assert nul.classes == ("a", "a\0")


@pytest.mark.usefixtures("kernel_path")
def test_text_that_is_not_utf8_is_refused():
    offsets = pa.py_buffer(np.array([0, 2, 3, 4], dtype=np.int32))
    broken = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"\xff\xfeab")])
    for column in (broken, pa.chunked_array([broken])):
        with pytest.raises(LabelError, match=r"pred holds text that is not UTF-8: .*0xff"):
            from_labels([1, 2, 3], column)


@pytest.mark.usefixtures("kernel_path")
@pytest.mark.parametrize(
    "dtype", ["string", "string[python]", "string[pyarrow]", "category", "Int64"]
)
def test_pandas_arrays_are_read_as_their_series_are(dtype):
    array = pd.array(["1", "2", "1", None], dtype=dtype)
    for column in (array, pd.Index(array), pd.Series(array)):
        table = from_labels(column, [0, 1, 1, 0], missing="drop")
        assert table == from_labels(pd.Series(array), [0, 1, 1, 0], missing="drop")
        assert table.n == 3


@pytest.mark.usefixtures("kernel_path")
@pytest.mark.parametrize("dtype", ["string[python]", object])
@pytest.mark.parametrize("labels", [["a\0b", "a\0c", "a"], ["\ud800", "\ud801", "\ud802"]])
def test_text_of_pandas_is_told_apart_to_its_last_character(labels, dtype):
    """By pandas 2 text ends at the first NUL, and surrogates are alike."""
    column = pd.Series(labels, dtype=dtype)
    for some in (column, pd.Index(column), column.array):
        assert from_labels(some, [0, 1, 2]).classes == tuple(sorted(labels))
