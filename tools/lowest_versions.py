"""Print the lowest versions that pyproject.toml allows, as a constraints file for pip.

python tools/lowest_versions.py > lowest.txt
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
# What users meet: the package, its extras, and in `test` the libraries that their labels come from.
# What only tests, linters and releases use may be as new as it is.
EXTRAS = ("files", "cli", "plot", "report", "images", "dask", "spark", "test")
TOOLS = {"pytest", "pytest-xdist", "hypothesis", "mpmath"}
BOUND = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?>=(?P<version>[\d.]+)")


def lowest_versions(project: dict) -> dict[str, str]:
    """Return the lower bound of each requirement; the package's own extras have none."""
    extras = project["optional-dependencies"]
    requirements = [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]
    others = [one for one in requirements if not one.startswith(project["name"])]
    found = {}
    for requirement in others:
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            raise SystemExit(f"{requirement!r} has no lower bound of the form name>=version")
        name, version = bound["name"], bound["version"]
        if found.setdefault(name, version) != version:
            raise SystemExit(f"{name} has two lower bounds: {found[name]} and {version}")
    return {name: version for name, version in found.items() if name not in TOOLS}


if __name__ == "__main__":
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    for name, version in sorted(lowest_versions(project).items()):
        print(f"{name}=={version}")
