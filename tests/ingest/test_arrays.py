"""Labels of every kind give one table, or one clear error."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError

from_labels = cb.Contingency.from_labels

STRINGS = ["b", "a", "b", "é", "a", ""]
INTEGERS = [3, 1, 1, 2, 3, 100]

STRING_FORMS = {
    "tuple": tuple,
    "numpy U": np.array,
    "numpy U, big-endian": lambda x: np.array(x).astype(">U4"),
    "numpy objects": lambda x: np.array(x, dtype=object),
    "numpy StringDType": lambda x: np.array(x, dtype=np.dtypes.StringDType()),
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
    assert from_labels(np.array([b"x", b"y"]), [1, 2]).classes == ("x", "y")
    assert from_labels(np.array([b"\xff", b"y"]), [1, 2]).classes == (b"y", b"\xff")
    assert from_labels([(1, 2), (1, 1)], [1, 2]).classes == ((1, 1), (1, 2))
    assert from_labels([1, "1"], [1, 2]).classes == (1, "1")
    assert from_labels([1, True, 1.0], [1, 2, 3]).shape == (1, 3)
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


def test_timestamps():
    stamps = pd.Series(pd.to_datetime(DAYS)).astype("datetime64[ns]")
    assert [str(name)[:10] for name in from_labels(stamps, [1, 2, 1]).classes] == [
        "2020-01-01",
        "2020-01-02",
    ]
    zoned = pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC")
    assert from_labels(zoned, [1, 2, 1]).shape == (2, 2)


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
    with pytest.raises(LabelError, match="whole weights"):
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
    assert from_labels(truth, pred, weights=[2**63, 2**63, 1]).n == 2**64 + 1
    assert from_labels(truth, pred, weights=[2**60, 2**60, 1]).n == 2**61 + 1
    assert from_labels(truth, pred, weights=[True, True, False]).n == 2


@pytest.mark.parametrize(
    ("truth", "pred", "options", "message"),
    [
        ([1, 2], [1], {}, "truth has 2 labels and pred has 1"),
        ([], [], {}, "empty"),
        ([[1, 2], [3, 4]], [1, 2], {}, "1-D"),
        (np.eye(2), [1, 2], {}, r"shape \(2, 2\)"),
        (pd.DataFrame({"a": [1, 2]}), [1, 2], {}, "one column"),
        (pl.DataFrame({"a": [1, 2]}), [1, 2], {}, "one column"),
        (pa.table({"a": [1, 2]}), [1, 2], {}, "one column"),
        (np.array(5), [1], {}, "1-D"),
        ("ab", "ab", {}, "is a str"),
        ({1, 2}, [1, 2], {}, "is a set"),
        ({1: 2}, [1], {}, "is a dict"),
        (5, [1], {}, "truth is 5"),
        ([0.25, 1], [1, 2], {}, "0.25 at position 0.*probability"),
        (np.array([1, 0.5]), [1, 2], {}, "0.5 at position 1"),
        ([1, "a", 0.5], [1, 2, 3], {}, "0.5 at position 2"),
        (pl.Series([0.5]), [1], {}, "0.5"),
        (pd.Series([0.5], dtype="Float64"), [1], {}, "0.5"),
        (pd.Series([0.5, 1.5], dtype="category"), [1, 2], {}, "0.5"),
        ([np.inf, 1.0], [1, 2], {}, "inf"),
        (np.array([1j]), [1], {}, "dtype complex128"),
        ([{1}], [1], {}, "holds a set"),
        ([None, None], [1, 2], {"missing": "drop"}, "nothing to count"),
        ([1, 2], [1, 2], {"missing": "dorp"}, "Did you mean 'drop'"),
        ([1, 2], [1, 2], {"noise": "singleton"}, "Did you mean 'singletons'"),
        ([1, 2], [1, 2], {"weights": [1, -1]}, "-1 at position 1"),
        ([1, 2], [1, 2], {"weights": [1, np.nan]}, "nan at position 1"),
        ([1, 2], [1, 2], {"weights": [1]}, "one weight for each of 2 objects"),
        ([1, 2], [1, 2], {"weights": ["a", "b"]}, "non-negative numbers"),
        ([1, 2], [1, 2], {"weights": [0, 0]}, "nothing to count"),
        ([1, 2], [1, 2], {"align": True}, "truth has none"),
    ],
)  # fmt: skip
def test_wrong_labels(truth, pred, options, message):
    with pytest.raises(ClusterbitsError, match=message):
        from_labels(truth, pred, **options)


def test_pandas_indexes():
    truth = pd.Series(list("abc"), index=[10, 11, 12])
    pred = pd.Series([3, 2, 1], index=[12, 11, 10])
    with pytest.raises(LabelError, match=r"another order.*align=True.*reset_index"):
        from_labels(truth, pred)
    aligned = from_labels(truth, pred, align=True)
    assert aligned.to_dense().tolist() == np.eye(3).tolist()
    categorical = from_labels(truth, pred.astype("category"), align=True)
    assert categorical == aligned
    # Other labels altogether: positions are all there is.
    assert from_labels(truth, pred.reset_index(drop=True)).n == 3
    with pytest.raises(LabelError, match="2 index labels are in only one"):
        from_labels(truth, pd.Series([1, 2, 3], index=[10, 11, 99]), align=True)
    with pytest.raises(LabelError, match="repeats a label"):
        from_labels(
            pd.Series([1, 2, 3], index=[0, 0, 1]), pd.Series([1, 2, 3], index=[0, 1, 0]), align=True
        )
    weights = pd.Series([1, 10, 100], index=[12, 11, 10])
    with pytest.raises(LabelError, match="truth and weights"):
        from_labels(truth, pred.sort_index(), weights=weights)
    weighted = from_labels(truth, pred.sort_index(), weights=weights, align=True)
    assert weighted.class_sizes.tolist() == [100, 10, 1]
