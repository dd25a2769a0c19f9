"""Docstrings of measures: what all of them share stands here once, as plain text."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable

from clusterbits.labels.options import OPTIONS
from clusterbits.text.docstrings import split_sections

_LABELS = """truth, pred : labelings
    Classes and clusters of the same objects, as `Contingency.from_labels` takes them; or one
    `Contingency` for both."""
# Added to the above: which weights a measure takes.
_WEIGHTS = {
    "any": "",
    "balanced": ' Weights\n    are whole, or "balanced".',
    "none": " Needs\n    whole counts, without weights.",
}
# Parameters that several measures have.
_PARAMETERS = {
    "n_classes": """n_classes : int, optional
    Number of classes that could have occurred; by default those that did.""",
    "given": """given : "classes" or "clusters"
    The labeling whose pairs are counted.""",
}
_OPTIONS = f"""{", ".join(OPTIONS)}
    How labels are read: see `LabelOptions`."""
_IMPORT = ">>> import clusterbits as cb"


def compose_docstring(
    function: Callable[..., float],
    weights: str,
    parameters: Iterable[str],
    bounds: tuple[float, float],
    better: str | None,
    cited: str,
) -> str:
    """Docstring of a formula, with the parameters of all measures and what the formula's lacks.

    That is the range, if it has no Returns, the References of the docstring `cited`, and the import
    that its Examples need.
    """
    sections = split_sections(inspect.getdoc(function) or "")
    opening, special = sections.pop(""), sections.pop("Parameters", "")
    common = [_PARAMETERS[name] for name in parameters if name in _PARAMETERS]
    texts = [_LABELS + _WEIGHTS[weights], special, *common, _OPTIONS]
    usual = {
        "Parameters": "\n".join(filter(None, texts)),
        "Returns": f"float\n    {_describe_range(bounds, better)}",
        "See Also": "",
        "References": split_sections(cited).get("References", ""),
    }
    if (examples := sections.get("Examples")) and _IMPORT not in examples:
        sections["Examples"] = f"{_IMPORT}\n{examples}"
    filled = [(title, text) for title, text in (usual | sections).items() if text]
    return "\n\n".join([opening, *(f"{x}\n{'-' * len(x)}\n{text}" for x, text in filled)])


def _describe_range(bounds: tuple[float, float], better: str | None) -> str:
    """Range in words.

    >>> _describe_range((0, 1), "higher"), _describe_range((0, math.inf), None)
    ('From 0 to 1; higher is better.', 'At least 0.')
    """
    low, high = bounds
    text = f"From {low:g} to {high:g}"
    if math.isinf(high):
        text = "Any number" if math.isinf(low) else f"At least {low:g}"
    elif math.isinf(low):
        text = f"At most {high:g}"
    return f"{text}; {better} is better." if better else f"{text}."


def list_references(docstring: str) -> list[str]:
    """References of a docstring, each in one line."""
    entries = split_sections(docstring).get("References", "").split(".. [")[1:]
    return [" ".join(entry.partition("] ")[2].split()) for entry in entries]
