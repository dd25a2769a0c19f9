"""Every line of docs/reference/plots.md draws, and has its picture."""

from pathlib import Path
from runpy import run_path

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/plots.md").read_text(encoding="utf-8")
TOOL = run_path(str(ROOT / "tools/make_plots.py"))
NAMES, LINES = TOOL["read_page"](PAGE)


def test_all_pictures_are_found():
    assert len(LINES) == PAGE.count("![") == PAGE.count("```python") - 1 > 15
    stored = {f"plots/{path.name}" for path in (ROOT / "docs/reference/plots").iterdir()}
    assert stored == set(LINES)
    assert all((ROOT / "docs" / path).stat().st_size < 60_000 for path in LINES)


@pytest.mark.parametrize("path", LINES)
def test_a_line_draws(path):
    ax = eval(LINES[path], NAMES)
    assert isinstance(ax, Axes)
    ax.figure.canvas.draw()
    plt.close(ax.figure)


def test_a_picture_has_the_same_bytes_twice(tmp_path):
    for name in ("a.png", "b.png"):
        TOOL["draw"](LINES["plots/bits.png"], NAMES, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
