"""Files in the columns of CoNLL-2011 and 2012: one token a line, entities in the last column.

A token that opens a mention of entity 3 has ``(3``, one that closes it ``3)``, a mention of one
token ``(3)``, and several of them stand side by side as ``(1|(3)``. Mentions may nest and cross.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, islice

import numpy as np

from clusterbits.coreference.annotation import Annotation, repeat_positions
from clusterbits.errors import FileError
from clusterbits.text.tables import short

_BEGIN = re.compile(rb"#\s*begin document\s*(.*)")
_END = re.compile(rb"#\s*end document")
_PART = re.compile(r"\((.*)\);?\s*(?:part\s*([0-9]{1,9}))?")
_NO_ENTITY = (b"-", b"_", b"*")
_BRACKET = rb"(?:\(\d+\)?|\d+\))"
# The bar may be left out, as for the reference scorer.
_FIELD = re.compile(rb"[-_*]|%b(?:\|?%b)*" % (_BRACKET, _BRACKET))

# The entities in a last column: mentions of one token, opened and closed ones.
Brackets = tuple[list[bytes], list[bytes], list[bytes]]


class Document:
    """A document of a file; lines are numbered from 1."""

    def __init__(self, file: str, lines: Sequence[bytes], line: int) -> None:
        self.file, self.lines, self.line = file, lines, line
        self.tokens = 0
        # In order of their first mention, as the reference scorer has them: it keeps a mention of
        # two entities in the first. First and last tokens of mentions in turn.
        self.entities: dict[bytes, array[int]] = {}
        # First tokens of open mentions, and their lines.
        self.open: dict[bytes, list[tuple[int, int]]] = {}

    def locate(self, line: int) -> str:
        """Return the file and line: key.conll, line 12."""
        return f"{self.file}, line {line:,}"

    @cached_property
    def columns(self) -> int:
        """The number of columns of its tokens."""
        further = islice(self.lines, self.line, None)
        tokens = (line for line in further if line.strip() and not line.startswith(b"#"))
        return next(map(_count_columns, tokens), 0)

    def has_token(self, line: bytes) -> bool:
        """Whether a line that begins with # is a token; any other is a comment."""
        is_field = _FIELD.fullmatch(line.split()[-1])
        return bool(is_field) and _count_columns(line) == self.columns

    def add_mentions(self, field: bytes, line: int) -> None:
        """Add the mentions in the last column of the next token.

        A closing bracket closes what its entity opened last. Mentions of one token come first, then
        brackets that open, as all scorers have it.
        """
        token, brackets = self.tokens, _read_field(field)
        if brackets is None:
            shown = short(repr(field.decode("utf-8", "backslashreplace")))
            raise FileError(
                f"{self.locate(line)}: the last column has {shown}; entities are written "
                "as (3, 3) or (3), several as (1|(3), and no entity as - or _."
            )
        single, opening, closing = brackets
        for name in single:
            self.entities.setdefault(name, array("q")).extend((token, token))
        for name in opening:
            self.entities.setdefault(name, array("q"))
            self.open.setdefault(name, []).append((token, line))
        for name in closing:
            if not self.open.get(name):
                raise FileError(
                    f"{self.locate(line)}: {name.decode()}) closes a mention of entity "
                    f"{name.decode()} that is not open."
                )
            start, _ = self.open[name].pop()
            self.entities[name].extend((start, token))

    def close(self) -> None:
        """Raise if a mention is still open."""
        if unclosed := [(line, name) for name, opened in self.open.items() for _, line in opened]:
            line, name = min(unclosed)
            raise FileError(
                f"{self.locate(line)}: ({name.decode()} opens a mention of entity "
                f"{name.decode()} that is not closed in its document."
            )


def read_columns(files: Sequence[tuple[str, bytes]], name: str) -> Annotation:
    """Return the annotation in files of columns, each a name and the bytes."""
    documents = read_documents(files)
    entities = [list(document.entities.values()) for document in documents.values()]
    spans = list(chain.from_iterable(entities))
    return Annotation(
        name,
        {name: document.locate(document.line) for name, document in documents.items()},
        repeat_positions(entities),
        repeat_positions(spans)[::2],
        np.frombuffer(b"".join(spans), dtype=np.int64).reshape(-1, 2),
        np.array([document.tokens for document in documents.values()], dtype=np.int64),
    )


def read_documents(files: Sequence[tuple[str, bytes]]) -> dict[str, Document]:
    """Return the documents in files of columns, each a name and the bytes."""
    documents: dict[str, Document] = {}
    for file, data in files:
        for name, document in _read_file(file, data):
            first = documents.setdefault(name, document)
            if first is not document:
                raise FileError(
                    f"{document.locate(document.line)}: document {short(repr(name))} appears "
                    f"twice; first at {first.locate(first.line)}."
                )
    return documents


def _read_file(file: str, data: bytes) -> Iterator[tuple[str, Document]]:
    """Yield the documents of a file, before they are read. They end with it, at the latest."""
    document: Document | None = None
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not (fields := line.rsplit(None, 1)):
            continue
        if line.startswith(b"#"):
            begins = _BEGIN.match(line)
            if document and (begins or _END.match(line)):
                document.close()
                document = None
            if begins:
                document = Document(file, lines, number)
                yield _name_document(begins[1]), document
            if not document or begins or not document.has_token(line):
                continue
        if not document:
            raise FileError(
                f"{file}, line {number:,} is outside of a document: documents begin with a "
                "line '#begin document (NAME); part 000' and end with '#end document'."
            )
        if fields[-1] not in _NO_ENTITY:
            document.add_mentions(fields[-1], number)
        document.tokens += 1
    if document:
        document.close()


@lru_cache(maxsize=1 << 16)
def _read_field(field: bytes) -> Brackets | None:
    """Return the brackets of a last column, or None if it is not one."""
    if not _FIELD.fullmatch(field):
        return None
    single: list[bytes] = []
    opening: list[bytes] = []
    closing: list[bytes] = []
    kinds = {(b"(", b")"): single, (b"(", b""): opening, (b"", b")"): closing}
    for opens, number, closes in re.findall(rb"(\(?)(\d+)(\)?)", field):
        kinds[opens, closes].append(number.lstrip(b"0") or b"0")
    return single, opening, closing


def _name_document(written: bytes) -> str:
    """Return the name of a document as JSON files have it: name and number of the part."""
    name = written.decode("utf-8", "backslashreplace").strip()
    match = _PART.fullmatch(name)
    if match is None:
        return name
    return match[1] if match[2] is None else f"{match[1]}_{int(match[2])}"


def _count_columns(line: bytes) -> int:
    """Return the number of columns; negative if blanks separate them, as words of a comment."""
    return line.rstrip().count(b"\t") or -len(line.split())
