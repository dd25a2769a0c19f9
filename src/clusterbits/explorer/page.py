"""The explorer as HTML: its scripts, style and data filled into one page."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files
from string import Template
from typing import Any

from clusterbits.desiderata.dom import DESIDERATA
from clusterbits.display.page import content_policy, page_script, page_style
from clusterbits.explorer.demonstrations import DEMONSTRATIONS, Demonstration
from clusterbits.measures.catalogue import Measure, get_measure
from clusterbits.paper.claim import MEASURES
from clusterbits.scoring.evaluation import DEFAULT_MEASURES

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


def make_explorer() -> str:
    """Return the page, which needs nothing else.

    >>> from clusterbits.explorer import make_explorer
    >>> make_explorer().partition(chr(10))[0]
    '<!doctype html>'
    """
    folder = files("clusterbits.explorer")
    scripts = page_script(*(folder / f"{name}.js" for name in SCRIPTS))
    script = f'"use strict";\nconst DATA = {json.dumps(make_data())};\n{scripts}'
    page = Template((folder / "explorer.html").read_text(encoding="utf-8"))
    return page.substitute(
        policy=content_policy(script), style=page_style(folder / "explorer.css"), script=script
    )


def make_data() -> dict[str, Any]:
    """Return what the scripts take from the package."""
    return {
        "measures": [_describe_measure(measure) for measure in shown_measures()],
        "desiderata": [
            {
                "name": each.name,
                "meaning": each.meaning,
                "parameter": each.parameter,
                "wanted": each.wanted,
            }
            for each in DESIDERATA
        ],
        "demonstrations": [_describe_demonstration(each) for each in DEMONSTRATIONS],
        "parameters": PARAMETERS,
        "sizes": SIZES,
    }


def shown_measures() -> list[Measure]:
    """Return the usual measures and the paper's; last those that need whole counts."""
    names = dict.fromkeys((*DEFAULT_MEASURES, *MEASURES))
    return sorted(map(get_measure, names), key=lambda measure: measure.integral)


def _describe_measure(measure: Measure) -> dict[str, Any]:
    return {
        "name": measure.name,
        "label": measure.name.replace("_", " "),
        "summary": f"{measure.summary} {str(measure.better).capitalize()} is better.",
        "better": measure.better,
        "integral": measure.integral,
        "percent": measure.name == "share_saved",
    }


def _describe_demonstration(each: Demonstration) -> dict[str, Any]:
    state = asdict(each.model) | {"n": each.n}
    del state["errors_over"]
    (parameter,) = {one.parameter for one in DESIDERATA if one.name == each.criterion}
    return {
        "title": each.title,
        "why": each.why,
        "state": state,
        "parameter": parameter,
        "to": each.to,
    }
