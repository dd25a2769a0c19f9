"""An old and a new clustering, from whatever holds them, as the two runs of one tally."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ColumnError, LabelError
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import ChangeOptions, LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.arguments import has_tables, read_frame
from clusterbits.reading.dataframes import tally_columns
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels
from clusterbits.reading.memory import join_groups
from clusterbits.reading.request import Request
from clusterbits.text.tables import counted

# The names of the runs.
OLD, NEW = "old", "new"


class OldAndNew(NamedTuple):
    """The rows of two clusterings, and the objects of the new one if they are in memory.

    Attributes
    ----------
    tally : Tally
        The runs `OLD` and `NEW`. Its classes are the positions of the rows, so that those which
        count can be told after `settle`.
    policy : LabelPolicy
        The options.
    new : Labels or None
        The new labels, in the order given.
    positions : ndarray of int or None
        The position in `new` of each row, -1 if it has none; None if rows are in its order.
    source : Request or None
        The files that have the labels, if they are in files.
    """

    tally: Tally
    policy: LabelPolicy
    new: Labels | None = None
    positions: NDArray[np.int64] | None = None
    source: Request | None = None


def read_old_and_new(request: Request, labels: ChangeOptions, groups: Any) -> OldAndNew:
    """Read the labels that a request asks for: its truth is the old clustering, pred the new."""
    if has_tables(request):
        raise LabelError("diff takes labels: a table does not say which objects left or arrived.")
    unnamed = request.truth is None or request.pred is None
    if request.data is not None and request.on is None and unnamed:
        raise ColumnError(
            "diff compares two columns of one source: name them by old= and new=. To join two "
            "files, pass both in a list, and on= with a column of ids."
        )
    of_frame = request.data is not None
    options: Any = labels
    request, options, groups = read_frame(request._replace(words=(OLD, NEW)), options, groups)
    policy = LabelPolicy(**{"unmatched": "drop", **options})
    if policy.balanced:
        raise LabelError(
            "weights='balanced' needs classes, and diff has none. Pass a weight for each object."
        )
    if request.data is not None:
        return _read_columns(request, policy)
    new = _only_one([*request.pred.values()]) if of_frame else request.pred
    return _read_memory(request.truth, new, groups, policy)


def _read_memory(old: Any, new: Any, groups: Any, policy: LabelPolicy) -> OldAndNew:
    labelings = {OLD: read_labels(old, OLD), NEW: read_labels(new, NEW)}
    (of_old, of_new), weights, positions = join_labels(labelings, policy)
    members = None
    if groups is not None:
        members = join_groups(labelings[OLD], read_labels(groups, "groups"), policy, OLD)
        if positions is not None:
            members = members.take(positions[0])
    tally = Tally(of_old, {}, groups=members, weights=weights, joined=positions is not None)
    return OldAndNew(
        _as_runs(of_old, of_new, tally),
        policy,
        labelings[NEW],
        None if positions is None else positions[1],
    )


def _read_columns(request: Request, policy: LabelPolicy) -> OldAndNew:
    """Read the unique label rows that an engine has counted."""
    tally = _only_one(tally_columns(request, policy))
    (new,) = tally.runs.values()
    in_files = isinstance(request.data, list | str | PathLike)
    source = request._replace(progress=False) if in_files else None
    return OldAndNew(_as_runs(tally.truth, new, tally), policy, source=source)


def _as_runs(old: Labels, new: Labels, tally: Tally) -> Tally:
    """Return a tally of both clusterings as runs, and of the positions of rows as classes."""
    return tally._replace(
        truth=Labels(np.arange(len(old))),
        runs={OLD: old, NEW: new},
        input_names=("rows", OLD, NEW, "groups"),
    )


def _only_one(columns: list[Any]) -> Any:
    if len(columns) != 1:
        raise ColumnError(
            f"diff compares two columns, and new means {counted(len(columns), 'column')}. Name one."
        )
    return columns[0]
