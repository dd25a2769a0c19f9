"""Directives that show HTML computed from the data of the package."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class ComputedHtml(SphinxDirective):
    """A directive that shows what `make` returns; its page is read again in every build."""

    def run(self) -> list[nodes.Node]:
        # Made of the catalogue, the cards and the witnesses: a new measure changes it as well.
        self.env.note_reread()
        return [nodes.raw("", self.make(), format="html")]

    def make(self) -> str:
        raise NotImplementedError
