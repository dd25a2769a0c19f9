"""The claims of the paper, each checked by other means than the reproduction's."""

import math
from itertools import pairwise

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.paper import Grid, Model
from clusterbits.paper.claims import (
    analysis,
    bound,
    equation6,
    large_n,
    section4,
    section5,
    table1,
    violations,
)


def claim_named(module, start, rows=None):
    module_claims = module.claims(module.rows() if rows is None else rows)
    (claim,) = [claim for claim in module_claims if claim.claim.startswith(start)]
    return claim


def entropy(p):
    """Return H(C|K) straight from the definition."""
    p = np.asarray(p)
    columns = np.broadcast_to(p.sum(axis=0), p.shape)
    return -sum(x * math.log2(x / s) for x, s in zip(p.flat, columns.flat, strict=True) if x > 0)


def test_gaps_of_the_bound():
    rows = {row["classes"]: row for row in bound.rows()[:4]}
    for classes, gap in ((5, 0.25), (10, 0.34), (100, 0.55), (1000, 0.67)):
        # the closed form for equal classes
        worst = math.log2(classes) + math.log2(math.comb(2 * classes - 1, classes)) / classes
        assert rows[classes]["worst"] == pytest.approx(worst, rel=1e-12)
        assert rows[classes]["gap"] == pytest.approx(2 * math.log2(classes) / worst - 1, rel=1e-9)
        assert rows[classes]["gap"] == pytest.approx(gap, abs=0.005)
    claim = claim_named(bound, "the bound is tight")
    assert "25% at 5, 34% at 10, 55% at 100 and 67% at 1000" in claim.witness


def test_a_tight_bound_would_be_called_so():
    rows = [row | {"bound": row["worst"] * 1.05, "gap": 0.05} for row in bound.rows()]
    assert claim_named(bound, "the bound is tight", rows).verdict == "holds"
    rows[0]["gap"] = -0.01
    assert claim_named(bound, "H(C) + log|C|", rows).verdict == "fails"


def test_q2_of_the_worst_clustering():
    worst = cb.worst_clustering([100] * 5).table
    assert cb.q2(worst) == pytest.approx(0.21, abs=0.005)
    assert cb.q2(worst, worst="exact") == pytest.approx(0, abs=1e-12)
    assert claim_named(bound, "Q2").within


def test_small_clusterings():
    # one class of 4 and 4 classes of 1: partitions of a number and of a set
    assert len(list(section4.clusterings((4,), (4,)))) == 5
    assert len(list(section4.clusterings((1,) * 4, (1,) * 4))) == 15
    rows = section4.rows()
    assert all(row["reached_by"] == 1 for row in rows)
    assert claim_named(section4, "the minimum", rows).verdict == "holds"
    rows[0]["formula"] += 0.1
    assert claim_named(section4, "the minimum", rows).verdict == "fails"


def test_pairs_that_the_second_term_reorders():
    pairs = section4.disputed()
    sizes = np.unique([model.clusters for model in Grid().models()], return_counts=True)[1]
    assert pairs[True][0] == sum(size * (size - 1) // 2 for size in sizes)
    assert sum(total for total, _ in pairs.values()) == 760 * 759 // 2
    assert pairs[True][1] / pairs[True][0] < 0.03 < 0.07 < pairs[False][1] / pairs[False][0]


@pytest.mark.parametrize(("name", "slope"), [("five", 20), ("ε1", 20), ("Table", 32)])
def test_slopes(name, slope):
    (model,) = [m for key, m in equation6.MODELS.items() if key.startswith(name)]
    assert equation6.slope(model) == pytest.approx(slope, abs=1e-3)
    sizes = model.joint().sum(axis=0)
    cost = [sum(math.log2(math.comb(round(n * p) + 4, 4)) for p in sizes) for n in (10**7, 10**8)]
    assert equation6.slope(model) == pytest.approx((cost[1] - cost[0]) / math.log2(10), abs=1e-5)


def test_a_code_length_without_its_table_has_no_slope(monkeypatch):
    def entropy_of(_, model, n):
        return cb.conditional_entropy(model.expected(n))

    monkeypatch.setattr(equation6, "score_model", entropy_of)
    assert [claim.verdict for claim in equation6.claims(equation6.rows())][:3] == ["fails"] * 3


def test_where_errors_go():
    _, spread, single = section5.rows()
    assert spread["classification_error"] == pytest.approx(0.2)
    assert single["classification_error"] == pytest.approx(0.2)
    assert spread["q0"] == pytest.approx(1.343254, abs=5e-7)
    # the label part falls by the 0.2·2 bits that name one of four other classes
    assert spread["q0"] - single["q0"] == pytest.approx(0.2 * 2)


def test_dealing_clusters():
    claim = claim_named(table1, "⌈")
    assert claim.computed == "not at 6, 10, 11"
    assert [len(dealt) for dealt in Model(useful=6).clusters_of_classes()] == [2, 1, 1, 1, 1]


def test_entropy_past_chance():
    for (before, after), shown in zip(
        analysis.PAST_CHANCE.values(), ("2.322 → 1.809", "1.850 → 1.497"), strict=True
    ):
        values = entropy(before.joint()), entropy(after.joint())
        assert f"{values[0]:.3f} → {values[1]:.3f}" == shown
        assert before.epsilon1 >= analysis.chance_level(before.useful, before.epsilon2)
    assert "2.322 → 1.809" in claim_named(analysis, "H(C|K) as ε1").witness
    assert "1.850 → 1.497" in claim_named(analysis, "H(C|K) as ε2").witness
    # two useful clusters: each class is as frequent in either
    p = Model(useful=2, epsilon1=analysis.chance_level(2)).joint()
    assert p == pytest.approx(np.full((5, 2), 0.1))


def test_steps_of_the_argument():
    module_claims = {(r["quantity"], r["parameter"], r["where"]): r for r in analysis.rows()}
    assert module_claims["H(C|K)", "noise", ""]["stays"] == 600
    beyond = module_claims["H(C|K)", "useful", "beyond |C|"]
    assert (beyond["rises"], beyond["falls"], beyond["stays"]) == (171, 171, 114)
    run = [entropy(Model(useful=k, epsilon1=0.2).joint()) for k in range(2, 12)]
    assert all(b < a for a, b in pairwise(run[:5]))  # it still falls from five to six
    assert (
        "0.48669 at |K_u| = 5, 0.48281 at |K_u| = 6"
        in claim_named(analysis, "H(C|K) as |K_u| rises beyond").witness
    )


def test_a_wrong_step_turns_the_verdict(monkeypatch):
    rows = [row | {"stays": row["stays"] - 1} for row in analysis.rows()]
    assert claim_named(analysis, "H(C|K) as |K_n|", rows).verdict == "fails"
    monkeypatch.setattr(analysis, "chance_level", lambda *_: 0.95 * 0.7)
    assert claim_named(analysis, "H(C|K) as ε1").verdict == "fails"


def test_both_families_for_many_objects():
    for n in large_n.SIZES:
        clusters, classes = (large_n.q0_verdicts(n, over) for over in large_n.FAMILIES)
        assert clusters["P1.1"].violated == classes["P1.1"].violated == 0
        assert clusters["P1.2"].violated_sequences == (57 if n >= 10**4 else 0)
        assert classes["P1.2"].violated == 0
    counts = [Model(useful=k, epsilon1=0.2).joint() * 2375 for k in (5, 6)]
    five, six = (
        entropy(h / 2375)
        + sum(math.lgamma(s + 5) - math.lgamma(s + 1) - math.lgamma(5) for s in h.sum(axis=0))
        / math.log(2)
        / 2375
        for h in counts
    )
    assert (round(five, 6), round(six, 6)) == (1.187217, 1.187215)


def test_hamming_and_noise():
    def hamming(p):
        return (p.max(axis=0).sum() + p.max(axis=1).sum()) / 2

    runs = Grid().sequences("noise")
    changed = [run for run in runs if np.ptp([hamming(model.joint()) for model in run]) > 1e-12]
    assert len(changed) == 14
    few_noise, two = (hamming(Model(5, 6, noise, 0.2, 0.3).joint()) for noise in (1, 2))
    assert (few_noise, two) == (pytest.approx(0.51), pytest.approx(0.505))
    few_noise, two = (hamming(Model(5, 11, noise, 0.2, 0.3).joint()) for noise in (1, 2))
    witness = claim_named(violations, "Hamming changes").witness
    assert witness.endswith(f"{few_noise:.6g} → {two:.6g}.")


def test_rand_over_epsilon2():
    def rand(model):
        p = model.joint()
        return 1 + 2 * (p**2).sum() - (p.sum(axis=0) ** 2).sum() - (p.sum(axis=1) ** 2).sum()

    runs = [run for run in Grid().sequences("epsilon2") if run[0].noise]
    assert sum(run[0].useful == 2 for run in runs) == 24
    bad = [
        run[0].useful for run in runs if any(rand(b) >= rand(a) - 1e-12 for a, b in pairwise(run))
    ]
    assert (len(bad), bad.count(2), bad.count(3)) == (28, 24, 4)


def test_where_rand_fails_p1():
    claim = claim_named(violations, "Rand's violations")
    assert (claim.computed, claim.verdict) == ("0.2; 0.2 and 0.3", "holds")
