"""Draw the demo: code length against number of clusters, split into labels and table.

python examples/plot_demo.py docs/demo.png
"""

import sys

import matplotlib.pyplot as plt

import clusterbits as cb
from clusterbits.demo import score_digits


def main(target: str) -> None:
    scores = score_digits()
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    best = min(scores["q0"].values())
    for axis, (prefix, title) in zip(
        axes, (("ward", "Ward's method"), ("kmeans", "k-means")), strict=True
    ):
        names = sorted(
            (name for name in scores.clusterings if name.startswith(prefix)),
            key=lambda name: scores.tables[name].shape[1],
        )
        tables = [scores.tables[name] for name in names]
        ticks = [str(table.shape[1]) for table in tables]
        labels = [table.class_entropy_given_cluster for table in tables]
        model = [cb.model_bits(table) for table in tables]
        axis.bar(ticks, labels, color="#35618f", label="labels, H(C|K)")
        axis.bar(ticks, model, bottom=labels, color="#e8b04a", label="table of counts")
        for i, name in enumerate(names):
            rand = scores["adjusted_rand"][name]
            axis.text(i, labels[i] + model[i] + 0.02, f"{rand:.2f}", ha="center", fontsize=8)
        axis.axhline(best, color="0.4", linewidth=0.8, linestyle=":")
        axis.set_title(title)
        axis.set_xlabel("number of clusters (above the bars: adjusted Rand)")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("q0, bits per digit")
    axes[1].legend(frameon=False)
    figure.savefig(target, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main(sys.argv[1])
