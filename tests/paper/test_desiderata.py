"""Report cards: known verdicts, witnesses that hold, wrong input."""

import csv
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.measures import catalogue as registry
from clusterbits.paper import CRITERIA, Cards, Grid, Model, check
from clusterbits.paper.cards.amigo import PAIRS, broken_classes, rag_bags
from clusterbits.paper.cards.card import shipped_cards
from clusterbits.paper.cards.judge import Judge
from clusterbits.paper.cards.partitions import perfect_splits


def judged(measure, criterion, **options):
    """Return the verdict by one criterion."""
    (entry,) = [entry for entry in CRITERIA if entry.name == criterion]
    return entry(Judge(cb.get_measure(measure), **options))


@given(
    st.integers(1, 7), st.integers(2, 9), st.integers(1, 4),
    st.floats(0.01, 0.4), st.floats(0.01, 0.5),
)  # fmt: skip
def test_the_joint_is_what_section_6_says(classes, useful, noise, epsilon1, epsilon2):
    if classes == 1:
        with pytest.raises(ClusterbitsError, match="no other useful cluster"):
            Model(classes, useful, noise, epsilon1, epsilon2)
        return
    model = Model(classes, useful, noise, epsilon1, epsilon2)
    p = model.joint()
    assert p.sum() == pytest.approx(1)
    assert p.sum(axis=1) == pytest.approx(1 / classes)
    assert p[:, useful:].sum() == pytest.approx(epsilon2)
    right = sum(p[c, list(ks)].sum() for c, ks in enumerate(model.clusters_of_classes()))
    assert right == pytest.approx(1 - epsilon1 - epsilon2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"classes": 0}, "at least one class"),
        ({"useful": 0}, "one useful"),
        ({"noise": 1}, "exactly if epsilon2"),
        ({"epsilon2": 0.1}, "exactly if epsilon2"),
        ({"epsilon1": -0.1}, "must not be negative"),
        ({"epsilon1": 0.7, "epsilon2": 0.5, "noise": 1}, "more than 1"),
        ({"useful": 1, "epsilon1": 0.1}, "no other useful cluster"),
        ({"epsilon1": math.nan}, "must not be negative"),
    ],
)
def test_impossible_models(parameters, message):
    with pytest.raises(ClusterbitsError, match=message):
        Model(**parameters)


def test_the_grid():
    grid = Grid()
    assert len(list(grid.models())) == 760
    counts = [len(grid.sequences(p)) for p in ("useful", "noise", "epsilon1", "epsilon2")]
    assert counts == [76, 120, 190, 240]
    n = grid.integer_n()
    for model in grid.models():
        assert model.integer_counts(n).n == n
    with pytest.raises(ClusterbitsError, match="do not divide"):
        Model(epsilon1=0.2).integer_counts(501)


def test_cards_of_the_papers_measures():
    cards = check(["rand", "hamming_similarity", "q2"])
    assert isinstance(cards, Cards)
    rand, hamming_similarity, q2 = cards
    assert rand["P1.2"].violated_sequences == 12
    assert rand["P2"].violated_sequences == rand["P2"].sequences == 120
    assert rand["P3.2"].violated_sequences == 28
    assert hamming_similarity["P1.2"].violated_sequences == 2
    assert hamming_similarity["P2"].violated_sequences == 120
    for criterion in ("P1.1", "P1.2", "P2", "P3.1", "P3.2", "monotonicity", "maximal agreement"):
        assert q2[criterion].outcome == "pass"
    assert q2["symmetry"].outcome == "fail"
    assert rand["monotonicity"].outcome == "pass"
    assert cards["hamming_similarity"] is hamming_similarity
    for verdict in (verdict for card in cards for verdict in card.rows):  # however many fail
        assert verdict.criterion in repr(verdict)
        assert len(repr(verdict)) < 250
    assert [row["measure"] for row in cards.overview()] == ["rand", "hamming_similarity", "q2"]
    first = {line.split()[0] for line in repr(cards).splitlines() if line}
    assert {"rand", "hamming_similarity", "q2"} <= first
    assert cards._repr_html_().count("<tr>") == 4
    assert len(cards.to_frame()) == 3 * len(CRITERIA)
    with pytest.raises(LabelError, match=r"no 'rnd' here. Did you mean 'rand'\?"):
        cards["rnd"]


SOME = ("q0", "standardized_rand", "v_beta", "van_dongen", "pair_sets_index")


def test_measures_have_the_marks_of_their_shipped_cards():
    shipped = shipped_cards()
    assert check(list(SOME)).overview() == [{"measure": name, **shipped[name]} for name in SOME]


@pytest.mark.parametrize("name", ["rand", "conditional_entropy"])
def test_witnesses_hold(name):
    judge = Judge(cb.get_measure(name))
    failures = check(name).failures
    assert {"P2", "rag bag", "constant baseline"} <= {failure.criterion for failure in failures}
    for failure in failures:
        witness = failure.witness
        if "constant baseline" in failure.criterion:  # values are means there
            continue
        assert judge.value(witness.before) == pytest.approx(witness.value_before, abs=1e-12)
        assert judge.value(witness.after) == pytest.approx(witness.value_after, abs=1e-12)
        assert bool(witness.models) == failure.criterion.startswith("P")
        if witness.models:
            n = 189_000 if failure.criterion.endswith("large n") else 500
            assert witness.models[0].expected(n) == witness.before
        gains = [
            judge.gain(witness_of_failure.value_before, witness_of_failure.value_after)
            for witness_of_failure in failure.witnesses
        ]
        if witness.demand.startswith("worse"):
            assert min(gains) >= 0
            assert gains == sorted(gains, reverse=True)
        elif witness.demand.startswith("better"):
            assert max(gains) <= 0
            assert gains == sorted(gains)


def test_large_n_changes_the_verdict():
    small_n = Grid(noise=(0,), epsilon2=(0.0,))
    large_n = Grid(n=100_000, noise=(0,), epsilon2=(0.0,))
    assert judged("q0", "P1.2", grid=small_n).outcome == "pass"
    assert judged("q0", "P1.2", grid=large_n).outcome == "fail"
    assert judged("q0", "P2", grid=small_n).outcome == "n/a"
    assert judged("q0", "P2", grid=small_n).note == "the grid has no such sequence"


def test_measures_that_need_whole_counts_say_so():
    small = {"useful": (4, 5, 6), "noise": (0, 1), "epsilon1": (0.0, 0.2)}
    judgement = judged("adjusted_mutual_information", "P1.1", grid=Grid(**small))
    assert judgement.outcome == "n/a"
    assert judgement.note == "it needs whole counts: 500 objects do not divide evenly"
    judgement = judged("adjusted_mutual_information", "P1.1 large n", grid=Grid(**small))
    assert judgement.note == "whole counts, n = 100,500"
    judgement = judged("adjusted_mutual_information", "P1.1", grid=Grid(n=1500, **small))
    assert judgement.note == "whole counts, n = 1,500"


def test_ties_are_no_reversals():
    ties = judged("jaccard", "monotonicity")
    assert (ties.outcome, ties.reversed, ties.tied, ties.violated) == ("ties", 0, 1639, 1639)
    assert ties.mark == "= 1639/4702"
    assert ties.witness.value_before == ties.witness.value_after == 0
    assert "reversed in 0 and tied in 1639 of 4702" in str(ties)
    mixed = judged("conditional_entropy", "P1.2")
    assert mixed.mark == "✗ 57/76, = 19/76"
    assert (mixed.outcome, mixed.violated_sequences) == ("fail", 76)
    assert "reversed in 57 and tied in 19 of 76 sequences" in str(mixed)
    assert judged("q0", "rag bag").mark == "= 9/9"


def test_falsely_constant_baselines_have_a_witness():
    verdict = judged("correlation_distance", "constant baseline")
    assert verdict.outcome == "fail"
    assert judged("correlation_distance", "asymptotic constant baseline").outcome == "pass"
    assert verdict.witness.value_before != pytest.approx(verdict.witness.value_after)
    assert verdict.tested == 9 * math.comb(9, 2)  # one cluster and single objects are left out
    for name in ("adjusted_rand", "adjusted_mutual_information", "sokal_sneath_mean"):
        assert judged(name, "constant baseline").outcome == "pass", name


def test_strong_monotonicity():
    outcomes = {
        name: judged(name, "strong monotonicity").outcome
        for name in ("rand", "hubert_gamma", "adjusted_rand", "jaccard", "bcubed_f1")
    }
    assert outcomes == {
        "rand": "pass", "hubert_gamma": "pass", "adjusted_rand": "fail", "jaccard": "ties",
        "bcubed_f1": "n/a",
    }  # fmt: skip


def test_minimal_agreement():
    outcomes = {
        name: judged(name, "minimal agreement").outcome
        for name in ("rand", "hubert_gamma", "correlation_distance", "adjusted_rand", "jaccard")
    }
    assert outcomes == {
        "rand": "pass", "hubert_gamma": "pass", "correlation_distance": "pass",
        "adjusted_rand": "fail", "jaccard": "ties",
    }  # fmt: skip
    # Of 15 pairs 7 or 1 are together by class, the others by cluster: 2 (0 - 7·8) / (15² - 2·7·8).
    witness = judged("adjusted_rand", "minimal agreement").witness
    assert (witness.value_before, witness.value_after) == pytest.approx((-28 / 197, -112 / 113))
    assert "same value in the second" in str(witness)
    assert "for two graphs over 6 objects with a00 = 0, a01 = 7, a10 = 8, a11 = 0" in str(witness)


def test_minimal_agreement_of_a_measure_of_ones_own(own_measures):
    """Also if its function takes a table, as its annotation does not say otherwise."""

    @cb.measure(family="own", bounds=(0, 1), better="higher")
    def share_alike(table):
        pairs = table.pairs
        return (pairs.a00 + pairs.a11) / pairs.total

    @cb.measure(family="own", bounds=(0, math.inf), better="lower")
    def ratio_of_pairs(table):
        return table.pairs.a01 / table.pairs.a00

    assert judged(share_alike, "minimal agreement").outcome == "pass"
    assert judged(ratio_of_pairs, "minimal agreement").note == "undefined on some graphs"
    needs_counts = judged("purity", "minimal agreement")
    assert needs_counts.note == "not computed from pair counts alone"


def test_adjusted_mutual_information_is_not_monotone():
    truth = [0, 0, 1, 2, 3, 4]
    before, after = [0, 1, 0, 0, 0, 1], [0, 1, 0, 0, 0, 2]
    assert tuple(after) in set(perfect_splits(tuple(truth), tuple(before)))
    values = [cb.adjusted_mutual_information(truth, pred) for pred in (before, after)]
    assert values == pytest.approx([-7 / 38, -4 / 21])
    assert judged("ami", "monotonicity").outcome == "fail"


def test_a_distance_is_asked_for_the_triangle_inequality(own_measures):
    assert judged("variation_of_information", "triangle inequality").outcome == "pass"

    @cb.measure(family="own", bounds=(0, math.inf), better="lower", perfect=0, symmetric=True)
    def squared(table):
        return cb.variation_of_information(table) ** 2

    broken = judged(squared, "triangle inequality")
    assert broken.outcome == "fail"
    assert broken.witness.value_after > broken.witness.value_before


@pytest.fixture
def own_measures(monkeypatch):
    """Forget measures that a test declares."""
    cb.list_measures()  # so that all others are known before
    monkeypatch.setattr(registry, "_CATALOGUE", dict(registry._CATALOGUE))


def test_a_bad_measure_of_ones_own(own_measures):
    @cb.measure(family="own", bounds=(0, math.inf), better="higher")
    def number_of_clusters(table):
        return table.shape[1]

    card = check(number_of_clusters)
    failed = {verdict.criterion for verdict in card.failures}
    assert {"P1.2", "P2", "P3.1", "maximal agreement", "symmetry", "constant baseline"} <= failed
    assert "demanded: worse with more noise clusters" in card.witnesses()
    rows = card.to_dicts()
    assert len(rows) == len(CRITERIA) == 24
    assert rows[4]["witness"].startswith("from |C|=5")
    assert repr(card).startswith("Report card of number_of_clusters\ncriterion ")
    with pytest.raises(LabelError, match="Did you mean 'symmetry'"):
        card["symetry"]


def test_measures_that_fail_are_named_with_their_table(own_measures):
    own = cb.measure(family="own", bounds=(-math.inf, math.inf), better="higher")

    @own
    def raises(table):
        if table.shape[1] == 3:
            raise ZeroDivisionError("three")
        return 1.0

    @own
    def undefined(table):
        return math.nan

    with pytest.raises(
        MeasureError, match=r"raises failed with ZeroDivisionError: three on .*\[\["
    ):
        check(raises)
    with pytest.raises(MeasureError, match=r"undefined is nan .* on the table \[\["):
        check(undefined)
    for wrong, message in [
        ([], "no measure was named"),
        (5, "there is no measure 5"),
        ("emi", "judges nothing"),
        ("rnd", "Did you mean 'rand'"),
    ]:
        with pytest.raises(ClusterbitsError, match=message):
            check(wrong)
    with pytest.raises(TypeError, match="max is a plain function"):
        check(max)


def test_amigos_pairs_have_the_published_code_lengths():
    expected = {
        "homogeneity": (2.4308, 2.3126),
        "completeness": (2.3126, 2.2340),
        "rag bag": (2.9516, 2.9516),
        "size vs. quantity": (1.9656, 1.8522),
    }
    for name, pair in PAIRS.items():
        values = [cb.q0(cb.Contingency.from_counts(counts)) for counts in pair]
        assert values == pytest.approx(expected[name], abs=5e-5), name


def test_rag_bags_and_broken_classes_by_hand():
    assert rag_bags(2) == (((2, 0), (0, 1), (0, 1), (1, 0)), ((2, 0), (0, 1), (0, 1), (0, 1)))
    worse, better = broken_classes(2)
    assert worse == ((3, 0, 0, 0, 0), (0, 1, 1, 0, 0), (0, 0, 0, 1, 1))
    assert better == ((2, 1, 0, 0), (0, 0, 2, 0), (0, 0, 0, 2))
    card = check("bcubed_f1")
    assert [card[name].tested for name in PAIRS] == [3630, 1074, 9, 9]
    assert card["monotonicity"].tested == 3629 + 1073


def test_the_command_shows_the_shipped_cards(run, monkeypatch):
    def forbidden(*_, **__):
        raise ClusterbitsError("computed")

    monkeypatch.setattr("clusterbits.paper.cards.card.check", forbidden)
    code, out, _ = run("paper", "cards")
    assert code == 0
    assert out.split()[:3] == ["measure", "P1.1", "P1.2"]
    line = next(line for line in out.splitlines() if line.startswith("q0 "))
    assert line.split()[:4] == ["q0", "✓✓", "✓✗", "✓✓"]
    words = " ".join(out.split())
    assert "a weaker failure" in words
    assert "when the measure chooses the" in words  # why P1.2 matters
    code, out, _ = run("paper", "cards", "--format", "json")
    rows = json.loads(out)["rows"]
    assert len(rows) == len(shipped_cards()) * len(CRITERIA)
    assert rows[0] == {"measure": "q0", "criterion": "P1.1", "mark": "✓"}
    code, out, _ = run("paper", "cards", "--format", "markdown")
    assert out.count("\n") == len(shipped_cards()) + 2
    assert "computed" in run("paper", "cards", "rand")[2]
    code, _, err = run("paper", "cards", "--witness")
    assert code == 2
    assert "name the measures" in err


def test_published_verdicts_are_of_measures_and_criteria_we_know():
    path = Path(__file__).parents[2] / "docs/reference/published_verdicts.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({(row["source"], row["measure"], row["criterion"]) for row in rows}) == len(rows)
    for row in rows:
        mark = shipped_cards()[row["measure"]][row["criterion"]]
        assert (mark == "✓") == (row["satisfied"] == "yes"), row
        assert mark != "–", row
