"""Families of measures, named where measures are: in Python and on the command line."""

import pytest
from scipy.cluster.hierarchy import linkage

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import catalogue, find_family

TRUTH, PRED = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]
FAMILIES = list(dict.fromkeys(entry.family for entry in catalogue()))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_may_be_named(family):
    members = [entry.name for entry in catalogue() if entry.family == family]
    if family == "code_length":  # an alias of q0
        members = ["q0"]
    assert list(cb.evaluate(TRUTH, PRED, family).measures) == members
    spelled = cb.evaluate(TRUTH, PRED, [family.upper().replace("_", "-"), "ami"])
    assert list(spelled.measures) == list(dict.fromkeys([*members, "adjusted_mutual_information"]))


def test_of_a_family_those_that_apply_are_scored(monkeypatch):
    table = cb.Contingency.expected([[0.3, 0.2], [0.1, 0.4]], n=10)
    scored = cb.evaluate(table, measures=["information"]).measures
    assert scored
    assert set(scored) < {entry.name for entry in find_family("information")}
    with pytest.raises(MeasureError, match="whole counts"):  # command for by its name
        cb.evaluate(table, measures=["information", "ami"])
    only = [cb.standardized_rand]
    monkeypatch.setattr("clusterbits.scoring.evaluation.find_family", lambda name: only)
    with pytest.raises(MeasureError, match="no measure of 'mine' is defined for this table"):
        cb.evaluate(table, measures=["mine"])


def test_where_one_measure_is_needed_a_family_is_refused():
    for ask in (
        lambda: cb.interval(TRUTH, PRED, measure="pairs"),
        lambda: cb.pairwise({"a": TRUTH, "b": PRED}, measure="pairs"),
        lambda: cb.scorer("pairs"),
        lambda: cb.paper.check("pairs"),
    ):
        with pytest.raises(MeasureError, match=r"'pairs' names .* one is needed here, such as"):
            ask()


def test_cuts_leave_out_members_that_need_each_table():
    tree = linkage([[0.0], [1.0], [5.0], [6.0], [9.0], [20.0]])
    assert "normalized_mutual_information" in cb.trees.cuts(TRUTH, tree, "information").values
    with pytest.raises(MeasureError, match=r"exact_cluster_precision needs the counts"):
        cb.trees.cuts(TRUTH, tree, "records")
    assert "exact_cluster_precision" in cb.trees.cuts(TRUTH, tree, "records", k=[2, 3]).values


def test_the_command_line_names_families(run, tmp_path):
    rows = "".join(f"{c},{k}\n" for c, k in zip(TRUTH, PRED, strict=True))
    (tmp_path / "x.csv").write_text("c,k\n" + rows)
    members = [entry.name for entry in find_family("records")]
    command = ("score", "x.csv", "--truth", "c", "--pred", "k")
    for words in ((*command, "-m", "records", "--csv"), ("measures", "records", "--csv")):
        code, out, _ = run(*words)
        assert code == 0
        lines = out.splitlines()[1:]
        assert [next(n for n in members if n in line.split(",")) for line in lines] == members
    code, _, err = run(*command, "--require", "pairs>0.5")
    assert code == 2
    assert "'pairs' names" in err
