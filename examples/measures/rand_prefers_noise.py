"""
Watch the Rand index prefer random clusters
===========================================

A clustering of digits that is right but coarse gets a lower Rand index than 50 random clusters.
The reason: most pairs show different digits, so separating everything is mostly right. The
adjusted Rand index mends that. Bits do as well, and count random clusters as a loss.
"""

import matplotlib.pyplot as plt
import numpy as np

import clusterbits as cb
from clusterbits.cli.demo import load_digits

runs = load_digits()
truth = runs.pop("digit")
rng = np.random.default_rng(0)
sizes = [2, 3, 5, 10, 20, 50, 100, 200]
noise = {k: rng.integers(0, k, len(truth)) for k in sizes}

figure, axes = plt.subplots(1, 3, figsize=(9, 3.4), layout="constrained", sharex=True)
figure.suptitle("Random clusters (circles) against a real but coarse clustering (line)")
for ax, measure in zip(axes, ("rand", "adjusted_rand", "share_saved"), strict=True):
    values = cb.evaluate(truth, noise, [measure])[measure]
    real = cb.evaluate(truth, runs["ward_5"], [measure])[measure]
    ax.plot(sizes, [values[k] for k in sizes], "C1o-")
    ax.axhline(real, color="C0")
    ax.set(xscale="log", title=measure, xlabel="random clusters")
plt.show()

# %%
# A report card looks for such failures, and shows for each a witness that you can check.
card = cb.paper.check("rand")
verdict = card["asymptotic constant baseline"]
print(verdict.outcome, verdict.witness, sep="\n\n")
