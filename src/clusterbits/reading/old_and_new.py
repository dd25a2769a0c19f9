"""An old and a new clustering, from whatever holds them, as the two runs of one tally."""

from __future__ import annotations

import re
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ClusterbitsError, ColumnError, LabelError
from clusterbits.labels.labeling import UNMATCHED, Labels
from clusterbits.labels.options import ChangeOptions, LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.arguments import has_tables, read_frame
from clusterbits.reading.dataframes import tally_columns
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import join_labels
from clusterbits.reading.memory import join_groups
from clusterbits.reading.request import Request
from clusterbits.reading.weights import chosen_weights
from clusterbits.system.immutable import read_only
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
    try:
        return _read(request, labels, groups)
    except ClusterbitsError as error:
        raise type(error)(_in_words_of_diff(str(error))) from error


# The words of a request, unless they are the name of a column or of a file.
_WORDS = re.compile(r"(?<![\w'\"./-])(truth|pred)(?![\w'\"/-]|\.\w)")


def _in_words_of_diff(message: str) -> str:
    """Return an error of a reader about the old and the new clustering.

    >>> _in_words_of_diff("which column is truth? Pass truth= with one of 'truth', 'b'.")
    "which column is old? Pass old= with one of 'truth', 'b'."
    """
    return _WORDS.sub(lambda word: {"truth": OLD, "pred": NEW}[word[1]], message)


def _read(request: Request, labels: ChangeOptions, groups: Any) -> OldAndNew:
    if has_tables(request):
        raise LabelError("diff takes labels: a table does not say which objects left or arrived.")
    of_frame = request.data is not None
    if of_frame and request.on is None and (request.truth is None or request.pred is None):
        raise ColumnError(
            "diff compares two columns of one source: name them by old= and new=. To join two "
            "files, pass both in a list, and on= with a column of ids."
        )
    options: Any = labels
    request, options, groups = read_frame(request, options, groups)
    if request.data is not None:
        return _read_columns(request, options)
    policy = LabelPolicy(**{"unmatched": "drop", **options})
    _refuse_balanced(policy)
    pred = request.pred
    if of_frame:
        pred = _only_one(list(pred.values()))
    old, new = read_labels(request.truth, OLD), read_labels(pred, NEW)
    (of_old, of_new), weights, positions = join_labels(
        {OLD: old, NEW: new}, policy, chosen_weights(policy)
    )
    members = None
    if groups is not None:
        members = join_groups(old, read_labels(groups, "groups"), policy, OLD)
        if positions is not None:
            members = members.take(positions[0])
        _refuse_ungrouped(members, of_old, of_new)
    tally = _as_runs(of_old, of_new, Tally(of_old, {}, groups=members, weights=weights))
    if positions is None:
        return OldAndNew(tally, policy, new)
    return OldAndNew(tally._replace(joined=True), policy, new, positions[1])


def _read_columns(request: Request, labels: Any) -> OldAndNew:
    """Read the unique label rows that an engine has counted."""
    if request.weights is not None:  # the engine adds them up
        labels = {**labels, "weights": None}
    policy = LabelPolicy(**{"unmatched": "drop", **labels})
    _refuse_balanced(policy)
    tally = _only_one(tally_columns(request, policy))
    (of_new,) = tally.runs.values()
    in_files = isinstance(request.data, list | str | PathLike)
    source = request if in_files else None
    return OldAndNew(_as_runs(tally.truth, of_new, tally), policy, source=source)


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


def _refuse_balanced(policy: LabelPolicy) -> None:
    if policy.balanced:
        raise LabelError(
            "weights='balanced' needs classes, and diff has none. Pass a weight for each object."
        )


def _refuse_ungrouped(groups: Labels, old: Labels, new: Labels) -> None:
    """Raise if an object of both clusterings has no group."""
    if groups.status is None:
        return
    shared = old.known & new.known
    n_without = int(np.count_nonzero(shared & (groups.status == UNMATCHED)))
    if n_without:
        raise LabelError(
            f"groups has no group for {counted(n_without, 'object')} of both clusterings. Give "
            "each object a group."
        )


def copied(labels: Labels) -> Labels:
    """Return labels that share no array with the caller, in half the memory if that will do."""
    status = None if labels.status is None else read_only(labels.status.copy())
    codes, limit = labels.codes, np.iinfo(np.int32)
    small = codes.dtype == np.int64 and limit.min <= codes.min() and codes.max() <= limit.max
    codes = codes.astype(np.int32 if small else codes.dtype)
    return replace(labels, codes=read_only(codes), status=status, ids=None)
