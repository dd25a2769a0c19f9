"""``clusterbits`` and ``python -m clusterbits``: errors are one line, without a traceback."""

from __future__ import annotations

import os
import shutil
import signal
import sys

from clusterbits.errors import ClusterbitsError, MissingExtraError
from clusterbits.text.terminal import drop_output, print_error

# Columns of a terminal; in fewer than five, laying out a help page never ends.
_NARROWEST = 20


def main(arguments: list[str] | None = None) -> None:
    """Run a command; exit 0 on success, 2 on bad input.

    Exit 1 where a result is not as it should be: a requirement fails, a table is not saved, or a
    bug of ours.
    """
    _prepare_streams()
    if arguments is None:  # a process of its own
        _interrupt_at_signals()
    try:
        sys.exit(_run(arguments))
    except ClusterbitsError as error:
        print_error(error)
        sys.exit(2)
    except UnicodeEncodeError as error:  # an argument with bytes that are not text
        print_error(f"{error.object!r} is not UTF-8 text.")
        sys.exit(2)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr, flush=True)
        if arguments is None:
            os._exit(128 + (_received or signal.SIGINT))  # without waiting for threads
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:  # the reader (head, less) is gone, which is not an error
        drop_output()
        sys.exit(0)
    except OSError as error:
        reason = error.strerror or "stdout is closed"
        where = "the output cannot be written" if error.filename is None else error.filename
        print_error(f"{where}: {reason}.")
        drop_output()
        sys.exit(2)
    except Exception as error:
        if os.environ.get("CLUSTERBITS_DEBUG"):
            raise
        print_error(
            f"internal error: {type(error).__name__}: {error}. "
            "Set CLUSTERBITS_DEBUG=1 for the details a bug report needs."
        )
        sys.exit(1)
    finally:
        if arguments is None:  # what is left to do is Python's own
            _ignore_signals()


# The signals that end a command, and the one that did: 0 for none.
_ENDS = (signal.SIGINT, signal.SIGTERM)
_received: int = 0


def _ignore_signals() -> None:
    for number in _ENDS:
        signal.signal(number, signal.SIG_IGN)


def _interrupt_at_signals() -> None:
    """Let SIGTERM end the command as Ctrl-C does: by KeyboardInterrupt, so that files are removed.

    Further signals are ignored meanwhile.
    """

    def interrupt(number: int, _: object) -> None:
        global _received
        _received = number
        _ignore_signals()
        raise KeyboardInterrupt

    for number in _ENDS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as in a background job
            signal.signal(number, interrupt)


def _prepare_streams() -> None:
    """Make any text printable on stdout and stderr, as UTF-8, even if they are closed."""
    for number in range(3):  # or the next file to be opened would be taken for stdout or stderr
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # Writing to a closed stdout is an error; a closed stderr is ignored.
    sys.stdout = sys.stdout or open(os.devnull)  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # An encoding that lacks letters would change labels.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if os.environ.get("COLUMNS") == "0" or shutil.get_terminal_size().columns < _NARROWEST:
        os.environ["COLUMNS"] = str(_NARROWEST)


def _run(arguments: list[str] | None) -> int:
    try:
        from clusterbits.cli import run_command

        run_command(sys.argv[1:] if arguments is None else arguments)
    except Exception as error:
        if _received:  # a library made another error of the interrupt
            raise KeyboardInterrupt from None
        missing = error.name or "" if isinstance(error, ImportError) else ""
        if missing.partition(".")[0] in ("cyclopts", "rich"):
            raise MissingExtraError("the command line", "cli") from None
        raise
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    main()
