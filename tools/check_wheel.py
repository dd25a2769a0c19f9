"""Run after a wheel is built: its kernels are there, and agree with numpy.

python tools/check_wheel.py
"""

import importlib.util

import numpy as np

import clusterbits as cb
from clusterbits.system import kernels


def compute():
    """Return results of every family of kernels: counts, codes, overlaps, and ids."""
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 50, 10_000), rng.integers(0, 10**6, 10_000)
    words = np.array([f"class {i}" for i in range(50)])[truth]
    few = pred % 40
    found = [cb.ari(truth, pred), cb.q0(words, truth), cb.vi(words.tolist(), pred.tolist())]
    for mode in ("entropy", "enumerative"):
        code = cb.codec.encode(words, few, mode)
        found += [code.hex(), list(cb.codec.decode(code, few)) == words.tolist()]
    pairs = np.stack([truth, few], axis=1)
    found += [cb.explain(words, few).to_dicts(), cb.ari(cb.Contingency.from_pairs(pairs, pairs))]
    if importlib.util.find_spec("pyarrow"):
        import pyarrow

        found.append(cb.q0(pyarrow.array(words.tolist()), few))
    return found


if __name__ == "__main__":
    cb.show_versions()
    assert kernels.native is not None, kernels.absence
    compiled = compute()
    kernels.native = None
    assert compute() == compiled
