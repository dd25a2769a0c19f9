"""The labels, given the table: by their frequencies in the cluster, or by their arrangement.

A label is sent as one of its cluster's cells, which are numbered one after the other, cluster by
cluster. A cluster with a single cell needs no bits.

`code_by_frequency` sends each label with probability h(c,k)/h(k): n H(C|K) bits, the paper's.

`code_by_arrangement` sends it with the frequency of its class among the labels of the cluster that
are still to come: log2 of the number of arrangements, which is less. A cluster with counts 2 and 1
sends "aba" with probabilities 2/3, 1/2 and 1: one of three arrangements. Frequencies are updated
after every 1/64 of the labels to come, so that many can be coded at once; with the objects in
scrambled order that costs less than a tenth of a bit for each cell, and nothing in clusters of up
to 127 objects.
"""

from __future__ import annotations

import numpy as np

from clusterbits.codec.decoder import Decoder
from clusterbits.codec.rans import (
    MORE_LABELS,
    Ints,
    Recorder,
    SlotTable,
    Values,
    damaged,
    divide_slots,
)
from clusterbits.core import kernels
from clusterbits.core.cells import count_sorted
from clusterbits.core.spans import list_spans

# Of so many labels to come, one is sent before the frequencies are updated. Part of the format; as
# in arrangements.c.
_SHARE = 64


class Layout:
    """Where each cluster's cells begin, and how many there are."""

    def __init__(self, columns: Values, n_clusters: int) -> None:
        self.widths = np.bincount(columns, minlength=n_clusters)
        self.begins = np.cumsum(self.widths) - self.widths
        self.mixed = self.widths > 1

    def numbers(self, clusters: Values) -> Values:
        """Return the numbers of all cells of these clusters."""
        widths = self.widths[clusters]
        first = np.cumsum(widths) - widths
        return np.repeat(self.begins[clusters] - first, widths) + np.arange(int(widths.sum()))


def code_by_frequency(
    coder: Recorder | Decoder,
    layout: Layout,
    slots: SlotTable,
    clusters: Values,
    labels: Ints | None,
) -> Ints:
    """Code the cells of these objects; `slots` are divided by h(c,k)."""
    if layout.mixed.all():
        return coder.cells(clusters, slots, labels)
    found = layout.begins[clusters] if labels is None else labels
    mixed = np.flatnonzero(layout.mixed[clusters])
    given = None if labels is None else labels[mixed]
    found[mixed] = coder.cells(clusters[mixed], slots, given)
    return found


def code_by_arrangement(
    coder: Recorder | Decoder, layout: Layout, left: Ints, clusters: Values, labels: Ints | None
) -> Ints:
    """Code the cells of these objects; `left` counts those to come, and is brought up to date."""
    found = layout.begins[clusters] if labels is None else labels
    few = len(layout.widths) <= 1 << 16  # 16 bits are sorted by radix, ten times as fast
    order = np.argsort(clusters.astype(np.uint16) if few else clusters, kind="stable")
    order = order[layout.mixed[clusters[order]]]
    present, waiting = count_sorted(clusters[order])
    if kernels.native is not None and coder.has_one_state:
        coder.arrange((order, present, waiting, layout.begins, layout.widths, left), found)
        return found
    begin = np.cumsum(waiting) - waiting
    members = np.add.reduceat(left, layout.begins)[present] if len(present) else present
    kept = 0
    while len(active := np.flatnonzero(waiting)):
        # Only clusters with labels in the chunk need slots; look again when many have none left.
        if not kept or 4 * len(active) <= 3 * kept:
            shown, kept = active, len(active)
            widths, numbers = layout.widths[present[shown]], layout.numbers(present[shown])
            offset = np.cumsum(widths) - widths
        slots = divide_slots(left[numbers], widths)
        count = np.minimum(waiting[active], np.maximum(1, members[active] // _SHARE))
        group = np.repeat(np.searchsorted(shown, active), count)
        objects = order[list_spans(begin[active], count)]
        given = None
        if labels is not None:
            given = labels[objects] - layout.begins[clusters[objects]] + offset[group]
        chosen = numbers[coder.cells(group, slots, given)]
        found[objects] = chosen
        np.subtract.at(left, chosen, 1)
        if (left[chosen] < 0).any():
            raise damaged(MORE_LABELS)
        begin[active] += count
        waiting[active] -= count
        members[active] -= count
    return found
