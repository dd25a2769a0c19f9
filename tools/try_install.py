"""Install each built file into an empty environment and run the demo outside the checkout.

python tools/try_install.py dist/*
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def try_install(built: Path) -> None:
    """Install one sdist or wheel as a user does; a command that fails ends the script."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder, "Scripts" if os.name == "nt" else "bin")
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}

        def run(*command: str) -> str:
            done = subprocess.run(
                [str(programs / command[0]), *command[1:]],
                cwd=folder, env=environment | {"PYTHONUTF8": "1"},
                check=True, encoding="utf-8", stdout=subprocess.PIPE,
            )  # fmt: skip
            return done.stdout

        run("python", "-m", "pip", "install", "--quiet", f"{built.resolve()}[cli]")
        run("python", "-m", "pip", "check")
        where = run("python", "-c", "import clusterbits; print(clusterbits.__file__)")
        assert Path(folder).resolve() in Path(where).resolve().parents, where
        demo = run("clusterbits", "demo")
        assert "ward_12" in demo, demo
        print(f"{built.name}: {run('clusterbits', '--version').strip()}, the demo runs")


if __name__ == "__main__":
    if not sys.argv[1:]:
        raise SystemExit("name what to install: python tools/try_install.py dist/*")
    for argument in sys.argv[1:]:
        try_install(Path(argument))
