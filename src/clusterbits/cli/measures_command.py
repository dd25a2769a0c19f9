"""The command measures: the catalogue, and one measure explained."""

from __future__ import annotations

import inspect
from typing import Any

import clusterbits as cb
from clusterbits.cli.printed_rows import print_rows
from clusterbits.cli.shared_options import FormatOption
from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import catalogue, find_family, get_measure
from clusterbits.text.docstrings import plain_text, split_sections
from clusterbits.text.tables import show
from clusterbits.text.terminal import folded, render_rows


def measures(
    name: str | None = None, /, *, search: str | None = None, format: FormatOption = "table"
) -> None:
    """List measures: all, a family, or those that a search finds; or explain one.

    Example: clusterbits measures pairs

    Example: clusterbits measures --search chance

    Parameters
    ----------
    name
        The name or alias of a measure to explain, or a family to list.
    search
        List only measures with this word in their name, aliases, family, summary or properties
        (adjusted for chance, symmetric).
    """
    family = list(catalogue()) if name is None else find_family(name)
    chosen = {entry.name for entry in family or [get_measure(name or "")]}
    rows = [
        row | {"text": inspect.getdoc(get_measure(row["name"]))}
        for row in cb.list_measures()
        if row["name"] in chosen and _mentions(row["name"], search)
    ]
    if not rows:
        raise MeasureError(f"no measure mentions {search!r}; `clusterbits measures` lists all.")
    if not family and format == "table":
        print(_explained(rows[0]))
        return
    if format == "table":
        families: dict[str, list[dict[str, str]]] = {}
        for row in rows:
            families.setdefault(row["family"], []).append(_listed(row))
        print("\n\n".join(render_rows(part, format, name) for name, part in families.items()))
        return
    if family:
        rows = [{key: value for key, value in row.items() if key != "text"} for row in rows]
    print_rows("measures", rows, format)


def _listed(row: dict[str, Any]) -> dict[str, str]:
    """Return a measure for the list: what its values mean, and its other names."""
    return {
        "measure": row["name"],
        "range": f"{row['lowest']:g} … {row['highest']:g}".replace("inf", "∞"),
        "better": _shown(row["better"]),
        "aliases": _shown(row["aliases"]),
    }


def _explained(row: dict[str, Any]) -> str:
    """Return the description of a measure, its properties and its references."""
    sections = split_sections(row.pop("text"))
    text = {title: plain_text(section) for title, section in sections.items()}
    more = ("family", "perfect", "symmetric", "adjusted", "weights", "scale_free")
    shown = _listed(row) | {key: _shown(row[key]) for key in more}
    facts = [{"property": key, "value": value} for key, value in shown.items()]
    parts = [f"{text['']}\n\n{text.get('Returns', '').removeprefix('float ')}"]
    for title in ("Notes", "See Also", "References"):
        if title in text:
            parts.append("\n".join([f"{title}:", *text[title].split("\n\n")]))
    about, *rest = map(folded, parts)
    return "\n\n".join([about, render_rows(facts, "table"), *rest])


def _mentions(name: str, word: str | None) -> bool:
    entry = get_measure(name)
    properties = {"adjusted for chance": entry.adjusted, "symmetric": entry.symmetric}
    words = [text for text, holds in properties.items() if holds]
    texts = (entry.name, *entry.aliases, entry.family, entry.summary, *words)
    return word is None or any(word.casefold() in text.casefold() for text in texts)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "–"
    return show(value)
