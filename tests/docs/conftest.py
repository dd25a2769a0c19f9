"""The site's own extensions are imported as Sphinx does: from docs/_ext."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/_ext"))
