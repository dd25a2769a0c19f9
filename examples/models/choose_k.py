"""
Choose the number of clusters with GridSearchCV
===============================================

``cb.scorer("q2")`` makes a scorer for scikit-learn. The search fits k-means on two thirds of the
digits and scores its clusters of the other third. Homogeneity asks for ever more clusters; Q2 also
charges for the table that says which classes a cluster holds, and has a best number.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import clusterbits as cb

candidates = [5, 10, 15, 20, 30, 40, 60]
digits = load_digits()
search = GridSearchCV(
    KMeans(n_init=1, random_state=0),
    {"n_clusters": candidates},
    scoring={"q2": cb.scorer("q2"), "homogeneity": cb.scorer("homogeneity")},
    refit="q2",
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
).fit(digits.data, digits.target)
best = search.best_params_["n_clusters"]
print(f"Chosen: k = {best}")

# %%
# The bands are one standard deviation over the three parts.
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for measure, style in ("homogeneity", "C1s--"), ("q2", "C0o-"):
    mean = search.cv_results_[f"mean_test_{measure}"]
    spread = search.cv_results_[f"std_test_{measure}"]
    ax.plot(candidates, mean, style, label=measure)
    ax.fill_between(candidates, mean - spread, mean + spread, color=style[:2], alpha=0.15)
ax.axvline(best, color="0.6", linewidth=1)
ax.set(
    xlabel="number of clusters",
    ylabel="score on digits left out",
    title=f"Q2 has a best number of clusters: {best}",
)
ax.legend()
plt.show()
