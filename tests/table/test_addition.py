"""Tables added up: in any order, batch by batch; names meet, counts outgrow int64."""

import datetime
from contextlib import suppress
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import tables
from support.texts import write_texts

import clusterbits as cb
from clusterbits.errors import LabelError, TableError
from clusterbits.table.adding import merge_names
from clusterbits.table.label_names import as_names


def test_batches():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 5, 1000), rng.integers(-1, 7, 1000)
    parts = [slice(i, i + 90) for i in range(0, 1000, 90)]
    table = cb.Contingency.from_labels(truth, pred)
    assert cb.Contingency.from_batches((truth[p], pred[p]) for p in parts) == table
    frames = [pa.table({"c": truth[p], "k": pred[p]}) for p in parts]
    assert cb.Contingency.from_batches(frames, "c", "k") == table
    batches = pa.Table.from_batches([b for f in frames for b in f.to_batches()]).to_reader(50)
    assert cb.Contingency.from_batches(batches, "c", "k") == table
    alone = cb.Contingency.from_batches(((truth[p], pred[p]) for p in parts), noise="singletons")
    assert alone == cb.Contingency.from_labels(truth, pred, noise="singletons")
    with pytest.raises(LabelError, match="no batch has"):
        cb.Contingency.from_batches([])


from_counts = cb.Contingency.from_counts


def test_adding():
    a = cb.Contingency.from_labels(["x", "y"], [1, 2])
    b = cb.Contingency.from_labels(["y", "w"], [2, 3])
    assert (a + b).classes == ("w", "x", "y")
    assert (a + b).to_dense().tolist() == [[0, 0, 1], [1, 0, 0], [0, 2, 0]]
    assert sum([a, b, a]) == a + b + a
    total = from_counts([[1], [2]], classes=["low", "high"]) + from_counts([[1]], classes=["mid"])
    assert total.classes == ("low", "high", "mid")
    with pytest.raises(TypeError, match="unsupported operand"):
        a + 1
    with pytest.raises(TableError, match=r"2\^63"):
        from_counts([[2**62]]) + from_counts([[2**62]])
    real = from_counts([[2**60]]) + cb.Contingency.expected([[1.0]], n=0.5)
    assert not real.exact


@given(tables(), tables(), tables())
def test_adding_is_associative_and_commutative(a, b, c):
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert ((a + b) + c).classes == (a + (b + c)).classes


def test_noise_stays_alone_in_sums(tmp_path):
    parts = write_texts(tmp_path, a="t,k\na,-1\nb,1\n", b="t,k\nb,-1\nb,1\n")
    at_once = cb.Contingency.from_file(parts, noise="singletons")
    tables = [cb.Contingency.from_file(part, noise="singletons") for part in parts]
    assert tables[0] + tables[1] == tables[1] + tables[0] == at_once
    assert sum(tables, start=tables[0]).cluster_sizes.max() == 3  # cluster 1, and noise alone
    for i, table in enumerate(tables):
        table.save(tmp_path / f"{i}.json")
    assert sum(cb.Contingency.load(tmp_path / f"{i}.json") for i in range(2)) == at_once


def test_noise_is_the_last_cluster_of_a_sum():
    first = cb.Contingency(["a"], [1])
    second = cb.Contingency(["a"] * 3, [0, -1, None], noise="singletons", missing="class")
    assert (first + second).clusters == (second + first).clusters == (0, 1, None, (-1, 1))


def test_integers_and_text_meet_as_text(tmp_path):
    parts = write_texts(tmp_path, a="t,k\n1,01\n2,10\n", b="t,k\n1,10\nunknown,11\n")
    at_once = cb.Contingency.from_file(parts)
    first, other = (cb.Contingency.from_file(part) for part in parts)
    assert first + other == other + first == at_once
    assert at_once.classes == ("1", "2", "unknown")
    mixed = cb.Contingency.from_labels([1, "1"], [0, 0])
    assert (mixed + mixed).classes == mixed.classes


@pytest.mark.parametrize(
    ("sides", "names", "codes"),
    [
        ([["a", "c"], ["b"]], ["a", "b", "c"], [[0, 2], [1]]),
        ([["c", "a"], ["b"]], ["c", "a", "b"], [[0, 1], [2]]),  # not sorted: as they came
        ([[1, 2], ["x"]], ["1", "2", "x"], [[0, 1], [2]]),
        ([[1, "1"], ["1", 1]], [1, "1"], [[0, 1], [1, 0]]),  # all have 1 and "1": two names
        ([[1, "a"], [10], ["b"]], ["1", "10", "a", "b"], [[0, 2], [1], [3]]),
        ([["a", None], ["b"]], ["a", "b", None], [[0, 2], [1]]),
        ([["a"], ["a"]], ["a"], [[0], [0]]),
    ],
)
def test_names_of_both_sides(sides, names, codes):
    union, coded = merge_names([as_names(side) for side in sides])
    assert union.tolist() == names
    assert [labels.tolist() for labels in coded] == codes


def sum_or_error(parts):
    try:
        return sum(parts)
    except TableError:
        return "refused"


def test_a_table_of_1_and_text_1_is_not_mixed_up():
    mixed = cb.Contingency.from_labels([1, "1"], [0, 0])
    with pytest.raises(TableError, match=r"the labels 1 and '1'.*Rename"):
        mixed + cb.Contingency.from_labels(["x"], [0])
    assert mixed != cb.Contingency.from_labels(["1", "x"], [0, 0])


def test_clusters_called_like_noise_singletons(tmp_path):
    names = [(-1, 1), (-1, 0), (-1, 2)]
    table = cb.Contingency.from_counts([[1, 0, 0], [0, 1, 1]], clusters=names)
    table += cb.Contingency.from_labels([0, 1], [-1, -1], noise="singletons")
    assert table.shape == (2, 5)
    assert len(set(table.clusters)) == 5
    table.save(tmp_path / "table.json")
    assert cb.Contingency.load(tmp_path / "table.json") == table
    other = cb.Contingency.from_labels([0], [-1], noise="singletons")
    for total in (table + other, other + table, cb.Contingency.from_batches([other, table])):
        assert sorted(total.cluster_sizes.tolist()) == [1] * 6
    assert (table + table).cluster_sizes.tolist().count(2) == 3


@pytest.mark.parametrize("number", [1, 2, Decimal(1)])
def test_booleans_and_other_numbers_are_not_added(number):
    parts = [cb.Contingency.from_labels([x], ["a"]) for x in (number, True, "x")]
    for order in (parts[:2], *permutations(parts)):
        for batches in (order, [table.transpose() for table in order]):
            with pytest.raises(TableError, match=r"True and [12], a boolean and a number"):
                cb.Contingency.from_batches(batches)
    assert (parts[1] + parts[2] + parts[1]).n == 3


class Level(IntEnum):
    LOW = 1
    HIGH = 2


ANY_KIND = st.one_of(
    st.sampled_from([-1, 0, 1, 2, 10**30, 1.0, 2.0, Decimal(1), Fraction(2), np.int64(1)]),
    st.booleans(),
    st.none(),
    st.sampled_from(["", "0", "1", "-1", "01", "True", "x", b"", b"1", (1,), (True,), ("1", None)]),
    st.sampled_from([datetime.date(2024, 5, 1), datetime.datetime(2024, 5, 1)]),
    st.sampled_from([datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC), datetime.timedelta(1)]),
    st.sampled_from([Level.LOW, Level.HIGH]),
)


def bracketed(parts, data):
    """Return the sum of the parts, bracketed at random, or "refused"."""
    if len(parts) == 1:
        return parts[0]
    cut = data.draw(st.integers(1, len(parts) - 1))
    sides = bracketed(parts[:cut], data), bracketed(parts[cut:], data)
    return "refused" if "refused" in sides else sum_or_error(sides)


@settings(max_examples=100)
@given(
    st.lists(st.lists(ANY_KIND, min_size=1, max_size=3, unique=True), min_size=2, max_size=4),
    st.data(),
)
def test_sums_of_any_labels_do_not_depend_on_order_and_brackets(labels, data):
    parts = [cb.Contingency.from_counts([[1] * len(x)], ["a"], x) for x in labels]
    total = bracketed(parts, data)
    other = bracketed(data.draw(st.permutations(parts)), data)
    at_once = "refused"
    with suppress(TableError):
        at_once = cb.Contingency.from_batches(data.draw(st.permutations(parts)))
    assert total == other == at_once
    if total != "refused":
        assert set(total.clusters) == set(other.clusters) == set(at_once.clusters)


def test_coverages_add_up(tmp_path):
    """What parts left out is not forgotten in their sum, in any bracketing, saved or not."""
    lost = cb.Contingency.from_labels(["x", "y", None], [1, 2, 3], missing="drop")
    part = cb.Contingency.from_labels(["x", "y", "y", None], [1, 2, 1, 1], missing="drop")
    complete = cb.Contingency.from_labels(["x", "z"], [1, 4])
    assert (part + complete).coverage == cb.Coverage(5, 6, 3, 3)
    expected = cb.Coverage(7, 9, 3, None)  # which clusters were lost is not known
    for total in ((lost + part) + complete, lost + (part + complete), complete + part + lost):
        assert total.coverage == expected
        assert str(total.coverage) == "scored 7 of 9 objects (0.778)"
        total.save(tmp_path / "t.json")
        assert cb.Contingency.load(tmp_path / "t.json").coverage == expected
    assert (complete + complete).coverage is None
    batches = [(["x", "y", None], [1, 2, 3]), (["x", None], [1, 1])]
    coverage = cb.Contingency.from_batches(batches, missing="drop").coverage
    assert coverage == cb.Coverage(3, 5, 2, 3)


def test_noise_singletons_are_one_cluster_of_the_coverage():
    options = {"noise": "singletons", "truth_noise": "y"}
    part = cb.Contingency(list("xxxxy"), [0, 1, -1, -1, 0], **options)
    assert part.coverage == cb.Coverage(4, 5, 3, 3)
    assert (part + part).coverage == cb.Coverage(8, 10, 3, 3)
    unnamed = cb.Contingency(list("xxy"), [0, None, 1], missing="class", truth_noise="y")
    assert (unnamed.coverage, (unnamed + unnamed).coverage.clusters) == (cb.Coverage(2, 3, 1, 2), 1)


def test_an_integer_and_its_text_with_a_point_are_not_added(tmp_path):
    for name, last in {"a": "2.0", "b": "x"}.items():
        (tmp_path / f"{name}.csv").write_text(f"t,p\n1.0,1\n{last},2\n")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert cb.Contingency.from_file(paths).classes == ("1.0", "2.0", "x")
    first, second = map(cb.Contingency.from_file, paths)
    with pytest.raises(TableError, match=r"the label 1 and another the text '1\.0'"):
        first + second
