"""Clusterings of the same objects, to compare."""

import numpy as np


def noisy_runs(n=400, seed=0):
    """Return classes, and clusterings that err ever more often."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    wrong = rng.random(n)
    other = rng.integers(0, 4, n)
    return truth, {
        name: np.where(wrong < share, other, truth)
        for name, share in {"good": 0.1, "as good": 0.11, "fair": 0.3, "bad": 0.8}.items()
    }
