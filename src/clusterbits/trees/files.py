"""Trees in files: linkage matrices that numpy saved, and Newick's text."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterbits.errors import FileError, as_path, first_line, no_file, refuse_device, translating
from clusterbits.limits import check_memory
from clusterbits.trees.tree import Tree

_NUMPY = b"\x93NUMPY"
# What parsing took for each byte of a Newick text.
_PARSED_BYTES = 150


def read_tree(path: Any, encoding: str | None = None) -> Tree:
    """Return the tree in a file: a linkage matrix or children_ in .npy, or Newick's text.

    Text is UTF-8 unless an encoding is named.
    """
    encoding = encoding or "utf-8-sig"
    path = as_path(path)
    refuse_device(path)
    try:
        with open(path, "rb") as stream:
            start = stream.read(64)
        if start.startswith(_NUMPY):
            return Tree.from_linkage(_load(path))
        if start.decode(encoding, "ignore").lstrip("\ufeff \t\r\n").startswith(("(", "[")):
            memory = _PARSED_BYTES * path.stat().st_size
            check_memory(memory, f"reading the tree in {path}")
            return Tree.from_newick(path.read_text(encoding=encoding))
    except (FileNotFoundError, NotADirectoryError):
        raise no_file(path) from None
    except UnicodeDecodeError:
        text = "UTF-8" if encoding == "utf-8-sig" else encoding
        raise FileError(
            f"{path} is not {text} text: name its encoding, such as encoding='latin-1'."
        ) from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or first_line(error)}.") from None
    raise FileError(
        f"{path} is no tree: a linkage matrix of scipy, saved by np.save('tree.npy', Z), and "
        "Newick's text are read. Columns of labels are levels of a tree: name them by --level."
    )


def _load(path: Any) -> Any:
    with translating(f"{path} cannot be read"):
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
