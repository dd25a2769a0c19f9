"""
Score the communities of a karate club
======================================

Zachary's karate club split in two. Four algorithms guess the sides from friendships. Louvain's four
communities save most bits: they split both sides, but hardly mix them. The adjusted Rand index
prefers two halves with more mistakes. networkx's communities, sets of nodes, are taken as they are.
"""

import matplotlib.pyplot as plt
import networkx as nx

import clusterbits as cb

club = nx.karate_club_graph()
truth = dict(club.nodes(data="club"))
communities = {
    "Kernighan-Lin": nx.community.kernighan_lin_bisection(club, seed=1),
    "greedy modularity": nx.community.greedy_modularity_communities(club),
    "Louvain": nx.community.louvain_communities(club, seed=1),
    "label propagation": list(nx.community.asyn_lpa_communities(club, seed=1)),
}
scores = cb.evaluate(truth, communities, ["share_saved", "ari", "nmi"])
print(scores.sorted_by("share_saved"))

# %%
# Colours are communities, shapes are the two clubs.
places = nx.spring_layout(club, seed=3)
figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
for ax, (name, groups) in zip(axes.flat, communities.items(), strict=True):
    nx.draw_networkx_edges(club, places, ax=ax, edge_color="0.8")
    for number, group in enumerate(groups):
        for side, shape in ("Mr. Hi", "o"), ("Officer", "s"):
            nodes = [node for node in group if truth[node] == side]
            nx.draw_networkx_nodes(club, places, nodes, 120, f"C{number}", node_shape=shape, ax=ax)
    ax.set_title(f"{name}: {scores['share_saved'][name]:.2f} saved")
    ax.axis("off")
plt.show()
