"""Progress bars, by tqdm: where somebody watches, from the first second on, gone at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from threading import current_thread, main_thread
from typing import Any, TypeVar

Item = TypeVar("Item")

# Seconds before a bar is drawn.
_PATIENCE = 1.0


def progress_bar(items: Iterable[Item], label: str = "computing") -> Iterable[Item]:
    """Return the items; where somebody watches, going through them draws a bar."""
    bar = _find_bar()
    if bar is None:
        return items
    options = {"desc": label, "delay": _PATIENCE, "leave": False, "file": sys.stderr}
    found: Iterable[Item] = bar(items, **options)
    return found


def _find_bar() -> Any:
    """Return tqdm's bar for a terminal, its widget for a notebook; None where nobody watches.

    Nothing goes to the stderr of a kernel, which a notebook would keep.
    """
    in_kernel = type(sys.stderr).__module__.startswith("ipykernel.")
    watched = find_spec("ipywidgets") if in_kernel else sys.stderr and sys.stderr.isatty()
    if not watched or not find_spec("tqdm") or current_thread() is not main_thread():
        return None
    if in_kernel:
        from tqdm.notebook import tqdm as widget

        return widget
    from tqdm import tqdm

    return tqdm
