"""A page for every measure, and their index, written when the site is built.

What a page says of a measure comes from its docstring, its declaration, its report card and
`docs/peers`: words on a measure belong there, not here. The docstring is divided: formula, advice
and example open the page, and the entry of the function at its end has the rest.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from families import FAMILIES, introduce, members, place_of
from generated_pages import markdown_table, write_folder
from measure_cards import (
    BY_NAME,
    FINDINGS,
    card_of,
    fails,
    passes,
    read_witnesses,
    say_mark,
    show_witness,
    tally,
)
from measure_plots import CAPTION, draw
from peers import shared_rows
from sphinx.application import Sphinx

import clusterbits as cb
from clusterbits.measures.catalogue import catalogue
from clusterbits.measures.declaration import Measure
from clusterbits.text.docstrings import split_sections

FOLDER = "reference/measures"

WEIGHTS = {
    "any": "any, and expected counts",
    "balanced": "whole ones, or ``balanced``",
    "none": "none",
}
_STYLED = re.compile(r'class="(?:measure-|cards"|criteria|table criteria|witness|picker)')
NOTATION = """## Notation

| letters | meaning |
|---|---|
| $n$ | the number of objects; $c$ runs over the classes, $k$ over the clusters |
| $h(c,k)$ | how many objects of class $c$ are in cluster $k$: a cell of the table of counts |
| $h(c)$, $h(k)$ | the size of a class, of a cluster |
| $\\lvert C \\rvert$, $\\lvert K \\rvert$ | the number of classes, of clusters |
| $H(C)$, $H(C,K)$, $H(C \\mid K)$ | entropies, in bits: of classes, both, classes given clusters |
| $I(C;K)$ | mutual information in bits: $H(C) - H(C \\mid K)$ |
| $M$ | the number of pairs of objects, $n(n-1)/2$ |
| $a_{00}$, $a_{11}$ | pairs together in both; pairs apart in both |
| $a_{01}$, $a_{10}$ | pairs of one class in two clusters; pairs of two classes in one cluster |
| $a_{0\\bullet}$, $a_{\\bullet 0}$ | pairs of one class; pairs in one cluster |
| $E[\\cdot]$ | the mean over random clusterings of the same sizes |"""

_NAME = re.compile(r"(?<![`:\w])`(\w+)`(?![`_])")


def read_docstring(measure: Measure) -> dict[str, str]:
    """Return the sections of a docstring by heading; what comes first has the heading ""."""
    return split_sections(inspect.getdoc(measure.function) or "")


def link_names(text: str) -> str:
    """Return a docstring's text with its names of measures and functions as links."""

    places = {one.name: place_of(one) for one in catalogue()}

    def link(found: re.Match[str]) -> str:
        name = found[1]
        if name not in places and not hasattr(cb, name):
            return found[0]
        return f":py:func:`{name} <{places.get(name, 'clusterbits')}.{name}>`"

    return _NAME.sub(link, text)


def as_rst(text: str) -> str:
    return f"```{{eval-rst}}\n{text.strip()}\n```"


def write_page(measure: Measure) -> str:
    """Return the page of a measure."""
    doc = read_docstring(measure)
    parts = [
        f"# {title_of(measure)}",
        # The search puts pages with an index entry that is marked by ! first.
        as_rst(f".. index:: {', '.join(f'! {name}' for name in names_of(measure))}"),
        as_rst(link_names(doc[""])),
        "[What the letters mean](index.md#notation)",
        as_rst("\n".join(facts(measure))),
        "## Example",
        as_rst(doc["Examples"]),
        "## How it behaves",
        f"```{{raw}} html\n{draw(measure)}\n```",
        CAPTION,
        *write_card(measure),
        *write_peers(measure, shared_rows()),
        "## The function",
        as_rst(f".. py:currentmodule:: {place_of(measure)}\n\n.. autofunction:: {measure.name}"),
    ]
    return "\n\n".join(parts) + "\n"


def names_of(measure: Measure) -> list[str]:
    """Return the names by which people search for a measure.

    >>> names_of(cb.adjusted_rand)[:3]
    ['adjusted_rand', 'adjusted rand', 'Adjusted Rand index']
    """
    said = re.split(r"[:,.]", measure.summary)[0]
    names = (measure.name, measure.name.replace("_", " "), said, *measure.aliases)
    return list(dict.fromkeys(names))


def title_of(measure: Measure) -> str:
    """Return the name of a measure with its usual abbreviation, for those who look for that."""
    short = measure.short_name
    return measure.name if short == measure.name else f"{measure.name} ({short})"


def facts(measure: Measure) -> Iterator[str]:
    """Yield what a measure declares of itself, as a field list."""
    better = f"; {measure.better} is better" if measure.better else "; not a score"
    yield f":Range: {say_range(measure)}{better}"
    if measure.better:
        yield f":A perfect clustering: {_perfect(measure)}"
    sides = "may" if measure.symmetric else "must not"
    yield f":Symmetric: {_yes(measure.symmetric)}: classes and clusters {sides} change places"
    if measure.better:
        chance = ": random clusters score 0 on average" if measure.adjusted else ""
        yield f":Adjusted for chance: {_yes(measure.adjusted)}{chance}"
    scale = "; their scale matters" if measure.weights == "any" and not measure.scale_free else ""
    yield f":Weights: {WEIGHTS[measure.weights]}{scale}"
    if measure.aliases:
        yield f":Also called: {', '.join(f'``{alias}``' for alias in measure.aliases)}"
    if alike := [
        one.name
        for one in catalogue()
        if one.orders_like == measure.orders_like and one is not measure
    ]:
        yield f":The same ranking: {', '.join(f':doc:`{name} <{name}>`' for name in alike)}"
    yield f":Family: {FAMILIES[measure.family].lower()}: {_relatives(measure)}"


def say_range(measure: Measure) -> str:
    """Return the range of a measure in words.

    >>> say_range(cb.adjusted_rand)
    '−0.5 to 1'
    """
    low, high = (f"{bound:g}".replace("-", "−").replace("inf", "∞") for bound in measure.bounds)
    if "∞" in low:
        return "any number" if "∞" in high else f"at most {high}"
    return f"at least {low}" if "∞" in high else f"{low} to {high}"


def _perfect(measure: Measure) -> str:
    return "depends on the class sizes" if measure.perfect is None else f"{measure.perfect:g}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _relatives(measure: Measure) -> str:
    others = [one.name for one in members(measure.family)]
    if len(others) == 1:
        return "nothing else belongs to it"
    near = others.index(measure.name)
    start = max(0, min(near - 3, len(others) - 7))
    shown = [name for name in others[start : start + 7] if name != measure.name]
    links = ", ".join(f":doc:`{name} <{name}>`" for name in shown)
    return f"{links}; :doc:`all measures <index>`"


def write_peers(measure: Measure, rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield what other libraries call a measure, and where their values differ."""
    said: dict[str, dict[str, list[str]]] = {}  # by library and function: the differences
    for row in rows:
        if row["ours"] == measure.name:
            words = said.setdefault(row["library"], {}).setdefault(row["theirs"], [])
            words += [row["difference"]] if row["difference"] not in ("", *words) else []
    if said:
        yield "## In other libraries"
        yield "\n".join(f"- {library}: {_say_functions(said[library])}" for library in said)


def _say_functions(functions: dict[str, list[str]]) -> str:
    """Return functions with how they differ, those first that do not."""
    by_words: dict[str, list[str]] = {}
    for name, words in functions.items():
        by_words.setdefault(" ".join(words), []).append(f"`{name}`")
    ordered = sorted(by_words.items(), key=lambda said: said[0] != "")
    return " ".join(f"{', '.join(names)}. {words}".rstrip() for words, names in ordered)


def write_card(measure: Measure) -> Iterator[str]:
    """Yield the report card: failures with their witnesses, then what is passed and found."""
    card = card_of(measure.name)
    if not card:
        return
    held, demands = tally(card)
    yield "## Report card"
    yield (
        f"It meets {held} of the {demands} demands that apply to it; [the criteria]"
        "(../report_card.md) are the same for all measures."
    )
    known = read_witnesses()[measure.name]
    for name, mark in card.items():
        if fails(mark):
            yield _failure(name, mark, known[name])
    met = [f"- {name}: {BY_NAME[name].meaning}" for name, mark in card.items() if passes(mark)]
    if met:
        yield _folded(f"What it passes ({len(met)})", "\n".join(met), "success")
    yield _folded("What was found, and what does not apply", "\n".join(_rest(card, known)))


def _failure(name: str, mark: str, known: dict[str, Any]) -> str:
    criterion = BY_NAME[name]
    weight = "Fails" if "✗" in mark else "Ties in"
    body = (
        f"{say_mark(mark).capitalize()} ({known['note']}). "
        f"It matters {criterion.matters}.\n\n"
        f"```{{raw}} html\n{show_witness(known['witness'], criterion.meaning)}\n```"
    )
    return _folded(f"{weight} {name}: {criterion.meaning}", body, "danger")


def _rest(card: dict[str, str], known: dict[str, Any]) -> Iterator[str]:
    for name in FINDINGS:
        question = BY_NAME[name].meaning.partition(": ")[2]
        yield f"- {name}: {question} **{card[name]}** ({known[name]['note']})"
    for name, mark in card.items():
        if mark == "–":
            yield f"- {name} does not apply: {known[name]['note']}"


def _folded(title: str, body: str, colour: str = "") -> str:
    option = f":class-title: card-{colour}\n" if colour else ""
    return f"::::{{dropdown}} {title}\n{option}\n{body}\n::::"


def write_index() -> str:
    """Return the index: every measure in a line, by family."""
    parts = [
        "# Measures",
        f"{count_rankings()} Call one as `clusterbits.NAME(truth, pred)`, one of a field as "
        "`clusterbits.records.NAME`, some by an alias such as "
        "`clusterbits.ari`. New here? Start with [which measure should I use?]"
        "(../../howto/which_measure.md); how each behaves is in the "
        "[report cards](../report_card.md). `clusterbits measures NAME` prints formula, advice and "
        "references of one.",
        '```{raw} html\n<p class="measure-filter" hidden><label>Show measures with <input '
        'type="search" placeholder="rand, metric, chance …"></label> <output></output></p>\n```',
    ]
    for family, title in FAMILIES.items():
        table = markdown_table(
            ["measure", "what it is", "properties"], map(_cells, members(family))
        )
        parts += [f"## {title}", introduce(family), f":::{{div}} measure-list\n{table}\n:::"]
    parts += [write_weights(), NOTATION]
    names = "\n".join(one.name for family in FAMILIES for one in members(family))
    parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```")
    return "\n\n".join(parts) + "\n"


def count_rankings() -> str:
    """Return how many measures differ, as the study counted them."""
    study = (Path(__file__).parents[1] / "explanation" / "study.md").read_text("utf-8")
    counts = re.search(r"The (\d+) measures are (\d+) by formula and (\d+) groups", study)
    assert counts
    compared, formulas, rankings = counts.groups()
    return (
        f"{rankings} rankings that differ, under {len(list(catalogue()))} names, by family. "
        f"{compared} of them were compared on data: {formulas} formulas, of which some "
        "[rank nearly alike](../../explanation/study.md#measures-that-rank-alike)."
    )


def write_weights() -> str:
    """Return which measures take weights, and which do not."""
    takers: dict[str, list[str]] = {}
    for one in catalogue():
        takers.setdefault(one.weights, []).append(_link(one))
        if one.weights == "any" and not one.scale_free:
            takers.setdefault("scaled", []).append(_link(one))
    some, none, scaled = (", ".join(takers[kind]) for kind in ("balanced", "none", "scaled"))
    return f"""## Weights

An object of weight 2 counts like two. Of weights, and of expected counts,

- {len(takers["any"])} of the {len(list(catalogue()))} measures take any;
- {scaled} depend on their scale, and take more than one unit of weight per class, best as many as
  there are objects: `weights * len(weights) / sum(weights)`. The others that take any are
  scale-free; but of whole weights, pairs are pairs of distinct objects;
- {some} take whole ones, and `weights="balanced"`, by which every class counts the same: their
  chance is over shuffled objects, and other tables of weights do not know their objects;
- {none} take none: they count links between objects, or arrangements of them.

Intervals and tests are about objects, and take no weights but `"balanced"`. Rows that stand for
several objects are counts, for `Contingency.from_counts`."""


def _cells(measure: Measure) -> list[str]:
    held = {
        say_range(measure): True,
        f"{measure.better} is better": measure.better is not None,
        "symmetric": measure.symmetric,
        "adjusted for chance": measure.adjusted,
        "metric": card_of(measure.name).get("triangle inequality") == "✓",
    }
    properties = ", ".join(words for words, holds in held.items() if holds)
    also = ", ".join(f"`{alias}`" for alias in measure.aliases)
    summary = measure.summary.removesuffix(".") + (f"; also {also}" if also else "")
    place = f'<a id="{measure.name}"></a>'  # of links in a checkout, which has no page for each
    return [f"{place}{_link(measure)}", summary, properties]


def _link(measure: Measure) -> str:
    """Return a link from the index to a measure: on the site to its page (`checkout_links`)."""
    return f"[{measure.name}](index.md#{measure.name})"


def write_pages(app: Sphinx) -> None:
    """Write a page for each measure, and the index."""
    pages = {f"{one.name}.md": write_page(one) for one in catalogue()}
    write_folder(Path(app.srcdir, FOLDER), pages | {"index.md": write_index()})


def leave_out_the_opening(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Cut a measure's docstring to what its page has not said: Parameters to References."""
    if not isinstance(obj, Measure):
        return
    start = lines.index("Parameters")
    end = lines.index("Examples") if "Examples" in lines else len(lines)
    lines[:] = lines[start:end]


def add_style(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Add what shows measures to the pages that show them."""
    if _STYLED.search(context.get("body", "")):
        app.add_css_file("measures.css")
        app.add_js_file("measures.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_pages, priority=400)
    app.connect("autodoc-process-docstring", leave_out_the_opening, priority=100)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
