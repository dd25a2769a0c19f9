"""The families of measures, in the order in which the site shows them."""

from __future__ import annotations

import importlib
import inspect

from clusterbits.measures.catalogue import catalogue
from clusterbits.measures.declaration import Measure

FAMILIES = {
    "code_length": "Code length",
    "information": "Information",
    "reduced": "Reduced mutual information",
    "pairs": "Pairs of objects",
    "matching": "Matching",
    "elements": "Elements",
    "coreference": "Coreference",
    "records": "Entity resolution",
    "images": "Segmentation",
}


FIELDS = ("coreference", "records", "images")  # whose measures are in a namespace


def place_of(measure: Measure) -> str:
    """Return the module in which users find a measure."""
    return f"clusterbits.{measure.family}" if measure.family in FIELDS else "clusterbits"


def members(family: str) -> list[Measure]:
    """Return the measures of a family, in the order of the catalogue."""
    return [one for one in catalogue() if one.family == family]


def introduce(family: str) -> str:
    """Return the first paragraph on a family of measures, from its module."""
    name = members(family)[0].function.__module__
    module = importlib.import_module(name if family in FIELDS else f"clusterbits.measures.{family}")
    return " ".join((inspect.getdoc(module) or "").split("\n\n")[0].split())
