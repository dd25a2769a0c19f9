"""Files in the columns of CoNLL-2011 and 2012: one token a line, entities in the last column.

A token that opens a mention of entity 3 has ``(3``, one that closes it ``3)``, a mention of one
token ``(3)``, and several of them stand side by side as ``(1|(3)``. Mentions may nest and cross.
Everything but the lines of marks is done for all lines at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.spans import list_spans
from clusterbits.coreference.annotation import Annotation, Indices
from clusterbits.display.tables import short
from clusterbits.errors import FileError

_BEGIN = re.compile(rb"#\s*begin document\s*(.*)")
_END = re.compile(rb"#\s*end document")
_PART = re.compile(r"\((.*)\);?\s*(?:part\s*([0-9]{1,9}))?")
_FIELD = re.compile(rb"(?:\|?(?:\(\d+\)?|\d+\)))+|[-_*]")
# Where a bracket follows another without a bar, which the reference scorer reads as well.
_BETWEEN = re.compile(rb"(?<=[\d)])(?=\()|(?<=\))(?=\d)")
_BLANKS = b" \t\r\x0b\x0c"
_IS_BLANK = np.isin(np.arange(256), list(_BLANKS))
_IS_GAP = np.isin(np.arange(256), list(_BLANKS + b"\n"))
_IS_EMPTY = np.isin(np.arange(256), list(b"-_*"))
_BLOCK = 1 << 18
# Longer fields than this are looked for one by one.
_USUAL = 32
# Up to so many possible numbers for each one there is, a lookup is faster than sorting.
_DENSE = 16
# Entities have whole numbers; more digits than these do not fit.
_DIGITS = 18


@dataclass(frozen=True)
class Text:
    """The bytes of all files of a side, one after another, and where their lines are."""

    data: bytes
    # Names of the files, and the number of the first line of each.
    files: Sequence[str]
    first_lines: Sequence[int]
    starts: Indices
    # Behind the last byte of each line that is no blank.
    ends: Indices
    # Which lines begin with #, and which have brackets in the last column, or something wrong.
    hashes: Indices
    annotated: NDArray[np.bool_]

    @classmethod
    def of(cls, files: Sequence[tuple[str, bytes]]) -> Text:
        """Return the lines of the files."""
        whole = [part if part.endswith(b"\n") else part + b"\n" for _, part in files]
        data = b"".join(whole)
        letters = np.frombuffer(data, dtype=np.uint8)
        blocks = []
        # Line by line in blocks that stay in the processor's cache.
        for start in range(0, len(letters), _BLOCK):
            stops = np.flatnonzero(letters[start : start + _BLOCK] == ord("\n")) + start
            last = letters[stops - 1]
            empty = _IS_EMPTY[last] & _IS_GAP[letters[stops - 2]]
            begins = letters[np.minimum(stops + 1, len(letters) - 1)] == ord("#")
            blocks.append((stops, _IS_BLANK[last], ~empty, begins))
        ends, blank, annotated, begins = map(np.concatenate, zip(*blocks, strict=True))
        starts = np.concatenate([[0], ends[:-1] + 1])
        hashes = np.flatnonzero(np.concatenate([letters[:1] == ord("#"), begins[:-1]]))
        blanks = np.flatnonzero(blank & (ends > starts))
        _strip_blanks(data, starts, ends, blanks)
        last, before = letters[ends[blanks] - 1], letters[ends[blanks] - 2]
        annotated[blanks] = ~(_IS_EMPTY[last] & _IS_GAP[before])
        first = np.searchsorted(starts, np.cumsum([0, *map(len, whole[:-1])]))
        names = [name for name, _ in files]
        return cls(data, names, first.tolist(), starts, ends, hashes, annotated)

    def line(self, number: int) -> bytes:
        """Return a line, without the blanks at its end."""
        return self.data[self.starts[number] : self.ends[number]]

    def locate(self, number: int) -> str:
        """Return the file and line of a line: key.conll, line 12."""
        file = bisect_right(self.first_lines, number) - 1
        return f"{self.files[file]}, line {number - self.first_lines[file] + 1:,}"


def _strip_blanks(data: bytes, starts: Indices, ends: Indices, left: Indices) -> None:
    """Move the ends of the lines that are left before the blanks at their end."""
    letters = np.frombuffer(data, dtype=np.uint8)
    for _ in range(2):  # most lines have at most two
        ends[left] -= 1
        left = left[(ends[left] > starts[left]) & _IS_BLANK[letters[ends[left] - 1]]]
    for line in left.tolist():
        start, stop = int(starts[line]), int(ends[line])
        ends[line] = start + len(data[start:stop].rstrip(_BLANKS))


class DocumentLines(NamedTuple):
    """Which documents there are, and the lines of each from its mark on."""

    names: list[str]
    begins: list[int]
    # The line of the mark that ends a document, or the first behind it.
    ends: list[int]
    # Lines that have no token.
    marks: list[int]


def read_columns(files: Sequence[tuple[str, bytes]], name: str) -> Annotation:
    """Return the annotation in files of columns, each a name and the bytes."""
    text = Text.of(files)
    documents = _find_documents(text)
    tokens = text.ends > text.starts
    tokens[documents.marks] = False
    # The number of tokens before each line, and behind the last one.
    before = np.concatenate([[0], np.cumsum(tokens)])
    begins = before[documents.begins]
    lengths = before[documents.ends] - begins
    if lengths.sum() < before[-1]:
        raise _token_outside(text, tokens, documents)
    lines = np.flatnonzero(tokens & text.annotated)
    document = np.searchsorted(documents.begins, lines, side="right") - 1
    brackets = _read_brackets(text, lines, document)
    opening, closing = _by_entity(brackets, *_match(text, brackets))
    entities, lines = brackets.entities[opening], brackets.lines[opening]
    documents_of = brackets.documents[opening]
    entity_documents = np.empty(int(entities.max(initial=-1)) + 1, dtype=np.intp)
    entity_documents[entities] = documents_of
    ends = before[[lines, brackets.lines[closing]]] - begins[documents_of]
    return Annotation(
        name,
        documents.names,
        entity_documents,
        entities,
        ends.T,
        lambda mention: text.locate(int(lines[mention])),
        lengths,
    )


def _token_outside(text: Text, tokens: NDArray[np.bool_], documents: DocumentLines) -> FileError:
    """Return the error of the first token that is in no document."""
    for begin, end in zip(documents.begins, documents.ends, strict=True):
        tokens[begin:end] = False
    return FileError(
        f"{text.locate(int(np.argmax(tokens)))} is outside of a document: documents begin with a "
        "line '#begin document (NAME); part 000' and end with '#end document'."
    )


def _find_documents(text: Text) -> DocumentLines:
    """Return the documents by the lines that begin with #; other such lines are comments."""
    found = DocumentLines([], [], [], [])
    doubtful = []
    for number in text.hashes.tolist():
        line = text.line(number)
        if begin := _BEGIN.match(line):
            if len(found.ends) < len(found.begins):
                found.ends.append(number)
            found.begins.append(number)
            found.names.append(_name_document(begin[1]))
        elif _END.match(line) and len(found.ends) < len(found.begins):
            found.ends.append(number)
        elif _FIELD.fullmatch(line.split()[-1]):
            doubtful.append(number)
            continue
        found.marks.append(number)
    if doubtful:
        others = np.setdiff1d(np.flatnonzero(text.ends > text.starts), text.hashes)
        found.marks.extend(one for one in doubtful if not _is_token(text, one, others))
    if not found.begins:
        raise FileError(
            f"{text.files[0]} has no line '#begin document (NAME); part 000': files of CoNLL-2012 "
            "and JSON are read."
        )
    found.ends.extend([len(text.starts)] * (len(found.begins) - len(found.ends)))
    # A document ends with its file, at the latest.
    files = [*text.first_lines[1:], len(text.starts)]
    found.ends[:] = [
        min(end, files[bisect_right(files, begin)])
        for begin, end in zip(found.begins, found.ends, strict=True)
    ]
    first: dict[str, int] = {}
    for name, number in zip(found.names, found.begins, strict=True):
        if first.setdefault(name, number) != number:
            raise FileError(
                f"{text.locate(number)}: document {short(repr(name))} appears twice; first at "
                f"{text.locate(first[name])}."
            )
    return found


def _is_token(text: Text, number: int, others: Indices) -> bool:
    """Whether a line that begins with # is a token: it has the columns of one beside it."""
    after = int(np.searchsorted(others, number))
    columns = _count_columns(text.line(number))
    beside = others[max(after - 1, 0) : after + 1].tolist()
    return any(_count_columns(text.line(one)) == columns for one in beside)


def _count_columns(line: bytes) -> int:
    """Return a number of columns: below 0 where blanks separate them, as words of a comment."""
    return line.count(b"\t") or -len(line.split())


def _name_document(written: bytes) -> str:
    """Return the name of a document as JSON files have it: name and number of the part."""
    name = written.decode("utf-8", "backslashreplace").strip()
    found = _PART.fullmatch(name)
    if found is None:
        return name
    return found[1] if found[2] is None else f"{found[1]}_{int(found[2])}"


def _last_fields(text: Text, lines: Indices) -> NDArray[np.uint8]:
    """Return the last column of those lines, each with a line break behind it."""
    letters = np.frombuffer(text.data, dtype=np.uint8)
    ends = text.ends[lines]
    starts, left, places = ends.copy(), np.arange(len(lines)), ends - 1
    for _ in range(_USUAL):
        gaps = _IS_GAP[letters[places]]
        starts[left[gaps]] = places[gaps] + 1
        left, places = left[~gaps], places[~gaps] - 1
    for line in left.tolist():
        starts[line] = ends[line] - len(text.line(int(lines[line])).split()[-1])
    lengths = ends - starts + 1
    fields = letters[list_spans(starts, lengths)]
    fields[np.cumsum(lengths) - 1] = ord("\n")
    follows = (fields[1:] == ord("(")) & (fields[:-1] != ord("|")) & (fields[:-1] != ord("\n"))
    follows |= (fields[:-1] == ord(")")) & (fields[1:] != ord("|")) & (fields[1:] != ord("\n"))
    if follows.any():
        fields = np.frombuffer(_BETWEEN.sub(b"|", fields.tobytes()), dtype=np.uint8)
    return fields


class Brackets(NamedTuple):
    """What the last column has: brackets of entities, in the order of the file."""

    lines: Indices
    documents: Indices
    # The number of each entity in the file, and among those of all documents.
    numbers: NDArray[np.int64]
    entities: Indices
    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]


def _read_brackets(text: Text, lines: Indices, document: Indices) -> Brackets:
    """Return the brackets on those lines, of those documents."""
    letters = _last_fields(text, lines)
    stops = np.flatnonzero((letters == ord("|")) | (letters == ord("\n")))
    begins = np.concatenate([[0], stops[:-1] + 1])[: len(stops)].astype(np.intp)
    last = letters[stops] == ord("\n")
    of_line = np.cumsum(last) - last
    opens, closes = letters[begins] == ord("("), letters[stops - 1] == ord(")")
    first, behind = begins + opens, stops - closes
    lengths = behind - first
    digits = letters - np.uint8(ord("0"))  # others are far above 9
    wrong = np.cumsum(np.concatenate([[0], digits > 9]))
    numbers = np.zeros(len(stops), dtype=np.int64)
    fine = (lengths > 0) & (lengths <= _DIGITS) & (opens | closes)
    fine &= wrong[np.maximum(behind, first)] == wrong[first]
    if not fine.all():
        number = int(of_line[np.flatnonzero(~fine)[0]])
        field = text.line(int(lines[number])).split()[-1]
        raise FileError(
            f"{text.locate(int(lines[number]))}: the last column has "
            f"{short(repr(field.decode('utf-8', 'backslashreplace')))}; entities are written as "
            "(3, 3) or (3), several as (1|(3), and no entity as - or _."
        )
    for place in range(int(lengths.max(initial=0))):
        more = place < lengths
        numbers[more] = numbers[more] * 10 + digits[first[more] + place]
    document = document[of_line]
    entities = _number_entities(document, numbers)
    return Brackets(lines[of_line], document, numbers, entities, opens, closes)


def _number_entities(document: Indices, numbers: NDArray[np.int64]) -> Indices:
    """Return a number for each entity of each document, from 0, in the order of both."""
    codes, most = numbers, int(numbers.max(initial=0)) + 1
    number = int(document.max(initial=0)) + 1
    if number * most > _DENSE * len(numbers):
        known, codes = np.unique(numbers, return_inverse=True)
        most = len(known)
    keys = document * most + codes
    if number * most > _DENSE * len(numbers):
        return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.intp)
    there = np.zeros(number * most, dtype=np.bool_)
    there[keys] = True
    return np.asarray((np.cumsum(there) - 1)[keys])


def _match(text: Text, brackets: Brackets) -> tuple[Indices, Indices]:
    """Return the opening and the closing bracket of each mention.

    A closing bracket closes what its entity opened last. Brackets that open come first on a line,
    as all scorers have it.
    """
    alone = np.flatnonzero(brackets.opens & brackets.closes)
    halves = np.flatnonzero(brackets.opens != brackets.closes)
    closes = brackets.closes[halves]
    order = np.lexsort((closes, brackets.lines[halves], brackets.entities[halves]))
    halves, closes = halves[order], closes[order]
    entities = brackets.entities[halves]
    depth = np.cumsum(np.where(closes, -1, 1))
    last = np.flatnonzero(np.diff(entities, append=-1))
    if (depth < 0).any() or depth[last].any():
        raise _unmatched_bracket(text, brackets, halves)
    # Within an entity, the brackets at one depth open and close in turn.
    level = depth + closes
    order = np.lexsort((np.arange(len(level)), level, entities))
    opening = np.concatenate([alone, halves[order][::2]])
    closing = np.concatenate([alone, halves[order][1::2]])
    return opening, closing


def _by_entity(brackets: Brackets, opening: Indices, closing: Indices) -> tuple[Indices, Indices]:
    """Return mentions entity by entity, in the order in which entities are first mentioned.

    So the reference scorer has them, which keeps the first of a mention in two entities. On a line
    it reads mentions of one token first.
    """
    entities = brackets.entities[opening]
    places = 2 * brackets.lines[opening] + (opening != closing)
    first = np.full(int(entities.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, entities, places * len(brackets.lines) + opening)
    order = np.argsort(first[entities], kind="stable")
    return opening[order], closing[order]


def _unmatched_bracket(text: Text, brackets: Brackets, halves: Indices) -> FileError:
    """Return the error of the first bracket without its other half."""
    open_ones: dict[int, list[int]] = {}
    wrong = []
    for bracket in halves.tolist():
        stack = open_ones.setdefault(int(brackets.entities[bracket]), [])
        if not brackets.closes[bracket]:
            stack.append(bracket)
        elif stack:
            stack.pop()
        else:
            wrong.append(bracket)
    wrong += [bracket for stack in open_ones.values() for bracket in stack]
    first = min(wrong)
    entity = brackets.numbers[first]
    what = (
        f"{entity}) closes a mention of entity {entity} that is not open"
        if brackets.closes[first]
        else f"({entity} opens a mention of entity {entity} that is not closed in its document"
    )
    return FileError(f"{text.locate(int(brackets.lines[first]))}: {what}.")
