"""Links of pages: to what a checkout has; on the site, to the page that is made from it.

A page links to a measure or a package by its anchor in an index, ``measures/index.md#rand``, to an
example by its script, and to all examples by their folder. The site has a page for each of these:
there the links lead to that page.
"""

from __future__ import annotations

import os.path
import re
from pathlib import Path

from sphinx.application import Sphinx

_LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?:#([\w-]+))?(?=\))")


def lead_to_pages(app: Sphinx, document: str, source: list[str]) -> None:
    """Replace the links of a page that have a page of the site."""
    folder = Path(app.srcdir, document).parent

    def lead(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / link[1]))
        page = target.with_name(f"{link[2]}.md") if link[2] else page_of_script(app, target)
        is_made = page != target and page.exists()
        return f"/{page.relative_to(app.srcdir).as_posix()}" if is_made else link[0]

    source[0] = _LINK.sub(lead, source[0])


def page_of_script(app: Sphinx, path: Path) -> Path:
    """Return the page that sphinx-gallery makes from a script or folder; others as they are."""
    settings = app.config.sphinx_gallery_conf
    for scripts, pages in zip(settings["examples_dirs"], settings["gallery_dirs"], strict=True):
        root = Path(os.path.normpath(Path(app.srcdir, scripts)))
        if path == root:
            return Path(app.srcdir, pages, "index.rst")
        if path.suffix == ".py" and path.is_relative_to(root):
            return Path(app.srcdir, pages, path.relative_to(root)).with_suffix(".rst")
    return path


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
