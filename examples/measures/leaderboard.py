"""
Make a leaderboard that says what is chance
===========================================

Fourteen clusterings of the same digits. ``ward_12`` is ahead, and ``ward_20`` is not significantly
worse: both are filled. Those with an open circle are worse than the best, by the paired interval of
their difference.
"""

import matplotlib.pyplot as plt

import clusterbits as cb
from clusterbits.cli.demo import load_digits

runs = load_digits()
truth = runs.pop("digit")
ranking = cb.compare(truth, runs, measure="q0")
ranking.plot()

# %%
# ``difference`` is the difference from the best, with its interval.
print(ranking)
plt.show()
