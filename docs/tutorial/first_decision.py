"""
From two label columns to a decision
====================================

Twenty minutes.
"""

# %%
# Here is what you need.
import clusterbits as cb
from clusterbits.demo import load_digits

runs = load_digits()
truth = runs.pop("digit")
cb.evaluate(truth, runs, ["q0", "ari"]).plot()
