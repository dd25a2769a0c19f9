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
import re
import sys
import warnings
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
from peer_questions import LABELS, TABLES, labels_of, plain  # noqa: E402

FOLDER = DOCS / "peers"


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


def listing(peer: dict[str, Any]) -> dict[str, Any]:
    """Return what the peer's ``listing`` says: the names, and a version that pip does not know."""
    names: dict[str, Any] = {}
    exec("\n".join(peer["listing"]), names)
    return names


def public_names(peer: dict[str, Any]) -> list[str]:
    """Return the peer's public functions, by their full names."""
    return sorted(listing(peer)["names"])


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
    peer["version"] = listing(peer).get("version") or importlib.metadata.version(peer["package"])
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
    known = sorted(path.stem for path in FOLDER.glob("*.json"))
    if not sys.argv[1:] or set(sys.argv[1:]) - set(known):
        raise SystemExit(f"name one or more of: {', '.join(known)}")
    for argument in sys.argv[1:]:
        write(argument)
