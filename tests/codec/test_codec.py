"""The code: round trips, lengths against the measures, and codes that were tampered with."""

import contextlib
import hashlib
import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import plain_decoder
from support.mutations import mutated, sealed
from support.paths import compiled, on_both_paths
from support.samples import DEGENERATE, labels_of

import clusterbits as cb
from clusterbits.cli.demo import load_digits
from clusterbits.codec.table_columns import SentTable, code_table
from clusterbits.codec.urns import Decoder, Encoder
from clusterbits.errors import CodeError, LabelError
from clusterbits.system import kernels

KINDS = {"entropy": cb.q0, "enumerative": cb.q0_enumerative}
kinds = pytest.mark.parametrize("kind", KINDS)
integers = st.one_of(st.integers(-3, 3), st.integers(-(2**70), 2**70))
texts = st.text(st.characters(exclude_categories=()), max_size=4)  # surrogates and NULs too
# Booleans beside integers are refused.
class_names = st.sampled_from([st.one_of(integers, texts), st.one_of(st.booleans(), texts)])


@st.composite
def labelings(draw):
    """Draw classes of any kind and clusters: few of each, or nearly all different."""
    n = draw(st.integers(1, 60))
    most = draw(st.sampled_from([1, 3, 60]))
    names = draw(st.lists(draw(class_names), min_size=1, max_size=most))
    truth = draw(st.lists(st.sampled_from(names), min_size=n, max_size=n))
    most = draw(st.sampled_from([1, 4, 60]))
    return truth, draw(st.lists(st.integers(0, most), min_size=n, max_size=n))


def clustering(n, classes, clusters, noise=0.2, seed=0):
    """Return classes and clusters that agree but for some noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    pred = truth * clusters // classes + rng.integers(0, max(clusters // classes, 1), n)
    stray = rng.random(n) < noise
    pred[stray] = rng.integers(0, clusters, stray.sum())
    return truth, pred


def coded(truth, pred, kind):
    """Return the code of labels, after it was decoded and its length compared with the promise."""
    code = cb.codec.encode(truth, pred, kind)
    found = cb.codec.decode(code, pred).tolist()
    assert found == list(truth)
    assert list(map(type, found)) == list(map(type, list(truth)))
    names = json.dumps(list(dict.fromkeys(truth)), ensure_ascii=False, separators=(",", ":"))
    bits = 8 * (len(code) - len(names.encode("utf-8", "surrogatepass")))
    ideal = len(truth) * KINDS[kind](truth, pred)
    assert ideal + 175 <= bits <= ideal + 200
    return code


# --- round trips and lengths ---------------------------------------------------------------------


@given(labelings(), st.sampled_from([*KINDS]))
def test_any_labels_on_both_paths(labeling, kind):
    code, plain = on_both_paths(coded, *labeling, kind)
    assert code == plain


@kinds
@pytest.mark.parametrize("name", [name for name in DEGENERATE if np.sum(DEGENERATE[name]) < 1000])
def test_degenerate_tables(name, kind):
    coded(*labels_of(cb.Contingency.from_counts(DEGENERATE[name])), kind)


@kinds
@pytest.mark.parametrize(
    ("n", "classes", "clusters", "noise"),
    [
        (10**6, 10, 12, 0.2),
        (10**6, 10, 12, 0.001),
        (10**5, 300, 20, 0.3),
        (10**5, 10, 30_000, 0.2),
        (10**5, 20_000, 40, 0.2),
        (30_000, 9000, 9000, 0.2),
        (10**5, 1, 9, 0.2),
    ],
)
def test_large_tables(n, classes, clusters, noise, kind):
    truth, pred = clustering(n, classes, clusters, noise)
    coded(truth.tolist(), pred.tolist(), kind)


@compiled
@given(st.integers(0, 2**32), st.sampled_from([*KINDS]))
def test_kernel_and_python_write_the_same_bytes(seed, kind):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([200, 2000]))
    truth, pred = (
        (distinct * rng.random(n) ** rng.choice([1, 4])).astype(int).tolist()
        for distinct in rng.choice([2, 12, 200], 2)
    )
    code, plain = on_both_paths(coded, truth, pred, kind)
    assert code == plain


@pytest.mark.parametrize("bars", [1, 7, 70, 3000])
@pytest.mark.parametrize("size", [1, 5, 100, 2000, 50_000])
def test_every_column_costs_the_same(bars, size):
    """Equation (3): pure, mixed or skewed, a column is one of as many as there are."""
    places = np.arange(bars + 1)
    lengths = []
    for weights in (places == 0, places == bars, places >= 0, 1 / (1 + places)):
        column = np.random.default_rng(bars).multinomial(size, weights / weights.sum())
        present = np.flatnonzero(column)
        table = SentTable(np.zeros_like(present), present, column[present])
        coder = Encoder()
        code_table(coder, np.array([size]), bars + 1, table)
        code = coder.finish()
        lengths.append(len(code))
        found = code_table(Decoder(code), np.array([size]), bars + 1, None)
        assert all(np.array_equal(a, b) for a, b in zip(found, table, strict=True))
    assert max(lengths) - min(lengths) <= 1


@compiled
def test_a_carry_runs_through_written_bytes(monkeypatch):
    """Nearly all of a range, again and again, writes 255s; one more ball then adds up to 256."""
    begins, counts, carries = np.array([0, 2]), np.array([1, 255]), []
    raise_start = Encoder._raise_start

    def watched(self, step):
        if self._start + step >= 2**64:
            carries.append(bytes(self._code[-1:]))
        raise_start(self, step)

    monkeypatch.setattr(Encoder, "_raise_start", watched)

    def code_of(balls):
        coder = Encoder()
        coder.draw(balls * 0, begins, counts, balls, replacement=True)
        return coder.finish()

    for ones in range(1, 60):
        balls = np.array([1] * ones + [0] * 3 + [1] * 3)
        code, plain = on_both_paths(code_of, balls)
        assert code == plain
        found = Decoder(code).draw(balls * 0, begins, counts, None, replacement=True)
        assert np.array_equal(found, balls)
    assert b"\xff" in carries


def test_code_lengths():
    digits = load_digits()
    truth, pred = digits["digit"], digits["ward_12"]
    lengths = cb.codec.code_lengths(truth, pred)
    table = cb.Contingency.from_labels(truth, pred)
    for kind, measure in KINDS.items():
        row = lengths[kind]
        assert row.file == 8 * len(cb.codec.encode(truth, pred, kind))
        assert row.header + row.table + row.labels + row.coder == pytest.approx(row.file)
        assert 0 <= row.coder <= 9
        assert row.table == table.n * table.table_bits()
        assert row.predicted == table.n * measure(table) == pytest.approx(row.table + row.labels)
    assert lengths["entropy"].labels == pytest.approx(table.n * cb.conditional_entropy(table))
    alone = cb.Contingency.from_labels(truth, [0] * len(truth))
    assert lengths["one cluster"].predicted == pytest.approx(alone.n * cb.q0(alone))
    assert lengths.saved == lengths["one cluster"].file - lengths["entropy"].file > 4000
    assert lengths.to_dicts() == [row._asdict() for row in lengths.rows]
    with pytest.raises(ValueError, match=r"no 'entropi' here.*Did you mean 'entropy'"):
        lengths["entropi"]
    assert lengths == cb.codec.code_lengths(truth, [str(k) for k in pred])


# --- the format ----------------------------------------------------------------------------------


def test_containers_give_one_code():
    import pandas as pd
    import polars as pl

    truth, pred = ["b", "a", "b", "ç"], [3, 3, 1, 1]
    code = cb.codec.encode(truth, pred)
    for same in (np.array(truth), pd.Series(truth), pl.Series(truth), pd.Categorical(truth)):
        assert cb.codec.encode(same, pl.Series(pred)) == code
        assert cb.codec.decode(code, pd.Series(["x", "x", "y", "y"])).tolist() == truth
    assert cb.codec.encode([1.0, 2.0], [0, 0]) == cb.codec.encode(
        np.array([1, 2], np.uint8), [0, 0]
    )
    assert cb.codec.decode(cb.codec.encode([1, 2], [0, 0]), [0, 0]).dtype == np.int64
    assert cb.codec.decode(cb.codec.encode([True, False], [0, 0]), [0, 0]).dtype == np.bool_
    far = np.array([2**64 - 1, 0, 2**63], dtype=np.uint64)
    assert cb.codec.decode(cb.codec.encode(far, [0, 0, 1]), [0, 0, 1]).tolist() == far.tolist()


@kinds
@pytest.mark.parametrize(("n", "classes"), [(1, 1), (40, 4), (900, 7), (900, 150), (700, 300)])
def test_the_format_is_the_documented_one(n, classes, kind):
    truth, pred = (labels.tolist() for labels in clustering(n, classes, 3, 0.5))
    for some in (["é", -5, 2**80, "x"], ["é", True, False, "x"]):
        other = str if True in some else int
        names = [some[c] if c < 4 else other(c) for c in truth]
        assert plain_decoder.decode(cb.codec.encode(names, pred, kind), pred) == names


def test_the_bytes_stay_the_same():
    """The first is the example of docs/reference/code_format.md."""
    code = cb.codec.encode(list("aabbbcab"), [1, 1, 1, 2, 2, 2, 3, 3])
    assert code.hex() == (
        "8e636c620008000000dc5dbbca51245b2261222c2262222c2263225d002c181bef88f439b3dc"
    )
    sums = []
    for classes, clusters in ((10, 12), (300, 7)):
        truth = np.arange(150_000) ** 2 // 7 % classes
        for kind in KINDS:
            code = cb.codec.encode(truth, np.arange(150_000) // 5 % clusters, kind)
            sums.append(hashlib.blake2b(code, digest_size=8).hexdigest())
    assert sums == ["d274e3b05bee3db8", "1590560d671f8871", "f7f404a8c27dd2ea", "849ff1c0634260f9"]


# --- refusals ------------------------------------------------------------------------------------


def test_clusters_may_be_renamed_but_not_changed():
    truth, pred = ["a", "b", "b", "c", "a"], [2, 2, 0, 0, 1]
    code = cb.codec.encode(truth, pred)
    assert cb.codec.decode(code, list("xxyyz")).tolist() == truth
    for other in ([2, 2, 0, 0, 0], [2, 0, 2, 0, 1], [0, 1, 2, 3, 4]):
        with pytest.raises(CodeError, match="another clustering"):
            cb.codec.decode(code, other)
    for other in ([2, 2, 0, 0], [2, 2, 0, 0, 1, 1], []):
        with pytest.raises(CodeError, match="the code was made with 5"):
            cb.codec.decode(code, other)


def test_every_flipped_bit_and_every_cut_is_refused():
    truth, pred = clustering(300, 4, 5)
    code = cb.codec.encode([f"class {c}" for c in truth], pred)
    for i in range(8 * len(code)):
        changed = bytearray(code)
        changed[i // 8] ^= 1 << i % 8
        said = "not a clusterbits code" if i < 32 else "checksum is wrong"
        with pytest.raises(CodeError, match=said):
            cb.codec.decode(bytes(changed), pred)
    for end in range(len(code)):
        said = "not a clusterbits code" if end < 4 else "checksum is wrong"
        with pytest.raises(CodeError, match=said):
            cb.codec.decode(code[:end], pred)
    with pytest.raises(CodeError, match="checksum"):
        cb.codec.decode(code + b"\0", pred)


@given(labelings(), st.sampled_from([*KINDS]), st.integers(0, 2**32))
def test_forged_codes_are_refused_or_codes_of_other_labels(labeling, kind, seed):
    """With the checksum put right, a code may be another one; both paths agree on it."""
    truth, pred = labeling
    code = sealed(mutated(cb.codec.encode(truth, pred, kind)[:-6], random.Random(seed)))

    def outcome():
        try:
            return cb.codec.decode(code, pred).tolist()
        except CodeError as error:
            return str(error)

    found, plain = on_both_paths(outcome)
    assert found == plain
    assert isinstance(found, str) or len(found) == len(truth)


def forged(kind=0, n=4, pred=(0, 0, 0, 0), names=b"[5]", payload=b"\0\0"):
    fingerprint = plain_decoder.digest(np.array(pred, dtype="<u4").tobytes())
    return sealed(
        b"\x8eclb" + bytes([kind]) + n.to_bytes(4, "little") + fingerprint + names + payload
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (b"", "not a clusterbits code"),
        (b"PK\x03\x04 something else", "not a clusterbits code"),
        (sealed(b"\x8eclb"), "checksum is wrong"),
        (forged(kind=7), "of kind 7"),
        (forged(n=5), "pred has 4 labels"),
        (forged(n=2**32 - 1), "pred has 4 labels"),
        (forged(pred=(0, 0, 0, 1)), "another clustering"),
        (forged(names=b""), "names cannot be read"),
        (forged(names=b"[1"), "names cannot be read"),
        (forged(names=b"[" * 10**5), "names cannot be read"),
        (forged(names=b"[" + b"9" * 10**4 + b"]"), "names cannot be read"),
        (forged(names=b'["\xff"]'), "names cannot be read"),
        (forged(names=b'{"a":1}'), "not integers, strings and booleans"),
        (forged(names=b"[1.5]"), "not integers, strings and booleans"),
        (forged(names=b"[[1]]"), "not integers, strings and booleans"),
        (forged(names=b"[]"), "no classes"),
        (forged(names=b"[1,true]"), "equal ones"),
        (forged(names=b"[1,2,3,4,5]"), "more than objects"),
        (forged(payload=b""), "does not end"),
        (forged(payload=b"\0"), "does not end"),
        (forged(payload=b"\0\0\0"), "does not end"),
        (forged(payload=b"\0\1"), "does not end"),
        (forged(names=b"[1,2]", payload=b"\0" + b"\xff" * 9), "invalid symbol"),
        (forged(names=b"[1,2]", payload=b"\0" + bytes(99)), "does not end"),
    ],
)
def test_forged_headers_are_refused(code, said):
    with pytest.raises(CodeError, match=said):
        cb.codec.decode(code, [0, 0, 0, 0])


@pytest.mark.parametrize("code", ["text", 5, None, [1, 2]])
def test_a_code_is_bytes(code):
    with pytest.raises(CodeError, match="a code must be bytes"):
        cb.codec.decode(code, [0])


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ([1, None], r"truth has 1 missing label, the first at position 1\. A code has a label"),
        ([(1, 2), "a"], "a tuple, which is not a label"),
        ([b"a", b"b"], "of type bytes"),
        (np.array([b"a", b"b"]), "of type bytes"),
        (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), "of type date"),
        ([0.5, 1.0], "not whole"),
        ([1, 2, 3], "they must label the same objects"),
        ([], "truth is empty"),
        (cb.Contingency.from_counts([[1]]), "Labels are one for each object"),
        ({"a": 1, "b": 2}, "truth has ids"),
    ],
)
def test_what_cannot_be_encoded(truth, said):
    for function in (cb.codec.encode, cb.codec.code_lengths):
        with pytest.raises(LabelError, match=said):
            function(truth, [0, 1])


def test_clusters_must_be_complete():
    with pytest.raises(LabelError, match="pred is of type NoneType"):
        cb.codec.encode([1, 2])
    with pytest.raises(LabelError, match="pred has 1 missing label, the first at position 0"):
        cb.codec.encode([1, 2], [None, 1])
    with pytest.raises(LabelError, match="pred has 1 missing label, the first at position 1"):
        cb.codec.decode(cb.codec.encode([1, 2], [0, 1]), [1, None])
    with pytest.raises(ValueError, match="labels: 'huffman' is not one of"):
        cb.codec.encode([1, 2], [0, 1], labels="huffman")


def test_pandas_indexes():
    import pandas as pd

    truth, pred = pd.Series(["a", "b", "b"]), pd.Series([5, 6, 7], index=[2, 1, 0])
    for function in (cb.codec.encode, cb.codec.code_lengths):
        with pytest.raises(LabelError, match="in another order"):
            function(truth, pred)
        assert function(truth, pred, align=True) == function(["b", "b", "a"], [5, 6, 7])


def test_joined_labels_are_decoded_in_the_order_of_the_clusters():
    import pandas as pd

    truth = pd.Series([*"aabb"], index=[5, 6, 7, 8])
    pred = pd.Series([0, 0, 1, 1], index=[8, 7, 6, 5])
    assert cb.codec.decode(cb.codec.encode(truth, pred), pred).tolist() == [*"bbaa"]


# --- the kernel ----------------------------------------------------------------------------------


@compiled
@given(st.integers(0, 2**32))
def test_the_kernel_trusts_nothing(seed):
    """Urns that no table has give an error or wrong balls, and nothing else."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([3, 300]))
    kinds = int(rng.integers(0, 9))
    begins = np.sort(rng.integers(-1, kinds + 2, int(rng.integers(0, 5))))
    counts = rng.choice([0, 1, 5, 2**31, 2**40, -1], kinds, p=[0.2, 0.3, 0.3, 0.1, 0.05, 0.05])
    state = rng.integers(0, 2**64, 3, dtype=np.uint64)
    state[2] = rng.integers(0, 20)
    decoding, replacement = rng.random(2) < 0.5
    code = bytearray(rng.bytes(int(rng.choice([0, 9, 4 * n + 20]))))
    balls = rng.integers(0, kinds + 1, n, dtype=np.uint32)
    urns = rng.integers(0, 3, n, dtype=np.uint32)
    arguments = (code, state, urns, begins, counts, balls, decoding, replacement)
    with contextlib.suppress(ValueError):  # they do not fit together
        assert kernels.native.draw_balls(*arguments) in (True, False)
