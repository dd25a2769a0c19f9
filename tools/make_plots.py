"""Draw the pictures of docs/reference/plots.md from the lines of code on that page.

python tools/make_plots.py docs/reference
"""

import re
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

# The first block of code makes the names that the others use.
SETUP = re.compile(r"```python\n(.*?)```", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]+\]\((plots/\w+\.png)\)\n\n```python\n(.+?)\n```")


def read_page(page: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the names of the page, and the line of code of each picture."""
    names: dict[str, Any] = {}
    exec(SETUP.search(page)[1], names)
    return names, dict(PICTURE.findall(page))


def draw(line: str, names: dict[str, Any], target: Path) -> None:
    with plt.style.context("default"):
        figure = eval(line, names).figure
        buffer = BytesIO()
        figure.savefig(buffer, dpi=80)
    plt.close(figure)
    # Few colours make small files.
    Image.open(buffer).convert("RGB").quantize(48).save(target, "png", optimize=True)


def main(folder: str) -> None:
    docs = Path(folder)
    names, lines = read_page((docs / "plots.md").read_text(encoding="utf-8"))
    (docs / "plots").mkdir(exist_ok=True)
    for path, line in lines.items():
        draw(line, names, docs / path)


if __name__ == "__main__":
    main(sys.argv[1])
