"""What one call may cost: it is done, or refused with the number and the way out."""

from __future__ import annotations

import contextlib
import functools
import math
import os
from itertools import product
from pathlib import Path

from clusterbits.errors import CostError

# What one call may take: ten minutes, and this share of the machine's memory.
MOST_SECONDS = 600
_MEMORY_SHARE = 0.25


def check_cost(what: str, instead: str, *, seconds: float = 0, memory: float = 0) -> None:
    """Refuse what would take over ten minutes, or over a quarter of the machine's memory.

    >>> check_cost("drawing 10 tables", "draw 5", seconds=10800)
    Traceback (most recent call last):
    clusterbits.errors.CostError: drawing 10 tables would take about 3 hours; draw 5.
    >>> check_cost("a table", "use a sparse one", memory=4e15)
    Traceback (most recent call last):
    clusterbits.errors.CostError: a table would take about 4,000,000 GB of memory; use a sparse one.
    """
    if seconds > MOST_SECONDS:
        minutes, hours = f"{seconds / 60:,.0f} minutes", f"{seconds / 3600:,.0f} hours"
        raise CostError(
            f"{what} would take about {minutes if seconds < 7200 else hours}; {instead}."
        )
    if memory > _MEMORY_SHARE * _machine_memory():
        raise CostError(f"{what} would take about {_in_gb(memory)} of memory; {instead}.")


def _in_gb(memory: float) -> str:
    return f"{memory / 1e9:,.0f} GB" if memory >= 9.5e9 else f"{memory / 1e9:.2g} GB"


def _machine_memory() -> float:
    """Return the bytes of memory that this process may use; 16 GB where nothing says."""
    try:
        installed: float = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):  # Windows
        installed = 16e9
    return min(installed, _container_memory())


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
