"""Every kind of result: copies, pickles, equality and hash."""

import copy
import importlib
import math
import pickle
import pkgutil
import re
from dataclasses import fields, is_dataclass
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.measures import catalogue
from clusterbits.paper.cards.criterion import Verdict
from clusterbits.text.results import Result

TRUTH, PRED = list("aabbbc"), [1, 1, 2, 2, 3, 3]
RUNS = {"a": PRED, "b": [1, 2, 1, 2, 1, 2]}
TASKS = {"x": (TRUTH, RUNS), "y": (PRED, RUNS)}
TREE = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5], [6, 7], [9, 8]])
DEGREES = [[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.0, 1.0], [0.5, 0.5], [0.4, 0.6]]
OPTIONS = {"n_resamples": 20, "rng": 1}
SEED = {"rng": 1}
# One object: chance-adjusted measures and their limits are nan.
ALONE = cb.Contingency.from_counts([[1]])


def _card(name):
    from clusterbits.paper.cards.card import Card

    return Card(name, (Verdict("P1", name, "pass"),))


def _judged(answer):
    changes = cb.diff(TRUTH, PRED)
    asked = changes.question_columns(40)
    asked["together"] = [answer] * 40
    return changes.judged(asked)


def _examples():
    from clusterbits.paper.cards.card import Cards
    from clusterbits.paper.claims.claim import Claim
    from clusterbits.paper.claims.reproduction import Reproduction

    return {
        "Scores": [
            lambda: cb.evaluate(TRUTH, PRED),
            lambda: cb.evaluate(ALONE),
            lambda: cb.evaluate(TRUTH, RUNS, measures=["q0", "ari"]),
        ],
        "Ranks": [
            lambda: cb.evaluate(TRUTH, RUNS, ["q0", "ari"]).ranks(),
            lambda: cb.evaluate(TRUTH, RUNS, ["q0"]).ranks(),
        ],
        "Pairwise": [lambda: cb.pairwise(RUNS), lambda: cb.pairwise(RUNS, measure="homogeneity")],
        "Interval": [
            lambda: cb.interval(TRUTH, PRED, measure="q2", **OPTIONS),
            lambda: cb.interval(TRUTH, PRED, measure="q0", **OPTIONS),
        ],
        "Estimates": [
            lambda: cb.records.estimate(TRUTH, PRED),
            lambda: cb.records.estimate(
                ["a", "a", *[None] * 4], PRED
            ),  # one entity: errors are nan
        ],
        "PermutationTest": [
            lambda: cb.permutation_test(TRUTH, PRED, measure="q0", **OPTIONS),
            lambda: cb.permutation_test(TRUTH, PRED, measure="rand", **OPTIONS),
        ],
        "Comparison": [
            lambda: cb.compare(TRUTH, RUNS["a"], RUNS["b"], measure="q2", **SEED),
            lambda: cb.compare(TRUTH, RUNS["b"], RUNS["a"], measure="q2", **SEED),
        ],
        "TaskComparison": [
            lambda: cb.compare(TASKS, measure="purity", **SEED),
            lambda: cb.compare(TASKS, measure="ari", **SEED),
        ],
        "Explanation": [
            lambda: cb.explain(TRUTH, PRED),
            lambda: cb.explain(TRUTH, RUNS["b"]),
        ],
        "Match": [
            lambda: cb.match(TRUTH, PRED),
            lambda: cb.match(TRUTH, RUNS["b"]),
        ],
        "Changes": [
            lambda: cb.diff(TRUTH, PRED),
            lambda: cb.diff(TRUTH, TRUTH),
        ],
        "Clusters": [
            lambda: cb.diff(TRUTH, PRED).old,
            lambda: cb.diff(TRUTH, PRED).new,
        ],
        "GroupChanges": [
            lambda: cb.diff(TRUTH, PRED, groups=list("xxyyyy")).groups,
            lambda: cb.diff(TRUTH, PRED, groups=list("xyyyyy")).groups,
        ],
        "JudgedChanges": [lambda: _judged("yes"), lambda: _judged("no")],
        "Consensus": [lambda: cb.consensus(RUNS), lambda: cb.consensus([TRUTH, PRED])],
        "Runs": [lambda: cb.consensus(RUNS).runs, lambda: cb.consensus([TRUTH, PRED]).runs],
        "CodeLengths": [
            lambda: cb.codec.code_lengths(TRUTH, PRED),
            lambda: cb.codec.code_lengths(TRUTH, RUNS["b"]),
        ],
        "SoftCode": [
            lambda: cb.covers.soft_code(TRUTH, DEGREES),
            lambda: cb.covers.soft_code(TRUTH, PRED),
        ],
        "WorstClustering": [
            lambda: cb.worst_clustering([3, 2, 1]),
            lambda: cb.worst_clustering([3, 2, 2]),
        ],
        "Cuts": [lambda: cb.trees.cuts(TRUTH, TREE), lambda: cb.trees.cuts(TRUTH, TREE, ["q0"])],
        "BestCut": [
            lambda: cb.trees.best_cut(TRUTH, TREE),
            lambda: cb.trees.best_cut(list("abcabc"), TREE),
        ],
        "CorefScores": [
            lambda: cb.coreference.score([[1, 2], [3]], [[1, 2, 3]]),
            lambda: cb.coreference.score([[1, 2], [3]], [[1, 2], [3]]),
        ],
        "DocumentScores": [
            lambda: (
                cb.coreference.score(
                    {"x": [["a", "b"]], "y": [["c"]]}, {"x": [["a", "b"]], "y": []}
                ).by_document
            ),
            lambda: cb.coreference.score({"x": [["a", "b"]]}, {"x": [["a"]]}).by_document,
        ],
        "IsolatedLabels": [
            lambda: cb.isolated_labels_f1(TRUTH, PRED, list("xxyyyy")),
            lambda: cb.isolated_labels_f1(TRUTH, RUNS["b"], list("xyyyyy")),
        ],
        "Card": [lambda: _card("q0"), lambda: _card("rand")],
        "Cards": [lambda: Cards((_card("q0"),)), lambda: Cards((_card("rand"),))],
        "Reproduction": [
            lambda: Reproduction((Claim("Table 1", "x", "1", "1"),), {"t": [{"x": math.nan}]}),
            lambda: Reproduction((Claim("Table 1", "x", "1", "2"),), {"t": [{"x": math.nan}]}),
        ],
    }


EXAMPLES = _examples()


@cache
def made(name):
    """Return the examples of a result, computed once."""
    return [make() for make in EXAMPLES[name]]


def _kinds(base):
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


def test_every_result_has_an_example():
    for module in pkgutil.walk_packages(cb.__path__, "clusterbits."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    library = (kind for kind in _kinds(Result) if kind.__module__.startswith("clusterbits."))
    kinds = {kind.__name__ for kind in library if not kind.__subclasses__()}
    assert kinds == set(EXAMPLES)
    for name in EXAMPLES:
        assert {type(result).__name__ for result in made(name)} == {name}


@pytest.mark.parametrize("name", EXAMPLES)
def test_results_are_gone_through_by_rows(name):
    result = made(name)[0]
    rows = [row._asdict() if hasattr(row, "_asdict") else row for row in result]
    assert len(rows) == len(result) == len(result.to_dicts())
    assert len(result.to_frame()) > 0
    assert "<table" in result._repr_html_()


KEYED = {
    "Scores": "ari",
    "Ranks": "ari",
    "Estimates": "pair_f1",
    "Cuts": "q0",
    "CorefScores": "muc_f1",
    "Comparison": "a",
    "TaskComparison": "a",
    "Match": "a",
    "IsolatedLabels": "a",
}


@pytest.mark.parametrize("name", KEYED)
def test_results_are_asked_by_name(name):
    result = next(example for example in made(name) if KEYED[name] in example)
    assert repr(result[KEYED[name]])
    assert list(dict(result)) == list(result.keys()) == result._ipython_key_completions_()
    assert "nothing" not in result
    with pytest.raises(cb.errors.ClusterbitsError, match="'nothing'"):
        result["nothing"]


COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda result: pickle.loads(pickle.dumps(result)),
}


def _arrays(value):
    """Yield all arrays within a value."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        yield from _arrays([*value.values()])
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _arrays(item)
    elif is_dataclass(value):  # what is not compared is only worked with
        yield from _arrays([getattr(value, field.name) for field in fields(value) if field.compare])
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield from _arrays(vars(value))


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_copies_are_equal_and_immutable(name, how):
    for original in made(name):
        repr(original)  # fills what is computed when first asked for
        duplicate = COPIES[how](original)
        assert duplicate == original
        assert repr(duplicate) == repr(original)
        for result in (original, duplicate):
            assert not any(array.flags.writeable for array in _arrays(result))
            with pytest.raises(AttributeError):
                setattr(result, next(iter(vars(result))), None)


@pytest.mark.parametrize("name", EXAMPLES)
def test_equal_results_are_equal_and_others_are_not(name):
    again = [make() for make in EXAMPLES[name]]
    for i, first in enumerate(made(name)):
        for j, second in enumerate(again):
            assert (first == second) is (i == j)
            assert (first != second) is (i != j)
        assert first != 0
        assert first != "x"
        try:
            assert hash(first) == hash(again[i])
        except TypeError as error:
            assert "unhashable" in str(error)  # noqa: PT017


@pytest.mark.parametrize("how", COPIES)
def test_copied_tables_are_immutable(how):
    table = cb.Contingency.from_labels(TRUTH, PRED)
    assert table.class_sizes.sum() == 6
    duplicate = COPIES[how](table)
    assert duplicate == table
    assert duplicate.class_sizes.tolist() == table.class_sizes.tolist()
    assert list(_arrays(duplicate))
    assert not any(array.flags.writeable for array in _arrays(duplicate))
    with pytest.raises(ValueError, match="read-only"):
        duplicate.counts[0] = 9
    with pytest.raises(AttributeError):
        duplicate.cells = None


def test_control_characters_are_escaped():
    hostile = ["\x1b[31mred", "\x1b]0;title\x07", "back\x08", "two\nlines", "\x9b5n"]
    runs = {name: [name, "x", "y", "y", "x"] for name in hostile}
    for result in (
        cb.evaluate(hostile, runs, measures=["q0", "ari"]),
        cb.pairwise(runs),
        cb.explain(hostile, hostile),
        cb.compare(hostile, runs, measure="q0", **SEED),
        cb.trees.best_cut(hostile, cb.trees.Tree.from_levels([hostile])),
    ):
        assert not set(repr(result)) & {*map(chr, range(32)), *map(chr, range(127, 160))} - {"\n"}
        assert "two\nlines" not in repr(result)


class _Markup(HTMLParser):
    """Collects what a page is made of: elements, attributes, styles, text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.attributes, self.styles, self.text = set(), set(), [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.styles += [value for name, value in attrs if name == "style"]

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", EXAMPLES)
def test_notebooks_show_the_conclusion_and_no_colours_of_their_own(name):
    for result in made(name):
        page = _Markup(result._repr_html_())
        assert "".join(result.title.splitlines()) in page.text
        for style in page.styles:
            assert "currentColor" in style or not re.search(
                r"color:(?!inherit)|#|background", style
            )


def test_hostile_labels_are_inert_in_notebooks():
    evil = ["<script>alert(1)</script>", "' onmouseover='x" * 9, '"><img src=x onerror=x>' * 9]
    runs = {name: [name, *evil] for name in evil}
    labels = [evil[0], *evil]
    for result in (
        cb.evaluate(labels, runs, measures=["q0", "ari"]),
        cb.evaluate(labels, runs, measures=["q0", "ari"], groups=[1, 1, 2, 2]),
        cb.pairwise(runs),
        cb.explain(labels, labels),
        cb.compare(labels, runs, measure="q0", **SEED),
        cb.Contingency.from_labels(labels, labels),
        cb.trees.best_cut(labels, cb.trees.Tree.from_levels([labels])),
    ):
        page = _Markup(result._repr_html_())
        assert not page.elements & {"script", "img"}
        assert page.attributes <= {"style", "scope", "title"}


def test_the_label_of_noise_is_mentioned_unless_it_was_treated():
    truth, pred = ["a"] * 4 + ["b"] * 4, [0, 0, 0, -1, 1, 1, 1, -1]
    line = "The label -1 (25 % of the objects) is counted as one cluster"
    results = [cb.evaluate, cb.explain, cb.match, cb.Contingency]
    for make in results:
        assert line in make(truth, pred)._repr_html_()
        assert line not in make(truth, pred, noise="drop")._repr_html_()
        assert line not in make(truth, pred, noise="singletons")._repr_html_()
    runs = {"files": [str(label) for label in pred], "none": truth}
    scores = cb.evaluate(truth, runs, ["q0"])
    assert "The label -1 (25 % of files) is" in repr(scores)
    assert "The label -1 (25 % of files) is" in scores.report(progress=False).html


def test_an_explanation_says_how_many_clusters_it_lists():
    why = cb.explain([0, 1] * 12, [i // 3 for i in range(24)])
    assert "The costliest 5 of 8 clusters have 62.5 % of q0." in repr(why)
    assert "The costliest 5 of 8 clusters" in why._repr_html_()
    assert "The costliest" not in repr(cb.explain([0, 1], [0, 1]))


OWN = {
    "scores": lambda m: cb.evaluate(TRUTH, RUNS, [m, "q0"]),
    "one clustering": lambda m: cb.evaluate(TRUTH, PRED, [m]),
    "compared": lambda m: cb.evaluate(TRUTH, RUNS, [m], confidence_level=0.9, **OPTIONS),
    "groups": lambda m: cb.evaluate(TRUTH, RUNS, [m], groups=[0, 1, 0, 1, 0, 1]),
    "comparison": lambda m: cb.compare(TRUTH, RUNS, measure=m),
    "interval": lambda m: cb.interval(TRUTH, PRED, measure=m, **OPTIONS),
    "permutation test": lambda m: cb.permutation_test(TRUTH, PRED, measure=m, **OPTIONS),
    "pairwise": lambda m: cb.pairwise(RUNS, measure=m),
    "ranks": lambda m: cb.evaluate(TRUTH, RUNS, [m, "q0"]).ranks(),
}


@pytest.mark.parametrize("name", OWN)
def test_results_of_an_own_measure_are_shown_where_it_is_not_declared(name, monkeypatch):
    monkeypatch.setattr(catalogue, "_CATALOGUE", dict(catalogue._CATALOGUE))

    @cb.measure(family="mine", bounds=(0, 1), better="higher", perfect=1)
    def own_purity(table):
        """Own purity: that of the catalogue."""
        return cb.purity(table)

    result = OWN[name](own_purity)
    pickled, text, html = pickle.dumps(result), str(result), result._repr_html_()
    del catalogue._CATALOGUE["own_purity"]
    loaded = pickle.loads(pickled)
    assert (str(loaded), loaded._repr_html_()) == (text, html)
    loaded.plot()
