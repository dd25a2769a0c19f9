"""Coverage-guided fuzzing by atheris: finds bytes that reach new code, for each reader of bytes.

    python tests/fuzz/guided.py                    # every target, a minute each
    python tests/fuzz/guided.py "load json" csv    # some of them

Only Python code guides it, so it finds most in decode and in saved JSON tables.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SECONDS = 60


def fuzz(name: str) -> None:
    import atheris

    sys.path.insert(0, str(Path(__file__).parent.parent))
    with atheris.instrument_imports(include=["clusterbits"]):
        from support.targets import TARGETS

    target = TARGETS[name]
    with TemporaryDirectory() as corpus:
        for i, sample in enumerate(target.samples()):
            Path(corpus, str(i)).write_bytes(sample)
        limits = ["-timeout=30", f"-max_total_time={SECONDS}"]
        atheris.Setup([sys.argv[0], *limits, corpus], target.read)
        atheris.Fuzz()


def main(names: list[str]) -> None:
    # libFuzzer ends the process, so that each target has one of its own.
    for name in names:
        print(f"fuzzing {name}", flush=True)
        subprocess.run([sys.executable, __file__, "--one", name], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        fuzz(sys.argv[2])
    else:
        sys.path.insert(0, str(Path(__file__).parent.parent))
        from support.targets import TARGETS

        main(sys.argv[1:] or list(TARGETS))
