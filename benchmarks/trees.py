"""All cuts of a tree by ten measures, beside a loop of scipy's cuts and scikit-learn's scores.

    python benchmarks/trees.py

The loop is timed at some cuts, evenly spread from 2 to n clusters, and extrapolated to all. It
computes eight scores at each, those of the ten that scikit-learn has. Then every threshold of
scored pairs, beside scipy's connected components and scikit-learn's pair confusion matrix at one
threshold. Processor time, which does not count what else the machine does.
"""

import time

import numpy as np
from scipy.cluster.hierarchy import fcluster
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn import metrics
from timing import head, median, peak, row, timed

import clusterbits as cb

TEN = "q0,bits_saved,rand,ari,fm,mutual_information,nmi,homogeneity,completeness,v_measure"
SCORES = (
    metrics.rand_score,
    metrics.adjusted_rand_score,
    metrics.fowlkes_mallows_score,
    metrics.mutual_info_score,
    metrics.normalized_mutual_info_score,
    metrics.homogeneity_completeness_v_measure,  # three in one
)
SAMPLED = 8


def random_linkage(rng, n):
    """Return the linkage matrix of a random tree: any two clusters are merged next."""
    waiting, merges, draws = list(range(n)), [], rng.random(2 * n).tolist()
    sizes = [1] * (2 * n - 1)
    for i in range(n - 1):
        pair = []
        for draw in draws[2 * i : 2 * i + 2]:
            place = int(draw * len(waiting))
            waiting[place], waiting[-1] = waiting[-1], waiting[place]
            pair.append(waiting.pop())
        waiting.append(n + i)
        sizes[n + i] = sizes[pair[0]] + sizes[pair[1]]
        merges.append([*pair, i + 1.0, sizes[n + i]])
    return np.array(merges)


def chain(n):
    """Return the linkage matrix of a tree as deep as it has leaves."""
    first = np.r_[0, np.arange(n, 2 * n - 2)]
    return np.stack([first, np.arange(1, n), np.arange(n - 1), np.arange(2, n + 1)], axis=1)


def draw_classes(rng, tree, classes=20):
    """Return a class for each leaf: a cluster of the tree, for one in five another."""
    truth = tree.labels(classes)
    return np.where(rng.random(tree.n) < 0.2, rng.integers(0, classes, tree.n), truth)


def all_cuts(linkage, truth):
    return cb.trees.cuts(truth, cb.trees.Tree.from_linkage(linkage), TEN)


def one_cut(linkage, truth, k):
    labels = fcluster(linkage, k, "maxclust")
    for score in SCORES:
        score(truth, labels)


def against_a_loop(n=100_000):
    rng = np.random.default_rng(0)
    linkage = random_linkage(rng, n)
    truth = draw_classes(rng, cb.trees.Tree.from_linkage(linkage))
    own = median(all_cuts, linkage, truth, repeats=3, clock=time.process_time)
    cuts = np.linspace(2, n, SAMPLED).astype(int).tolist()
    each = [timed(one_cut, linkage, truth, k, clock=time.process_time)[1] for k in cuts]
    loop = n * float(np.mean(each))
    head(f"all {n:,} cuts", "processor time", "ratio")
    row("clusterbits, ten measures", f"{own:.2f} s", 1)
    took = f"{np.mean(each) * 1e3:,.0f} ms a cut, {loop / 3600:,.1f} hours in all"
    row(f"fcluster + scikit-learn, eight ({SAMPLED} cuts timed)", took, f"{loop / own:,.0f}")


def a_million_leaves(n=1_000_000):
    head("1,000,000 leaves, ten measures", "time", "processor time", "peak memory")
    rng = np.random.default_rng(1)
    for name, linkage in (("random", random_linkage(rng, n)), ("a chain", chain(n))):
        truth = draw_classes(rng, cb.trees.Tree.from_linkage(linkage))
        start = time.process_time()
        _, seconds, memory = peak(all_cuts, linkage, truth)
        row(name, f"{seconds:.1f} s", f"{time.process_time() - start:.1f} s", f"{memory:,.0f} MB")
        tree = cb.trees.Tree.from_linkage(linkage)
        for what in (cb.trees.best_cut, cb.trees.dendrogram_purity):
            start = time.process_time()
            _, seconds, memory = peak(what, truth, tree)
            busy = time.process_time() - start
            row(
                f"{name}: {what.__name__}", f"{seconds:.1f} s", f"{busy:.1f} s", f"{memory:,.0f} MB"
            )


def scored_pairs(rng, n_pairs, n):
    """Return pairs of n records, their match probabilities, and the entities, of 5 records each.

    One pair in three is of an entity; similarities of others are lower, but overlap.
    """
    truth = np.arange(n) // 5
    first = rng.integers(0, n, n_pairs)
    near = 5 * truth[first] + rng.integers(0, 5, n_pairs)
    second = np.where(rng.random(n_pairs) < 1 / 3, near, rng.integers(0, n, n_pairs))
    same = truth[first] == truth[second]
    similarity = np.where(same, rng.beta(8, 2, n_pairs), rng.beta(1, 20, n_pairs))
    return np.stack([first, second], axis=1), similarity, truth


def one_threshold(pairs, similarity, n, threshold, truth):
    kept = pairs[similarity >= threshold]
    graph = coo_array((np.ones(len(kept), dtype=np.int8), (kept[:, 0], kept[:, 1])), shape=(n, n))
    return metrics.pair_confusion_matrix(truth, connected_components(graph, directed=False)[1])


def every_threshold():
    head(
        "scored pairs of records",
        "`Tree.from_edges`",
        "peak memory",
        "thresholds",
        "bits and pair F1 at all",
        "scipy and scikit-learn, at one",
    )
    for n_pairs in (10**5, 10**6, 10**7):
        n = n_pairs // 10
        pairs, similarity, truth = scored_pairs(np.random.default_rng(0), n_pairs, n)
        clock = time.process_time
        tree, took, memory = peak(cb.trees.Tree.from_edges, pairs, similarity, n, clock=clock)
        cuts, scored = timed(cb.trees.cuts, truth, tree, ["q0", "pair_f1"], clock=clock)
        best = cuts.best_threshold("pair_f1")
        table, by_hand = timed(one_threshold, pairs, similarity, n, best, truth, clock=clock)
        both, false_merges, false_splits = table[1, 1], table[0, 1], table[1, 0]
        f1 = cuts.values["pair_f1"][cuts.thresholds == best]
        assert np.allclose(f1, 2 * both / (2 * both + false_merges + false_splits))
        thresholds = f"{len(cuts.thresholds):,}"
        seconds = (f"{x:.2f} s" for x in (scored, by_hand))
        row(f"{n_pairs:,} of {n:,}", f"{took:.2f} s", f"{memory:,.0f} MB", thresholds, *seconds)


if __name__ == "__main__":
    against_a_loop()
    a_million_leaves()
    every_threshold()
