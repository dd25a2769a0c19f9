"""Generate the pages and pictures under docs/, and the report cards that are shipped.

python tools/make_docs.py docs
"""

import json
import sys
from pathlib import Path
from runpy import run_path

from clusterbits import desiderata, list_measures
from clusterbits.atomic import write_text
from clusterbits.display.terminal import render_rows

ROOT = Path(__file__).parents[1]
# What the report quotes.
SHIPPED = ROOT / "src/clusterbits/data/cards.json"

CARDS = """# Report cards

How every measure of the catalogue behaves, by `clusterbits desiderata` (`make docs` wrote this).
✓ passes, – does not apply, ✗ a/b is violated in a of b cases.
`clusterbits desiderata NAME --witness` prints the witnesses of its failures.

P1.1 to P3.2 are Dom's desiderata, counted by sequence on the paper's 760 models: with n = 500
expected objects, or n = 189,000 for measures that need whole counts. That is the least n that
divides evenly over the models, and large enough for P1.2 to fail where it holds at 500. Homogeneity
to size vs. quantity are Amigó's constraints. Agreement, symmetry, monotonicity and the triangle
inequality are tried on all partitions of a few objects; the baseline compares means over shuffled
objects for 2 to 60 clusters.

"""


CATALOGUE = """# The catalogue

Every measure, generated from what each declares of itself (`make docs` wrote this). Call one as
`clusterbits.NAME(truth, pred)` or `clusterbits.NAME(table)`, by its name or an alias;
`clusterbits measures NAME` prints its formula, when to choose it, and its reference.

"""


def catalogue_rows() -> list[dict[str, str]]:
    def yes(value: bool) -> str:
        return "yes" if value else ""

    return [
        {
            "measure": row["name"],
            "aliases": ", ".join(row["aliases"]),
            "family": row["family"],
            "range": f"{row['lowest']:g} … {row['highest']:g}".replace("inf", "∞"),
            "better": row["better"] or "–",
            "symmetric": yes(row["symmetric"]),
            "adjusted for chance": yes(row["adjusted"]),
            "what it is": row["summary"],
            "reference": row["reference"],
        }
        for row in list_measures()
    ]


def criteria_rows() -> list[dict[str, str]]:
    return [
        {"criterion": one.name, "demand": one.meaning, "it matters": one.matters}
        for one in desiderata.CRITERIA
    ]


def main(target: Path) -> None:
    write_text(target / "measures.md", CATALOGUE + render_rows(catalogue_rows(), "markdown"))
    overview = desiderata.check("all").overview()
    tables = [render_rows(rows, "markdown") for rows in (criteria_rows(), overview)]
    write_text(target / "report_card.md", CARDS + "\n\n".join(tables))
    cards = {row.pop("measure"): row for row in map(dict, overview)}
    write_text(SHIPPED, json.dumps(cards, ensure_ascii=False, indent=1))
    run_path(str(ROOT / "examples/plot_demo.py"))["main"](str(target / "demo.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
