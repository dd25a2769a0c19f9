"""The demo: real clusterings of real classes, and where the measures disagree about them.

The data are the classes of 1,797 handwritten digits and 14 clusterings of their images, k-means
and Ward's method into 5 to 50 clusters (``tools/make_demo_data.py`` made them).
"""

from __future__ import annotations

import csv
import gzip
from importlib.resources import files
from typing import NamedTuple

from clusterbits.measures.code_length import model_bits
from clusterbits.scoring.evaluation import evaluate
from clusterbits.scoring.scores import Scores

TRUTH = "digit"
MEASURES = ("q0", "q2", "adjusted_rand", "adjusted_mutual_information", "fowlkes_mallows", "rand")


class Disagreement(NamedTuple):
    """Two clusterings that two measures rank the other way round."""

    preferred: str
    rival_prefers: str
    sentence: str


def load_digits() -> dict[str, list[int]]:
    """Return the label columns of the demo data, the classes under "digit"."""
    packed = files("clusterbits").joinpath("data/digits.csv.gz").read_bytes()
    header, *rows = csv.reader(gzip.decompress(packed).decode().splitlines())
    return {
        name: [int(label) for label in column]
        for name, column in zip(header, zip(*rows, strict=True), strict=True)
    }


def score_digits() -> Scores:
    """Return the demo's scores, the clustering with the fewest bits first."""
    clusterings = load_digits()
    truth = clusterings.pop(TRUTH)
    return evaluate(truth, clusterings, measures=MEASURES).sorted_by("q0")


def first_disagreement(scores: Scores) -> Disagreement:
    """Find the best clustering by q0 whose place the adjusted Rand index disputes.

    It is compared with the one that Rand would rather have among those q0 ranks below it.
    """
    bits, rand, order = scores["q0"], scores["adjusted_rand"], scores.ranking("q0")
    a, below = next(
        (a, below)
        for i, a in enumerate(order)
        if (below := [b for b in order[i + 1 :] if rand[b] > rand[a]])
    )
    b = max(below, key=rand.__getitem__)
    tables = scores.tables[a], scores.tables[b]
    labels = [table.class_entropy_given_cluster for table in tables]
    model = [model_bits(table) for table in tables]
    sentence = (
        f"q0 and the adjusted Rand index disagree about {a} and {b}: q0 prefers {a} "
        f"({bits[a]:.3f} against {bits[b]:.3f} bits), Rand prefers {b} ({rand[b]:.3f} against "
        f"{rand[a]:.3f}). The {tables[0].shape[1]} clusters of {a} are purer, so the labels cost "
        f"{labels[0]:.3f} instead of {labels[1]:.3f} bits, and the table of more columns "
        f"{model[0]:.3f} instead of {model[1]:.3f}, which is less than that saves; Rand counts "
        "every pair of a class that finer clusters part, and does not see that each part still "
        "tells the class."
    )
    return Disagreement(a, b, sentence)
