"""Many tables of the same objects: bootstrap resamples, and the table without some of its objects.

A bootstrap resample draws n of the n objects with replacement, so its cell counts are multinomial
with probabilities h(c,k)/n. It is drawn cell by cell: the cost depends on the number of non-zero
cells and not on n. Each resample is scored as the table it is: if it lacks a class, formulas that
depend on the number of classes (Dom's family) vary with it, unless ``n_classes`` is given.

Small tables are resampled some thousand times, and scored without each object. Large ones are
scored without each of some tens of random groups of objects of one size (the delete-a-group
jackknife). Leaving out n/g objects moves a score √(n/g) times as far as leaving out one, so few
groups suffice for the standard error, the skewness and the bias. Resamples are then made of these
groups' effects, as if they added up.

*Seeds.* Work is divided into blocks, each with a generator of its own that is spawned from the
seed, so the number of threads changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, MeasureError, check_integer
from clusterbits.inference.resampled_score import ResampledScore
from clusterbits.measures.declaration import Measure
from clusterbits.system.limits import check_memory
from clusterbits.system.progress import Progress
from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.cells import Cells
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import SQUARE_FITS, FloatArray
from clusterbits.table.many_tables import Counts, TableStack

# Many tables: in one stack, or one by one if their sums are not integers or too large.
Tables = TableStack | list[Contingency]

# The default confidence level, and the default number of resamples.
LEVEL = 0.95
RESAMPLES = 2000
# Tables with more cells, or units, are large.
_MAX_CELLS = 20_000
# Random groups that objects are divided into; up to twice as many if they are few.
_GROUPS = 24
# Copies of a table with misassigned objects, and the number in each: about as many as may be
# unobserved. If objects are so many that errors hardly meet, one copy has all.
_COPIES = 8
_ERRORS = 4
_MANY_OBJECTS = 10_000
# Copies in which objects of one class are misassigned; and of large tables.
_CLASSES = 8
_CLASSES_OF_LARGE = 2
# With more objects the effect of one is lost in rounding. Their resamples need no widening.
_MAX_LEFT_OUT = 10**12
# Bytes for each resample: its value, and those that limits are computed from.
_RESAMPLE_BYTES = 64
# Counts and tables of a block, at most: much work at a time, little memory.
_BLOCK_COUNTS = 1 << 18
_BLOCK = 64
# With fewer cells most of the time goes into Python, where threads only wait for each other.
CELLS_PER_THREAD = 4096


def check_resamples(n_resamples: int | None) -> None:
    """Raise for a wrong number of resamples, or one that memory has no room for."""
    if n_resamples is not None:
        check_integer("n_resamples", n_resamples, 2)
        check_memory(_RESAMPLE_BYTES * int(n_resamples), f"{n_resamples:,} resamples")


def check_drawable(input_name: str, table: Contingency) -> None:
    """Raise for a table whose objects cannot be drawn."""
    if table.weighted:
        raise MeasureError(
            f"{input_name} draws objects, and these have weights: an object of weight 100 is not a "
            "hundred objects. Count rows that stand for several objects with "
            "Contingency.from_counts, such as from_counts(frame.pivot_table('n', 'class', "
            "'cluster', 'sum', fill_value=0))."
        )
    if not table.exact:
        raise MeasureError(
            f"{input_name} needs whole counts, because it draws objects; this table has others, "
            "such as expected or class-balanced ones."
        )


class ResamplingUnits(NamedTuple):
    """The units that are resampled or left out, and the table they form.

    A unit is a unique label row, with the number of its objects in `counts`; or a group of objects,
    which is drawn whole (the cluster bootstrap), with a count of 1. `members` is a sparse array of
    cells × units: one object of a label row, or all those of a group. `classes` holds the class of
    each label row, None for groups.
    """

    table: Contingency
    members: Any
    counts: Counts
    classes: NDArray[Any] | None = None

    @classmethod
    def from_table(cls, table: Contingency) -> ResamplingUnits:
        """Return the objects of a table: each cell is a unique label row."""
        counts = unbalanced_table(table).counts
        return cls.from_cells(table, np.arange(len(counts)), counts, table.rows)

    @classmethod
    def from_cells(
        cls, table: Contingency, cells: NDArray[np.intp], counts: Counts, classes: NDArray[Any]
    ) -> ResamplingUnits:
        """Return unique label rows, each with its cell of the table."""
        from scipy.sparse import csc_array

        ones, starts = np.ones(len(cells), dtype=np.int64), np.arange(len(cells) + 1)
        members = csc_array((ones, cells, starts), (len(table.counts), len(cells)))
        return cls(table, members, counts, classes)

    @classmethod
    def from_groups(
        cls, table: Contingency, members: Any, groups: Sequence[Any]
    ) -> ResamplingUnits:
        """Return groups of objects, with their counts in a sparse array of cells × groups."""
        if len(groups) < 2:
            raise LabelError(
                f"all objects are in one group, {groups[0]!r}: at least two are needed to "
                "resample groups. Without groups, objects are resampled."
            )
        return cls(table, members.tocsc(), np.ones(len(groups), dtype=np.int64))

    @property
    def size(self) -> int:
        """The number of unique label rows, groups or cells, whichever are most."""
        return max(len(self.counts), len(self.table.counts))

    @property
    def threads(self) -> int:
        """The number of threads in which many tables of the units are scored."""
        return count_threads(self.size, CELLS_PER_THREAD)

    def strata(self, n_classes: int) -> list[NDArray[np.intp]]:
        """Return all units, and those of each class, or of `n_classes` of the classes.

        These are spread evenly over the ranks of class sizes, from the rarest to the largest.
        """
        strata = [np.arange(len(self.counts))]
        if self.classes is not None:
            ranked = np.argsort(unbalanced_table(self.table).class_sizes, kind="stable")
            ranks = np.linspace(0, len(ranked) - 1, min(n_classes, len(ranked))).astype(np.intp)
            strata += [np.flatnonzero(self.classes == label) for label in ranked[ranks]]
        return strata

    def score(self, counts: Counts, measures: Sequence[Measure]) -> FloatArray:
        """Return scores, shape (n_measures, n_tables), of tables with a column of unit counts."""
        return score_all(measures, tables_of(self.table, self.members @ counts))

    def misassign(
        self,
        units: NDArray[np.intp],
        target_units: NDArray[np.intp],
        copies: NDArray[np.intp],
        rng: np.random.Generator,
    ) -> tuple[Tables, Counts]:
        """Return copies of the table with misassigned objects, and their number in each.

        An object of a unit, with all of the unit that are in its cluster, moves to the cluster of
        an object of the target unit. If it is the same cluster, that is no error.
        """
        table = unbalanced_table(self.table)
        drawn = [self._draw_cells(unit, rng) for unit in units.tolist()]
        targets = np.array([self._draw_cells(unit, rng)[2] for unit in target_units.tolist()])
        lengths = [len(cells) for cells, _, _ in drawn]
        cells = np.concatenate([cells for cells, _, _ in drawn])
        moved = np.concatenate([counts for _, counts, _ in drawn])
        new_keys = table.rows[cells] * table.shape[1] + np.repeat(targets, lengths)
        copy = np.repeat(copies, lengths)
        n_copies = int(copies[-1]) + 1
        keys = np.union1d(table.cells.keys, new_keys)
        counts = np.zeros((len(keys), n_copies), dtype=np.int64)
        positions = np.searchsorted(keys, table.cells.keys)
        counts[positions] = table.counts[:, None]
        np.subtract.at(counts, (positions[cells], copy), moved)
        np.add.at(counts, (np.searchsorted(keys, new_keys), copy), moved)
        wrong = targets != [cluster for _, _, cluster in drawn]
        return tables_of(with_cells(self.table, keys), counts), np.bincount(
            copies[wrong], minlength=n_copies
        )

    def _draw_cells(
        self, unit: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], Counts, Any]:
        """Return the cells of a unit in the cluster of a random object of it, counts, cluster."""
        members, columns = self.members, self.table.columns
        start, stop = members.indptr[unit : unit + 2]
        cells, counts = members.indices[start:stop], members.data[start:stop]
        ends = counts.cumsum()
        cell = cells[np.searchsorted(ends, rng.integers(ends[-1]), side="right")]
        together = columns[cells] == columns[cell]
        return cells[together], counts[together], columns[cell]


def unbalanced_table(table: Contingency) -> Contingency:
    """Return the table before class balancing; other tables unchanged."""
    return table if table.unbalanced is None else table.unbalanced


def with_cells(
    table: Contingency, keys: NDArray[np.int64], counts: Counts | None = None
) -> Contingency:
    """Return a table of the same classes and clusters with other cells, of 1 by default."""
    counts = np.ones_like(keys) if counts is None else counts
    cells = Cells.from_keys(keys, counts, table.cells.classes, table.cells.clusters)
    return Contingency.from_cells(cells._replace(balanced=table.cells.balanced))


def tables_of(table: Contingency, counts: Counts) -> Tables:
    """Return the tables with these counts of the cells, one in each column."""
    if table.unbalanced is not None or int(counts.sum(axis=0).max()) > SQUARE_FITS:
        return [table.with_counts(column) for column in counts.T]
    return TableStack(table.rows, table.columns, counts, table.with_counts)


def score_tables(measure: Measure, tables: Tables) -> FloatArray:
    """Return the measure of each table."""
    if isinstance(tables, list):
        return np.array([measure.score_table(table) for table in tables])
    return np.asarray(measure.score_table(tables))


def score_all(measures: Sequence[Measure], tables: Tables) -> FloatArray:
    """Return all measures of each table; the tables cache what measures share."""
    return np.array([score_tables(measure, tables) for measure in measures])


def resample_scores(
    units: ResamplingUnits,
    measures: Sequence[Measure],
    method: str,
    n_resamples: int | None,
    rng: int | None,
    progress: Progress,
) -> list[ResampledScore]:
    """Return a resampled score for each measure, all on the same resamples.

    If the table is large, "centred" resamples are the jackknife's, unless `n_resamples` is given.
    """
    values = np.array([measure.score_table(units.table) for measure in measures])
    large = units.size > _MAX_CELLS
    if method == "centred" and n_resamples is None and large:
        method = "jackknife"
    n_drawn = RESAMPLES if n_resamples is None else n_resamples
    if method == "jackknife" and units.counts.sum() > 1:  # without the only object nothing is left
        left_out = leave_out_groups([units], measures, rng, progress)
        weights = np.ones(left_out.shape[1])
        drawn = _draw_from_groups(values, left_out, n_drawn, rng)
    else:
        drawn = bootstrap(units, measures, n_drawn, rng, progress)
        left_out, weights = leave_out_objects(units, measures, n_drawn, rng)
    n_classes = _CLASSES_OF_LARGE if large else _CLASSES
    sizes, errors = measure_errors(units, n_classes, measures, values, rng)
    return [
        ResampledScore(float(value), drawn[i], left_out[i], weights, method, sizes, errors[i])
        for i, value in enumerate(values)
    ]


def bootstrap(
    units: ResamplingUnits,
    measures: Sequence[Measure],
    n_resamples: int,
    rng: int | None,
    progress: Progress,
) -> FloatArray:
    """Return bootstrap scores, shape (n_measures, n_resamples)."""
    scores = np.empty((len(measures), n_resamples))
    n = int(units.counts.sum())

    def draw(block: slice, rng: np.random.Generator) -> None:
        counts = rng.multinomial(n, units.counts / n, size=block.stop - block.start)
        scores[:, block] = units.score(np.ascontiguousarray(counts.T), measures)

    run_blocks(draw, n_resamples, len(units.counts), rng, progress, units.threads)
    return scores


def leave_out_objects(
    units: ResamplingUnits, measures: Sequence[Measure], max_left_out: int, rng: int | None
) -> tuple[FloatArray, FloatArray]:
    """Return the scores without one object of each unit, and the number of such objects.

    If there are more units than `max_left_out`, as many random objects are left out.
    """
    counts = units.counts
    n = int(counts.sum())
    if n == 1 or n > _MAX_LEFT_OUT:  # nothing would be left, or no difference seen
        return np.zeros((len(measures), 1)), np.ones(1)
    chosen, weights = np.arange(len(counts)), counts.astype(np.float64)
    if len(counts) > max_left_out:
        generator = np.random.default_rng(seed_sequence(rng))
        chosen = generator.choice(len(counts), size=max_left_out, p=counts / n)
        weights = np.full(max_left_out, n / max_left_out)
    return leave_out_each(units, measures, chosen), weights


def leave_out_each(
    units: ResamplingUnits, measures: Sequence[Measure], chosen: NDArray[np.intp]
) -> FloatArray:
    """Return the scores without one of each chosen unit, shape (n_measures, n_chosen)."""
    scores = np.empty((len(measures), len(chosen)))
    counts = unbalanced_table(units.table).counts[:, None]
    size = max(1, _BLOCK_COUNTS // len(counts))

    def leave_out(start: int) -> None:
        block = slice(start, start + size)
        fewer = counts - units.members[:, chosen[block]].toarray()
        scores[:, block] = score_all(measures, tables_of(units.table, fewer))

    blocks = range(0, len(chosen), size)
    run_in_threads(leave_out, blocks, units.threads, False)  # short: no progress
    return scores


def measure_errors(
    units: ResamplingUnits,
    n_classes: int,
    measures: Sequence[Measure],
    values: FloatArray,
    rng: int | None,
) -> tuple[list[int], FloatArray]:
    """Return the sizes of strata, and the effect of one misassigned object of each.

    Effects have shape (n_measures, n_strata, 2), downwards and upwards, one of them 0. Some objects
    are misassigned at once, because their effects need not add up.
    """
    strata = units.strata(n_classes)
    ends = [np.cumsum(units.counts[stratum]) for stratum in strata]
    sizes = [int(cumulated[-1]) for cumulated in ends]
    n_errors = [min(_ERRORS, size) for size in sizes]
    n_copies = _COPIES
    if sizes[0] >= _MANY_OBJECTS:
        n_errors[0], n_copies = _ERRORS * _COPIES, 1
    # Few classes have several copies each, too.
    of_classes = np.tile(np.arange(1, len(strata)), n_classes // max(1, len(strata) - 1))
    copies = np.concatenate([np.zeros(n_copies, dtype=np.intp), of_classes])
    effects = np.empty((len(measures), len(copies)))
    made = np.empty(len(copies))

    def draw(stratum: int, rng: np.random.Generator) -> NDArray[np.intp]:
        objects = rng.choice(sizes[stratum], n_errors[stratum], replace=False)
        return strata[stratum][np.searchsorted(ends[stratum], objects, side="right")]

    def misassign(block: slice, rng: np.random.Generator) -> None:
        drawn = [draw(stratum, rng) for stratum in copies[block].tolist()]
        copy = np.repeat(np.arange(len(drawn)), [len(objects) for objects in drawn])
        targets = np.searchsorted(ends[0], rng.integers(sizes[0], size=len(copy)), side="right")
        tables, made[block] = units.misassign(np.concatenate(drawn), targets, copy, rng)
        effects[:, block] = score_all(measures, tables) - values[:, None]

    run_blocks(misassign, len(copies), len(units.counts), rng, False, units.threads)
    means = np.empty((len(measures), len(strata)))
    for stratum in range(len(strata)):
        chosen = copies == stratum
        means[:, stratum] = effects[:, chosen].sum(axis=1) / max(made[chosen].sum(), 1)
    return sizes, np.stack([np.minimum(means, 0), np.maximum(means, 0)], axis=-1)


def leave_out_groups(
    runs: Sequence[ResamplingUnits],
    measures: Sequence[Measure],
    rng: int | None,
    progress: Progress,
) -> FloatArray:
    """Return scores without each random group of objects, shape (n_runs * n_measures, n_groups).

    The runs have the same units.
    """
    counts = runs[0].counts
    n = int(counts.sum())
    # If objects are few (such as patients), more groups have the same size.
    n_groups = n // max(1, n // _GROUPS)
    scores: list[Any] = [None] * n_groups
    seed, *seeds = seed_sequence(rng).spawn(5)

    def leave_out(task: tuple[_Part, np.random.SeedSequence]) -> None:
        part, own_seed = task
        for group in part.divide(np.random.default_rng(own_seed)):
            fewer = counts.copy()
            fewer[group.units] -= group.counts
            scores[group.first] = np.concatenate(
                [units.score(fewer[:, None], measures)[:, 0] for units in runs]
            )

    generator = np.random.default_rng(seed)
    halves = _Part(0, n_groups, np.arange(len(counts)), counts).halve(generator)
    quarters = [part for half in halves for part in half.halve(generator)]
    tasks = list(zip(quarters, seeds, strict=False))
    run_in_threads(leave_out, tasks, runs[0].threads, progress)
    return np.ascontiguousarray(np.transpose(scores))


class _Part(NamedTuple):
    """Objects of some units that are to be divided into groups: `n_groups` from the `first` on."""

    first: int
    n_groups: int
    units: NDArray[np.intp]
    counts: Counts

    def divide(self, rng: np.random.Generator) -> Iterator[_Part]:
        """Yield the groups."""
        if self.n_groups == 1:
            yield self
        else:
            for half in self.halve(rng):
                yield from half.divide(rng)

    def halve(self, rng: np.random.Generator) -> list[_Part]:
        """Divide the objects at random: each half has the objects of half of the groups.

        A unit's objects in the first half are binomial; then random ones change sides until the
        sizes are right. If they would be more than a unit has, the rest is drawn again, which is
        not quite uniform, but these are few. numpy's multivariate hypergeometric draws are uniform,
        but take fewer than 1e9 objects.
        """
        first, n_groups, units, counts = self
        if n_groups == 1:
            return [self]
        half = n_groups // 2
        size = int(counts.sum()) * half // n_groups
        drawn = rng.binomial(counts, half / n_groups)
        while excess := int(drawn.sum()) - size:
            source = drawn if excess > 0 else counts - drawn
            moved = np.minimum(rng.multinomial(abs(excess), source / source.sum()), source)
            drawn = drawn - moved if excess > 0 else drawn + moved
        rest = counts - drawn
        return [
            _Part(first, half, units[drawn > 0], drawn[drawn > 0]),
            _Part(first + half, n_groups - half, units[rest > 0], rest[rest > 0]),
        ]


def _draw_from_groups(
    values: FloatArray, left_out: FloatArray, n_resamples: int, rng: int | None
) -> FloatArray:
    """Return the values and sums of effects of groups, shape (n_measures, n_resamples).

    The sums have the jackknife's covariance. Each is divided by the root of χ²/(g - 1), because the
    groups are few: that makes normal sums multivariate t.
    """
    groups = left_out.shape[1]
    generator = np.random.default_rng(seed_sequence(rng))
    drawn = generator.multinomial(groups, np.full(groups, 1 / groups), size=n_resamples)
    shrunk = np.sqrt(generator.chisquare(groups - 1, size=n_resamples) / (groups - 1))
    effects = left_out.mean(axis=1, keepdims=True) - left_out
    sums = np.array([drawn @ row for row in effects]) * np.sqrt((groups - 1) / groups)
    return np.asarray(values[:, None] + sums / shrunk)


def run_blocks(
    draw: Callable[[slice, np.random.Generator], None],
    n_tables: int,
    n_counts: int,
    rng: int | None,
    progress: Progress,
    threads: int,
) -> None:
    """Call `draw` for consecutive blocks of tables, each with a generator of its own."""
    size = min(_BLOCK, max(1, _BLOCK_COUNTS // n_counts))
    blocks = [slice(i, min(i + size, n_tables)) for i in range(0, n_tables, size)]
    seeds = seed_sequence(rng).spawn(len(blocks))

    def work(task: tuple[slice, np.random.SeedSequence]) -> None:
        block, own_seed = task
        draw(block, np.random.default_rng(own_seed))

    run_in_threads(work, list(zip(blocks, seeds, strict=True)), threads, progress)


def seed_sequence(rng: int | None) -> np.random.SeedSequence:
    """Return the seeds that generators are spawned from; raise for what is not a seed."""
    if rng is not None:
        check_integer("rng", rng, 0)
    return np.random.SeedSequence(rng)
