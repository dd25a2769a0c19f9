"""Generate the pages and pictures under docs/: the report cards and the demo's plot.

python examples/make_docs.py docs
"""

import sys
from pathlib import Path

import plot_demo

from clusterbits import desiderata
from clusterbits.render.files import write_text
from clusterbits.render.text import render_rows

CARDS = """# Report cards

How every measure of the catalogue behaves, by `clusterbits desiderata` (`make docs` wrote this page).
✓ passes, – does not apply, ✗ a/b is violated in a of b cases; ask for the witness of a failure with
`clusterbits desiderata NAME --witness`.

P1.1 to P3.2 are Dom's desiderata, counted by sequence on the paper's 760 models: n = 500 expected
objects, or n = 189,000 for measures that need whole counts. That is the least n that divides evenly over
the models, and large enough for P1.2 to fail where it holds at 500. Homogeneity to size vs. quantity are
Amigó's constraints; agreement, symmetry, monotonicity and the triangle inequality are tried on all
partitions of a few objects; the baseline compares means over shuffled objects for 2 to 60 clusters.

"""


def main(target: Path) -> None:
    overview = desiderata.check("all").overview()
    write_text(target / "report_card.md", CARDS + render_rows(overview, "markdown"))
    plot_demo.main(str(target / "demo.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
