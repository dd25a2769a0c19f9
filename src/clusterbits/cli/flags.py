"""Options in messages, which write them as Python does, as a shell takes them."""

from __future__ import annotations

import ast
import re
import shlex

from clusterbits.labels.options import FileOptions

# The options of functions that commands have as well, under the same name but for `header`.
SHARED = FileOptions.__optional_keys__ - {"align", "progress"}
SHARED |= {
    "truth",
    "pred",
    "old",
    "new",
    "groups",
    "confidence_level",
    "rng",
    "ignore",
    "k",
    "level",
    "repeated",
}
_VALUE = r"'[^']*'|\"[^\"]*\"|True|False"
# A name with an equals sign, and a value in quotes; also without, if it is no word of English. What
# is inside quotes, paths and calls is no option of a command, nor is k=5, the name of a clustering.
_NO_WORDS = sorted(name for name in SHARED if "_" in name or name == "rng")
_OPTION = re.compile(
    rf"(?<![\w(./'\"=-])(?:({'|'.join(sorted(SHARED))})=({_VALUE})?"
    rf"|({'|'.join(_NO_WORDS)}))(?![\w/'\"=]|\.\w)"
)


def as_flags(text: str) -> str:
    """Return a message with flags in place of keywords.

    >>> as_flags("Pass missing='drop', header=False, or on= with ids; noise_label is -1.")
    'Pass --missing drop, --no-header, or --on with ids; --noise-label is -1.'
    >>> as_flags("q2(worst='exact') of k=5, noise=1.csv and 'truth_noise'")
    "q2(worst='exact') of k=5, noise=1.csv and 'truth_noise'"
    """

    def write(option: re.Match[str]) -> str:
        name, value = option[1] or option[3], option[2]
        flag = f"--{'no-' * (value == 'False')}{name.replace('_', '-')}"
        if value in (None, "True", "False"):
            return flag
        return f"{flag} {shlex.quote(str(ast.literal_eval(value)))}"

    return _OPTION.sub(write, text)
