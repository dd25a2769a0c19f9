"""An old and a new clustering, from whatever holds them, as the two runs of one tally."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from clusterbits.errors import ColumnError, LabelError
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import ChangeOptions, LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.arguments import read_frame
from clusterbits.reading.dataframes import tally_columns
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels
from clusterbits.reading.memory import join_groups
from clusterbits.reading.request import Request
from clusterbits.text.tables import counted

# The names of the runs.
OLD, NEW = "old", "new"


class OldAndNew(NamedTuple):
    """The rows of two clusterings, `OLD` and `NEW`, and where their objects are.

    The classes of the tally are the positions of the rows, so that those which count can be told
    after `settle`. `new` are the new labels if they are in memory: the first rows are its objects,
    in order. `source` is the request if labels are in files.
    """

    tally: Tally
    policy: LabelPolicy
    new: Labels | None = None
    source: Request | None = None


def read_old_and_new(request: Request, labels: ChangeOptions, groups: Any) -> OldAndNew:
    """Read the labels that a request asks for: its truth is the old clustering, pred the new."""
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
    tally = Tally(of_old, {NEW: of_new}, groups=members, weights=weights)
    of_all = labelings[NEW]
    if positions is not None:
        in_new = positions[1]
        order = np.argsort(np.where(in_new < 0, len(in_new), in_new), kind="stable")
        tally = tally.subset(order)._replace(joined=True)
        assert of_all.ids is not None  # an index that was joined on names the objects, too
        of_all = replace(of_all, ids=of_all.ids._replace(implicit=False))
    return OldAndNew(_with_two_runs(tally), policy, new=of_all)


def _read_columns(request: Request, policy: LabelPolicy) -> OldAndNew:
    """Read the unique label rows that an engine has counted."""
    tally = _only_one(tally_columns(request, policy))
    in_files = isinstance(request.data, list | str | PathLike)
    source = request._replace(progress=False) if in_files else None
    return OldAndNew(_with_two_runs(tally), policy, source=source)


def _with_two_runs(tally: Tally) -> Tally:
    """Return a tally of both clusterings as runs, and of the positions of rows as classes."""
    (new,) = tally.runs.values()
    return tally._replace(
        truth=Labels(np.arange(len(new))),
        runs={OLD: tally.truth, NEW: new},
        input_names=("rows", OLD, NEW, "groups"),
    )


def _only_one(columns: list[Any]) -> Any:
    if len(columns) != 1:
        raise ColumnError(
            f"diff compares two columns, and new means {counted(len(columns), 'column')}. Name one."
        )
    return columns[0]
