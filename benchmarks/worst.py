"""How fast the worst clustering is found, beside a linear program in the same run.

    python benchmarks/worst.py

The program is the tests' oracle: it starts from the right columns and proves its result. Medians of
several runs, as Markdown tables; processor time beside them, which does not count what else the
machine does.
"""

import sys
import time
from pathlib import Path

import numpy as np
from timing import median

import clusterbits as cb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.worst_program import worst_by_linear_program

MILLION = 10**6


def million_classes():
    rank = np.arange(1, MILLION + 1)
    cases = {
        "random up to 1e9": np.random.default_rng(0).integers(1, 10**9, MILLION),
        "Zipf, the largest 1e15": 10**15 // rank,
        "equal": np.full(MILLION, 10**9),
    }
    print("| 1,000,000 classes | time | processor time | bits | (upper - bits)/bits |")
    print("|---|---:|---:|---:|---:|")
    for name, sizes in cases.items():
        took = median(cb.worst_clustering, sizes)
        busy = median(cb.worst_clustering, sizes, clock=time.process_time)
        worst = cb.worst_clustering(sizes)
        gap = (worst.upper - worst.bits) / worst.bits
        print(
            f"| {name} | {took:.2f} s | {busy:.2f} s | {worst.bits:.6f} | {gap:.0e} |", flush=True
        )


def against_the_program():
    print("\n| Zipf classes, the largest 1e6 | clusterbits | linear program | ratio | difference |")
    print("|---|---:|---:|---:|---:|")
    worst_by_linear_program([3, 2])  # scipy's import is not what is measured
    for classes in (200, 1000):
        sizes = [10**6 // rank for rank in range(1, classes + 1)]
        own = median(cb.worst_clustering, sizes, repeats=25)
        program = median(worst_by_linear_program, sizes, repeats=3)
        apart = abs(cb.worst_clustering(sizes).bits - worst_by_linear_program(sizes)[0])
        print(
            f"| {classes:,} | {own * 1e3:.2f} ms | {program * 1e3:.0f} ms "
            f"| {program / own:.0f} | {apart:.0e} |",
            flush=True,
        )


if __name__ == "__main__":
    million_classes()
    against_the_program()
