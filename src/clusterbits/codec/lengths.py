"""Lengths of codes, compared with those that the measures predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from clusterbits.codec.container import unpack
from clusterbits.codec.messages import encode, read_both
from clusterbits.labels.options import OrderOptions, takes_labels
from clusterbits.measures.code_length import q0, q0_enumerative
from clusterbits.table.contingency import Contingency
from clusterbits.text.results import Keyed, RowsResult
from clusterbits.text.tables import counted


class CodeLength(NamedTuple):
    """The bits of one code.

    `header` holds the number of objects, class names, fingerprint and checksum. `predicted` is n
    times the measure: the sum of `table` and `labels`. `coder` is the rest of the file: rounding
    to integers and to bytes.
    """

    code: str
    header: int
    table: float
    labels: float
    coder: float
    file: int
    predicted: float


@dataclass(frozen=True, eq=False, repr=False)
class CodeLengths(Keyed, RowsResult):
    """Lengths of the codes of one labeling in bits, by name and in rows.

    Attributes
    ----------
    n : int
        Number of objects.
    rows : tuple of CodeLength
        "entropy" (predicted by n `q0`), "enumerative" (n `q0_enumerative`) and "one cluster": the
        entropy code of the same labels with all objects in one cluster, n H(C) and its table.
    """

    n: int
    rows: tuple[CodeLength, CodeLength, CodeLength]

    @property
    def saved(self) -> int:
        """Bits that knowing the clusters saves, compared with one cluster; may be negative."""
        entropy, _, one_cluster = self.rows
        return one_cluster.file - entropy.file

    @property
    def title(self) -> str:
        saving = f"knowing the clusters saves {counted(self.saved, 'bit')}"
        return f"{counted(self.n, 'label')}, lengths in bits; {saving}"


@takes_labels
def code_lengths(truth: Any, pred: Any = None, **options: Unpack[OrderOptions]) -> CodeLengths:
    """Return the length of each code of the classes, compared with the prediction of q0.

    Parameters
    ----------
    truth, pred : 1-D sequences
        Classes and clusters of the same objects, as `encode` takes them.
    align : bool, default False
        Join two pandas Series on their indexes instead of comparing by position.

    Returns
    -------
    CodeLengths
        Bits of header, table and labels for both codes, and for the same labels in one cluster.

    See Also
    --------
    encode, clusterbits.q0, clusterbits.q0_enumerative

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth, pred = ["cat", "cat", "dog", "dog"] * 100, [0, 0, 1, 1] * 99 + [0, 0, 1, 0]
    >>> cb.codec.code_lengths(truth, pred)
    400 labels, lengths in bits; knowing the clusters saves 384 bits
    code         header    table    labels   coder  file  predicted
    entropy         280  15.3021    9.0902  7.6078   312    24.3922
    enumerative     280  15.3021    7.6511  1.0469   304    22.9531
    one cluster     280   8.6475  400.0000  7.3525   696   408.6475
    """
    classes, clusters = read_both(truth, pred, **options)
    table = Contingency.from_labels(classes, clusters)
    entropy, enumerative = (
        length_of(encode(classes, clusters, kind), table) for kind in ("entropy", "enumerative")
    )
    one_cluster = np.zeros(len(classes), dtype=np.int8)
    alone = length_of(encode(classes, one_cluster), Contingency.from_labels(classes, one_cluster))
    return CodeLengths(len(classes), (entropy, enumerative, alone._replace(code="one cluster")))


def length_of(code: bytes, table: Contingency) -> CodeLength:
    """Length of a code, part by part; the table is that of its labels."""
    parts = unpack(code)
    header, file = 8 * (len(code) - len(parts.payload)), 8 * len(code)
    predicted = table.n * (q0 if parts.kind == "entropy" else q0_enumerative).score_table(table)
    table_bits = table.n * table.table_bits()
    coder = file - header - predicted
    return CodeLength(
        parts.kind, header, table_bits, predicted - table_bits, coder, file, predicted
    )
