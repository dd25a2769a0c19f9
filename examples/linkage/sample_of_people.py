"""
Estimate from a sample of people
================================

Nobody knows the truth about a million records. But you can resolve some hundred people by hand:
draw a person, find all their records. That is enough to estimate precision and recall of all
records. Scoring only the records that you know is not: it misses every false link to somebody else.
"""

import matplotlib.pyplot as plt
import numpy as np

import clusterbits as cb

rng = np.random.default_rng(4)
sizes = rng.geometric(0.4, 20_000)
person = np.repeat(np.arange(len(sizes)), sizes)
split = rng.random(len(person)) < 0.05
merged = np.where(rng.random(len(sizes)) < 0.05, rng.permutation(len(sizes)), np.arange(len(sizes)))
found = np.where(split, len(sizes) + np.arange(len(person)), merged[person])

# %%
# 300 people are resolved. Of the other records only the cluster is known: their person is nan.
known = np.isin(person, rng.choice(len(sizes), 300, replace=False))
sample = np.where(known, person, np.nan)
cb.records.estimate(sample, found)

# %%
# How many people are enough? The grey line is the truth, which nobody knows; the dashed one what
# the known records score by themselves.
truth = cb.pair_precision(person, found)
numbers = [50, 100, 200, 400, 800, 1600]
order = rng.permutation(len(sizes))
estimates, naive = [], []
for number in numbers:
    known = np.isin(person, order[:number])
    one = cb.records.estimate(np.where(known, person, np.nan), found, "pair_precision")
    estimates.append(one["pair_precision"])
    naive.append(cb.pair_precision(person[known], found[known]))

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.axhline(truth, color="0.6")
ax.plot(numbers, naive, "C1s--", label="only the known records")
values = np.array([one.value for one in estimates])
limits = np.array([(one.low, one.high) for one in estimates])
errors = np.abs(limits.T - values)
ax.errorbar(numbers, values, errors, fmt="C0o", capsize=3, label="estimate, 95 % interval")
ax.set(xscale="log", xticks=numbers, xticklabels=numbers, xlabel="people resolved")
ax.set_title("Pair precision of all records, from a sample of people")
ax.minorticks_off()
ax.legend()
plt.show()

# %%
# Where people are found by drawing records, large ones are found more often, some of them twice:
# then pass ``sampling="cluster_size"``.
drawn = person[rng.integers(0, len(person), 300)]
sample = np.where(np.isin(person, drawn), person, np.nan)
cb.records.estimate(sample, found, "pairs", sampling="cluster_size")
