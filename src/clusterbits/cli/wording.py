"""Messages of the library in the words of the command line: missing='drop' is --missing drop."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Collection

# An argument of Python, with a plain value, that is no part of a path.
_ARGUMENT = re.compile(
    r"""(?<![\w/.-])([a-z_]+)=('[^']*'|"[^"]*"|\[[^\]]*\]|-?\w+(?:\.\w+)*)(?=[\s,.;:)]|$)"""
)
# Arguments that an option of another name sets.
_RENAMED: dict[str, str] = {}
_FLAGS = {"header=False": "--no-header"}


def as_options(message: str, options: Collection[str]) -> str:
    """Return a message with those arguments as options that a command has.

    >>> as_options("Pass missing='drop', or n_resamples=5.", ["--missing"])
    'Pass --missing drop, or n_resamples=5.'
    >>> as_options("on=['a', 'b'] or noise_label=-1; header=False", ["--on", "--noise-label"])
    '--on a --on b or --noise-label -1; header=False'
    """

    def translate(found: re.Match[str]) -> str:
        if (flag := _FLAGS.get(found[0], "")) in options:
            return flag
        name = _RENAMED.get(found[1], "--" + found[1].replace("_", "-"))
        try:
            value = ast.literal_eval(found[2])
        except (ValueError, SyntaxError):
            return found[0]
        if name not in options or value is None or isinstance(value, bool):
            return found[0]
        values = value if isinstance(value, list) else [value]
        return " ".join(f"{name} {shlex.quote(str(one))}" for one in values)

    return _ARGUMENT.sub(translate, message)
