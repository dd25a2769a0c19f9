"""``clusterbits`` and ``python -m clusterbits``: errors are one line, without a traceback."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

from clusterbits.errors import ClusterbitsError, ClusterbitsWarning, MissingExtraError


def main(arguments: list[str] | None = None) -> None:
    """Run a command; exit 0 on success, 2 on bad input, 1 on a bug of ours."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without × or ε shows question marks
            stream.reconfigure(errors="replace")
    try:
        sys.exit(_run(arguments))
    except ClusterbitsError as error:
        print(f"clusterbits: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) is gone, which is no error. Keep Python from flushing at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        print(f"clusterbits: the output cannot be written: {error.strerror}.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except Exception as error:
        if os.environ.get("CLUSTERBITS_DEBUG"):
            raise
        print(
            f"clusterbits: internal error: {type(error).__name__}: {error}. "
            "Set CLUSTERBITS_DEBUG=1 for the details a bug report needs.",
            file=sys.stderr,
        )
        sys.exit(1)


def _run(arguments: list[str] | None) -> int:
    try:
        from cyclopts import CycloptsError

        from clusterbits.cli import app

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("once", ClusterbitsWarning)
                warnings.showwarning = _show_note
                app(arguments, exit_on_error=False, print_error=False)
        except CycloptsError as error:
            message = " ".join(str(error).split())
            raise ClusterbitsError(f"{message} See clusterbits --help.") from None
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("cyclopts", "rich"):
            raise
        raise MissingExtraError("the command line", "cli") from None
    sys.stdout.flush()
    return 0


def _show_note(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line."""
    print(f"clusterbits: {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
