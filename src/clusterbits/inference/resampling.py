"""Many tables of the same objects: bootstrap resamples, and the table without some of its objects.

A bootstrap resample draws n of the n objects with replacement, so its cell counts are multinomial
with probabilities h(c,k)/n. It is drawn cell by cell: the cost depends on the number of non-zero
cells and not on n. Each resample is scored as the table it is: where it lacks a class, formulas
that depend on the number of classes (Dom's family) vary with it, unless ``n_classes`` is given.

Small tables are resampled some thousand times, and scored without each object. Large ones are
scored without each of some tens of groups of objects, which are random and of one size (the
delete-a-group jackknife). Leaving out n/g objects moves a score √(n/g) times as far as leaving out
one, so few groups suffice for the standard error, the skewness and the bias. Resamples are then
made of these groups' effects, as if they added up.

*Seeds.* Work is divided into blocks, each with a generator of its own that is spawned from the
seed. Which thread does a block changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.inference.resampled_score import ResampledScore
from clusterbits.measures.declaration import Measure
from clusterbits.system.limits import check_memory
from clusterbits.system.progress import Progress
from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.cells import Cells
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import SQUARE_FITS, FloatArray
from clusterbits.table.many_tables import Counts, TableStack

# Many tables: at once, or one by one where their sums are not whole or too large.
Tables = TableStack | list[Contingency]

# The usual confidence level, and the usual number of resamples.
LEVEL = 0.95
RESAMPLES = 2000
# Tables with more cells, or kinds of objects, are large.
_MANY_CELLS = 20_000
# How many groups objects are divided into; up to twice as many where they are few.
_GROUPS = 24
# How many copies of a table get mistakes of any objects, and how many mistakes each: about as many
# as may go unseen. One copy gets all where objects are so many that mistakes hardly meet.
_COPIES = 8
_AT_ONCE = 4
_MANY_OBJECTS = 10_000
# How many copies get mistakes of one class each; and how many of large tables.
_CLASSES = 8
_CLASSES_OF_LARGE = 2
# Of more objects a single one is lost in rounding. Their resamples need no widening.
_LOST = 10**12
# What is kept of each resample: its value, and what limits are computed from.
_RESAMPLE_BYTES = 64
# The most counts and the most tables of a block: much work at a time, little memory.
_BLOCK_COUNTS = 1 << 18
_BLOCK = 64
# With fewer cells most of the time goes into Python, where threads only wait for each other.
CELLS_PER_THREAD = 4096


def check_numbers(confidence_level: float, n_resamples: int | None) -> float:
    """Refuse a level outside 0 … 1, and too few or too many resamples; return the level."""
    if not (isinstance(confidence_level, Real) and 0 < confidence_level < 1):
        raise ClusterbitsError(
            f"confidence_level is {confidence_level!r}; it lies between 0 and 1, such as 0.95."
        )
    if n_resamples is not None:
        whole = isinstance(n_resamples, int | np.integer) and not isinstance(n_resamples, bool)
        if not (whole and n_resamples >= 2):
            raise ClusterbitsError(f"n_resamples is {n_resamples!r}; a whole number, at least 2.")
        check_memory(_RESAMPLE_BYTES * int(n_resamples), f"{n_resamples:,} resamples")
    return float(confidence_level)


def check_drawable(who: str, table: Contingency) -> None:
    """Refuse a table whose objects cannot be drawn."""
    if table.weighted:
        raise MeasureError(
            f"{who} draws objects, and these have weights: an object of weight 100 is not a "
            "hundred objects. Count rows that stand for several objects with "
            "Contingency.from_counts, such as from_counts(frame.pivot_table('n', 'class', "
            "'cluster', 'sum', fill_value=0))."
        )
    if not table.exact:
        raise MeasureError(
            f"{who} needs whole counts, because it draws objects; this table has others, such as "
            "expected or class-balanced ones."
        )


class UnitsByCell(NamedTuple):
    """A table, and its `members`: a sparse array of cells × kinds of objects.

    A kind has one object in one cell, or those of a group.
    """

    table: Contingency
    members: Any

    @classmethod
    def of_cells(cls, table: Contingency, cells: NDArray[np.intp]) -> UnitsByCell:
        """Return the view of a table in which an object of each kind is in one of these cells."""
        from scipy.sparse import csc_array

        ones, starts = np.ones(len(cells), dtype=np.int64), np.arange(len(cells) + 1)
        return cls(table, csc_array((ones, cells, starts), (len(table.counts), len(cells))))

    def resample(self, counts: Counts) -> Tables:
        """Return the tables of resamples, with these counts of each kind of object in a column."""
        return tables_of(self.table, self.members @ counts)

    def move(
        self,
        kinds: NDArray[np.intp],
        others: NDArray[np.intp],
        copies: NDArray[np.intp],
        rng: np.random.Generator,
    ) -> tuple[Tables, Counts]:
        """Return copies of the table with mistakes, and how many each of them has.

        In its copy an object of a kind, with all of the kind that are in its cluster, is given the
        cluster of an object of the other kind. Where it is the same, it is no mistake.
        """
        table, members = unbalanced_table(self.table), self.members

        def draw(kind: int) -> tuple[NDArray[np.intp], Counts, Any]:
            own = slice(*members.indptr[kind : kind + 2])
            cells, counts = members.indices[own], members.data[own]
            ends = counts.cumsum()
            cell = cells[np.searchsorted(ends, rng.integers(ends[-1]), side="right")]
            together = table.columns[cells] == table.columns[cell]
            return cells[together], counts[together], table.columns[cell]

        drawn = [draw(kind) for kind in kinds.tolist()]
        new = np.array([draw(kind)[2] for kind in others.tolist()])
        lengths = [len(cells) for cells, _, _ in drawn]
        places, moved = (np.concatenate(parts) for parts in list(zip(*drawn, strict=True))[:2])
        to = table.rows[places] * table.shape[1] + np.repeat(new, lengths)
        which = np.repeat(copies, lengths)
        many = int(copies[-1]) + 1
        # The cells that only mistakes have, among the others.
        keys = table.cells.keys
        near = np.minimum(np.searchsorted(keys, to), len(keys) - 1)
        fresh = np.unique(to[keys[near] != to])
        at = np.arange(len(keys)) + np.searchsorted(fresh, keys)
        keys = np.sort(np.concatenate([keys, fresh]), kind="stable")
        counts = np.zeros((len(keys), many), dtype=np.int64)
        counts[at] = table.counts[:, None]
        np.subtract.at(counts, (at[places], which), moved)
        np.add.at(counts, (np.searchsorted(keys, to), which), moved)
        names = table.cells.classes, table.cells.clusters
        cells = Cells.from_keys(keys, np.ones_like(keys), *names)
        wider = Contingency.from_cells(cells._replace(balanced=self.table.cells.balanced))
        wrong = new != [old for _, _, old in drawn]
        return tables_of(wider, counts), np.bincount(copies[wrong], minlength=many)


class ResamplingUnits(NamedTuple):
    """How many objects of each kind there are, and the tables they form.

    Objects are of one kind if they have the same labels in every view. Or the kinds are groups, of
    which there is one each: they are drawn whole (the cluster bootstrap). `classes` are those of
    the kinds, None of groups.
    """

    kinds: Counts
    views: Sequence[UnitsByCell]
    classes: NDArray[Any] | None = None

    @classmethod
    def of_table(cls, table: Contingency) -> ResamplingUnits:
        """Return the objects of a table: the cells are their kinds."""
        view = UnitsByCell.of_cells(table, np.arange(len(table.counts)))
        return cls(unbalanced_table(table).counts, [view], table.rows)

    @classmethod
    def in_groups(
        cls, tables: Sequence[Contingency], members: Sequence[Any], groups: Sequence[Any]
    ) -> ResamplingUnits:
        """Return the groups of objects; sparse arrays count the `members` in cells × groups."""
        if len(groups) < 2:
            raise LabelError(
                f"all objects are in one group, {groups[0]!r}: at least two are needed to "
                "resample groups. Without groups, objects are resampled."
            )
        views = [
            UnitsByCell(table, some.tocsc()) for table, some in zip(tables, members, strict=True)
        ]
        return cls(np.ones(len(groups), dtype=np.int64), views)

    def strata(self, most: int) -> list[NDArray[np.intp]]:
        """Return all kinds of objects, and those of each class, or of `most` of the classes.

        These are spread evenly over the ranks of class sizes, from the rarest to the largest.
        """
        strata = [np.arange(len(self.kinds))]
        if self.classes is not None:
            ranked = np.argsort(unbalanced_table(self.views[0].table).class_sizes, kind="stable")
            ranks = np.linspace(0, len(ranked) - 1, min(most, len(ranked))).astype(np.intp)
            strata += [np.flatnonzero(self.classes == one) for one in ranked[ranks]]
        return strata

    def score(self, counts: Counts, measures: Sequence[Measure]) -> FloatArray:
        """Return measures × tables × views; tables have a column of counts, of kinds of objects."""
        tables = [view.resample(counts) for view in self.views]
        # All measures are given the same tables, which remember what they share.
        return np.array(
            [np.transpose([score_tables(one, some) for some in tables]) for one in measures]
        )


def unbalanced_table(table: Contingency) -> Contingency:
    """Return the table of the objects: that which a balanced one was made from, or itself."""
    return table if table.unbalanced is None else table.unbalanced


def tables_of(table: Contingency, counts: Counts) -> Tables:
    """Return the tables with these counts of the cells, one in each column."""
    if table.unbalanced is not None or int(counts.sum(axis=0).max()) > SQUARE_FITS:
        return [table.with_counts(some) for some in counts.T]
    return TableStack(table.rows, table.columns, counts, table.with_counts)


def score_tables(measure: Measure, tables: Tables) -> FloatArray:
    """Return the measure of each table."""
    if isinstance(tables, list):
        return np.array([measure.score_table(table) for table in tables])
    return np.asarray(measure.score_table(tables))


def sample_scores(
    objects: ResamplingUnits,
    measures: Sequence[Measure],
    method: str,
    n_resamples: int | None,
    rng: int | None,
    progress: Progress,
) -> list[list[ResampledScore]]:
    """Return a sample for each measure and view, all on the same resamples.

    Of large tables "centred" resamples are those of the jackknife, unless `n_resamples` says how
    many to draw.
    """
    kinds, views, _ = objects
    values = [[one.score_table(view.table) for view in views] for one in measures]
    cells = max(len(kinds), *(len(view.table.counts) for view in views))
    if method == "centred" and n_resamples is None and cells > _MANY_CELLS:
        method = "jackknife"
    many = RESAMPLES if n_resamples is None else n_resamples
    threads = count_threads(cells, CELLS_PER_THREAD)
    if method == "jackknife" and kinds.sum() > 1:  # without a single object nothing is left
        left_out = leave_out_groups(objects, measures, rng, progress, threads)
        weights = np.ones(left_out.shape[1])
        drawn = _draw_from_groups(np.array(values), left_out, many, rng)
    else:
        drawn = bootstrap(objects, measures, many, rng, progress, threads)
        left_out, weights = leave_out_objects(objects, measures, many, rng, threads)
    classes = _CLASSES if cells <= _MANY_CELLS else _CLASSES_OF_LARGE
    sizes, mistakes = make_mistakes(objects, classes, measures, values, rng, threads)
    return [
        [
            ResampledScore(
                value, drawn[i, :, j], left_out[i, :, j], weights, method, sizes, mistakes[i, j]
            )
            for j, value in enumerate(own)
        ]
        for i, own in enumerate(values)
    ]


def bootstrap(
    objects: ResamplingUnits,
    measures: Sequence[Measure],
    n_resamples: int,
    rng: int | None,
    progress: Progress,
    threads: int,
) -> FloatArray:
    """Return the scores of each view on each bootstrap resample: measures × resamples × views."""
    kinds, views, _ = objects
    values = np.empty((len(measures), n_resamples, len(views)))
    n = int(kinds.sum())

    def draw(block: slice, rng: np.random.Generator) -> None:
        counts = rng.multinomial(n, kinds / n, size=block.stop - block.start)
        values[:, block] = objects.score(np.ascontiguousarray(counts.T), measures)

    run_blocks(draw, n_resamples, len(kinds), rng, progress, threads)
    return values


def leave_out_objects(
    objects: ResamplingUnits, measures: Sequence[Measure], most: int, rng: int | None, threads: int
) -> tuple[FloatArray, FloatArray]:
    """Return the scores without one object of each kind, or without each of `most` random ones.

    They are measures × objects × views. The second array says how many objects each stands for.
    """
    kinds, views, _ = objects
    n = int(kinds.sum())
    if n == 1 or n > _LOST:  # nothing would be left, or no difference seen
        return np.zeros((len(measures), 1, len(views))), np.ones(1)
    chosen, weights = np.arange(len(kinds)), kinds.astype(np.float64)
    if len(kinds) > most:
        generator = np.random.default_rng(seed_sequence(rng))
        chosen = generator.choice(len(kinds), size=most, p=kinds / n)
        weights = np.full(most, n / most)
    values = np.empty((len(measures), len(chosen), len(views)))

    def leave_out(block: slice, rng: np.random.Generator) -> None:
        some = chosen[block]
        fewer = np.repeat(kinds[:, None], len(some), axis=1)
        fewer[some, np.arange(len(some))] -= 1
        values[:, block] = objects.score(fewer, measures)

    run_blocks(leave_out, len(chosen), len(kinds), rng, False, threads)  # short: no progress
    return values, weights


def make_mistakes(
    objects: ResamplingUnits,
    classes: int,
    measures: Sequence[Measure],
    values: Sequence[Sequence[float]],
    rng: int | None,
    threads: int,
) -> tuple[list[int], FloatArray]:
    """Return the sizes of strata, and what a mistake adds in each of them.

    That is measures × views × strata × (down, up), one of the two 0. A mistake is an object in the
    cluster of another. Some are made at once, because their effects need not add up.
    """
    kinds, views, _ = objects
    strata = objects.strata(classes)
    ends = [np.cumsum(kinds[stratum]) for stratum in strata]
    sizes = [int(some[-1]) for some in ends]
    at_once = [min(_AT_ONCE, size) for size in sizes]
    several = _COPIES
    if sizes[0] >= _MANY_OBJECTS:
        at_once[0], several = _AT_ONCE * _COPIES, 1
    # Of few classes each has several copies, too.
    of_classes = np.tile(np.arange(1, len(strata)), classes // max(1, len(strata) - 1))
    copies = np.concatenate([np.zeros(several, dtype=np.intp), of_classes])
    effects = np.empty((len(measures), len(copies), len(views)))
    made = np.empty((len(copies), len(views)))

    def draw(one: int, rng: np.random.Generator) -> NDArray[np.intp]:
        places = rng.choice(sizes[one], at_once[one], replace=False)
        return strata[one][np.searchsorted(ends[one], places, side="right")]

    def move(block: slice, rng: np.random.Generator) -> None:
        drawn = [draw(one, rng) for one in copies[block].tolist()]
        which = np.repeat(np.arange(len(drawn)), [len(some) for some in drawn])
        others = np.searchsorted(ends[0], rng.integers(sizes[0], size=len(which)), side="right")
        for j, view in enumerate(views):
            tables, made[block, j] = view.move(np.concatenate(drawn), others, which, rng)
            for i, measure in enumerate(measures):
                effects[i, block, j] = score_tables(measure, tables) - values[i][j]

    run_blocks(move, len(copies), len(kinds), rng, False, threads)
    own = copies == np.arange(len(strata))[:, None]
    mean = np.stack([effects[:, some].sum(axis=1) for some in own], axis=-1)
    mean /= np.maximum(own @ made, 1).T
    return sizes, np.stack([np.minimum(mean, 0), np.maximum(mean, 0)], axis=-1)


def leave_out_groups(
    objects: ResamplingUnits,
    measures: Sequence[Measure],
    rng: int | None,
    progress: Progress,
    threads: int,
) -> FloatArray:
    """Return the scores without each random group of objects: measures × groups × views."""
    kinds, views, _ = objects
    n = int(kinds.sum())
    # Of few objects (which are then patients, or the like) more groups have the same size.
    groups = n // max(1, n // _GROUPS)
    values = np.empty((len(measures), groups, len(views)))
    seed, *seeds = seed_sequence(rng).spawn(5)

    def leave_out(task: tuple[_Part, np.random.SeedSequence]) -> None:
        part, own_seed = task
        for group in part.divide(np.random.default_rng(own_seed)):
            fewer = kinds.copy()
            fewer[group.places] -= group.counts
            values[:, [group.first]] = objects.score(fewer[:, None], measures)

    generator = np.random.default_rng(seed)
    halves = _Part(0, groups, np.arange(len(kinds)), kinds).halve(generator)
    quarters = [part for half in halves for part in half.halve(generator)]
    run_in_threads(leave_out, list(zip(quarters, seeds, strict=False)), threads, progress)
    return values


class _Part(NamedTuple):
    """Objects of some kinds that are to be divided into groups: how many, from the `first` on."""

    first: int
    groups: int
    places: NDArray[np.intp]
    counts: Counts

    def divide(self, rng: np.random.Generator) -> Iterator[_Part]:
        """Yield the groups."""
        if self.groups == 1:
            yield self
        else:
            for half in self.halve(rng):
                yield from half.divide(rng)

    def halve(self, rng: np.random.Generator) -> list[_Part]:
        """Divide the objects at random: each half has the objects of half of the groups.

        A kind's objects in the first half are binomial; then random ones change places until the
        sizes are right. Where they would be more than a kind has, the rest is drawn again, which
        is not quite uniform, but these are few. numpy's multivariate hypergeometric draws are
        uniform, but take fewer than 1e9 objects, or memory for each.
        """
        first, groups, places, counts = self
        if groups == 1:
            return [self]
        half = groups // 2
        size = int(counts.sum()) * half // groups
        taken = rng.binomial(counts, half / groups)
        while excess := int(taken.sum()) - size:
            source = taken if excess > 0 else counts - taken
            moved = np.minimum(rng.multinomial(abs(excess), source / source.sum()), source)
            taken = taken - moved if excess > 0 else taken + moved
        parts = (first, half, taken), (first + half, groups - half, counts - taken)
        return [_Part(at, many, places[some > 0], some[some > 0]) for at, many, some in parts]


def _draw_from_groups(
    values: FloatArray, left_out: FloatArray, n_resamples: int, rng: int | None
) -> FloatArray:
    """Return measures × resamples × views: the values, and sums of effects of groups.

    The sums have the jackknife's covariance. Each is divided by the root of χ²/(g - 1), because the
    groups are few: that makes normal sums multivariate t.
    """
    groups = left_out.shape[1]
    generator = np.random.default_rng(seed_sequence(rng))
    drawn = generator.multinomial(groups, np.full(groups, 1 / groups), size=n_resamples)
    shrunk = np.sqrt(generator.chisquare(groups - 1, size=(n_resamples, 1)) / (groups - 1))
    effects = left_out.mean(axis=1, keepdims=True) - left_out
    sums = drawn @ effects * np.sqrt((groups - 1) / groups)
    return np.asarray(values[:, None] + sums / shrunk)


def run_blocks(
    draw: Callable[[slice, np.random.Generator], None],
    tables: int,
    counts: int,
    rng: int | None,
    progress: Progress,
    threads: int,
) -> None:
    """Call `draw` for consecutive blocks of tables, each with a generator of its own."""
    size = min(_BLOCK, max(1, _BLOCK_COUNTS // counts))
    blocks = [slice(i, min(i + size, tables)) for i in range(0, tables, size)]
    seeds = seed_sequence(rng).spawn(len(blocks))

    def work(task: tuple[slice, np.random.SeedSequence]) -> None:
        block, own_seed = task
        draw(block, np.random.default_rng(own_seed))

    run_in_threads(work, list(zip(blocks, seeds, strict=True)), threads, progress)


def seed_sequence(rng: int | None) -> np.random.SeedSequence:
    """Return what generators are spawned from; refuse what is not a seed."""
    whole = isinstance(rng, int | np.integer) and rng >= 0
    if rng is not None and not whole:
        raise ClusterbitsError(f"rng is {rng!r}; a seed is a whole number, at least 0.")
    return np.random.SeedSequence(rng)
