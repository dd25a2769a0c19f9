"""How fast measures are, beside scikit-learn in the same run.

    python benchmarks/measures.py

Times are medians where a run takes less than a second, single runs otherwise.
"""

import subprocess
import sys
import time

import numpy as np
from counting import median

import clusterbits as cb
from clusterbits.measures import chance


def timed(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def labels(n, classes, clusters):
    rng = np.random.default_rng(0)
    return rng.integers(0, classes, n), rng.integers(0, clusters, n)


def uncached(truth, pred):
    chance._expectation.cache_clear()  # nothing may be remembered from the run before
    return cb.adjusted_mutual_information(truth, pred)


def adjusted_mutual_information():
    from sklearn.metrics import adjusted_mutual_info_score

    print("| adjusted mutual information from labels | clusterbits | scikit-learn | ratio |")
    print("|---|---:|---:|---:|")
    for n, classes, clusters in ((10**6, 1000, 1200), (10**6, 10, 12)):
        pair = labels(n, classes, clusters)
        own = median(uncached, *pair)
        other = timed(adjusted_mutual_info_score, *pair)
        shape = f"n = {n:.0e}, {classes} × {clusters}"
        print(f"| {shape} | {own:.3f} s | {other:.2f} s | {other / own:.0f} |", flush=True)


def all_measures():
    from sklearn.metrics import adjusted_rand_score

    pair = labels(10**7, 1000, 1200)
    table = cb.Contingency.from_labels(*pair)
    cb.evaluate(cb.Contingency.from_counts([[3, 1], [1, 3]]), measures="all")  # imports

    def everything():
        # A copy, so that no cached property is ready.
        fresh = cb.Contingency.from_counts(table.to_dense())
        chance._expectation.cache_clear()
        start = time.perf_counter()
        scores = cb.evaluate(fresh, measures="all")
        return len(scores.rows), time.perf_counter() - start

    number, own = everything()
    other = timed(adjusted_rand_score, *pair)
    print("\n| n = 1e7, 1000 × 1200 | time |\n|---|---:|")
    print(f"| clusterbits, all {number} measures that apply, from the table | {own:.2f} s |")
    print(f"| scikit-learn, ARI from labels | {other:.2f} s |")


LINKAGE = """
import time, numpy as np, clusterbits as cb
rng = np.random.default_rng(0)
n, entities = 10**7, 10**6
truth = rng.integers(0, entities, n, dtype=np.int32)
# Records of wrong clusters go to a cluster near their own: blocks, as linkage makes them.
near = (truth + rng.integers(1, 4, n, dtype=np.int32)) % entities
pred = np.where(rng.random(n) < {wrong}, near, truth)
def status(key):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key))
start = time.perf_counter()
table = cb.Contingency.from_labels(truth, pred)
print(f"| counting | {{time.perf_counter() - start:.1f}} s | |")
for measure in [find(row["name"]) for row in cb.list_measures()]:
    start = time.perf_counter()
    try:
        value = f"{{measure(table):.4f}}"
    except cb.errors.MeasureError as error:
        value = str(error).partition(":")[0][:60] + " …"
    print(f"| {{measure.name}} | {{time.perf_counter() - start:.1f}} s | {{value}} |", flush=True)
print(f"| cells: {{len(table.counts):,}}; peak memory | {{status('VmHWM') / 2**20:.1f}} GB | |")
"""


def record_linkage():
    print("\n| 1e6 entities × 1e6 clusters, n = 1e7, 0.1 % wrong | time | value |")
    print("|---|---:|---:|", flush=True)
    subprocess.run([sys.executable, "-c", LINKAGE.format(wrong=0.001)], check=True)


if __name__ == "__main__":
    adjusted_mutual_information()
    all_measures()
    record_linkage()
