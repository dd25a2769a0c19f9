"""What benchmarks share: medians of repeated runs, peak memory, processes, Markdown tables."""

import math
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path


def timed(function, *arguments, clock=time.perf_counter):
    """Return what one call returns, and the seconds it takes."""
    start = clock()
    result = function(*arguments)
    return result, clock() - start


def median(function, *arguments, repeats=5, clock=time.perf_counter):
    """Return the median of the seconds that calls take, by the wall or another clock."""
    return statistics.median(timed(function, *arguments, clock=clock)[1] for _ in range(repeats))


def in_turn(functions, repeats=5):
    """Return what each function returns, called in turn, so that all meet the same load."""
    runs = [[function() for function in functions] for _ in range(repeats)]
    return list(zip(*runs, strict=True))


def alone(function, *arguments):
    """Call a function of a module in a process of its own, and return what it returns."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def peak_memory():
    """Return the most memory this process has held, in MB."""
    return _status("VmHWM")


def peak(function, *arguments, clock=time.perf_counter):
    """Return what one call returns, its seconds, and its peak memory in MB beyond what was held.

    Memory is NaN on machines that do not let a process reset its peak.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return *timed(function, *arguments, clock=clock), math.nan
    before = _status("VmRSS")
    result, seconds = timed(function, *arguments, clock=clock)
    return result, seconds, peak_memory() - before


def _status(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


def head(*names, left=1):
    """Print the head of a Markdown table; columns after the first `left` ones are numbers."""
    print()
    row(*names)
    print("|" + "---|" * left + "---:|" * (len(names) - left))


def row(*cells):
    """Print a row of a Markdown table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
