"""
Score induced parts of speech
=============================

Induced tags are often scored by many-to-one accuracy: name each induced tag after its most frequent
true tag, and count the hits. By that score 256 tags look best here; bits prefer eleven, the
true number. The words are synthetic: 1,000 word forms, 30,000 tokens, eleven true tags.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

import clusterbits as cb

rng = np.random.default_rng(0)
shares = np.array([24, 15, 12, 11, 9, 8, 7, 6, 4, 3, 1]) / 100
tag_of_form = rng.choice(11, 1000, p=shares)
zipf = 1 / np.arange(1, 1001)
forms = rng.choice(1000, 30_000, p=zipf / zipf.sum())
# One token in ten has another tag than its form usually has.
other = rng.random(len(forms)) < 0.1
tags = np.where(other, rng.choice(11, len(forms), p=shares), tag_of_form[forms])

# %%
# The inducer clusters word forms by their contexts, here a noisy picture of their tag. Each token
# gets the cluster of its form.
contexts = np.eye(11)[tag_of_form] + rng.normal(0, 0.33, (1000, 11))
sizes = [5, 8, 11, 16, 32, 64, 128, 256]
runs = {str(k): KMeans(k, n_init=1, random_state=0).fit_predict(contexts)[forms] for k in sizes}
scores = cb.evaluate(tags, runs, ["share_saved", "purity", "v_measure"])
print(scores)

# %%
# ``purity`` is many-to-one accuracy.
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for measure, style in ("purity", "C1s--"), ("v_measure", "C2^:"), ("share_saved", "C0o-"):
    ax.plot(sizes, list(scores[measure].values()), style, label=measure)
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, sizes)
ax.set(xlabel="induced tags", ylabel="score", title="Eleven tags save most bits; purity likes 256")
ax.legend()
plt.show()
