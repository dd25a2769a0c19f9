"""Coreference scores: the reference scorer's answers, and each measure written out by its links."""

import json
import math
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.coreference import documents, rate_all, side, write_columns
from support.hostile import examples

import clusterbits as cb
from clusterbits.errors import LabelError, MeasureError

CASES = json.loads(
    Path(__file__).parents[1].joinpath("data/coreference_answers.json").read_text(encoding="utf-8")
)


def same(a, b):
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def named(drawn):
    """Return both sides; clusters are sets, as two numbers in a list could be a span."""
    return [
        {f"d{i}": [*map(frozenset, pair[which])] for i, pair in enumerate(drawn)}
        for which in (0, 1)
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_reference_scorer_answers_the_same(case):
    scores = cb.coreference.score(case["key"], case["response"], repeated="first")
    for name, fractions in case["answers"].items():
        if name == "mentions":
            fractions = [fractions]
        if name == "blanc":
            *fractions, mean = fractions
            assert same(scores["blanc_recall"], mean[0])
            assert same(scores["blanc_precision"], mean[2])
        for tally, expected in zip(scores.tallies[name], fractions, strict=True):
            assert all(map(same, astuple(tally.pooled()), expected)), (name, tally, expected)


@pytest.mark.parametrize("case", CASES[-25:], ids=lambda case: case["name"])
def test_files_score_as_the_clusters_in_them(case, tmp_path):
    paths = [tmp_path / "key.conll", tmp_path / "response.conll"]
    for path, name in zip(paths, ("key", "response"), strict=True):
        path.write_text(write_columns(case[name]))
    computed = cb.coreference.score(*paths)
    expected = cb.coreference.score(case["key"], case["response"])
    for name, quality in expected.qualities.items():
        assert all(map(same, computed.qualities[name], quality)), name


@examples(80)
@given(drawn=documents)
def test_every_measure_is_what_it_is_written_out(drawn):
    key, response = named(drawn)
    scores = cb.coreference.score(key, response)
    expected = rate_all(drawn)
    assert set(expected) == set(scores.qualities)
    for name, quality in expected.items():
        assert all(map(same, scores.qualities[name], quality)), name
    assert same(scores["conll"], expected["conll"].f1)


@examples(30)
@given(drawn=documents, data=st.data())
def test_documents_by_themselves_and_in_any_order(drawn, data):
    key, response = named(drawn)
    scores = cb.coreference.score(key, response)
    by_document = scores.by_document
    for i, name in enumerate(key):
        single = cb.coreference.score(key[name], response[name])
        for measure, quality in by_document.qualities.items():
            by_name = [part[i] for part in quality]
            assert all(map(same, by_name, single.qualities[measure])), (name, measure)
    order = data.draw(st.permutations(list(response)))
    assert cb.coreference.score(key, {name: response[name] for name in order}) == scores


@examples(30)
@given(drawn=documents)
def test_singletons_are_dropped_as_if_they_were_not_there(drawn):
    without = [tuple([c for c in clusters if len(c) > 1] for clusters in pair) for pair in drawn]
    dropped = cb.coreference.score(*named(drawn), singletons="drop")
    assert dropped == cb.coreference.score(*named(without))


class Tensor:
    """A tensor as torch has them: hashed by its address."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape, self.item = self.values.shape, self.values.item

    def __array__(self, dtype=None, copy=None):
        return self.values


@pytest.mark.parametrize("make", [Tensor, np.array])
def test_mentions_are_known_by_their_values(make):
    for kind in (make, lambda m: make([m, 7]), lambda m: (make(m), "he"), lambda m: [make(m), m]):
        key, response = ([[kind(1), kind(2)], [kind(3)]] for _ in range(2))
        assert cb.coreference.score(key, response)["conll"] == 1


@dataclass(frozen=True)
class Word:
    position: object


@pytest.mark.parametrize(
    "mention",
    [Word(Tensor(1)), frozenset([Tensor(1)]), (0, math.nan), (0, 0.3), ("a", object()), (2.0**53,)],
)
def test_mentions_that_the_other_side_cannot_have_are_refused(mention):
    assert cb.coreference.score([[Word(1), Word(2)]], [[Word(1), Word(2)]])["conll"] == 1
    with pytest.raises(LabelError, match="the key"):
        cb.coreference.score([[mention, "x"]], [[mention, "x"]])


@examples(30)
@given(clusters=side)
def test_what_a_mention_is_does_not_matter(clusters):
    predicted = [clusters[0] + clusters[1], *clusters[2:]] if len(clusters) > 1 else clusters
    scores = cb.coreference.score(clusters, predicted)
    for kind in (str, float, lambda m: (m, m + 1), lambda m: [m, m], lambda m: (m, "he"), np.int64):
        sides = [
            [[kind(m) for m in cluster] for cluster in entities]
            for entities in (clusters, predicted)
        ]
        assert cb.coreference.score(*sides) == scores
    spans = [
        [[(m, 2**40 + m) for m in cluster] for cluster in entities]
        for entities in (clusters, predicted)
    ]
    assert cb.coreference.score(*spans) == scores  # ends that need more than 31 bits
    sets = [[frozenset(cluster) for cluster in entities] for entities in (clusters, predicted)]
    assert cb.coreference.score(*sets) == scores
    named_clusters = [{"d": dict(enumerate(entities))} for entities in (clusters, predicted)]
    assert cb.coreference.score(*named_clusters).qualities == scores.qualities


@examples(30)
@given(truth=st.lists(st.integers(0, 3), min_size=1, max_size=9), data=st.data())
def test_measures_of_tables_are_those_of_one_document(truth, data):
    pred = data.draw(st.lists(st.integers(0, 3), min_size=len(truth), max_size=len(truth)))
    sides = [
        [[i for i, entity_of in enumerate(labels) if entity_of == k] for k in set(labels)]
        for labels in (truth, pred)
    ]
    scores = cb.coreference.score(*sides)
    table = cb.Contingency.from_labels(truth, pred)
    for name in ("muc", "ceaf_m", "ceaf_e", "lea", "bcubed"):
        for field in ("precision", "recall", "f1"):
            value = cb.get_measure(f"{name}_{field}")(table)
            expected = 1 if table.is_perfect else scores[f"{name}_{field}"]
            assert same(value, expected), (name, field)
    kinds = [tally.pooled() for tally in scores.tallies["blanc"]]
    # Without one kind of pairs in the key alone, definitions differ.
    if all(bool(kind.recall_of) == bool(kind.precision_of) for kind in kinds):
        expected = 1 if table.is_perfect else scores["blanc_f1"]
        assert same(cb.coreference.blanc_f1(table), expected)
    if not table.is_perfect:
        assert same(cb.coreference.conll_f1(table), scores["conll"])


def test_where_blanc_is_defined_in_two_ways():
    """The key has no coreference link: the scorer leaves them out, Luo et al. count a 0."""
    key, response = [["a"], ["b"], ["c"]], [["a", "b"], ["c"]]
    assert cb.coreference.score(key, response)["blanc_f1"] == 0.8
    assert cb.coreference.blanc_f1([0, 1, 2], [0, 0, 1]) == 0.4
    # No link on either side: MUC has nothing to count.
    assert cb.coreference.score(key, key)["muc"] == 0
    assert cb.coreference.muc_f1([0, 1, 2], [0, 1, 2]) == 1


def test_scores_answer_to_all_names_that_the_catalogue_has():
    scores = cb.coreference.score([{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5, 6}])
    for name in scores.measures:
        if name == "mentions":  # no clustering, so no measure of the catalogue
            continue
        entry = cb.get_measure(name)
        for alias in (entry.name, *entry.aliases):
            field = alias.rpartition("_")[2]
            field = field if field in ("precision", "recall") else "f1"
            assert scores[alias] == scores[f"{name}_{field}"], alias


def test_large_counts_stay_exact():
    big = 10**18
    table = cb.Contingency.from_counts([[big, 0], [1, big]])
    assert cb.coreference.muc_recall(table) == (2 * big - 2) / (2 * big - 1)
    assert cb.coreference.blanc_f1(table) <= 1
    assert cb.coreference.lea_f1(table) <= 1


def test_empty_sides():
    for key, response in (([], []), ([["a", "b"]], []), ([], [["a", "b"]]), ({"d": []}, {"d": []})):
        scores = cb.coreference.score(key, response)
        assert scores["conll"] == 0
        assert all(value == 0 for quality in scores.qualities.values() for value in quality)
    assert (
        cb.coreference.score([["a", "b"], []], [["a", "b"]])["conll"] == 1
    )  # an empty cluster is none


def test_only_what_is_asked_for_is_computed():
    key = [[0, 1], [2, 3], [4, 5]]
    response = [[1, 2], [3, 4], [5, 6]]
    scores = cb.coreference.score(key, response, "lea, b3")
    assert scores["lea_f1"] == 0
    assert list(scores.keys()) == ["lea", "bcubed"]
    assert scores.by_document.to_dicts()[0]["measure"] == "lea"
    assert repr(scores).startswith("LEA F1 0.0000.\n1 document: 6 mentions of 3 entities")
    assert "1 document: LEA F1 0.0000 (document)." in repr(scores.by_document)
    with pytest.raises(MeasureError, match="muc was not computed; these were: bcubed, lea, ment"):
        scores["muc"]


@pytest.mark.parametrize("n", [30, 600])
def test_entities_that_share_no_mention_match_none(n):
    """Also in tables too large for the dense solver."""
    mixed = (
        [[4 * i, 4 * i + 1, 4 * i + 2] for i in range(n)],
        [cluster for i in range(n) for cluster in ([4 * i, 4 * i + 1], [4 * i + 2, 4 * i + 3])],
    )
    for key, response in (mixed, mixed[::-1]):
        for spare in ([["x"], *response], [*response, ["x"]]):
            scores = cb.coreference.score(key, spare, "ceaf_m, ceaf_e")
            assert scores["ceaf_m_recall"] == 2 * n / sum(map(len, key))
            assert scores["ceaf_e_recall"] == pytest.approx(0.8 * n / len(key))


def test_entities_of_one_large_document_are_matched():
    n = 20_000
    key = [[2 * i, 2 * i + 1] for i in range(n)]
    response = [[2 * i + 1, 2 * i + 2] for i in range(n)]
    scores = cb.coreference.score(key, response, "ceaf_m, ceaf_e")
    assert (scores["ceaf_m"], scores["ceaf_e"]) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("key", "response", "message"),
    [
        ([["a"]], {"d": [["a"]]}, "the key has document 'document', which the response lacks"),
        ({"d": [], "e": []}, {"d": []}, "the key has document 'e', which the response lacks"),
        ({"d": []}, {"d": [], 1: [], 2: []}, "the response has document 1 and 1 more, which the"),
        ([["a", "b"], ["b"]], [], "the mention 'b' of document 'document' is in two entities"),
        ([], [[(1, 2), (1, 2)]], "the mention at tokens 1–2 .* is twice in an entity.*repeated"),
        (["ab"], [], "the key: 'ab' is not a cluster of mentions; pass a list of clusters"),
        ({"d": 5}, {"d": []}, "the key: 5 is not a list of clusters"),
        (5, [], "the key: 5 is not a list of clusters"),
        (None, [], "the key: None is not a list of clusters"),
        ([[{}]], [], "the key: {} is not a mention"),
        ([[math.nan]], [["a"]], "the key: a missing value, at position 0"),
        ([[np.zeros((2, 2))]], [], r"the key: \[\[0.0, 0.0\], \[0.0, 0.0\]\] is not a mention"),
        ([[[(0, 0), (5, 5)]]], [], r"\[\(0, 0\).* is not a mention.*documents are a mapping"),
        ({}, {}, "the key has no documents"),
        *(
            (entities, [], r"the key maps 0 to spans such as .*pass list\(x.values\(\)\), or {'doc")
            for entities in (
                {0: [(0, 1), (5, 5)], 1: [(3, 4)]},
                {0: [[0, 1], [5, 5]], 1: []},
                {0: ((2, 3),)},
            )
        ),
    ],
)
def test_wrong_clusters_are_refused(key, response, message):
    with pytest.raises(LabelError, match=message):
        cb.coreference.score(key, response)
