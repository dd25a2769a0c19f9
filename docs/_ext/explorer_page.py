"""The explorer as a page of the site: what ``clusterbits paper explore`` writes, and a way home.

It replaces ``explorer.md``, whose words are what the search finds.
"""

from pathlib import Path

from sphinx.application import Sphinx

from clusterbits.paper.explorer import make_explorer

HEADING = "<h1>clusterbits explorer</h1>"


def make_page() -> str:
    """Return the explorer whose heading leads to the start of the site."""
    before, heading, after = make_explorer().partition(HEADING)
    if not heading:
        raise ValueError(f"the explorer has no heading {HEADING} to put a link into")
    return f'{before}<h1><a href="index.html">clusterbits</a> explorer</h1>{after}'


def write_explorer(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        Path(app.outdir, "explorer.html").write_text(make_page(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_explorer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
