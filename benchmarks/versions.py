"""This version beside an earlier one, in turn: processor time.

    python benchmarks/versions.py [REVISION]

The revision is 292ddc4 unless given: version 0.2, before it was made small. It is checked out and
compiled in a temporary folder. Each row runs three times with either, one after the other.
"""

import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import head, row

HERE = Path(__file__).resolve().parent.parent
LAST_LARGE = "292ddc4"
HELP = """
from clusterbits.__main__ import main
try:
    main(["--help"])
except SystemExit:
    pass
"""


def pair(n, classes, clusters, dtype=np.int64):
    rng = np.random.default_rng(0)
    return [rng.integers(0, most, n).astype(dtype) for most in (classes, clusters)]


def rows():
    """Yield the name of each row, and what is called."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    import clusterbits as cb

    count = cb.Contingency.from_labels
    few = pair(100, 5, 6)
    yield "`q0` of 100 integers, 1,000 times", lambda: [cb.q0(*few) for _ in range(1000)]
    yield "`evaluate` of the same, 100 times", lambda: [cb.evaluate(*few) for _ in range(100)]
    for name, sides in {
        "int64, n = 1e7, 10 × 12": pair(10**7, 10, 12),
        "int32, n = 1e7, 10 × 12": pair(10**7, 10, 12, np.int32),
        "int64, n = 1e7, 1000 × 1200": pair(10**7, 1000, 1200),
        "int64, n = 1e6, 50,000 × 60,000": pair(10**6, 50_000, 60_000),
    }.items():
        yield f"count {name}", lambda sides=sides: count(*sides)
    names = np.array([f"class {i}" for i in range(25)])
    text = [names[side] for side in pair(10**6, 20, 25)]
    for name, make in {
        "str (U)": lambda side: side,
        "str (object)": lambda side: side.astype(object),
        "list of str": lambda side: side.tolist(),
        "list of int": lambda side: np.unique(side, return_inverse=True)[1].tolist(),
        "polars": pl.Series,
        "pyarrow": lambda side: pa.array(side.tolist()),
        "pandas str": lambda side: pd.Series(side.tolist(), dtype="str"),
        "pandas category": lambda side: pd.Series(side).astype("category"),
    }.items():
        sides = [make(side) for side in text]
        yield f"count {name}, n = 1e6, 20 × 25", lambda sides=sides: count(*sides)
    by_id = [dict(enumerate(side.tolist())) for side in pair(10**6, 20, 25)]
    yield "count two dicts of 1e6 ids", lambda: count(*by_id)
    truth, pred = pair(10**6, 10, 12)
    codec = getattr(cb, "codec", cb)
    yield "encode 1e6 labels, 10 × 12", lambda: codec.encode(truth, pred)
    code = codec.encode(truth, pred)
    yield "decode them", lambda: codec.decode(code, pred)
    large = count(*pair(10**5, 1000, 1200))
    yield "`explain`, n = 1e5, 1000 × 1200", lambda: cb.explain(large)
    from clusterbits.cli.demo import load_digits

    runs = load_digits()
    digits = runs.pop("digit")
    # The option had another name in 0.2.
    known = "confidence_level" in inspect.signature(cb.evaluate).parameters
    level = {"confidence_level" if known else "interval": 0.95}
    name = f"`evaluate` {len(runs)} runs of 1,797 objects with intervals"
    yield name, lambda: cb.evaluate(digits, runs, **level)


def least(call, repeats=3):
    """Return the least processor time, of all threads together, of two to four calls."""
    found = []
    while len(found) < 2 or (len(found) <= repeats and found[-1] < 1):
        begin = time.process_time()
        call()
        found.append(time.process_time() - begin)
    return min(found)


def start(code, repeats=5):
    """Return the least processor time of code in a new process, numpy imported before."""
    timed = f"import time, numpy; begin = time.process_time()\n{code}\n"
    timed += "import sys; print(time.process_time() - begin, file=sys.stderr)"
    call = [sys.executable, "-c", timed]
    runs = [subprocess.run(call, capture_output=True, check=True) for _ in range(repeats)]
    return min(float(run.stderr) for run in runs)


def measure():
    """Print the seconds of each row as JSON: called with each version in a process of its own."""
    found = {
        "`import clusterbits` after numpy": start("import clusterbits"),
        "`clusterbits --help` after numpy": start(HELP),
    }
    found |= {name: least(call) for name, call in rows()}
    print(json.dumps(found))


def main(revision):
    with tempfile.TemporaryDirectory() as folder:
        before, installed = Path(folder, "before"), Path(folder, "installed")
        tree = ["git", "-C", HERE, "worktree"]
        subprocess.run([*tree, "add", "--quiet", "--detach", before, revision], check=True)
        try:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            subprocess.run([*pip, "--target", installed, before], check=True)
            runs = {installed: [], HERE / "src": []}
            for _ in range(3):
                for source, found in runs.items():
                    ours = os.environ | {"PYTHONPATH": str(source)}
                    call = [sys.executable, __file__, "--measure"]
                    answer = subprocess.run(call, env=ours, stdout=subprocess.PIPE, check=True)
                    found.append(json.loads(answer.stdout))
        finally:
            subprocess.run([*tree, "remove", "--force", before], check=True)
    head("processor time", revision, "now", "times faster")
    for name in runs[HERE / "src"][0]:
        old, new = (min(found[name] for found in found_by) for found_by in runs.values())
        row(name, f"{old * 1e3:.1f} ms", f"{new * 1e3:.1f} ms", f"{old / new:.1f}")


if __name__ == "__main__":
    measure() if sys.argv[1:] == ["--measure"] else main(*sys.argv[1:] or [LAST_LARGE])
