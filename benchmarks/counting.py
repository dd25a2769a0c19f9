"""How fast labels are counted, beside scikit-learn, genieclust and igraph in the same run.

    python benchmarks/counting.py

Medians of several runs, as Markdown tables. Peers count the same labels into the same table;
igraph offers no table, so its cheapest comparison (VI) stands in, with lists made beforehand.
Memory is the peak beyond the inputs, measured in a process of its own.
"""

import statistics
import subprocess
import sys

import numpy as np
from timing import alone, head, median, peak, row

from clusterbits import Contingency


def cases():
    rng = np.random.default_rng(0)

    def ints(n, classes, clusters):
        return rng.integers(0, classes, n), rng.integers(0, clusters, n)

    def strings(n):
        classes = np.array([f"class-{i}" for i in range(20)])
        clusters = np.array([f"k{i}" for i in range(25)])
        return classes[rng.integers(0, 20, n)], clusters[rng.integers(0, 25, n)]

    yield "int64, n = 1e7, 10 × 12", ints(10**7, 10, 12), ("scikit-learn", "genieclust")
    yield "int64, n = 1e7, 1000 × 1200", ints(10**7, 1000, 1200), ("scikit-learn", "genieclust")
    yield "int64, n = 1e6, 50,000 × 60,000", ints(10**6, 50_000, 60_000), ("scikit-learn", "igraph")
    plain = strings(10**6)
    yield "str (U), n = 1e6, 20 × 25", plain, ("scikit-learn",)
    objects = tuple(column.astype(object) for column in plain)
    yield "str (object), n = 1e6, 20 × 25", objects, ("scikit-learn",)
    import pandas as pd

    categories = tuple(pd.Series(column).astype("category") for column in objects)
    yield "pandas category, n = 1e6, 20 × 25", categories, ("scikit-learn",)


def peers():
    import igraph
    from genieclust.compare_partitions import confusion_matrix
    from sklearn.metrics.cluster import contingency_matrix

    return {
        "scikit-learn": lambda c, k: contingency_matrix(c, k, sparse=True),
        "genieclust": confusion_matrix,
        "igraph": lambda c, k: igraph.compare_communities(c, k, method="vi"),
    }


def speed():
    known = peers()
    head("labels", "peer", "clusterbits", "peer's time", "ratio", left=2)
    for name, (c, k), rivals in cases():
        own = median(Contingency.from_labels, c, k)
        for rival in rivals:
            arguments = (c.tolist(), k.tolist()) if rival == "igraph" else (c, k)
            other = median(known[rival], *arguments, repeats=3)
            took = f"{own * 1e3:.1f} ms", f"{other * 1e3:.0f} ms"
            row(name, rival, *took, f"{other / own:.1f}")


def memory_of(classes, clusters):
    c = np.random.default_rng(0).integers(0, classes, 10**8, dtype=np.int32)
    k = np.random.default_rng(1).integers(0, clusters, 10**8, dtype=np.int32)
    return peak(Contingency.from_labels, c, k)[2]


def memory():
    head("labels", "peak memory beyond the inputs")
    for classes, clusters in ((10, 12), (1000, 1200)):
        row(
            f"int32, n = 1e8, {classes} × {clusters}",
            f"{alone(memory_of, classes, clusters):.0f} MB",
        )


def start_up():
    code = "import time, numpy; s = time.perf_counter(); {}; print(time.perf_counter() - s)"
    run = [sys.executable, "-c", code.format("import clusterbits")]
    added = statistics.median(
        float(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
        for _ in range(7)
    )
    command = [sys.executable, "-m", "clusterbits", "--help"]
    help_page = median(lambda: subprocess.run(command, capture_output=True, check=True))
    print(f"\n`import clusterbits` adds {added:.3f} s to `import numpy`.")
    print(f"`clusterbits --help` takes {help_page:.2f} s.")


if __name__ == "__main__":
    speed()
    memory()
    start_up()
