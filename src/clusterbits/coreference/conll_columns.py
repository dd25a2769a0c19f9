"""Files in the columns of CoNLL-2011 and 2012: one token a line, entities in the last column.

A token that opens a mention of entity 3 has ``(3``, one that closes it ``3)``, a mention of one
token ``(3)``, and several of them stand side by side as ``(1|(3)``. Mentions may nest and cross.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count

import numpy as np

from clusterbits.coreference.annotation import Annotation
from clusterbits.errors import FileError
from clusterbits.text.tables import short

_BEGIN = re.compile(rb"#\s*begin document\s*(.*)")
_END = re.compile(rb"#\s*end document")
_PART = re.compile(r"\((.*)\);?\s*(?:part\s*([0-9]{1,9}))?")
_BRACKET = rb"(?:\(\d+\)?|\d+\))"
# The bar may be left out, as for the reference scorer.
_FIELD = re.compile(rb"[-_*]|%b(?:\|?%b)*" % (_BRACKET, _BRACKET))
_IS_EMPTY = np.isin(np.arange(256), list(b"-_*"))
_IS_GAP = np.isin(np.arange(256), list(b" \t\n"))

# The entities in a last column: mentions of one token, opened and closed ones.
Brackets = tuple[list[bytes], list[bytes], list[bytes]]


class Lines:
    """The lines of a file; `marked` are those that are not plain tokens without an entity."""

    def __init__(self, file: str, data: bytes) -> None:
        self.file, self.data = file, data + b"\n"
        letters = np.frombuffer(self.data, dtype=np.uint8)
        self.ends = np.flatnonzero(letters == ord("\n"))
        self.starts = np.concatenate([[0], self.ends[:-1] + 1])
        last, before = (letters.take(self.ends - back, mode="clip") for back in (1, 2))
        plain = _IS_EMPTY[last] & _IS_GAP[before]
        self.marked = ~plain | (letters[self.starts] == ord("#"))
        self._seen = 0

    def __getitem__(self, number: int) -> bytes:
        return self.data[self.starts[number] : self.ends[number]].rstrip()

    def list_marked(self) -> Iterator[tuple[int, bytes]]:
        """Return numbers and bytes of the lines with a mark or an entity, and of empty lines."""
        numbers = np.flatnonzero(self.marked)
        spans = map(slice, self.starts[numbers].tolist(), self.ends[numbers].tolist())
        return zip(numbers.tolist(), map(self.data.__getitem__, spans), strict=True)

    def count_columns(self, number: int) -> int:
        """Return the number of columns of the next token; line numbers must not fall."""
        self._seen = max(self._seen, number)
        while self._seen < len(self.ends):
            if (line := self[self._seen])[:1] not in (b"", b"#"):
                return _count_columns(line)
            self._seen += 1
        return 0

    def locate(self, number: int) -> str:
        """Return the file and line: key.conll, line 12."""
        return f"{self.file}, line {number + 1:,}"


class Document:
    """A document while it is read, from its first line on."""

    def __init__(self, lines: Lines, line: int, before: int) -> None:
        self.lines, self.line = lines, line
        # Tokens of the file before it, and in it.
        self.before, self.tokens = before, 0
        # Codes of entities in order of their first mention, as the reference scorer has them: it
        # keeps a mention of two entities in the first.
        self.entities: dict[bytes, int] = {}
        # First tokens of open mentions, and their lines.
        self.open: dict[bytes, list[tuple[int, int]]] = {}
        self.columns = lines.count_columns(line)

    def has_token(self, line: bytes) -> bool:
        """Whether a line that begins with # is a token; any other is a comment or a mark."""
        is_field = _FIELD.fullmatch(line.split()[-1])
        return bool(is_field) and _count_columns(line) == self.columns

    def close(self, tokens: int) -> None:
        """End the document; `tokens` counts those of the file up to here."""
        self.tokens = tokens - self.before
        if unclosed := [(line, name) for name, opened in self.open.items() for _, line in opened]:
            line, name = min(unclosed)
            raise FileError(
                f"{self.lines.locate(line)}: ({name.decode()} opens a mention of entity "
                f"{name.decode()} that is not closed in its document."
            )


class Reader:
    """The documents of all files of a side, the document of each entity, and the mentions.

    Four numbers a mention: entity, first and last token, line of the first.
    """

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.entity_documents = array("q")
        self.mentions = array("q")

    def read(self, lines: Lines) -> None:
        """Read a file. Documents end with it, at the latest."""
        inside: Document | None = None
        # Lines so far that are not tokens; tokens up to the last mark, and its line.
        skipped = seen = last = 0
        for number, line in lines.list_marked():
            fields = line.rsplit(None, 1)
            if not fields:
                skipped += 1
                continue
            if line.startswith(b"#"):
                begins, ends = _BEGIN.match(line), _END.match(line)
                if begins or ends:
                    if inside:
                        inside.close(number - skipped)
                    elif number - skipped > seen:
                        break
                    inside, seen, last = None, number - skipped, number
                if begins:
                    inside = self._begin(begins[1], Document(lines, number, seen))
                if begins or ends or not inside or not inside.has_token(line):
                    skipped += 1
                    continue
            if inside:
                self._add(inside, fields[-1], number - skipped - inside.before, number)
        if inside:
            inside.close(len(lines.ends) - skipped)
        elif len(lines.ends) - skipped > seen:
            first = next(i for i in count(last) if lines[i] and lines[i][:1] != b"#")
            raise FileError(
                f"{lines.locate(first)} is outside of a document: documents begin with a line "
                "'#begin document (NAME); part 000' and end with '#end document'."
            )

    def _begin(self, written: bytes, document: Document) -> Document:
        name = _name_document(written)
        first = self.documents.setdefault(name, document)
        if first is not document:
            raise FileError(
                f"{document.lines.locate(document.line)}: document {short(repr(name))} appears "
                f"twice; first at {first.lines.locate(first.line)}."
            )
        return document

    def _add(self, document: Document, field: bytes, token: int, line: int) -> None:
        """Add the mentions in the last column of a token.

        A closing bracket closes what its entity opened last. Mentions of one token come first, then
        brackets that open, as all scorers have it.
        """
        brackets = _read_field(field)
        if brackets is None:
            shown = short(repr(field.decode("utf-8", "backslashreplace")))
            raise FileError(
                f"{document.lines.locate(line)}: the last column has {shown}; entities are written "
                "as (3, 3) or (3), several as (1|(3), and no entity as - or _."
            )
        single, opening, closing = brackets
        for name in single:
            self.mentions.extend((self._number(document, name), token, token, line))
        for name in opening:
            self._number(document, name)
            document.open.setdefault(name, []).append((token, line))
        for name in closing:
            if not document.open.get(name):
                raise FileError(
                    f"{document.lines.locate(line)}: {name.decode()}) closes a mention of entity "
                    f"{name.decode()} that is not open."
                )
            start, start_line = document.open[name].pop()
            self.mentions.extend((document.entities[name], start, token, start_line))

    def _number(self, document: Document, name: bytes) -> int:
        if name not in document.entities:
            document.entities[name] = len(self.entity_documents)
            self.entity_documents.append(len(self.documents) - 1)
        return document.entities[name]


def read_columns(files: Sequence[tuple[str, bytes]], name: str) -> Annotation:
    """Return the annotation in files of columns, each a name and the bytes."""
    reader = Reader()
    for file, data in files:
        reader.read(Lines(file, data))
    mentions = np.array(reader.mentions, dtype=np.int64).reshape(-1, 4)
    mentions = mentions[np.argsort(mentions[:, 0], kind="stable")]
    entity_documents = np.array(reader.entity_documents, dtype=np.intp)
    documents = [*reader.documents.values()]

    def locate(mention: int) -> str:
        entity, _, _, line = map(int, mentions[mention])
        return documents[int(entity_documents[entity])].lines.locate(line)

    tokens = np.array([document.tokens for document in documents], dtype=np.int64)
    return Annotation(
        name,
        list(reader.documents),
        entity_documents,
        mentions[:, 0],
        mentions[:, 1:3],
        locate,
        tokens,
    )


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
