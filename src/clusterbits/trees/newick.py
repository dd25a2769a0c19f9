"""Trees written in Newick's format: ((ann:1,bob:1):2,cid:3);"""

from __future__ import annotations

import math
import re

from clusterbits.display.tables import short
from clusterbits.errors import LabelError

# A quoted name, in which '' is a quote; a comment; a sign; or a name or a number.
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\[[^\]]*\]|[(),:;]|[^\s()\[\]':;,][^()\[\]':;,]*)")

_COMMENT = re.compile(r"\[[^\]]*\]")


def parse_newick(text: str) -> tuple[list[int], list[float], list[str | None]]:
    """Return the parent, the branch length and the name of each node; parents come first.

    Without any length, each branch has the length 1; where only some have one, the others have 0.

    >>> parse_newick("(a,(b,c));")
    ([-1, 0, 0, 2, 2], [1.0, 1.0, 1.0, 1.0, 1.0], [None, 'a', None, 'b', 'c'])
    """
    if not isinstance(text, str):
        raise LabelError(f"a {type(text).__name__} is no Newick text, such as '(a,(b,c));'.")
    text = text.removeprefix("\ufeff")
    if "(" not in text and not text.rstrip().endswith(";"):
        raise LabelError(
            f"{short(text.strip(), 20)!r} is no tree in Newick's format, such as '(a,(b,c));'. "
            "Pass the text of a file, as in Path('tree.nwk').read_text()."
        )
    parser = _Parser(text)
    place = 0
    while place < len(text) and not parser.ended:
        found = _TOKEN.match(text, place)
        if found is None:
            rest = text[place:].strip()
            if not rest:
                break
            raise parser.failure(place, f"{short(rest, 20)!r} cannot be read")
        parser.take(found[1], found.start(1))
        place = found.end()
    if _COMMENT.sub("", text[place:]).strip():
        raise parser.failure(place, "there is text after the tree; pass one tree at a time")
    return parser.finish(place)


class _Parser:
    """The nodes so far, and the one that names and lengths belong to."""

    def __init__(self, text: str) -> None:
        self.parents = [-1]
        self.names: list[str | None] = [None]
        self.lengths: list[float | None] = [None]
        self.inner = [False]
        self.node, self.after, self.ended = 0, "", False

    def failure(self, place: int, what: str) -> LabelError:
        return LabelError(
            f"the Newick text is wrong at character {place + 1}: {what}. It looks like "
            "'((ann:1,bob:1):2,cid:3);'."
        )

    def take(self, token: str, place: int) -> None:
        """Read one token; comments are left out."""
        if token.startswith("["):
            return
        if self.after == ":":
            self._measure(token, place)
        elif token == "(":
            if self.inner[self.node] or self.names[self.node] is not None:
                raise self.failure(place, "a parenthesis opens after a name or another tree")
            self.inner[self.node] = True
            self._add(self.node)
        elif token in (",", ")"):
            parent = self.parents[self.node]
            if parent < 0:
                raise self.failure(place, f"{token!r} stands outside of all parentheses")
            if token == ",":
                self._add(parent)
            else:
                self.node = parent
        elif token == ";":
            self.ended = True
        elif token != ":":
            self._name(token, place)
        self.after = token if token in ("(", ",", ")", ":", ";") else "word"

    def _add(self, parent: int) -> None:
        self.node = len(self.parents)
        self.parents.append(parent)
        self.names.append(None)
        self.lengths.append(None)
        self.inner.append(False)

    def _name(self, token: str, place: int) -> None:
        if self.names[self.node] is not None or self.lengths[self.node] is not None:
            raise self.failure(place, f"{short(token, 20)!r} is a second name of a node")
        quoted = token.startswith("'")
        # Blanks of names are written as underscores, unless they are quoted.
        name = token[1:-1].replace("''", "'") if quoted else token.strip().replace("_", " ")
        self.names[self.node] = name

    def _measure(self, token: str, place: int) -> None:
        try:
            length = float(token)
        except ValueError:
            length = math.nan
        if not math.isfinite(length) or self.lengths[self.node] is not None:
            raise self.failure(place, f"{short(token, 20)!r} is no branch length")
        self.lengths[self.node] = length

    def finish(self, place: int) -> tuple[list[int], list[float], list[str | None]]:
        """Return the nodes of a text that ends here."""
        if self.node != 0 or self.after == ":" or len(self.parents) == 1 == self.names.count(None):
            raise self.failure(place, "the text ends before the tree does")
        if any(not inner and self.names[v] is None for v, inner in enumerate(self.inner)):
            raise self.failure(place, "a leaf has no name")
        # That of the root leads nowhere.
        default = 1.0 if all(length is None for length in self.lengths[1:]) else 0.0
        lengths = [default if length is None else length for length in self.lengths]
        return self.parents, lengths, self.names
