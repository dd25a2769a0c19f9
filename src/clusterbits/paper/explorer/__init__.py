"""The explorer: one HTML page with the paper's family of tables on sliders.

The browser computes what it shows, in plain JavaScript: `numbers`, `family`, `measures` and
`desiderata` are formulas, `drawing` and `page` the rest. What measures are called, which way is
better and what the desiderata demand comes from the package; the tests hold every number to it.
The command ``clusterbits paper explore`` writes it.
"""

from clusterbits.paper.explorer.explorer_page import make_explorer

__all__ = ["make_explorer"]
