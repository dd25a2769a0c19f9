"""Docstrings as sections of plain text."""

from __future__ import annotations

import re


def split_sections(docstring: str) -> dict[str, str]:
    r"""Return the sections of a docstring by title; the first has the title "".

    >>> split_sections("A measure.\n\nNotes\n-----\nOne.")
    {'': 'A measure.', 'Notes': 'One.'}
    """
    parts = re.split(r"\n\n([A-Z][\w ]+)\n-{3,}\n", docstring)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def plain_text(text: str) -> str:
    r"""Return a section without markup, each paragraph in one line; formulas stay LaTeX.

    >>> plain_text("A `measure` :math:`x_1`.\n\n.. math:: x_1\n\nOf two\nlines.")
    'A measure x_1.\n\n    x_1\n\nOf two lines.'
    """
    text = text.replace(":math:`", "`").replace("`", "")
    paragraphs = re.split(r"\n\n|\n(?=\.\. \[|[\w, ]+ : )", text)
    lines = (" ".join(paragraph.split()) for paragraph in paragraphs)
    indented = (re.sub(r"^\.\. math:: ", "    ", line) for line in lines)
    return "\n\n".join(line.removeprefix(".. ") for line in indented)
