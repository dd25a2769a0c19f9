"""
Find the batch whose cells are clustered badly
==============================================

One score over all donors hides the one donor where it went wrong. ``groups=`` scores each donor by
itself: here donor D is far below the others. The labels are synthetic.
"""

import matplotlib.pyplot as plt
import numpy as np

import clusterbits as cb

rng = np.random.default_rng(1)
types = rng.choice(["T", "B", "NK", "monocyte"], 2000, p=[0.5, 0.2, 0.1, 0.2])
donors = rng.choice(list("ABCDEF"), 2000)
# Most cells are in the cluster of their type. In donor D, four in ten are anywhere.
astray = rng.random(2000) < np.where(donors == "D", 0.4, 0.05)
clusters = np.where(astray, rng.choice(["T", "B", "NK", "monocyte"], 2000), types)

print(f"all cells: {cb.share_saved(types, clusters):.2f} of the bits saved")

# %%
scores = cb.evaluate(types, clusters, ["share_saved"], groups=donors, confidence_level=0.95)
scores.plot().set_title("Donor D is far below the others")

# %%
# The interval of the pooled value resamples donors, not cells: the cells of one donor are not
# independent evidence.
print(scores)

# %%
# Types that few donors have are lost first when batches are integrated. Here only donor A has
# plasma cells, and most of them are in the cluster of the B cells. Their F1 shows it.
plasma = (donors == "A") & (types == "B") & (rng.random(2000) < 0.5)
clusters = np.where(plasma & (rng.random(2000) < 0.4), "plasma", clusters)
types = np.where(plasma, "plasma", types)
print(cb.isolated_labels_f1(types, clusters, donors))
plt.show()
