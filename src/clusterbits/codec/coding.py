"""Encode the classes given the clusters, and decode them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.codec.arrangements import Layout, code_by_arrangement, code_by_frequency
from clusterbits.codec.columns import blocks, code_columns
from clusterbits.codec.container import MODES, Container, names_array, pack, unpack
from clusterbits.codec.partition import CHUNK, Partition, read_partition
from clusterbits.codec.rans import Decoder, Encoder, Ints, Recorder, damaged, edges_of, lanes_for
from clusterbits.codec.scramble import scrambled
from clusterbits.core.cells import name_order
from clusterbits.core.combinatorics import log2_choose
from clusterbits.core.counting import count_pairs, distinct_labels, finder
from clusterbits.core.labels import Labels
from clusterbits.errors import CodeError, LabelError, check_choice
from clusterbits.ingest.arrays import aligned, read_both
from clusterbits.ingest.columns import read_labels


class Spent(NamedTuple):
    """A code, and the bits of its parts; what the coder adds to end cleanly is in none of them."""

    code: bytes
    header: int
    table: float
    labels: float


def encode(truth: Any, pred: Any, labels: str = "entropy") -> bytes:
    r"""Encode the classes of objects for someone who knows their clusters.

    The code has a header, the table column by column, and the labels: the three parts whose lengths
    `q0` adds up. Its length is :math:`n Q_0` bits, the header, and up to 64 bits and 0.05 %.

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

    Returns
    -------
    bytes
        The code, byte by byte in docs/code_format.md. No float decides anything in it, so that it
        means the same on every machine.

    See Also
    --------
    decode : the way back.
    code_lengths : what was spent, and what it saved.

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth, pred = ["cat", "cat", "dog", "dog"] * 100, [0, 0, 1, 1] * 99 + [0, 0, 1, 0]
    >>> code = cb.encode(truth, pred)
    >>> len(code)
    42
    >>> cb.decode(code, pred).tolist() == truth
    True
    """
    check_choice("labels", labels, MODES)
    return encode_labels(*read_for_code(truth, pred), labels).code


def decode(code: bytes, pred: Any) -> NDArray[Any]:
    """Decode the classes of objects from a code and their clusters.

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
        The class of each object: int64 or bool where all classes are, otherwise an object array of
        the very integers and strings. ``.tolist()`` gives Python's own.

    Raises
    ------
    CodeError
        Where the code was cut short or changed, comes from elsewhere, or was made with other
        clusters. Work and memory are bounded by the length of `code` and `pred`, whatever the
        code says.

    Examples
    --------
    >>> import clusterbits as cb
    >>> code = cb.encode([3, 3, 7, 7], ["x", "x", "y", "x"])
    >>> cb.decode(code, [1, 1, 2, 1])
    array([3, 3, 7, 7])
    >>> cb.decode(code, [1, 2, 2, 1])
    Traceback (most recent call last):
    clusterbits.errors.CodeError: pred is another clustering than the code was made with: ...
    """
    parts = unpack(code)
    clusters = read_labels(pred, "pred")
    if len(clusters) != parts.n:
        raise CodeError(
            f"pred has {len(clusters)} labels, and the code was made with {parts.n}: "
            "give the clusters of the same objects."
        )
    _refuse_missing(clusters, "pred")
    partition = read_partition(clusters)
    if partition.fingerprint != parts.fingerprint:
        raise CodeError(
            "pred is another clustering than the code was made with: the clusters may have other "
            "names, but must hold the same objects in the same order."
        )
    decoder = Decoder(parts.payload)
    table = _decode_table(decoder, partition, len(parts.names))
    names = names_array(parts.names)
    found = np.empty(partition.n, dtype=names.dtype)
    chunks = _LabelCoder(partition, table, parts.mode)
    for objects in chunks.parts():
        cells = chunks.code(decoder, objects, None)
        found[objects] = names[table.classes[cells]]
    decoder.finish()
    return found


def read_for_code(truth: Any, pred: Any) -> tuple[Labels, Labels]:
    """Read classes and clusters; refuse classes that are read as something else than they are."""
    if getattr(getattr(truth, "dtype", None), "kind", None) == "S":
        raise LabelError(
            "truth holds bytes; a code names classes by integers, strings and booleans. "
            "Encode truth.astype(str) instead."
        )
    truth, pred, _ = aligned(truth, pred)
    return read_both(truth, pred)


class _Table(NamedTuple):
    """The cells that are not zero, by cluster and class."""

    columns: Ints
    classes: Ints
    counts: Ints


class _LabelCoder:
    """The labels of all objects as cells of the table, a chunk at a time, by one of two models."""

    def __init__(self, partition: Partition, table: _Table, mode: str) -> None:
        self._partition = partition
        self._layout = Layout(table.columns, len(partition.sizes))
        self._arranged = mode == "enumerative"
        self._left = table.counts.copy()
        self._edges = edges_of(table.counts, self._layout.widths)

    def parts(self, backwards: bool = False) -> Iterator[slice | Ints]:
        """Yield the objects of each chunk: in order, or in an order that looks random."""
        n = self._partition.n
        begins = range(0, n, CHUNK)
        for begin in reversed(begins) if backwards else begins:
            part = slice(begin, min(begin + CHUNK, n))
            if not self._arranged:
                yield part
                continue
            places = np.arange(part.start, part.stop)
            yield scrambled(places, np.full_like(places, n), np.zeros_like(places))

    def code(self, coder: Recorder | Decoder, objects: slice | Ints, labels: Ints | None) -> Ints:
        clusters = self._partition.of(objects)
        if self._arranged:
            return code_by_arrangement(coder, self._layout, self._left, clusters, labels)
        return code_by_frequency(coder, self._layout, self._edges, clusters, labels)

    def encode(self, encoder: Encoder, find: Callable[[slice | Ints], Ints]) -> float:
        """Code all chunks, the last first; labels to come are counted on the way."""
        bits = 0.0
        to_come = np.zeros_like(self._left)
        for objects in self.parts(backwards=True):
            labels = find(objects)
            to_come += np.bincount(labels, minlength=len(to_come))
            self._left = to_come.copy()
            recorder = Recorder()
            self.code(recorder, objects, labels)
            bits += encoder.push(recorder)
        return bits


def encode_labels(classes: Labels, clusters: Labels, mode: str) -> Spent:
    """Encode labels that have been read, and say what was spent."""
    _refuse_missing(classes, "truth")
    _refuse_missing(clusters, "pred")
    partition = read_partition(clusters)
    known = distinct_labels(classes.codes)
    names = classes.name(known).tolist()
    # Names in order, so that equal labels in another container give the same code.
    order = name_order(names)
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    position = finder(known)
    width = len(names)

    counted = count_pairs(classes.codes, clusters.codes)
    keys = partition.named(counted.clusters) * width + place[position(counted.classes)]
    order_of_cells = np.argsort(keys)
    keys = keys[order_of_cells]
    table = _Table(*np.divmod(keys, width), counted.counts[order_of_cells].astype(np.int64))
    cell = finder(keys)

    def find(objects: slice | Ints) -> Ints:
        return cell(partition.of(objects) * width + place[position(classes.codes[objects])])

    own = partition.sizes[table.columns]
    bits = float(log2_choose(partition.sizes, width - 1).sum())
    bits += float((table.counts * np.log2(own / table.counts)).sum())
    encoder = Encoder(lanes_for(bits))
    label_bits = _LabelCoder(partition, table, mode).encode(encoder, find)
    table_bits = _encode_table(encoder, partition, width, table)
    ordered = [names[i] for i in order.tolist()]
    parts = Container(mode, partition.n, partition.fingerprint, ordered, encoder.finish())
    code, header = pack(parts)
    return Spent(code, 8 * header, table_bits, label_bits)


def _encode_table(encoder: Encoder, partition: Partition, width: int, table: _Table) -> float:
    bits = 0.0
    for begin, end in reversed(blocks(partition.sizes, width)):
        some = slice(*np.searchsorted(table.columns, [begin, end]))
        cells = table.columns[some] - begin, table.classes[some], table.counts[some]
        recorder = Recorder()
        code_columns(recorder, begin, partition.sizes[begin:end], width, cells)
        bits += encoder.push(recorder)
    return bits


def _decode_table(decoder: Decoder, partition: Partition, width: int) -> _Table:
    if width == 1:
        columns = np.arange(len(partition.sizes))
        return _Table(columns, np.zeros_like(columns), partition.sizes)
    found = []
    for begin, end in blocks(partition.sizes, width):
        columns, classes, counts = code_columns(
            decoder, begin, partition.sizes[begin:end], width, None
        )
        found.append((columns + begin, classes, counts))
    table = _Table(*(np.concatenate(column) for column in zip(*found, strict=True)))
    if not np.bincount(table.classes, minlength=width).all():
        raise damaged("a class has no objects")
    return table


def _refuse_missing(labels: Labels, who: str) -> None:
    if labels.missing is not None:
        first = int(np.flatnonzero(labels.missing)[0])
        raise LabelError(
            f"{who} lacks a label at position {first}; a code has a label for every object. "
            "Leave such objects out of truth and pred, or give them a class of their own."
        )
