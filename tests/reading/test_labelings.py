"""Labelings that know their objects: whatever their form and order, joined on ids."""

import collections
import datetime
import enum
import types
from zoneinfo import ZoneInfo

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

import clusterbits as cb
from clusterbits.errors import (
    ClusterbitsError,
    ClusterbitsWarning,
    LabelError,
    NothingToCountError,
)

from_labels = cb.Contingency.from_labels

WORDS = ["ann", "bob", "cid", "dan", "eve", "fay"]
CLASSES = ["x", "x", "y", "y", "z", "z"]
CLUSTERS = [4, 4, 4, 7, 7, 9]
TRUTH = dict(zip(WORDS, CLASSES, strict=True))
PRED = dict(zip(WORDS, CLUSTERS, strict=True))
TABLE = from_labels(CLASSES, CLUSTERS)
VALUE = cb.rand(TABLE)
FITTED = KMeans(3, n_init=1, random_state=0).fit([[0], [0], [0], [9], [9], [99]])


def grouped(ids, labels):
    found = collections.defaultdict(list)
    for name, label in zip(ids, labels, strict=True):
        found[label].append(name)
    return found


def array(ids):
    return np.array(ids, dtype=np.uint64 if 2**63 in ids or 2**64 - 1 in ids else None)


def arrays(ids, labels):
    return {label: array(members) for label, members in grouped(ids, labels).items()}


def cdlib(ids, labels):
    clusters = list(grouped(ids, labels).values())
    return types.SimpleNamespace(communities=clusters, overlap=False, graph=None)


# Forms with ids that keep the names of labels, and others, which name clusters 0, 1, ...
NAMED = {
    "id -> label": lambda ids, labels: dict(zip(ids, labels, strict=True)),
    "id -> numpy label": lambda ids, labels: dict(zip(ids, np.array(labels), strict=True)),
    "Mapping": lambda ids, labels: types.MappingProxyType(dict(zip(ids, labels, strict=True))),
    "cluster -> list": grouped,
    "cluster -> set": lambda *given: {k: set(ids) for k, ids in grouped(*given).items()},
    "cluster -> tuple": lambda *given: {k: tuple(ids) for k, ids in grouped(*given).items()},
    "cluster -> array": arrays,
    "cluster -> iterator": lambda *given: {k: iter(ids) for k, ids in grouped(*given).items()},
    "pandas groups": lambda ids, labels: (
        pd.DataFrame({"label": labels}, index=ids).groupby("label").groups
    ),
    "pandas frame": lambda ids, labels: pd.DataFrame({"id": ids, "label": labels}),
    "pandas categories": lambda ids, labels: pd.DataFrame(
        {"id": pd.Categorical(ids), "label": pd.Categorical(labels)}
    ),
    "polars frame": lambda ids, labels: pl.DataFrame({"id": ids, "label": labels}),
    "arrow table": lambda ids, labels: pa.table({"id": array(ids), "label": labels}),
    "arrow batch": lambda ids, labels: pa.record_batch({"id": array(ids), "label": labels}),
}  # fmt: skip
UNNAMED = {
    "sets": lambda *given: [set(ids) for ids in grouped(*given).values()],
    "lists": lambda *given: cb.Labels.from_clusters(list(grouped(*given).values())),
    "generator": lambda *given: (set(ids) for ids in grouped(*given).values()),
    "tuple of sets": lambda *given: tuple(set(ids) for ids in grouped(*given).values()),
    "set of frozensets": lambda *given: {frozenset(ids) for ids in grouped(*given).values()},
    "dict values": lambda *given: {k: set(ids) for k, ids in grouped(*given).items()}.values(),
    "with an empty one": lambda *given: [set(), *map(set, grouped(*given).values())],
    "CDlib": cdlib,
}
FORMS = NAMED | UNNAMED
IDS = (WORDS, [5, 3, 2**40, -7, 0, 1], [2**64 - 1, 3, 2**63, 4, 0, 1])


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_joined_whatever_the_order(form):
    order = np.random.default_rng(0).permutation(6).tolist()
    for ids in IDS:
        shuffled = [ids[i] for i in order], [CLUSTERS[i] for i in order]
        table = from_labels(dict(zip(ids, CLASSES, strict=True)), FORMS[form](*shuffled))
        assert table.classes == TABLE.classes
        assert sorted(table.to_dense().T.tolist()) == sorted(TABLE.to_dense().T.tolist())
        assert table.coverage is None
        if form in NAMED:
            assert table == TABLE
        swapped = from_labels(FORMS[form](*shuffled), grouped(ids, CLASSES))
        assert sorted(swapped.counts.tolist()) == sorted(TABLE.counts.tolist())


def test_communities_of_networkx():
    graph = nx.relabel_nodes(nx.karate_club_graph(), str)
    club = nx.get_node_attributes(graph, "club")
    for found in (
        nx.community.louvain_communities(graph, seed=1),
        nx.community.label_propagation_communities(graph),
        next(nx.community.girvan_newman(graph)),
    ):
        of = {node: i for i, nodes in enumerate(found) for node in nodes}
        assert cb.q0(club, found) == cb.q0(list(club.values()), [of[node] for node in club])
    grid = nx.grid_2d_graph(3, 3)  # whose nodes are tuples
    rows = {node: node[0] for node in grid}
    assert cb.rand(rows, [{(i, j) for j in range(3)} for i in range(3)]) == 1


def test_clusterings_of_igraph():
    graph = igraph.Graph.Famous("Zachary")
    found = graph.community_multilevel()
    assert cb.rand(found.membership, found) == cb.rand(found, found) == 1
    graph.vs["name"] = names = [f"v{i}" for i in range(34)]
    named = igraph.VertexClustering(graph, found.membership)
    assert cb.rand(found.membership, named) == 1  # names are used only where needed
    shuffled = dict(reversed(list(zip(names, found.membership, strict=True))))
    assert cb.rand(shuffled, named) == cb.rand(pd.Series(shuffled), named) == 1
    for other in (
        graph.community_fastgreedy(),
        igraph.VertexCover(graph, [range(20), range(10, 34)]),
    ):
        with pytest.raises(LabelError, match="pred"):
            cb.rand(found, other)


def test_estimators():
    assert cb.rand(FITTED, FITTED.labels_) == cb.rand(FITTED.labels_, FITTED) == 1
    assert cb.evaluate(FITTED, {"km": FITTED}, "rand").clusterings == ("km",)
    for model in (KMeans(3), GaussianMixture(2), KMeans):
        with pytest.raises(LabelError, match=type(model).__name__ + r"|class KMeans"):
            cb.rand(FITTED, model)


class Tensor:
    """A tensor as torch has them: hashed by address, iterated in tensors, read only on the CPU."""

    def __init__(self, values, device="cpu"):
        self.values, self.device = np.asarray(values), device

    shape = property(lambda self: self.values.shape)
    __hash__ = object.__hash__

    def __iter__(self):
        return (Tensor(value) for value in self.values)

    def __len__(self):
        return len(self.values)

    def item(self):
        return self.values.item()

    def __array__(self, dtype=None, copy=None):
        if self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu().")
        return self.values


def test_tensors_in_ids_are_known_by_their_values():
    sides = (CLASSES, CLUSTERS)
    assert cb.rand(*({(Tensor(i), 0): x for i, x in enumerate(side)} for side in sides)) == VALUE


def test_tuples_are_ids_part_by_part():
    early = datetime.datetime(2024, 10, 27, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    late = early.replace(fold=1)  # equal to Python, an hour apart
    ids = [("a", early), ("a", late), "b", (("c", 3), 4.0)]
    others = [("a", early.astimezone(datetime.UTC)), ("a", late.astimezone(datetime.UTC)), "b"]
    truth, pred = ([[one] for one in some] for some in (ids, [*others, (("c", 3), 4)]))
    assert cb.rand(*map(cb.Labels.from_clusters, (truth, pred))) == 1
    with pytest.raises(LabelError, match="so large"):
        cb.rand({("a", 2.0**53): 0, "b": 1}, {("a", 2**53): 0, "b": 1})


@pytest.mark.parametrize("make", [Tensor, np.array])
def test_tensors_are_known_by_their_values(make):
    assert from_labels(CLASSES, make(CLUSTERS)) == TABLE
    for some in (range(6), [0], [5], [2, 3, 4]):  # those among the labels that are tensors
        mixed = [make(label) if i in some else label for i, label in enumerate(CLUSTERS)]
        objects = np.empty(6, dtype=object)
        objects[:] = mixed
        for pred in (mixed, tuple(mixed), objects, pd.Series(objects)):
            assert cb.rand(CLASSES, pred) == VALUE
        assert cb.rand(TRUTH, dict(zip(WORDS, mixed, strict=True))) == VALUE
    columns = np.array([CLUSTERS, CLUSTERS[::-1]]).T
    assert cb.evaluate(CLASSES, make(columns), "rand") == cb.evaluate(CLASSES, columns, "rand")
    with pytest.raises(LabelError, match="shape"):
        from_labels([1, 2], make(np.eye(2)))
    with pytest.raises(LabelError, match="pred holds"):
        cb.rand([0, 1], [0, make([1, 2])])


def test_tensors_of_a_gpu_that_cannot_be_read():
    for call in (from_labels, cb.evaluate):
        with pytest.raises(LabelError, match=r"pred is a Tensor.*on the CPU"):
            call(CLASSES, Tensor(CLUSTERS, "cuda"))


# --- forms that look like another one ------------------------------------------------------------


class Color(enum.Enum):
    R = 1
    G = 2


def test_members_of_an_enum_are_labels():
    colors = [Color.R] * 3 + [Color.G] * 3
    assert cb.rand(TRUTH, dict(zip(WORDS, colors, strict=True))) == cb.rand(
        CLASSES, [1] * 3 + [2] * 3
    )


class OwnSeries(pd.Series):
    """A subclass of another package, as GeoSeries is."""


class OwnFrame(pd.DataFrame):
    """The same of a frame."""


def test_a_subclass_keeps_its_index():
    truth, pred = OwnSeries(CLASSES, index=WORDS), OwnSeries(CLUSTERS, index=WORDS)[::-1]
    for labels in (OwnSeries(pred), pd.Series(pred)):
        assert cb.rand(truth, labels) == cb.rand(TRUTH, labels) == VALUE
    weights = OwnSeries([1, 2, 3, 4, 5, 6], index=WORDS)
    expected = cb.rand(CLASSES, CLUSTERS, weights=[1, 2, 3, 4, 5, 6])
    assert cb.rand(TRUTH, pred, weights=OwnSeries(weights[::-1])) == expected
    assert cb.rand(TRUTH, OwnFrame({"id": WORDS[::-1], "k": CLUSTERS[::-1]})) == VALUE


def test_names_in_pandas_are_no_attributes():
    """Pandas offers the labels of an index and the columns of a frame as attributes."""
    ids = ["fit", "membership", "communities", "obs", "overlap", "labels_"]
    truth, pred = (pd.Series(some, index=ids) for some in (CLASSES, CLUSTERS))
    assert cb.rand(truth, pred) == cb.rand(truth.to_dict(), pred) == VALUE
    assert cb.evaluate(truth, [pred, pred], "rand").clusterings == (0, 1)
    members = {1: pd.Series(ids[:3], index=ids[:3]), 2: pd.Series(ids[3:], index=ids[3:])}
    assert cb.rand(truth.to_dict(), members) == cb.rand(CLASSES, [1] * 3 + [2] * 3)
    frame = pd.DataFrame({"obs": CLASSES, "communities": CLUSTERS, "fit": CLUSTERS})
    assert cb.evaluate(frame, truth="obs", pred="communities", measures="rand")["rand"] == VALUE


@pytest.mark.parametrize("labels", [pd.Categorical(CLUSTERS), pd.Index(CLUSTERS), PRED.values()])
def test_these_are_labels_by_position(labels):
    assert cb.rand(CLASSES, labels) == VALUE
    with pytest.raises(LabelError, match="pred"):
        cb.rand(TRUTH, labels)


@pytest.mark.parametrize("truth", [CLASSES, TRUTH], ids=["by position", "by id"])
def test_an_iterator_that_was_read_before(truth):
    once = iter(CLUSTERS)
    assert cb.rand(CLASSES, once) == VALUE
    with pytest.raises(NothingToCountError, match="pred"):
        cb.rand(truth, once)


def test_groups_of_row_numbers_are_joined_on_row_numbers():
    groups = pd.DataFrame({"cluster": CLUSTERS}).groupby("cluster")
    for found in (groups.groups, groups.indices):
        assert cb.rand(dict(enumerate(CLASSES)), found) == VALUE
        for truth in (CLASSES, TRUTH):
            with pytest.raises(LabelError):
                cb.rand(truth, found)


# --- every function ------------------------------------------------------------------------------


def every_use(truth, pred, **options):
    """Return the Rand index by every function that takes two labelings."""
    found = [
        cb.rand(from_labels(truth, pred, **options)),
        cb.rand(truth, pred, **options),
        cb.evaluate(truth, pred, "rand", **options).rows[0].value,
        cb.evaluate(truth, {"x": pred}, "rand", **options).rows[0].value,
        cb.pairwise({"t": truth, "p": pred}, measure="rand", **options)["t", "p"],
    ]
    if "weights" not in options:
        options |= {"measure": "rand"}
        found += [
            cb.interval(truth, pred, rng=1, **options).value,
            cb.permutation_test(truth, pred, **options).value,
            cb.compare(truth, pred, pred, **options)["a"].value,
        ]
    return set(found)


def test_every_function_joins():
    truth, pred = dict(TRUTH), dict(reversed(PRED.items()))
    assert every_use(truth, pred) == {VALUE}
    assert repr(cb.explain(truth, pred)) == repr(cb.explain(CLASSES, CLUSTERS))
    del truth["ann"], pred["fay"]
    expected = cb.rand(CLASSES[1:-1], CLUSTERS[1:-1])
    assert every_use(truth, pred, unmatched="drop") == {expected}
    expected = cb.rand([None, *CLASSES[1:]], [*CLUSTERS[:-1], None], missing="class")
    assert every_use(truth, pred, unmatched="class") == {expected}
    expected = cb.rand(CLASSES[1:4], CLUSTERS[1:4])
    with pytest.warns(
        ClusterbitsWarning, match="'z' is not a class"
    ):  # of pred, as pairwise sees it
        assert every_use(truth, pred, unmatched="drop", truth_noise="z") == {expected}


def test_a_form_means_the_same_to_every_function():
    by_cluster = grouped(WORDS[::-1], CLUSTERS[::-1])
    for pred in (
        {k: set(ids) for k, ids in by_cluster.items()},
        cb.Labels.from_clusters(by_cluster),  # a mapping to lists is one of runs
        [set(ids) for ids in by_cluster.values()],
        pd.DataFrame({"id": WORDS[::-1], "k": CLUSTERS[::-1]}),
        pd.Series(PRED)[::-1],
    ):
        assert every_use(TRUTH, pred) == {VALUE}
        scores = cb.evaluate(TRUTH, {"a": pred, "b": pred}, "rand")
        assert scores["rand"] == {"a": VALUE, "b": VALUE}
        by = dict.fromkeys(WORDS, "one")
        assert cb.evaluate(TRUTH, pred, "rand", groups=by)["rand"] == VALUE


def test_several_clusterings_are_compared_on_common_objects():
    runs = {"a": PRED, "b": dict.fromkeys(WORDS[1:], 1)}
    options = {"measure": "rand"}
    with pytest.raises(LabelError, match=r"1 of truth \(such as 'ann'\).*5 are"):
        cb.compare(TRUTH, runs, **options)
    found = cb.compare(TRUTH, runs, unmatched="drop", **options)
    assert found["a"].value == cb.rand(CLASSES[1:], CLUSTERS[1:])
    assert found["b"].value == cb.rand(CLASSES[1:], [1] * 5)
    runs["c"] = dict.fromkeys(reversed(WORDS), 1)
    square = cb.pairwise(runs, measure="rand", unmatched="drop")
    assert square["a", "c"] == cb.rand(CLUSTERS, [1] * 6)  # pair by pair
    assert square["a", "b"] == cb.rand(CLUSTERS[1:], [1] * 5)


# --- what cannot be joined -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "pred", "options", "message"),
    [
        (TRUTH, CLUSTERS, {}, "pred has no ids"),
        (CLASSES, PRED, {}, "truth has no ids"),
        (TRUTH, pd.Series(CLUSTERS), {}, "align=True to use the default index"),
        (CLASSES, {"km": FITTED}, {}, r"takes one: pass runs\['km'\]"),
        (TRUTH, {k: v for k, v in PRED.items() if k > "b"}, {}, r"1 of truth \(such as 'ann'\)"),
        (TRUTH, PRED | {"gil": 1, "hal": 2}, {}, r"2 of pred \(such as 'gil', 'hal'\)"),
        (TRUTH, dict.fromkeys(range(9), 1), {"unmatched": "drop"}, "no id is in all of truth"),
        (TRUTH, PRED, {"unmatched": "dorp"}, "Did you mean 'drop'"),
        (TRUTH, [{"ann", "bob"}, {"bob", "cid", "dan", "eve", "fay"}], {}, "id 'bob' twice"),
        (TRUTH, cdlib([*WORDS, "ann"], [*CLUSTERS, 9]), {}, "id 'ann' twice"),
        (TRUTH, [WORDS[:3], WORDS[3:]], {}, "pred holds a list"),
        (TRUTH, {"a": [1], "b": 2}, {}, "values of type int, list"),
        (TRUTH, {"a": np.zeros((2, 2))}, {}, "not a label"),
        (TRUTH, [set(), set()], {}, "pred is empty"),
        (TRUTH, PRED | {"ann": None}, {}, "1 missing label"),
        (TRUTH, PRED | {None: 1}, {}, "pred: a missing value, at position 6"),
        (TRUTH, {**PRED, 0.5: 1}, {}, "the ids of pred holds 0.5"),
        (TRUTH, {1: [2.0**53, 1.0]}, {}, "a float so large"),
        (TRUTH, {2: np.array([2.0**60])}, {}, "a float so large"),
        ([("a", "b"), ("b", "c")], [1, 2], {}, "truth holds a tuple"),
        (CLASSES, TABLE, {}, "shape"),
        (TRUTH, PRED, {"weights": [1] * 6}, "weights has no ids"),
        (TRUTH, PRED, {"weights": {"ann": 2}}, "no weight for 5 objects"),
        (CLASSES, CLUSTERS, {"weights": PRED}, "truth has no ids"),
        (TRUTH, PRED, {"truth_noise": [[1]]}, "a label is one value"),
        (TRUTH, PRED, {"truth_noise": ["x", "y", "z"]}, "every object"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined(truth, pred, options, message):
    with pytest.raises(ClusterbitsError, match=message):
        from_labels(truth, pred, **options)


NUMBERED = dict(enumerate(CLUSTERS, start=1))
TEXT = {str(name): label for name, label in NUMBERED.items()}
DAYS = ["2024-05-01", "2024-05-02"]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        (NUMBERED, TEXT),
        ([{1, 2, 3}, {4, 5, 6}], TEXT),
        (pd.Series(NUMBERED), TEXT),
        (dict.fromkeys(map(np.datetime64, DAYS), 0), dict.fromkeys(DAYS, 0)),
    ],
)
@pytest.mark.parametrize("unmatched", ["error", "drop"])
def test_ids_of_two_types(numbers, text, unmatched):
    for both in ((numbers, text), (text, numbers)):
        with pytest.raises(LabelError, match="type"):
            cb.rand(*both, unmatched=unmatched)


@pytest.mark.parametrize("pred", [["a", "b", "a"], ["a", "c", "c"], ["a", "a"]])
def test_a_repeated_id_is_found_in_any_order(pred):
    """Also where both labelings have it, in the same order."""
    twice = pd.DataFrame({"id": pred, "k": 0})
    once = dict.fromkeys(pred, 0)
    for both in ([twice, once], [once, twice], [twice, twice]):
        with pytest.raises(LabelError, match=r"has the id '[ac]' twice"):
            cb.rand(*both)


def test_weights_by_id():
    weights = dict(zip(reversed(WORDS), [1, 2, 3, 4, 5, 6], strict=True))
    expected = from_labels(CLASSES, CLUSTERS, weights=[6, 5, 4, 3, 2, 1])
    for given_weights in (weights, pd.Series(weights), weights | {"zoe": 9}):
        assert from_labels(TRUTH, PRED, weights=given_weights) == expected
    few = {word: PRED[word] for word in WORDS[2:]}
    dropped = from_labels(TRUTH, few, weights=weights, unmatched="drop")
    assert dropped == from_labels(CLASSES[2:], CLUSTERS[2:], weights=[4, 3, 2, 1])
    assert dropped.coverage == (4, 6, 3, 3)


@pytest.mark.parametrize("make", [list, iter])
def test_weights_by_position(make):
    truth, pred = pd.Series(TRUTH), pd.Series(PRED)
    expected = from_labels(CLASSES, CLUSTERS, weights=range(6))
    assert from_labels(truth, pred, weights=make(range(6))) == expected
    for many in (5, 7):
        with pytest.raises(LabelError, match="and weights has"):
            from_labels(truth, pred, weights=make(range(many)))
    with pytest.raises(LabelError, match="weights has no ids"):
        from_labels(truth, pred[::-1], weights=make(range(6)))


# --- the index of pandas -------------------------------------------------------------------------


def test_an_index_counts_where_both_sides_have_one_and_neither_is_the_default():
    truth, pred = pd.Series(TRUTH), pd.Series(PRED)
    assert every_use(truth, pred[::-1]) == {VALUE}
    assert from_labels(truth, pred[::-1].astype("category")) == TABLE
    assert from_labels(truth, pred[::-1].to_numpy()) == from_labels(CLASSES, CLUSTERS[::-1])
    assert from_labels(truth, pred[1:], unmatched="drop").n == 5
    some = pd.Series(CLASSES, index=[4, 7, 9, 11, 12, 13])  # as of a train-test split
    for known in (truth, some):
        assert every_use(known, pd.Series(CLUSTERS)) == {VALUE}  # as of predict()
    assert every_use(truth, pred, weights=pd.Series([1, 1, 1, 1, 1, 1])) == {VALUE}
    twice = pd.Series(CLUSTERS, index=["ann"] * 6)
    assert from_labels(twice, twice) == from_labels(CLUSTERS, CLUSTERS)
    for other in (twice, pred.rename({"ann": "zoe"})):
        with pytest.raises(LabelError, match=r"twice|do not match"):
            from_labels(truth, other)
    with pytest.raises(LabelError, match="twice"):
        from_labels(pd.Series([1, 2, 3], index=[0, 0, 1]), pd.Series([1, 2, 3], index=[0, 1, 0]))


def test_an_index_makes_no_clusters_of_runs():
    runs = {"a": CLUSTERS, "b": CLUSTERS[::-1]}
    expected = cb.evaluate(CLASSES, runs, "rand")
    assert cb.evaluate(pd.Series(TRUTH), runs, "rand") == expected
    frame = pd.DataFrame(runs, index=WORDS)
    assert cb.evaluate(pd.Series(TRUTH), frame, "rand") == expected


USES = [
    lambda truth, pred: cb.rand(truth, pred),
    lambda truth, pred: cb.evaluate(truth, {"x": pred}, "rand"),
    lambda truth, pred: cb.compare(truth, pred, pred, measure="rand"),
    lambda truth, pred: cb.pairwise({"t": truth, "p": pred}, measure="rand"),
    lambda truth, pred: cb.codec.encode(truth, pred),
]


@pytest.mark.parametrize("use", USES)
def test_a_default_index_in_another_order_is_not_compared_by_position(use):
    truth, shuffled = pd.Series(CLASSES), pd.Series(CLUSTERS)[[3, 0, 2, 1, 5, 4]]
    for both in ((truth, shuffled), (shuffled, truth)):
        with pytest.raises(LabelError, match="default index"):
            use(*both)
    assert from_labels(truth, shuffled, align=True) == TABLE
    assert every_use(truth, shuffled, align=True) == {VALUE}


BY_WORD = pd.Series(CLUSTERS, index=WORDS)
CONTRADICTIONS = {
    "two indexes": (CLASSES, {"a": BY_WORD[::-1], "b": BY_WORD}),
    "two indexes and a default one": (pd.Series(CLASSES), {"a": BY_WORD[::-1], "b": BY_WORD}),
    "a default index in another order": (
        CLASSES,
        {"a": pd.Series(CLUSTERS)[::-1], "b": pd.Series(CLUSTERS)},
    ),
    "an index that one run lacks": (BY_WORD, {"a": CLUSTERS, "b": BY_WORD[::-1]}),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_indexes_of_runs_that_contradict_each_other(case):
    """One rule for all labelings of a call, also if they are counted in pairs."""
    truth, runs = CONTRADICTIONS[case]
    for use in (
        lambda: cb.evaluate(truth, runs, "rand"),
        lambda: cb.evaluate(truth, runs, "rand", groups=[0, 0, 0, 1, 1, 1]),
        lambda: cb.compare(truth, runs),
        lambda: cb.pairwise({"truth": truth, **runs}),
        lambda: cb.evidence(truth, runs["a"], beyond=runs["b"]),
    ):
        with pytest.raises(LabelError, match=r"has no ids to join on|has the default index"):
            use()


def test_groups_and_weights_are_in_the_order_of_the_runs():
    other = pd.Series([0, 0, 0, 1, 1, 1], index=WORDS)[::-1]
    for options in ({"groups": other}, {"weights": other + 1}):
        with pytest.raises(LabelError, match="truth has no ids to join on"):
            cb.evaluate(CLASSES, {"a": BY_WORD, "b": BY_WORD}, "rand", **options)


def test_an_index_of_other_numbers_is_compared_by_position():
    """As of the rows of a test set and the array of their predictions."""
    for index in (range(1, 7), [3, 8, 1, 0, 9, 4]):
        assert every_use(pd.Series(CLASSES, index=index), pd.Series(CLUSTERS)) == {VALUE}


@pytest.mark.parametrize(
    "verb",
    [
        cb.explain, cb.match, cb.interval, cb.permutation_test, cb.q0, cb.evidence, cb.Contingency,
        cb.codec.encode, cb.codec.code_lengths,
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "runs",
    [
        {"k20": CLUSTERS, "k3": CLASSES},
        {"k20": np.array(CLUSTERS), "k3": np.array(CLUSTERS)},
        {"k20": pd.Series(CLUSTERS), "k3": pd.Series(CLUSTERS)},
        {"k20": PRED, "k3": PRED},
        {"k20": FITTED, "k3": FITTED},
    ],
)
def test_a_verb_that_takes_one_clustering_says_so(verb, runs):
    with pytest.raises(LabelError, match=r"takes one: pass runs\['k20'\]"):
        verb(CLASSES, runs)


# --- classes that are left out -------------------------------------------------------------------


def test_truth_noise_that_is_no_class():
    truth, pred = ["x", "x", "y", "?", "?", "-"], [1, 1, 2, 2, 3, 3]
    with pytest.warns(ClusterbitsWarning, match="is not a class"):  # as the other one has none
        square = cb.pairwise({"a": truth, "b": pred}, measure="rand", truth_noise=["?", "-"])
    assert square["a", "b"] == cb.rand(["x", "x", "y"], [1, 1, 2])
    with pytest.warns(
        ClusterbitsWarning, match="truth_noise: 'yy' is not a class.*Did you mean 'y'"
    ):
        from_labels(truth, pred, truth_noise="yy")


def test_the_default_index_written_out_is_the_default_one():
    truth, pred = pd.Series([0, 0, 1]), pd.Series([0, 0, 1], index=[0, 1, 2])
    assert cb.rand(truth, pred) == 1


@pytest.mark.parametrize("sides", [({}, {}), ({"a": 1}, {}), ({}, {"a": 1})])
def test_an_empty_mapping_is_an_empty_labeling(sides):
    with pytest.raises(NothingToCountError, match="is empty"):
        cb.rand(*sides)


@pytest.mark.parametrize("unmatched", ["error", "drop", "class"])
def test_ids_that_differ_in_type_only_are_never_unmatched(unmatched):
    """With unmatched='class' every object was in a class or a cluster None."""
    with pytest.raises(LabelError, match="differ in type only"):
        cb.rand({1: "x", 2: "y"}, {"1": 5, "2": 6}, unmatched=unmatched)
