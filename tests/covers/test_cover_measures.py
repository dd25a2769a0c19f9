"""Measures between covers and fuzzy partitions: oracles, peers, declarations, degenerate input."""

import json
import tracemalloc
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from support import covers as oracle
from support.covers import DECLARED, as_clusters, random_degrees, random_sets

import clusterbits as cb
from clusterbits.covers.fuzzy import disagreement_of_pairs, disagreement_of_rows
from clusterbits.covers.sharing import count_by_pairs, count_by_subsets
from clusterbits.errors import ClusterbitsError, MeasureError
from clusterbits.measures.catalogue import get_measure
from clusterbits.table.numbering import group_objects

CDLIB = json.loads((Path(__file__).parents[1] / "data/cdlib_covers.json").read_text())
Memberships = cb.covers.Memberships
from_label_sets = Memberships.from_label_sets
BETWEEN = {name: entry for name, entry in DECLARED.items() if name != "q0_soft"}
OF_SETS = ("omega", "bcubed_extended", "overlapping_nmi")
CLOSE = pytest.approx


def set_samples(count=40):
    """Yield pairs of covers as sets of clusters of each object, some with a cluster of all."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        n = int(rng.integers(1, 16))
        a, b = random_sets(rng, n, 4, 3), random_sets(rng, n, 5, 2)
        if rng.random() < 0.3:
            a = [names | {9} for names in a]
        if rng.random() < 0.3:
            b = [names | {8} if i else names for i, names in enumerate(b)]
        if rng.random() < 0.2:
            b = [names | {7} for names in b]
        yield a, b


def degree_samples(count=30):
    rng = np.random.default_rng(4)
    for i in range(count):
        n = int(rng.integers(2, 16))
        yield random_degrees(rng, n, 3, 0.2 * (i % 4)), random_degrees(rng, n, 4, 0.6)


# --- definitions and peers -----------------------------------------------------------------------


def test_covers_by_their_definitions():
    for a, b in set_samples():
        covers = from_label_sets(a), from_label_sets(b)
        assert cb.covers.omega(*covers) == CLOSE(oracle.omega(a, b), abs=1e-12)
        assert cb.covers.bcubed_extended(*covers) == CLOSE(oracle.bcubed(a, b), abs=1e-12)
        for part, sides in (("precision", (a, b)), ("recall", (b, a))):
            expected = oracle.bcubed_precision(*sides)
            assert cb.covers.bcubed_extended(*covers, part=part) == CLOSE(expected, abs=1e-12)
        clusters = as_clusters(a), as_clusters(b)
        for form in ("mgh", "lfk"):
            expected = oracle.overlapping_nmi(*clusters, form)
            assert cb.covers.overlapping_nmi(*covers, form=form) == CLOSE(expected, abs=1e-12)


def test_fuzzy_partitions_by_their_definitions():
    for a, b in degree_samples():
        assert cb.covers.fuzzy_rand(a, b) == CLOSE(oracle.fuzzy_rand(a, b), abs=1e-12)
        expected = oracle.frobenius_adjusted_rand(a, b)
        assert cb.covers.frobenius_adjusted_rand(a, b) == CLOSE(expected, abs=1e-9)


def test_the_mean_of_the_frobenius_index_over_all_permutations_is_zero():
    rng = np.random.default_rng(0)
    a, b = random_degrees(rng, 5, 2), random_degrees(rng, 5, 3)
    orders = [list(order) for order in permutations(range(5))]
    mean = np.mean([cb.covers.frobenius_adjusted_rand(a, b[order]) for order in orders])
    assert mean == CLOSE(0, abs=1e-12)


@pytest.mark.parametrize("case", CDLIB["cases"])
def test_cdlib(case):
    a, b = (Memberships.from_clusters(case[side]) for side in "ab")
    assert cb.covers.omega(a, b) == CLOSE(case["omega"], abs=1e-12)
    assert cb.covers.overlapping_nmi(a, b, form="lfk") == CLOSE(case["lfk"], abs=1e-12)
    assert cb.covers.overlapping_nmi(a, b, form="mgh") == CLOSE(case["mgh"], abs=1e-12)


def _clusim(clusters):
    from clusim.clustering import Clustering

    named = dict(enumerate(map(sorted, clusters)))
    return Clustering(clu2elm_dict=named)


def test_where_peers_differ():
    """The values that the docstring of overlapping_nmi names."""
    from clusim import sim

    a, b = [{0, 1, 2}, {2, 3, 4}], [{0, 1}, {1, 2, 3, 4}]
    assert cb.covers.overlapping_nmi(a, b, form="lfk") == CLOSE(0.4106, abs=5e-5)
    assert sim.onmi(_clusim(a), _clusim(b)) == CLOSE(0.4164, abs=5e-5)
    a, b = [{0, 1, 2, 3}, {0, 1}], [{0, 1, 2, 3}, {0, 1, 2}]
    assert cb.covers.overlapping_nmi(a, b, form="lfk") == CLOSE(0.674, abs=5e-4)


def test_lfk_scores_covers_with_little_in_common_high():
    """What the default of overlapping_nmi is chosen for: a pair counts as much as thousands."""
    rng = np.random.default_rng(0)
    pairs = [{i, i + 1} for i in range(0, 20, 2)]
    rest = np.arange(20, 1000)
    a, b = ([*pairs, *({*part.tolist()} for part in np.split(rng.permutation(rest), 5))]
            for _ in range(2))  # fmt: skip
    assert cb.covers.overlapping_nmi(a, b, form="lfk") > 0.65
    assert cb.covers.overlapping_nmi(a, b, form="mgh") < 0.15


def test_different_covers_may_look_the_same():
    """What the docstring of bcubed_extended says."""
    a, b = [{1, 2}, {1, 3}, {2, 3}], [{1, 2, 3}, {1}, {2}, {3}]
    assert cb.covers.bcubed_extended(a, b) == cb.covers.omega(a, b) == 1
    assert cb.covers.overlapping_nmi(a, b) < 1


# --- both ways to the same counts ----------------------------------------------------------------


def test_subsets_and_pairs_give_the_same_integers(monkeypatch):
    monkeypatch.setattr("clusterbits.covers.sharing._BLOCK", 50)
    for a, b in set_samples():
        a, b = from_label_sets(a), from_label_sets(b)
        unique = group_objects(a.row_codes, b.row_codes)
        n, a, b = len(a), a.subset(unique.examples), b.subset(unique.examples)
        by_subsets, by_pairs, done = count_by_subsets(a, b, unique), [], 0
        for part in count_by_pairs(a, b, unique):
            by_pairs.append(part._replace(rows=part.rows + done))
            done += len(part.weights)
        joined = [np.concatenate(column).tolist() for column in zip(*by_pairs, strict=True)]
        assert [column.tolist() for column in by_subsets] == joined
        assert (np.bincount(by_subsets.rows, by_subsets.counts) == n).all()


def test_rows_and_pairs_give_the_same_disagreement(monkeypatch):
    monkeypatch.setattr("clusterbits.covers.fuzzy._BLOCK", 50)
    for degrees in degree_samples():
        (a, b), ones = map(Memberships, degrees), np.ones(len(degrees[0]))
        by_rows = disagreement_of_rows(a, b, ones)
        assert disagreement_of_pairs(a, b, ones) == CLOSE(by_rows, abs=1e-12)


def test_repeated_objects():
    """They are grouped, and counted as often as they occur."""
    rng = np.random.default_rng(0)
    a, b = random_sets(rng, 12, 4, 3) * 7, random_sets(rng, 12, 3, 2) * 7
    shuffled = rng.permutation(84).tolist()
    for name, entry in BETWEEN.items():
        value = entry.function(from_label_sets(a), from_label_sets(b))
        permuted = [from_label_sets([cover[i] for i in shuffled]) for cover in (a, b)]
        assert entry.function(*permuted) == CLOSE(value, abs=1e-12), name
    assert cb.covers.omega(from_label_sets(a), from_label_sets(b)) == CLOSE(
        oracle.omega(a, b), abs=1e-12
    )


@pytest.mark.parametrize(
    ("name", "expected"), [("omega", oracle.omega), ("bcubed_extended", oracle.bcubed)]
)
def test_one_object_in_very_many_clusters(name, expected):
    """Memory grows with the pairs of objects, not with the square of the clusters of an object."""
    a = [{i % 400, 7 * i % 400} for i in range(300)] + [set(range(400))]
    b = [{i % 400, 11 * i % 400} for i in range(300)] + [set(range(400))]
    covers = from_label_sets(a), from_label_sets(b)
    tracemalloc.start()
    try:
        value = BETWEEN[name].function(*covers)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50e6
    assert value == CLOSE(expected(a, b), abs=1e-12)


def test_little_memory_changes_the_way_and_not_the_value(monkeypatch):
    a = from_label_sets([{i % 20, 20 + i % 23} for i in range(460)])
    b = from_label_sets([{i % 11, 20 + i % 17} for i in range(460)])
    expected = cb.covers.omega(a, b)
    monkeypatch.setattr("clusterbits.system.limits._machine_memory", lambda: 1e4)
    assert cb.covers.omega(a, b) == expected


# --- what they declare ---------------------------------------------------------------------------


def sides(name, flat=False):
    """Yield pairs of memberships that a measure takes."""
    rng = np.random.default_rng(5)
    if flat:
        for _ in range(40):
            n = int(rng.integers(1, 12))
            yield tuple(rng.integers(0, 4, (2, n)).tolist())
        return
    for a, b in set_samples(25):
        yield from_label_sets(a), from_label_sets(b)
    if name not in OF_SETS:
        yield from ((Memberships(a), Memberships(b)) for a, b in degree_samples(20))


@pytest.mark.parametrize("name", BETWEEN)
def test_declarations(name):
    entry = BETWEEN[name]
    for a, b in sides(name):
        value = entry.function(a, b)
        assert entry.bounds[0] <= value <= entry.bounds[1]
        assert type(value) is float
        if entry.symmetric:
            assert entry.function(b, a) == CLOSE(value, abs=1e-12)
        assert entry.function(a, a) == entry.perfect


@pytest.mark.parametrize("name", BETWEEN)
def test_order_and_names_do_not_matter(name):
    function, rng = BETWEEN[name].function, np.random.default_rng(6)
    for a, b in sides(name):
        value, degrees_a, degrees_b = function(a, b), a.to_dense(), b.to_dense()
        order = rng.permutation(len(a))
        objects = Memberships(degrees_a[order]), Memberships(degrees_b[order])
        assert function(*objects) == CLOSE(value, abs=1e-12)
        relabeled = Memberships(degrees_a[:, rng.permutation(degrees_a.shape[1])])
        assert function(relabeled, b) == CLOSE(value, abs=1e-12)
        assert function(a, relabeled) == BETWEEN[name].perfect


@pytest.mark.parametrize("name", [name for name, entry in BETWEEN.items() if entry.flat])
def test_partitions_score_as_before(name):
    entry = BETWEEN[name]
    for a, b in sides(name, flat=True):
        assert entry.function(a, b) == get_measure(entry.flat)(a, b)
        # Not only because partitions take the short way: a cluster twice is another object.
        doubled = [from_label_sets([{x, x + 10} for x in side]) for side in (a, b)]
        assert entry.function(*doubled) == CLOSE(get_measure(entry.flat)(a, b), abs=1e-9)


@pytest.mark.parametrize("name", ["fuzzy_rand", "frobenius_adjusted_rand"])
def test_a_cluster_in_two_halves(name):
    """Half the L1 norm sees no halves; products of degrees do."""
    function = BETWEEN[name].function
    for a, b in degree_samples(10):
        halves = np.hstack([a[:, 1:], a[:, :1] / 2, a[:, :1] / 2])
        same = abs(function(halves, b) - function(a, b)) < 1e-12
        assert same is (name == "fuzzy_rand")


def test_random_covers_score_zero_on_average():
    rng = np.random.default_rng(2)
    a, b = random_sets(rng, 25, 4, 2), random_sets(rng, 25, 4, 2)
    values = [
        cb.covers.omega(from_label_sets(a), from_label_sets([b[i] for i in rng.permutation(25)]))
        for _ in range(120)
    ]
    assert np.mean(values) == CLOSE(0, abs=0.03)


# --- degenerate and refused ----------------------------------------------------------------------


@pytest.mark.parametrize("name", BETWEEN)
def test_degenerate_covers(name):
    function = BETWEEN[name].function
    assert function([0], [5]) == 1
    # An object of two clusters shares two with itself, and here one.
    expected = CLOSE(2 / 3) if name == "bcubed_extended" else 1
    assert function(from_label_sets([{0, 1}]), [0]) == expected
    one_cluster = function(from_label_sets([{0, 1}] * 4), [0, 0, 0, 0])
    assert one_cluster == (0 if name == "omega" else expected)


@pytest.mark.parametrize("name", OF_SETS)
def test_degrees_are_refused_where_sets_are_compared(name):
    soft = Memberships([[0.5, 0.5], [0.7, 0.3]])
    with pytest.raises(
        MeasureError, match=rf"{name} compares sets.*a has .*row 1: 0.7.*fuzzy_rand"
    ):
        BETWEEN[name].function(soft, [0, 1])
    with pytest.raises(MeasureError, match="b has degrees"):
        BETWEEN[name].function([0, 1], soft)
    cover = Memberships(soft.to_dense() >= 0.4, normalize=True)
    assert BETWEEN[name].function(cover, cover) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cb.covers.overlapping_nmi([0], [0], form="max"),
            "form: 'max' is not one of 'mgh', 'lfk'",
        ),
        (lambda: cb.covers.bcubed_extended([0], [0], part="f"), "part: 'f' is not one of"),
    ],
)
def test_wrong_calls(call, message):
    with pytest.raises((ClusterbitsError, TypeError), match=message):
        call()


def test_large_covers_are_exact():
    """Products of pair counts past what float64 holds: 20,000 objects of few kinds."""
    a = from_label_sets([{0, 1}, {1}, {2}, {0, 2}] * 5_000)
    b = from_label_sets([{0}, {0, 1}, {1}, {1}] * 5_000)
    small = [{0, 1}, {1}, {2}, {0, 2}], [{0}, {0, 1}, {1}, {1}]
    w, total, same = 5_000, 0, 0
    rows, columns = {}, {}
    for i in range(4):
        for j in range(i, 4):
            pairs = w * (w - 1) // 2 if i == j else w * w
            s, t = (len(side[i] & side[j]) for side in small)
            total, same = total + pairs, same + pairs * (s == t)
            rows[s], columns[t] = rows.get(s, 0) + pairs, columns.get(t, 0) + pairs
    chance = sum(rows[s] * columns.get(s, 0) for s in rows)
    assert cb.covers.omega(a, b) == (total * same - chance) / (total * total - chance)


def test_sets_of_small_integers_are_clusters_of_ids():
    """Not rows of zeros and ones, whatever their length."""
    named = [[{"a", "b", "c"}, {"a"}], [{"a", "b"}, {"c"}]]
    numbered = [[{0, 1, 2}, {0}], [{0, 1}, {2}]]
    assert cb.covers.omega(*numbered) == cb.covers.omega(*named) < 1
    assert cb.covers.omega([{0, 1}, {0}], [{0, 1}]) == 1
