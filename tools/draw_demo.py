"""Draw the picture of the README: the bits of 14 clusterings, with intervals.

python tools/draw_demo.py
"""

from pathlib import Path

import matplotlib.pyplot as plt

import clusterbits as cb
from clusterbits.cli.demo import TRUTH, load_digits

TARGET = Path(__file__).parents[1] / "docs/demo.png"


def main() -> None:
    runs = load_digits()
    truth = runs.pop(TRUTH)
    figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    scores = cb.evaluate(truth, runs, ["q0"], confidence_level=0.95)
    scores.plot(ax=ax)
    figure.savefig(TARGET, dpi=110, metadata={"Software": None, "Title": scores.verdict})


if __name__ == "__main__":
    main()
