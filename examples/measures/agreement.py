"""
Group clusterings that are alike
================================

Fourteen clusterings compared with each other, no truth needed. Ordered by similarity, those of
like size are neighbours: the number of clusters matters more here than the algorithm.
"""

import matplotlib.pyplot as plt

import clusterbits as cb
from clusterbits.cli.demo import load_digits

runs = load_digits()
runs.pop("digit")
square = cb.pairwise(runs, measure="adjusted_rand")
square.sorted_by_similarity().plot().set_title("Fourteen clusterings against each other")

# %%
# The same in bits: what is left to say about one clustering when the other is known.
distances = cb.pairwise(runs, measure="variation_of_information")
distances.sorted_by_similarity().plot().set_title("The same in bits: darker is nearer")
plt.show()
