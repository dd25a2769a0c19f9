"""The clusterings of one data set: methods, numbers of clusters, and degraded versions."""

import warnings
from collections.abc import Iterator

import numpy as np
from scipy.cluster.hierarchy import cut_tree, linkage
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import spectral_embedding
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

NEIGHBOURS = 5
Named = Iterator[tuple[str, np.ndarray]]


def cluster_counts(n: int, classes: int) -> list[int]:
    """Return the numbers of clusters that are tried, in order."""
    most = min(n // 5, 8 * classes)
    return sorted({*np.geomspace(2, most, 9).round().astype(int).tolist(), classes})


def representations(features: np.ndarray) -> dict[str, np.ndarray]:
    """Return all features (50 components at most) and, where smaller, those of 80 % variance."""
    most = min(50, *features.shape)
    pca = PCA(most, svd_solver="full").fit(features)
    components = pca.transform(features)
    full = features if features.shape[1] <= 50 else components
    enough = int(np.searchsorted(np.cumsum(pca.explained_variance_ratio_), 0.8)) + 1
    kept = min(max(enough, 2), 20)
    return {"all": full, "pca": components[:, :kept]} if kept < full.shape[1] else {"all": full}


def centres(points: np.ndarray, counts: list[int]) -> Named:
    for k in counts:
        for seed in (0, 1):
            yield f"kmeans-{seed}-{k}", KMeans(k, n_init=1, random_state=seed).fit_predict(points)


def mixtures(points: np.ndarray, counts: list[int]) -> Named:
    for k in counts:
        mixture = GaussianMixture(
            k, covariance_type="diag", reg_covar=1e-3, max_iter=50, random_state=0
        )
        yield f"mixture-{k}", mixture.fit_predict(points)


def trees(points: np.ndarray, counts: list[int]) -> Named:
    for method in ("ward", "average", "complete"):
        cuts = cut_tree(linkage(points, method), counts)
        for k, labels in zip(counts, cuts.T, strict=True):
            yield f"{method}-{k}", labels


def spectral(points: np.ndarray, counts: list[int]) -> Named:
    graph = kneighbors_graph(points, 10, include_self=True)
    embedding = spectral_embedding(
        0.5 * (graph + graph.T), n_components=max(counts), random_state=0, drop_first=False
    )
    for k in counts:
        near = KMeans(k, n_init=1, random_state=0)
        yield f"spectral-{k}", near.fit_predict(embedding[:, :k])


def densities(points: np.ndarray) -> Named:
    """Yield DBSCAN and HDBSCAN; their noise, -1, is one cluster of its own."""
    distances = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(points).kneighbors()[0][:, -1]
    for share in (50, 70, 80, 90):
        radius = max(np.percentile(distances, share), 1e-9)
        yield f"dbscan-{share}", DBSCAN(eps=radius, min_samples=NEIGHBOURS).fit_predict(points)
    for smallest in (5, 10, 20, 40):
        hdbscan = HDBSCAN(min_cluster_size=smallest, min_samples=NEIGHBOURS, copy=True)
        yield f"hdbscan-{smallest}", hdbscan.fit_predict(points)


def degraded(points: np.ndarray, classes: int) -> Named:
    """Yield clusterings made worse at random: objects moved, clusters split or merged."""
    rng = np.random.default_rng(0)
    n = len(points)
    good = {
        "kmeans": KMeans(classes, n_init=1, random_state=0).fit_predict(points),
        "ward": cut_tree(linkage(points, "ward"), classes)[:, 0],
    }
    for name, labels in good.items():
        for share in (10, 30, 50):
            moved = rng.random(n) < share / 100
            yield f"{name}-moved-{share}", np.where(moved, rng.integers(0, classes, n), labels)
        for parts in (2, 4):
            yield f"{name}-split-{parts}", labels * parts + rng.integers(0, parts, n)
    fine = KMeans(min(4 * classes, n // 2), n_init=1, random_state=0).fit_predict(points)
    for k in (classes, 2 * classes):
        # Every one of the k is used.
        target = rng.permutation(np.arange(fine.max() + 1) % k)
        yield f"kmeans-merged-{k}", target[fine]


def all_clusterings(features: np.ndarray, classes: int) -> Named:
    counts = cluster_counts(len(features), classes)
    forms = representations(features)
    for form, points in forms.items():
        for family in (
            centres(points, counts),
            trees(points, counts),
            mixtures(points, counts),
            densities(points),
        ):
            for name, labels in family:
                yield f"{form}/{name}", labels
    for name, labels in (*spectral(forms["all"], counts), *degraded(forms["all"], classes)):
        yield f"all/{name}", labels


def distinct_clusterings(features: np.ndarray, classes: int) -> dict[str, np.ndarray]:
    """Return the clusterings of a set, the same partition once, without trivial ones."""
    found: dict[bytes, tuple[str, np.ndarray]] = {}
    with warnings.catch_warnings():
        # Few distinct points, graphs in parts, mixtures that have not converged.
        warnings.simplefilter("ignore")
        for name, labels in all_clusterings(features, classes):
            first, codes = np.unique(labels, return_index=True, return_inverse=True)[1:]
            # Clusters numbered in the order of their first objects.
            codes = np.argsort(np.argsort(first))[codes]
            if 2 <= len(first) <= len(labels) / 2:
                found.setdefault(codes.tobytes(), (name, codes))
    return dict(found.values())
