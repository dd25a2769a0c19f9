"""Docstrings as plain text: no markup, and formulas in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterbits.text.tables import SUPERSCRIPT

# fmt: off
_SIGNS = {
    "left": "", "right": "", "Bigl": "", "Bigr": "", "quad": "  ", "qquad": "  ", ",": " ",
    "sum": "Σ", "prod": "Π", "bullet": "•", "dots": "…", "ne": "≠", "sim": "~", "approx": "≈",
    "alpha": "α", "beta": "β", "pi": "π", "sigma": "σ", "Gamma": "Γ", "Phi": "Φ", "Omega": "Ω",
}
# fmt: on
_ACCENTS = {"tilde": "\N{COMBINING TILDE}", "hat": "\N{COMBINING CIRCUMFLEX ACCENT}"}
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
# What may stand before and after a fraction without brackets: nothing that multiplies.
_BEFORE, _AFTER = "+-=,([{", "+-=,)]}"


class _Fraction(str):
    __slots__ = ()


def plain_formula(latex: str) -> str:
    r"""Return a formula in LaTeX as one line of text.

    >>> plain_formula(r"Q_0 = \tilde H(C|K) + \frac1n \sum_k \log \binom{h(k)}{|C|-1}")
    'Q₀ = H̃(C|K) + (1/n) Σ_k log binom(h(k), |C|-1)'
    >>> plain_formula(r"\frac{a_{00} - E}{\sqrt{\mathrm{Var}[a_{00}]}}, \quad E = 10^{-4}")
    '(a₀₀ - E)/√(Var[a₀₀]),  E = 10⁻⁴'
    """
    tokens = iter(re.findall(r"\\[A-Za-z]+|\\.|.", " ".join(latex.split())))
    text = re.sub(r"(?<=[(\[{]) +| +(?=[)\]},])", "", _group(tokens))
    return re.sub(" {2,}", lambda gap: "  " if len(gap[0]) > 2 else " ", text).strip()


def _group(tokens: Iterator[str]) -> str:
    """Return what comes before the next closing brace; fractions beside factors in brackets."""
    items = [_item(token, tokens) for token in iter(lambda: next(tokens, "}"), "}")]
    for place, item in enumerate(items):
        before = "".join(items[:place]).rstrip()[-1:]
        after = "".join(items[place + 1 :]).lstrip()[:1]
        if isinstance(item, _Fraction) and not (before in _BEFORE and after in _AFTER):
            items[place] = f"({item})"
    return "".join(items)


def _item(token: str, tokens: Iterator[str]) -> str:
    """Return a token with its arguments as text."""

    def argument() -> str:
        return _item(next((one for one in tokens if one != " "), ""), tokens)

    if token == "{":
        return _group(tokens)
    if token in ("_", "^"):
        text = argument().replace(" ", "")
        small = _LOWERED if token == "_" else SUPERSCRIPT
        signs = {*map(chr, small), "•"}
        return text.translate(small) if {*text} <= signs else f"{token}{text}"
    name = token.removeprefix("\\")
    if name in ("frac", "tfrac"):
        return _Fraction(f"{_factor(argument())}/{_factor(argument())}")
    if name == "binom":
        return f"binom({argument()}, {argument()})"
    if name == "sqrt":
        return f"√({argument()})"
    if name in ("mathrm", "mathcal", "text"):
        return argument()
    if name in _ACCENTS:
        return argument() + _ACCENTS[name]
    return _SIGNS.get(name, name) if name != token else token


def _factor(text: str) -> str:
    """Return part of a fraction, in brackets where it is more than one factor."""
    rest, changes = text, 1
    while changes:
        rest, changes = re.subn(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "", rest)
    return f"({text})" if re.search(r"[ +/-]|\d[A-Za-z]", rest) else text


def split_sections(docstring: str) -> dict[str, str]:
    r"""Return the sections of a docstring by title; what comes first has the title "".

    >>> split_sections("A measure.\n\nNotes\n-----\nOne.")
    {'': 'A measure.', 'Notes': 'One.'}
    """
    parts = re.split(r"\n\n([A-Z][\w ]+)\n-{3,}\n", docstring)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def plain_text(text: str) -> str:
    r"""Return a section without markup, each paragraph in one line.

    >>> plain_text("A `measure`.\n\n.. math:: x_1\n\nOf two\nlines.")
    'A measure.\n\n    x₁\n\nOf two lines.'
    """
    text = re.sub(r":math:`([^`]*)`", lambda found: plain_formula(found[1]), text)
    paragraphs = re.split(r"\n\n|\n(?=\.\. \[|[\w, ]+ : )", text)
    return "\n\n".join(map(_paragraph, paragraphs))


def _paragraph(text: str) -> str:
    text = " ".join(text.replace("`", "").split())
    if text.startswith(".. math:: "):
        return "    " + plain_formula(text.removeprefix(".. math:: "))
    return text.removeprefix(".. ")
