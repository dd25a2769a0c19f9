"""`diff` against brute force, under every form of labels, and under what must not matter."""

import math
import pickle
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, NothingToCountError

RATES = ("split_rate", "merge_rate", "jaccard_distance")
NUMBERS = (*RATES, "split_bits", "merge_bits", "change_bits", "arrived", "left", "moved")
MIRRORED = {
    "unchanged": "unchanged",
    "continued": "continued",
    "merged": "split off",
    "split": "merged",
    "dissolved": "mixed",
    "gone": "born",
}


def members(labels):
    clusters = defaultdict(set)
    for i, label in labels.items():
        clusters[label].add(i)
    return clusters


def brute_rates(old, new, weights=None):
    """Return the mean distances of the shared objects, object by object."""
    shared = [i for i in old if i in new]
    weight = {i: 1 if weights is None else weights[i] for i in shared}
    total = sum(weight.values())

    def size(objects):
        return sum(weight[i] for i in objects)

    befores, afters = (members({i: x[i] for i in shared}) for x in (old, new))
    sums = [0.0, 0.0, 0.0]
    for i in shared:
        before, after = befores[old[i]], afters[new[i]]
        both = size(before & after)
        for k, whole in enumerate((before, after, before | after)):
            sums[k] += weight[i] * (1 - both / size(whole)) if size(whole) else 0
    return [one / total for one in sums]


def brute_fates(old, new):
    """Return the fate of each old cluster and the cluster it goes to, in the words of the page."""
    shared = {i for i in old if i in new}
    befores, afters = members(old), members(new)
    befores.pop(None, None)  # no cluster
    afters.pop(None, None)

    def target(objects, others):
        here = objects & shared
        some = [
            k for k, them in others.items() if k is not None and 2 * len(here & them) > len(here)
        ]
        assert len(some) <= 1
        return some[0] if some else None

    goes = {b: target(objects, afters) for b, objects in befores.items()}
    comes = {e: target(objects, befores) for e, objects in afters.items()}
    found = {}
    for b, objects in befores.items():
        if any(objects == them for them in afters.values()):
            fate = "unchanged"
        elif not objects & shared:
            fate = "gone"
        elif goes[b] is not None:
            fate = "continued" if comes[goes[b]] == b else "merged"
        else:
            fate = "split" if b in comes.values() else "dissolved"
        found[b] = fate, goes[b]
    return found


def fates(changes):
    return {row["cluster"]: (row["fate"], row["goes_to"]) for row in changes.old.to_dicts()}


def origins(changes):
    return {row["cluster"]: (row["origin"], row["comes_from"]) for row in changes.new.to_dicts()}


nights = st.dictionaries(
    st.integers(0, 30),
    st.tuples(st.integers(0, 5) | st.none(), st.integers(3, 9) | st.none()),
    min_size=1,
).map(
    lambda pairs: tuple(
        {i: pair[k] for i, pair in pairs.items() if pair[k] is not None} for k in (0, 1)
    )
)


def has_shared(pair):
    return bool(set(pair[0]) & set(pair[1]))


@settings(max_examples=200, deadline=None)
@given(nights.filter(has_shared))
def test_numbers_and_fates_as_by_brute_force(pair):
    old, new = pair
    changes = cb.diff(old, new)
    for name, value in zip(RATES, brute_rates(old, new), strict=True):
        assert getattr(changes, name) == pytest.approx(value, abs=1e-12)
    assert fates(changes) == brute_fates(old, new)
    assert origins(changes) == {
        k: (MIRRORED[fate], where) for k, (fate, where) in brute_fates(new, old).items()
    }
    assert changes.arrived == len(set(new) - set(old))
    assert changes.left == len(set(old) - set(new))
    assert {row["cluster"]: row["size"] for row in changes.old} == Counter(old.values())
    assert {row["cluster"]: row["arrived"] for row in changes.new if row["arrived"]} == Counter(
        label for i, label in new.items() if i not in old
    )
    assert changes.moved == sum(old[i] != changes.labels[i] for i in old if i in new)


@settings(max_examples=100, deadline=None)
@given(nights.filter(has_shared), st.randoms())
def test_mirrored_and_invariant(pair, random):
    old, new = pair
    changes, back = cb.diff(old, new), cb.diff(new, old)
    assert (back.split_rate, back.merge_rate) == pytest.approx(
        (changes.merge_rate, changes.split_rate), abs=1e-12
    )
    assert (back.split_bits, back.merge_bits) == pytest.approx(
        (changes.merge_bits, changes.split_bits), abs=1e-12
    )
    assert back.jaccard_distance == pytest.approx(changes.jaccard_distance, abs=1e-12)
    assert (back.arrived, back.left, back.moved) == (changes.left, changes.arrived, changes.moved)
    assert origins(back) == {
        b: (MIRRORED[fate], where) for b, (fate, where) in fates(changes).items()
    }
    letters = dict(zip(range(10), random.sample("abcdefghij", 10), strict=True))
    renamed = cb.diff(old, {i: letters[label] for i, label in shuffled(new, random).items()})
    assert [getattr(renamed, name) for name in NUMBERS] == pytest.approx(
        [getattr(changes, name) for name in NUMBERS], abs=1e-9
    )
    assert fates(renamed) == {
        b: (fate, letters.get(where)) for b, (fate, where) in fates(changes).items()
    }


def shuffled(labels, random):
    items = list(labels.items())
    random.shuffle(items)
    return dict(items)


@settings(max_examples=100, deadline=None)
@given(nights.filter(has_shared))
def test_names_are_those_of_majorities(pair):
    old, new = pair
    changes = cb.diff(old, new)
    follows = {
        e: b for e, (origin, b) in origins(changes).items() if origin in ("unchanged", "continued")
    }
    assert {e: b for e, b in changes.names.items() if e in follows} == follows
    fresh = [name for e, name in changes.names.items() if e not in follows]
    first = 1 + max(*old.values(), *new.values())
    assert fresh == list(range(first, first + len(fresh)))
    assert changes.labels == {i: changes.names[label] for i, label in new.items()}
    assert len(set(changes.names.values())) == len(changes.names)


def test_metric():
    rng = np.random.default_rng(0)
    for _ in range(50):
        a, b, c = rng.integers(0, 4, (3, 12))
        distance = [cb.diff(*pair).jaccard_distance for pair in ((a, b), (b, c), (a, c))]
        assert distance[2] <= distance[0] + distance[1] + 1e-12


def test_rates_are_bcubed_and_bits_entropies():
    rng = np.random.default_rng(1)
    old, new = rng.integers(0, 9, 300), rng.integers(0, 12, 300)
    changes, table = cb.diff(old, new), cb.Contingency(old, new)
    assert changes.split_rate == pytest.approx(1 - cb.bcubed_recall(table), abs=1e-12)
    assert changes.merge_rate == pytest.approx(1 - cb.bcubed_precision(table), abs=1e-12)
    bits = changes.split_bits + changes.merge_bits
    assert bits == pytest.approx(cb.variation_of_information(table), abs=1e-12)
    least = cb.q0(new, new)
    assert changes.change_bits == pytest.approx(300 * (cb.q0(new, old) - least), abs=1e-8)


def test_nothing_changed():
    labels = np.repeat(np.arange(240), 100)
    changes = cb.diff(labels, 239 - labels)
    assert [getattr(changes, name) for name in NUMBERS] == [0] * 9
    assert changes.old.counts == changes.new.counts == {"unchanged": 240}
    assert changes.names == {239 - k: k for k in range(240)}
    assert (changes.labels == labels).all()
    assert repr(changes) == (
        "0 of 240 old clusters changed; no object moved\nold clusters: 240 unchanged\n"
        "new clusters: 240 unchanged\n24,000 shared objects, 0 arrived, 0 left; "
        "split rate 0.0000, merge rate 0.0000"
    )


def test_only_a_new_cluster():
    changes = cb.diff({1: "a", 2: "a"}, {1: "a", 2: "a", 3: "b"})
    assert changes.title.splitlines()[:3] == [
        "0 of 1 old cluster changed; no object moved",
        "old clusters: 1 unchanged",
        "new clusters: 1 unchanged, 1 born",
    ]


def test_one_object():
    changes = cb.diff(["a"], ["b"])
    assert [getattr(changes, name) for name in NUMBERS] == [0] * 9
    assert fates(changes) == {"a": ("unchanged", "b")}
    assert changes.labels.tolist() == ["a"]


def test_two_singletons_that_join_retire_both_names():
    changes = cb.diff([1, 2], [1, 1])
    assert fates(changes) == {1: ("merged", 1), 2: ("merged", 1)}
    assert origins(changes) == {1: ("merged", None)}
    assert changes.labels.tolist() == [3, 3]


def test_text_keeps_its_name_with_a_suffix_if_it_is_taken():
    old = ["a", "a", "a", "b", "b", "b"]
    changes = cb.diff(old, ["b", "b", "c", "a", "a", "d"])
    assert changes.names == {"b": "a", "a": "b", "c": "c", "d": "d"}
    changes = cb.diff(old, ["x", "x", "a", "y", "y", "y"])
    assert changes.names == {"x": "a", "a": "a (new)", "y": "b"}


@pytest.mark.parametrize(
    ("old", "name"),
    [([2, "a"], "2 (new)"), ([True, False], "2"), ([pd.Timestamp(2024, 5, 1), "2"], "2 (new)")],
)
def test_fresh_names_are_written_unlike_old_ones(old, name):
    assert cb.diff(dict(enumerate(old)), {0: "x", 1: "x", 2: 2}).names[2] == name


def test_weights_as_repeated_objects():
    rng = np.random.default_rng(2)
    old, new, weights = rng.integers(0, 5, 60), rng.integers(0, 6, 60), rng.integers(0, 4, 60)
    weighted = cb.diff(old, new, weights=weights)
    repeated = cb.diff(np.repeat(old, weights), np.repeat(new, weights))
    assert [getattr(weighted, name) for name in NUMBERS] == pytest.approx(
        [getattr(repeated, name) for name in NUMBERS], abs=1e-12
    )
    assert fates(weighted) == fates(repeated)
    halves = cb.diff(old, new, weights=weights / 2)
    assert " % of the weight moved" in halves.title
    assert halves.moved == weighted.moved / 2
    assert halves.split_rate == pytest.approx(weighted.split_rate, abs=1e-12)


def test_weights_by_id_concern_shared_objects():
    old, new = {1: "a", 2: "a", 3: "a", 4: "b"}, {1: "a", 2: "a", 3: "c", 5: "c"}
    weights = {1: 1.0, 2: 2.0, 3: 0.5}
    changes = cb.diff(old, new, weights=weights)
    rates = [getattr(changes, name) for name in RATES]
    assert rates == pytest.approx(brute_rates(old, new, weights), abs=1e-12)
    assert (changes.moved, changes.arrived, changes.left) == (0.5, 1, 1)


def test_light_weights_have_no_change_bits():
    assert math.isnan(cb.diff([1, 1, 2], [1, 2, 2], weights=[0.1, 0.2, 0.3]).change_bits)


def test_groups_are_means_over_their_objects():
    rng = np.random.default_rng(3)
    old, new, groups = rng.integers(0, 5, 80), rng.integers(0, 6, 80), rng.choice([*"xyz"], 80)
    changes = cb.diff(old, new, groups=groups)
    table = changes.groups.to_dicts()
    assert [row["group"] for row in table] == ["x", "y", "z"]
    for name in RATES:
        weighted = sum(row["objects"] * row[name] for row in table) / 80
        assert weighted == pytest.approx(getattr(changes, name), abs=1e-12)
    shared = np.array([np.mean((new == new[i])[old == old[i]]) for i in range(80)])
    for row in table:
        assert row["split_rate"] == pytest.approx(np.mean(1 - shared[groups == row["group"]]))
    assert sum(row["objects"] * row["moved"] for row in table) == pytest.approx(changes.moved)


def test_groups_need_only_shared_objects():
    old, new = {1: "a", 2: "a", 3: "b"}, {2: "a", 3: "b", 4: "b"}
    changes = cb.diff(old, new, groups={2: "x", 3: "y"})
    assert changes.groups.keys() == ("x", "y")
    with pytest.raises(LabelError, match=r"groups has 1 missing label. Give each object a group"):
        cb.diff(old, new, groups={2: "x", 4: "y"})


# --- noise, missing labels, and what is refused -------------------------------------------------


def test_noise_is_about_both_and_keeps_its_name():
    old = [-1, -1, 1, 1, 1, 2, 2, 2]
    new = [-1, 5, 5, 5, 5, -1, -1, -1]
    as_cluster = cb.diff(old, new)
    assert {-1, 1, 2} == set(fates(as_cluster))
    alone = cb.diff(old, new, noise="singletons")
    assert fates(alone) == {1: ("continued", 5), 2: ("dissolved", None)}
    assert origins(alone) == {5: ("continued", 1)}
    assert alone.names == {5: 1, -1: -1}
    assert alone.labels.tolist() == [-1, 1, 1, 1, 1, -1, -1, -1]
    assert alone.moved == 4
    dropped = cb.diff(old, new, noise="drop")
    assert dropped.table.n == 3
    assert fates(dropped) == {1: ("continued", 5), 2: ("gone", None)}
    assert origins(dropped) == {5: ("continued", 1)}


def test_all_objects_are_noise_in_one():
    changes = cb.diff(["a"], ["-1"], noise="singletons")
    assert changes.names == {"-1": "-1"}
    assert repr(changes).splitlines()[:4] == [
        "1 of 1 old cluster changed; 100 % of the objects moved",
        "old clusters: 1 dissolved",
        "new clusters: none",
        "1 shared object, 0 arrived, 0 left; split rate 0.0000, merge rate 0.0000",
    ]


def test_fresh_integers_next_to_noise_that_is_text():
    changes = cb.diff([1, 1, "out"], [7, 2, 2], noise="drop", noise_label="out")
    assert changes.names == {2: 8, 7: 9}
    with pytest.warns(cb.errors.ClusterbitsWarning, match="3 is not a cluster"):
        assert cb.diff([1, 1], [1, 2], noise="drop", noise_label=3).names == {1: 4, 2: 5}


def test_noise_that_arrives_or_leaves():
    old, new = {1: -1, 2: "a", 3: "a"}, {2: "b", 3: "b", 4: -1, 5: "c"}
    for noise in ("singletons", "drop"):
        changes = cb.diff(old, new, noise=noise)
        assert fates(changes) == {"a": ("unchanged", "b")}
        assert origins(changes) == {"b": ("unchanged", "a"), "c": ("born", None)}
        assert (changes.arrived, changes.left) == (2, 1)
        assert changes.labels == {2: "a", 3: "a", 4: -1, 5: "c"}


def test_missing_labels():
    old, new = [1, 1, 2, 2], [1, 1, None, 2]
    with pytest.raises(cb.errors.MissingLabelError, match="new has 1 missing label"):
        cb.diff(old, new)
    changes = cb.diff(old, new, missing="drop")
    assert (changes.table.n, changes.moved, changes.left) == (3, 0, 0)
    assert fates(changes) == {1: ("unchanged", 1), 2: ("continued", 2)}
    assert changes.labels.tolist() == [1, 1, None, 2]
    assert cb.diff(old, new, missing="class").new.counts == {"unchanged": 1, "split off": 1}


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.integers(0, 30), st.tuples(*2 * [st.sampled_from([1, 2, None, "none here"])]), min_size=1
    )
)
def test_missing_labels_as_a_class(pairs):
    """They are counted as one cluster, which has no fate and keeps its name, as noise does."""
    old, new = ({i: x[k] for i, x in pairs.items() if x[k] != "none here"} for k in (0, 1))
    if not has_shared((old, new)):
        return
    changes = cb.diff(old, new, missing="class")
    assert fates(changes) == brute_fates(old, new)
    rates = [getattr(changes, name) for name in RATES]
    assert rates == pytest.approx(brute_rates(old, new), abs=1e-12)
    sizes = Counter(label for label in old.values() if label is not None)
    assert {row["cluster"]: row["size"] for row in changes.old} == sizes
    arrivals = [label for i, label in new.items() if i not in old]
    assert changes.arrived == len(arrivals)
    assert {row["cluster"]: row["arrived"] for row in changes.new if row["arrived"]} == Counter(
        label for label in arrivals if label is not None
    )
    assert changes.moved == sum(old[i] != changes.labels[i] for i in old if i in new)


def test_objects_without_a_label_arrive_and_leave():
    changes = cb.diff({1: "a", 2: None, 3: None}, {1: "a", 4: None})
    assert (changes.arrived, changes.left) == (1, 2)
    assert changes.labels == {1: "a", 4: None}


def test_a_cluster_of_objects_that_had_no_label_carries_no_name():
    changes = cb.diff([None, None, 1], [5, 5, 1], missing="class")
    assert origins(changes) == {5: ("mixed", None), 1: ("unchanged", 1)}
    assert changes.names == {1: 1, 5: 6}


def test_missing_labels_and_noise_are_two_things():
    changes = cb.diff([-1, None, 1], [None, -1, 1], missing="class", noise="singletons")
    assert changes.moved == 2


def test_objects_of_weight_0_count_nothing():
    changes = cb.diff([1, 1, 2, 3], [1, 1, 1, 4], weights=[1, 1, 0, 0])
    assert fates(changes) == {1: ("unchanged", 1)}
    assert changes.labels.tolist() == [1, 1, 1, 5]
    changes = cb.diff([1, 1, 9], [1, 2, 2], weights=[1, 1, 0])
    assert changes.labels.tolist() == [10, 11, 11]  # 9 is an old name


def test_unmatched_as_asked():
    old, new = {1: "a", 2: "a"}, {2: "a", 3: "b"}
    with pytest.raises(LabelError, match="the ids do not match"):
        cb.diff(old, new, unmatched="error")
    changes = cb.diff(old, new, unmatched="class")
    assert (changes.table.n, changes.arrived, changes.left) == (3, 1, 1)


@pytest.mark.parametrize(
    ("old", "new", "options", "message"),
    [
        ([], [], {}, "old is empty"),
        ([1], [], {}, "new is empty"),
        ([1, 2], [1], {}, "old has 2 labels and new has 1"),
        ({1: "a"}, {2: "a"}, {}, "no id is in all of old, new"),
        ({1: "a"}, {"1": "a"}, {}, "They differ in type only"),
        ([1], [1], {"weights": "balanced"}, "balanced"),
        (cb.Contingency([1], [1]), None, {}, "old has shape"),
        (None, [1], {}, "nothing to compare"),
    ],
)
def test_one_clear_error(old, new, options, message):
    with pytest.raises(ClusterbitsError, match=message):
        cb.diff(old, new, **options)


def test_old_labels_twice():
    with pytest.raises(ClusterbitsError, match="old was given twice"):
        cb.diff([1], [1], old=[1])


def test_duplicate_ids():
    twice = pd.DataFrame({"id": [1, 1], "topic": ["a", "b"]})
    with pytest.raises(LabelError, match=r"new has the id 1 twice"):
        cb.diff({1: "a"}, twice)


def test_truth_noise_is_no_option():
    with pytest.raises(TypeError, match="truth_noise"):
        cb.diff([1], [1], truth_noise=0)


def test_nothing_shared_after_exclusion():
    with pytest.raises(NothingToCountError, match="noise"):
        cb.diff([-1, 1], [1, -1], noise="drop")


# --- forms of labels ----------------------------------------------------------------------------

OLD = {"ann": 1, "bob": 1, "cid": 1, "dan": 2, "eve": 2, "fay": 3}
NEW = {"gus": 8, "ann": 7, "bob": 7, "cid": 8, "dan": 9, "eve": 9}


def frames(make):
    return tuple(make({"id": list(x), "topic": list(x.values())}) for x in (OLD, NEW))


def indexed():
    return tuple(pd.Series(x) for x in (OLD, NEW))


@pytest.mark.parametrize(
    "pair",
    [frames(pd.DataFrame), frames(pl.DataFrame), indexed()],
    ids=["pandas", "polars", "series"],
)
def test_forms_of_labels_by_id(pair):
    changes, expected = cb.diff(*pair), cb.diff(OLD, NEW)
    assert [getattr(changes, name) for name in NUMBERS] == [
        getattr(expected, name) for name in NUMBERS
    ]
    assert changes.old == expected.old
    assert changes.new == expected.new
    labels = changes.labels
    assert list(labels.values() if isinstance(labels, dict) else labels) == [10, 1, 1, 10, 2, 2]


SHARED = [name for name in OLD if name in NEW]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_columns_of_a_frame(make):
    frame = make({"monday": [OLD[x] for x in SHARED], "tuesday": [NEW[x] for x in SHARED]})
    changes = cb.diff(frame, old="monday", new="tuesday")
    assert changes.labels.tolist() == [1, 1, 10, 2, 2]
    assert changes == cb.diff(frame["monday"].to_list(), frame["tuesday"].to_list())


def test_it_is_a_value():
    old, new = np.array([1, 1, 2, 2]), np.array([1, 1, 1, 2])
    changes = cb.diff(old, new)
    text = repr(changes)
    again = pickle.loads(pickle.dumps(changes))
    assert again == changes
    assert repr(again) == text
    new[:] = 7
    assert changes.labels.tolist() == [1, 1, 1, 3]
    with pytest.raises(ValueError, match="read-only"):
        changes.old.sizes[0] = 3
    assert isinstance(changes._repr_html_(), str)
    assert changes.to_frame()["split_rate"].tolist() == [changes.split_rate]


def test_objects_that_are_joined_on_an_index_have_its_ids():
    """Not positions, which would be other objects: of pairs to judge, and of carried labels."""
    rng = np.random.default_rng(0)
    truth = pd.Series(rng.integers(0, 20, 400), np.arange(400))
    monday = (truth // 2)[:390]
    tuesday = truth.sample(frac=1, random_state=1)
    tuesday = tuesday[tuesday.index >= 8]
    changes = cb.diff(monday, tuesday)
    by_id = cb.diff(monday.to_dict(), tuesday.to_dict())
    assert changes.labels == by_id.labels
    asked = changes.questions(200)
    assert asked.equals(by_id.questions(200))
    together = truth[asked["a"]].to_numpy() == truth[asked["b"]].to_numpy()
    judged = changes.judged(asked.assign(together=together))
    assert judged.delta_precision.low > 0
    assert isinstance(cb.diff(truth, truth // 2).labels, np.ndarray)
