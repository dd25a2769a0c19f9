"""What a code spends, beside what the measures predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from clusterbits.codec.container import unpack
from clusterbits.codec.messages import encode_read, read_both
from clusterbits.errors import check_choice
from clusterbits.labels.options import OrderOptions, takes_labels
from clusterbits.measures.code_length import q0, q0_enumerative, table_bits
from clusterbits.reading.forms import read_labels
from clusterbits.table.contingency import Contingency
from clusterbits.text.results import Result
from clusterbits.text.tables import counted


class CodeLength(NamedTuple):
    """The bits of one code.

    `header` holds the number of objects, class names, fingerprint and checksum. `predicted` is what
    the measure says, for `table` and `labels` together. `coder` is the rest of the file: rounding,
    and whole bytes.
    """

    code: str
    header: int
    table: float
    labels: float
    coder: float
    file: int
    predicted: float


@dataclass(frozen=True, eq=False, repr=False)
class CodeLengths(Result):
    """The real lengths of the codes of one labelling, in bits, beside the predicted ones.

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
        """Bits that knowing the clusters saves, beside one cluster; negative where it costs."""
        return self["one cluster"].file - self["entropy"].file

    @property
    def title(self) -> str:
        """What knowing the clusters saves."""
        return (
            f"{counted(self.n, 'label')}, lengths in bits; "
            f"knowing the clusters saves {counted(self.saved, 'bit')}"
        )

    def __getitem__(self, code: str) -> CodeLength:
        """Return the row of one code: "entropy", "enumerative" or "one cluster"."""
        rows = {row.code: row for row in self.rows}
        check_choice("code", code, tuple(rows))
        return rows[code]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary for each code."""
        return [row._asdict() for row in self.rows]


@takes_labels
def code_lengths(truth: Any, pred: Any = None, **options: Unpack[OrderOptions]) -> CodeLengths:
    """Return what each code of the classes spends, beside what q0 predicted.

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
    together = read_labels(np.zeros(len(classes), dtype=np.int8), "pred")
    table = Contingency.from_labels(classes, clusters)
    alone = Contingency.from_labels(classes, together)
    return CodeLengths(
        len(classes),
        (
            length_of(encode_read(classes, clusters, "entropy"), table),
            length_of(encode_read(classes, clusters, "enumerative"), table),
            length_of(encode_read(classes, together, "entropy"), alone)._replace(
                code="one cluster"
            ),
        ),
    )


def length_of(code: bytes, table: Contingency) -> CodeLength:
    """Return the length of a code, part by part; the table is that of its labels."""
    parts = unpack(code)
    header, file = 8 * (len(code) - len(parts.payload)), 8 * len(code)
    predicted = table.n * (q0 if parts.kind == "entropy" else q0_enumerative).score_table(table)
    of_table = table.n * table_bits(table)
    of_labels = predicted - of_table
    rest = file - header - predicted
    return CodeLength(parts.kind, header, of_table, of_labels, rest, file, predicted)
