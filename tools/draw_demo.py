"""Draw the picture of the README: bits over the number of clusters, with intervals.

python tools/draw_demo.py docs/demo.png
"""

import sys

import matplotlib.pyplot as plt

import clusterbits as cb
from clusterbits.demo import TRUTH, load_digits


def main(target: str) -> None:
    runs = load_digits()
    truth = runs.pop(TRUTH)
    figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    cb.evaluate(truth, runs, ["q0"], interval=0.95).plot(ax=ax)
    figure.savefig(target, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main(sys.argv[1])
