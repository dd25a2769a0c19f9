"""How fast labels are counted, beside scikit-learn, genieclust and igraph in the same run.

    python benchmarks/counting.py

Medians of the CPU time of several runs, all threads together, as Markdown tables. Peers count the
same labels into the same table; igraph offers no table, so its cheapest comparison (VI) stands in,
with lists made beforehand. "Reading" adds up the two arrays with numpy: no count can be faster.
Memory is the peak beyond the inputs, measured in a process of its own.
"""

import statistics
import subprocess
import sys
import time
from unittest.mock import patch

import numpy as np
from timing import alone, head, median, peak, row

from clusterbits import Contingency
from clusterbits.system import kernels


def cases():
    rng = np.random.default_rng(0)

    def ints(n, classes, clusters):
        return rng.integers(0, classes, n), rng.integers(0, clusters, n)

    small = ints(10**7, 10, 12)
    yield "int64, n = 1e7, 10 × 12", small, ("reading", "scikit-learn", "genieclust")
    narrow = tuple(labels.astype(np.int32) for labels in small)
    yield "int32, n = 1e7, 10 × 12", narrow, ("reading",)
    yield "int64, n = 1e7, 1000 × 1200", ints(10**7, 1000, 1200), ("scikit-learn", "genieclust")
    yield "int64, n = 1e6, 50,000 × 60,000", ints(10**6, 50_000, 60_000), ("scikit-learn", "igraph")
    yield "list of int, n = 1e6, 20 × 25", tuple(x.tolist() for x in ints(10**6, 20, 25)), ()
    yield from string_cases(rng)


def string_cases(rng, n=10**6):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    names = np.array([f"class-{i}" for i in range(20)]), np.array([f"k{i}" for i in range(25)])
    plain = tuple(some[rng.integers(0, len(some), n)] for some in names)
    lists = tuple(column.tolist() for column in plain)
    objects = tuple(column.astype(object) for column in plain)
    yield "str (U), n = 1e6, 20 × 25", plain, ("scikit-learn",)
    yield "str (object), n = 1e6, 20 × 25", objects, ("scikit-learn",)
    for name, make in {
        "list of str": list,
        "polars": pl.Series,
        "pyarrow": pa.array,
        "pandas str": lambda some: pd.Series(some, dtype="str"),
        "pandas category": lambda some: pd.Series(some).astype("category"),
    }.items():
        rivals = ("scikit-learn",) if name == "pandas category" else ()
        yield f"{name}, n = 1e6, 20 × 25", tuple(map(make, lists)), rivals


def peers():
    import igraph
    from genieclust.compare_partitions import confusion_matrix
    from sklearn.metrics.cluster import contingency_matrix

    return {
        "reading": lambda c, k: c.sum(dtype=c.dtype) + k.sum(dtype=k.dtype),
        "scikit-learn": lambda c, k: contingency_matrix(c, k, sparse=True),
        "genieclust": confusion_matrix,
        "igraph": lambda c, k: igraph.compare_communities(c, k, method="vi"),
    }


def cpu(function, *arguments, repeats=7):
    function(*arguments)  # what is imported or cached is not what is measured
    return median(function, *arguments, repeats=repeats, clock=time.process_time)


def speed():
    known = peers()
    print("Compiled kernels:", kernels.absence or "in use")
    head("labels", "clusterbits", "beside", "its time", "ratio")
    for name, labels, rivals in cases():
        own = cpu(Contingency.from_labels, *labels)
        with patch.object(kernels, "native", None):
            others = {"numpy alone": cpu(Contingency.from_labels, *labels, repeats=3)}
        for rival in rivals:
            given = [some.tolist() for some in labels] if rival == "igraph" else labels
            others[rival] = cpu(known[rival], *given, repeats=3)
        for rival, other in others.items():
            row(name, f"{own * 1e3:.1f} ms", rival, f"{other * 1e3:.1f} ms", f"{other / own:.1f}")


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
