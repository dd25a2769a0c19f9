"""The sum of tables: shards, batches, days."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import TableError
from clusterbits.table.cells import Cells, Coverage, sum_by_key
from clusterbits.table.label_names import (
    NoiseCluster,
    NoiseSingleton,
    as_names,
    as_written,
    find_mixed_numbers,
    name_order,
)
from clusterbits.table.noise import name_singletons, repeat_noise
from clusterbits.table.numbering import CodeBook

# An integer that became text.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


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
        np.concatenate([rows[i][part.rows] for i, part in enumerate(gathered)]),
        np.concatenate([columns[i][part.columns] for i, part in enumerate(gathered)]),
        np.concatenate([part.counts for part in gathered]),
        weighted=any(part.weighted for part in parts),
        balanced=parts[0].balanced,
    ).in_canonical_form()
    for noise in [name for name in total.clusters.tolist() if isinstance(name, NoiseCluster)]:
        total = _scatter_noise(total, noise).in_canonical_form()
    return total._replace(coverage=_add_coverages(parts, total.whole_coverage.clusters))


def merge_if_large(
    parts: list[Cells], max_cells: int, add: Callable[[list[Cells]], Cells] = merge_cells
) -> list[Cells]:
    """Merge tables once the pending cells outnumber `max_cells` and the sum so far, the first part.

    So a cell is moved once or twice.
    """
    pending = sum(len(part.counts) for part in parts[1:])
    so_far = sum(len(part.counts) for part in parts[:1])
    return [add(parts)] if pending > max(max_cells, so_far) else parts


def _add_coverages(parts: Sequence[Cells], clusters: int) -> Coverage | None:
    """Return the coverage of a sum, or None if no part excluded objects.

    The number of all clusters is unknown if a part excluded some: it does not say which.
    """
    if all(part.coverage is None for part in parts):
        return None
    coverages = [part.coverage or part.whole_coverage for part in parts]
    complete = all(coverage.clusters == coverage.of_clusters for coverage in coverages)
    return Coverage(
        sum(coverage.objects for coverage in coverages),
        sum(coverage.of_objects for coverage in coverages),
        clusters,
        clusters if complete else None,
    )


def _gather_noise(part: Cells) -> Cells:
    """Put the noise singletons of each label into one cluster, as a sum numbers them anew."""
    names = part.clusters.tolist() if part.clusters.dtype == object else []
    if not any(isinstance(name, NoiseSingleton) for name in names):
        return part
    book = CodeBook()
    columns = [
        book[NoiseCluster(name.label) if isinstance(name, NoiseSingleton) else name]
        for name in names
    ]
    gathered = part._replace(
        clusters=as_names(list(book)), columns=np.array(columns)[part.columns], canonical=False
    )
    return gathered.in_canonical_form()


def _scatter_noise(cells: Cells, noise: NoiseCluster) -> Cells:
    """Make each object of a noise cluster a singleton again."""
    in_noise = cells.columns == cells.clusters.tolist().index(noise)
    repeated = repeat_noise(in_noise, cells.counts)
    in_noise, cells = in_noise[repeated], cells.subset(repeated)
    columns, clusters = name_singletons(cells.columns, in_noise, cells.clusters, noise.label)
    counts = np.where(in_noise, np.ones_like(cells.counts), cells.counts)
    return cells._replace(columns=columns, clusters=clusters, counts=counts)


def same_cells(a: Cells, b: Cells) -> bool:
    """Whether two tables have the same counts for the same names, in any order."""
    if a.balanced != b.balanced:
        return False
    shape = len(a.classes), len(a.clusters)
    if (len(b.classes), len(b.clusters), len(b.counts)) != (*shape, len(a.counts)):
        return False
    try:
        classes, rows = merge_names([a.classes, b.classes])
        clusters, columns = merge_names([a.clusters, b.clusters])
    except TableError:  # one has 1 and "1", the other does not
        return False
    if (len(classes), len(clusters)) != shape:
        return False
    sums = [
        sum_by_key(row[cells.rows] * shape[1] + column[cells.columns], cells.counts)
        for cells, row, column in zip((a, b), rows, columns, strict=True)
    ]
    return all(map(np.array_equal, *sums))


def _refuse_mixed_numbers(labelings: Sequence[NDArray[Any]]) -> None:
    """Raise for booleans next to other numbers: 1 and True are equal, until 1 becomes text.

    Text that reads like an integer counts as one: it may come from a sum with text.
    """
    distinct = {id(names): names for names in labelings}.values()
    # Without objects, all names have one type.
    samples = (names if names.dtype == object else names[:1] for names in distinct)
    names = [name for sample in samples for name in sample.tolist()]
    boolean = next((name for name in names if isinstance(name, bool)), None)
    if boolean is None:
        return
    _, number = find_mixed_numbers(names) or (None, None)
    if number is None:
        texts = (name for name in names if isinstance(name, str))
        number = next(filter(_INTEGER.fullmatch, texts), None)
    if number is not None:
        raise TableError(
            f"the tables have the labels {boolean} and {number!r}, a boolean and a number, "
            "which cannot be told apart in a sum: True is 1. Convert the booleans, such as with "
            "labels.astype(int) or labels.astype(str)."
        )


def merge_names(
    labelings: Sequence[NDArray[Any]],
) -> tuple[NDArray[Any], list[NDArray[np.intp]]]:
    """Return the union of the names of several labelings, and the codes of each in it.

    Sorted names stay sorted; otherwise those of the first labeling come first. Integers become text
    if there is text, as they would be in one file of all.
    """
    first = labelings[0]
    if all(x is first or (x.dtype == first.dtype and np.array_equal(x, first)) for x in labelings):
        return first, [np.arange(len(first))] * len(labelings)
    names = [labeling.tolist() for labeling in labelings]
    in_order = all((name_order(x) == np.arange(len(x))).all() for x in names)
    names = _as_one_type(names)
    union = list(dict.fromkeys(chain.from_iterable(names)))
    if in_order:
        union = [union[i] for i in name_order(union)]
    code = {name: i for i, name in enumerate(union)}
    integers = all(labeling.dtype == np.int64 for labeling in labelings)
    return (np.array(union) if integers else as_names(union)), [
        np.array([code[name] for name in labeling], dtype=np.intp) for labeling in names
    ]


def _as_one_type(labelings: list[list[Any]]) -> list[list[Any]]:
    """Return the names with integers as text, if there is text and the labelings do not agree.

    A labeling in which 1 and "1" are two names is an error: the sum would depend on the order.
    """
    names = set(chain.from_iterable(labelings))
    mixed = any(map(_is_integer, names)) and any(isinstance(name, str) for name in names)
    if not mixed or all(set(labeling) == names for labeling in labelings):
        return labelings
    integers = {str(int(name)) for name in names if _is_integer(name)}
    for name in names:
        if isinstance(name, str) and name != as_written(name) in integers:
            raise TableError(
                f"one table has the label {as_written(name)} and another the text {name!r}, which "
                "may be the same label. Write it alike in all of the data, or count all files at "
                "once: from_file([first, second])."
            )
    for labeling in labelings:
        texts = {name for name in labeling if isinstance(name, str)}
        integers_as_text = (str(int(name)) for name in labeling if _is_integer(name))
        duplicate = next(filter(texts.__contains__, integers_as_text), None)
        if duplicate is not None:
            raise TableError(
                f"one table has the labels {duplicate} and '{duplicate}', an integer and a text, "
                "and another has other labels: in their sum integers become text, and the two "
                "would be one. Rename one of them."
            )
    return [[str(int(x)) if _is_integer(x) else x for x in labeling] for labeling in labelings]


def _is_integer(name: Any) -> bool:
    return isinstance(name, int) and not isinstance(name, bool)
