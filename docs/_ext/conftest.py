"""Doctests of the extensions need Sphinx, which users who test the package need not have."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("sphinx") else ["*.py"]
