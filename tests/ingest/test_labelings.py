"""Labelings that know their objects: whatever their form and order, joined on ids."""

import collections
import types
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

import clusterbits as cb
from clusterbits.core.coding import number_objects
from clusterbits.errors import ClusterbitsError, ClusterbitsWarning, LabelError

from_labels = cb.Contingency.from_labels

WORDS = ["ann", "bob", "cid", "dan", "eve", "fay"]
CLASSES = ["x", "x", "y", "y", "z", "z"]
CLUSTERS = [4, 4, 4, 7, 7, 9]


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
    "frozensets": lambda *given: [frozenset(ids) for ids in grouped(*given).values()],
    "lists": lambda *given: cb.Labels.from_clusters(list(grouped(*given).values())),
    "generator": lambda *given: (set(ids) for ids in grouped(*given).values()),
    "tuple of sets": lambda *given: tuple(set(ids) for ids in grouped(*given).values()),
    "set of frozensets": lambda *given: {frozenset(ids) for ids in grouped(*given).values()},
    "dict values": lambda *given: {k: set(ids) for k, ids in grouped(*given).items()}.values(),
    "with an empty one": lambda *given: [set(), *map(set, grouped(*given).values())],
    "CDlib": cdlib,
}
FORMS = NAMED | UNNAMED
IDS = {
    "words": WORDS,
    "integers": [5, 3, 2**40, -7, 0, 1],
    "large integers": [2**64 - 1, 3, 2**63, 4, 0, 1],
}


def values(table):
    """Return what depends on the partition alone, not on the names of clusters."""
    return sorted(map(tuple, table.to_dense().T.tolist())), table.classes


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_joined_whatever_the_order(form, ids):
    ids = IDS[ids]
    order = np.random.default_rng(0).permutation(6).tolist()
    make = FORMS[form]
    truth = dict(zip(ids, CLASSES, strict=True))
    pred = make([ids[i] for i in order], [CLUSTERS[i] for i in order])
    table = from_labels(truth, pred)
    expected = from_labels(CLASSES, CLUSTERS)
    assert values(table) == values(expected)
    assert table.coverage is None
    if form in NAMED:
        assert table == expected
    swapped = from_labels(
        make([ids[i] for i in order], [CLUSTERS[i] for i in order]),
        grouped(ids, CLASSES),
    )
    assert sorted(swapped.counts.tolist()) == sorted(expected.counts.tolist())


def test_communities_of_networkx():
    graph = nx.relabel_nodes(nx.karate_club_graph(), str)
    club = nx.get_node_attributes(graph, "club")
    for found in (
        nx.community.louvain_communities(graph, seed=1),
        nx.community.greedy_modularity_communities(graph),
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
    assert cb.rand(found.membership, found) == 1
    assert cb.rand(found, found) == 1
    graph.vs["name"] = names = [f"v{i}" for i in range(34)]
    named = igraph.VertexClustering(graph, found.membership)
    assert cb.rand(found.membership, named) == 1  # names are used only where needed
    shuffled = dict(reversed(list(zip(names, found.membership, strict=True))))
    assert cb.rand(shuffled, named) == 1
    assert cb.rand(pd.Series(shuffled), named) == 1
    with pytest.raises(LabelError, match="pred is of type VertexDendrogram, which is not read"):
        cb.rand(found, graph.community_fastgreedy())
    with pytest.raises(LabelError, match="pred holds a list, which is no label"):
        cb.rand(found, igraph.VertexCover(graph, [range(20), range(10, 34)]))


def test_estimators():
    points = np.random.default_rng(0).normal(size=(30, 2))
    fitted = KMeans(3, n_init=1, random_state=0).fit(points)
    assert cb.rand(fitted, fitted.labels_) == 1
    assert cb.rand(fitted.labels_, fitted) == 1
    assert [row.clustering for row in cb.evaluate(fitted, {"km": fitted}, "rand").rows] == ["km"]
    with pytest.raises(LabelError, match="pred is a KMeans without labels_: fit it first"):
        cb.rand(fitted, KMeans(3))
    with pytest.raises(LabelError, match="GaussianMixture without labels_"):
        cb.rand(fitted, GaussianMixture(2).fit(points))


def test_columns_of_anndata():
    obs = pd.DataFrame({"k": CLUSTERS}, index=WORDS)
    cells = SimpleNamespace(X=np.zeros((6, 1)), obs=obs, shape=(6, 1))
    assert from_labels(CLASSES, cells.obs["k"]) == from_labels(CLASSES, CLUSTERS)
    truth = dict(reversed(list(zip(WORDS, CLASSES, strict=True))))
    assert from_labels(truth, cells.obs["k"]) == from_labels(CLASSES, CLUSTERS)
    with pytest.raises(LabelError, match="shape"):
        from_labels(truth, cells)


# --- tensors: stand-ins that offer what those of torch and jax do --------------------------------


class Tensor:
    """A tensor of torch: hashed by address, iterated in tensors, read only on the CPU."""

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

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Exported:
    """An array that offers the DLPack protocol alone, and its shape."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape = self.values.shape

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_tensors():
    expected = from_labels(CLASSES, CLUSTERS)
    for pred in (Tensor(CLUSTERS), Exported(CLUSTERS), list(Tensor(CLUSTERS))):
        assert from_labels(CLASSES, pred) == expected
    by_id = dict(zip(WORDS, Tensor(CLUSTERS), strict=True))
    assert from_labels(dict(zip(WORDS, CLASSES, strict=True)), by_id) == expected
    with pytest.raises(LabelError, match=r"pred is a Tensor.*Use Tensor.cpu\(\).*on the CPU"):
        from_labels(CLASSES, Tensor(CLUSTERS, "cuda"))
    with pytest.raises(LabelError, match=r"shape \(2, 2\).*evaluate\(truth, runs"):
        from_labels([1, 2], Tensor(np.eye(2)))


@pytest.mark.parametrize("tensors", [range(6), [0], [5], [1, 2], [2, 3, 4]])
@pytest.mark.parametrize("make", [Tensor, np.array])
def test_tensors_among_labels_are_numbers(tensors, make):
    mixed = [make(label) if i in tensors else label for i, label in enumerate(CLUSTERS)]
    objects = np.empty(6, dtype=object)
    for i, label in enumerate(mixed):
        objects[i] = label
    by_id = dict(zip(WORDS, mixed, strict=True))
    for pred in (mixed, tuple(mixed), objects, pd.Series(objects)):
        assert cb.rand(CLASSES, pred) == cb.rand(CLASSES, CLUSTERS)
    assert cb.rand(dict(zip(WORDS, CLASSES, strict=True)), by_id) == cb.rand(CLASSES, CLUSTERS)


def test_a_label_is_no_vector():
    with pytest.raises(LabelError, match="pred holds a Tensor"):
        cb.rand([0, 1], [0, Tensor([1, 2])])


def test_tensors_of_runs():
    columns = np.array([CLUSTERS, CLUSTERS[::-1]]).T
    expected = cb.evaluate(CLASSES, columns, "rand")
    for runs in (Tensor(columns), Exported(columns), [Exported(run) for run in columns.T.copy()]):
        assert cb.evaluate(CLASSES, runs, "rand") == expected
    with pytest.raises(LabelError, match=r"pred is a Tensor that numpy cannot read.*on the CPU"):
        cb.evaluate(CLASSES, Tensor(columns, "cuda"))


# --- every function ------------------------------------------------------------------------------


def every_use(truth, pred, **options):
    """Return the Rand index by every function that takes two labelings."""
    return [
        cb.rand(from_labels(truth, pred, **options)),
        cb.rand(truth, pred, **options),
        cb.evaluate(truth, pred, "rand", **options).rows[0].value,
        cb.evaluate(truth, {"x": pred}, "rand", **options).rows[0].value,
        cb.interval(truth, pred, measure="rand", n_resamples=10, rng=1, **options).value,
        cb.permutation_test(truth, pred, measure="rand", n_resamples=10, **options).value,
        cb.compare(truth, pred, pred, measure="rand", n_resamples=10, **options)["a"].value,
        cb.pairwise({"t": truth, "p": pred}, measure="rand", **options)["t", "p"],
    ]


def test_every_function_joins():
    truth = dict(zip(WORDS, CLASSES, strict=True))
    pred = dict(reversed(list(zip(WORDS, CLUSTERS, strict=True))))
    assert set(every_use(truth, pred)) == {cb.rand(CLASSES, CLUSTERS)}
    assert repr(cb.explain(truth, pred)) == repr(cb.explain(CLASSES, CLUSTERS))
    del truth["ann"], pred["fay"]
    expected = cb.rand(CLASSES[1:-1], CLUSTERS[1:-1])
    assert set(every_use(truth, pred, unmatched="drop")) == {expected}
    expected = cb.rand([None, *CLASSES[1:]], [*CLUSTERS[:-1], None], missing="class")
    assert set(every_use(truth, pred, unmatched="class")) == {expected}
    expected = cb.rand(CLASSES[1:4], CLUSTERS[1:4])
    with pytest.warns(ClusterbitsWarning, match="'z' is no class"):  # of pred, as pairwise sees it
        assert set(every_use(truth, pred, unmatched="drop", truth_noise="z")) == {expected}


def test_several_clusterings_are_compared_on_common_objects():
    truth = dict(zip(WORDS, CLASSES, strict=True))
    a, b = dict(zip(WORDS, CLUSTERS, strict=True)), dict.fromkeys(WORDS[1:], 1)
    with pytest.raises(LabelError, match=r"1 of truth \(such as 'ann'\).*5 are"):
        cb.compare(truth, a, b, measure="rand", n_resamples=10)
    found = cb.compare(truth, a, b, measure="rand", n_resamples=10, unmatched="drop")
    assert found["a"].value == cb.rand(CLASSES[1:], CLUSTERS[1:])
    assert found["b"].value == cb.rand(CLASSES[1:], [1] * 5)
    ranked = cb.compare(truth, {"a": a, "b": b}, measure="rand", n_resamples=10, unmatched="drop")
    assert {row.clustering for row in ranked.rows} == {"a", "b"}


def test_many_clusterings_are_joined():
    runs = {str(k): dict(zip(np.roll(WORDS, k).tolist(), range(6), strict=True)) for k in range(4)}
    expected = {
        (a, b): cb.rand(
            [runs[a][word] // 2 for word in WORDS], [runs[b][word] // 2 for word in WORDS]
        )
        for a in runs
        for b in runs
    }
    runs = {name: {word: k // 2 for word, k in run.items()} for name, run in runs.items()}
    square = cb.pairwise(runs, measure="rand")
    assert all(square[pair] == value for pair, value in expected.items())
    del runs["1"]["ann"]
    with pytest.raises(LabelError, match=r"'0' \(truth\) and '1' \(pred\): the ids do not match"):
        cb.pairwise(runs, measure="rand")
    assert cb.pairwise(runs, measure="rand", unmatched="drop")["0", "2"] == expected["0", "2"]


def test_codes_need_an_order():
    pred = dict(zip(WORDS, CLUSTERS, strict=True))
    for truth, found in ((CLASSES, pred), (pred, CLASSES), (pred, [set(WORDS)])):
        with pytest.raises(LabelError, match="knows its objects by id, and a code sends one class"):
            cb.codec.encode(truth, found)
    with pytest.raises(LabelError, match="pred knows its objects by id"):
        cb.codec.decode(cb.codec.encode(CLASSES, CLUSTERS), pred)


# --- what cannot be joined -----------------------------------------------------------------------

TRUTH = dict(zip(WORDS, CLASSES, strict=True))
PRED = dict(zip(WORDS, CLUSTERS, strict=True))


@pytest.mark.parametrize(
    ("truth", "pred", "options", "message"),
    [
        (TRUTH, CLUSTERS, {}, r"pred has no ids.*dict\(zip\("),
        (CLASSES, PRED, {}, "truth has no ids"),
        (TRUTH, pl.Series(CLUSTERS), {}, "pred has no ids"),
        (TRUTH, {k: v for k, v in PRED.items() if k > "b"}, {},
         r"1 of truth \(such as 'ann'\) are not in all; 5 are. Pass unmatched='drop'"),
        (TRUTH, PRED | {"gil": 1, "hal": 2}, {}, r"2 of pred \(such as 'gil', 'hal'\)"),
        (TRUTH, dict.fromkeys(range(9), 1), {}, r"such as 0, 1, 2\) are not in all; 0 are"),
        (TRUTH, dict.fromkeys(range(9), 1), {"unmatched": "drop"}, "no id is in all of truth"),
        (TRUTH, PRED, {"unmatched": "dorp"}, "Did you mean 'drop'"),
        (TRUTH, [{"ann", "bob"}, {"bob", "cid", "dan", "eve", "fay"}], {},
         "pred has the id 'bob' twice: each object has one label.*covers"),
        (TRUTH, cdlib([*WORDS, "ann"], [*CLUSTERS, 9]), {}, "id 'ann' twice"),
        (TRUTH, pd.DataFrame({"id": ["ann", "ann"], "k": [1, 1]}), {}, "id 'ann' twice: each"),
        (pd.Series([1, 2, 2]), pd.Series([1, 2, 2], [2, 1, 0]), {}, "default index.*align=True"),
        (TRUTH, pd.Series(CLUSTERS), {}, "pred has no ids.*default index.*align=True"),
        (TRUTH, [WORDS[:3], WORDS[3:]], {}, "pred holds a list, which is no label"),
        (TRUTH, {"a": [1], "b": 2}, {}, "mapping to values of type int, list"),
        (TRUTH, {"a": {}, "b": {}}, {}, "pred is a mapping to values of type dict"),
        (TRUTH, {}, {}, "pred is empty"),
        (TRUTH, [set(), set()], {}, "pred is empty"),
        (TRUTH, PRED | {"ann": None}, {}, "pred has 1 missing label, the first at position 0"),
        (TRUTH, PRED | {None: 1}, {}, "pred has no id at position 6"),
        (TRUTH, {**PRED, 0.5: 1}, {}, "the ids of pred holds 0.5"),
        (TRUTH, {1: ["ann", ["bob"]]}, {}, "the ids of pred holds a list"),
        (TRUTH, {1: [2.0**53, 1.0]}, {}, "the ids of pred holds .*, a float so large"),
        (TRUTH, {2: np.array([2.0**60])}, {}, "the ids of pred holds .*, a float so large"),
        ([("a", "b"), ("b", "c")], [1, 2], {}, "truth holds a tuple"),
        (pd.Series([("a", "b"), ("b", "c")]), [1, 2], {}, "truth holds a tuple"),
        (np.eye(3, dtype=int), [0, 1, 2], {}, r"shape \(3, 3\).*evaluate\(truth, runs\)"),
        (np.eye(3, dtype=int).tolist(), [0, 1, 2], {}, "truth holds a list"),
        ([1, 2], [1, 2, 3], {}, r"2 labels and pred has 3.*join on ids, pass dict\(zip"),
        (pd.DataFrame({"a": [1], "b": [1], "c": [1]}), [1], {}, "of 3 columns"),
        (TRUTH, PRED, {"weights": [1] * 6}, "weights has no ids"),
        (TRUTH, PRED, {"weights": {"ann": 2}}, "no weight for 5 objects, such as the id 'bob'; 0"),
        (TRUTH, PRED, {"weights": {**PRED, "ann": -1}}, "-1 at position 0; weights are finite"),
        (CLASSES, CLUSTERS, {"weights": PRED}, "truth has no ids"),
        (TRUTH, PRED, {"truth_noise": [[1]]}, "one class label, or a list of them"),
        (TRUTH, PRED, {"truth_noise": ["x", "y", "z"]}, "every object is in a class of truth"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined(truth, pred, options, message):
    with pytest.raises(ClusterbitsError, match=message):
        from_labels(truth, pred, **options)


def test_weights_by_id():
    weights = dict(zip(reversed(WORDS), [1, 2, 3, 4, 5, 6], strict=True))
    expected = from_labels(CLASSES, CLUSTERS, weights=[6, 5, 4, 3, 2, 1])
    assert from_labels(TRUTH, PRED, weights=weights) == expected
    assert from_labels(TRUTH, PRED, weights=pd.Series(weights)) == expected
    assert from_labels(TRUTH, PRED, weights=weights | {"zoe": 9}) == expected
    few = {word: PRED[word] for word in WORDS[2:]}
    dropped = from_labels(TRUTH, few, weights=weights, unmatched="drop")
    assert dropped == from_labels(CLASSES[2:], CLUSTERS[2:], weights=[4, 3, 2, 1])
    assert dropped.coverage == (4, 6, 3, 3)


@pytest.mark.parametrize("make", [list, np.array, iter, lambda some: (one for one in some)])
def test_weights_by_position(make):
    truth, pred = pd.Series(CLASSES, index=WORDS), pd.Series(CLUSTERS, index=WORDS)
    expected = from_labels(CLASSES, CLUSTERS, weights=range(6))
    assert from_labels(truth, pred, weights=make(range(6))) == expected
    for many in (5, 7):
        with pytest.raises(LabelError, match="one weight for each of 6 objects"):
            from_labels(truth, pred, weights=make(range(many)))
    with pytest.raises(LabelError, match="weights has no ids"):
        from_labels(truth, pred[::-1], weights=make(range(6)))


# --- position or ids -----------------------------------------------------------------------------


def test_offered_ids():
    """A pandas index counts where both sides have one, and neither is the default one."""
    truth, pred = pd.Series(CLASSES, index=WORDS), pd.Series(CLUSTERS, index=WORDS)
    expected = from_labels(CLASSES, CLUSTERS)
    assert from_labels(truth, pred) == from_labels(truth, pred[::-1]) == expected
    assert from_labels(truth, pred[::-1].to_numpy()) == from_labels(CLASSES, CLUSTERS[::-1])
    assert from_labels(truth, pd.Series(CLUSTERS)) == expected  # as of predict()
    with pytest.raises(LabelError, match="the ids do not match"):
        from_labels(truth, pred.rename({"ann": "zoe"}))
    assert from_labels(truth, pred[1:], unmatched="drop").n == 5
    some = pd.Series(CLASSES, index=[4, 7, 9, 11, 12, 13])  # as of a train-test split
    assert from_labels(some, pd.Series(CLUSTERS)) == expected
    shuffled = pd.Series(CLUSTERS)[[3, 0, 2, 1, 5, 4]]
    with pytest.raises(LabelError, match="default index"):
        from_labels(pd.Series(CLASSES), shuffled)
    assert from_labels(pd.Series(CLASSES), shuffled, align=True) == expected
    assert from_labels(pd.Series(CLASSES), pd.Series(CLUSTERS), align=True) == expected
    twice = pd.Series(CLUSTERS, index=["ann"] * 6)
    assert from_labels(twice, twice) == from_labels(CLUSTERS, CLUSTERS)
    with pytest.raises(LabelError, match="twice"):
        from_labels(truth, twice)


# --- against brute force -------------------------------------------------------------------------

labels = st.sampled_from(["a", "b", "c", -1, None])
labeling = st.dictionaries(st.integers(0, 8) | st.sampled_from("pq"), labels, min_size=1)


def brute_force(truth, pred, noise, missing, unmatched, truth_noise):
    """Return the pairs that are counted, one object at a time; None where it is an error."""
    pairs = []
    for name in {**truth, **pred}:
        own = [side[name] for side in (truth, pred) if name in side]
        if len(own) < 2 and unmatched == "error":
            return None
        if len(own) < 2 and unmatched == "drop":
            continue
        if None in own and missing == "error":
            return None
        if None in own and missing == "drop":
            continue
        pair = truth.get(name), pred.get(name)
        if pair[0] == truth_noise or (noise == "drop" and pair[1] == -1):
            continue
        pairs.append(pair)
    return pairs


@pytest.mark.filterwarnings("ignore::clusterbits.errors.ClusterbitsWarning")
@given(
    labeling,
    labeling,
    st.sampled_from([None, "drop"]),
    st.sampled_from(["error", "drop", "class"]),
    st.sampled_from(["error", "drop", "class"]),
    st.sampled_from(["c", -1]),
    st.randoms(use_true_random=False),
)
def test_unmatched_against_brute_force(truth, pred, noise, missing, unmatched, truth_noise, random):
    options = {"noise": noise, "missing": missing, "unmatched": unmatched}
    options["truth_noise"] = truth_noise
    pairs = brute_force(truth, pred, noise, missing, unmatched, truth_noise)
    if not pairs:
        with pytest.raises(LabelError):
            from_labels(truth, pred, **options)
        return
    table = from_labels(truth, pred, **options)
    classes, clusters = zip(*pairs, strict=True)
    assert table == from_labels(classes, clusters, missing="class")
    n = len({**truth, **pred})
    covered = len(pairs), n
    found = table.coverage
    assert (found is None and covered == (n, n)) or found[:2] == covered
    shuffled = list(pred.items())
    random.shuffle(shuffled)
    again = from_labels(truth, dict(shuffled), **options)
    assert again == table
    assert again.coverage == table.coverage


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.data())
def test_order_changes_nothing(pairs, data):
    """Shuffle the objects of any form with ids: the table stays."""
    kind = data.draw(st.sampled_from([str, int, lambda i: (i, "t"), lambda i: i * 2**40]))
    ids = [kind(i) for i in range(len(pairs))]
    tables = []
    for form in (data.draw(st.sampled_from(sorted(FORMS))), "id -> label"):
        order = data.draw(st.permutations(range(len(pairs))))
        if kind(0) == (0, "t"):
            form = "cluster -> list"
        pred = FORMS[form]([ids[i] for i in order], [pairs[i][1] for i in order])
        truth = {ids[i]: pairs[i][0] for i in order}
        tables.append(from_labels(truth, pred))
    expected = from_labels(*zip(*pairs, strict=True))
    assert all(values(table) == values(expected) for table in tables)


# --- classes that are left out -------------------------------------------------------------------


def test_truth_noise_is_left_out_everywhere(tmp_path):
    truth, pred = ["x", "x", "y", "?", "?", "-"], [1, 1, 2, 2, 3, 3]
    frame = pd.DataFrame({"t": truth, "k": pred})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    options = {"truth_noise": ["?", "-"]}
    Table = cb.Contingency
    expected = from_labels(["x", "x", "y"], [1, 1, 2])
    for table in (
        from_labels(truth, pred, **options),
        Table.from_frame(frame, "t", "k", **options),
        Table.from_frame(pl.from_pandas(frame).lazy(), "t", "k", **options),
        Table.from_file(tmp_path / "labels.csv", "t", "k", **options),
        Table.from_batches([(truth, pred)], **options),
    ):
        assert table == expected
        assert table.coverage == (3, 6, 2, 3)
    assert from_labels(truth, pred, truth_noise="?").n == 4
    with pytest.warns(ClusterbitsWarning, match="is no class"):  # as the other one has none
        square = cb.pairwise({"a": truth, "b": pred}, measure="rand", **options)
    assert square["a", "b"] == cb.rand(["x", "x", "y"], [1, 1, 2])
    with pytest.warns(ClusterbitsWarning, match="truth_noise='yy' is no class.*Did you mean 'y'"):
        from_labels(truth, pred, truth_noise="yy")


def test_truth_noise_in_joined_files(tmp_path):
    pd.DataFrame({"id": WORDS, "t": CLASSES}).to_csv(tmp_path / "t.csv", index=False)
    pd.DataFrame({"id": WORDS[1:], "k": CLUSTERS[1:]}).to_csv(tmp_path / "k.csv", index=False)
    paths = [tmp_path / "t.csv", tmp_path / "k.csv"]
    options = {"unmatched": "drop", "truth_noise": "z"}
    table = cb.Contingency.from_file(paths, "t", "k", on="id", **options)
    few = {word: PRED[word] for word in WORDS[1:]}
    assert table == from_labels(TRUTH, few, **options)
    assert table.coverage == from_labels(TRUTH, few, **options).coverage == (3, 6, 2, 3)


# --- numbering -----------------------------------------------------------------------------------

SHARED_HASH = [-1, -2, "a"]  # hash(-1) == hash(-2)
NUMBERED = {
    "one order": [["a", "b", "c"], ["a", "b", "c"]],
    "another order": [["a", "b", "c"], ["c", "a", "b"]],
    "others": [["a", "b"], ["c", "b", "d"], ["d", "a"]],
    "a shared hash": [SHARED_HASH, SHARED_HASH[::-1]],
    "a shared hash, unmatched": [[-1, "a"], [-2, "a"]],
    "integers and text": [np.array([1, 2]), ["1", 2]],
    "scattered integers": [np.array([2**60, 7]), np.array([7, 2**60, 5])],
    "tuples": [[("a", 1), ("b", 2)], [("b", 2), ("a", 1)]],
}


@pytest.mark.parametrize("ids", NUMBERED.values(), ids=NUMBERED)
def test_objects_are_numbered_in_the_order_of_the_first(ids):
    numbers, total = number_objects(ids)
    assert numbers[0].tolist() == list(range(len(ids[0])))
    names = {}
    for places, some in zip(numbers, ids, strict=True):
        for place, name in zip(places.tolist(), list(some), strict=True):
            assert names.setdefault(place, name) == name
    assert len(names) == total == len(set().union(*map(list, ids)))


@pytest.mark.parametrize("pred", [["a", "b", "a"], ["a", "c", "c"], ["a", "a"]])
@pytest.mark.parametrize("side", [0, 1])
def test_a_repeated_id_is_found_in_any_order(pred, side):
    """Also where both labelings have it, in the same order."""
    twice = pd.DataFrame({"id": pred, "k": 0})
    once = dict.fromkeys(pred, 0)
    for both in ([twice, once], [twice, twice]):
        with pytest.raises(LabelError, match=r"has the id '[ac]' twice"):
            cb.rand(*(both if side else both[::-1]))
