"""Encode the classes given the clusters, and decode them.

Labels are read and counted once, into a `Message`. Its one table is what the code sends, and what
the measures predict the length from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.codec.arrangements import Layout, code_by_arrangement, code_by_frequency
from clusterbits.codec.columns import blocks, code_columns
from clusterbits.codec.container import MODES, Container, names_array, pack, unpack
from clusterbits.codec.decoder import Decoder
from clusterbits.codec.message import (
    Message,
    SentTable,
    count_message,
    read_for_code,
    read_in_order,
    refuse_absent,
)
from clusterbits.codec.partition import CHUNK, Partition, read_partition
from clusterbits.codec.rans import Encoder, Ints, Recorder, damaged, divide_slots
from clusterbits.codec.scramble import scrambled
from clusterbits.core import kernels
from clusterbits.display.tables import counted
from clusterbits.errors import CodeError, answer_wrong_calls, check_choice
from clusterbits.limits import check_cost
from clusterbits.measures.code_length import q0, q0_enumerative

# What an object and a cell take to encode, or to decode: measured on codes of 1e6 to 1e7 objects
# with 1 to 2e6 cells, by both models, within a factor of three.
_COMPILED_SECONDS, _PYTHON_SECONDS = (6e-8, 2e-6), (4e-7, 8e-6)
_OBJECT_BYTES, _CELL_BYTES = 10, 150


class CodeLength(NamedTuple):
    """The bits of one code.

    `header` holds sizes, class names, fingerprint and checksum; `table` and `labels` are the costs
    of their symbols; `coder` is the rest of the file: the coder's last state and the padding to
    whole bytes. `predicted` is what the measure says for table and labels together.
    """

    code: str
    header: int
    table: float
    labels: float
    coder: float
    file: int
    predicted: float


@answer_wrong_calls
def encode(truth: Any, pred: Any = None, labels: str = "entropy", *, align: bool = False) -> bytes:
    r"""Return the code of the objects' classes, for someone who knows their clusters.

    The code has a header, the table column by column, and the labels: the three parts whose lengths
    `q0` adds up. Its length is :math:`n Q_0` bits, the header, and up to 64 bits and 0.001 %.

    Parameters
    ----------
    truth, pred : 1-D sequences
        Classes and clusters of the same objects, as `Contingency.from_labels` takes them.
        Classes are named by integers of any size, strings or booleans (whole floats count as
        integers); none may be missing. Clusters may have any names, and only tell which objects
        belong together: the names are not in the code.
    labels : "entropy" or "enumerative"
        How the labels are sent, given the table: with probabilities h(c,k)/h(k), as in the paper,
        or by their place among all arrangements, which is shorter (`q0_enumerative`).
    align : bool, default False
        Join two pandas Series on their indexes instead of comparing by position.

    Returns
    -------
    bytes
        The code; the reference describes every byte. Decoding computes in integers only, so a code
        means the same on every machine.

    See Also
    --------
    decode : the inverse.
    code_lengths : the length of each part, and what the clusters save.

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth, pred = ["cat", "cat", "dog", "dog"] * 100, [0, 0, 1, 1] * 99 + [0, 0, 1, 0]
    >>> code = cb.codec.encode(truth, pred)
    >>> len(code)
    42
    >>> cb.codec.decode(code, pred).tolist() == truth
    True
    """
    check_choice("labels", labels, MODES)
    return encode_message(count_message(*read_for_code(truth, pred, align)), labels)[0]


@answer_wrong_calls
def decode(code: bytes, pred: Any) -> NDArray[Any]:
    """Return the classes of objects, decoded from a code and their clusters.

    Parameters
    ----------
    code : bytes
        What `encode` returned.
    pred : 1-D sequence
        The clusters of the same objects in the same order. Other names for the same clusters
        will do.

    Returns
    -------
    ndarray
        The class of each object: int64 or bool where all classes fit, otherwise an object array of
        Python integers, booleans and strings.

    Raises
    ------
    CodeError
        Where the code was cut short or changed, comes from elsewhere, or was made with other
        clusters. Work and memory are bounded by the length of `code` and `pred`, whatever the
        code says.

    Examples
    --------
    >>> import clusterbits as cb
    >>> code = cb.codec.encode([3, 3, 7, 7], ["x", "x", "y", "x"])
    >>> cb.codec.decode(code, [1, 1, 2, 1])
    array([3, 3, 7, 7])
    >>> cb.codec.decode(code, [1, 2, 2, 1])
    Traceback (most recent call last):
    clusterbits.errors.CodeError: pred is another clustering than the code was made with: ...
    """
    parts = unpack(code)
    clusters = read_in_order(pred, "pred")
    if len(clusters) != parts.n:
        raise CodeError(
            f"pred has {counted(len(clusters), 'label')}, and the code was made with {parts.n:,}: "
            "pass the clusters of the same objects."
        )
    refuse_absent(clusters, "pred")
    partition = read_partition(clusters)
    if partition.fingerprint != parts.fingerprint:
        raise CodeError(
            "pred is another clustering than the code was made with: the clusters may have other "
            "names, but must hold the same objects in the same order."
        )
    decoder = Decoder(parts.payload)
    table = _decode_table(decoder, partition, len(parts.names))
    # Of each cell.
    names = names_array(parts.names)[table.classes]
    found = np.empty(partition.n, dtype=names.dtype)
    labels = _LabelCoder(partition, table, parts.mode, _ASK_FOR_PARTS)
    for objects in labels.chunks():
        found[objects] = names[labels.code(decoder, objects, None)]
    decoder.finish()
    return found


def encode_message(message: Message, mode: str) -> tuple[bytes, CodeLength]:
    """Return the code of a message, and its length part by part."""
    partition, table, sent, find = message
    entropy_bits = table.n * q0.of(table)
    encoder = Encoder()
    # What is coded last is decoded first: the table.
    coder = _LabelCoder(partition, sent, mode, _ENCODE_PARTS)
    label_bits = coder.encode(encoder, find)
    table_bits = _encode_table(encoder, partition, table.shape[0], sent)
    parts = Container(mode, partition.n, partition.fingerprint, table.classes, encoder.finish())
    code, header_bytes = pack(parts)

    header, file = 8 * header_bytes, 8 * len(code)
    predicted = entropy_bits if mode == "entropy" else table.n * q0_enumerative.of(table)
    rest = file - header - table_bits - label_bits
    return code, CodeLength(mode, header, table_bits, label_bits, rest, file, predicted)


# What to do instead of coding too many objects at once.
_ENCODE_PARTS = "encode the objects in parts"
_ASK_FOR_PARTS = f"whoever made it can {_ENCODE_PARTS}"


class _LabelCoder:
    """Codes labels as cells of the table, a chunk of objects at a time, by one of two models."""

    def __init__(self, partition: Partition, table: SentTable, mode: str, instead: str) -> None:
        n, cells = partition.n, len(table.counts)
        each = _PYTHON_SECONDS if kernels.native is None else _COMPILED_SECONDS
        check_cost(
            f"a code of {n:,} objects and {cells:,} cells",
            instead,
            seconds=each[0] * n + each[1] * cells,
            memory=_OBJECT_BYTES * n + _CELL_BYTES * cells,
        )
        self._partition = partition
        self._layout = Layout(table.columns, len(partition.sizes))
        self._arranged = mode == "enumerative"
        self._left = table.counts.copy()
        self._slots = divide_slots(table.counts, self._layout.widths)

    def chunks(self, backwards: bool = False) -> Iterator[slice | Ints]:
        """Yield the objects of each chunk: in order, or in pseudo-random order."""
        n = self._partition.n
        begins = range(0, n, CHUNK)
        for begin in reversed(begins) if backwards else begins:
            end = min(begin + CHUNK, n)
            if self._arranged:
                places = np.arange(begin, end)
                yield scrambled(places, np.full_like(places, n), np.zeros_like(places))
            else:
                yield slice(begin, end)

    def code(self, coder: Recorder | Decoder, objects: slice | Ints, labels: Ints | None) -> Ints:
        """Return the cells of one chunk: those given, recorded, or else those decoded."""
        clusters = self._partition.of(objects)
        if self._arranged:
            return code_by_arrangement(coder, self._layout, self._left, clusters, labels)
        return code_by_frequency(coder, self._layout, self._slots, clusters, labels)

    def encode(self, encoder: Encoder, find: Callable[[slice | Ints], Ints]) -> float:
        """Encode all chunks, the last first, and return the bits."""
        bits = 0.0 if self._arranged else float(self._left @ self._slots.costs)
        to_come = np.zeros_like(self._left)
        for objects in self.chunks(backwards=True):
            labels, recorder = find(objects), Recorder()
            if self._arranged:
                # Chunks are coded back to front, so what is to come has been counted.
                to_come += np.bincount(labels, minlength=len(to_come))
                self._left = to_come.copy()
            self.code(recorder, objects, labels)
            if self._arranged:
                bits += recorder.bits
            encoder.push(recorder)
        return bits


def _encode_table(encoder: Encoder, partition: Partition, width: int, table: SentTable) -> float:
    bits = 0.0
    for begin, end in reversed(blocks(partition.sizes, width)):
        some = slice(*np.searchsorted(table.columns, [begin, end]))
        cells = table.columns[some] - begin, table.classes[some], table.counts[some]
        recorder = Recorder()
        code_columns(recorder, begin, partition.sizes[begin:end], width, cells)
        bits += recorder.bits
        encoder.push(recorder)
    return bits


def _decode_table(decoder: Decoder, partition: Partition, width: int) -> SentTable:
    if width == 1:
        columns = np.arange(len(partition.sizes))
        return SentTable(columns, np.zeros_like(columns), partition.sizes)
    found = []
    for begin, end in blocks(partition.sizes, width):
        columns, classes, counts = code_columns(
            decoder, begin, partition.sizes[begin:end], width, None
        )
        found.append((columns + begin, classes, counts))
    table = SentTable(*(np.concatenate(column) for column in zip(*found, strict=True)))
    if not np.bincount(table.classes, minlength=width).all():
        raise damaged("a class has no objects")
    return table
