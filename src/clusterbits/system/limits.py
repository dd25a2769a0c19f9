"""Limits of one call: memory is checked before it is allocated, and steep work is declared."""

from __future__ import annotations

import contextlib
import functools
import math
import os
from itertools import product
from pathlib import Path

from clusterbits.errors import CostError

# Measures with more steps are not in families such as "all", only computed by name. A step is the
# innermost loop of compiled code: this many take a minute or two at worst.
MOST_STEPS = 10**11
# One call may take this share of the memory that there is.
_MEMORY_SHARE = 0.5


def check_memory(n_bytes: float, what: str) -> None:
    """Raise for more than half of the memory that this process may use.

    >>> check_memory(4e15, "a dense copy of 5 × 10^14 cells")
    Traceback (most recent call last):
    clusterbits.errors.CostError: a dense copy of 5 × 10^14 cells would take about 4,000,000 GB ...
    """
    if not fits_memory(n_bytes):
        limit = _in_gb(_MEMORY_SHARE * _machine_memory())
        raise CostError(
            f"{what} would take about {_in_gb(n_bytes)} of memory; {limit}, half of what this "
            "process may use, are allowed."
        )


def fits_memory(n_bytes: float) -> bool:
    """Whether `n_bytes` are at most half of the memory that this process may use."""
    return n_bytes <= _MEMORY_SHARE * _machine_memory()


def _in_gb(memory: float) -> str:
    return f"{memory / 1e9:,.0f} GB" if memory >= 9.5e9 else f"{memory / 1e9:.2g} GB"


def _machine_memory() -> float:
    """Return the bytes of memory that this process may use; 16 GB if the system does not tell."""
    try:
        installed: float = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):  # Windows
        installed = 16e9
    return min(installed, _container_memory())


@functools.cache
def _container_memory(groups: str = "/proc/self/cgroup", root: str = "/sys/fs/cgroup") -> float:
    """Return the smallest limit of this process in Linux: a container's, or a batch job's."""
    limits = [math.inf]
    with contextlib.suppress(OSError):
        for line in Path(groups).read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            of_group = Path(f"{root}/{controllers}{group}")  # version 2 names no controllers
            if controllers in ("", "memory"):
                # The limits of the groups above hold as well.
                for folder, name in product((of_group, *of_group.parents), _LIMIT_FILES):
                    with contextlib.suppress(OSError, ValueError):  # "max" means none
                        limits.append(float((folder / name).read_text()))
    return min(limits)


# Of cgroups of version 2, and of version 1.
_LIMIT_FILES = ("memory.max", "memory.limit_in_bytes")
