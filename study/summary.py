"""Make the tables and figures of the study's page from the results of study/run.py; seconds.

python study/summary.py
"""

from pathlib import Path

from figures import draw
from page import Tables, fill
from results import Results

FOLDER = Path(__file__).parents[1] / "docs/explanation"


def main() -> None:
    tables = Tables(Results())
    page = FOLDER / "study.md"
    page.write_text(fill(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    draw(tables, FOLDER / "study")


if __name__ == "__main__":
    main()
