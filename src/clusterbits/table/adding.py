"""Cells of several tables added up: shards, batches, days."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import TableError
from clusterbits.table.cells import Cells, Coverage, sum_by_key
from clusterbits.table.label_names import as_names, as_written, find_mixed_numbers, name_order
from clusterbits.table.noise import NoiseSingleton, name_singletons, repeat_noise
from clusterbits.table.numbering import CodeBook

# An integer as it is written where integers become text.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


@dataclass(frozen=True, order=True)
class _NoiseCluster:
    """The name of the noise of one label while it is put together for a sum."""

    label: Any


def merge_cells(parts: Sequence[Cells]) -> Cells:
    """Return the sum of tables: the cells of all, under the names of all."""
    if len(parts) == 1:
        return parts[0]
    if len({part.balanced for part in parts}) > 1:
        raise TableError(
            "some of the tables are class-balanced, and others are not: balance all of them, with "
            "table.balanced(), or none, with table.unbalanced."
        )
    gathered = [_gather_noise(part) for part in parts]
    _refuse_mixed_numbers([part.classes for part in gathered])
    _refuse_mixed_numbers([part.clusters for part in gathered])
    classes, rows = merge_names([part.classes for part in gathered])
    clusters, columns = merge_names([part.clusters for part in gathered])
    total = Cells(
        classes,
        clusters,
        np.concatenate([at[part.rows] for part, at in zip(gathered, rows, strict=True)]),
        np.concatenate([at[part.columns] for part, at in zip(gathered, columns, strict=True)]),
        np.concatenate([part.counts for part in gathered]),
        weighted=any(part.weighted for part in parts),
        balanced=parts[0].balanced,
    ).in_canonical_form()
    for noise in [name for name in total.clusters.tolist() if isinstance(name, _NoiseCluster)]:
        total = _scatter_noise(total, noise).in_canonical_form()
    return total._replace(coverage=_add_coverages(parts, total.whole_coverage.clusters))


def merge_if_large(
    parts: list[Cells], most: int, add: Callable[[list[Cells]], Cells] = merge_cells
) -> list[Cells]:
    """Return parts that come one by one, added up where more than `most` cells wait.

    The first is the sum so far. More than it has must wait, too: so a cell is moved once or twice.
    """
    so_far, waiting = (sum(len(part.counts) for part in some) for some in (parts[:1], parts[1:]))
    return [add(parts)] if waiting > max(most, so_far) else parts


def _add_coverages(parts: Sequence[Cells], clusters: int) -> Coverage | None:
    """Return the coverage of a sum; None where no part left objects out.

    Parts do not say which clusters they left out, so that those of several cannot be counted.
    """
    if all(part.coverage is None for part in parts):
        return None
    every = [part.coverage or part.whole_coverage for part in parts]
    complete = all(one.clusters == one.of_clusters for one in every)
    return Coverage(
        sum(one.objects for one in every),
        sum(one.of_objects for one in every),
        clusters,
        clusters if complete else None,
    )


def _gather_noise(part: Cells) -> Cells:
    """Put the noise singletons of each label into one cluster: those of a sum are numbered anew."""
    singletons = part.clusters.dtype == object and any(
        isinstance(name, NoiseSingleton) for name in part.clusters.tolist()
    )
    if not singletons:
        return part
    book = CodeBook()
    columns = [
        book[_NoiseCluster(name.label) if isinstance(name, NoiseSingleton) else name]
        for name in part.clusters.tolist()
    ]
    together = part._replace(
        clusters=as_names(list(book)), columns=np.array(columns)[part.columns], canonical=False
    )
    return together.in_canonical_form()


def _scatter_noise(cells: Cells, noise: _NoiseCluster) -> Cells:
    """Make each object of a noise cluster a singleton again."""
    in_noise = cells.columns == cells.clusters.tolist().index(noise)
    repeated = repeat_noise(in_noise, cells.counts)
    alone, cells = in_noise[repeated], cells.subset(repeated)
    columns, clusters = name_singletons(cells.columns, alone, cells.clusters, noise.label)
    counts = np.where(alone, np.ones_like(cells.counts), cells.counts)
    return cells._replace(columns=columns, clusters=clusters, counts=counts)


def same_cells(one: Cells, other: Cells) -> bool:
    """Whether two tables have the same counts for the same names, in whatever order.

    Those of class-balanced tables are the counts that they were made from.
    """
    if one.balanced != other.balanced:
        return False
    shape = len(one.classes), len(one.clusters)
    if (len(other.classes), len(other.clusters), len(other.counts)) != (*shape, len(one.counts)):
        return False
    try:
        classes, rows = merge_names([one.classes, other.classes])
        clusters, columns = merge_names([one.clusters, other.clusters])
    except TableError:  # one has 1 and "1", the other has not
        return False
    if (len(classes), len(clusters)) != shape:
        return False
    mine, theirs = (
        sum_by_key(row[side.rows] * shape[1] + column[side.columns], side.counts)
        for side, row, column in zip((one, other), rows, columns, strict=True)
    )
    return np.array_equal(mine[0], theirs[0]) and np.array_equal(mine[1], theirs[1])


def _refuse_mixed_numbers(sides: Sequence[NDArray[Any]]) -> None:
    """Refuse booleans beside other numbers: 1 and True are equal, until 1 becomes text.

    Text that reads like an integer counts as one: it may come from a sum with text.
    """
    distinct = {id(side): side for side in sides}.values()
    sampled = [(side if side.dtype == object else side[:1]).tolist() for side in distinct]
    truth_value = next((x for side in sampled for x in side if isinstance(x, bool)), None)
    if truth_value is None:
        return
    names = [name for side in sampled for name in side]
    _, number = find_mixed_numbers(names) or (None, None)
    if number is None:
        texts = (name for name in names if isinstance(name, str))
        number = next(filter(_INTEGER.fullmatch, texts), None)
    if number is not None:
        raise TableError(
            f"the tables have the labels {truth_value} and {number!r}, a boolean and a number, "
            "which cannot be told apart in a sum: True is 1. Convert the booleans, such as with "
            "labels.astype(int) or labels.astype(str)."
        )


def merge_names(sides: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], list[NDArray[np.intp]]]:
    """Return the union of the names, and where each side's names stand in it.

    Sorted names stay sorted; otherwise the first side's order comes first. Where there are integers
    and text, integers become text, as they would be in one file of all.
    """
    first = sides[0]
    if all(s is first or (s.dtype == first.dtype and np.array_equal(s, first)) for s in sides):
        return first, [np.arange(len(first))] * len(sides)
    names = [side.tolist() for side in sides]
    in_order = all((name_order(side) == np.arange(len(side))).all() for side in names)
    names = _of_one_kind(names)
    union = list(dict.fromkeys(name for side in names for name in side))
    if in_order:
        union = [union[i] for i in name_order(union)]
    place = {name: i for i, name in enumerate(union)}
    integers = all(side.dtype == np.int64 for side in sides)
    return (np.array(union) if integers else as_names(union)), [
        np.array([place[name] for name in side], dtype=np.intp) for side in names
    ]


def _of_one_kind(sides: list[list[Any]]) -> list[list[Any]]:
    """Return the names with integers as text, where the sides do not agree and have both.

    A side in which 1 and "1" are two names is refused: what it adds up to would depend on the order
    of the sum.
    """
    names = {name for side in sides for name in side}
    mixed = any(map(_is_integer, names)) and any(isinstance(name, str) for name in names)
    if not mixed or all(set(side) == names for side in sides):
        return sides
    integers = {str(int(name)) for name in names if _is_integer(name)}
    for name in names:
        if isinstance(name, str) and name != as_written(name) in integers:
            raise TableError(
                f"one table has the label {as_written(name)} and another the text {name!r}, which "
                "may be the same label. Write it alike in all of the data, or count all files at "
                "once: from_file([first, second])."
            )
    texts = [[str(int(name)) if _is_integer(name) else name for name in side] for side in sides]
    for side, written in zip(sides, texts, strict=True):
        if len(set(written)) < len(set(side)):
            twice = next(int(x) for x in side if _is_integer(x) and str(int(x)) in side)
            raise TableError(
                f"one table has the labels {twice} and {str(twice)!r}, an integer and a text, and "
                "another has other labels: in their sum integers become text, and the two would "
                "be one. Rename one of them."
            )
    return texts


def _is_integer(name: Any) -> bool:
    return isinstance(name, int) and not isinstance(name, bool)
