"""The command line: parse, call, display. Importing it brings all commands."""

import traceback
import warnings

from cyclopts import CycloptsError

from clusterbits.cli import (  # noqa: F401  # each adds its commands
    coding,
    coreference,
    estimates,
    scoring,
    studies,
    trees,
)
from clusterbits.cli.app import app, spell_out_arguments
from clusterbits.cli.inputs import FLAGS
from clusterbits.display.terminal import print_error
from clusterbits.errors import ClusterbitsError, ClusterbitsWarning, first_line
from clusterbits.measures.catalogue import catalogue

__all__ = ["app", "run_command"]


def run_command(arguments: list[str]) -> None:
    """Run a command; print warnings, and let errors point to its help."""
    given = spell_out_arguments(arguments, FLAGS)
    command = f" {given[0]}" if given[:1] and given[0] in {*app} else ""
    with warnings.catch_warnings():
        warnings.simplefilter("once", ClusterbitsWarning)
        warnings.showwarning = lambda message, *_, **__: print_error(message)
        try:
            app(given, exit_on_error=False, print_error=False)
        except (CycloptsError, ClusterbitsError) as error:
            message = " ".join(str(error).split())
            raise ClusterbitsError(f"{message} See clusterbits{command} --help.") from error
        except Exception as error:
            if not (measure := _own_measure(error)):
                raise
            what = f"{type(error).__name__}: {first_line(error)}"
            raise ClusterbitsError(f"{measure} failed with {what}") from error


def _own_measure(error: Exception) -> str:
    """Return the measure of the user's own that an error came from; empty where it is ours."""
    ran = {frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)}
    own = (entry for entry in catalogue() if not entry.built_in)
    found = (one.name for one in own if getattr(one.function, "__code__", None) in ran)
    return next(found, "")
