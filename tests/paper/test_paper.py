"""The paper, reproduced."""

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import clusterbits.paper
from clusterbits.paper import Claim
from clusterbits.paper.claims import equation6, figure1, large_n


def test_disagreements_and_no_more(reproduction):
    listed = [
        (claim.claim.partition(",")[0], claim.verdict) for claim in reproduction.disagreements
    ]
    assert listed == [
        ("H(C) = Σ p(c) log p(c)", "fails"),
        ("2 to the power of (4) is the prior of the table", "fails"),
        ("the bound is tight", "fails"),
        ("Q2 of the worst clustering", "holds within a range"),
        ("Q0 ~ H(C|K) for very large n: ratio", "holds within a range"),
        ("classification_error is repaired by hamming_similarity: P1.2 and P2 violated",
         "holds within a range"),
        ("(12) is a distance: its value for K = C", "fails"),
        ("⌈(|K_u| − |C(1)|)/(|C| − 1)⌉ clusters for class 2", "fails"),
        ("H(C|K) as |K_u| rises beyond |C|", "fails"),
        ("H(C|K) as ε1 rises", "holds within a range"),
        ("H(C|K) as ε2 rises", "holds within a range"),
        ("Q0: P1.2 for large n", "fails"),
        ("Q0: all five desiderata asymptotically", "fails"),
        ("Hamming changes with |K_n|", "fails"),
        ("Rand: sequences over ε2 violated", "fails"),
    ]  # fmt: skip
    assert len({(claim.artefact, claim.claim) for claim in reproduction.claims}) == 72
    assert all(claim.witness for claim in reproduction.disagreements)
    assert all(bool(c.within) == ("range" in c.verdict) for c in reproduction.disagreements)
    assert not any(claim.remark for claim in reproduction.claims if claim.verdict == "holds")


def test_a_page_counts_the_verdicts(reproduction):
    page = (Path(__file__).parents[2] / "docs/explanation/new.md").read_text(encoding="utf-8")
    count = Counter(claim.verdict for claim in reproduction.claims)
    assert (
        f"each of {len(reproduction.claims)} claims a verdict: {count['holds']} hold, "
        f"{count['holds within a range']} hold within a range and {count['fails']} fail"
    ) in " ".join(page.split())


@pytest.mark.parametrize(
    ("claim", "verdict", "remark"),
    [
        (Claim("§1", "a", "2", "2", "w", within="r"), "holds", ""),
        (Claim("§1", "a", "2", "3", "w"), "fails", "w"),
        (Claim("§1", "a", "2", "3", "w", within="for r"), "holds within a range", "Holds for r. w"),
        (Claim("§1", "a", "2", "3", "w", holds=True), "holds", ""),
        (Claim("§1", "a", "2", "2", "w", holds=False), "fails", "w"),
    ],
)
def test_verdicts_of_claims(claim, verdict, remark):
    assert (claim.verdict, claim.remark) == (verdict, remark)


def test_printed_numbers_of_the_family():
    at_a_fifth = {row["measure"]: row["value"] for row in figure1.rows() if row["epsilon1"] == 0.2}
    expected = {
        "q0": 1.343254, "q2": 0.746315, "rand": 0.86, "fowlkes_mallows": 0.65,
        "hubert_gamma": 0.5625, "jaccard": 0.481481, "hamming_similarity": 0.8,
    }  # fmt: skip
    assert at_a_fifth == pytest.approx(expected, abs=5e-7)


def test_large_n():
    entropy = [row["conditional_entropy"] for row in large_n.rows()][:6]
    assert [round(entropy[i], 5) for i in (0, 1, 2, 5)] == [0.48669, 0.48281, 0.48168, 0.48669]
    assert 2300 < large_n.first_failure(0.2) < 2400
    assert 7700 < large_n.first_failure(1 / 15) < 7800


def test_equation_6_converges():
    excess = [abs(row["excess"]) for row in equation6.rows() if row["model"] == "Table 1"]
    assert all(b < a for a, b in pairwise(excess))


@pytest.mark.slow
def test_the_command_writes_figures_and_tables(run, reproduction, tmp_path, monkeypatch):
    out = tmp_path / "reproduced"
    out.mkdir()
    monkeypatch.setattr(clusterbits.paper, "reproduce", lambda: reproduction)
    code, printed, _ = run("paper", "reproduce", "--out", out)
    assert code == 0
    text = " ".join(printed.split())
    assert "leaves 25 for |K_u| = 2, where there are only 24" in text
    assert "28 sequences are violated, 24 with |K_u| = 2 and 4 with 3 (52 single steps)" in text
    assert "(at n = 2,375: 1.187217 → 1.187215)" in text
    names = {path.name for path in out.iterdir()}
    for figure in ("figure1", "figure2"):
        assert {f"{figure}.png", f"{figure}.svg"} <= names
    with (out / "sweep.csv").open() as stream:
        assert len(list(csv.DictReader(stream))) == 760
    assert not [name for name in names if name.startswith(".")]


def test_the_command_of_the_cards(run):
    code, out, _ = run("paper", "cards", "rand", "--witness")
    assert code == 0
    assert "maximal agreement" in out
    assert "worse with more noise clusters" in out  # the witness against P2
    code, out, _ = run("paper", "cards", "rand", "q2")
    assert code == 0
    assert out.split()[:3] == ["criterion", "rand", "q2"]
    code, out, _ = run("paper", "cards", "rand", "--format", "csv")
    assert code == 0
    assert len(list(csv.DictReader(out.splitlines()))) >= 14
    code, _, err = run("paper", "cards", "nothing")
    assert code == 2
    assert err.count("\n") == 1
