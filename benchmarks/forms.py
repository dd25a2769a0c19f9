"""How fast labelings of other forms than arrays are counted, beside pandas in the same run.

    python benchmarks/forms.py

Medians of the CPU time of several runs, as Markdown tables. A join on ids stands beside pandas'
own: merge, then crosstab.
"""

import time

import numpy as np
import pandas as pd
from timing import head, in_turn, median, row, timed

from clusterbits import Contingency

OBJECTS = 10**6


def labels(rng):
    return rng.integers(0, 20, OBJECTS), rng.integers(0, 25, OBJECTS)


def ids(rng):
    """Yield kinds of ids: dense and scattered integers, and strings of two lengths."""
    yield "int64, 0 to n", np.arange(OBJECTS)
    yield "int64, up to 2^60", np.unique(rng.integers(0, 2**60, OBJECTS + 100))[:OBJECTS]
    yield "strings of 8", np.array([f"{i:08x}" for i in range(OBJECTS)], dtype=object)
    yield "strings of 36", np.array([f"{i:036x}" for i in range(OBJECTS)], dtype=object)


def merge(truth, pred):
    both = truth.merge(pred, on="id", validate="one_to_one")
    return pd.crosstab(both["truth"], both["pred"])


def joins():
    rng = np.random.default_rng(0)
    head("two frames of 1e6 rows joined on", "clusterbits", "merge + crosstab", "ratio")
    for name, known in ids(rng):
        classes, clusters = labels(rng)
        order = rng.permutation(OBJECTS)
        truth = pd.DataFrame({"id": known, "truth": classes})
        pred = pd.DataFrame({"id": known[order], "pred": clusters[order]})
        runs = in_turn(
            [
                lambda t=truth, p=pred: timed(
                    Contingency.from_labels, t, p, clock=time.process_time
                )[1],
                lambda t=truth, p=pred: timed(merge, t, p, clock=time.process_time)[1],
            ]
        )
        own, other = (sorted(some)[len(some) // 2] for some in runs)
        row(name, f"{own:.2f} s", f"{other:.2f} s", f"{own / other:.2f}")


def collections():
    rng = np.random.default_rng(0)
    head("1e6 objects", "integers", "strings")
    found = {}
    for known in (list(range(OBJECTS)), [f"{i:08x}" for i in range(OBJECTS)]):
        classes, clusters = labels(rng)
        order = rng.permutation(OBJECTS).tolist()
        truth = dict(zip(known, classes.tolist(), strict=True))
        forms = {"id -> label": {known[i]: int(clusters[i]) for i in order}}
        members = {}
        for i in order:
            members.setdefault(int(clusters[i]), []).append(known[i])
        forms["cluster -> ids"] = members
        forms["25 sets"] = [set(some) for some in members.values()]
        forms["half a million sets"] = [set(known[i : i + 2]) for i in range(0, OBJECTS, 2)]
        for form, pred in forms.items():
            found.setdefault(form, []).append(
                median(Contingency.from_labels, truth, pred, clock=time.process_time)
            )
    for form, seconds in found.items():
        row(f"mapping against {form}", *(f"{some:.2f} s" for some in seconds))


if __name__ == "__main__":
    joins()
    collections()
