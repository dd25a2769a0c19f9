"""Choose the number of clusters with scikit-learn's grid search and Q2, where classes are known.

    python examples/choose_k.py

``cb.scorer("q2")`` is Q2 as a scorer. The search fits k-means on four fifths of the digits and
scores its clusters of the other fifth against their classes. More clusters are purer; Q2 also
charges for the table that says which classes a cluster holds, so it has a best number and needs no
other penalty.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import clusterbits as cb

CANDIDATES = [5, 8, 10, 12, 15, 20, 25, 30, 40, 60]


def search():
    """Return the fitted search over numbers of clusters."""
    digits = load_digits()
    return GridSearchCV(
        KMeans(n_init=2, random_state=0),
        {"n_clusters": CANDIDATES},
        # Homogeneity is only shown beside it: it keeps asking for more clusters.
        scoring={"q2": cb.scorer("q2"), "homogeneity": cb.scorer("homogeneity")},
        refit="q2",
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    ).fit(digits.data, digits.target)


def main() -> None:
    found = search()
    results = found.cv_results_
    print(" k      Q2    ±      homogeneity")
    for row in np.argsort(results["param_n_clusters"].astype(int)):
        k = results["param_n_clusters"][row]
        mark = "  <- best Q2" if row == found.best_index_ else ""
        print(
            f"{k:2d}  {results['mean_test_q2'][row]:.4f}  {results['std_test_q2'][row]:.4f}  "
            f"{results['mean_test_homogeneity'][row]:.4f}{mark}"
        )
    print(f"\nChosen: k = {found.best_params_['n_clusters']}")


if __name__ == "__main__":
    main()
