"""The command line as a user meets it: real processes for the entry point, calls for the rest."""

import csv
import inspect
import io
import json
import os
import re
from importlib import import_module

import pytest
from support.files import write_sqlite
from support.processes import start

import clusterbits as cb
from clusterbits.__main__ import main
from clusterbits.cli import COMMANDS
from clusterbits.cli.demo import read_digits

ROWS = "id,species,cluster\n1,cat,0\n2,cat,0\n3,dog,1\n4,dog,0\n"
TABLE = cb.Contingency.from_labels(["cat", "cat", "dog", "dog"], [0, 0, 1, 0])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(ROWS)
    return path


COLUMNS = ("--truth", "species", "--pred", "cluster")


def test_score(run, file):
    code, out, err = run("score", file, *COLUMNS)
    assert (code, err) == (0, "")
    assert "4 objects, 2 classes × 2 clusters" in out
    assert f"{cb.q0(TABLE):.4f}" in out


@pytest.mark.parametrize("form", ["json", "csv"])
def test_formats_for_programs_do_not_round(run, file, form):
    code, out, _ = run("score", file, *COLUMNS, "--format", form, "-m", "q0,ari", "-m", "rand")
    assert code == 0
    if form == "json":
        values = {row["measure"]: row["value"] for row in json.loads(out)["rows"]}
    else:
        values = {row["measure"]: float(row["value"]) for row in csv.DictReader(io.StringIO(out))}
    assert values == {"q0": cb.q0(TABLE), "adjusted_rand": 0.0, "rand": 0.5}


def test_markdown_says_what_the_terminal_shows(run, file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for words in (["score"], ["compare", "--pred", "id", "-m", "q0,ari"], ["explain"]):
        asked = (words[0], file, *COLUMNS, *words[1:])
        shown, marked = run(*asked)[1], run(*asked, "-f", "markdown")[1]
        title, rows = marked.partition("\n\n|")[::2]
        assert " ".join(shown.split()).startswith(" ".join(title.split()))
        for line in rows.splitlines()[2:]:
            cells = line.replace("\\", "").strip("| ").split(" | ")
            assert "".join(cells).replace(" ", "") in shown.replace(" ", "")


def test_explain(run, file):
    code, out, err = run("explain", file, *COLUMNS)
    assert (code, err) == (0, "")
    assert f"q0 = {cb.q0(TABLE):.4f} bits per object" in out
    assert "No merge saves bits" in out
    code, out, _ = run("explain", file, *COLUMNS, "-f", "json")
    rows = json.loads(out)["rows"]
    assert (code, len(rows)) == (0, 2)
    assert sum(row["bits"] for row in rows) == pytest.approx(cb.q0(TABLE))


SPLIT = "id,species,cluster\n" + "".join(
    f"{i:02},{'cat' if i < 8 else 'dog'},{cluster}\n"
    for i, cluster in enumerate(["a,1"] * 5 + ["b"] * 3 + ["c"] * 6 + [""])
)


def read_rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.fixture
def split_file(tmp_path):
    path = tmp_path / "split.csv"
    path.write_text(SPLIT.replace("a,1", '"a,1"'))
    return path


def test_explain_applies_the_merges(run, split_file, tmp_path):
    output = tmp_path / "merged.csv"
    options = (*COLUMNS, "--missing", "drop")
    code, out, err = run("explain", split_file, *options, "--apply", output)
    assert (code, err) == (0, f"the merged labels are in {output}\n")
    assert out == run("explain", split_file, *options)[1]
    rows = read_rows(output)
    assert list(rows[0]) == ["species", "cluster", "cluster_merged"]
    given = read_rows(split_file)
    assert [row["cluster"] for row in rows] == [row["cluster"] for row in given]
    assert [row["cluster_merged"] for row in rows] == ["a,1"] * 8 + ["c"] * 6 + [""]
    _, out, _ = run("explain", split_file, *options, "--part", "path", "--json")
    best = min(row["q0"] for row in json.loads(out)["rows"])
    merged = ("--truth", "species", "--pred", "cluster_merged", "--missing", "drop")
    _, out, _ = run("score", output, *merged, "-m", "q0", "--json")
    assert json.loads(out)["rows"][0]["value"] == pytest.approx(best)
    code, out, err = run("explain", split_file, *options, "--apply", "-")
    assert (code, out, err) == (0, output.read_text(), "")


def test_explain_applies_the_merges_to_joined_files(run, split_file, tmp_path):
    rows = read_rows(split_file)
    truth, pred, output = (tmp_path / name for name in ("truth.csv", "pred.csv", "merged.csv"))
    truth.write_text("id,species\n" + "".join(f"{row['id']},{row['species']}\n" for row in rows))
    backwards = "".join(f'{row["id"]},"{row["cluster"]}"\n' for row in rows[::-1])
    pred.write_text(f'id,cluster\n{backwards}99,"b"\n')
    options = ("--on", "id", "--missing", "drop", "--unmatched", "drop", "--apply", output)
    assert run("explain", truth, pred, *options)[0] == 0
    found = read_rows(output)
    assert list(found[0]) == ["id", "cluster", "cluster_merged"]
    assert [row["id"] for row in found] == [*(row["id"] for row in rows[::-1]), "99"]
    merged = ["", *["c"] * 6, *["a,1"] * 9]
    assert [row["cluster_merged"] for row in found] == merged


def test_explain_applies_to_rows_only_and_never_to_an_input(run, split_file, tmp_path):
    before = split_file.read_bytes()
    code, _, err = run("explain", split_file, *COLUMNS, "--apply", split_file)
    assert code == 2
    assert "name another file to write to" in err
    assert split_file.read_bytes() == before
    saved, output = tmp_path / "table.json", tmp_path / "merged.csv"
    TABLE.save(saved)
    code, out, err = run("explain", saved, "--apply", output)
    assert (code, out) == (2, "")
    assert "label images and saved tables have no rows" in err
    database = tmp_path / "labels.db"
    write_sqlite(database, {"species": ["cat", "dog"], "cluster": ["a", "b"]})
    code, _, err = run(
        "explain", database, "--sql", "select species, cluster from labels", "--apply", output
    )
    assert code == 2
    assert "write the result of the query to a file first" in err
    assert not output.exists()


def test_pairs_are_not_run_together(run, tmp_path):
    path = tmp_path / "spaces.csv"
    path.write_text("species,cluster\nred A,k 1\nB,k 1\nB,k\n")
    _, out, _ = run("explain", path, *COLUMNS, "--part", "confused", "-f", "csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert {row["first"], row["second"]} == {"red A", "B"}


def test_missing_and_noise(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("c,k\na,1\n,1\nb,-1\nb,-1\n")
    code, _, err = run("score", path)
    assert code == 2
    assert "column 'c' has 1 missing label." in err
    assert "3 objects" in run("score", path, "--missing", "drop")[1]
    assert "4 objects, 3 classes" in run("score", path, "--missing", "class")[1]
    assert "3 clusters" in run("score", path, "--missing", "drop", "--noise", "singletons")[1]
    assert "1 object," in run("score", path, "--missing", "drop", "--noise", "drop")[1]


WRONG_FILES = {
    "missing": (None, "there is no file"),
    "empty": (b"", "is empty"),
    "header only": (b"species,cluster\n", "there are no rows to count"),
    "not UTF-8": (b"species,cluster\ncaf\xe9,1\nx,2\n", "not UTF-8"),
    "ragged": (b"species,cluster\na,1\nb\nc,3\nd,4,5,6\n", "cannot be read|no column|has one"),
    "fractions": (b"species,cluster\na,0.25\nb,0.75\n", "a distance or a probability"),
}


@pytest.mark.parametrize("kind", WRONG_FILES)
def test_wrong_files(run, tmp_path, kind):
    content, message = WRONG_FILES[kind]
    path = tmp_path / "labels.csv"
    if content is not None:
        path.write_bytes(content)
    code, out, err = run("score", path, *COLUMNS)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    assert re.search(message, err), err


def test_wrong_requests(run, file):
    for arguments, message in [
        (("score", "label.csv", *COLUMNS), "Did you mean 'labels.csv'"),
        (("score", file, "--truth", "specie", "--pred", "cluster"), "Did you mean 'species'"),
        (("score", file), "which column is truth"),
        (("score", file, *COLUMNS, "-m", "adjusted_rnd"), "Did you mean 'adjusted_rand'"),
        (("score", file, *COLUMNS, "--format", "xml"), "xml"),
        (("score",), "FILE|file"),
        (("scor", file), "scor"),
    ]:
        code, out, err = run(*arguments)
        assert code == 2, arguments
        assert out == "", arguments
        assert len(err.splitlines()) == 1, err
        assert re.search(message, err), err


def test_measures(run):
    code, out, _ = run("measures")
    assert code == 0
    for row in cb.list_measures():
        assert row["name"] in out
    _, out, _ = run("measures", "ari")
    assert "adjusted_rand" in out
    assert "10.1007/BF01908075" in out
    _, out, _ = run("measures", "--search", "Hungarian")
    assert "accuracy" in out
    assert "jaccard" not in out
    _, out, _ = run("measures", "--search", "chance", "--format", "json")
    found = {row["name"] for row in json.loads(out)["rows"]}
    adjusted = {row["name"] for row in cb.list_measures() if row["adjusted"]}
    # These are about chance by their summaries; what only mentions it further down stays out.
    about = {"evidence", "expected_mutual_information", "pair_sets_index"}
    assert found == adjusted | about
    code, _, err = run("measures", "--search", "nonsense")
    assert code == 2
    assert "no measure mentions 'nonsense'" in err
    _, out, _ = run("measures", "--format", "json")
    rows = json.loads(out)["rows"]
    assert {row["name"] for row in rows} == {row["name"] for row in cb.list_measures()}
    assert next(row for row in rows if row["name"] == "q0")["highest"] is None  # infinite


def test_the_data_of_the_demo(run, tmp_path):
    code, out, err = run("demo", "--data", "digits.csv")
    assert (code, out, err) == (0, "", "the labels are in digits.csv\n")
    assert (tmp_path / "digits.csv").read_bytes() == read_digits()
    code, out, _ = run("score", "digits.csv", "--truth", "digit", "--pred", "ward_12")
    assert code == 0
    assert out.startswith("3.32 → 0.66 bits per object: 87 % of the maximum saving.")
    for stdout in ("-", "/dev/stdout"):
        assert run("demo", "--data", stdout) == (0, read_digits().decode(), "")
    code, out, err = run("demo", "--data", "-", "--report", "demo.html")
    assert (code, out) == (2, "")
    assert "--data scores nothing" in err
    assert not (tmp_path / "demo.html").exists()


def _no_terminal(*stream):
    raise OSError


def test_what_commands_print_fits_the_terminal(run, file, monkeypatch):
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("os.get_terminal_size", _no_terminal)
    for command in (
        ("score", file, *COLUMNS, "--confidence-level", "0.9", "--require", "ari>-1"),
        ("compare", file, "--truth", "species", "--pred", "cluster,id"),
        ("explain", file, *COLUMNS),
        (
            "paper",
            "cards",
        ),
        ("measures", "pairs"),
        ("measures", "q0"),
    ):
        code, out, err = run(*command)
        assert (code, err) == (0, "")
        assert max(map(len, out.splitlines())) <= 80
        assert "…" not in out.replace(" … ", "")  # in ranges: 0 … 1
    first = run("compare", file, "--truth", "species", "--pred", "cluster,id")[1]
    assert re.search(r"clustering +k +saved +q0 +labels +table .*ARI +AMI", first)
    for command in ("score", "compare"):
        out = run(command, file, *COLUMNS)[1]
        assert re.match(r"\d\.\d\d → \d\.\d\d bits per object: ", out)


def test_as_a_process(tmp_path):
    assert start("--version").stdout.strip() == cb.__version__
    failed = start("score", str(tmp_path / "none.csv"))
    assert failed.returncode == 2
    assert failed.stderr.startswith("clusterbits: there is no file")


@pytest.mark.parametrize(("required", "code"), [("<=-1", 1), (">=-1", 0)])
def test_a_gate_fails_even_if_the_reader_leaves(file, required, code):
    """The reader closes the pipe before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    found = start("score", file, *COLUMNS, "--require", f"ari{required}", stdout=writer)
    os.close(writer)
    assert found.returncode == code
    assert len(found.stderr.splitlines()) == code


def test_internal_errors_show_no_traceback(run, file, monkeypatch):
    def broken(*args, **kwargs):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("clusterbits.explain", broken)
    code, _, err = run("explain", file, *COLUMNS)
    assert code == 1
    assert "internal error: ZeroDivisionError: oops" in err
    monkeypatch.setenv("CLUSTERBITS_DEBUG", "1")
    with pytest.raises(ZeroDivisionError, match="oops"):
        main(["explain", str(file), *COLUMNS])


@pytest.mark.parametrize("package", ["cyclopts", "duckdb"])
def test_missing_extras_say_what_to_install(tmp_path, file, package):
    (tmp_path / f"{package}.py").write_text(f"raise ModuleNotFoundError('none', name='{package}')")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    failed = start("score", str(file), *COLUMNS, env=environment)
    assert failed.returncode == 2
    extra = "files" if package == "duckdb" else "cli"
    assert f"pip install 'clusterbits[{extra}]'" in failed.stderr
    assert len(failed.stderr.splitlines()) == 1


def test_encode_and_decode(run, tmp_path):
    rows = [("a,b", 1), ("é\n", 1), ("a,b", 2), ("-", 2)] * 5
    lines = "".join(f'"{c}";x;{k}\n' for c, k in rows)
    (tmp_path / "labels.csv").write_bytes(("species;id;cluster\n" + lines).encode())
    columns = ("--truth", "species", "--pred", "cluster")
    for mode in ("entropy", "enumerative"):
        code, out, err = run(
            "code", "encode", "labels.csv", *columns, "-o", "x.clb", "--labels", mode
        )
        assert (code, err) == (0, "")
        size = (tmp_path / "x.clb").stat().st_size
        assert f"{8 * size}" in out
        assert (tmp_path / "x.clb").read_bytes() == cb.codec.encode(*zip(*rows, strict=True), mode)
        code, out, _ = run("code", "decode", "x.clb", "labels.csv", "--pred", "cluster")
        assert (code, out) == (0, "truth\n" + '"a,b"\n"é\n"\n"a,b"\n-\n' * 5)
        run(
            "code",
            "decode",
            "x.clb",
            "labels.csv",
            "--pred",
            "cluster",
            "--truth",
            "c",
            "-o",
            "out.csv",
        )
        assert (tmp_path / "out.csv").read_bytes() == out.replace("truth", "c").encode()


def test_encode_and_decode_refuse_clearly(run, tmp_path):
    (tmp_path / "labels.csv").write_text("c,k,l\na,1,1\nb,1,2\n,2,2\n")
    (tmp_path / "good.csv").write_text("c,k\na,1\nb,1\n")
    assert run("code", "encode", "good.csv", "-o", "good.clb")[0] == 0
    for arguments, said in [
        (
            ("code", "encode", "labels.csv", "--truth", "c", "--pred", "k", "-o", "x.clb"),
            "1 missing label",
        ),
        (("code", "encode", "labels.csv", "-o", "x.clb"), "which column is truth"),
        (("code", "encode", "good.csv"), "output"),
        (("code", "decode", "good.clb", "labels.csv", "--pred", "k"), "made with 2"),
        (("code", "decode", "good.clb", "good.csv", "--pred", "c"), "another clustering"),
        (("code", "decode", "good.csv", "good.csv", "--pred", "k"), "not a clusterbits code"),
        (("code", "decode", "none.clb", "good.csv", "--pred", "k"), "cannot be read"),
    ]:
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert said in err
        assert "Traceback" not in err
    assert not (tmp_path / "x.clb").exists()
    # A name that only Python can hold.
    (tmp_path / "odd.clb").write_bytes(cb.codec.encode(["\ud800", "a"], [1, 1]))
    code, _, err = run("code", "decode", "odd.clb", "good.csv", "--pred", "k", "-o", "odd.csv")
    assert (code, (tmp_path / "odd.csv").exists()) == (2, False)
    assert "UTF-8" in err


def test_score_joins_and_says_how_much_was_scored(run, tmp_path):
    truth, pred = tmp_path / "truth.csv", tmp_path / "pred.csv"
    truth.write_text("id,species\n1,cat\n2,cat\n3,dog\n")
    pred.write_text("cluster,id\n7,3\n8,2\n8,1\n9,4\n")
    code, _, err = run("score", truth, pred, "--on", "id")
    assert code == 2
    assert "1 only in" in err
    code, out, _ = run("score", truth, pred, "--on", "id", "--unmatched", "drop")
    assert code == 0
    assert "Scored 3 of 4 objects (0.75) in 2 of 3 clusters" in " ".join(out.split())
    assert out.count("3 of 4") == 1
    _, out, _ = run("score", truth, pred, "--on", "id", "--unmatched", "drop", "-f", "json")
    for row in json.loads(out)["rows"]:
        found = [row[key] for key in ("n", "objects_given", "clusters", "clusters_given")]
        assert (found, row["coverage"]) == ([3, 4, 2, 3], 0.75)


def test_columns_that_are_not_named_go_by_their_names(run, tmp_path):
    (tmp_path / "truth.csv").write_text("id,species\n1,cat\n2,dog\n")
    (tmp_path / "pred.csv").write_text("id,cluster\n2,0\n1,1\n")
    code, out, err = run("score", "truth.csv", "pred.csv")
    assert (code, out) == (2, "")
    assert "To join two files, pass --on with a column of ids." in err
    (tmp_path / "two.csv").write_text("species,cluster\ncat,1\ndog,0\n")
    for files in (["truth.csv", "pred.csv", "--on", "id"], ["two.csv"]):
        rows = json.loads(run("score", *files, "--json")[1])["rows"]
        assert {row["clustering"] for row in rows} == {"cluster"}


def test_score_saves_and_adds_up(run, tmp_path, file):
    monday, tuesday = tmp_path / "monday.json", tmp_path / "tuesday.json"
    for saved in (monday, tuesday):
        assert run("score", file, *COLUMNS, "--save", saved)[0] == 0
    code, out, _ = run("score", monday, tuesday)
    assert code == 0
    assert f"\n{2 * TABLE.n} objects" in out
    code, out, _ = run("compare", monday, tuesday, "-f", "json")
    assert code == 0
    names = dict.fromkeys(row["clustering"] for row in json.loads(out)["rows"])
    assert list(names) == ["monday", "tuesday"]
    code, _, err = run("score", monday, file)
    assert code == 2
    assert "is a saved table" in err


def test_compare(run, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("label,k2,k3,other\na,0,0,0\na,0,1,1\nb,1,2,0\nb,1,2,1\n")
    code, out, _ = run("compare", path, "--truth", "label", "--pred", "k*", "-f", "json")
    assert code == 0
    rows = json.loads(out)["rows"]
    bits = [row for row in rows if row["measure"] == "q0"]
    assert [(row["clustering"], row["clusters"]) for row in bits] == [("k2", 2), ("k3", 3)]
    for row in bits:
        assert row["value"] == pytest.approx(row["label_bits"] + row["table_bits"], abs=1e-12)
    code, out, _ = run(
        "compare",
        path,
        "--truth",
        "label",
        "--pred",
        "k*",
        "--pred",
        "other",
        "-m",
        "rand,jaccard,ari",
        "-f",
        "csv",
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["clustering"], row["measure"]) for row in rows] == [
        (name, measure)
        for name in ("k2", "k3", "other")
        for measure in ("rand", "jaccard", "adjusted_rand")
    ]


def test_sql(run, tmp_path):
    write_sqlite(tmp_path / "labels.db", {"c": ["a", "b", "b"], "k": [1, 2, 2]})
    code, out, _ = run("score", tmp_path / "labels.db", "--sql", "select c, k from labels")
    assert code == 0
    assert out.startswith("1.00 → 0.86 bits per object: 100 % of the maximum saving.")
    assert "\n3 objects, 2 classes × 2 clusters" in out
    code, _, err = run("score", tmp_path / "labels.db", "--sql", "select x from labels")
    assert code == 2
    assert len(err.splitlines()) == 1


def test_columns_between_commas(run, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text('c,k2,k3,"k2,k3"\na,0,0,0\na,0,1,0\nb,1,2,0\n')

    def clusterings(pred, command="compare"):
        code, out, err = run(command, path, "--truth", "c", "--pred", pred, "--json")
        return err if code else {row["clustering"] for row in json.loads(out)["rows"]}

    assert clusterings("k2, k3") == clusterings("k?") == {"k2", "k3"}
    assert clusterings("k2,k3") == {"k2,k3"}
    assert "no column 'k4'" in clusterings("k2,k4")
    assert "2 clusterings were named (k3, k2)" in clusterings("k3,k2", "explain")


@pytest.mark.parametrize(
    ("words", "said", "helps"),
    [
        (["score", "--truth-noise", "zz"], "--truth-noise: 'zz' is not a class", False),
        (["score", "--memory-limit", "much"], "--memory-limit much: ", True),
        (
            ["score", "--missing", "error", "--pred", "gap"],
            "Pass --missing drop or --missing class.",
            True,
        ),
        (["compare", "--pred", "kk"], "has no column 'kk'", True),
        (["explain", "--tpo", "1"], "Unknown option", True),
        (["score", "--spill", "nowhere"], "directory. See", True),
        (["score", "--ids", "x.csv"], "--ids goes with --pairs", True),
        (["report"], "--output is missing", True),
    ],
)
def test_errors_are_the_librarys_and_point_to_the_help(run, tmp_path, words, said, helps):
    (tmp_path / "x.csv").write_text("id,c,k,gap\n1,a,1,\n2,a,1,1\n3,b,2,2\n")
    pred = [] if "--pred" in words else ["--pred", "k"]
    err = run(words[0], "x.csv", "--truth", "c", *pred, *words[1:])[2]
    assert said in err
    assert len(err.splitlines()) == 1
    assert err.endswith(f"See clusterbits {words[0]} --help.\n") is helps


def test_compare_finds_the_best_as_python_does(run, tmp_path):
    (tmp_path / "digits.csv").write_bytes(read_digits())
    asked = ("compare", "digits.csv", "--truth", "digit", "--pred", "ward_10,ward_12,ward_15")
    names = {"pred": ["ward_10", "ward_12", "ward_15"], "truth": "digit"}
    found = cb.compare(tmp_path / "digits.csv", **names, measure="ari")
    code, out, err = run(*asked, "-m", "ari")
    assert (code, err) == (0, "")
    assert found.title in " ".join(out.split())
    rows = json.loads(run(*asked, "-m", "ari", "--json")[1])["rows"]
    may = {row["clustering"]: row["in_set"] for row in rows if row["in_set"] is not None}
    assert may == {row.clustering: row.in_set for row in found}


def test_the_list_of_commands_has_the_first_lines_of_their_help():
    for commands in COMMANDS.values():
        for path, (module, text) in commands.items():
            command = getattr(import_module(f"clusterbits.cli.{module}"), path.split()[-1])
            assert inspect.getdoc(command).startswith(f"{text}\n")
