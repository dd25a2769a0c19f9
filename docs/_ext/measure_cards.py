"""Report cards in words: marks, witnesses, and the criteria in groups."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from clusterbits.paper import Model
from clusterbits.paper.cards.card import CRITERIA, shipped_cards
from clusterbits.paper.cards.dom import LARGE_N
from clusterbits.text.tables import counted

REFERENCE = Path(__file__).parents[1] / "reference"
WITNESSES = REFERENCE / "witnesses.json"
# What others found: who, of which measure, by which criterion.
PUBLISHED = REFERENCE / "published_verdicts.csv"

BY_NAME = {criterion.name: criterion for criterion in CRITERIA}
# What is found and not demanded.
FINDINGS = ("bias", "doubling")

# The criteria in groups, each with the question that it answers.
GROUPS = {
    "Clusters and errors (Dom)": [name for name in BY_NAME if name.startswith("P")],
    "Constraints (Amigó)": ["homogeneity", "completeness", "rag bag", "size vs. quantity"],
    "Agreement": [
        "maximal agreement",
        "minimal agreement",
        "monotonicity",
        "strong monotonicity",
        "symmetry",
        "triangle inequality",
    ],
    "Chance": ["constant baseline", "asymptotic constant baseline"],
    "Found, not demanded": list(FINDINGS),
}


@cache
def read_witnesses() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the notes and witnesses of every measure, by criterion."""
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(WITNESSES.read_text(encoding="utf-8"))
    return found


def passes(mark: str) -> bool:
    return mark == "✓"


def fails(mark: str) -> bool:
    return mark[0] in "✗="


def say_mark(mark: str) -> str:
    """Return a mark of a card in words.

    >>> say_mark("✗ 57/76"), say_mark("✗ 1/9, = 8/9")
    ('the wrong way in 57 of 76 cases', 'the wrong way in 1 and no change in 8 of 9 cases')
    """
    if passes(mark):
        return "passes"
    if mark == "–":
        return "does not apply"
    if not fails(mark):
        return f"found: {mark}"
    words = {"✗": "the wrong way in", "=": "no change in"}
    parts = [part.split() for part in mark.split(", ")]
    counted = " and ".join(f"{words[sign]} {share.partition('/')[0]}" for sign, share in parts)
    return f"{counted} of {parts[0][1].partition('/')[2]} cases"


def tally(card: dict[str, str]) -> tuple[int, int]:
    """Return how many demands a measure meets, of those that apply to it."""
    demands = [mark for name, mark in card.items() if name not in FINDINGS and mark != "–"]
    return sum(map(passes, demands)), len(demands)


def show_witness(witness: dict[str, Any], said_already: str = "") -> str:
    """Return the two tables of a witness, with their values, and the demand unless said already."""
    tables = list(map(_html_table, _tables(witness)))
    shown = "".join(
        f"<figure><figcaption>{which}: <strong>{value:.6g}</strong></figcaption>{table}</figure>"
        for which, value, table in zip(("first", "second"), witness["values"], tables, strict=True)
    )
    demand = "" if said_already.startswith(witness["demand"]) else f"Demanded: {witness['demand']}"
    about = _say_models(witness) or witness["context"]
    said = "".join(f"<p>{escape(text)}.</p>" for text in (demand, about) if text)
    return f'{said}<div class="witness">{shown}</div>'


def _tables(witness: dict[str, Any]) -> list[Any]:
    if "models" not in witness:
        return list(witness["tables"])
    models = [Model(5, *model) for model in witness["models"]]
    return [model.expected(witness["n"]).to_dense().tolist() for model in models]


def _say_models(witness: dict[str, Any]) -> str:
    """Return where the models of a witness differ, in words; empty where there are none."""
    if "models" not in witness:
        return ""
    before, after = map(_say_model, witness["models"])
    same = ", ".join(words for words in before if words in after)
    (one,), (other,) = (
        [words for words in these if words not in those]
        for these, those in ((before, after), (after, before))
    )
    return f"{witness['n']:,.0f} objects in 5 classes, {same}; from {one} to {other}"


def _say_model(model: list[float]) -> list[str]:
    useful, noise, wrong, lost = model
    return [
        counted(int(useful), "useful cluster"),
        counted(int(noise), "noise cluster"),
        f"{wrong:.0%} of the objects in wrong clusters",
        f"{lost:.0%} in noise clusters",
    ]


def _html_table(counts: list[list[float]] | str) -> str:
    """Return a table of counts: a row for each class, a column for each cluster."""
    if isinstance(counts, str):
        return f"<p>{escape(counts.strip('<>').removeprefix('Contingency: '))}</p>"
    rows = "".join("<tr>" + "".join(map(_count_cell, row)) + "</tr>" for row in counts)
    return f'<div tabindex="0" role="group" aria-label="counts"><table>{rows}</table></div>'


def _count_cell(count: float) -> str:
    return f"<td>{count:.1f}</td>".replace(".0<", "<")


def is_large(criterion: str) -> bool:
    """Whether a criterion repeats another for many objects."""
    return criterion.endswith(LARGE_N)


def card_of(name: str) -> dict[str, str]:
    """Return the marks of a measure; none for one that ranks nothing."""
    return shipped_cards().get(name, {})
