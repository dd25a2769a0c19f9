"""
Turn the bits into a file, and back
===================================

These bits are real. ``encode`` writes the true classes for someone who has the clusters,
and the file has as many bits as ``q0`` says, plus a short header. The better the clusters, the
shorter it is. A general compressor, which has no clusters, needs three to five times as much.
"""

import lzma

import matplotlib.pyplot as plt
import numpy as np

import clusterbits as cb
from clusterbits.cli.demo import load_digits

# The digits were written in turn, 0 to 9. Shuffle them, or the order tells the class.
order = np.random.default_rng(0).permutation(1797)
runs = {name: np.array(labels)[order] for name, labels in load_digits().items()}
truth = runs.pop("digit")
clusters = runs["ward_12"]

code = cb.codec.encode(truth, clusters)
assert (cb.codec.decode(code, clusters) == truth).all()
bytes_said = len(truth) * cb.q0(truth, clusters) / 8
print(f"q0 says {bytes_said:.0f} bytes, the file has {len(code)}")

# %%
files = {"lzma": len(lzma.compress(bytes(truth.tolist())))}
files["one cluster"] = len(cb.codec.encode(truth, np.zeros(len(truth), int)))
for name in ("kmeans_10", "ward_50", "ward_12"):
    files[name] = len(cb.codec.encode(truth, runs[name]))
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
bars = ax.barh(list(files), list(files.values()), color=["0.6", "0.6", "C0", "C0", "C0"])
ax.bar_label(bars, padding=3)
ax.set(xlabel="bytes", title="1,797 classes, sent to someone who has the clusters")
ax.margins(x=0.1)
ax.invert_yaxis()
plt.show()

# %%
# Where the bits are, for two ways to code the labels and with all objects in one cluster:
cb.codec.code_lengths(truth, clusters).plot()
plt.show()
