"""The command line: parse, call, display. Importing it brings all commands."""

from clusterbits.cli import coding, scoring, studies  # noqa: F401  # each adds its commands
from clusterbits.cli.app import app, spell_out_arguments
from clusterbits.cli.inputs import FLAGS

__all__ = ["app", "run_command"]


def run_command(arguments: list[str]) -> None:
    """Run a command, without its own handling of errors."""
    app(spell_out_arguments(arguments, FLAGS), exit_on_error=False, print_error=False)
