"""Draw the demo: bits over the number of clusters, with intervals.

python examples/plot_demo.py docs/demo.png
"""

import sys

import matplotlib.pyplot as plt

import clusterbits as cb
from clusterbits.demo import TRUTH, load_digits


def main(target: str) -> None:
    clusterings = load_digits()
    truth = clusterings.pop(TRUTH)
    figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    cb.evaluate(truth, clusterings, measures=["q0"], interval=0.95).plot(ax=ax)
    figure.savefig(target, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main(sys.argv[1])
