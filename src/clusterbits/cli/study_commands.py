"""Commands about measures: the catalogue, report cards, the paper, the demo, the explorer."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

import clusterbits as cb
from clusterbits.cli.outputs import check_output, is_standard_output, write_output
from clusterbits.cli.printed_rows import TIDY, board_rows, print_rows, print_title, score_rows
from clusterbits.cli.shared_options import FormatOption, OutputOption
from clusterbits.errors import FileError, MeasureError
from clusterbits.measures.catalogue import catalogue, find_family, get_measure
from clusterbits.system.atomic_files import check_target, write_text
from clusterbits.text.docstrings import plain_text, split_sections
from clusterbits.text.tables import show
from clusterbits.text.terminal import Format, folded, print_note, render_rows

# An option that takes several values: --useful 4 5 6.
SEVERAL = Parameter(consume_multiple=True)


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
        print("\n\n".join(render_rows(some, format, name) for name, some in families.items()))
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
    """Return what a measure is, its properties and where to read on."""
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


def desiderata(
    *measure: str,
    n: float = 500,
    classes: int = 5,
    useful: Annotated[tuple[int, ...], SEVERAL] = tuple(range(2, 12)),
    noise: Annotated[tuple[int, ...], SEVERAL] = tuple(range(7)),
    epsilon1: Annotated[tuple[float, ...], SEVERAL] = (0, 1 / 15, 2 / 15, 0.2),
    epsilon2: Annotated[tuple[float, ...], SEVERAL] = (0, 0.1, 0.2, 0.3),
    better: Literal["higher", "lower"] = "higher",
    witness: bool = False,
    recompute: bool = False,
    format: FormatOption = "table",
) -> None:
    """Make report cards: which desiderata measures satisfy.

    Without options, show the cards of the whole catalogue that come with the package.

    Example: clusterbits desiderata rand --witness --n 100000 --useful 4 5 6

    Parameters
    ----------
    measure
        Names, aliases, families, or module:function for a function of your own of a table or of
        two label arrays. By default the whole catalogue.
    n
        Number of objects for Dom's desiderata, which are also tried with a large one.
    classes
        Number of classes for Dom's desiderata.
    useful
        Numbers of useful clusters to try.
    noise
        Numbers of noise clusters to try.
    epsilon1
        Shares of objects in wrong useful clusters.
    epsilon2
        Shares of objects in noise clusters.
    better
        Which values of your own functions are better.
    witness
        Print the two tables and values that show each failure.
    recompute
        Compute the cards of the whole catalogue, instead of showing those of the package.
    """
    from clusterbits.paper.cards.card import Cards, check, list_criteria, shipped_cards
    from clusterbits.paper.cards.criterion import LEGEND
    from clusterbits.paper.family import Grid

    grid = Grid(classes, n, useful, noise, epsilon1, epsilon2)
    cards = Cards(())
    if not (measure or recompute or witness) and grid == Grid():
        overview = [{"measure": name, **card} for name, card in shipped_cards().items()]
        rows = [
            {"measure": card["measure"], "criterion": criterion, "mark": mark}
            for card in overview
            for criterion, mark in list(card.items())[1:]
        ]
    else:
        cards = check(list(measure) or "all", grid=grid, better=better)
        overview, rows = cards.overview(), cards.to_dicts()
    if format in TIDY:
        print_rows("desiderata", rows, format)
        return
    only = cards.cards[0] if len(cards) == 1 else None
    print(
        render_rows(only.summary(), format, only.measure)
        if only
        else render_rows(_readable(overview, format), format)
    )
    if format != "table":
        return
    print(f"\n{folded(f'P1.1 to P3.2: for n = {n:g}, then for a large one. {LEGEND}')}\n")
    if not cards:
        print(render_rows(list_criteria(), format))
        return
    print("`clusterbits desiderata` explains each criterion.")
    for card in cards if witness else ():
        if card.failures:
            print(f"\n{card.measure}\n{'=' * len(card.measure)}\n{card.witnesses()}")


def _readable(overview: list[dict[str, Any]], format: Format) -> list[dict[str, Any]]:
    """Transpose the table of few measures; shorten headings and marks of many."""
    criteria = [name for name in overview[0] if name != "measure"]
    if len(overview) < len(criteria):
        return [
            {"criterion": name, **{row["measure"]: row[name] for row in overview}}
            for name in criteria
        ]
    if format != "table":
        return overview
    return [
        {"measure": row["measure"], **_short_marks({name: row[name] for name in criteria})}
        for row in overview
    ]


def _short_marks(card: dict[str, str]) -> dict[str, str]:
    """Return marks without counts; those for a large n share the column of their criterion."""
    from clusterbits.paper.cards.dom import LARGE_N

    short: dict[str, str] = {}
    for name, mark in card.items():
        heading = name.removesuffix(LARGE_N)
        heading = heading if len(heading) < 6 else heading[:4].strip() + "."
        short[heading] = short.get(heading, "") + (mark if mark[0].isalpha() else mark[0])
    return short


def reproduce(*, out: Path | None = None, format: FormatOption = "table") -> None:
    """Reproduce the paper's tables, figures and counts, and list what differs.

    Example: clusterbits reproduce --out .

    Parameters
    ----------
    out
        Existing folder to write the figures (PNG and SVG) and tidy CSV files to; none is made.
    """
    from clusterbits.paper import ARTEFACTS
    from clusterbits.paper import reproduce as compute

    if out is not None:
        check_target(out / "figure1.csv")
    result = compute()
    if out is not None:
        _write_reproduction(out, result.rows, ARTEFACTS["sweep"].correlations())
    rows = result.summary() if format == "table" else result.to_dicts()
    print_rows("reproduce", rows, format, result.title)
    if format == "table":
        for claim in result.disagreements:
            words = f"{claim.mark} {claim.artefact}, {claim.claim}. {claim.remark}"
            print("\n" + folded(words))
    if out is not None:
        print_note(f"figures and tables are in {out}")


def _write_reproduction(
    out: Path, rows: dict[str, Any], correlations: dict[str, tuple[float, float]]
) -> None:
    from clusterbits.plots.canvas import save_figure
    from clusterbits.plots.paper_figures import paper_figure_1, paper_figure_2

    for name, table in rows.items():
        write_text(out / f"{name}.csv", render_rows(table, "csv"))
    save_figure(paper_figure_1(rows["figure1"]), out / "figure1")
    save_figure(paper_figure_2(rows["sweep"], correlations), out / "figure2")


def demo(
    *, data: Path | None = None, report: Path | None = None, format: FormatOption = "table"
) -> None:
    """Score 14 clusterings of 1,797 handwritten digits, and show where measures disagree.

    Example: clusterbits demo --report report.html

    Example: clusterbits demo --data digits.csv

    Parameters
    ----------
    data
        Write the labels to this CSV file, - for stdout, and score nothing.
    report
        Write a report to this HTML file, or only it to stdout by -.
    """
    from clusterbits.cli.demo import explain_disagreement, read_digits, score_digits

    if data is not None:
        if report is not None:
            raise FileError("--data scores nothing, so there is no report; leave one of them out.")
        check_output(data)
        write_output(data, read_digits(), "the labels are")
        return
    if report is not None:
        check_output(report)
    scores = score_digits()
    if report is not None:  # first, as whoever reads stdout may stop reading
        title = "14 clusterings of 1,797 handwritten digits"
        made = scores.report(title=title, facts={"command": "clusterbits demo --report"})
        write_output(report, made.html.encode(), "the report is")
        if is_standard_output(report):
            return
    if format == "table":
        print_title(scores)
    rows = score_rows(scores) if format in TIDY else board_rows(scores, format)
    print_rows("demo", rows, format, "1,797 handwritten digits: fewest bits per object first")
    if format == "table":
        print()
        print(folded(explain_disagreement(scores)))


def explore(*, output: OutputOption) -> None:
    """Write the explorer: one self-contained HTML page that shows how measures behave.

    The paper's family of tables on sliders, every measure beside them, and which desiderata break.

    Example: clusterbits explore -o explorer.html
    """
    from clusterbits.paper.explorer import make_explorer

    check_output(output)
    write_output(output, make_explorer().encode(), "the explorer is")
