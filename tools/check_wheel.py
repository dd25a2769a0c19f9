"""Run after a wheel is built: its kernels are there, and agree with numpy.

python tools/check_wheel.py
"""

import numpy as np

import clusterbits as cb
from clusterbits.core import kernels


def score():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 50, 10_000), rng.integers(0, 10**6, 10_000)
    words = np.array([f"class {i}" for i in range(50)])[truth]
    return [cb.ari(truth, pred), cb.q0(words, truth), cb.vi(words.tolist(), pred.tolist())]


if __name__ == "__main__":
    cb.show_versions()
    assert kernels.native is not None, kernels.absence
    compiled = score()
    kernels.native = None
    assert score() == compiled
