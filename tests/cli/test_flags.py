"""Messages name options as Python does; commands print them as flags."""

import ast
import re
from pathlib import Path

import pytest

import clusterbits as cb
from clusterbits.cli import COMMANDS, find_command
from clusterbits.cli.flags import SHARED, as_flags

SOURCES = Path(cb.__file__).parent


def messages():
    """Yield all texts in the sources but docstrings, and those of commands, which have flags."""
    for path in SOURCES.rglob("*.py"):
        if path.is_relative_to(SOURCES / "cli"):
            continue
        tree = ast.parse(path.read_text())
        statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = getattr(node, "value", None)
            if (
                isinstance(node, ast.Constant)
                and isinstance(text, str)
                and id(node) not in statements
            ):
                yield path.name, text


def test_messages_write_options_as_in_python():
    for name, text in messages():
        assert not re.search(r"[Tt]he option |(?<!var\()(?<![\w-])--[a-z-]+(?!:)\b", text), (
            name,
            text,
        )


NAMES = [name for group in COMMANDS.values() for name in group]


def flags_of(command):
    """Return all flags of a command."""
    app, _ = find_command(command.split())
    return {flag for x in app.assemble_argument_collection() for flag in x.names}


def test_what_becomes_a_flag_is_an_option_of_a_command():
    options = set.union(*map(flags_of, NAMES))
    assert {as_flags("header=False" if x == "header" else f"{x}=") for x in SHARED} <= options


@pytest.mark.parametrize("command", NAMES)
def test_help_names_flags_of_its_own_command(run, command):
    named = set(re.findall(r"--[a-z][a-z0-9-]+", run(*command.split(), "--help")[1]))
    assert named <= flags_of(command) | {"--json", "--csv"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gaps.csv"], "Pass --missing drop or --missing class."),
        (["latin.csv"], "If it is text, pass --encoding latin-1,"),
        (["numbers.csv"], "pass the names of those to read; if they are labels, pass --no-header"),
        (["numbers.csv"], "pass --no-header."),
        (["wide.csv"], "which column is truth? Pass --truth with one of 'id', 't', 'k', 'j'."),
        (["wide.csv", "--truth", "t", "--pred", "k", "--noise-label", "9"], "without --noise drop"),
        (["wide.csv", "other.csv"], "To join two files, pass --on with a column"),
        (["wide.csv", "other.csv", "--on", "id", "--truth", "t"], "Pass --unmatched drop, or"),
        (["wide.csv", "--truth", "t", "--pred", "k", "--confidence-level", "9"], "--confidence-"),
    ],
)
def test_errors_of_commands_have_flags(run, tmp_path, arguments, words):
    (tmp_path / "gaps.csv").write_text("t,k\na,1\n,2\n")
    (tmp_path / "latin.csv").write_bytes("t,k\né,1\n".encode("latin-1"))
    (tmp_path / "numbers.csv").write_text("0,1\n1,1\n")
    (tmp_path / "wide.csv").write_text("id,t,k,j\n1,a,1,1\n2,b,2,2\n")
    (tmp_path / "other.csv").write_text("id,z\n1,1\n3,2\n")
    assert words in run("score", *arguments)[2]


def test_notes_of_commands_have_flags(run, tmp_path):
    (tmp_path / "noise.csv").write_text("t,k=5\na,-1\nb,2\n")
    out = " ".join(run("score", "noise.csv")[1].split())
    assert "is counted as one cluster; --noise drop excludes it." in out


def test_one_clustering_is_needed(run, tmp_path):
    (tmp_path / "a.csv").write_text("t,k,j\na,1,1\nb,2,2\n")
    err = run("explain", "a.csv", "--truth", "t", "--pred", "k,j")[2]
    assert "2 clusterings were named (k, j), and one is needed: name it by --pred." in err
