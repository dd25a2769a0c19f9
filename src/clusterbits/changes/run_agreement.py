"""Several runs as codes of unique label rows, and how they agree.

Two runs put an object into a cell of h objects, those of its cluster b in one run that are in its
cluster e of the other. The distance of the runs is the variation of information, H(b|e) + H(e|b).
The overlap of the two clusters is h / (h(b) + h(e) - h), and the stability of the object its mean
over all pairs of runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import NothingToCountError
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.pair_counting import count_pairs
from clusterbits.labels.settle import settle
from clusterbits.labels.tally import Tally
from clusterbits.measures.information import adjusted_mutual_information
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels
from clusterbits.reading.runs import read_runs
from clusterbits.reading.type_checks import to_list
from clusterbits.system.progress import Progress, track
from clusterbits.table.contingency import Contingency
from clusterbits.table.expected_information import expected_information_of_pairs
from clusterbits.table.label_names import Name, as_names
from clusterbits.table.numbering import factorize_integers, first_occurrences, pair_codes
from clusterbits.table.statistics import ratio

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
# The code of an object that a run leaves out.
ABSENT = -1
# Codes are kept twice while label rows are compared.
_LABEL_BYTES = 16
# Labels that are counted at once.
_BLOCK = 1 << 22


class RunCodes(NamedTuple):
    """The clusters of unique label rows in each run.

    `codes`, shape (n_runs, n_rows), is ABSENT if a run leaves a row out; `counts` are the objects
    of each row, and `rows` the row of each object, ABSENT if no run has it. `ids` are those of the
    objects, if runs were joined on them.
    """

    names: tuple[Name, ...]
    codes: IntArray
    counts: FloatArray
    rows: IntArray
    ids: list[Any] | None

    @property
    def n_clusters(self) -> IntArray:
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
        codes.take(examples, axis=1),
        counts.astype(np.float64),
        rows,
        None if joined.positions is None else _ids_in_order(labels.values(), joined.positions),
    )


def _settled_codes(input_name: str, run: Labels, joined: bool, policy: LabelPolicy) -> IntArray:
    """Return the cluster of each object in a run, ABSENT if the options exclude it."""
    objects = Labels(np.arange(len(run)))
    names = ("objects", input_name)
    tally = Tally(objects, {input_name: run}, names, joined=joined)
    settled = settle(tally, policy)
    codes: IntArray = np.full(len(run), ABSENT)
    positions = settled.truth.name(settled.truth.codes)
    codes[positions] = settled.runs[input_name].named()[0]
    return codes


def _ids_in_order(runs: Iterable[Labels], positions: list[IntArray]) -> list[Any]:
    """Return the id of each object, from any run that has it."""
    ids = np.empty(len(positions[0]), dtype=object)
    for run, places in zip(runs, positions, strict=True):
        assert run.ids is not None
        ids[places >= 0] = as_names(to_list(run.ids.values))[places[places >= 0]]
    values: list[Any] = ids.tolist()
    return values


class PairCells(NamedTuple):
    """The cells of one run with each of several others.

    Each has the other run (`pair`), its cluster in the one run, its objects (`counts`) and those of
    its two clusters, without objects that one of the runs lacks. `rows` are the label rows, and
    `cells` the cell of each, once for each other run.
    """

    pair: IntArray
    cluster: IntArray
    counts: FloatArray
    sizes: FloatArray
    other_sizes: FloatArray
    rows: IntArray
    cells: IntArray

    @property
    def overlaps(self) -> FloatArray:
        """The intersection over union of the two clusters of each cell."""
        return self.counts / (self.sizes + self.other_sizes - self.counts)

    def distances(self, n_others: int) -> FloatArray:
        """Return the variation of information with each other run; nan if no object is shared."""
        lost = np.log2(self.sizes * self.other_sizes / self.counts**2)
        sums: Any = np.bincount(self.pair, self.counts * lost, n_others)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / np.bincount(self.pair, self.counts, n_others))


def count_with_others(codes: IntArray, others: IntArray, row_counts: FloatArray) -> PairCells:
    """Count a run, shape (n_rows,), with each of several others, shape (n_others, n_rows)."""
    pairs, rows = np.nonzero((codes >= 0) & (others >= 0))
    n_clusters, n_other = int(codes.max()) + 1, int(others.max()) + 1
    cells, keys = factorize_integers(
        (pairs * n_clusters + codes[rows]) * n_other + others[pairs, rows]
    )
    counts: Any = np.bincount(cells, row_counts[rows])
    clusters, other_cluster = np.divmod(keys, n_other)
    pair, cluster = np.divmod(clusters, n_clusters)
    other_clusters = pair * n_other + other_cluster
    sizes: Any = np.bincount(clusters, counts)[clusters]
    other_sizes: Any = np.bincount(other_clusters, counts)[other_clusters]
    return PairCells(pair, cluster, counts, sizes, other_sizes, rows, cells)


def find_agreement(runs: RunCodes, progress: Progress) -> tuple[FloatArray, FloatArray]:
    """Return the distances of all pairs of runs, and the stability of each label row.

    The former are bits per object, shape (n_runs, n_runs). The latter is nan for rows that no pair
    of runs has.
    """
    n_runs, n_rows = runs.codes.shape
    step = max(1, _BLOCK // n_rows)
    distances = np.zeros((n_runs, n_runs))
    kept, n_pairs = np.zeros(n_rows), np.zeros(n_rows)
    for i in track(progress, range(n_runs)):
        for begin in range(i + 1, n_runs, step):
            others = slice(begin, min(begin + step, n_runs))
            cells = count_with_others(runs.codes[i], runs.codes[others], runs.counts)
            bits = cells.distances(others.stop - begin)
            if np.isnan(bits).any():
                other = runs.names[begin + int(np.isnan(bits).argmax())]
                raise NothingToCountError(
                    f"the runs {runs.names[i]!r} and {other!r} share no object."
                )
            distances[i, others] = distances[others, i] = bits
            kept += np.bincount(cells.rows, cells.overlaps[cells.cells], n_rows)
            n_pairs += np.bincount(cells.rows, minlength=n_rows)
    return distances, np.divide(kept, n_pairs, out=np.full(n_rows, np.nan), where=n_pairs > 0)


def find_ami(runs: RunCodes, distances: FloatArray) -> FloatArray:
    """Return the adjusted mutual information of all pairs of runs."""
    if (runs.codes < 0).any():
        return _ami_by_tables(runs)
    n = runs.counts.sum()
    sizes = np.zeros((int(runs.codes.max()) + 1, len(runs.codes)), dtype=np.int64)
    for i, codes in enumerate(runs.codes):
        sizes[:, i] = np.bincount(codes, runs.counts, len(sizes))
    shares = sizes / n
    entropies = -(shares * np.log2(np.where(sizes > 0, shares, 1))).sum(axis=0)
    chance = expected_information_of_pairs(n, sizes)
    ceiling = (entropies[:, None] + entropies) / 2
    information = ceiling - distances / 2
    rounding = 1e-14 * np.maximum(ceiling, chance)
    values: Any = ratio(
        information - chance, ceiling - chance, otherwise=distances == 0, rounding=rounding
    )
    return np.where(distances == 0, 1.0, np.minimum(values, 1.0))


def _ami_by_tables(runs: RunCodes) -> FloatArray:
    """Return AMI of runs that lack objects: each pair is compared on those of both."""
    values = np.ones((len(runs.codes), len(runs.codes)))
    for i, codes in enumerate(runs.codes):
        for j, others in enumerate(runs.codes[:i]):
            both = (codes >= 0) & (others >= 0)
            counts = runs.counts[both].astype(np.int64)
            table = Contingency.from_cells(count_pairs(codes[both], others[both], counts))
            values[i, j] = values[j, i] = adjusted_mutual_information.score_table(table)
    return values
