"""What one call may cost: memory is checked before it is allocated, and steep work is declared."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from threading import Lock

from clusterbits.errors import CostError

# Measures with more steps than this are left out of families such as "all"; whoever names one gets
# it. A step is the innermost loop of compiled code: so many take a minute or two at worst.
MOST_STEPS = 10**11
# One call may take this share of the memory that there is.
_MEMORY_SHARE = 0.5


def check_memory(n_bytes: float, what: str) -> None:
    """Refuse what would take over half of the memory that this process may use.

    >>> check_memory(4e15, "a dense copy of 5 × 10^14 cells")
    Traceback (most recent call last):
    clusterbits.errors.CostError: a dense copy of 5 × 10^14 cells would take about 4,000,000 GB ...
    """
    if not fits_memory(n_bytes):
        most = _in_gb(_MEMORY_SHARE * _machine_memory())
        raise CostError(
            f"{what} would take about {_in_gb(n_bytes)} of memory; {most}, half of what this "
            "process may use, are allowed."
        )


def fits_memory(n_bytes: float) -> bool:
    """Whether so many bytes are at most half of the memory that this process may use."""
    return n_bytes <= _MEMORY_SHARE * _machine_memory()


# --- to go, with the last caller ---

# What one call may take: ten minutes, and this share of the machine's memory.
MOST_SECONDS = 600
# Seconds after which a call's own pace shows how long all of it would take.
_KNOWN_AFTER = 5.0


def is_affordable(*, seconds: float = 0, memory: float = 0) -> bool:
    """Whether a call stays within ten minutes and a quarter of the machine's memory."""
    return seconds <= MOST_SECONDS and memory <= _MEMORY_SHARE * _machine_memory()


def check_cost(what: str, instead: str, *, seconds: float = 0, memory: float = 0) -> None:
    """Refuse what would take over ten minutes, or over a quarter of the machine's memory.

    >>> check_cost("drawing 10 tables", "draw 5", seconds=10800)
    Traceback (most recent call last):
    clusterbits.errors.CostError: drawing 10 tables would take about 3 hours; draw 5.
    >>> check_cost("a table", "use a sparse one", memory=4e15)
    Traceback (most recent call last):
    clusterbits.errors.CostError: a table would take about 4,000,000 GB of memory; use a sparse one.
    """
    if is_affordable(seconds=seconds, memory=memory):
        return
    if seconds > MOST_SECONDS:
        raise CostError(f"{what} would take about {_in_words(seconds)}; {instead}.")
    raise CostError(f"{what} would take about {_in_gb(memory)} of memory; {instead}.")


class Pace:
    """Refuses a call as soon as its first parts show that it would take too long.

    `instead` is given the share of the parts that ten minutes are enough for. Parts that several
    threads work on at once are shown by the `first` so many.
    """

    def __init__(self, what: str, parts: int, first: int, instead: Callable[[float], str]) -> None:
        self._what, self._parts, self._first, self._instead = what, parts, first, instead
        self._begun, self._done, self._known = time.perf_counter(), 0, False
        self._lock = Lock()

    def advance(self, parts: int) -> None:
        """Count parts as done."""
        with self._lock:
            self._done += parts
            elapsed = time.perf_counter() - self._begun
            known = elapsed > _KNOWN_AFTER and self._done >= self._first
            if self._known or not known:
                return
            self._known = True
            seconds = elapsed * self._parts / self._done
        check_cost(self._what, self._instead(MOST_SECONDS / seconds), seconds=seconds)


def _in_words(seconds: float) -> str:
    """Return a time in the unit that suits it.

    >>> [_in_words(seconds) for seconds in (660, 10800, 3.2e9, 1e30)]
    ['11 minutes', '3 hours', '100 years', '3e+22 years']
    """
    years = seconds / 3.2e7
    if seconds < 2 * 3600:
        return f"{seconds / 60:,.0f} minutes"
    if years < 1:
        return f"{seconds / 3600:,.0f} hours"
    return f"{years:,.0f} years" if years < 1e6 else f"{years:.0e} years"


def _in_gb(memory: float) -> str:
    return f"{memory / 1e9:,.0f} GB" if memory >= 9.5e9 else f"{memory / 1e9:.2g} GB"


def _machine_memory() -> float:
    """Return the bytes of memory that this process may use; 16 GB where nothing says."""
    try:
        installed: float = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):  # Windows
        installed = 16e9
    return min(installed, _container_memory(), _address_space())


def _address_space() -> float:
    """Return the limit that ``ulimit -v`` sets; infinity where there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else float(limit)


@functools.cache
def _container_memory(groups: str = "/proc/self/cgroup", root: str = "/sys/fs/cgroup") -> float:
    """Return the least limit that Linux sets this process: a container's, or a batch job's."""
    limits = [math.inf]
    with contextlib.suppress(OSError):
        for line in Path(groups).read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            own = Path(f"{root}/{controllers}{group}")  # version 2 names no controllers
            if controllers in ("", "memory"):
                # A group is bound by the limits of those above it, too.
                for folder, name in product((own, *own.parents), _LIMIT_FILES):
                    with contextlib.suppress(OSError, ValueError):  # "max" is no limit
                        limits.append(float((folder / name).read_text()))
    return min(limits)


# Of cgroups of version 2, and of version 1.
_LIMIT_FILES = ("memory.max", "memory.limit_in_bytes")
