"""Tables of all report cards, and of what others found, made from the data when the site is built.

The directive ``{report-cards}`` has a row for each measure and a column for each criterion,
``{criteria}`` says what each demands, and ``{published-verdicts}`` what others found.
"""

from __future__ import annotations

import csv
from html import escape

from computed_html import ComputedHtml
from families import FAMILIES, members
from measure_cards import (
    BY_NAME,
    GROUPS,
    PUBLISHED,
    card_of,
    is_large,
    passes,
    read_witnesses,
    say_mark,
    show_witness,
    tally,
)
from sphinx.application import Sphinx

CRITERIA = [name for group in GROUPS.values() for name in group]
LEGEND = {"✓": "passes", "✗": "fails", "=": "only ties", "–": "does not apply"}


def scrolling(table: str, label: str) -> str:
    """Return a table that scrolls by itself, also by keyboard, under its own heading."""
    return f'<div class="cards" tabindex="0" role="region" aria-label="{label}">{table}</div>'


def link(name: str) -> str:
    return f'<a href="measures/{name}.html"><code>{name}</code></a>'


def show_cards() -> str:
    """Return all cards in one table: measures by family, criteria by group."""
    groups = "".join(
        f'<th scope="colgroup" colspan="{len(names)}">{escape(group)}</th>'
        for group, names in GROUPS.items()
    )
    heads = "".join(
        f'<th scope="col"><span>{escape(_short(name))}</span></th>' for name in CRITERIA
    )
    head = (
        f'<thead><tr><td></td><td></td>{groups}</tr><tr><th scope="col">measure</th>'
        f'<th scope="col"><span>demands met</span></th>{heads}</tr></thead>'
    )
    bodies = "".join(_family(family, title) for family, title in FAMILIES.items())
    return scrolling(f"<table>{head}{bodies}</table>", "Report cards of all measures")


def _short(name: str) -> str:
    return "many objects" if is_large(name) else name


def _family(family: str, title: str) -> str:
    names = [one.name for one in members(family) if card_of(one.name)]
    if not names:
        return ""
    head = f'<tr><th scope="rowgroup" colspan="{len(CRITERIA) + 2}">{title}</th></tr>'
    return f"<tbody>{head}{''.join(map(_row, names))}</tbody>"


def _row(name: str) -> str:
    card = card_of(name)
    held, demands = tally(card)
    cells = "".join(_cell(criterion, card[criterion]) for criterion in CRITERIA)
    met = f'<td class="met">{held}/{demands}</td>'
    return f'<tr><th scope="row">{link(name)}</th>{met}{cells}</tr>'


def _cell(criterion: str, mark: str) -> str:
    """Return a mark; the whole verdict shows where the mouse rests and is read out."""
    sign = mark[0] if mark[0] in LEGEND else ""
    words = escape(f"{criterion}: {say_mark(mark)}", quote=True)
    kind = {"✓": "pass", "✗": "fail", "=": "tie", "–": "none", "": "found"}[sign]
    shown = sign or mark
    return (
        f'<td class="{kind}" title="{words}"><span aria-hidden="true">{shown}</span>'
        f'<span class="visually-hidden">{words}</span></td>'
    )


def show_criteria() -> str:
    """Return what each criterion demands and when that matters, by group."""
    bodies = "".join(
        f'<tbody><tr><th scope="rowgroup" colspan="3">{escape(group)}</th></tr>'
        + "".join(_criterion(name) for name in names if not is_large(name))
        + "</tbody>"
        for group, names in GROUPS.items()
    )
    head = "<thead><tr><th>criterion</th><th>demand</th><th>it matters</th></tr></thead>"
    return f'<table class="table criteria">{head}{bodies}</table>'


def _criterion(name: str) -> str:
    one = BY_NAME[name]
    words = (escape(text) for text in (one.meaning, one.matters))
    return f'<tr><th scope="row">{escape(name)}</th><td>' + "</td><td>".join(words) + "</td></tr>"


def read_published() -> list[dict[str, str]]:
    """Return one row per published verdict, with ours beside it."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        return [row | _compare(row) for row in csv.DictReader(file)]


def _compare(row: dict[str, str]) -> dict[str, str]:
    ours, theirs = card_of(row["measure"])[row["criterion"]], row["satisfied"] == "yes"
    agree = "yes" if theirs == passes(ours) else "no"
    return {"published": "passes" if theirs else "fails", "ours": ours, "agree": agree}


def show_published() -> str:
    """Return published verdicts beside ours."""
    rows = read_published()
    agreeing = sum(row["agree"] == "yes" for row in rows)
    columns = ("source", "published as", "criterion", "published", "ours", "agree")
    head = "".join(f'<th scope="col">{name}</th>' for name in ("measure", *columns))
    lines = "".join(
        f'<tr><th scope="row">{link(row["measure"])}</th><td>'
        + "</td><td>".join(escape(_published_cell(row, name)) for name in columns)
        + "</td></tr>"
        for row in rows
    )
    table = f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'
    counted = f"<p>{agreeing} of {len(rows)} verdicts agree.</p>"
    return counted + scrolling(table, "Published verdicts")


def _published_cell(row: dict[str, str], column: str) -> str:
    if column == "ours":
        return say_mark(row["ours"])
    return row[column.replace(" ", "_")]


class CardTable(ComputedHtml):
    """A table of verdicts."""

    def make(self) -> str:
        show = {
            "report-cards": show_cards,
            "criteria": show_criteria,
            "published-verdicts": show_published,
        }[self.name]
        return show()


class WitnessTables(ComputedHtml):
    """The witness that a measure fails by a criterion: `{witness} rand: P2`."""

    required_arguments = 1
    final_argument_whitespace = True

    def make(self) -> str:
        measure, _, criterion = self.arguments[0].partition(": ")
        known = read_witnesses()[measure][criterion]
        return show_witness(known["witness"])


def setup(app: Sphinx) -> dict[str, bool]:
    for name in ("report-cards", "criteria", "published-verdicts"):
        app.add_directive(name, CardTable)
    app.add_directive("witness", WitnessTables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
