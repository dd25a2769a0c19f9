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

from clusterbits.coreference.annotation import Annotation, Indices
from clusterbits.display.tables import short
from clusterbits.errors import FileError

_BEGIN = re.compile(rb"#\s*begin document\s*(.*)")
_END = re.compile(rb"#\s*end document")
_PART = re.compile(r"\((.*)\);?\s*(?:part\s*(\d+))?")
_FIELD = re.compile(rb"(?:\|?\(?\d+\)?)+|[-_*]")
# Where a bracket follows another without a bar, which the reference scorer reads as well.
_BETWEEN = re.compile(rb"(?<=[\d)])(?=\()|(?<=\))(?=\d)")
_BLANKS = b" \t\r\x0b\x0c"
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

    @classmethod
    def of(cls, files: Sequence[tuple[str, bytes]]) -> Text:
        """Return the lines of the files."""
        whole = [part if part.endswith(b"\n") else part + b"\n" for _, part in files]
        numbers = np.cumsum([0, *(part.count(b"\n") for part in whole)])[:-1]
        data = b"".join(whole)
        stops = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
        starts = np.concatenate([[0], stops[:-1] + 1])
        ends = _without_blanks(data, starts, stops)
        return cls(data, [name for name, _ in files], numbers.tolist(), starts, ends)

    def line(self, number: int) -> bytes:
        """Return a line, without the blanks at its end."""
        return self.data[self.starts[number] : self.ends[number]]

    def locate(self, number: int) -> str:
        """Return the file and line of a line: key.conll, line 12."""
        file = bisect_right(self.first_lines, number) - 1
        return f"{self.files[file]}, line {number - self.first_lines[file] + 1:,}"


def _without_blanks(data: bytes, starts: Indices, stops: Indices) -> Indices:
    """Return where lines end without the blanks at their end."""
    letters = np.frombuffer(data, dtype=np.uint8)
    blank = np.zeros(256, dtype=np.bool_)
    blank[list(_BLANKS)] = True
    ends = stops.copy()
    for _ in range(2):  # most lines have at most a carriage return and a blank there
        ends -= (ends > starts) & blank[letters[ends - 1]]
    left = np.flatnonzero((ends > starts) & blank[letters[ends - 1]])
    for line in left.tolist():
        start, stop = int(starts[line]), int(ends[line])
        ends[line] = start + len(data[start:stop].rstrip(_BLANKS))
    return ends


class Layout(NamedTuple):
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
    layout = _find_documents(text)
    tokens = text.ends > text.starts
    tokens[layout.marks] = False
    document = np.searchsorted(layout.begins, np.arange(len(tokens)), side="right") - 1
    ends = np.array(layout.ends, dtype=np.intp)
    outside = np.flatnonzero(tokens & ((document < 0) | (ends[document] <= np.arange(len(tokens)))))
    if len(outside):
        raise FileError(
            f"{text.locate(int(outside[0]))} is outside of a document: documents begin with a line "
            "'#begin document (NAME); part 000' and end with '#end document'."
        )
    # The number of each token in its document, from 0.
    before = np.cumsum(tokens) - tokens
    place = before - before[layout.begins][document]
    brackets = _read_brackets(text, np.flatnonzero(tokens & _annotated(text)), document)
    opening, closing = _match(text, brackets)
    found, entities = np.unique(brackets.entities[opening], return_inverse=True)
    lines = brackets.lines[opening]
    entity_documents = np.empty(len(found), dtype=np.intp)
    entity_documents[entities] = document[lines]
    return Annotation(
        name,
        layout.names,
        entity_documents,
        entities.astype(np.intp),
        np.stack([place[lines], place[brackets.lines[closing]]], axis=1),
        lambda mention: text.locate(int(lines[mention])),
        np.bincount(document[tokens], minlength=len(layout.names)),
    )


def _find_documents(text: Text) -> Layout:
    """Return the documents by the lines that begin with #; other such lines are comments."""
    letters = np.frombuffer(text.data, dtype=np.uint8)
    found = Layout([], [], [], [])
    for number in np.flatnonzero(letters[text.starts] == ord("#")).tolist():
        line = text.line(number)
        if begin := _BEGIN.match(line):
            if len(found.ends) < len(found.begins):
                found.ends.append(number)
            found.begins.append(number)
            found.names.append(_name_document(begin[1]))
        elif _END.match(line) and len(found.ends) < len(found.begins):
            found.ends.append(number)
        elif _FIELD.fullmatch(line.split()[-1]):  # a token that is, or begins with, #
            continue
        found.marks.append(number)
    if not found.begins:
        raise FileError(
            f"{text.files[0]} has no line '#begin document (NAME); part 000': files of CoNLL-2012 "
            "and JSON are read."
        )
    found.ends.extend([len(text.starts)] * (len(found.begins) - len(found.ends)))
    first: dict[str, int] = {}
    for name, number in zip(found.names, found.begins, strict=True):
        if first.setdefault(name, number) != number:
            raise FileError(
                f"{text.locate(number)}: document {short(repr(name))} is there twice; first at "
                f"{text.locate(first[name])}."
            )
    return found


def _name_document(written: bytes) -> str:
    """Return the name of a document as JSON files have it: name and number of the part."""
    name = written.decode("utf-8", "backslashreplace").strip()
    found = _PART.fullmatch(name)
    if found is None:
        return name
    return found[1] if found[2] is None else f"{found[1]}_{int(found[2])}"


def _annotated(text: Text) -> NDArray[np.bool_]:
    """Return which lines have something else than - in the last column."""
    letters = np.frombuffer(text.data, dtype=np.uint8)
    last = letters[text.ends - 1]
    before = np.isin(letters[text.ends - 2], list(_BLANKS)) | (text.ends - text.starts == 1)
    return ~(np.isin(last, list(b"-_*")) & before)


class Brackets(NamedTuple):
    """What the last column has: brackets of entities, in the order of the file."""

    lines: Indices
    # The number of each entity in the file, and one that tells apart those of all documents.
    numbers: NDArray[np.int64]
    entities: Indices
    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]


def _read_brackets(text: Text, lines: Indices, document: Indices) -> Brackets:
    """Return the brackets on those lines."""
    data, starts, ends = text.data, text.starts[lines].tolist(), text.ends[lines].tolist()
    fields = [data[a:b].rsplit(None, 1)[-1] for a, b in zip(starts, ends, strict=True)]
    fields = _BETWEEN.sub(b"|", b"\n".join(fields)).split(b"\n") if fields else []
    letters = np.frombuffer(b"|".join(fields) + b"|" * bool(fields), dtype=np.uint8)
    stops = np.flatnonzero(letters == ord("|"))
    begins = np.concatenate([[0], stops[:-1] + 1])[: len(stops)].astype(np.intp)
    opens, closes = letters[begins] == ord("("), letters[stops - 1] == ord(")")
    first, behind = begins + opens, stops - closes
    lengths = behind - first
    digits = letters - np.uint8(ord("0"))  # others are far above 9
    wrong = np.cumsum(np.concatenate([[0], digits > 9]))
    numbers = np.zeros(len(stops), dtype=np.int64)
    fine = (lengths > 0) & (lengths <= _DIGITS) & (opens | closes)
    fine &= wrong[np.maximum(behind, first)] == wrong[first]
    each = np.array([field.count(b"|") + 1 for field in fields], dtype=np.intp)
    of_line = np.repeat(np.arange(len(lines)), each)
    if not fine.all():
        number = int(of_line[np.flatnonzero(~fine)[0]])
        raise FileError(
            f"{text.locate(int(lines[number]))}: the last column has "
            f"{short(repr(fields[number].decode('utf-8', 'backslashreplace')))}; entities are "
            "written as (3, 3) or (3), several as (1|(3), and no entity as - or _."
        )
    for place in range(int(lengths.max(initial=0))):
        more = place < lengths
        numbers[more] = numbers[more] * 10 + digits[first[more] + place]
    known, codes = np.unique(numbers, return_inverse=True)
    entities = document[lines[of_line]] * max(len(known), 1) + codes
    return Brackets(lines[of_line], numbers, entities, opens, closes)


def _match(text: Text, brackets: Brackets) -> tuple[Indices, Indices]:
    """Return the opening and the closing bracket of each mention, in the order of the opening.

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
        raise _refuse_unmatched(text, brackets, halves)
    # Within an entity, the brackets at one depth open and close in turn.
    level = depth + closes
    order = np.lexsort((np.arange(len(level)), level, entities))
    opening = np.concatenate([alone, halves[order][::2]])
    closing = np.concatenate([alone, halves[order][1::2]])
    order = np.argsort(opening)
    return opening[order], closing[order]


def _refuse_unmatched(text: Text, brackets: Brackets, halves: Indices) -> FileError:
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
