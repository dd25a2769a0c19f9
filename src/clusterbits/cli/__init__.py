"""The command line: parse, call, display. Importing it brings all commands."""

from clusterbits.cli import coding, scoring, studies  # noqa: F401  # each adds its commands
from clusterbits.cli.app import app

__all__ = ["app"]
