"""How fast many clusterings are compared with each other, beside scikit-learn in the same run.

    python benchmarks/pairwise.py

All 10,000 ordered pairs of 100 labelings of 100,000 objects, by the adjusted Rand index.
scikit-learn has a function of two labelings, so its peer is a double loop. That takes minutes, so a
random sample of its pairs is timed and the total extrapolated, and the values compared.
Then what threads add, which are used where objects are many.
"""

import os
import statistics
from unittest.mock import patch

import numpy as np
from sklearn.metrics import adjusted_rand_score
from timing import head, in_turn, median, row, timed

import clusterbits as cb
from clusterbits.scoring import pairwise_scores as pairing

LABELINGS, OBJECTS, SAMPLED = 100, 100_000, 60


def labelings(rng, many, objects):
    """Yield noisy copies of one partition, so that the values are not all zero."""
    truth = rng.integers(0, 50, objects)
    for _ in range(many):
        clusters = rng.integers(10, 51)
        kept = rng.random(objects) < 0.7
        yield np.where(kept, truth % clusters, rng.integers(0, clusters, objects))


def beside_scikit_learn(rng):
    given = list(labelings(rng, LABELINGS, OBJECTS))
    own, square = median(cb.pairwise, given), cb.pairwise(given)
    sample = rng.integers(0, LABELINGS, (SAMPLED, 2))
    runs = [timed(adjusted_rand_score, given[i], given[j]) for i, j in sample]
    other = sum(took for _, took in runs) / SAMPLED * LABELINGS**2
    values = [value for value, _ in runs]
    np.testing.assert_allclose(square.values[sample[:, 0], sample[:, 1]], values, atol=1e-12)
    head(f"{LABELINGS} labelings × {OBJECTS:,} objects, 10 to 50 clusters", "time", "ratio")
    row("`clusterbits.pairwise` (median of 5)", f"{own:.2f} s", 1)
    row(
        f"double loop over scikit-learn's `adjusted_rand_score` (extrapolated from {SAMPLED} of "
        f"{LABELINGS**2:,} ordered pairs, drawn at random)",
        f"{other:.0f} s",
        f"{other / own:.0f}",
    )


def threads(rng):
    head("`pairwise` of 20 labelings", "one thread", "all cores", "ratio")
    for objects in (300_000, 1_000_000, 3_000_000):
        given = list(labelings(rng, 20, objects))

        def run(objects_per_thread, given=given):
            with patch.object(pairing, "OBJECTS_PER_THREAD", objects_per_thread):
                return timed(cb.pairwise, given)[1]

        took = in_turn([lambda: run(1), lambda n=objects: run(n)], repeats=7)
        every, one = map(statistics.median, took)
        what = f"{objects:,} objects, {os.cpu_count()} cores"
        row(what, f"{one:.2f} s", f"{every:.2f} s", f"{one / every:.1f}")


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    cb.pairwise(list(labelings(generator, 2, OBJECTS)))  # imports are not what is measured
    beside_scikit_learn(generator)
    threads(generator)
