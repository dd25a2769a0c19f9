"""
Choose a mixture model with and without the classes
===================================================

Three cultivars of wine, thirteen chemical measurements. The BIC of a Gaussian mixture, which does
not see the cultivars, and the bits, which do, agree on four components: one for each cultivar, and
one for a few odd wines. Only the BIC warns of a full covariance matrix for each component.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import scale

import clusterbits as cb

wine = load_wine()
points, cultivars = scale(wine.data), wine.target_names[wine.target]

bic, runs = {}, {}
for kind in ("diag", "tied", "full"):
    for k in range(1, 8):
        model = GaussianMixture(k, covariance_type=kind, random_state=0).fit(points)
        bic[f"{kind} {k}"] = model.bic(points) / len(points)
        runs[f"{kind} {k}"] = model.predict(points)
bits = cb.evaluate(cultivars, runs, ["q0"])["q0"]

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
titles = "BIC, without the cultivars", "bits, with the cultivars"
for ax, values, title in zip(axes, (bic, bits), titles, strict=True):
    for kind, style in ("diag", "o-"), ("tied", "s--"), ("full", "^:"):
        ax.plot(range(1, 8), [values[f"{kind} {k}"] for k in range(1, 8)], style, label=kind)
    ax.set(xlabel="components", ylabel="per wine; lower is better", title=title)
axes[0].legend(title="covariance")
plt.show()

# %%
# The best model, against the cultivars:
best = min(bits, key=bits.get)
print(f"{best}: {cb.share_saved(cultivars, runs[best]):.2f} of the bits saved")
cb.Contingency.from_labels(cultivars, runs[best]).plot()
plt.show()
