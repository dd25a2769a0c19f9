"""
Find out which features separate tumours
========================================

Thirty measurements of 569 tumours come in three sets: means, standard errors and worst values.
Clusters of the worst values save most bits about the diagnosis, standard errors least by far. The
intervals say which differences are more than chance.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import clusterbits as cb

data = load_breast_cancer()
diagnoses = data.target_names[data.target]
points = scale(data.data)
sets = {
    "means": points[:, :10],
    "standard errors": points[:, 10:20],
    "worst values": points[:, 20:],
    "all thirty": points,
}
runs = {
    name: KMeans(4, n_init=1, random_state=0).fit_predict(columns) for name, columns in sets.items()
}
ranking = cb.compare(diagnoses, runs, measure="share_saved")
ranking.plot()

# %%
print(ranking)

# %%
# Three clusters are nearly pure. The doubtful tumours are in the fourth.
cb.Contingency.from_labels(diagnoses, runs["worst values"]).plot()
plt.show()
