"""The command coref."""

import csv
import io
import json
import re

import pytest

import clusterbits as cb

KEY = "#begin document (x); part 000\na (0)\nb (1)\nc (1)\nd -\n#end document\n"
RESPONSE = KEY.replace("b (1)", "b (0)")


@pytest.fixture
def files(tmp_path):
    for name, text in (("key.conll", KEY), ("response.conll", RESPONSE)):
        (tmp_path / name).write_text(text + text.replace("(x)", "(y)"))
    return tmp_path / "key.conll", tmp_path / "response.conll"


@pytest.mark.parametrize("by", [None, "document"])
def test_formats_for_programs_do_not_round(run, files, by):
    options = () if by is None else ("--groups", by)
    scores = cb.coreference.score(*files)
    expected = scores.to_dicts() if by is None else scores.by_document.to_dicts()
    found = json.loads(run("coref", *files, *options, "--json")[1])
    assert found["rows"] == expected
    facts = ("command", "documents", "key_mentions", "response_entities", "mentions_in_both")
    assert [found[name] for name in facts] == ["coref", 2, 6, 4, 6]
    rows = list(csv.DictReader(io.StringIO(run("coref", *files, *options, "--csv")[1])))
    assert [float(row["f1"]) for row in rows] == [row["f1"] for row in expected]


def test_some_measures(run, files):
    out = run("coref", *files, "-m", "b3,lea", "-m", "conll", "--json")[1]
    assert [row["measure"] for row in json.loads(out)["rows"]] == ["bcubed", "lea", "conll"]
    out = run("coref", *files, "-m", "lea,conll")[1]
    assert re.match(r"LEA F1 0\.\d{4}\.\n", out)
    assert re.search(r"\nlea .*\nconll ", out)
    out = run("coref", *files, "--groups", "document", "-m", "lea", "-f", "markdown")[1]
    assert "\n\n| document | key | response | lea |\n" in out
    code, _, err = run("coref", *files, "-m", "b33")
    assert code == 2
    assert "no coreference score is called 'b33'" in err


def test_gates(run, files):
    value = cb.coreference.score(*files)["conll"]
    assert run("coref", *files, "--require", f"conll>={value!r}, ceaf_m_f1>0")[0] == 0
    code, out, err = run("coref", *files, "--require", "conll>=0.99", "--require", "lea_recall<1")
    assert code == 1
    assert "CoNLL F1" in out
    assert err == f"clusterbits: conll_f1 is {value:.4f}, required >= 0.99.\n"
    code, _, err = run("coref", *files, "--require", "ari>=0.5")
    assert code == 2
    assert "no coreference score is called 'ari'" in err


def test_singletons_and_repeated_mentions(run, files, tmp_path):
    kept, dropped = (
        json.loads(run("coref", *files, "--json", *options)[1])
        for options in ((), ("--singletons", "drop"))
    )
    assert kept["key_mentions"] == 6
    assert dropped["key_mentions"] == 4
    twice = tmp_path / "twice.conll"
    twice.write_text(files[1].read_text().replace("b (0)", "b (1)|(0)"))
    code, _, err = run("coref", files[0], twice)
    assert code == 2
    assert "line 1: the mention at token 1 of document 'x_0' is in two entities" in err
    assert "Pass --repeated first" in err
    assert run("coref", files[0], twice, "--repeated", "first") == run("coref", *files)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["key.conll", "nothing.conll"], "there is no file nothing.conll"),
        (["-", "-"], "standard input was given twice"),
        (["key.conll", ""], "'' is not a path"),
        (["key.conll", "response.conll", "--groups", "sentence"], "document"),
    ],
)
def test_wrong_arguments_get_one_line(run, files, monkeypatch, arguments, said):
    monkeypatch.chdir(files[0].parent)
    code, out, err = run("coref", *arguments)
    assert (code, out) == (2, "")
    assert re.search(said, err), err
    assert len(err.splitlines()) == 1


def test_standard_input(run, files, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(files[1].read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    assert run("coref", files[0], "-") == run("coref", *files)
