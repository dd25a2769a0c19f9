"""
Make a leaderboard that says what is chance
===========================================

Fourteen clusterings of the same digits. ``ward_12`` is ahead, but ``ward_20`` may be as good: both
are filled, and ``ward_12`` is the simpler one. Those with an open circle are worse than the best,
by the paired interval of their difference. So it is possible that two single intervals overlap, and
yet one clustering is worse.
"""

import matplotlib.pyplot as plt

import clusterbits as cb
from clusterbits.demo import load_digits

runs = load_digits()
truth = runs.pop("digit")
ranking = cb.compare(truth, runs, measure="q0", n_resamples=500)
ranking.plot()

# %%
# ``behind`` is the difference from the best, with its interval.
print(ranking)
plt.show()
