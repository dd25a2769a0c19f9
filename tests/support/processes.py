"""The command line in a process of its own."""

import subprocess
import sys


def start(*arguments, **options):
    """Run a command to its end and return what came of it, its output as text."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    command = [sys.executable, "-m", "clusterbits", *map(str, arguments)]
    return subprocess.run(command, check=False, **options)
