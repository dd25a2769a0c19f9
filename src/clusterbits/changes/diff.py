"""`diff`: what changed between an old and a new clustering."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from clusterbits.changes.changed import Changes
from clusterbits.changes.fates import find_fates, find_staying
from clusterbits.changes.questions import Objects
from clusterbits.changes.rates import find_change_bits, find_distances, find_group_changes
from clusterbits.errors import MeasureError
from clusterbits.labels.labeling import UNMATCHED
from clusterbits.labels.options import ChangeOptions, split_options, takes_labels
from clusterbits.labels.settle import settle
from clusterbits.labels.tally import GroupedTable, Tally
from clusterbits.reading.arguments import find_request
from clusterbits.reading.files.streams import requesting
from clusterbits.reading.kept_labels import keep_labels
from clusterbits.reading.old_and_new import NEW, OLD, OldAndNew, read_old_and_new
from clusterbits.table.contingency import Contingency


@takes_labels
def diff(
    data: Any = None,
    /,
    new: Any = None,
    *,
    old: Any = None,
    groups: Any = None,
    **options: Unpack[ChangeOptions],
) -> Changes:
    """Find what changed between an old and a new clustering of the same data.

    ``diff(old, new)`` compares labelings; ``diff(frame, old="monday", new="tuesday")`` compares two
    columns of a frame or a file, and ``diff(["monday.parquet", "tuesday.parquet"], on="id")`` two
    files, which may be larger than memory.

    Parameters
    ----------
    data : labeling, DataFrame, path, or list of two paths
        The old labels, by position or by id, as for `evaluate`; or what holds both columns.
    new, old : labeling or str
        The new labels; or the names of both columns. Of files that are joined, they may be left out
        if there is one column beside the ids.
    groups : 1-D sequence, mapping of ids to groups, or str, optional
        The group of each object, such as its country, or the name of their column: `groups` of the
        result has the same rates for each.
    **options
        How labels are read: see `LabelOptions`; and files: see `Contingency.from_file`. Objects
        come and go, so that ``unmatched="drop"`` is the default here. `noise` is about both
        clusterings: the noise label keeps its name and has no fate, and so do missing labels if
        they are counted.

    Returns
    -------
    Changes

    Examples
    --------
    >>> import clusterbits as cb
    >>> monday = {"ann": 1, "bob": 1, "cid": 1, "dan": 2, "eve": 2, "fay": 3}
    >>> tuesday = {"ann": 7, "bob": 7, "cid": 8, "dan": 9, "eve": 9, "gus": 8}
    >>> changes = cb.diff(monday, tuesday)
    >>> changes
    2 of 3 old clusters changed; 20 % of the objects moved
    old clusters: 1 unchanged, 1 continued, 1 gone
    new clusters: 1 unchanged, 1 continued, 1 split off
    5 shared objects, 1 arrived, 1 left; split rate 0.2667, merge rate 0.0000
    cluster  fate       goes_to   share  parts  size  left
          1  continued        7  0.6667      2     3     0
          3  gone             –  0.0000      0     1     1
    >>> changes.labels
    {'ann': 1, 'bob': 1, 'cid': 10, 'dan': 2, 'eve': 2, 'gus': 10}
    """
    if data is None and (old is None or new is None):
        raise MeasureError("nothing to compare: give the old and the new labels.")
    labels, reading = split_options(options)
    if not reading:
        request = find_request(data, old, new, (OLD, NEW))
        return find_changes(read_old_and_new(request, labels, groups))
    with requesting(data, old, new, **reading) as request:
        return find_changes(read_old_and_new(request, labels, groups))


def find_changes(read: OldAndNew) -> Changes:
    """Return what changed, from the rows of both clusterings."""
    noise_label = None if read.policy.noise is None else read.policy.noise_label
    settled = settle(read.tally, read.policy)
    rows = settled._replace(truth=settled.runs[OLD], runs={NEW: settled.runs[NEW]})
    grouped = None if rows.groups is None else GroupedTable(rows, rows.groups, False)
    table = Contingency.from_cells(rows.cells()) if grouped is None else grouped.table
    counted = None if settled is read.tally else settled.truth.name(settled.truth.codes)
    old, new = find_fates(table, read.tally, counted, noise_label)
    staying = find_staying(table, old, new)
    distances = find_distances(table)
    split_rate, merge_rate, jaccard = (
        float((table.counts * values).sum() / table.n) for values in distances
    )
    objects = None
    if read.new is not None:
        labels, of_old, of_new = map(keep_labels, (read.new, *rows.labelings))
        objects = Objects(labels, of_old, of_new, counted)
    return Changes(
        split_rate=split_rate,
        merge_rate=merge_rate,
        jaccard_distance=jaccard,
        split_bits=table.cluster_entropy_given_class,
        merge_bits=table.class_entropy_given_cluster,
        change_bits=find_change_bits(table),
        arrived=_count_unmatched(read.tally, OLD),
        left=_count_unmatched(read.tally, NEW),
        moved=table.counts[~staying].sum().item(),
        old=old,
        new=new,
        groups=None if grouped is None else find_group_changes(grouped, distances, ~staying),
        table=table,
        staying=staying,
        noise_label=noise_label,
        objects=objects,
        source=read.source,
    )


def _count_unmatched(tally: Tally, run: str) -> int:
    """Return the number of objects that a run does not have."""
    unmatched = tally.runs[run].status == UNMATCHED
    return int(np.sum(unmatched if tally.objects is None else tally.objects * unmatched))
