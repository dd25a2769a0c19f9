"""How fast labels are encoded and decoded, how long the codes are, and what memory they take.

    python benchmarks/codec.py [--short]

Markdown tables, in labels per second of processor time. Lengths stand beside those of gzip, xz and
zstd, given the same labels sorted by cluster, a byte each.
"""

import gzip
import lzma
import sys
import time

import numpy as np
from timing import alone, head, peak, row

import clusterbits as cb
from clusterbits.cli.demo import load_digits
from clusterbits.codec.lengths import length_of
from clusterbits.system import kernels

KINDS = ("entropy", "enumerative")


def clustering(n, classes, clusters, noise=0.2):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n, dtype=np.int32)
    pred = truth * clusters // classes + rng.integers(0, max(clusters // classes, 1), n)
    stray = rng.random(n) < noise
    pred[stray] = rng.integers(0, clusters, stray.sum())
    return truth, pred.astype(np.int32)


def length(truth, pred, kind):
    return length_of(cb.codec.encode(truth, pred, kind), cb.Contingency.from_labels(truth, pred))


def fastest(function, *arguments):
    """Return the result of a call, and the least processor time of five."""
    least = float("inf")
    for _ in range(5):
        begin = time.process_time()
        result = function(*arguments)
        least = min(least, time.process_time() - begin)
    return result, least


def speed(n, cases):
    rates = "encode, labels/s", "decode, labels/s"
    head("n, classes × clusters, noise", "labels", *rates, "payload over the measure", left=2)
    for classes, clusters, noise in cases:
        truth, pred = (side.astype(np.int64) for side in clustering(n, classes, clusters, noise))
        for kind in KINDS:
            code, one = fastest(cb.codec.encode, truth, pred, kind)
            found, two = fastest(cb.codec.decode, code, pred)
            assert np.array_equal(found, truth)
            over = length(truth, pred, kind).coder
            name = f"{n:.0e}, {classes} × {clusters:,}, {noise:g}"
            row(name, kind, f"{n / one:.1e}", f"{n / two:.1e}", f"{over:+.0f} bits")


def compare_lengths(most):
    import zstandard

    compressors = {
        "gzip": lambda data: gzip.compress(data, 9),
        "xz": lambda data: lzma.compress(data, preset=9),
        "zstd": zstandard.ZstdCompressor(level=19).compress,
    }
    head("labels", "n q0", "payload", "enumerative", *compressors)
    digits = load_digits()
    truth = np.array(digits.pop("digit"))
    cases = [(f"digits, {name}", truth, np.array(pred)) for name, pred in digits.items()]
    for n, classes, clusters, noise in (
        (10**3, 5, 7, 0.2),
        (10**4, 10, 12, 0.1),
        (10**5, 10, 12, 0.1),
        (10**6, 10, 12, 0.1),
        (10**6, 10, 12, 0.01),
        (10**6, 200, 1000, 0.2),
        (10**7, 10, 12, 0.1),
    ):
        if n <= most:
            name = f"{n:.0e}, {classes} × {clusters:,}, {noise:g} noise"
            cases.append((name, *clustering(n, classes, clusters, noise)))
    for name, truth, pred in cases:
        lengths = [length(truth, pred, kind) for kind in KINDS]
        codes = [(found.file - found.header) / 8 for found in lengths]
        sent = truth[np.argsort(pred, kind="stable")].astype(np.uint8).tobytes()
        # Level 19 takes a minute for ten million labels; the last row is left to the others.
        others = [len(c(sent)) if len(sent) <= 10**6 else None for c in compressors.values()]
        row = [lengths[0].predicted / 8, *codes, *others]
        print(f"| {name} | " + " | ".join("–" if x is None else f"{x:,.0f}" for x in row) + " |")
    print("\nbytes; payloads are codes without their headers (22 bytes and the class names)")


def measure_memory(mode):
    k = np.random.default_rng(0).integers(0, 12, 10**8, dtype=np.int32)
    c = k % 10
    c[::10] = 3
    code, took, memory = peak(cb.codec.encode, c, k, mode)
    row(f"{mode}, encode", f"{memory:.0f} MB", f"{took:.0f} s")
    found, took, memory = peak(cb.codec.decode, code, k)
    parts = (slice(i, i + 10**7) for i in range(0, 10**8, 10**7))
    assert all(np.array_equal(found[part], c[part]) for part in parts)
    row(f"{mode}, decode", f"{memory - found.nbytes / 2**20:.0f} MB", f"{took:.0f} s")


def memory():
    head("int32, n = 1e8, 10 × 12", "peak memory beyond inputs and result", "time")
    for mode in KINDS:
        alone(measure_memory, mode)


if __name__ == "__main__":
    short = "--short" in sys.argv
    native = kernels.native
    cases = [(10, 12, 0.2), (10, 12, 0.001), (2, 12, 0.2), (100, 120, 0.2), (1000, 1200, 0.2)]
    cases += [(10, 1000, 0.2), (10, 100_000, 0.2), (1000, 100_000, 0.2), (10, 1_000_000, 0.2)]
    speed(10**6 if short else 10**7, cases)
    kernels.native = None
    print("\nwithout the compiled kernel")
    speed(10**5, cases[:2])
    kernels.native = native
    compare_lengths(10**5 if short else 10**7)
    if not short:
        memory()
