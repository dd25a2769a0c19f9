"""`explain`: an explanation from a table or from labels."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from clusterbits.errors import MeasureError, check_integer
from clusterbits.explanation.explained import (
    Explanation,
    FalseMerge,
    FalseSplit,
    Merge,
    PathStep,
    is_unnamed,
)
from clusterbits.explanation.merging import Merging, Step
from clusterbits.explanation.overlap import SparseColumns
from clusterbits.explanation.parts import Breakdown, costliest_cells
from clusterbits.labels.options import LabelOptions, takes_labels
from clusterbits.system.limits import check_memory
from clusterbits.table.contingency import Contingency, as_table
from clusterbits.table.noise import describe_noise
from clusterbits.table.statistics import number_of_classes

# The memory of a cell, of a class or cluster, and of a pair in a list.
_CELL_BYTES, _GROUP_BYTES, _PAIR_BYTES = 200, 400, 200


@takes_labels
def explain(
    truth: Any,
    pred: Any = None,
    *,
    top: int = 10,
    n_classes: int | None = None,
    **labels: Unpack[LabelOptions],
) -> Explanation:
    """Return where the bits of a clustering go, and what would save some.

    Parameters
    ----------
    truth : Contingency, or 1-D sequence of labels
        A table, or the classes of the objects.
    pred : 1-D sequence of labels, optional
        The clusters of the objects, if `truth` is not a table.
    top : int, default 10
        The length of each list: merges, splits, scattered and confused classes, false merges and
        false splits; shorter if there are fewer.
    n_classes : int, optional
        Number of classes that could have occurred, as for `q0`; by default those that did.
    **labels
        How labels are read: see `LabelOptions`.

    Returns
    -------
    Explanation

    Notes
    -----
    A cluster is

    - *noise-like* if it holds several classes and its column does not pay: coding its labels by
      the overall class frequencies would cost no more. Its classes are distributed as in the
      whole table, or it has too few objects to tell;
    - *mixed* if its largest class is less than 90 % of it;
    - *fragment* if its largest class is 90 % or more of it, but also the largest of another
      cluster, and holds at most half of that class;
    - *pure* otherwise: it stands for its class.

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts(
    ...     [[30, 28, 0, 1], [0, 1, 40, 2]], classes=["cat", "dog"], clusters=["a", "b", "c", "d"])
    >>> why = cb.explain(table)
    >>> [part.kind for part in why.clusters]
    ['pure', 'fragment', 'pure', 'noise-like']
    >>> why.merges[0]
    Merge(first='a', second='b', bits_saved=0.028...)
    >>> [(step.clusters, round(step.q0, 4)) for step in why.path]
    [(4, 0.2573), (3, 0.2287), (2, 0.2503), (1, 1.0477)]

    What was wrongly merged, and what was split, costliest first:

    >>> why.false_splits[0]
    FalseSplit(name='cat', first='a', second='b', objects=28, pairs=840, bits=0.568139...)
    >>> why.to_frame("false_merges")[["cluster", "first", "second", "objects", "pairs"]]
      cluster first second  objects  pairs
    0       b   cat    dog        1     28
    1       d   dog    cat        1      2

    The labels after the merges that save most bits:

    >>> truth, pred = ["cat", "cat", "cat", "cat", "dog", "dog"], ["a", "a", "b", "b", "c", "c"]
    >>> cb.explain(truth, pred).merged(pred)
    array(['a', 'a', 'a', 'a', 'c', 'c'], dtype=object)
    """
    check_integer("top", top, 1)
    table = as_table(truth, pred, labels)
    if table.too_light:
        raise MeasureError(f"explain {table.too_light}")
    n_classes = number_of_classes(n_classes, table.shape[0])
    cells, groups = len(table.counts), sum(table.shape)
    pairs = sum(min(top, math.comb(size, 2)) for size in table.shape)
    check_memory(
        _CELL_BYTES * cells + _GROUP_BYTES * groups + _PAIR_BYTES * pairs,
        f"explaining a table of {cells:,} cells with lists of {top:,}",
    )
    return _explained(table, int(top), n_classes)


def _explained(table: Contingency, top: int, n_classes: int) -> Explanation:
    parts = Breakdown(table, n_classes)
    classes = parts.classes()
    label_bits = math.fsum(parts.cluster_labels.tolist())
    table_bits = math.fsum(parts.cluster_columns.tolist())
    merging = Merging(SparseColumns.from_table(table), n_classes)
    savings, merges_proven = merging.best(top)
    confused, confused_proven = parts.confused(top)
    names, n = table.clusters, float(table.n)
    steps = merging.path()
    path = _path(steps, names, label_bits + table_bits, n)
    best = min(range(len(path)), key=lambda i: path[i].q0)
    scattered = sorted((part for part in classes if part.clusters > 1), key=lambda c: -c.scatter)
    return Explanation(
        q0=label_bits + table_bits,
        label_bits=label_bits,
        table_bits=table_bits,
        n=table.n,
        clusters=parts.clusters(),
        classes=classes,
        merges=tuple(Merge(names[i], names[j], bits / n) for i, j, bits in savings),
        merges_proven=merges_proven,
        splits=parts.splits(top),
        scattered=tuple(scattered[:top]),
        confused=confused,
        confused_proven=confused_proven,
        false_merges=tuple(map(FalseMerge._make, costliest_cells(table, top))),
        false_splits=tuple(map(FalseSplit._make, costliest_cells(table.transpose(), top))),
        path=path,
        merged_names=_merged_names(table, steps[:best]),
        noise=describe_noise({"": table}),
    )


def _path(steps: list[Step], names: tuple[Any, ...], q0: float, n: float) -> tuple[PathStep, ...]:
    path = [PathStep(len(names), q0)]
    for clusters, bits_saved, pairs in steps:
        merged = [names[i] for i in pairs[0]] if len(pairs) == 1 else []
        path.append(PathStep(clusters, path[-1].q0 - bits_saved / n, *merged))
    return tuple(path)


def _merged_names(table: Contingency, steps: list[Step]) -> tuple[Any, ...]:
    """Return the name of each cluster after these merges: that of the largest in its set.

    Noise singletons and the cluster None name no set that has another cluster.
    """
    names = table.clusters
    roots = np.arange(len(names))
    for _, _, pairs in reversed(steps):
        roots[pairs[:, 1]] = roots[pairs[:, 0]]
    unnamed = np.array([is_unnamed(name) for name in names])
    order = np.lexsort((-table.cluster_sizes, unnamed))  # ties in label order
    largest = np.empty_like(roots)
    largest[roots[order[::-1]]] = order[::-1]  # the first in order is written last
    return tuple(names[i] for i in largest[roots].tolist())
