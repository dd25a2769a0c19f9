"""What one call may cost."""

import math
import os

import pytest

from clusterbits.errors import CostError
from clusterbits.system import limits


def test_what_takes_too_much_memory_is_refused_with_the_number(monkeypatch):
    monkeypatch.delattr(os, "sysconf", raising=False)  # as on Windows: 16 GB
    monkeypatch.setattr(limits, "_container_memory", lambda: math.inf)
    limits.check_memory(7.9e9, "a call")
    with pytest.raises(CostError, match=r"^a call would take about 9 GB of memory; 8 GB, half of"):
        limits.check_memory(9e9, "a call")


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
def test_the_memory_of_containers(groups, files, expected, tmp_path):
    (tmp_path / "groups").write_text(groups)
    for name, limit in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(limit + "\n")
    assert limits._container_memory(tmp_path / "groups", tmp_path) == expected


def test_limits_of_containers_count(monkeypatch):
    monkeypatch.setattr(limits, "_container_memory", lambda: 2e9)
    assert not limits.fits_memory(1.1e9)
