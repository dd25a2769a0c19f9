"""The compiled kernels, if they were built: the one place that chooses.

`native` is the extension module, or None, and then `absence` says why. Each of its functions has a
reference implementation in numpy next to its caller, with bit-identical results.
With ``CLUSTERBITS_NATIVE=0`` in the environment, numpy does all the work.
"""

from __future__ import annotations

import os
from typing import Any

native: Any = None
absence: str | None = None
if os.environ.get("CLUSTERBITS_NATIVE") == "0":
    absence = "switched off by CLUSTERBITS_NATIVE=0"
else:
    try:
        import clusterbits._native as native  # type: ignore[import-not-found, no-redef]  # noqa: F401
    except ModuleNotFoundError:
        absence = (
            "not built: no C compiler could build them when clusterbits was installed, "
            "or Python is free-threaded"
        )
    except ImportError as error:  # built for another system
        absence = f"not loaded: {error}"
