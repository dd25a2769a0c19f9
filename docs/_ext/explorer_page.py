"""The explorer beside the pages of the site: the file that ``clusterbits explore`` writes."""

from pathlib import Path

from sphinx.application import Sphinx

from clusterbits.explorer import make_explorer


def write_explorer(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        Path(app.outdir, "explore.html").write_text(make_explorer(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_explorer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
