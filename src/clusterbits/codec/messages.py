"""Encode the classes given the clusters, and decode them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.codec.container import KINDS, Container, digest, pack, unpack
from clusterbits.codec.table_columns import SentTable, code_table
from clusterbits.codec.urns import Coder, Decoder, Encoder, Numbers
from clusterbits.errors import CodeError, LabelError, check_choice
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import LabelPolicy, OrderOptions, takes_labels
from clusterbits.labels.settle import refuse_missing
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels, refuse_runs
from clusterbits.system.limits import check_memory
from clusterbits.table.label_names import as_names
from clusterbits.table.numbering import Integers, factorize_integers, first_occurrences, inverse
from clusterbits.text.tables import counted

# Stars and bars of a column are counted in 32 bits.
_MAX_OBJECTS = 1 << 31
# Peak bytes per object while encoding (benchmarks/codec.py).
_OBJECT_BYTES = 25
_COMPLETE = (
    "A code has a label for every object: exclude such objects from truth and pred, "
    "or give them a separate label."
)


@takes_labels
def encode(
    truth: Any, pred: Any = None, labels: str = "entropy", **options: Unpack[OrderOptions]
) -> bytes:
    r"""Return the code of the objects' classes, for someone who knows their clusters.

    The code has a header, the table column by column, and the labels: table and labels are the two
    parts of `q0`. Its length is :math:`n Q_0` bits, the class names, and at most 200 bits.

    Parameters
    ----------
    truth, pred : 1-D sequences
        Classes and clusters of the same objects, as `Contingency.from_labels` takes them.
        Classes are named by integers of any size, strings or booleans (whole floats count as
        integers); none may be missing. Clusters may have any names, which are not in the code.
    labels : "entropy" or "enumerative"
        How the labels are sent, given the table: with probabilities h(c,k)/h(k), as in the paper,
        or by their index among all arrangements, which is shorter (`q0_enumerative`).
    align : bool, default False
        Join two pandas Series on their indexes, the default index included. The code of joined
        labels has the order of `pred`.

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
    39
    >>> cb.codec.decode(code, pred).tolist() == truth
    True
    """
    check_choice("labels", labels, KINDS)
    classes, clusters = read_both(truth, pred, **options)
    check_memory(_OBJECT_BYTES * len(classes), f"a code of {counted(len(classes), 'object')}")
    rows, names = _by_appearance(classes)
    columns, _ = _by_appearance(clusters)
    cells, keys = factorize_integers(columns * np.int64(len(names)) + rows)
    table = SentTable(*np.divmod(keys, len(names)), np.bincount(cells))
    encoder = Encoder()
    code_table(encoder, np.bincount(columns), len(names), table)
    _code_labels(encoder, columns, table, labels, cells)
    payload = encoder.finish()
    return pack(Container(labels, len(rows), _fingerprint(columns), names.tolist(), payload))


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
        The class of each object: int64 or bool if all classes fit, otherwise an object array of
        Python integers, booleans and strings.

    Raises
    ------
    CodeError
        If the code was truncated or changed, is not from `encode`, or was made with other clusters.
        Work and memory are bounded by the lengths of `code` and `pred`, whatever the code holds.

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
    clusters = _read_in_order(pred, "pred")
    if len(clusters) != parts.n:
        raise CodeError(
            f"pred has {counted(len(clusters), 'label')}, and the code was made with {parts.n:,}: "
            "pass the clusters of the same objects."
        )
    columns, _ = _by_appearance(clusters)
    if _fingerprint(columns) != parts.fingerprint:
        raise CodeError(
            "pred is another clustering than the code was made with: the clusters may have other "
            "names, but must hold the same objects in the same order."
        )
    decoder = Decoder(parts.payload)
    table = code_table(decoder, np.bincount(columns), len(parts.names), None)
    cells = _code_labels(decoder, columns, table, parts.kind, None)
    decoder.check_end()
    classes: NDArray[Any] = _as_array(parts.names)[table.classes][cells]
    return classes


def _fingerprint(columns: Numbers) -> bytes:
    return digest(columns.astype("<u4", copy=False))


def _code_labels(
    coder: Coder, columns: Numbers, table: SentTable, kind: str, cells: Integers | None
) -> Numbers:
    """Code the cell of each object: a ball from the urn of its cluster, which holds h(c,k) each."""
    begins = np.searchsorted(table.columns, np.arange(table.columns[-1] + 2))
    entropy = kind == "entropy"
    return coder.draw(columns, begins, table.counts.copy(), cells, replacement=entropy)


def read_both(truth: Any, pred: Any, **options: Unpack[OrderOptions]) -> tuple[Labels, Labels]:
    """Classes and clusters in the order of the clusters, which the decoder has."""
    classes = _read_in_order(truth, "truth")
    refuse_runs(pred := read_labels(pred, "pred"), len(classes))
    labelings = {"pred": _read_in_order(pred, "pred"), "truth": classes}
    clusters, classes = join_labels(labelings, LabelPolicy(**options)).labels
    if len(classes) >= _MAX_OBJECTS:
        raise LabelError(
            f"a code holds fewer than {_MAX_OBJECTS:,} objects, got {len(classes):,}. "
            "Encode them in parts."
        )
    return classes, clusters


def _read_in_order(data: Any, input_name: str) -> Labels:
    """A label for every object in their order, in which a code sends them."""
    labels = read_labels(data, input_name)
    if labels.has_explicit_ids:
        raise LabelError(
            f"{input_name} has ids, but a code sends labels in an order that the decoder must "
            "have. Pass one label for each object, in the same order in truth and pred."
        )
    refuse_missing(labels, input_name, _COMPLETE)
    return labels


def _by_appearance(labels: Labels) -> tuple[Numbers, NDArray[Any]]:
    """Codes in the order of first occurrence, which depend on the partition only, and names."""
    codes, values = factorize_integers(labels.codes)
    order = np.argsort(first_occurrences(codes, len(values)))
    return inverse(order).astype(np.uint32)[codes], labels.name(values)[order]


def _as_array(names: Sequence[Any]) -> NDArray[Any]:
    """The class names in the narrowest array that keeps them as they are."""
    types = set(map(type, names))
    if types == {bool}:
        return np.array(names)
    if types == {int} and min(names) >= -(2**63) and max(names) < 2**63:
        return np.array(names, dtype=np.int64)
    return as_names(list(names))
