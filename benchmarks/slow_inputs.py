"""A search for slow inputs: hard shapes × every call, each in a process with limits.

    python benchmarks/slow_inputs.py [--calls NAME ...] [--shapes NAME ...] [--seconds 20]
        [--memory 4] [--scale 1] [--interrupt] [--rows 40]

Prints the slowest calls: CPU seconds, peak memory in MB, and how the call ended. `growth` is the
power of the size that time grows with, from a run on an input of a quarter of the size. With
--interrupt it sends Ctrl-C after a second instead, and prints how long each call took to end.
"""

import argparse
import math
import multiprocessing
import os
import resource
import signal
import time
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from timing import head, peak, row

import clusterbits as cb
from clusterbits.errors import ClusterbitsError
from clusterbits.measures.catalogue import catalogue

GIGABYTE = 1 << 30


def from_cells(rows, columns, counts):
    return cb.Contingency.from_counts(coo_array((counts, (rows, columns))))


def one_cluster(size):
    return from_cells(np.arange(size), np.zeros(size, int), np.arange(size) % 7 + 1)


def singletons(size):
    return from_cells(np.arange(size) % max(size // 10, 1), np.arange(size), np.ones(size, int))


def permutation(size):
    """As many classes as clusters, nearly one to one: pairs and small components."""
    columns = np.arange(size) ^ (np.random.default_rng(0).random(size) < 0.1)
    return from_cells(np.arange(size), columns % size, np.ones(size, int))


def chain(size):
    """Each class shares a cluster with the next: one component, and merges without end."""
    rows = np.repeat(np.arange(size), 2)
    columns = np.minimum(rows + np.tile([0, 1], size), size - 1)
    return from_cells(rows, columns, np.tile([2, 1], size))


def zipf(size):
    rng = np.random.default_rng(0)
    return cb.Contingency.from_labels(rng.zipf(1.3, size), rng.zipf(1.3, size))


def distinct(size):
    """All class sizes, all cluster sizes and most counts are different."""
    rows = np.arange(size)
    counts = np.concatenate([rows + 1, np.ones(size, int)])
    return from_cells(np.tile(rows, 2), np.concatenate([rows, (rows + 1) % size]), counts)


def dense(size):
    return cb.Contingency.from_counts(np.random.default_rng(0).poisson(5, (size, size)))


def giant(size):
    return cb.Contingency.from_counts(np.random.default_rng(0).integers(1, 10**18, (size, size)))


def expected(size):
    p = np.random.default_rng(0).random((size, size))
    return cb.Contingency.expected(p / p.sum(), 1e6)


# The full size of each shape.
SHAPES = {
    one_cluster: 10**6,
    singletons: 10**6,
    permutation: 10**6,
    chain: 10**6,
    zipf: 10**7,
    distinct: 16_000,
    dense: 3000,
    giant: 1000,
    expected: 1000,
}


def labels(table):
    """Return both labelings of a table's objects, where there are few enough."""
    if not table.exact or table.n > 2 * 10**8:
        raise ClusterbitsError("no labels for this table")
    counts = table.counts.astype(np.int64)
    return np.repeat(table.rows, counts), np.repeat(table.columns, counts)


def round_trip(table):
    truth, pred = labels(table)
    return cb.codec.decode(cb.codec.encode(truth, pred), pred)


def compared(table):
    truth, pred = labels(table)
    return cb.compare(truth, pred, np.roll(pred, 1))


def paired(table):
    truth, pred = labels(table)
    return cb.pairwise(
        {str(i): np.roll(pred, i) for i in range(5)} | {"truth": truth}, measure="ari"
    )


def many_runs(table):
    rng = np.random.default_rng(0)
    width = min(max(table.shape), 10**6)
    return cb.pairwise({str(i): rng.integers(0, width, 1000) for i in range(1000)}, measure="ari")


def judged(table):
    grid = cb.paper.Grid(useful=(2, max(table.shape)))
    return cb.paper.check("q0", grid=grid)


def noise_as_singletons(table):
    weights = [min(int(table.n), 10**18), 1]
    return cb.q0([0, 1], [-1, 0], noise="singletons", weights=weights)


CALLS = {
    **{f"measure {entry.name}": entry.of for entry in catalogue()},
    "measure q2 exact": lambda table: cb.q2(table, worst="exact"),
    "evaluate": cb.evaluate,
    "evaluate all": lambda table: cb.evaluate(table, measures="all"),
    "interval q0": lambda table: cb.interval(table, measure="q0", rng=0),
    "interval ari": lambda table: cb.interval(table, measure="ari", rng=0),
    "interval ami": lambda table: cb.interval(table, measure="ami", rng=0),
    "interval accuracy": lambda table: cb.interval(table, measure="accuracy", rng=0),
    "interval 1e9": lambda table: cb.interval(table, measure="ari", n_resamples=10**9),
    "permutation_test": lambda table: cb.permutation_test(table, rng=0),
    "permutation_test 1e9": lambda table: cb.permutation_test(table, n_resamples=10**9),
    "compare": compared,
    "pairwise": paired,
    "pairwise of 1000": many_runs,
    "explain": cb.explain,
    "encode, decode": round_trip,
    "worst_clustering": lambda table: cb.worst_clustering(table.class_sizes),
    "worst_clustering table": lambda table: cb.worst_clustering(table.class_sizes).table,
    "desiderata": judged,
    "noise singletons": noise_as_singletons,
    "report": lambda table: cb.evaluate(table).report().html,
}


def attempt(call, table, seconds, memory, answer):
    """Run one call under limits of CPU time and memory, and send how it ended."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    used = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (used, used))  # it is killed
    if memory:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        held = pages * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (held + int(memory * GIGABYTE),) * 2)

    def run():
        try:
            call(table)
            return "value"
        except ClusterbitsError as error:
            return f"refused: {error}"
        except MemoryError:
            return "MemoryError"
        except KeyboardInterrupt:
            return "interrupted"
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    answer.send(None)  # it begins
    start = time.process_time()
    ended, _, memory = peak(run)
    answer.send((ended, time.process_time() - start, memory))


def attempted(call, table, seconds, memory, interrupt=False):
    """Return how a call ended, its CPU seconds (from Ctrl-C on, by the clock) and peak memory."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=attempt, args=(call, table, seconds, memory, there))
    process.start()
    there.close()
    here.recv()
    start = time.perf_counter()
    try:
        if interrupt and not here.poll(1):
            os.kill(process.pid, signal.SIGINT)
            start = time.perf_counter()
        if not here.poll(10 * seconds):  # such as a call that sleeps
            return "timeout", 10 * seconds, math.nan
        ended, took, memory = here.recv()
        return ended, time.perf_counter() - start if interrupt else took, memory
    except EOFError:
        process.join()
        out_of_time = process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
        return "timeout" if out_of_time else "killed", seconds, math.nan
    finally:
        process.kill()
        process.join()


def search(options):
    """Return rows: seconds, growth, call, shape, megabytes, how it ended."""
    found = []
    for shape, size in SHAPES.items():
        if options.shapes and shape.__name__ not in options.shapes:
            continue
        size = max(int(size * options.scale), 4)
        table, smaller = shape(size), None
        for name, call in CALLS.items():
            if options.calls and not any(name.startswith(word) for word in options.calls):
                continue
            ended, took, memory = attempted(
                call, table, options.seconds, options.memory, options.interrupt
            )
            growth = math.nan
            if took > 1 and not options.interrupt:
                smaller = smaller or shape(size // 4)
                before = attempted(call, smaller, options.seconds, options.memory)[1]
                growth = math.log(took / before, 4)
            if options.interrupt and ended != "interrupted" and ended != "timeout":
                continue
            found.append((took, growth, name, f"{shape.__name__} {size:,}", memory, ended))
    return sorted(found, key=lambda one: -one[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", nargs="*", help="only calls whose names begin so")
    parser.add_argument("--shapes", nargs="*", help="only these shapes")
    parser.add_argument("--seconds", type=float, default=20, help="limit of a call's CPU time")
    parser.add_argument("--memory", type=float, default=4, help="memory limit of a call, in GB")
    parser.add_argument("--scale", type=float, default=1, help="factor on the size of the shapes")
    parser.add_argument("--rows", type=int, default=40, help="how many of the slowest to print")
    parser.add_argument("--interrupt", action="store_true", help="send Ctrl-C after a second")
    options = parser.parse_args()
    head("call", "shape", "ended", "seconds", "growth", "MB", left=3)
    for took, growth, call, shape, memory, ended in search(options)[: options.rows]:
        row(call, shape, ended[:90], f"{took:.1f}", f"{growth:.1f}", f"{memory:.0f}")


if __name__ == "__main__":
    main()
