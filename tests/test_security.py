"""SECURITY.md names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_threat_model_names_tests_that_exist():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    there = {
        name for test in tests for name in re.findall(r"^def (test_\w+)\(", test, re.MULTILINE)
    }
    assert named - there == set()
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert rows
    assert all("`test_" in row for row in rows)
