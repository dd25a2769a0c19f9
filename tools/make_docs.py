"""Generate the pages and pictures under docs/, and the report cards that are shipped.

python tools/make_docs.py docs
"""

import csv
import json
import sys
from pathlib import Path
from runpy import run_path
from textwrap import fill

import matplotlib.pyplot as plt

from clusterbits import desiderata, evaluate, list_measures
from clusterbits.atomic import write_text
from clusterbits.demo import TRUTH, load_digits
from clusterbits.desiderata.registry import list_criteria
from clusterbits.desiderata.verdict import LEGEND
from clusterbits.display.terminal import render_rows

ROOT = Path(__file__).parents[1]
# What the report quotes.
SHIPPED = ROOT / "src/clusterbits/data/cards.json"

# What others found: who, of which measure, by which criterion.
PUBLISHED = ROOT / "tools/published_verdicts.csv"

CARDS = f"""# Report cards

How every measure of the catalogue behaves, by `clusterbits desiderata` (`make docs` wrote this).
`clusterbits desiderata NAME --witness` prints the witnesses of its failures;
[published verdicts](published_verdicts.md) are compared.

{fill(LEGEND, 100)}

P1.1 to P3.2 are Dom's desiderata, counted by sequence on the paper's 760 models, with n = 500
expected objects and with n = 189,000, the least n from 100,000 that divides evenly over the models.
Measures that need whole counts are tried with the latter only. A sequence with a reversal counts as
reversed, one with nothing worse than ties as tied. Homogeneity to size vs. quantity are Amigó's
constraints: the published pair and all splits and merges of six objects, or n = 2 to 10. Maximal
agreement, symmetry, monotonicity, the triangle inequality and doubling are tried on all partitions
of a few objects, minimal agreement on the pair counts of all graphs over six, since partitions
hardly disagree on every pair: ✓ means that no failure is among them. The constant baseline compares
exact means over all partitions of six objects, one cluster and single objects included; the
asymptotic one and the bias compare means over 200 shuffled objects in 2 to 60 clusters. [The
catalogue](measures.md) says whether higher values are better.

"""

COMPARED = """# Published verdicts

How the report cards compare with what others found (`make docs` wrote this, from
`tools/published_verdicts.csv`). Theirs are theorems about any number of objects; ours are trials on
few, and every failure has a witness. So a ✓ of ours does not prove theirs wrong, but a witness
does, unless definitions differ: we call it a failure, though a weaker one (=), where a value stays
the same though it should change. Listed is what the abstracts state, and what the introduction
of Gösgens's submission to ICLR 2021 adds on Sokal and Sneath's first index, here called their mean.
The papers' own tables were not to be had, so few measures appear.

- Gösgens: M. M. Gösgens, A. Tikhonov, L. Prokhorenkova (2021). Systematic analysis of cluster
  similarity indices: how to validate validation measures. ICML.
- Amigó: E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering
  evaluation metrics based on formal constraints. Inf. Retr. 12.

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


def compared_rows(cards: desiderata.Cards) -> list[dict[str, str]]:
    """Return one row per published verdict, with ours beside it."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    rows = []
    for row in published:
        ours = cards[row["measure"]][row["criterion"]]
        passes = row["satisfied"] == "yes"
        if passes == (ours.outcome == "pass"):
            agreement = "yes"
        else:
            agreement = "but for ties" if ours.outcome == "ties" else "no"
        rows.append(
            {
                "source": row["source"],
                "measure": row["measure"],
                "published as": row["published_as"],
                "criterion": row["criterion"],
                "published": "✓" if passes else "✗",
                "ours": ours.mark,
                "agree": agreement,
            }
        )
    return rows


def compared_page(cards: desiderata.Cards) -> str:
    rows = compared_rows(cards)
    agreeing = sum(row["agree"] == "yes" for row in rows)
    parts = [f"{agreeing} of {len(rows)} verdicts agree.\n\n" + render_rows(rows, "markdown")]
    disputed = [row for row in rows if row["agree"] != "yes"]
    if disputed:
        parts.append("## Disagreements, with witnesses")
    for row in disputed:
        ours = cards[row["measure"]][row["criterion"]]
        heading = f"### {row['measure']}: {row['criterion']} ({row['source']})"
        parts.append(f"{heading}\n\n{ours}\n\n```\n{ours.witness or 'no failure found'}\n```")
    ami = cards["adjusted_mutual_information"]["monotonicity"]
    parts.append(
        "## Adjusted, and not monotone\n\nA measure adjusted for chance may fall when a clustering "
        f"gets better, because chance rises too:\n\n{ami}\n\n```\n{ami.witness}\n```"
    )
    return COMPARED + "\n\n".join(parts) + "\n"


def draw_demo(target: Path) -> None:
    """Draw the picture of the README: bits over the number of clusters, with intervals."""
    runs = load_digits()
    truth = runs.pop(TRUTH)
    figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    evaluate(truth, runs, ["q0"], interval=0.95).plot(ax=ax)
    figure.savefig(target, dpi=110, metadata={"Software": None})


def main(target: Path) -> None:
    write_text(target / "measures.md", CATALOGUE + render_rows(catalogue_rows(), "markdown"))
    cards = desiderata.check("all")
    overview = cards.overview()
    tables = [render_rows(rows, "markdown") for rows in (list_criteria(), overview)]
    write_text(target / "report_card.md", CARDS + "\n\n".join(tables))
    write_text(target / "published_verdicts.md", compared_page(cards))
    marks = {row.pop("measure"): row for row in map(dict, overview)}
    write_text(SHIPPED, json.dumps(marks, ensure_ascii=False, indent=1))
    draw_demo(target / "demo.png")
    run_path(str(ROOT / "tools/make_plots.py"))["main"](str(target))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
