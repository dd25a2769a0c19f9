"""The explorer as HTML: its scripts, style and data filled into one page.

Its buttons are steps along the family that show what each desideratum demands.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from clusterbits.measures.catalogue import USUAL, get_measure
from clusterbits.measures.declaration import Measure
from clusterbits.paper.cards.dom import DOM_CRITERIA
from clusterbits.paper.claims.claim import MEASURES
from clusterbits.paper.family import Model
from clusterbits.text.html_page import content_policy, page_script, page_style

# The parameters in words.
PARAMETERS = {
    "classes": "classes",
    "useful": "useful clusters",
    "noise": "noise clusters",
    "epsilon1": "objects in wrong clusters",
    "epsilon2": "objects in noise",
    "n": "objects",
}
# What the slider of n goes through.
SIZES = [digit * 10**power for power in range(1, 6) for digit in (1, 2, 3, 5, 7)] + [10**6]
# In the order in which they are read.
SCRIPTS = ("numbers", "family", "measures", "desiderata", "drawing", "page")


class Demonstration(NamedTuple):
    """A step of one parameter: a model, and the value that the criterion's parameter rises to."""

    title: str
    criterion: str
    model: Model
    to: float
    why: str
    n: int = 500


DEMONSTRATIONS = (
    Demonstration(
        "Watch Rand prefer more noise clusters",
        "P2",
        Model(useful=5, noise=1, epsilon1=0.1, epsilon2=0.2),
        6,
        "The same objects are lost in more clusters. Rand counts pairs, and scattered noise puts "
        "more pairs of different classes apart, which counts as agreement.",
    ),
    Demonstration(
        "Watch Rand prefer too many clusters",
        "P1.2",
        Model(useful=5, noise=1, epsilon1=0.2, epsilon2=0.3),
        6,
        "There is already a cluster for each class. The sixth splits one of them in two; more "
        "pairs of different classes are then apart, and Rand rewards that.",
    ),
    Demonstration(
        "Watch Rand prefer objects lost in noise",
        "P3.2",
        Model(useful=2, noise=6, epsilon1=0.2, epsilon2=0.1),
        0.3,
        "Two clusters hold five classes. Throwing their objects into noise clusters breaks up so "
        "many pairs of different classes that Rand rises, while the classes cost more bits.",
    ),
    Demonstration(
        "See all agree on missing clusters",
        "P1.1",
        Model(useful=2, epsilon1=0.2),
        5,
        "With two clusters for five classes, classes have to share. Each cluster more takes them "
        "apart.",
    ),
    Demonstration(
        "See all agree on errors",
        "P3.1",
        Model(useful=5),
        0.2,
        "From perfect clusters to a fifth of the objects in wrong ones. That is the least to ask "
        "of a measure.",
    ),
    Demonstration(
        "Watch q0 itself fail, for many objects",
        "P1.2",
        Model(useful=5, epsilon1=0.2),
        6,
        "The paper argues that its measure gets this right for many objects. But with 10,000 of "
        "them a larger table costs next to nothing, and six clusters name the classes in slightly "
        "fewer bits. With 500 objects q0 is right: try it.",
        n=10_000,
    ),
)


def make_explorer() -> str:
    """Return the page, which needs nothing else.

    >>> from clusterbits.paper.explorer import make_explorer
    >>> make_explorer().partition(chr(10))[0]
    '<!doctype html>'
    """
    folder = files("clusterbits.paper.explorer")
    scripts = page_script(*(folder / f"{name}.js" for name in SCRIPTS))
    script = f'"use strict";\nconst DATA = {json.dumps(make_data())};\n{scripts}'
    page = Template((folder / "explorer.html").read_text(encoding="utf-8"))
    return page.substitute(
        policy=content_policy(script), style=page_style(folder / "explorer.css"), script=script
    )


def make_data() -> dict[str, Any]:
    """Return the data of the scripts: measures, desiderata and demonstrations."""
    return {
        "measures": [_describe_measure(measure) for measure in shown_measures()],
        "desiderata": [
            {key: getattr(criterion, key) for key in ("name", "meaning", "parameter", "demand")}
            for criterion in DOM_CRITERIA
        ],
        "demonstrations": [_describe_demonstration(step) for step in DEMONSTRATIONS],
        "parameters": PARAMETERS,
        "sizes": SIZES,
    }


def shown_measures() -> list[Measure]:
    """Return the usual measures and the paper's; last those of integer counts."""
    names = dict.fromkeys((*USUAL, *MEASURES))
    return sorted(map(get_measure, names), key=lambda measure: measure.weights != "any")


def _describe_measure(measure: Measure) -> dict[str, Any]:
    return {
        "name": measure.name,
        "label": measure.name.replace("_", " "),
        "summary": f"{measure.summary} {str(measure.better).capitalize()} is better.",
        "better": measure.better,
        "whole": measure.weights != "any",
        "percent": measure.name == "share_saved",
    }


def _describe_demonstration(step: Demonstration) -> dict[str, Any]:
    return {
        "title": step.title,
        "why": step.why,
        "state": asdict(step.model) | {"n": step.n},
        "parameter": next(d.parameter for d in DOM_CRITERIA if d.name == step.criterion),
        "to": step.to,
    }
