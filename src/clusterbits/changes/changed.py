"""What changed between two clusterings: the value that `diff` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.fates import SHOWN, Clusters, carry_cluster_names
from clusterbits.changes.judgements import JudgedChanges, judge
from clusterbits.changes.questions import Objects, draw_pairs, find_objects, question_columns
from clusterbits.changes.rates import GroupChanges
from clusterbits.errors import MeasureError
from clusterbits.reading.kept_labels import rename_objects
from clusterbits.reading.request import Request
from clusterbits.table.contingency import Contingency
from clusterbits.text.results import Result
from clusterbits.text.tables import counted, percent, to_frame, with_commas

# The numbers of what is compared, and those that say how much changed.
COUNTS = ("objects", "old_clusters", "new_clusters")
RATES = (
    *("split_rate", "merge_rate", "jaccard_distance", "split_bits", "merge_bits"),
    *("change_bits", "arrived", "left", "moved"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Changes(Result):
    """What changed between an old and a new clustering: how much, and what happened.

    Attributes
    ----------
    split_rate : float
        The mean over objects of the share of its old companions that it lost, itself included
        among them: 1 less BCubed recall with the old clusters as classes.
    merge_rate : float
        The mean share of its new companions that an object gained: 1 less BCubed precision.
    jaccard_distance : float
        The mean of 1 less the intersection over union of its old and its new cluster: a metric.
    split_bits, merge_bits : float
        H(new|old) and H(old|new) in bits per object; their sum is the variation of information.
    change_bits : float
        The bits in total that the new clusters cost someone who has the old ones, beyond what they
        would cost if nothing had changed: 0 if nothing has, and if all objects are in one new
        cluster, which costs nothing to say. Dom's code, see `q0`.
    arrived, left : int
        The number of objects that only the new, or only the old clustering has, also those without
        a label.
    moved : int or float
        The number of shared objects whose carried label differs from their old one; or the sum of
        their weights.
    old, new : Clusters
        The clusters with their fates or origins, the largest first. See `clusterbits.changes`.
    groups : GroupChanges or None
        The same rates for each group, if groups were given.
    table : Contingency
        The shared objects: old clusters in rows, new ones in columns.
    staying : ndarray of bool
        The cells of the table whose objects keep their label.
    noise_label : label or None
        The label of noise; None if it is a cluster like any other.
    objects : Objects or None
        Copies of the labels; None if they were not in memory.
    source : Request or None
        The files that labels are in, by name: questions are drawn from them.
    """

    split_rate: float
    merge_rate: float
    jaccard_distance: float
    split_bits: float
    merge_bits: float
    change_bits: float
    arrived: int
    left: int
    moved: int | float
    old: Clusters
    new: Clusters
    groups: GroupChanges | None
    table: Contingency
    staying: NDArray[np.bool_]
    noise_label: Any = None
    objects: Objects | None = field(default=None, compare=False)
    source: Request | None = field(default=None, compare=False)

    @cached_property
    def names(self) -> dict[Any, Any]:
        """The name of each new cluster: that of the old one it continues, or a fresh one.

        Fresh integers follow the largest of both clusterings, in the order of the new labels. A
        fresh text is the new label, with " (new)" behind it if an old cluster is called so.
        """
        return carry_cluster_names(self.old, self.new, self.noise_label)

    @property
    def labels(self) -> Any:
        """The new labels of all objects with the old names carried over; None for a missing one.

        An array in the order given, or a dict if objects have ids of their own or were joined on an
        index.
        """
        if self.objects is None:
            raise MeasureError(
                "the labels of files and lazy frames are not kept: rename theirs by changes.names, "
                "or by the command diff, which writes them."
            )
        return rename_objects(self.objects.labels, self.names)

    def questions(self, n: int = 200, rng: Any = 0) -> Any:
        """Return pairs of objects to judge, as a pandas, polars or pyarrow table.

        Do both objects of a pair belong together? Fill the column ``together`` with yes or no, or
        leave it empty, and pass the frame to `judged` of the same change. The order is random, so
        that a beginning will do if it has pairs of each kind and its end does not depend on the
        answers. Pairs that occur twice count twice.

        Parameters
        ----------
        n : int, default 200
            The number of pairs.
        rng : int or Generator, default 0
            The seed of the draw.

        Returns
        -------
        DataFrame
            With the columns ``a`` and ``b``, the ids of the objects, or without ids their positions
            from 0; ``kind``: split, merge or kept; ``old_a``, ``old_b``, ``new_a``,
            ``new_b``, their clusters; and ``together``, empty.

        Examples
        --------
        >>> import clusterbits as cb
        >>> changes = cb.diff([1, 1, 1, 2], [1, 1, 2, 2])
        >>> asked = changes.questions(20)
        >>> asked["together"] = asked["kind"] != "split"
        >>> round(changes.judged(asked).delta_precision.value, 4)
        0.3333
        """
        return to_frame(self.question_columns(n, rng))

    def question_columns(self, n: int = 200, rng: Any = 0) -> dict[str, list[Any]]:
        """Return the columns of `questions` by name."""
        pairs = draw_pairs(self.table, n, rng)
        if self.source is not None:
            from clusterbits.reading.files.drawn_objects import fetch_objects

            ids = fetch_objects(self.source, self.table, pairs.cells, pairs.indices)
        elif self.objects is not None:
            ids = find_objects(self.objects, pairs)
        else:
            raise MeasureError(
                "a lazy frame does not say which objects it has: pass labels with ids, or files."
            )
        return question_columns(self.table, pairs, ids)

    def judged(self, answers: Any, confidence_level: float = 0.95) -> JudgedChanges:
        """Return how much of the change is good, from answers to `questions`.

        Parameters
        ----------
        answers : DataFrame or mapping of columns
            The questions, with ``together`` filled: yes, no, true, false, 1 or 0. Pairs without an
            answer, or with "unsure", are left out and counted; all others are taken to be right.
        confidence_level : float, default 0.95
            The level of each pair of limits.

        Returns
        -------
        JudgedChanges
        """
        return judge(self.table, answers, confidence_level)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the one row of numbers."""
        counts = dict(zip(COUNTS, (self.table.n, len(self.old), len(self.new)), strict=True))
        return [counts | {name: getattr(self, name) for name in RATES}]

    @property
    def title(self) -> str:
        """How many clusters changed and objects moved, what happened, and how much."""
        n_changed, n_old = len(self.old.changed), len(self.old)
        share, counted_in = self.moved / self.table.n, "objects"
        shared = counted(self.table.n, "shared object")
        if self.table.weighted:
            shared, counted_in = f"weight {with_commas(self.table.n)} of shared objects", "weight"
        moved = f"{percent(share, 0)} of the {counted_in} moved" if share else "no object moved"
        return "\n".join(
            [
                f"{n_changed:,} of {counted(n_old, 'old cluster')} changed; {moved}",
                f"old clusters: {self.old.title}",
                f"new clusters: {self.new.title}",
                f"{shared}, {self.arrived:,} arrived, {self.left:,} left; "
                f"split rate {self.split_rate:.4f}, merge rate {self.merge_rate:.4f}",
            ]
        )

    @property
    def largest_changed(self) -> list[dict[str, Any]]:
        """The rows of the largest old clusters that changed."""
        return self.old.largest_changed(SHOWN)

    @property
    def not_listed(self) -> str:
        """How many more old clusters changed than `largest_changed` has, in words; "" if none."""
        n_more = len(self.old.changed) - SHOWN
        return f"{n_more:,} more old clusters changed" if n_more > 0 else ""

    def _shown(self) -> list[dict[str, Any]]:
        return self.largest_changed

    def __repr__(self) -> str:
        """Return the conclusion and the largest clusters that changed, if any."""
        text = super().__repr__() if len(self.old.changed) else self.title
        return "\n".join(filter(None, [text, self.not_listed]))

    def _repr_html_(self) -> str:
        """Return the same as HTML."""
        below = f"<p>{self.not_listed}</p>" if self.not_listed else ""
        return super()._repr_html_() + below
