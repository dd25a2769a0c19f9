"""Trees in files: linkage matrices that numpy saved, and Newick's text."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterbits.errors import FileError, as_path, translating
from clusterbits.ingest.files.formats import TEXT, recognise
from clusterbits.limits import check_memory
from clusterbits.trees.tree import Tree

# What parsing took for each byte of a Newick text.
_PARSED_BYTES = 150


def read_tree(path: Any, encoding: str | None = None) -> Tree:
    """Return the tree in a file: a linkage matrix or children_ in .npy, or Newick's text.

    Text is UTF-8 unless an encoding is named.
    """
    path = as_path(path)
    form, _ = recognise(path)
    with translating(f"{path} cannot be read"):
        if form == "npy":
            return Tree.from_linkage(np.load(path, mmap_mode="r", allow_pickle=False))
        if form in TEXT:
            with path.open(encoding=encoding or "utf-8-sig") as stream:
                if stream.read(64).lstrip("\ufeff \t\r\n").startswith(("(", "[")):
                    stream.seek(0)
                    memory = _PARSED_BYTES * path.stat().st_size
                    check_memory(memory, f"reading the tree in {path}")
                    return Tree.from_newick(stream.read())
    raise FileError(
        f"{path} is no tree: a linkage matrix of scipy, saved by np.save('tree.npy', Z), and "
        "Newick's text are read. Columns of labels are levels of a tree: name them by --level."
    )
