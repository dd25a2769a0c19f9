"""The sources of the site: what is in docs/ before it is built."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
# Folders that a build writes, and folders of which only the index is a source.
GENERATED = ("docs/_build", "docs/gallery", "docs/learn", "docs/reference/api")
INDEXED = ("docs/howto/coming_from", "docs/reference/measures")


def list_sources() -> list[Path]:
    """Return the files of docs/, those that a build wrote left out."""
    return [
        path
        for path in sorted((ROOT / "docs").rglob("*.*"))
        if path.is_file()
        and not any(path.is_relative_to(ROOT / folder) for folder in GENERATED)
        and (path.parent not in [ROOT / folder for folder in INDEXED] or path.name == "index.md")
        and path.suffix != ".pyc"
    ]
