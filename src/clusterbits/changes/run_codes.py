"""Several runs as codes: unique label rows, and the objects of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.settle import settle
from clusterbits.labels.tally import Tally
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels
from clusterbits.reading.runs import read_runs
from clusterbits.reading.type_checks import to_list
from clusterbits.table.label_names import Name, as_names
from clusterbits.table.numbering import factorize_integers, first_occurrences, pair_codes

# The code of an object that a run leaves out.
ABSENT = -1
# Codes are kept twice while label rows are compared.
_LABEL_BYTES = 16


class RunCodes(NamedTuple):
    """The clusters of unique label rows in each run.

    `codes`, shape (n_runs, n_rows), is ABSENT if a run leaves a row out; `counts` are the objects
    of each row, and `rows` the row of each object, ABSENT if no run has it. `ids` are those of the
    objects, if runs were joined on them.
    """

    names: tuple[Name, ...]
    codes: NDArray[np.int64]
    counts: NDArray[np.float64]
    rows: NDArray[np.int64]
    ids: list[Any] | None

    @property
    def n_clusters(self) -> NDArray[np.int64]:
        """The number of clusters of each run."""
        return np.asarray(self.codes.max(axis=1) + 1)


def code_runs(runs: Any, policy: LabelPolicy) -> RunCodes:
    """Read runs of the same objects; each excludes objects by itself, as `policy` says."""
    named = read_runs(runs, "runs", _LABEL_BYTES)
    names = [f"labeling {name!r}" for name in named]
    labels = {name: read_labels(run, name) for name, run in zip(names, named.values(), strict=True)}
    # Objects that a run lacks are dropped from that run alone: none need be in all.
    kept = policy.replace(unmatched="class") if policy.unmatched == "drop" else policy
    joined = join_labels(labels, kept)
    n_objects = len(joined.labels[0])
    codes = np.stack(
        [
            _settled_codes(input_name, run, joined.positions is not None, policy)
            for input_name, run in zip(labels, joined.labels, strict=True)
        ]
    )
    labelled = np.flatnonzero((codes != ABSENT).any(axis=0))
    rows_of_labelled = factorize_integers(codes[0, labelled])[0]
    for run in codes[1:, labelled]:
        rows_of_labelled = pair_codes(rows_of_labelled, run)
    counts = np.bincount(rows_of_labelled)
    examples = labelled[first_occurrences(rows_of_labelled, len(counts))]
    rows = np.full(n_objects, ABSENT)
    rows[labelled] = rows_of_labelled
    return RunCodes(
        tuple(named),
        codes[:, examples],
        counts.astype(np.float64),
        rows,
        None if joined.positions is None else _ids_in_order(labels.values(), joined.positions),
    )


def _settled_codes(
    input_name: str, run: Labels, joined: bool, policy: LabelPolicy
) -> NDArray[np.int64]:
    """Return the cluster of each object in a run, ABSENT if the options exclude it."""
    objects = Labels(np.arange(len(run)))
    names = ("objects", input_name)
    tally = Tally(objects, {input_name: run}, names, joined=joined)
    settled = settle(tally, policy)
    codes: NDArray[np.int64] = np.full(len(run), ABSENT)
    positions = settled.truth.name(settled.truth.codes)
    codes[positions] = settled.runs[input_name].named()[0]
    return codes


def _ids_in_order(runs: Iterable[Labels], positions: list[NDArray[np.int64]]) -> list[Any]:
    """Return the id of each object, from any run that has it."""
    ids = np.empty(len(positions[0]), dtype=object)
    for run, places in zip(runs, positions, strict=True):
        assert run.ids is not None
        ids[places >= 0] = as_names(to_list(run.ids.values))[places[places >= 0]]
    values: list[Any] = ids.tolist()
    return values
