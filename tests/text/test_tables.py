"""Rows as text, HTML and DataFrames."""

import math
import re
import sys

import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError
from clusterbits.text import tables
from clusterbits.text.tables import (
    html_table,
    percent,
    rows_to_frame,
    show,
)
from clusterbits.text.terminal import fitted_table


@pytest.mark.parametrize(
    ("share", "digits", "expected"),
    [
        (0.0, 0, "0 %"), (1.0, 0, "100 %"), (1.0, 1, "100 %"), (-1.5, 0, "−150 %"),
        (0.003, 0, "0.3 %"), (-0.003, 0, "−0.3 %"), (0.004, 1, "0.4 %"),
        (0.9949, 0, "99 %"), (0.995, 0, "99.5 %"), (0.99999, 1, "99.99 %"),
        (0.99999, None, "99.999 %"), (0.975, None, "97.5 %"), (0.29, None, "29 %"),
    ],
)  # fmt: skip
def test_only_nothing_is_0_percent_and_only_the_whole_is_100(share, digits, expected):
    assert percent(share, digits) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0.0000"),
        (-0.00123, "-0.0012"),
        (0.000999, "0.000999"),
        (1e9, "1e+09"),
        (float("nan"), "nan"),
        (True, "True"),
        (None, "–"),
        ("\u202eabc", "\\u202eabc"),
        ("a\nb", "a\\nb"),
        ("\ud800", "\\ud800"),
        ("naïve 🦆", "naïve 🦆"),
    ],
    ids=ascii,
)
def test_values_as_text(value, expected):
    assert show(value) == expected


ROWS = [{"name": "<b>", "value": 0.5, "n": 12}, {"name": "x" * 70, "value": 1e-9, "n": 1}]


def test_fitted_table():
    lines = fitted_table(ROWS).splitlines()
    assert lines[0].split() == ["name", "value"]
    assert lines[1].split() == ["<b>", "0.5000"]
    assert max(map(len, lines)) <= 80
    assert "".join(lines).count("x") == 140  # in both parts
    assert fitted_table([]) == "(no rows)"


def test_html_tables_mark_the_best_and_the_direction():
    rows = [{"a": 1.0, "b": 1, "c": 5}, {"a": 3.0, "b": 2, "c": 4}, {"a": math.nan, "b": 1, "c": 6}]
    html = html_table(rows, {"a": "higher", "b": "lower", "c": None})
    assert [head.partition("<")[0].split(">")[1] for head in html.split("<th ")[1:]] == [
        "a\xa0↑",
        "b\xa0↓",
        "c",
    ]
    assert re.findall(r"<b title='best'>(.*?)</b>", html) == ["★\xa01", "★\xa03.0000", "★\xa01"]
    assert "<b" not in html_table(rows, {"a": "higher"}, mark_best=False)
    assert "<b" not in html_table(rows[:1], {"a": "higher"})  # the only one is not the best of any
    assert "<b" not in html_table([{"a": math.nan}, {"a": None}], {"a": "higher"})
    hostile = html_table([{"<i a='\"'>" * 9: "' onmouseover='x" * 9}])
    assert "<i" not in hostile
    assert "' onmouseover" not in hostile


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_what_is_there(monkeypatch, backend):
    pytest.importorskip(backend)
    for other in {"pandas", "polars", "pyarrow"} - {backend}:
        monkeypatch.delitem(sys.modules, other, raising=False)
    frame = rows_to_frame(ROWS)
    assert type(frame).__module__.partition(".")[0] == backend
    assert list(frame["n"].to_numpy() if backend == "pyarrow" else frame["n"]) == [12, 1]


def test_frames_need_a_library(monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(ClusterbitsError, match="pip install pandas"):
        rows_to_frame(ROWS)


def test_large_integers_stay_integers_beside_none():
    labels = [2**60 + 1, 2**60 + 2, None]
    frame = cb.Contingency(labels, [1, 2, 2], missing="class").to_frame()
    assert list(frame["class"]) == labels
