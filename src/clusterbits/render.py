"""The former address of `clusterbits.display.plots`; gone in the next version."""

import sys
import warnings

from clusterbits.display import plots

warnings.warn(
    "clusterbits.render.plots is now clusterbits.display.plots", DeprecationWarning, stacklevel=2
)
sys.modules["clusterbits.render.plots"] = plots
