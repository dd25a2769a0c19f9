"""What a code spends and what the measures said it would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clusterbits.codec.coding import encode_labels, read_for_code
from clusterbits.core.labels import Labels
from clusterbits.core.table import Contingency
from clusterbits.display.tables import html_table, text_table, to_frame
from clusterbits.measures.code_length import q0, q0_enumerative


class CodeLength(NamedTuple):
    """The bits of one code.

    `header` holds sizes, class names, fingerprint and checksum; `table` and `labels` what their
    symbols cost; `coder` what is left of the file: the coder's own end and whole bytes. `predicted`
    is what the measure says for table and labels together.
    """

    code: str
    header: int
    table: float
    labels: float
    coder: float
    file: int
    predicted: float


@dataclass(frozen=True, repr=False)
class CodeLengths:
    """The real lengths of the codes of one labelling, in bits, beside the predicted ones.

    Attributes
    ----------
    n : int
        Number of objects.
    rows : tuple of CodeLength
        "entropy" (predicted by n `q0`), "enumerative" (n `q0_enumerative`) and "no clusters": the
        entropy code of the same labels where all objects share one cluster, n H(C) and its table.
    """

    n: int
    rows: tuple[CodeLength, CodeLength, CodeLength]

    @property
    def saved(self) -> int:
        """Bits that knowing the clusters saves, from file to file; negative where it costs."""
        return self["no clusters"].file - self["entropy"].file

    def __getitem__(self, code: str) -> CodeLength:
        """Return the row of one code: "entropy", "enumerative" or "no clusters"."""
        return {row.code: row for row in self.rows}[code]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary for each code."""
        return [row._asdict() for row in self.rows]

    def to_frame(self) -> Any:
        """Return the rows as a pandas or polars frame (what is installed)."""
        return to_frame(
            {name: [row[name] for row in self.to_dicts()] for name in self.to_dicts()[0]}
        )

    @property
    def _title(self) -> str:
        return f"{self.n:,} labels, lengths in bits; knowing the clusters saves {self.saved:,} bits"

    def __repr__(self) -> str:
        """Return an aligned table."""
        return f"{self._title}\n{text_table(self.to_dicts())}"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return f"<p>{self._title}</p>{html_table(self.to_dicts())}"


def code_lengths(truth: Any, pred: Any) -> CodeLengths:
    """Encode the classes and say what was spent, beside what q0 predicted.

    Parameters
    ----------
    truth, pred : 1-D sequences
        Classes and clusters of the same objects, as `encode` takes them.

    Returns
    -------
    CodeLengths
        Bits of header, table and labels for both codes, and for the same labels without clusters.

    See Also
    --------
    encode, q0, q0_enumerative

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth, pred = ["cat", "cat", "dog", "dog"] * 100, [0, 0, 1, 1] * 99 + [0, 0, 1, 0]
    >>> cb.code_lengths(truth, pred)
    400 labels, lengths in bits; knowing the clusters saves 384 bits
    code         header    table    labels    coder  file  predicted
    entropy         264  15.3021    9.0902  47.6078   336    24.3922
    enumerative     264  15.3021    7.6487  41.0492   328    22.9531
    no clusters     264   8.6475  400.0000  47.3525   720   408.6475
    """
    classes, clusters = read_for_code(truth, pred)
    together = Labels(np.zeros(len(classes), dtype=np.int8), lambda codes: codes)
    rows = (
        measured(classes, clusters, "entropy")[1],
        measured(classes, clusters, "enumerative")[1],
        measured(classes, together, "entropy")[1]._replace(code="no clusters"),
    )
    return CodeLengths(len(classes), rows)


def measured(classes: Labels, clusters: Labels, mode: str) -> tuple[bytes, CodeLength]:
    """Return the code of labels that have been read, and its lengths."""
    spent = encode_labels(classes, clusters, mode)
    table = Contingency.from_labels(classes, clusters)
    predicted = table.n * (q0 if mode == "entropy" else q0_enumerative).of(table)
    file = 8 * len(spent.code)
    coder = file - spent.header - spent.table - spent.labels
    return spent.code, CodeLength(
        mode, spent.header, spent.table, spent.labels, coder, file, predicted
    )
