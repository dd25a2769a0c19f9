"""Labels on a GPU, counted where they are: torch, CuPy and JAX, where installed.

    PYTHONPATH=src python benchmarks/gpu.py [--objects 1000000000] [--only torch,cupy]

For each table: milliseconds of counting on the GPU, and of the whole `Contingency.from_labels`,
whose cells come to the host; beside what it takes to read the labels once (the floor), and the
library's own bincount, whose table stays on the GPU. Then `cb.ari`, torchmetrics and cuML.
Counts of the first 1e7 objects are checked against numpy's.
"""

import argparse
import importlib
import os
import sys
import time
from datetime import date
from importlib.metadata import PackageNotFoundError, version

import numpy as np

import clusterbits as cb
from clusterbits.reading import cuda
from clusterbits.reading.on_device import is_on_device

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX shares the GPU here
CHECKED = 10**7
CHUNK = 1 << 26  # objects whose keys torch.bincount is given at once
TABLES = [  # classes, clusters, share of all objects, how labels are drawn
    (10, 12, 1, "uniform"),
    (10, 12, 1, "sorted"),
    (200, 250, 1, "uniform"),
    (1000, 1200, 1, "uniform"),
    (1000, 1200, 1, "skewed"),
    (1000, 1200, 1, "half noise"),
    (10, 12, 0.1, "uniform"),
    (1000, 1200, 0.1, "uniform"),
    (50_000, 60_000, 0.01, "uniform"),
]


def count_by_bincount(xp, c, k, height, width):
    table = 0
    for begin in range(0, len(c), CHUNK):
        keys = c[begin : begin + CHUNK] * width + k[begin : begin + CHUNK]
        table = table + xp.bincount(keys, minlength=height * width)
    return table


class Torch:
    def __init__(self):
        self.xp = importlib.import_module("torch")
        if not self.xp.cuda.is_available():
            raise ImportError("torch sees no GPU")
        self.wait = self.xp.cuda.synchronize

    def draw(self, n, size, how, seed, dtype="int32"):
        torch = self.xp
        found = torch.empty(n, dtype=getattr(torch, dtype), device="cuda")
        generator = torch.Generator("cuda").manual_seed(seed)
        for begin in range(0, n, CHUNK):
            some = found[begin : begin + CHUNK]
            if how == "uniform":
                some.random_(0, size, generator=generator)
            elif how == "sorted":
                some.copy_(torch.arange(begin, begin + len(some), device="cuda") * size // n)
            elif how == "half noise":  # half of the objects in one cell
                some.random_(0, size, generator=generator)
                some[::2] = 0
            else:  # label i about 1 / i times as often as the first
                share = torch.rand(len(some), device="cuda", generator=generator)
                some.copy_(((size + 1) ** share - 1).clamp_(0, size - 1))
        return found

    def convert(self, labels):
        return labels

    def floor(self, c, k):
        return self.xp.stack([c.max(), k.max()])

    def bincount(self, *given):
        return count_by_bincount(self.xp, *given)


class Cupy:
    def __init__(self):
        self.xp = importlib.import_module("cupy")
        self.xp.zeros(1)
        self.wait = self.xp.cuda.Device().synchronize

    def convert(self, labels):
        return self.xp.from_dlpack(labels)

    def floor(self, c, k):
        return c.max(), k.max()

    def bincount(self, *given):
        return count_by_bincount(self.xp, *given)


class Jax:
    def __init__(self):
        self.jax = importlib.import_module("jax")
        self.xp = importlib.import_module("jax.numpy")
        if self.jax.default_backend() == "cpu":
            raise ImportError("JAX sees no GPU")

    def convert(self, labels):
        return self.jax.dlpack.from_dlpack(labels)

    def wait(self):
        pass  # what is timed waits itself

    def floor(self, c, k):
        return self.jax.block_until_ready((self.xp.max(c), self.xp.max(k)))

    def bincount(self, c, k, height, width):
        table = 0
        for begin in range(0, len(c), CHUNK):
            keys = c[begin : begin + CHUNK] * width + k[begin : begin + CHUNK]
            table = table + self.xp.bincount(keys, length=height * width)
        return self.jax.block_until_ready(table)


def best(call, wait, repeats=5):
    """Return the least milliseconds of some calls, after one that compiles and fills caches."""
    call()
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def check(c, k):
    """Compare the counts of the first objects with numpy's."""
    some, others = c[:CHECKED], k[:CHECKED]
    assert is_on_device(some)
    found = cb.Contingency.from_labels(some, others)
    right = cb.Contingency.from_labels(to_numpy(some), to_numpy(others))
    return "right" if found == right and found.n == len(some) else "WRONG"


def to_numpy(array):
    for method in ("get", "cpu"):
        if hasattr(array, method):
            array = getattr(array, method)()
    return np.asarray(array)


def show(*fields):
    print("| " + " | ".join(fields) + " |", flush=True)


def count_there(c, k, height, width):
    cupy = importlib.import_module("cupy")
    c, k = cupy.from_dlpack(c), cupy.from_dlpack(k)
    cuda.count_table(cupy, c, k, cuda.Span(0, height), cuda.Span(0, width))
    cupy.cuda.Device().synchronize()


def measure(name, library, c, k, height, width, how):
    n = int(c.shape[0])
    right = check(c, k)

    floor = best(lambda: library.floor(c, k), library.wait)
    sparse = height * width > 10**8
    counting = None if sparse else best(lambda: count_there(c, k, height, width), library.wait)
    repeats = 1 if sparse else 3
    whole = best(lambda: cb.Contingency.from_labels(c, k), library.wait, repeats)
    own = None if sparse else best(lambda: library.bincount(c, k, height, width), library.wait, 3)
    show(
        name,
        f"{n:.0e}",
        f"{height:,} × {width:,} {how}",
        f"{floor:.2f}",
        *("––" if sparse else (f"{counting:.2f}", f"{counting / floor:.2f}")),
        f"{whole:.2f}",
        "–" if own is None else f"{own:.2f}",
        right,
    )


def compare_scores(torch, c, k):
    """Print the adjusted Rand index and its time, here and by torchmetrics and cuML."""
    n, wait = len(c), torch.cuda.synchronize
    print(f"\nadjusted Rand index of {n:.0e} objects, 10 × 12, nine in ten as the class says:")
    k = torch.where(torch.arange(n, device="cuda") % 10 == 0, k, c)
    print(f"  clusterbits   {cb.ari(c, k):.12f}  {best(lambda: cb.ari(c, k), wait, 3):10.2f} ms")
    for label, find in (("torchmetrics", _torchmetrics), ("cuML", _cuml)):
        try:
            score = find(c, k)
            value = float(score())
            print(f"  {label:12}  {value:.12f}  {best(score, wait, 2):10.2f} ms", flush=True)
        except Exception as error:
            reason = (str(error).splitlines() or [""])[0][:90]
            print(f"  {label:12}  {type(error).__name__}: {reason}")


def _torchmetrics(c, k):
    clustering = importlib.import_module("torchmetrics.functional.clustering")
    return lambda: clustering.adjusted_rand_score(k, c)


def _cuml(c, k):
    metrics = importlib.import_module("cuml.metrics.cluster")
    cupy = importlib.import_module("cupy")
    return lambda: metrics.adjusted_rand_score(cupy.from_dlpack(c), cupy.from_dlpack(k))


def installed(name):
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} –"


def find_libraries(names):
    """Return torch, which draws the labels for all, and the others that see a GPU."""
    try:
        found = {"torch": Torch()}
    except ImportError as error:
        sys.exit(f"benchmarks/gpu.py needs torch and a GPU that it sees: {error}.")
    for name, make in (("cupy", Cupy), ("jax", Jax)):
        if name in names:
            try:
                found[name] = make()
            except Exception as error:
                print(f"{name} is left out: {(str(error).splitlines() or [''])[0]}")
    return found


def show_machine(torch, n):
    print(date.today(), torch.xp.cuda.get_device_name(0), "Python", sys.version.split()[0])
    names = ("torch", "cupy-cuda13x", "cupy-cuda12x", "jax", "torchmetrics", "cuml", "numpy")
    print(", ".join(map(installed, names)))
    one = torch.draw(n // 2, 10, "uniform", 1)
    other = torch.xp.empty_like(one)
    rate = 8 * len(one) / best(lambda: other.copy_(one), torch.wait) / 1e6
    print(f"a copy on the device: {rate:,.0f} GB/s read and written\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--objects", type=int, default=10**9)
    parser.add_argument("--only", default="torch,cupy,jax")
    options = parser.parse_args()
    libraries = find_libraries(options.only)
    torch = libraries["torch"]
    show_machine(torch, options.objects)
    show(
        "labels",
        "objects",
        "table",
        "floor ms",
        "count ms",
        "× floor",
        "whole ms",
        "bincount ms",
        "",
    )
    show("---", *["---:"] * 7, "---")
    for height, width, share, how in TABLES:
        n = int(options.objects * share)
        c, k = torch.draw(n, height, how, 1), torch.draw(n, width, how, 2)
        for name, library in libraries.items():
            if name in options.only:
                measure(name, library, *map(library.convert, (c, k)), height, width, how)
        del c, k
    for dtype in ("int64", "int16", "uint8"):
        c, k = (torch.draw(options.objects // 2, size, "uniform", 1, dtype) for size in (10, 12))
        measure(f"torch {dtype}", torch, c, k, 10, 12, "uniform")
        del c, k
    c = torch.draw(options.objects // 10, 10, "uniform", 1)
    compare_scores(torch.xp, c, torch.draw(len(c), 12, "uniform", 2))


if __name__ == "__main__":
    main()
