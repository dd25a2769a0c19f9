"""Tables for the terminal: they fit, and nothing is cut."""

import pytest
from rich.cells import cell_len

from clusterbits.text.terminal import render_rows

WIDTHS = [40, 80, 200]
ROWS = [
    {
        "clustering": name,
        "clusters": 12 + i,
        **{f"a_measure_{j}_of_many": 0.5 + i / 10 + j / 1000 for j in range(15)},
        "summary": "some words that may go into several lines if there is no room for them in one",
    }
    for i, name in enumerate(["ward", "k-means", "聚类结果"])
]


@pytest.fixture(params=WIDTHS)
def width(request, monkeypatch):
    """Return the columns of the terminal."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def test_tables_fit_and_cut_nothing(width):
    title = "a title of some length: " + "and more of it " * 8
    text = render_rows(ROWS, "table", title)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert "…" not in text
    assert " ".join(text.split()).startswith(title.strip())
    shown = text.split()
    for row in ROWS:
        for value in row.values():
            if not isinstance(value, str):
                assert (f"{value:.4f}" if isinstance(value, float) else str(value)) in shown
    # Each part of the table starts with the names.
    parts = text.count("───\n")
    assert all(text.count(f"\n{row['clustering']} ") == parts for row in ROWS)
    assert (parts == 1) is (width == 200)


def test_every_part_names_its_rows(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    rows = [
        {"group": group, "clustering": name, **{f"measure_{i}": 0.5 + i / 10 for i in range(5)}}
        for group in ("north", "south")
        for name in ("k10", "k20")
    ]
    text = render_rows(rows, "table")
    assert text.count("───\n") > 1
    for row in rows:
        assert text.count(f"\n{row['group']}  {row['clustering']} ") == text.count("───\n")


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_are_aligned_by_what_is_seen(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [{"name": name, "value": 0.25, "mark": "✓"} for name in ("聚类结果", "naïve", "k×m → x")]
    head, rule, *lines = render_rows(rows, "table").splitlines()
    assert len(head) == len(rule)
    assert {cell_len(line.partition("  ✓")[0]) for line in lines} == {head.index("  mark")}


def test_numbers_stay_in_the_row_of_their_name(monkeypatch):
    monkeypatch.setenv("COLUMNS", "46")
    prose = "some words that go into several lines, since there is no room for them in one"
    rows = [{"name": n, "a_heading_that_is_folded": 0.5, "summary": prose} for n in ("x", "y")]
    lines = render_rows(rows, "table").splitlines()
    assert lines[next(i for i, line in enumerate(lines) if "──" in line) - 1].startswith("name")
    assert sum(line.split()[:2] in (["x", "0.5000"], ["y", "0.5000"]) for line in lines) == 2
