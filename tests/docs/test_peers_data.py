"""What docs/peers says of other packages: their stored answers against ours, and against theirs."""

import ast
import importlib.metadata
import math
import re
from pathlib import Path
from runpy import run_path

import igraph
import numpy as np
import pandas as pd
import peer_pages
import pytest
from peer_questions import TABLES, labels_of
from peers import external_functions, read_peers

import clusterbits as cb
from clusterbits.measures.catalogue import catalogue

ROOT = Path(__file__).parents[2]
ASK = run_path(str(ROOT / "tools/ask_peers.py"))
PEERS = read_peers()
ASKED = {name: peer for name, peer in PEERS.items() if "package" in peer}
ROWS = [
    pytest.param(row, peer_pages.tables_of(peer), id=f"{name}: {row['asks']} is {row['call']}")
    for name, peer in PEERS.items()
    for row in peer["rows"]
    if row["kind"] != "not run"
]
EXACT = 1e-12


def installed(peer) -> bool:
    """Return whether the peer is installed, in the version that was asked."""
    try:
        return importlib.metadata.version(peer["package"]) == peer["version"]
    except importlib.metadata.PackageNotFoundError:
        return False


def test_peers_are_asked_again_when_their_versions_change():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    known = {name: peer for name, peer in ASKED.items() if peer["package"] in tested}
    assert len(known) >= 4
    for name, peer in known.items():
        assert peer["version"] == tested[peer["package"]], f"run tools/ask_peers.py {name} again"


def same(a, b, tolerance=EXACT) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, (str, list)) or isinstance(b, (str, list)):
        return a == b
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def difference_of(row, tables) -> set[str]:
    """Return the tables on which we answer otherwise than what is stored of the peer."""
    tolerance = row.get("tolerance", EXACT)
    return {
        table
        for table, theirs in row["answers"].items()
        if not same(peer_pages.answer_table(row, tables[table]), theirs, tolerance)
    }


@pytest.mark.parametrize(("row", "tables"), ROWS)
def test_our_values_differ_where_it_says_so_and_nowhere_else(row, tables):
    assert difference_of(row, tables) == set(row.get("differs_on", []))
    assert (row["kind"] == "differs") == ("differs_on" in row)
    assert (row["kind"] == "same") <= ("convert" not in row)
    assert row["kind"] == "same" or row["difference"], "no reason is given"
    assert set(row["answers"]) | set(row.get("not_asked", [])) == set(tables)


@pytest.mark.parametrize("name", PEERS)
def test_names_are_those_of_the_catalogue(name):
    known = {measure.name: measure for measure in catalogue()}
    aliases = {alias: measure.name for measure in catalogue() for alias in measure.aliases}
    for row in PEERS[name]["rows"]:
        assert row["kind"] in {"same", "converted", "differs", "not run"}
        if row["ours"] is None:
            continue
        assert row["ours"] in known
        # Where our catalogue has the peer's name, it is the measure that the row says.
        theirs = row["theirs"].split(".")[-1]
        if row["call"].startswith(f"cb.{theirs}("):
            assert aliases.get(theirs, theirs) == row["ours"]


@pytest.mark.parametrize("name", ASKED)
def test_no_function_of_a_peer_is_forgotten(name):
    peer = ASKED[name]
    rows, absent = ({row["theirs"] for row in peer[key]} for key in ("rows", "absent"))
    assert rows | absent == set(peer["public"])
    assert not rows & absent


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, peer in ASKED.items() if installed(peer)])
def test_peers_answer_now_what_is_stored(name):
    peer = ASKED[name]
    assert ASK["public_names"](peer) == peer["public"]
    for row in peer["rows"]:
        for table, stored in row["answers"].items():
            if table == "100,000 objects":  # for overflow, and takes seconds
                continue
            now = ASK["ask"](peer, row["asks"], *labels_of(TABLES[table]))
            # Where a value differs it may be a ratio of rounding errors, other ones elsewhere.
            if table in row.get("differs_on", []) and not isinstance(stored, str):
                ours = peer_pages.answer_table(row, TABLES[table])
                assert not same(ours, now), (row["asks"], table)
            else:
                assert same(now, stored, row.get("tolerance", EXACT)), (row["asks"], table)
    if "labels" in peer:
        assert same_labels(ASK["answers_to_labels"](peer), peer["labels"])


def same_labels(now, stored) -> bool:
    """Return whether answers agree; of errors, the kind."""
    return {key: kind(value) for key, value in now.items()} == {
        key: kind(value) for key, value in stored.items()
    }


def kind(value):
    return value.split(":")[0] if isinstance(value, str) else round(value, 9)


def test_what_the_index_says():
    """The surprises on ordinary labels are in the data."""
    page = (ROOT / "docs/howto/coming_from/index.md").read_text(encoding="utf-8")
    said = {
        ("torchmetrics", "adjusted_rand_score(pred, truth)", "100,000 objects"): "overflows",
        ("torchmetrics", "v_measure_score(pred, truth)", "independent"): "V-measure",
        ("er_evaluation", "er.b_cubed_f(pred, truth)", "ordinary"): "BCubed",
        ("scikit_image", "metrics.adapted_rand_error(truth, pred)[0]", "ordinary"): "label 0",
        ("clusim", "sim.pearson_correlation(truth, pred)", "perfect"): "square root",
        ("clusim", "sim.purity_index(truth, pred)", "ordinary"): "inverse purity",
        ("genieclust", "normalized_clustering_accuracy(truth, pred)", "ordinary"): "accuracies",
    }
    for (name, asks, table), words in said.items():
        assert words in page
        row = next(row for row in PEERS[name]["rows"] if row["asks"] == asks)
        assert table in row["differs_on"]
    answers = {row["asks"]: row["answers"] for row in PEERS["scikit_image"]["rows"]}
    swapped = answers["metrics.adapted_rand_error(truth, pred, ignore_labels=())[1]"]["ordinary"]
    recall = cb.pair_recall(*labels_of(TABLES["ordinary"]))
    assert same(swapped, recall)
    assert "precision is recall" in page
    v_measure = {row["asks"]: row["answers"] for row in PEERS["torchmetrics"]["rows"]}
    assert v_measure["v_measure_score(pred, truth)"]["independent"] == 1


def last_value(lines):
    """Return the value of the last line of code."""
    names = {}
    *before, last = ast.parse("\n".join(lines)).body
    exec(compile(ast.Module(before, []), "<page>", "exec"), names)
    return float(eval(compile(ast.Expression(last.value), "<page>", "eval"), names))


@pytest.mark.parametrize("name", PEERS)
def test_the_code_of_a_page_runs(name):
    peer = PEERS[name]
    ours = last_value(peer["ours_code"])
    assert 0 < ours < 2
    if name in ASKED and installed(peer):
        assert last_value(peer["theirs_code"]) == pytest.approx(ours, abs=1e-5)


def test_what_the_notes_say_of_clusterbits():
    truth, pred = pd.Series([0, 0, 1, 1], list("abcd")), pd.Series([1, 0, 0, None], list("baxc"))
    options = {"align": True, "unmatched": "drop", "missing": "drop"}
    table = cb.Contingency.from_labels(truth, pred, **options)
    assert "scored 2 of 5 objects" in str(table.coverage)
    truth, pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]
    value = cb.adjusted_rand(truth, pred)
    graph = igraph.Graph(len(truth))
    assert value == cb.adjusted_rand(truth, igraph.VertexClustering(graph, membership=pred))
    images = cb.Contingency.from_images([[0, 1, 1], [0, 2, 2]], [[5, 5, 6], [0, 7, 7]], ignore=0)
    assert images.n == 4
    # With the background left out, 1 - pair F1 is the adapted Rand error.
    labels = [np.array([part]) for part in labels_of(TABLES["ordinary"])]
    error = 1 - cb.pair_f1(cb.Contingency.from_images(*labels, ignore=0))
    rows = {row["asks"]: row for row in PEERS["scikit_image"]["rows"]}
    theirs = rows["metrics.adapted_rand_error(truth, pred)[0]"]["answers"]["ordinary"]
    assert error == pytest.approx(theirs, abs=EXACT)
    clusim = pytest.importorskip("clusim.clustering", reason="clusim is not installed")
    both = [clusim.Clustering().from_membership_list(labels) for labels in (truth, pred)]
    assert value == cb.adjusted_rand(*(clustering.clu2elm_dict for clustering in both))


def test_what_is_missing_here_is_named_on_the_page_of_its_package():
    for name in external_functions()[1]:
        peer = next(peer for peer in PEERS.values() if name in str(peer["absent"]))
        assert f"`{re.split('[.:]', name)[-1]}`" in peer_pages.make_page(peer)
