"""The command measures: the catalogue, and one measure explained."""

from __future__ import annotations

import inspect
from typing import Any

import clusterbits as cb
from clusterbits.cli.printed_rows import TIDY, print_rows
from clusterbits.cli.shared_options import FormatOption
from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import catalogue, find_family, get_measure
from clusterbits.measures.declaration import Measure
from clusterbits.text.docstrings import plain_text, split_sections
from clusterbits.text.tables import show
from clusterbits.text.terminal import Format, folded, render_rows


def measures(
    name: str | None = None, /, *, search: str | None = None, format: FormatOption = "table"
) -> None:
    """List measures, or explain one.

    All are listed, a family, or those that a search finds.

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
    entries = list(catalogue()) if name is None else find_family(name) or [get_measure(name)]
    chosen = {entry.name for entry in entries if search is None or _mentions(entry, search)}
    rows = [row for row in cb.list_measures() if row["name"] in chosen]
    if not rows:
        raise MeasureError(f"no measure mentions {search!r}; `clusterbits measures` lists all.")
    if name is not None and not find_family(name):
        _explain(rows[0], inspect.getdoc(entries[0]) or "", format)
    elif format in TIDY:
        print_rows("measures", rows, format)
    else:
        families: dict[str, list[dict[str, str]]] = {}
        for row in rows:
            families.setdefault(row["family"], []).append(_listed(row))
        print("\n\n".join(render_rows(part, format, title) for title, part in families.items()))


def _listed(row: dict[str, Any]) -> dict[str, str]:
    """Return a measure for the list: what its values mean, and its other names."""
    return {
        "measure": row["name"],
        "range": f"{row['lowest']:g} … {row['highest']:g}".replace("inf", "∞"),
        "better": show(row["better"]),
        "aliases": ", ".join(row["aliases"]) or "–",
    }


def _explain(row: dict[str, Any], docstring: str, format: Format) -> None:
    """Print the description of a measure, its properties and its references."""
    if format in TIDY:
        print_rows("measures", [row | {"text": docstring}], format)
        return
    text = {title: plain_text(section) for title, section in split_sections(docstring).items()}
    more = ("family", "perfect", "symmetric", "adjusted", "weights", "scale_free")
    shown = _listed(row) | {key: show(row[key]) for key in more}
    facts = [{"property": key, "value": value} for key, value in shown.items()]
    about = f"{text['']}\n\n{text.get('Returns', '').removeprefix('float ')}"
    print_rows("measures", facts, format, about)
    for title in ("Notes", "See Also", "References"):
        if title in text:
            print("\n" + folded("\n".join([f"{title}:", *text[title].split("\n\n")])))


def _mentions(entry: Measure, word: str) -> bool:
    properties = {"adjusted for chance": entry.adjusted, "symmetric": entry.symmetric}
    words = [text for text, holds in properties.items() if holds]
    texts = (entry.name, *entry.aliases, entry.family, entry.summary, *words)
    return any(word.casefold() in text.casefold() for text in texts)
