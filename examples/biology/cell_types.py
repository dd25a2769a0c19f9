"""
Choose the resolution of a cell clustering
==========================================

Leiden's resolution decides how many clusters you get. Too low, and cell types are merged; too high,
and each further cluster costs more than it tells. The fewest bits are in between. The counts are
synthetic: 1,500 cells of six types, the rarest with 3 % of the cells. With an AnnData it is one
line, ``cb.evaluate(adata, truth="cell_type", pred="leiden_*")``, and in the shell
``clusterbits compare data.h5ad --truth cell_type --pred 'leiden_*'``:
:doc:`/howto/single_cells`.
"""

import random

import igraph
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import kneighbors_graph

import clusterbits as cb

rng = np.random.default_rng(0)
names = ["CD4 T", "CD8 T", "B", "monocyte", "NK", "platelet"]
types = rng.choice(names, 1500, p=[0.38, 0.2, 0.18, 0.15, 0.06, 0.03])
# Each type has its own mean expression; some types are close to others.
means = dict(zip(names, rng.gamma(0.5, 0.6, (6, 300)), strict=True))
for near, far in ("CD8 T", "CD4 T"), ("NK", "CD8 T"), ("platelet", "monocyte"):
    means[near] = 0.4 * means[near] + 0.6 * means[far]
counts = rng.poisson([means[name] for name in types])

# %%
# The usual steps: normalise, reduce, connect neighbours, find communities.
logged = np.log1p(100 * counts / counts.sum(axis=1, keepdims=True))
reduced = PCA(15, random_state=0).fit_transform(logged)
neighbours = kneighbors_graph(reduced, 15)
graph = igraph.Graph(zip(*neighbours.nonzero(), strict=True)).simplify()
igraph.set_random_number_generator(random.Random(0))
runs = {
    f"resolution {resolution}": graph.community_leiden(
        "modularity",
        resolution=resolution,
    ).membership
    for resolution in (0.05, 0.1, 0.2, 0.5, 1, 2, 4)
}
scores = cb.evaluate(types, runs, ["share_saved", "q0", "ari"])
scores.plot(over="resolution *")

# %%
# The fewest bits, and the highest adjusted Rand index:
print(scores)

# %%
# Rare types hardly count in a score over all cells. With ``weights="balanced"`` each type weighs
# the same, and a run that loses the platelets pays for it.
print(cb.evaluate(types, runs, ["share_saved"], weights="balanced"))
plt.show()
