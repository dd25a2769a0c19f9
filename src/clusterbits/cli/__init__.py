"""The command line: parse, call, display. Importing it brings all commands."""

import warnings
from typing import Any

from clusterbits.cli import coding, scoring, studies, trees  # noqa: F401  # each adds its commands
from clusterbits.cli.app import app, spell_out_arguments
from clusterbits.cli.inputs import FLAGS
from clusterbits.cli.wording import as_options
from clusterbits.display.terminal import print_error
from clusterbits.errors import ClusterbitsError, ClusterbitsWarning

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


def _reworded(message: object, arguments: list[str]) -> str:
    command = next(iter(arguments), "")
    if command not in {*app}:
        return str(message)
    known = app[command].assemble_argument_collection()
    return as_options(str(message), {name for argument in known for name in argument.names})
