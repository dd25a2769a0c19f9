"""
See where communities can no longer be found
============================================

As more links of a node leave its group, communities get harder to find. Where nothing can be
found, bits say so: the share saved falls to zero and below. Normalised mutual information stays
above zero, because Louvain always returns some communities. The networks are synthetic: eight
groups of 40 nodes, 16 links each on average.
"""

import matplotlib.pyplot as plt
import networkx as nx

import clusterbits as cb

outside = range(1, 15)
values = {"share_saved": [], "normalized_mutual_information": [], "adjusted_rand": []}
for links in outside:
    graph = nx.planted_partition_graph(8, 40, (16 - links) / 39, links / 280, seed=links)
    truth = {node: node // 40 for node in graph}
    found = nx.community.louvain_communities(graph, seed=0)
    scores = cb.evaluate(truth, found, list(values))
    for measure in values:
        values[measure].append(scores[measure])

# %%
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (measure, line), style in zip(values.items(), ("o-", "s--", "^:"), strict=True):
    ax.plot(outside, line, style, label=measure)
ax.axhline(0, color="0.5", linewidth=1)
ax.set(
    xlabel="links of a node that leave its group, of 16",
    ylabel="score of Louvain's communities",
    title="Below zero, the communities tell nothing",
)
ax.legend()
plt.show()
