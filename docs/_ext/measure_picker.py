"""The picker of "Which measure should I use?": tick what matters, see which measures remain.

The directive ``{measure-picker}`` shows it. Its data are the report cards and the groups of
measures that rank alike, `measures.js` does the rest. Without scripts the same is there as a list:
the measures that have each property.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from computed_html import ComputedHtml
from measure_cards import card_of, passes, say_mark
from sphinx.application import Sphinx

from clusterbits.measures.catalogue import catalogue
from clusterbits.measures.declaration import Measure
from clusterbits.paper.cards.dom import LARGE_N

# Which measures rank nearly alike, the best known first: what `make study` found.
ALIKE = Path(__file__).parents[2] / "study/measures.csv"


class Wish(NamedTuple):
    """A property that someone may want of a measure: criteria to pass, or a declaration."""

    words: str
    criteria: tuple[str, ...] = ()
    declared: Callable[[Measure], bool] = lambda _: True

    def lack(self, measure: Measure, many: bool = False) -> str:
        """Return why a measure does not have the property; empty where it does.

        Of criteria that were tried with many objects as well, the verdict there if `many`.
        """
        card = card_of(measure.name)
        if not card:
            return "not a score"
        if not self.declared(measure):
            return f"not: {self.words}"
        verdicts = {name: _verdict(card, name, many) for name in self.criteria}
        return "; ".join(
            f"{name}: {'not defined for it' if mark == '–' else say_mark(mark)}"
            for name, mark in verdicts.items()
            if not passes(mark)
        )


def _verdict(card: dict[str, str], criterion: str, many: bool) -> str:
    """Return a mark; of measures that need whole counts, which many objects have, the one there."""
    if many or card[criterion] == "–":
        return card.get(criterion + LARGE_N, card[criterion])
    return card[criterion]


WISHES = {
    "The number of clusters varies": (
        Wish("more clusters are better until every class has one", ("P1.1",)),
        Wish("more clusters than classes are worse", ("P1.2",)),
        Wish("more noise clusters are worse", ("P2",)),
        Wish("more objects in wrong clusters are worse", ("P3.1",)),
        Wish("more objects in noise clusters are worse", ("P3.2",)),
    ),
    "Chance": (
        Wish("random labels score 0 on average", declared=lambda one: one.adjusted),
        Wish("random labels score exactly alike, however many clusters", ("constant baseline",)),
        Wish(
            "random labels of many objects score about alike, however many clusters",
            ("asymptotic constant baseline",),
        ),
    ),
    "Kinds of mistakes": (
        Wish("separating mixed classes is better", ("homogeneity",)),
        Wish("joining the pieces of a class is better", ("completeness",)),
        Wish("a stray object does less harm in a mixed cluster", ("rag bag",)),
        Wish("breaking many small classes is worse than one stray object", ("size vs. quantity",)),
        Wish("every perfect split or merge is better", ("monotonicity",)),
        Wish("more pairs right is better, whatever the classes", ("strong monotonicity",)),
    ),
    "The value itself": (
        Wish("only a perfect clustering has the best value", ("maximal agreement",)),
        Wish("only total disagreement has the worst value", ("minimal agreement",)),
        Wish("symmetric: neither labeling is the truth", ("symmetry",)),
        Wish(
            "a metric: distances between clusterings",
            ("maximal agreement", "symmetry", "triangle inequality"),
        ),
        Wish("from 0 to 1", declared=lambda one: one.bounds == (0, 1)),
        Wish("takes weights", declared=lambda one: one.weights == "any"),
    ),
}
ALL_WISHES = tuple(wish for group in WISHES.values() for wish in group)


def picker_data() -> dict[str, Any]:
    """Return what the picker shows: the wishes by group, and for each measure what it lacks."""
    with ALIKE.open(encoding="utf-8", newline="") as file:
        near = {row["measure"]: row["near"] for row in csv.DictReader(file)}
    known = {one.name: one for one in catalogue()}
    return {
        "groups": {group: [wish.words for wish in wishes] for group, wishes in WISHES.items()},
        "measures": [
            {
                "name": name,
                "summary": known[name].summary,
                # By formula, and nearly; a measure that the study leaves out is like no other.
                "formula": known[name].orders_like,
                "near": near.get(name, name),
                "lacks": _lacks(known[name], many=False),
                "lacksWithMany": _lacks(known[name], many=True),
            }
            for name in dict.fromkeys([*near, *known])
        ],
    }


def _lacks(measure: Measure, many: bool) -> dict[str, str]:
    return {wish.words: why for wish in ALL_WISHES if (why := wish.lack(measure, many))}


def show_picker() -> str:
    """Return the picker's data, the place it appears in, and the list for those without scripts."""
    data = picker_data()
    script = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    lists = "".join(
        f"<h3>{escape(group)}</h3>" + "".join(_list(words, data["measures"]) for words in wishes)
        for group, wishes in data["groups"].items()
    )
    return (
        '<div class="picker"></div>'
        f'<script type="application/json" id="picker-data">{script}</script>'
        f'<details class="picker-list" open><summary>All properties, and the measures that have '
        f"them</summary>{lists}</details>"
    )


def _list(words: str, measures: list[dict[str, Any]]) -> str:
    having = [one for one in measures if words not in one["lacks"]]
    links = ", ".join(map(_link, having))
    lost = [one for one in having if words in one["lacksWithMany"]]
    but = f"<p>With many objects not: {', '.join(map(_link, lost))}</p>" if lost else ""
    counted = f"{len(having)} of {len(measures)}"
    return f"<details><summary>{escape(words)} ({counted})</summary><p>{links}</p>{but}</details>"


def _link(measure: dict[str, Any]) -> str:
    return f'<a href="../reference/measures/{measure["name"]}.html">{measure["name"]}</a>'


class MeasurePicker(ComputedHtml):
    """The picker."""

    def make(self) -> str:
        return show_picker()


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("measure-picker", MeasurePicker)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
