"""The command line: parse, call, display. Importing it brings all commands."""

import inspect
import re
import traceback
import warnings
from typing import Any

from cyclopts import MissingArgumentError

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
from clusterbits.cli.wording import as_options
from clusterbits.display.terminal import print_error
from clusterbits.errors import ClusterbitsError, ClusterbitsWarning, first_line
from clusterbits.measures.catalogue import catalogue

__all__ = ["app", "run_command"]


def run_command(arguments: list[str]) -> None:
    """Run a command; its errors and warnings, which are printed, name options as it does."""
    given = spell_out_arguments(arguments, FLAGS)

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        print_error(_reworded(message, given))

    with warnings.catch_warnings():
        warnings.simplefilter("once", ClusterbitsWarning)
        warnings.showwarning = show_warning
        try:
            app(given, exit_on_error=False, print_error=False)
        except ClusterbitsError as error:
            raise ClusterbitsError(_reworded(error, given)) from error
        except MissingArgumentError as error:
            if not (example := _example(error)):
                raise
            message = " ".join(str(error).split())
            raise ClusterbitsError(f"{message} Example: {example}") from None
        except Exception as error:
            if not (measure := _own_measure(error)):
                raise
            what = f"{type(error).__name__}: {first_line(error)}"
            raise ClusterbitsError(f"{measure} failed with {what}") from error


def _reworded(message: object, arguments: list[str]) -> str:
    command = next(iter(arguments), "")
    if command not in {*app}:
        return str(message)
    known = app[command].assemble_argument_collection()
    return as_options(str(message), {name for argument in known for name in argument.names})


def _own_measure(error: Exception) -> str:
    """Return the measure of the user's own that an error came from; empty where it is ours."""
    ran = {frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)}
    return next(
        (
            entry.name
            for entry in catalogue()
            if not entry.built_in and getattr(entry.function, "__code__", None) in ran
        ),
        "",
    )


def _example(error: MissingArgumentError) -> str:
    """Return an example of the command, from its help, that has the argument; empty without one."""
    if error.argument is None or not error.command_chain:
        return ""
    names = error.argument.names
    text = inspect.getdoc(app[error.command_chain[0]].default_command) or ""
    examples = re.findall(r"^Example: (.*)$", text, re.MULTILINE)
    if names[0].startswith("-"):
        examples = [one for one in examples if {*one.split()} & {*names}]
    return next(iter(examples), "")
