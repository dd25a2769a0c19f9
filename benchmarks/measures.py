"""How fast measures are, beside scikit-learn in the same run.

    python benchmarks/measures.py

Times are medians where a run takes less than a second, single runs otherwise.
"""

import numpy as np
from timing import alone, head, median, peak_memory, row, timed

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import catalogue
from clusterbits.table import expected_information


def labels(n, classes, clusters):
    rng = np.random.default_rng(0)
    return rng.integers(0, classes, n), rng.integers(0, clusters, n)


def uncached(truth, pred):
    expected_information._expectation.cache_clear()  # nothing may be remembered from the run before
    expected_information._node_gains.cache_clear()
    return cb.adjusted_mutual_information(truth, pred)


def adjusted_mutual_information():
    from sklearn.metrics import adjusted_mutual_info_score

    head("adjusted mutual information from labels", "clusterbits", "scikit-learn", "ratio")
    for n, classes, clusters in ((10**6, 1000, 1200), (10**6, 10, 12)):
        pair = labels(n, classes, clusters)
        own = median(uncached, *pair)
        _, other = timed(adjusted_mutual_info_score, *pair)
        shape = f"n = {n:.0e}, {classes} × {clusters}"
        row(shape, f"{own:.3f} s", f"{other:.2f} s", f"{other / own:.0f}")


def expectation():
    head("expected mutual information, 10 × 12", "time")
    sizes = np.outer(np.arange(10, 20), np.arange(20, 32))
    for n in (10**3, 10**6, 10**9, 10**12):
        table = cb.Contingency.from_counts(np.maximum(sizes * n // sizes.sum(), 1))
        expected_information._expectation.cache_clear()
        expected_information._node_gains.cache_clear()
        _, took = timed(cb.expected_mutual_information, table)
        row(f"n = {n:.0e}", f"{took * 1e3:.0f} ms")


def all_measures():
    from sklearn.metrics import adjusted_rand_score

    pair = labels(10**7, 1000, 1200)
    table = cb.Contingency.from_labels(*pair)
    cb.evaluate(cb.Contingency.from_counts([[3, 1], [1, 3]]), measures="all")  # imports

    # A copy, so that no cached property is ready.
    fresh = cb.Contingency.from_counts(table.to_dense())
    expected_information._expectation.cache_clear()
    expected_information._node_gains.cache_clear()
    scores, own = timed(lambda: cb.evaluate(fresh, measures="all"))
    _, other = timed(adjusted_rand_score, *pair)
    head("n = 1e7, 1000 × 1200", "time")
    number = len(scores.rows)
    row(f"clusterbits, all {number} measures that apply, from the table", f"{own:.2f} s")
    row("scikit-learn, ARI from labels", f"{other:.2f} s")


def link_records(wrong):
    rng = np.random.default_rng(0)
    n, entities = 10**7, 10**6
    truth = rng.integers(0, entities, n, dtype=np.int32)
    # Records of wrong clusters go to a cluster near their own: blocks, as linkage makes them.
    near = (truth + rng.integers(1, 4, n, dtype=np.int32)) % entities
    pred = np.where(rng.random(n) < wrong, near, truth)
    table, took = timed(cb.Contingency.from_labels, truth, pred)
    row("counting", f"{took:.1f} s", "")
    for measure in catalogue():
        value, took = timed(value_or_reason, measure, table)
        row(measure.name, f"{took:.1f} s", value)
    row(f"cells: {len(table.counts):,}; peak memory", f"{peak_memory() / 1024:.1f} GB", "")


def value_or_reason(measure, table):
    try:
        return f"{measure(table):.4f}"
    except MeasureError as error:
        return str(error).partition(":")[0][:60] + " …"


def record_linkage():
    head("1e6 entities × 1e6 clusters, n = 1e7, 0.1 % wrong", "time", "value")
    alone(link_records, 0.001)


if __name__ == "__main__":
    adjusted_mutual_information()
    expectation()
    all_measures()
    record_linkage()
