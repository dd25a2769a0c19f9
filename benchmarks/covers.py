"""How fast soft and overlapping clusterings are scored, beside CDlib, clusim and plain numpy.

    python benchmarks/covers.py

Seconds and ratios, as Markdown tables; values are compared where a peer has the measure. CDlib is
not among the project's dependencies: without it its column says so. By hand means the n × n
matrices of the authors' R code for the Frobenius index, in numpy.
"""

import math

import numpy as np
from scipy.sparse import csr_array
from timing import head, median, peak, row, timed

import clusterbits as cb

try:
    import networkx as nx
    from cdlib import NodeClustering, evaluation
except ImportError:
    evaluation = None
try:
    from clusim.clustering import Clustering
    from clusim.sim import omega_index
except ImportError:
    omega_index = None


def noisy_covers(rng, n, clusters, each=3, noise=0.3):
    """Return two matrices of clusters, so many for each object: one, and a noisy copy."""
    first = rng.integers(0, clusters, (n, each))
    moved = rng.random((n, each)) < noise
    return first, np.where(moved, rng.integers(0, clusters, (n, each)), first)


def memberships(columns, clusters):
    n, each = columns.shape
    starts = np.arange(0, n * each + 1, each)
    # scipy adds up duplicates in place: columns are copied.
    matrix = csr_array((np.ones(n * each), columns.flatten(), starts), shape=(n, clusters))
    return cb.covers.Memberships(matrix > 0, normalize=True)


def communities(columns):
    found = {}
    for i, own in enumerate(columns.tolist()):
        for k in own:
            found.setdefault(k, set()).add(i)
    return [sorted(some) for some in found.values()]


def of_cdlib(name, sides, n):
    """Return a call of CDlib's measure, or None where CDlib is not installed."""
    if evaluation is None:
        return None
    graph = nx.empty_graph(n)
    made = [NodeClustering(communities(side), graph, "given", overlap=True) for side in sides]
    return lambda: getattr(evaluation, name)(*made).score


def of_clusim(sides):
    if omega_index is None:
        return None
    made = [Clustering(clu2elm_dict=dict(enumerate(communities(side)))) for side in sides]
    return lambda: omega_index(*made)


def beside_peers(rng, n=2_000, clusters=40):
    sides = noisy_covers(rng, n, clusters)
    a, b = (memberships(side, clusters) for side in sides)
    nmi = "overlapping_normalized_mutual_information_"
    head(f"{n:,} objects, {clusters} clusters", "peer", "clusterbits", "peer", "ratio", left=2)
    for name, own, peer, other in (
        ("omega", lambda: cb.covers.omega(a, b), "CDlib", of_cdlib("omega", sides, n)),
        ("omega", lambda: cb.covers.omega(a, b), "clusim", of_clusim(sides)),
        ("overlapping_nmi", lambda: cb.covers.overlapping_nmi(a, b), "CDlib",
         of_cdlib(f"{nmi}MGH", sides, n)),
        ("overlapping_nmi, lfk", lambda: cb.covers.overlapping_nmi(a, b, form="lfk"), "CDlib",
         of_cdlib(f"{nmi}LFK", sides, n)),
        ("frobenius_adjusted_rand", lambda: cb.covers.frobenius_adjusted_rand(a, b), "by hand",
         lambda: frobenius_by_hand(a.to_dense(), b.to_dense())),
    ):  # fmt: skip
        took = median(own)
        if other is None:
            row(name, peer, f"{took:.3f} s", "not installed", "")
            continue
        value, long = timed(other)
        assert math.isclose(value, own(), abs_tol=1e-9), (name, value, own())
        row(name, peer, f"{took:.3f} s", f"{long:.2f} s", f"{long / took:.0f}")


def frobenius_by_hand(a, b):
    n, one, two = len(a), a @ a.T, b @ b.T
    one, two = one * one.sum() / (one**2).sum(), two * two.sum() / (two**2).sum()
    mean = one.sum() * two.sum() / n**2
    mean += (np.trace(one) - one.sum() / n) * (np.trace(two) - two.sum() / n) / (n - 1)
    room = (one**2).sum() + (two**2).sum() - 2 * mean
    return 2 * ((one * two).sum() - mean) / room


def code_lengths(rng):
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA
    from sklearn.mixture import GaussianMixture

    data, digits = load_digits(return_X_y=True)
    data = PCA(15, random_state=0).fit_transform(data)
    mixture = GaussianMixture(15, covariance_type="diag", random_state=0).fit(data)
    posteriors = mixture.predict_proba(data)
    flat = np.maximum(posteriors, 1e-300) ** 0.1
    first, _ = noisy_covers(rng, 20_000, 200)
    classes = np.where(rng.random(20_000) < 0.7, first[:, 0] % 10, rng.integers(0, 10, 20_000))
    head("soft_code", "seconds", "gap")
    for name, truth, degrees in (
        ("digits, 15 posteriors each", digits, cb.covers.Memberships(posteriors)),
        ("the same, temperature 10", digits, cb.covers.Memberships(flat, normalize=True)),
        ("20,000 objects in 3 of 200 clusters", classes, memberships(first, 200)),
    ):
        code, took = timed(cb.covers.soft_code, truth, degrees)
        row(name, f"{took:.3f} s", f"{code.gap:.1e}")


def a_million(rng, n=10**6):
    for clusters in (100, 100_000):
        sides = noisy_covers(rng, n, clusters)
        classes = np.where(rng.random(n) < 0.7, sides[0][:, 0] % 20, rng.integers(0, 20, n))
        made, took = timed(lambda s=sides, k=clusters: [memberships(side, k) for side in s])
        head(f"{n:.0e} objects in 3 of {clusters:,} clusters", "seconds", "memory", "value")
        row("two Memberships", f"{took:.1f} s", "", "")
        scores = [cb.covers.omega, cb.covers.bcubed_extended, cb.covers.overlapping_nmi,
                  cb.covers.frobenius_adjusted_rand]  # fmt: skip
        if clusters > 100:  # of 100, each has 30,000 objects: pairs take hours
            scores.append(cb.covers.fuzzy_rand)
        for score in scores:
            value, took, memory = peak(score, *made)
            row(score.__name__, f"{took:.1f} s", f"{memory:.0f} MB", f"{value:.4f}")
        code, took, memory = peak(cb.covers.soft_code, classes, made[0])
        what = f"{code.bits:.4f}, gap {code.gap:.0e}"
        row("soft_code, 20 classes", f"{took:.1f} s", f"{memory:.0f} MB", what)


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    beside_peers(generator)
    code_lengths(generator)
    a_million(generator)
