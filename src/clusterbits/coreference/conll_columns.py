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

# The entities in a last column: of one token, opened, and closed there.
Brackets = tuple[list[bytes], list[bytes], list[bytes]]


class Lines:
    """The lines of a file, and which of them have to be looked at."""

    def __init__(self, file: str, data: bytes) -> None:
        self.file, self.data = file, data + b"\n"
        letters = np.frombuffer(self.data, dtype=np.uint8)
        self.ends = np.flatnonzero(letters == ord("\n"))
        self.starts = np.concatenate([[0], self.ends[:-1] + 1])
        # Most lines are tokens without an entity.
        last, before = (letters.take(self.ends - back, mode="clip") for back in (1, 2))
        plain = _IS_EMPTY[last] & _IS_GAP[before]
        self.marked = ~plain | (letters[self.starts] == ord("#"))
        self._seen = 0

    def __getitem__(self, number: int) -> bytes:
        return self.data[self.starts[number] : self.ends[number]].rstrip()

    def looked_at(self) -> Iterator[tuple[int, bytes]]:
        """Return each line, with its number, that has a mark, an entity, or nothing."""
        numbers = np.flatnonzero(self.marked)
        spans = map(slice, self.starts[numbers].tolist(), self.ends[numbers].tolist())
        return zip(numbers.tolist(), map(self.data.__getitem__, spans), strict=True)

    def count_columns(self, number: int) -> int:
        """Return how many columns the next line of tokens has; asked for one line after another."""
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
    """A document while it is read: from which line on, and what its entities are called."""

    def __init__(self, lines: Lines, line: int, before: int) -> None:
        self.lines, self.line = lines, line
        # Tokens of the file that are before it, and its own.
        self.before, self.tokens = before, 0
        # The number of each entity among those of all documents, in the order in which entities
        # are first mentioned: so the reference scorer has them, which keeps the first of a mention
        # in two entities.
        self.entities: dict[bytes, int] = {}
        # The first tokens of open mentions, and their lines.
        self.open: dict[bytes, list[tuple[int, int]]] = {}
        self.columns = lines.count_columns(line)

    @property
    def place(self) -> str:
        """Where it begins, for messages."""
        return self.lines.locate(self.line)

    def has_token(self, line: bytes) -> bool:
        """Whether a line that begins with # is a token; any other is a comment or a mark."""
        is_field = _FIELD.fullmatch(line.split()[-1])
        return bool(is_field) and _count_columns(line) == self.columns

    def close(self, tokens: int) -> None:
        """End the document, given the number of tokens in the file up to there."""
        self.tokens = tokens - self.before
        if left := [(line, entity) for entity, own in self.open.items() for _, line in own]:
            line, entity = min(left)
            raise FileError(
                f"{self.lines.locate(line)}: ({entity.decode()} opens a mention of entity "
                f"{entity.decode()} that is not closed in its document."
            )


class Reader:
    """The documents of all files of a side, and their mentions."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        # The document of each entity.
        self.entity_documents = array("q")
        # Of each mention the entity, the first and the last token, and the line of the first.
        self.mentions = array("q")

    def read(self, lines: Lines) -> None:
        """Read a file. Documents end with it, at the latest."""
        inside: Document | None = None
        # Lines so far that are not tokens; tokens up to the last mark, and the line of that.
        others = seen = last = 0
        for number, line in lines.looked_at():
            fields = line.rsplit(None, 1)
            if not fields:
                others += 1
                continue
            if line.startswith(b"#"):
                begins, ends = _BEGIN.match(line), _END.match(line)
                if begins or ends:
                    if inside:
                        inside.close(number - others)
                    elif number - others > seen:
                        break
                    inside, seen, last = None, number - others, number
                if begins:
                    inside = self._begin(begins[1], Document(lines, number, seen))
                if begins or ends or not inside or not inside.has_token(line):
                    others += 1
                    continue
            if inside:
                self._add(inside, fields[-1], number - others - inside.before, number)
        if inside:
            inside.close(len(lines.ends) - others)
        elif len(lines.ends) - others > seen:
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
                f"{document.place}: document {short(repr(name))} appears twice; first at "
                f"{first.place}."
            )
        return document

    def _add(self, document: Document, field: bytes, token: int, line: int) -> None:
        """Add what the last column of a token has.

        A closing bracket closes what its entity opened last. Mentions of one token come first, then
        brackets that open, as all scorers have it.
        """
        alone, opening, closing = _read_field(field) or _refuse_field(document.lines, line)
        for name in alone:
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
            start, of_start = document.open[name].pop()
            self.mentions.extend((document.entities[name], start, token, of_start))

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

    tokens = np.array([one.tokens for one in documents], dtype=np.int64)
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
    """Return what a last column says; None for what is not one."""
    if not _FIELD.fullmatch(field):
        return None
    found: Brackets = [], [], []
    alone, opening, closing = found
    for opens, number, closes in re.findall(rb"(\(?)(\d+)(\)?)", field):
        kind = closing if not opens else alone if closes else opening
        kind.append(number.lstrip(b"0") or b"0")
    return found


def _refuse_field(lines: Lines, line: int) -> Brackets:
    shown = short(repr(lines[line].split()[-1].decode("utf-8", "backslashreplace")))
    raise FileError(
        f"{lines.locate(line)}: the last column has {shown}; entities are written as (3, 3) or "
        "(3), several as (1|(3), and no entity as - or _."
    )


def _name_document(written: bytes) -> str:
    """Return the name of a document as JSON files have it: name and number of the part."""
    name = written.decode("utf-8", "backslashreplace").strip()
    found = _PART.fullmatch(name)
    if found is None:
        return name
    return found[1] if found[2] is None else f"{found[1]}_{int(found[2])}"


def _count_columns(line: bytes) -> int:
    """Return a number of columns: below 0 where blanks separate them, as words of a comment."""
    return line.rstrip().count(b"\t") or -len(line.split())
