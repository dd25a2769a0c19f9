"""
Add up the tables of many days
==============================

Labels that come day by day need not be kept. Each day is counted into a small table; tables add up
to exactly what all rows together would give. Here the clusters went stale on day 6, and the running
total is slow to show it. The labels are synthetic, counted by polars.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import clusterbits as cb

rng = np.random.default_rng(0)
days = []
for day in range(1, 11):
    label = rng.integers(0, 20, 5000)
    wrong = rng.random(5000) < (0.1 if day < 6 else 0.35)
    cluster = np.where(wrong, rng.integers(0, 20, 5000), label)
    rows = pl.LazyFrame({"label": label, "cluster": cluster})
    days.append(cb.Contingency.from_frame(rows, truth="label", pred="cluster"))
print(days[0])

# %%
# ``sum`` adds tables up; ``table.save("day.json")`` keeps one.
daily = [cb.share_saved(table) for table in days]
total = [cb.share_saved(sum(days[1:end], days[0])) for end in range(1, 11)]
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(range(1, 11), daily, "o-", label="each day")
ax.plot(range(1, 11), total, "s--", label="all days so far")
ax.set(xlabel="day", ylabel="share saved", ylim=(0, 1), title="Score each day, keep the sum")
ax.legend()
plt.show()
