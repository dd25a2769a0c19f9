"""The command tree: linkage matrices, Newick, columns of labels; the conclusion first."""

import json

import numpy as np
import pytest

import clusterbits as cb

LINKAGE = [[0, 1, 0.3, 2], [2, 3, 0.5, 2], [4, 5, 2.0, 4]]


@pytest.fixture
def files(run, tmp_path):
    """Return `run` in a folder with trees and classes."""
    np.save(tmp_path / "linkage.npy", LINKAGE)
    np.save(tmp_path / "children.npy", np.array(LINKAGE)[:, :2].astype(int))
    whole = (tmp_path / "linkage.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-9])
    (tmp_path / "tree.nwk").write_text("((ann:1,bob:1):2,(cid:2,7:2):1);\n")
    (tmp_path / "bad.nwk").write_text("((ann,bob);\n")
    (tmp_path / "labels.csv").write_text("species\na\na\nb\nb\n")
    (tmp_path / "three.csv").write_text("species\na\na\nb\n")
    (tmp_path / "named.csv").write_text("name,species\n7,b\ncid,b\nann,a\nbob,a\n")
    (tmp_path / "gaps.csv").write_text("name,species\n7,b\ncid,b\nann,\nbob,a\n")
    (tmp_path / "taxa.csv").write_text("family,genus,species\nA,a,1\nA,a,1\nA,b,2\nB,c,3\n")
    return run


NEWICK = ("tree.nwk", "--truth", "named.csv:species", "--on", "name")


@pytest.mark.parametrize(
    "arguments",
    [
        ("linkage.npy", "--truth", "labels.csv:species"),
        ("linkage.npy", "--truth", "labels.csv"),
        ("children.npy", "--truth", "labels.csv:species"),
        NEWICK,
    ],
)
def test_a_tree_is_scored(files, arguments):
    code, out, err = files("tree", *arguments)
    assert (code, err) == (0, "")
    assert out.startswith("The best horizontal cut has 2 clusters: 1.0000 → 0.7925 bits")
    assert "Dendrogram purity: 1.0000." in out
    found = json.loads(files("tree", *arguments, "--json")[1])
    assert found["horizontal_clusters"] == found["free_clusters"] == 2
    tree = cb.trees.Tree.from_linkage(LINKAGE)
    assert found["free_bits"] == cb.trees.q0_tree(list("aabb"), tree)
    values = {row["clusters"]: row["value"] for row in found["rows"] if row["measure"] == "q0"}
    if "tree.nwk" not in arguments:
        assert values == {k: cb.q0(list("aabb"), tree.labels(k)) for k in (1, 2, 3, 4)}


def test_columns_are_levels(files):
    arguments = ("tree", "taxa.csv", "--level", "family,genus", "--truth", "species")
    found = json.loads(files(*arguments, "-m", "ari", "--json")[1])
    assert [(row["clusters"], row["value"]) for row in found["rows"]][2] == (3, 1.0)
    assert (
        json.loads(files(*arguments, "--part", "clusters", "--json")[1])["rows"][0]["objects"] == 2
    )


def test_levels_and_classes_of_two_files_are_joined_on_ids(files, tmp_path):
    """They were taken by position, with --on too."""
    (tmp_path / "levels.csv").write_text("name,family\nann,A\nbob,A\ncid,B\n7,B\n")
    arguments = ("tree", "levels.csv", "--level", "family", "--truth", "named.csv:species")
    output = json.loads(files(*arguments, "--on", "name", "-m", "ari", "--json")[1])
    assert [row["value"] for row in output["rows"] if row["clusters"] == 2] == [1]
    (tmp_path / "levels.csv").write_text("name,family\nann,A\nbob,A\ncid,B\n8,B\n")
    code, _, err = files(*arguments, "--on", "name")
    assert (code, "the ids do not match" in err) == (2, True)


@pytest.fixture
def scored_pairs(files, tmp_path):
    """Return `run` in a folder with scored pairs, by ids and by positions."""
    lines = ["left,right,score", "bob,ann,0.9234567890123", "bob,7,0.2", "cid,7,1e-1", "7,7,1"]
    (tmp_path / "pairs.csv").write_text("\n".join(lines))
    (tmp_path / "places.csv").write_text("a,b,weight\n0,1,0.9\n2,3,1\n1,2,0.25\n")
    (tmp_path / "gap.csv").write_text("a,b,weight\n0,1,0.9\n2,3,\n")
    return files


PAIRS = ("tree", "pairs.csv", "--edges", "left,right,score", "--truth", "named.csv:species")


def test_scored_pairs_are_cut_at_every_threshold(scored_pairs):
    code, out, err = scored_pairs(*PAIRS, "--on", "name")
    assert (code, err) == (0, "")
    assert "at the threshold 0.9234567890123: 1.0000 →" in out.replace("\n", " ")
    assert "0.9234567890123  0.8962" in out  # to be used again as it is
    out = " ".join(scored_pairs(*PAIRS, "--on", "name", "-m", "pair_f1")[1].split())
    assert "By pair_f1, the best of these cuts has 3 clusters at the threshold 0.923456789" in out
    output = json.loads(scored_pairs(*PAIRS, "--on", "name", "-m", "pair_f1", "--json")[1])
    assert output["horizontal_threshold"] == 0.9234567890123
    rows = [(row["clusters"], row["threshold"], row["value"]) for row in output["rows"]]
    assert rows == [(1, 0.1, 0.5), (2, 0.2, 0.4), (3, 0.9234567890123, 2 / 3), (4, None, 0.0)]


def test_pairs_of_positions_are_in_the_order_of_the_classes(scored_pairs):
    arguments = ("tree", "places.csv", "--edges", "a", "--edges", "b,weight")
    output = json.loads(scored_pairs(*arguments, "--truth", "labels.csv", "-m", "ari", "--json")[1])
    rows = [(row["clusters"], row["threshold"]) for row in output["rows"]]
    assert rows == [(1, 0.25), (2, 0.9), (3, 1.0), (4, None)]
    assert output["rows"][1]["value"] == 1
    truth, tree = (
        list("aabb"),
        cb.trees.Tree.from_edges([(0, 1), (2, 3), (1, 2)], [0.9, 1, 0.25], 4),
    )
    assert output["horizontal_bits"] == cb.trees.cuts(truth, tree).bits.min()


@pytest.mark.parametrize("kind", ["bigint", "tinyint", "varchar", "double"])
def test_ids_of_any_type_in_a_file_are_the_same(scored_pairs, tmp_path, kind):
    duckdb = pytest.importorskip("duckdb")
    ends = f"a::{kind} as a, b::{kind} as b, weight from '{tmp_path}/places.csv'"
    with duckdb.connect() as connection:
        connection.execute(f"copy (select {ends}) to '{tmp_path}/places.parquet'")
        connection.execute(f"copy (select {ends} where b < 3 union all select null, 1, 0.5) "
                           f"to '{tmp_path}/null.parquet'")  # fmt: skip
    options = ("--edges", "a,b,weight", "--truth", "places.csv:b", "--on", "a", "--json")
    expected = scored_pairs("tree", "places.csv", *options, "--unmatched", "drop")
    assert scored_pairs("tree", "places.parquet", *options, "--unmatched", "drop") == expected
    assert expected[0] == 0
    code, _, err = scored_pairs("tree", "null.parquet", *options)
    assert (code, "missing id" in err) == (2, True)


def test_some_cuts_by_any_measure(files):
    code, out, _ = files("tree", *NEWICK, "-m", "ami", "--k", "2", "--json")
    assert code == 0
    assert [row["value"] for row in json.loads(out)["rows"]] == [1.0]
    code, out, _ = files("tree", *NEWICK, "-m", "ami", "--k", "2,3", "--k", "4", "--json")
    assert [row["clusters"] for row in json.loads(out)["rows"]] == [2, 3, 4]


def test_levels_and_classes_of_a_stream(files, tmp_path, monkeypatch):
    arguments = ("--level", "family,genus", "--truth", "species", "--json")
    with (tmp_path / "taxa.csv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        code, out, err = files("tree", "-", *arguments)
    assert (code, err) == (0, "")
    assert out.replace("/dev/stdin", "") == files("tree", "taxa.csv", *arguments)[1]
    same = ("--level", "family,genus", "--truth", "genus", "--json")
    assert json.loads(files("tree", "taxa.csv", *same)[1])["horizontal_clusters"] == 3


def test_the_encoding_is_that_of_the_tree_too(files, tmp_path):
    encoding = "utf-16"
    (tmp_path / "names.nwk").write_bytes("((ä,b),(c,d));".encode(encoding))
    (tmp_path / "names.csv").write_bytes("n,s\nä,1\nb,1\nc,2\nd,2\n".encode(encoding))
    code, out, err = files(
        "tree", "names.nwk", "--truth", "names.csv:s", "--on", "n", "--encoding", encoding
    )
    assert (code, err) == (0, "")
    assert "The best horizontal cut has 2 clusters" in out


def test_objects_without_a_class(files):
    arguments = ("tree", "tree.nwk", "--truth", "gaps.csv:species", "--on", "name")
    assert files(*arguments)[0] == 2
    code, out, _ = files(*arguments, "--missing", "drop", "--json")
    assert (code, json.loads(out)["n"], json.loads(out)["objects_given"]) == (0, 3, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*NEWICK, "--part", "clusters", "--k", "2"), "--k and --measure are for horizontal"),
        (("linkage.npy", "--truth", "named.csv"), "which column is truth"),
        (("linkage.npy", "--truth", "taxa.csv:genus", "--k", "9"), "from 1 to 4, not 9"),
        (("linkage.npy", "--truth", "named.csv:species", "--on", "name"), "has no ids to join on"),
        (("tree.nwk", "--truth", "named.csv:species"), "pass --on COLUMN"),
        (("cut.npy", "--truth", "labels.csv"), "cannot be read"),
        (("bad.nwk", "--truth", "labels.csv"), "the Newick text is wrong"),
        (("labels.csv", "--truth", "labels.csv"), "--level"),
        (("taxa.csv", "--level", "genus,family", "--truth", "species"), "not nested"),
        (("linkage.npy", "--truth", "three.csv"), "truth has 3 labels and the tree has 4"),
        (("linkage.npy", "--truth", "labels.csv", "--k", "2,x"), "such as --k 2,5,10"),
        (PAIRS[1:], "ids that are no positions: pass the ids of all objects; --on names"),
        ((*PAIRS[1:], "--on", "name", "--level", "left"), "pass one of them"),
        ((*PAIRS[1:3], "left,right", *PAIRS[4:], "--on", "name"), "such as --edges left,right,sc"),
        ((*PAIRS[1:3], "a,b,c", *PAIRS[4:], "--on", "name"), "no column 'a'"),
        ((*PAIRS[1:3], "left,right,left", *PAIRS[4:], "--on", "name"), "no number in row 1"),
        (("gap.csv", "--edges", "a,b,weight", "--truth", "labels.csv"), "no number in row 2"),
        (("places.csv", "--edges", "a,b,weight", "--truth", "three.csv"), "lacks, such as 3"),
    ],
)
def test_wrong_input_is_one_line(scored_pairs, arguments, message):
    code, out, err = scored_pairs("tree", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message.lower() in err.lower()
