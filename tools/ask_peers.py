"""Ask a peer for its values on fixed labels, and write them into docs/peers/NAME.json.

python tools/ask_peers.py scikit_learn

Run it with a Python that has the peer; it needs nothing else. What people write in the file stays:
how the peer is called (``setup`` and each row's ``asks``) and what differs. Version, public names
and answers are written anew.
"""

import contextlib
import importlib.metadata
import io
import json
import math
import re
import sys
import warnings
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs/peers"

# Labels by their table: a row for each class, a column for each cluster.
TABLES = {
    "ordinary": [[8, 1, 0, 1], [2, 6, 1, 0], [0, 2, 5, 3]],
    "random": [[3, 5, 2, 4], [4, 2, 6, 3], [5, 4, 3, 3]],
    "fewer clusters than classes": [[6, 1], [5, 2], [1, 9]],
    "perfect": [[0, 4, 0], [3, 0, 0], [0, 0, 2]],
    "independent": [[4, 8], [2, 4]],
    "one object": [[1]],
    "one class, one cluster": [[7]],
    "one class": [[3, 1, 2]],
    "one cluster": [[3], [1], [2]],
    "all singletons": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "singleton clusters": [[1, 1, 0, 0], [0, 0, 1, 1]],
    "singleton classes": [[1, 0], [1, 0], [0, 1]],
    "100,000 objects": [[36000, 2000, 1000], [3000, 29000, 500], [500, 1000, 27000]],
}

# Labels that need care: what comes back for them, or which error.
LABELS = {
    "text": (["a", "a", "b", "b"], ["x", "x", "x", "y"]),
    "a cluster -1": ([0, 0, 1, 1], [0, -1, 1, -1]),
    "None": ([0, 0, 1, 1], [0, 0, 1, None]),
    "NaN": ([0, 0, 1, 1], [0.0, 0.0, 1.0, math.nan]),
    "two lengths": ([0, 0, 1, 1], [0, 0, 1]),
    "no objects": ([], []),
    "identifiers as labels": ([7, 7, 4_000_000, 4_000_000], [3_000_000, 5, 5, 5]),
}


def labels_of(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Return truth and pred, one label for each object."""
    truth, pred = [], []
    for row, counts in enumerate(table):
        for column, count in enumerate(counts):
            truth += [row] * count
            pred += [column] * count
    return truth, pred


def plain(value: Any) -> Any:
    """Return numbers as JSON has them; NaN and infinities as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if isinstance(value, (bool, int)):
        return int(value)
    value = float(value)
    return value if math.isfinite(value) else str(value)


def ask(peer: dict[str, Any], expression: str, truth: list, pred: list) -> Any:
    """Return what a peer answers, or the name of its error: "ValueError: ..."."""
    names: dict[str, Any] = {"truth": truth, "pred": pred}
    quiet = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(quiet):
        warnings.simplefilter("ignore")
        try:
            exec("\n".join(peer["setup"]), names)
            return plain(eval(expression, names))
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            return f"{type(error).__name__}: {first}".rstrip(": ")


def public_names(peer: dict[str, Any]) -> list[str]:
    """Return the peer's public functions, by their full names."""
    names: dict[str, Any] = {}
    exec("\n".join(peer["listing"]), names)
    return sorted(names["names"])


def answers(peer: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return the answers of one function, by table."""
    asked = [name for name in TABLES if name not in row.get("not_asked", [])]
    return {name: ask(peer, row["asks"], *labels_of(TABLES[name])) for name in asked}


def answers_to_labels(peer: dict[str, Any]) -> dict[str, Any]:
    """Return the answers to labels that need care, by what is special about them."""
    return {name: ask(peer, peer["labels_asked_by"], *LABELS[name]) for name in LABELS}


def write(name: str) -> None:
    path = FOLDER / f"{name}.json"
    peer = json.loads(path.read_text(encoding="utf-8"))
    peer["version"] = importlib.metadata.version(peer["package"])
    peer["public"] = public_names(peer)
    if "labels_asked_by" in peer:
        peer["labels"] = answers_to_labels(peer)
    for row in peer["rows"]:
        row["answers"] = answers(peer, row)
    path.write_text(dump(peer) + "\n", encoding="utf-8")


def dump(peer: dict[str, Any]) -> str:
    """Return JSON with lists of numbers on one line."""
    text = json.dumps(peer, indent=1, ensure_ascii=False)
    return re.sub(r"\[[\d\s.,e+-]+\]", lambda found: re.sub(r"\s+", " ", found[0]), text)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write(argument)
