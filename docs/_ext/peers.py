"""What is stored of other packages in docs/peers, a file for each."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "peers"


@cache
def read_peers() -> dict[str, dict[str, Any]]:
    """Return what is known of each peer, by the name of its file."""
    files = sorted(FOLDER.glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files}


@cache
def shared_rows() -> list[dict[str, Any]]:
    """Return one row for each measure of another library that we have as well."""
    return [
        {"library": peer["name"], **row}
        for peer in read_peers().values()
        for row in peer["rows"]
        if row["ours"]
    ]


def external_functions() -> tuple[list[str], list[str]]:
    """Return the functions of peers that score one labeling by another: those we have, and not."""
    have: set[tuple[str, str]] = set()
    lack: set[tuple[str, str]] = set()
    for name, peer in read_peers().items():
        have |= {(name, row["theirs"]) for row in peer["rows"] if row["ours"]}
        for row in peer["absent"]:
            if "external" in row:
                ours = row["instead"].startswith("`cb.")
                (have if ours else lack).add((name, row["theirs"]))
    return [theirs for _, theirs in sorted(have)], [theirs for _, theirs in sorted(lack)]
