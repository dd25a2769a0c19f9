"""Labels of every kind give one table, or one clear error."""

import datetime
from decimal import Decimal
from fractions import Fraction

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
    assert from_labels(truth, pred, weights=[2**62, 2**62 - 2, 1]).n == 2**63 - 1
    assert from_labels(truth, pred, weights=[2**60, 2**60, 1]).n == 2**61 + 1
    assert from_labels(truth, pred, weights=[True, True, False]).n == 2


@pytest.mark.parametrize(
    ("truth", "pred", "options", "message"),
    [
        ([1, 2], [1], {}, "truth has 2 labels and pred has 1"),
        ([], [], {}, "empty"),
        ([[1, 2], [3, 4]], [1, 2], {}, "truth holds a list"),
        (np.eye(2), [1, 2], {}, r"shape \(2, 2\)"),
        (pd.DataFrame({"a": [1, 2]}), [1, 2], {}, "1 columns"),
        (pl.DataFrame({"a": [1, 2]}), [1, 2], {}, "1 columns"),
        (pa.table({"a": [1, 2]}), [1, 2], {}, "1 columns"),
        (np.array(5), [1], {}, r"shape \(\)"),
        ("ab", "ab", {}, "of type str"),
        ({1, 2}, [1, 2], {}, "of type set"),
        ({1: 2}, [1], {}, r"pass dict\(zip\(ids, labels\)\)"),
        (5, [1], {}, "of type int"),
        ([0.25, 1], [1, 2], {}, "0.25: .*probability"),
        (np.array([1, 0.5]), [1, 2], {}, "0.5: "),
        ([1, "a", 0.5], [1, 2, 3], {}, "0.5: "),
        (pl.Series([0.5]), [1], {}, "0.5"),
        (pd.Series([0.5], dtype="Float64"), [1], {}, "0.5"),
        (pd.Series([0.5, 1.5], dtype="category"), [1, 2], {}, "0.5"),
        ([np.inf, 1.0], [1, 2], {}, "inf"),
        (np.array([1j]), [1], {}, "dtype complex128"),
        ([{1}, 1], [1, 2], {}, "holds a set"),
        ([None, None], [1, 2], {"missing": "drop"}, "nothing to count"),
        ([1, 2], [1, 2], {"missing": "dorp"}, "Did you mean 'drop'"),
        ([1, 2], [1, 2], {"noise": "singleton"}, "Did you mean 'singletons'"),
        ([1, 2], [1, 2], {"weights": [1, -1]}, "-1 at position 1"),
        ([1, 2], [1, 2], {"weights": [1, np.nan]}, "nan at position 1"),
        ([1, 2], [1, 2], {"weights": [1]}, "one weight for each of 2 objects"),
        ([1, 2], [1, 2], {"weights": ["a", "b"]}, "one non-negative number"),
        ([1, 2], [1, 2], {"weights": [0, 0]}, "nothing to count"),
        ([1, 2], [1, 2], {"align": True}, "truth has no ids"),
    ],
)  # fmt: skip
def test_wrong_labels(truth, pred, options, message):
    with pytest.raises(ClusterbitsError, match=message):
        from_labels(truth, pred, **options)


def test_pandas_indexes():
    truth = pd.Series(list("abc"), index=[10, 11, 12])
    pred = pd.Series([3, 2, 1], index=[12, 11, 10])
    joined = from_labels(truth, pred)
    assert joined.to_dense().tolist() == np.eye(3).tolist()
    assert from_labels(truth, pred.astype("category")) == joined
    assert from_labels(truth, pred.reset_index(drop=True)) == from_labels(list("abc"), [3, 2, 1])
    with pytest.raises(LabelError, match=r"1 of truth \(such as 12\) and 1 of pred"):
        from_labels(truth, pd.Series([1, 2, 3], index=[10, 11, 99]))
    with pytest.raises(LabelError, match="truth has the id 0 twice"):
        from_labels(pd.Series([1, 2, 3], index=[0, 0, 1]), pd.Series([1, 2, 3], index=[0, 1, 0]))
    weights = pd.Series([1, 10, 100], index=[12, 11, 10])
    weighted = from_labels(truth, pred.sort_index(), weights=weights)
    assert weighted.class_sizes.tolist() == [100, 10, 1]


def every_use(truth, pred, **options):
    """Return the Rand index by every function that takes two label sequences."""
    weighted = "weights" in options
    ways = [
        lambda: cb.rand(from_labels(truth, pred, **options)),
        lambda: cb.rand(truth, pred, **options),
        lambda: cb.evaluate(truth, pred, "rand", **options).rows[0].value,
        lambda: cb.evaluate(truth, {"x": pred}, "rand", **options).rows[0].value,
        lambda: cb.pairwise({"t": truth, "p": pred}, measure="rand", **options)["t", "p"],
    ]
    if not weighted:
        ways += [
            lambda: (
                cb.interval(truth, pred, measure="rand", n_resamples=10, rng=1, **options).value
            ),
            lambda: (
                cb.permutation_test(truth, pred, measure="rand", n_resamples=10, **options).value
            ),
            lambda: (
                cb.compare(truth, pred, pred, measure="rand", n_resamples=10, **options)["a"].value
            ),
            lambda: (cb.codec.encode(truth, pred, **options), cb.rand(truth, pred, **options))[1],
        ]
    return ways


LABELS = np.random.default_rng(0).integers(0, 4, 100)
NAMED = [f"id {i}" for i in range(100)]


@pytest.mark.parametrize(
    ("index", "other", "message"),
    [
        (range(5, 95), range(10, 100), "the ids do not match"),
        (NAMED[:90], NAMED[10:], "the ids do not match"),
        (range(90), range(89, -1, -1), "default index.*in another order"),
        (range(90), [*range(1, 90), 0], "default index.*in another order"),
    ],
)
def test_other_indexes_are_not_compared_by_position(index, other, message):
    truth = pd.Series(LABELS[: len(index)], index=index)
    pred = pd.Series(LABELS[: len(other)], index=other)
    for one, two in ((truth, pred), (pred, truth)):
        for way in every_use(one, two):
            with pytest.raises(LabelError, match=message):
                way()


@pytest.mark.parametrize(
    "other", [range(90), NAMED[:90], np.random.default_rng(1).permutation(200)[:90]]
)
def test_the_default_index_is_compared_by_position(other):
    truth = pd.Series(LABELS[:90])
    pred = pd.Series(LABELS[:90], index=other)
    for one, two in ((truth, pred), (pred, truth), (truth.tolist(), pred), (pred, LABELS[:90])):
        assert {way() for way in every_use(one, two)} == {1.0}
    assert {way() for way in every_use(pred, pred, weights=truth + 1)} == {1.0}


def test_align_joins_in_every_function():
    truth = pd.Series(LABELS, index=NAMED)
    pred = truth.sample(frac=1, random_state=1)
    assert {way() for way in every_use(truth, pred, align=True)} == {1.0}
    assert {way() for way in every_use(truth, pred, weights=pred + 1, align=True)} == {1.0}
    with pytest.raises(LabelError, match="truth has no ids"):
        cb.compare(truth.tolist(), truth, pred, measure="rand", n_resamples=10)


WEIGHTS = {
    "tiny": ([1e-101] * 4, "1e-100"),
    "squares underflow": ([1e-200] * 4, "1e-100"),
    "subnormal": ([5e-324] * 4, "1e-100"),
    "large": ([1e300] * 4, r"2\^63"),
    "sum is infinite": ([1.5e308] * 4, r"2\^63|infinite"),
    "large integers": ([10**200] * 4, r"2\^63"),
    "past int64": ([2**61] * 4, r"2\^63"),
    "past floats": ([10**400] * 4, "too large|past"),
    "infinite": ([np.inf, 1, 1, 1], "inf at position 0; weights are finite"),
    "NaN": ([1, np.nan, 1, 1], "nan at position 1; weights are finite"),
    "negative": ([1, -0.5, 1, 1], "-0.5 at position 1; weights are finite"),
    "negative Decimal": ([Decimal(1), Decimal("-0.5"), 1, 1], "-0.5 at position 1"),
    "infinite Decimal": ([Decimal("inf"), 1, 1, 1], "inf at position 0; weights are finite"),
    "NaN Decimal": ([1, 1, 1, Decimal("nan")], "nan at position 3"),
    "None": ([1, None, 1, 1], "nan at position 1"),
    "masked": (np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[0, 0, 1, 0]), "nan at position 2"),
    "masked integers": (np.ma.array([1, 2, 3, 4], mask=[0, 0, 1, 0]), "nan at position 2"),
    "pandas NA": (pd.Series([1, None, 2, 3], dtype="Int64"), "position 1"),
    "pandas arrow": (pd.Series([1, None, 2, 3], dtype="int64[pyarrow]"), "position 1"),
    "polars null": (pl.Series([1, None, 2, 3]), "position 1"),
    "arrow null": (pa.array([1, None, 2, 3]), "position 1"),
    "text": (["1", "2", "3", "4"], "dtype <U1"),
    "objects": ([1, 2, 3, "4"], "dtype <U"),
    "complex": ([1j, 1, 1, 1], "dtype complex128"),
    "ragged": ([1, 2, 3, [4]], "no sequence of numbers"),
    "a mapping": ({1: 2}, "truth has no ids"),
    "a number": (3, "one non-negative number"),
    "dates": (np.array([1, 2, 3, 4], dtype="M8[D]"), "dtype datetime64"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_wrong_weights(case):
    weights, message = WEIGHTS[case]
    for way in every_use([0, 0, 1, 1], [0, 1, 1, 1], weights=weights):
        with pytest.raises(ClusterbitsError, match=message):
            way()


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
        ([Decimal("0.5"), Decimal("0.25"), Decimal(1), Decimal(2)], [0.5, 0.25, 3.0]),
        ([Decimal(2**60), Decimal(1), Decimal(1), Decimal(1)], [2**60, 1, 2]),
    ],
    ids=["integers", "booleans", "floats", "decimals", "whole decimals"],
)
def test_weights_in_any_sequence(make, weights, counts):
    table = from_labels([0, 0, 1, 1], [0, 1, 1, 1], weights=make(weights))
    assert table.counts.tolist() == counts
    assert table.exact == (float not in map(type, counts))


def test_fractions_are_weights():
    table = from_labels([0, 1], [0, 1], weights=[Fraction(1, 4), Fraction(2)])
    assert table.counts.tolist() == [0.25, 2]


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
