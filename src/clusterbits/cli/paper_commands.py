"""The commands of `clusterbits paper`: its reproduction, report cards, the explorer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterbits.cli.outputs import check_output, write_output
from clusterbits.cli.printed_rows import TIDY, print_rows
from clusterbits.cli.shared_options import FormatOption, OutputOption
from clusterbits.errors import MeasureError
from clusterbits.system.atomic_files import check_target, write_text
from clusterbits.text.terminal import folded, print_note, render_rows

if TYPE_CHECKING:
    from clusterbits.paper.cards.card import Card


def reproduce(*, out: Path | None = None, format: FormatOption = "table") -> None:
    """Reproduce the paper's tables, figures and counts.

    Claims that do not hold, or only within a range, are listed.

    Example: clusterbits paper reproduce --out .

    Parameters
    ----------
    out
        Existing folder to write the figures (PNG and SVG) and tidy CSV files to; none is made.
    """
    from clusterbits.paper import reproduce as compute

    if out is not None:
        check_target(out / "figure1.csv")
    result = compute()
    if out is not None:
        _write_reproduction(out, result.rows)
    rows = result.to_dicts() if format in TIDY else result.summary()
    print_rows("paper reproduce", rows, format, result.title)
    if format == "table":
        for claim in result.disagreements:
            words = f"{claim.mark} {claim.artefact}, {claim.claim}. {claim.remark}"
            print("\n" + folded(words))
    if out is not None:
        print_note(f"figures and tables are in {out}")


def _write_reproduction(out: Path, rows: dict[str, Any]) -> None:
    from clusterbits.paper.claims.sweep import correlations
    from clusterbits.plots.canvas import save_figure
    from clusterbits.plots.paper_figures import paper_figure_1, paper_figure_2

    for name, table in rows.items():
        write_text(out / f"{name}.csv", render_rows(table, "csv"))
    save_figure(paper_figure_1(rows["figure1"]), out / "figure1")
    save_figure(paper_figure_2(rows["sweep"], correlations(rows["sweep"])), out / "figure2")


def cards(*measure: str, witness: bool = False, format: FormatOption = "table") -> None:
    """Make report cards: which desiderata measures satisfy.

    Without names, show the cards of the whole catalogue that come with the package.

    Example: clusterbits paper cards rand --witness

    Parameters
    ----------
    measure
        Names, aliases or families.
    witness
        Print the two tables and values that show each failure.
    """
    from clusterbits.paper.cards.card import check, list_criteria, shipped_cards
    from clusterbits.paper.cards.criterion import LEGEND

    tried: tuple[Card, ...] = ()
    if measure:
        result = check(list(measure))
        tried, rows = tuple(result), result.to_dicts()
        shown = tried[0].summary() if len(tried) == 1 else _side_by_side(tried)
    elif witness:
        raise MeasureError("name the measures to try, such as: clusterbits paper cards rand.")
    else:
        shown = [{"measure": name, **_short_marks(x)} for name, x in shipped_cards().items()]
        rows = [
            {"measure": name, "criterion": criterion, "mark": mark}
            for name, card in shipped_cards().items()
            for criterion, mark in card.items()
        ]
    title = tried[0].measure if len(tried) == 1 else ""
    print_rows("paper cards", rows if format in TIDY else shown, format, title)
    if format != "table":
        return
    print(f"\n{folded(f'P1.1 to P3.2: for n = 500, then for a large one. {LEGEND}')}")
    if tried:
        print("\n`clusterbits paper cards` explains each criterion.")
    else:
        print("\n" + render_rows(list_criteria(), "table"))
    for card in tried if witness else ():
        if card.failures:
            print(f"\n{card.measure}\n{'=' * len(card.measure)}\n{card.witnesses()}")


def _side_by_side(cards: Sequence[Card]) -> list[dict[str, str]]:
    """Return a row for each criterion, with the marks of all measures."""
    names = cards[0].keys()
    return [
        {"criterion": name} | {card.measure: card[name].mark for card in cards} for name in names
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


def explore(*, output: OutputOption) -> None:
    """Write a page that shows how measures behave.

    One self-contained HTML page, the explorer: the paper's family of tables on sliders, every
    measure beside them, and which desiderata break.

    Example: clusterbits paper explore -o explorer.html
    """
    from clusterbits.paper.explorer import make_explorer

    check_output(output)
    write_output(output, make_explorer().encode(), "the explorer is")
