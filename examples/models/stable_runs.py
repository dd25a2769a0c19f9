"""
Which runs are stable, and which digits change clusters
=======================================================

k-means gives another answer for each seed. Which one to keep, which clusters come out every time,
and which digits go back and forth? No true classes are needed.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import clusterbits as cb

digits = load_digits()
runs = {
    f"seed {seed}": KMeans(10, n_init=1, random_state=seed).fit_predict(digits.data)
    for seed in range(10)
}
result = cb.consensus(runs)
print(result)
print(result.runs)

# %%
# The clusters of the consensus: above 0.85 in nearly every run, below 0.6 not to be trusted.
result.plot()
plt.show()

# %%
# The digits that change clusters most, above, and those that never do, below.
order = result.stability.argsort()
figure, axes = plt.subplots(2, 8, figsize=(8, 2.6), layout="constrained")
for ax, i in zip(axes.flat, [*order[:8], *order[-8:]], strict=True):
    ax.imshow(digits.images[i], cmap="gray_r")
    ax.set_title(f"{result.stability[i]:.2f}", fontsize=9)
    ax.axis("off")
plt.show()
