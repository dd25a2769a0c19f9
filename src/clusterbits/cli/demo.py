"""The command demo: real clusterings of real classes, and where measures disagree about them.

The data are the classes of 1,797 handwritten digits and 14 clusterings of their images, k-means
and Ward's method into 5 to 50 clusters (``tools/make_demo_data.py`` made them).
"""

from __future__ import annotations

import csv
import gzip
from importlib.resources import files
from pathlib import Path

from clusterbits.cli.outputs import check_output, is_standard_output, write_output
from clusterbits.cli.printed_rows import print_scores
from clusterbits.cli.shared_options import FormatOption
from clusterbits.errors import FileError
from clusterbits.inference.resampling import LEVEL
from clusterbits.reading.arguments import find_request
from clusterbits.scoring.evaluation import evaluate_request
from clusterbits.scoring.scores import Scores
from clusterbits.text.terminal import folded

TRUTH = "digit"
MEASURES = (
    "q0",
    "share_saved",
    "q2",
    "adjusted_rand",
    "adjusted_mutual_information",
    "fowlkes_mallows",
    "rand",
)


def demo(
    *, data: Path | None = None, report: Path | None = None, format: FormatOption = "table"
) -> None:
    """Score clusterings of digits, and show where measures disagree.

    The data are 14 clusterings of 1,797 handwritten digits.

    Example: clusterbits demo --report report.html

    Example: clusterbits demo --data digits.csv

    Parameters
    ----------
    data
        Write the labels to this CSV file, - for stdout, and score nothing.
    report
        Write a report to this HTML file, or only it to stdout by -.
    """
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
    print_scores("demo", scores, format)
    if format == "table":
        print()
        print(folded(explain_disagreement(scores)))


def read_digits() -> bytes:
    """Return the demo data as a CSV file: the classes and 14 clusterings of 1,797 digits."""
    return gzip.decompress(files("clusterbits").joinpath("data/digits.csv.gz").read_bytes())


def load_digits() -> dict[str, list[int]]:
    """Return the label columns of the demo data, the classes under "digit"."""
    header, *rows = csv.reader(read_digits().decode().splitlines())
    return {
        name: [int(label) for label in column]
        for name, column in zip(header, zip(*rows, strict=True), strict=True)
    }


def score_digits() -> Scores:
    """Return the demo's scores, the clustering with the fewest bits first."""
    clusterings = load_digits()
    truth = clusterings.pop(TRUTH)
    request = find_request(truth, None, clusterings)
    return evaluate_request(request, MEASURES, compared_at=LEVEL).sorted_by("q0")


def explain_disagreement(scores: Scores) -> str:
    """Return a sentence on two clusterings that q0 and the adjusted Rand index rank differently."""
    names = scores.ranks().dispute("q0", "adjusted_rand")
    assert names is not None
    a, b = names
    first, second = (scores.tables[name] for name in names)
    bits, rand = ([scores[measure][name] for name in names] for measure in ("q0", "adjusted_rand"))
    labels = second.class_entropy_given_cluster - first.class_entropy_given_cluster
    return (
        f"Both put {scores.best[0]} first. Of the others, q0 prefers {a} ({bits[0]:.3f} against "
        f"{bits[1]:.3f} bits per object), the adjusted Rand "
        f"index prefers {b} ({rand[1]:.3f} against {rand[0]:.3f}). The {first.shape[1]} clusters "
        f"of {a} are purer than the {second.shape[1]} of {b}: they save {labels:.3f} bits on the "
        f"labels and cost only {first.table_bits() - second.table_bits():.3f} more for the larger "
        "table. Rand counts every pair of a class that finer clusters separate, however pure they "
        "are."
    )
