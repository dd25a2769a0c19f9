"""Formulas as MathML, made when the site is built: no script and no fonts to load."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

# Bars around a letter, as in |C|, are brackets; the converter spaces them like a relation.
_BAR = '<mo stretchy="false">&#x0007C;</mo>'
_SIZE = re.compile(f"{_BAR}(<mi>[A-Z]</mi>){_BAR}")
_BRACKET = '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'


def as_mathml(formula: str, display: str) -> str:
    return _SIZE.sub(rf"{_BRACKET}\1{_BRACKET}", convert(formula, display=display))


def visit_inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(as_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    # A wide formula scrolls by itself, also by keyboard, instead of widening the page.
    writer.body.append('<div class="formula" tabindex="0" role="group" aria-label="formula">')
    writer.body.append(as_mathml(node.astext(), "block"))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
