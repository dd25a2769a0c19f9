"""Every clustering against every other: one measure over all pairs of labelings.

Each labeling is factorized once; all tables are counted from its codes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, did_you_mean, error_prefix
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import LabelOptions, LabelPolicy, takes_labels
from clusterbits.labels.pair_counting import DenseCodes, count_dense_codes
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Better, Measure
from clusterbits.reading.joining import check_lengths, join_complete, joins_on_ids
from clusterbits.reading.runs import OBJECTS_PER_THREAD, read_runs
from clusterbits.system.progress import Progress
from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.text.results import Result
from clusterbits.text.tables import to_frame

# Rows and columns that a printed square shows.
_SHOWN = 12
# Bytes of the code of a label.
_LABEL_BYTES = 8


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise(Result):
    """The values of one measure for all pairs of labelings: a labelled square.

    Attributes
    ----------
    names : tuple of str or numbers
        Names of the labelings, in order.
    measure : str
        Full name of the measure.
    values : ndarray of float
        ``values[i, j]`` has labeling i as the truth and labeling j as the clustering. Read-only.
    symmetric : bool
        Whether the order of a pair does not matter.
    better : "higher", "lower" or None
        Which values are better; None if the measure has no direction.

    Examples
    --------
    >>> import clusterbits as cb
    >>> square = cb.pairwise({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]}, measure="rand")
    >>> square["a", "b"]
    0.8333333333333334
    >>> square.to_dicts()[1]
    {'first': 'a', 'second': 'b', 'value': 0.8333333333333334}
    """

    names: tuple[Name, ...]
    measure: str
    values: NDArray[np.float64]
    symmetric: bool = False
    better: Better | None = None

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        """Return the value for two labelings, by name: the truth first."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise LabelError(f"{pair!r} is not a pair of labelings: write result['a', 'b'].")
        first, second = (self._position(name) for name in pair)
        return float(self.values[first, second])

    def _position(self, name: Any) -> int:
        names = [*map(str, self.names)]  # 2 and "2" are the same name
        if str(name) not in names:
            raise LabelError(f"there is no labeling {name!r}.{did_you_mean(str(name), names)}")
        return names.index(str(name))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary for each ordered pair."""
        return [
            {"first": first, "second": second, "value": value}
            for first, row in zip(self.names, self.values.tolist(), strict=True)
            for second, value in zip(self.names, row, strict=True)
        ]

    def to_frame(self) -> Any:
        """Return the labelled square as a pandas or polars frame (what is installed)."""
        columns = dict(zip(map(str, self.names), self.values.T.tolist(), strict=True))
        return to_frame({self._corner: list(self.names), **columns})

    def sorted_by_similarity(self) -> Pairwise:
        """Return the same square, labelings that are alike side by side.

        They are in the order of a hierarchical clustering with average linkage.

        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]}
        >>> cb.pairwise(runs).sorted_by_similarity().names
        ('b', 'c', 'a')
        """
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        sign = 1 if self.better == "lower" else -1
        distances = sign * (self.values + self.values.T) / 2
        finite = distances[np.isfinite(distances)]
        if not finite.size:
            return self
        width = finite.max() - finite.min()
        distances = np.nan_to_num(distances - finite.min(), nan=width, posinf=width, neginf=0)
        np.fill_diagonal(distances, 0)
        tree = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
        order = leaves_list(tree)
        names = tuple(self.names[i] for i in order)
        return replace(self, names=names, values=self.values[np.ix_(order, order)])

    @property
    def _corner(self) -> str:
        """The heading of the column of names; no labeling has that name."""
        corner = "labeling"
        while corner in self.names:
            corner += "_"
        return corner

    def _shown(self) -> list[dict[str, Any]]:
        names, corner = self.names[:_SHOWN], self.values[:_SHOWN, :_SHOWN].tolist()
        return [
            {self._corner: name, **dict(zip(map(str, names), row, strict=True))}
            for name, row in zip(names, corner, strict=True)
        ]

    @property
    def title(self) -> str:
        """The measure, and how many labelings were compared."""
        n = len(self.names)
        cut = f" (the first {_SHOWN} are shown)" if n > _SHOWN else ""
        return f"{self.measure}, {n} labelings{cut}"


@takes_labels
def pairwise(
    labelings: Any,
    *,
    measure: str | Measure = "adjusted_rand",
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> Pairwise:
    """Compare every clustering with every other, and with itself.

    Parameters
    ----------
    labelings : mapping, list, 2-D array or data frame
        Two or more labelings of the same objects, as the runs of `evaluate`: a mapping of names to
        label sequences; a list of label sequences, named 0, 1, ... or as Series are, or of fitted
        estimators; a 2-D array, whose **columns** are labelings and whose rows are objects; or a
        pandas or polars frame or pyarrow table, whose columns are labelings too.
    measure : str or Measure, default "adjusted_rand"
        Full name or alias.
    progress : bool or callable, optional
        By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`, for each pair separately. So ``missing="drop"``
        excludes, in each pair, objects without one of the two labels; and ``noise`` concerns the
        second labeling, and ``weights="balanced"`` the first, hence even a symmetric measure then
        depends on the order.

    Returns
    -------
    Pairwise
        Value [i, j] is the measure with labeling i as truth and labeling j as clustering. A
        symmetric measure is computed once for both orders.

    Examples
    --------
    >>> import clusterbits as cb
    >>> runs = {"coarse": [0, 0, 0, 1, 1, 1], "fine": [0, 0, 1, 2, 2, 3], "other": list("xyzxyz")}
    >>> cb.pairwise(runs, measure="ari")
    adjusted_rand, 3 labelings
    labeling   coarse     fine    other
    coarse     1.0000   0.3750  -0.3636
    fine       0.3750   1.0000  -0.1905
    other     -0.3636  -0.1905   1.0000

    Homogeneity asks whether each cluster has one class, and is not symmetric:

    >>> square = cb.pairwise(runs, measure="homogeneity")
    >>> round(square["coarse", "fine"], 4), round(square["fine", "coarse"], 4)
    (1.0, 0.5213)
    """
    entry, policy = get_measure(measure), LabelPolicy(**labels)
    labels_by_name = read_runs(labelings, "labelings", _LABEL_BYTES)
    in_memory = all(isinstance(labels, Labels) for labels in labels_by_name.values())
    if in_memory and policy.counts_objects:
        labels_by_name = join_complete(labels_by_name) or labels_by_name
    table_of = _table_maker(labels_by_name, policy)
    n = len(labels_by_name)
    one_sided = policy.noise is not None or policy.truth_noise is not None or policy.balanced
    both_orders = entry.symmetric and not one_sided
    values = np.full((n, n), np.nan)

    def score(pair: tuple[int, int]) -> None:
        values[pair] = entry.score_table(table_of(*pair))
        if both_orders:
            values[pair[::-1]] = values[pair]

    pairs = [(i, j) for i in range(n) for j in range(i if both_orders else 0, n)]
    threads = count_threads(len(next(iter(labels_by_name.values()))), OBJECTS_PER_THREAD)
    run_in_threads(score, pairs, threads, progress)
    return Pairwise(tuple(labels_by_name), entry.name, values, both_orders, entry.better)


def _table_maker(
    labelings: dict[Name, Any], policy: LabelPolicy
) -> Callable[[int, int], Contingency]:
    """Return a function that makes the table of any two labelings, by their positions."""
    names, labels = list(labelings), list(labelings.values())
    n_objects = len(labels[0])
    named = {f"labeling {name!r}": x for name, x in labelings.items()}
    in_memory = {name: x for name, x in named.items() if isinstance(x, Labels)}
    joined = joins_on_ids(in_memory, policy)
    if not joined:
        check_lengths(named)
    codes: list[DenseCodes | None] = [None] * len(labels)

    def factorize(i: int) -> None:
        if isinstance(labels[i], Labels) and labels[i].status is None:
            codes[i] = DenseCodes.from_codes(labels[i].codes)

    options = policy.noise, policy.weights, policy.truth_noise
    plain = all(option is None for option in options) and not policy.align
    if plain and not joined and n_objects:  # no objects are an error of the counting
        run_in_threads(
            factorize, range(len(labels)), count_threads(n_objects, OBJECTS_PER_THREAD), iter
        )

    def make_table(i: int, j: int) -> Contingency:
        truth, pred = codes[i], codes[j]
        if truth is not None and pred is not None:
            return Contingency.with_margins(
                count_dense_codes(truth, pred), truth.margin, pred.margin
            )
        with error_prefix(f"labelings {names[i]!r} (truth) and {names[j]!r} (pred)"):
            return Contingency.from_policy(labels[i], labels[j], policy)

    return make_table
