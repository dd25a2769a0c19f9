"""The compiled kernels, where they were built: the one place that chooses.

`native` is the extension module, or None. Each of its functions has a twin in numpy beside its
caller, which is the reference and gives the same result to the last bit. With
``CLUSTERBITS_NATIVE=0`` in the environment, numpy does all the work.
"""

from __future__ import annotations

import os
from typing import Any

native: Any = None
if os.environ.get("CLUSTERBITS_NATIVE") != "0":
    try:
        from clusterbits import _native as native  # type: ignore[attr-defined, no-redef]
    except ImportError:  # installed without a compiler
        native = None
