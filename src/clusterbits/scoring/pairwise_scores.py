"""Every clustering against every other: one measure over all pairs of labelings.

Labels are read once for each labeling and not once for each pair: what is left of them is a
number for each object, from which every table is counted. Names play no part in a measure's value.
"""

from __future__ import annotations

from collections.abc import Iterator, ValuesView
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, check_choice, did_you_mean, error_prefix
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import LabelOptions, LabelPolicy, takes_labels
from clusterbits.labels.pair_counting import DenseCodes, count_dense_codes
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Better, Measure
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import check_lengths, is_joined, join_complete
from clusterbits.reading.on_device import is_device_countable
from clusterbits.reading.runs import as_runs
from clusterbits.reading.weights import chosen_weights
from clusterbits.system.immutable import read_only
from clusterbits.system.limits import check_memory
from clusterbits.system.progress import Progress
from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.text.results import Result
from clusterbits.text.tables import to_frame

# Rows and columns that a printed square shows.
_SHOWN = 12
# What a thread counts while another one is in Python: with fewer they only wait for each other.
_OBJECTS_PER_THREAD = 1 << 17
# Pairs that a thread takes at a time: enough to forget its overhead, few enough to share out.
_PAIRS_AT_A_TIME = 32
# What is kept of a label, beside the labels given.
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
        names = [str(one) for one in self.names]  # 2 and "2" are the same name
        if str(name) not in names:
            some = ", ".join(map(repr, self.names[:_SHOWN]))
            some += ", ..." if len(names) > _SHOWN else ""
            hint = did_you_mean(str(name), names)
            raise LabelError(f"there is no labeling {name!r}; there are {some}.{hint}")
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

    def plot(self, ax: Any = None, *, order: str = "given") -> Any:
        """Draw the square, the better a value the stronger its colour, and return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        order : "given" or "similarity"
            The order of the labelings: as given, or those that are alike side by side
            (hierarchical clustering, average linkage).

        Examples
        --------
        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]}
        >>> ax = cb.pairwise(runs).plot(order="similarity")
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['b', 'c', 'a']
        """
        from clusterbits.plots.heat_maps import draw_pairwise

        check_choice("order", order, ("given", "similarity"))
        return draw_pairwise(self if order == "given" else self._by_similarity(), ax)

    def _by_similarity(self) -> Pairwise:
        """Return the same square, labelings that are alike side by side."""
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        sign = 1 if self.better == "lower" else -1
        distances = sign * (self.values + self.values.T) / 2
        known = distances[np.isfinite(distances)]
        if not known.size:
            return self
        farthest = known.max() - known.min()
        distances = np.nan_to_num(distances - known.min(), nan=farthest, posinf=farthest, neginf=0)
        np.fill_diagonal(distances, 0)
        near = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
        place = leaves_list(near)
        values = read_only(self.values[np.ix_(place, place)])
        return replace(self, names=tuple(self.names[i] for i in place), values=values)

    @property
    def _corner(self) -> str:
        """What the column of names is called, also where a labeling has that name."""
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
        many = len(self.names)
        return f"{self.measure}, {many} labelings" + (
            f" (the first {_SHOWN} are shown)" if many > _SHOWN else ""
        )


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
        A bar is drawn in terminals and notebooks, from the first second on; False for none. Or what
        to wrap around the tasks instead, such as a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`, for each pair by itself. So ``missing="drop"``
        leaves out, in each pair, what lacks one of its two labels; and ``noise`` concerns the
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
    named = as_runs(list(labelings) if isinstance(labelings, Iterator | ValuesView) else labelings)
    if named is None or len(named) < 2:
        raise LabelError(
            f"labelings is a {type(labelings).__name__} of less than two labelings; pass a mapping "
            "of names to labels, a list of label sequences or fitted estimators, or a 2-D array or "
            "a frame in memory with a column for each labeling."
        )
    read = _read_all(list(named.items()))
    here = {one.name: one.labels for one in read if isinstance(one.labels, Labels)}
    by_id = policy.align or (policy.weights is not None and not policy.balanced)
    if len(here) == len(read) and not by_id:
        joined = join_complete(here)
        read = [_ranked(name, labels) for name, labels in joined.items()] if joined else read
    tables = _Tables(read, policy)
    one_sided = policy.noise is not None or policy.truth_noise is not None or policy.balanced
    both_orders = entry.symmetric and not one_sided
    values = np.full((len(read), len(read)), np.nan)

    def score(task: tuple[int, range]) -> None:
        i, columns = task
        for j in columns:
            values[i, j] = entry.score_table(tables(i, j))
            if both_orders:
                values[j, i] = values[i, j]

    threads = count_threads(len(read[0].labels), _OBJECTS_PER_THREAD)
    run_in_threads(score, _tasks(len(read), both_orders), threads, progress)
    names = tuple(labeling.name for labeling in read)
    return Pairwise(names, entry.name, read_only(values), both_orders, entry.better)


class _Labeling(NamedTuple):
    """One labeling: as codes, and as ranks where no label is missing and they are here."""

    name: Name
    labels: Any
    dense: DenseCodes | None


def _read_all(named: list[tuple[Name, Any]]) -> list[_Labeling]:
    found = {0: _read(*named[0])}
    many, objects = len(named), len(found[0].labels)
    check_memory(
        _LABEL_BYTES * many * (objects + many), f"{many:,} labelings of {objects:,} objects"
    )

    def read(place: int) -> None:
        found[place] = _read(*named[place])

    run_in_threads(read, range(1, many), count_threads(objects, _OBJECTS_PER_THREAD), iter)
    return [found[place] for place in range(many)]


def _read(name: Name, given: Any) -> _Labeling:
    who = f"labeling {name!r}"
    if is_device_countable(given):
        return _Labeling(name, given, None)
    return _ranked(name, read_labels(given, who))


def _ranked(name: Name, labels: Labels) -> _Labeling:
    ranked = DenseCodes.from_codes(labels.codes) if labels.status is None else None
    return _Labeling(name, labels, ranked)


class _Tables:
    """The table of any two labelings, by their positions."""

    def __init__(self, labelings: list[_Labeling], policy: LabelPolicy) -> None:
        self._labelings = labelings
        self._policy = policy
        given = policy.noise, policy.weights, policy.truth_noise
        asked = any(option is not None for option in given)
        labels = {f"labeling {one.name!r}": one.labels for one in labelings}
        read = {name: one for name, one in labels.items() if isinstance(one, Labels)}
        one_order = not is_joined(read, policy, chosen_weights(policy))
        if one_order:
            check_lengths(labels)
        empty = len(labelings[0].labels) == 0  # which counting refuses
        self._plain = one_order and not (asked or policy.align or empty)

    def __call__(self, i: int, j: int) -> Contingency:
        truth, pred = self._labelings[i], self._labelings[j]
        if self._plain and truth.dense is not None and pred.dense is not None:
            cells = count_dense_codes(truth.dense, pred.dense)
            return Contingency.with_margins(cells, truth.dense.margin, pred.dense.margin)
        with error_prefix(f"labelings {truth.name!r} (truth) and {pred.name!r} (pred)"):
            return Contingency.from_policy(truth.labels, pred.labels, self._policy)


def _tasks(many: int, both_orders: bool) -> list[tuple[int, range]]:
    """Return rows of the square (from the diagonal on, if that is enough) cut into short pieces."""
    return [
        (i, range(begin, min(begin + _PAIRS_AT_A_TIME, many)))
        for i in range(many)
        for begin in range(i if both_orders else 0, many, _PAIRS_AT_A_TIME)
    ]
