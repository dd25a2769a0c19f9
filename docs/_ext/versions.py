"""The versions that the switcher at the top of every page offers: this one and the older ones.

An older one is a complete site: a folder in ``docs/_build/old``, which becomes one of the new site.
``versions.js`` there names all versions. Pages of every version read it (``site.js``), so that old
pages lead to newer ones too. It is a script because browsers load no other data from disk.
"""

from __future__ import annotations

import json
from pathlib import Path

from sphinx.application import Sphinx

OLD = Path(__file__).parents[1] / "_build/old"


def list_versions(newest: str) -> list[str]:
    """Return all versions, the newest first."""
    older = {path.name for path in OLD.glob("*.*")} - {newest}
    return [newest, *sorted(older, key=_numbers, reverse=True)]


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def write_versions(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        script = f"showVersions({json.dumps(list_versions(app.config.release))});\n"
        Path(app.outdir, "versions.js").write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_versions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
