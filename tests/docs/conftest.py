"""The site's own extensions are imported as Sphinx does: from docs/_ext."""

import sys
from importlib.util import find_spec
from pathlib import Path

# They import Sphinx, which users who test the package need not have.
if find_spec("sphinx") is None:
    collect_ignore = ["test_cells.py", "test_measure_pages.py", "test_site.py"]

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/_ext"))
