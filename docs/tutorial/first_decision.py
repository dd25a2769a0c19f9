"""
From two label columns to a decision
====================================

You have a column of true classes and a few columns of cluster labels. Which clustering should you
take? This tutorial gets from there to one sentence that you can defend, in about twenty minutes.
You need Python and nothing about information theory. :doc:`Install clusterbits </howto/install>`
first.
"""

# %%
# 1. Two columns
# --------------
# The data come with clusterbits: 1,797 images of handwritten digits. ``digit`` is what each image
# shows. The other columns are clusterings of the images: ``ward_12`` is Ward's method with 12
# clusters, and so on.
import matplotlib.pyplot as plt
import numpy as np

import clusterbits as cb
from clusterbits.cli.demo import load_digits

runs = load_digits()
truth = runs.pop("digit")
print("digit:  ", *truth[:20])
print("ward_12:", *runs["ward_12"][:20])

# %%
# The cluster numbers mean nothing by themselves. Cluster 7 is not the sevens. A score may only ask
# which images are *together*.

# %%
# 2. A table of counts
# --------------------
# Count how often each class meets each cluster. Every score in this field is computed from this
# table.
table = cb.Contingency.from_labels(truth, runs["ward_12"])
table.plot()

# %%
# A good clustering looks like a staircase. Here the ones and the fives have two clusters each, and
# cluster 11 mixes nines with threes. Is that better or worse than another clustering with 20
# clusters? For that you want one number.

# %%
# 3. Two numbers that mislead
# ---------------------------
# *Purity* is the share of images that belong to the largest class of their cluster. The *Rand
# index* is the share of image pairs on which classes and clusters agree: together in both, or
# apart in both. Try them on two real clusterings, and on two that tell us nothing.
n = len(truth)
candidates = {
    "ward_5": runs["ward_5"],
    "ward_12": runs["ward_12"],
    "50 random clusters": np.random.default_rng(0).integers(0, 50, n),
    "each image alone": np.arange(n),
}
for name, labels in candidates.items():
    purity, rand = cb.purity(truth, labels), cb.rand(truth, labels)
    print(f"{name:18}  purity {purity:.3f}  rand {rand:.3f}")

# %%
# Purity is perfect when each image is a cluster of its own. Rand prefers random clusters to
# ``ward_5``: most pairs of images show different digits, so whoever separates them all is mostly
# right. Both numbers only compare clusterings of about equally many clusters.

# %%
# 4. The idea: send the classes to someone who has the clusters
# -------------------------------------------------------------
# Sixteen fruits are in three boxes. A friend sees which fruit is in which box, but not what it is.
# You write down the classes for them, in as few bits as you can. First the **table**: how many of
# each class a box holds. Then the **labels**: which fruit is which, box by box. A box with one
# class needs no labels at all.
boxes = {
    "one box": [[6, 6, 4]],
    "three boxes": [[6, 0, 0], [0, 5, 1], [0, 1, 3]],
    "sixteen boxes": np.repeat(np.eye(3, dtype=int), [6, 6, 4], axis=0),
}
bits = {}
for name, rows in boxes.items():
    fruit = cb.Contingency.from_counts(np.transpose(rows))
    in_table = fruit.n * fruit.table_bits()
    in_labels = fruit.n * cb.q0(fruit) - in_table
    bits[name] = in_labels, in_table
    print(f"{name:13}  labels {in_labels:4.1f}  table {in_table:4.1f}")

# sphinx_gallery_start_ignore
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
figure.suptitle("Three good boxes need fewer bits than one box, or sixteen")
for place, row in enumerate(boxes["three boxes"]):
    fruits = np.repeat([0, 1, 2], row)
    for kind, marker in enumerate("os^"):
        (where,) = np.nonzero(fruits == kind)
        spots = place + 0.3 * (where % 2), where // 2
        left.scatter(*spots, s=150, color=f"C{kind}", marker=marker)
    left.add_patch(plt.Rectangle((place - 0.2, -0.45), 0.7, 2.9, fill=False, edgecolor="0.5"))
left.set(xticks=[0.15, 1.15, 2.15], xticklabels=["box 1", "box 2", "box 3"], yticks=[])
left.set(xlim=(-0.4, 2.7), ylim=(-0.6, 2.6), frame_on=False)
labels, tables = np.transpose(list(bits.values()))
right.barh(list(bits), labels, color="#1f5fa8", label="labels")
right.barh(list(bits), tables, left=labels, color="#c9a227", label="table")
for row, total in enumerate(labels + tables):
    right.text(total + 0.5, row, f"{total:.0f}", va="center")
right.set(xlabel="bits in all", xlim=(0, 40))
right.invert_yaxis()
right.legend(loc="lower right")
# sphinx_gallery_end_ignore

# %%
# One box is a cheap table and costly labels. Sixteen boxes need no labels, but their table *is*
# the labels. Clusters that are pure and few win. No penalty had to be chosen: the table is what
# each cluster costs.
#
# **Try it yourself.** Move a fruit from box 2 to box 3 in the code. Do the bits rise or fall?

# %%
# 5. One number: the share saved
# ------------------------------
# Bits per image are called ``q0``. As a score, take :py:func:`clusterbits.share_saved`: 1 is
# perfect, 0 is as good as no clusters, and below 0 the clusters cost more than they tell.
cb.evaluate(truth, candidates, ["q0", "share_saved"])

# %%
# Now the order is right. The random clusters are worth less than nothing, and images on their own
# nothing.

# %%
# 6. Which number of clusters?
# ----------------------------
# Score all seven runs of Ward's method. Each bar is what a clustering costs; the lowest is best.
ward = {name: runs[name] for name in runs if name.startswith("ward")}
measures = ["share_saved", "q0", "purity", "rand"]
scores = cb.evaluate(truth, ward, measures)
scores.plot()

# %%
# With 5 clusters the labels are costly, with 50 the table is. The best lies between. As a table:
scores.sorted_by("share_saved")

# %%
# **Try it yourself.** Replace ``"ward"`` by ``"kmeans"``. Is the best number of clusters the same?

# %%
# 7. How sure is that?
# --------------------
# 1,797 images are a sample. With others the bits would be a little different. An interval says
# how different:
cb.interval(truth, runs["ward_12"], measure="share_saved")

# %%
# To choose between two clusterings, do not look whether their intervals overlap. Compare them on
# the same images, where they share most of the luck:
behind = cb.compare(truth, runs["ward_12"], runs["ward_20"], measure="share_saved")
behind.difference("b", "a")

# %%
# Given all runs, ``compare`` names the best and those that are not significantly worse.
cb.compare(truth, ward, measure="share_saved").plot()

# %%
# ``ward_20`` is not significantly worse than ``ward_12``; the others are. With
# ``confidence_level``, ``evaluate`` says it, too:
cb.evaluate(truth, ward, ["q0"], confidence_level=0.95)

# %%
# 8. Why, and what to do about it
# -------------------------------
# Where do the bits of ``ward_20`` go?
why = cb.explain(truth, runs["ward_20"])
why

# %%
# It names the costliest clusters, which clusters to merge, and which classes get confused. Take
# its first advice and merge those two clusters.
merge = why.merges[0]
keep, drop = merge.first, merge.second
before = np.array(runs["ward_20"])
after = np.where(before == drop, keep, before)
print(f"merge {drop} into {keep}: saves {merge.bits_saved:.4f} bits per image")
print(f"q0 {cb.q0(truth, before):.4f} before, {cb.q0(truth, after):.4f} after")

# %%
# The bits fall by just what was promised. Go on merging, and they fall until 12 clusters are left.
why.plot(part="path").set_title("Merging to 12 clusters saves bits")

# %%
# This uses the true classes, so it is no longer a fair score of Ward's method. Read it as a
# diagnosis: the clusters of ``ward_20`` are good, there are only too many of them. So the place to
# look is how clusters are joined, not the features.

# %%
# 9. The decision
# ---------------
# One page to send round: which clustering, how sure, and why. Here is that of the best three;
# ``.report("report.html")`` writes it to a file.
best = {name: ward[name] for name in list(scores.sorted_by("q0").clusterings)[:3]}
cb.evaluate(truth, best).report(title="Digits by Ward's method")

# %%
# And the sentence:
saved = scores["share_saved"]["ward_12"]
points = -100 * behind.difference("b", "a").value
print(f"Take ward_12: it reaches {saved:.0%} of the maximum saving.")
print(f"ward_20 is {points:.1f} points behind, which may be chance;")
print("of the two, ward_12 is the simpler.")

# %%
# The same from the shell, for labels in a file:
#
# .. code-block:: console
#
#    $ clusterbits demo --data digits.csv
#    $ clusterbits compare digits.csv --truth digit --pred 'ward_*' --confidence-level 0.95
#    $ clusterbits explain digits.csv --truth digit --pred ward_20
#    $ clusterbits report digits.csv --truth digit --pred 'ward_*' -o report.html
#
# Where next
# ----------
# - :doc:`in_the_shell`: these commands, run, and a check for your build pipeline
# - :doc:`/howto/index`: your own labels, from wherever they are
# - :doc:`/gallery/index`: cells, documents, records, images and networks
# - :doc:`/explanation/index`: why bits, and what is proved about them
