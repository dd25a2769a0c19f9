"""What an engine returns after a group-by-count: rows of class, cluster and how many objects.

Their labels are read like those of arrays, so that missing labels, noise and whole floats mean the
same wherever the counting was done. What is counted already is not counted again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells, Coverage, checked_counts
from clusterbits.core.exclusion import (
    leave_out_missing,
    missing_as_class,
    refuse_missing,
    refuse_weightless,
    treat_noise,
)
from clusterbits.core.labels import Labels
from clusterbits.core.naming import as_names
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.ingest.arrays import name_codes
from clusterbits.ingest.reading import read_labels

Reader = Callable[[Any, str], Labels]


class EngineTally(NamedTuple):
    """Rows of class, cluster and number of objects; `names` are those of the label columns.

    The numbers are integers, or floats; of rows of both kinds, objects of Python.
    With scores by group, `members` are the documents, batches or patients of the objects. Where a
    join leaves objects out, `every_member` has theirs too, and how many objects each row has.
    `others` are further clusterings, where several are counted together. A join gives its
    `coverage`, as its rows do not say what it left out. Errors name `where` the rows are, if known.
    The numbers of a `weighted` tally are sums of the weights of objects.
    """

    classes: Labels
    clusters: Labels
    counts: NDArray[Any]
    names: Sequence[str]
    members: Labels | None = None
    every_member: tuple[Labels, NDArray[Any]] | None = None
    others: tuple[Labels, ...] = ()
    coverage: Coverage | None = None
    where: str = ""
    weighted: bool = False

    @classmethod
    def read(
        cls,
        columns: Sequence[Any],
        counts: NDArray[Any],
        names: Sequence[str],
        readers: Iterable[Reader] = repeat(read_labels),
    ) -> EngineTally:
        """Return the rows of an engine's answer: columns of classes, clusters and members."""
        if len(counts) == 0:
            raise NothingToCountError("there are no rows to count.")
        classes, clusters, *members = (
            read(values, f"column {name!r}")
            for values, name, read in zip(columns, names, readers, strict=False)
        )
        return cls(classes, clusters, counts, names, members[0] if members else None)

    def together_with(self, columns: Mapping[str, Any], read: Reader) -> EngineTally:
        """Return the same rows with the labels of further clusterings."""
        others = tuple(read(values, f"column {name!r}") for name, values in columns.items())
        names = [*self.names[:2], *columns, *self.names[2:]]
        return self._replace(others=others, names=names)

    @property
    def labelings(self) -> tuple[Labels, ...]:
        """The classes, then all clusterings."""
        return self.classes, self.clusters, *self.others

    @property
    def is_fractional(self) -> NDArray[np.bool_]:
        """In which rows some weight is not whole."""
        return np.array([isinstance(count, float) for count in self.counts.tolist()])

    def only(self, keep: NDArray[np.bool_]) -> EngineTally:
        """Return some of the rows."""
        return self._replace(
            classes=self.classes.only(keep),
            clusters=self.clusters.only(keep),
            counts=self.counts[keep],
            members=None if self.members is None else self.members.only(keep),
            others=tuple(labels.only(keep) for labels in self.others),
        )

    def with_missing_as_class(self) -> EngineTally:
        """Return the same rows, with missing labels named None."""
        return self._replace(
            classes=missing_as_class(self.classes),
            clusters=missing_as_class(self.clusters),
            others=tuple(map(missing_as_class, self.others)),
        )

    def refuse_missing(self) -> None:
        """Raise where a label is missing."""
        for labels, name in zip(self.labelings, self.names, strict=False):
            refuse_missing(labels, f"column {name!r}", self.counts)


class WeightSums(NamedTuple):
    """Sums over the weights of each group, computed by the engine.

    `totals` are exact integers where the column has an integer type; `fractions` are zero where
    all weights are whole; `least` are the least weights; `absent` says how many are missing.
    """

    totals: list[Any]
    fractions: list[Any]
    least: list[Any]
    absent: list[Any]

    def checked(self, column: str) -> NDArray[Any]:
        """Return the weight of each group: an integer where all its weights are whole."""
        where = f"column {column!r} holds"
        if any(self.absent):
            raise LabelError(
                f"{where} weights that are missing or no numbers; leave those rows out."
            )
        if not all(math.isfinite(total) for total in self.totals):
            raise LabelError(f"{where} NaN or an infinite weight; use finite ones.")
        if self.least and (least := min(self.least)) < 0:
            raise LabelError(f"{where} {least}; weights are not negative.")
        both = zip(self.totals, self.fractions, strict=True)
        counts = as_names([float(own) if fraction else int(own) for own, fraction in both])
        return counts if any(self.fractions) else checked_counts(counts)


def count_tally(tally: EngineTally, policy: LabelPolicy) -> Cells:
    """Return the cells of a tally, with missing labels and noise treated."""
    cells = treat_noise(tally_cells(tally, policy), policy)
    return cells if tally.coverage is None else cells._replace(coverage=tally.coverage)


def tally_cells(tally: EngineTally, policy: LabelPolicy) -> Cells:
    """Return the cells of a tally. Rows that coincide once read, as 1 and 1.0, are added up."""
    if policy.missing == "error":
        tally.refuse_missing()
    refuse_weightless(tally.counts)
    known = tally.with_missing_as_class()
    rows, classes = name_codes(known.classes.codes, known.classes)
    columns, clusters = name_codes(known.clusters.codes, known.clusters)
    mixed = tally.counts.dtype == object
    counts = tally.counts.astype(np.float64) if mixed else tally.counts
    cells = Cells(classes, clusters, rows, columns, counts, weighted=tally.weighted)
    cells = cells.in_canonical_form()
    lacking = tally.classes.missing is not None or tally.clusters.missing is not None
    return leave_out_missing(cells) if lacking and policy.missing == "drop" else cells
