"""What one call may cost."""

import math
import os

import pytest

from clusterbits import limits
from clusterbits.errors import CostError


def test_what_costs_too_much_is_refused_with_the_number_and_the_way_out(monkeypatch):
    limits.check_cost("a call", "do less", seconds=limits.MOST_SECONDS, memory=10**6)
    with pytest.raises(CostError, match=r"^a call would take about 11 minutes; do less\.$"):
        limits.check_cost("a call", "do less", seconds=660)
    monkeypatch.delattr(os, "sysconf", raising=False)  # as on Windows: 16 GB
    monkeypatch.setattr(limits, "_container_memory", lambda: math.inf)
    limits.check_cost("a call", "do less", memory=7.9e9)
    with pytest.raises(CostError, match=r"^a call would take about 9 GB of memory; do less"):
        limits.check_cost("a call", "do less", memory=9e9)


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/", {"memory.max": "2000000000"}, 2e9),  # a container
        ("0::/", {"memory.max": "max"}, math.inf),
        ("0::/jobs/7", {"jobs/memory.max": "3000", "jobs/7/memory.max": "max"}, 3000),
        ("3:cpu:/\n4:memory:/job\n0::/", {"memory/job/memory.limit_in_bytes": "4000"}, 4000),
        ("4:memory:/outside", {"memory/memory.limit_in_bytes": "5000"}, 5000),
        ("", {}, math.inf),
    ],
)
def test_the_memory_of_containers(groups, files, expected, tmp_path, monkeypatch):
    (tmp_path / "groups").write_text(groups)
    for name, limit in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(limit + "\n")
    assert limits._container_memory(tmp_path / "groups", tmp_path) == expected
    assert limits._container_memory(tmp_path / "missing", tmp_path) == math.inf
    monkeypatch.setattr(limits, "_container_memory", lambda: expected)
    if expected < 1e12:
        with pytest.raises(CostError):
            limits.check_cost("a call", "do less", memory=expected / 1.5)


def test_limits_of_the_shell_count(monkeypatch):
    """As ``ulimit -v`` sets them."""
    resource = pytest.importorskip("resource", reason="Windows has no such limits")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (4 * 10**9, 4 * 10**9))
    with pytest.raises(CostError, match=r"2.1 GB of memory"):
        limits.check_cost("a table", "use a sparse one", memory=2.1e9)
    limits.check_cost("a table", "use a sparse one", memory=1.9e9)
