"""Command lines that nobody would type: an answer or one line of refusal, nothing else touched."""

import contextlib
import gzip
import io
import itertools
import shutil
from pathlib import Path

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from support.files import write_csv, write_duckdb, write_lines, write_parquet, write_sqlite
from support.hostile import TEXTS, TIMES, examples, text

import clusterbits as cb
from clusterbits.__main__ import main
from clusterbits.cli import COMMANDS as LISTED
from clusterbits.cli import find_command

# Figures are drawn, and cards made: seconds. The others take milliseconds.
EXAMPLES = {"report": 1, "demo": 1, "paper reproduce": 0.05, "paper cards": 2}
OUTPUTS = ("--output", "-o", "--save", "--out", "--report", "--data")

ODD = "odd [names] *.csv"
COLUMNS = {"c": ["a", "b", "a", "c"], "k": [1, 2, 2, -1], "w": [1, 2, 0, 1], "id": [1, 2, 3, 4]}
QUERIES = [
    *("select c, k from labels", "select * from labels;", "", ";", "select 1", "drop table labels"),
    *("copy labels to 'copied.csv'", "select c, k from 'labels.csv'", "select c from labels) --"),
]
NUMBERS = ["0", "1", "2", "3", "-1", "0.5", "0.95", "1e308", "nan", "inf", "-0", "", "x", "1,5"]


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Return a folder with files of every kind, whole and broken."""
    folder = tmp_path_factory.mktemp("template")
    write_csv(folder / "labels.csv", COLUMNS)
    write_parquet(folder / "labels.parquet", COLUMNS)
    write_lines(folder / "labels.jsonl", COLUMNS)
    write_csv(folder / "pair.csv", {"c": COLUMNS["c"], "k": COLUMNS["k"]})
    texts = [text for text in TEXTS if text and "\x00" not in text]
    write_csv(folder / ODD, {"\x1b[1m,": texts, "k\n": texts[::-1]})
    (folder / "odd.clb").write_bytes(cb.codec.encode(texts, texts[::-1]))
    write_duckdb(folder / "base.duckdb", COLUMNS)
    write_sqlite(folder / "base.sqlite", COLUMNS)
    table = cb.Contingency.from_labels(COLUMNS["c"], COLUMNS["k"])
    table.save(folder / "table.json")
    (folder / "code.clb").write_bytes(cb.codec.encode(COLUMNS["c"], COLUMNS["k"]))
    names = (name.replace("\n", " ") for name in texts)
    documents = (f"#begin document ({i} {name}\nx (0)\n" for i, name in enumerate(names))
    (folder / "odd.conll").write_bytes("".join(documents).encode("utf-8", "surrogatepass"))
    (folder / "bytes.bin").write_bytes(bytes(range(256)))
    (folder / "empty.csv").touch()
    (folder / "cut.csv.gz").write_bytes(gzip.compress(b"c,k\na,1\n" * 99)[:-9])
    (folder / "cut.parquet").write_bytes((folder / "labels.parquet").read_bytes()[:-99])
    (folder / "below").mkdir()
    shutil.copy(folder / "pair.csv", folder / "below")
    return folder


FILES = [
    *(
        "labels.csv",
        "labels.parquet",
        "labels.jsonl",
        "pair.csv",
        ODD,
        "*.csv",
        "below",
        "empty.csv",
    ),
    *("base.duckdb", "base.sqlite", "table.json", "code.clb", "bytes.bin"),
    *("cut.csv.gz", "cut.parquet", "missing.csv", "", "x" * 300, "labels.csv/x"),
]
WORDS = {
    "--truth": ["c", "k", "c*", "z", "\x1b[1m,"],
    "--pred": ["k", "c", "k*", "*", "[", "k\n"],
    "--on": ["id", "c", "z"],
    "--weights": ["w", "c", "z"],
    "--missing": ["error", "drop", "class", "x"],
    "--unmatched": ["error", "drop", "class", "x"],
    "--noise": ["singletons", "drop", "x", *NUMBERS],
    "--delimiter": [",", ";", "tab", "ab", '"', "\n"],
    "--sql": QUERIES,
    "--memory-limit": ["1GB", "1B", "-1", "x", "'; drop table x; --"],
    "--spill": [".", "missing", "labels.csv"],
    "--measure": ["all", "q0", "ari,nmi", ",", "rnad"],
    "--format": ["table", "json", "csv", "markdown", "xml"],
    "--labels": ["entropy", "enumerative", "x"],
    "--part": ["clusters", "classes", "merges", "path", "x"],
    "--better": ["higher", "lower", "x"],
    **{
        name: ["out.html", "new/out.json", "out.parquet", "below", "labels.csv", ""]
        for name in OUTPUTS
    },
}
MEASURES = ["rand", "q0", "rnad", "math:sqrt", "math:", ":", "no_such_module:x", "clusterbits:rand"]


def options(command):
    """Return a strategy for one option of a command and its value, also where none is due."""
    found = []
    for argument in find_command(command.split())[0].assemble_argument_collection():
        names = [name for name in argument.names if name.startswith("-")]
        if names:
            values = st.sampled_from(WORDS.get(names[0], NUMBERS))
            if names[0] not in OUTPUTS:
                values |= text
            value = values.map(lambda one: [one]) | st.just([])
            found.append(st.tuples(st.sampled_from(names).map(lambda n: [n]), value))
    return st.one_of(found).map(lambda pair: [*pair[0], *pair[1]])


def changes(before, after):
    """Return the files of two folders that differ, by their paths in them."""
    both = {path.relative_to(top) for top in (before, after) for path in top.rglob("*")}
    return [path for path in both if _bytes(before / path) != _bytes(after / path)]


def _bytes(path):
    return path.read_bytes() if path.is_file() else None


def run(arguments):
    """Return exit code, output and errors of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as stop:
            return stop.code or 0, out.getvalue(), err.getvalue()
    raise AssertionError("a command ends by exiting")


# Lines that work, to which hostile options are added.
LABELS = [["labels.csv", "--truth", "c", "--pred", "k"], [ODD]]
VALID = {
    "score": LABELS,
    "compare": LABELS,
    "explain": LABELS,
    "report": [[*line, "-o", "out.html"] for line in LABELS],
    "code encode": [[*line, "-o", "out.clb"] for line in LABELS],
    "code decode": [["code.clb", "labels.csv", "--pred", "k"], ["odd.clb", ODD, "--pred", "k\n"]],
    "coref": [["odd.conll", "odd.conll"]],
}
# What `paper reproduce` computes takes seconds, and tests/paper does that already.
COMMANDS = [
    name for group in LISTED.values() for name in group if TIMES > 1 or name != "paper reproduce"
]


@pytest.mark.parametrize("command", COMMANDS)
def test_hostile_command_lines(command, template, tmp_path_factory):
    folders = (
        tmp_path_factory.mktemp(command.replace(" ", "_")) / str(i) for i in itertools.count()
    )
    words = MEASURES if command in ("measures", "paper cards") else FILES
    valid = st.sampled_from([*VALID.get(command, []), []])
    positional = st.lists(st.sampled_from(words), max_size=3)

    @examples(EXAMPLES.get(command, 8))
    @given(valid, positional, st.lists(options(command), max_size=4))
    def check(begin, given, chosen):
        arguments = [*command.split(), *begin, *given, *itertools.chain(*chosen)]
        folder = shutil.copytree(template, next(folders))
        with contextlib.chdir(folder):
            code, out, err = run(arguments)
        note(f"{code}: {out[:200]}{err[:200]}")
        changed = changes(template, folder)
        shutil.rmtree(folder)
        assert code in (0, 2) or (
            code == 1 and {"--save", "--require", "--baseline"} & {*arguments}
        )
        assert "internal error" not in err
        assert "Traceback" not in out + err
        # Decoded classes and CSV are data, written as they are.
        assert "\x1b" not in (err if command == "code decode" or "csv" in arguments else out + err)
        if code == 2:
            *notes, refusal = err.splitlines()  # warnings come first
            assert all(line.startswith("clusterbits: ") for line in (*notes, refusal))
            assert not any(line.endswith("--help.") for line in notes)
        named = [Path(b) for a, b in itertools.pairwise(arguments) if a in OUTPUTS]
        assert [path for path in changed if not any(map(path.is_relative_to, named))] == []

    check()
