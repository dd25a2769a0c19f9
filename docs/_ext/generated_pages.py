"""Pages that are made when the site is built: writing them, and tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def write_folder(folder: Path, pages: Mapping[str, str], keep: Iterable[str] = ()) -> None:
    """Write the pages that changed, and remove what is neither among them nor in `keep`."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in pages and path.name not in keep:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are Markdown: code and links stay what they are.

    >>> print(markdown_table(["set", "size"], [["`|C|`", "3"]]))
    | set | size |
    | --- | --- |
    | `\\|C\\|` | 3 |
    """
    lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    top = [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head))]
    return "\n".join([*top, *lines])
