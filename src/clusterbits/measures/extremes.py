r"""The best and the worst clustering of given class sizes, both in closed form.

The best is the classes themselves. The worst maximizes the sum over clusters of

.. math:: g(x) = s \log s - \sum_c x_c \log x_c + f(s), \quad f(s) = \log\binom{s+|C|-1}{|C|-1},

where a cluster is a column x of s objects. Let :math:`h_1 \ge h_2 \ge \dots` be the class sizes,
:math:`d_j = h_j - h_{j+1}`, and :math:`g_j = j \log j + f(j)` the cost of one object of each of j
classes. Then, as the page "What is proved" of the documentation proves,

.. math:: n \max_K Q_0 = d_1 \log |C| + \sum_{j \ge 2} (d_j g_j + u_j w_j), \qquad
    w_j = \log \frac{(1 + 1/j)^j (1 + j/|C|)}{4}.

*Clustering.* The i-th object of every class goes to cluster i, so d_j clusters hold one object of
each of the j largest classes. A singleton of the largest class costs w_j more in one of these, so
such objects move to the first clusters while w_j > 0, u_j of them to a cluster of j.

*Certificate.* If prices λ, one per class, satisfy g(x) ≤ λ·x for every column x, then no clustering
costs more than λ·h. The prices of the theorem meet the cost of that clustering.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import TableError, translating
from clusterbits.system.limits import check_memory
from clusterbits.table.cells import checked_counts, count_sorted
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import BITS_PER_NAT, log2_choose, weighted_sum
from clusterbits.table.margins import table_bits
from clusterbits.table.numbering import concat_ranges
from clusterbits.table.statistics import number_of_classes
from clusterbits.text.results import Result
from clusterbits.text.tables import counted

# Peak bytes per cell while a worst clustering is built, measured with 1e7. It has about as many
# cells as objects.
_CELL_BYTES = 50


def best_bits(class_sizes: Any, n_classes: int | None = None) -> float:
    r"""Return the minimum code length of all clusterings of these classes, in bits per object.

    .. math:: \min_K Q_0 = \frac1n \sum_c \log_2 \binom{h(c)+|C|-1}{|C|-1}

    Reached by K = C, and only there for two classes or more.

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.best_bits([100] * 5), 6)
    0.221326
    """
    sizes = _checked_sizes(class_sizes)
    return table_bits(sizes, number_of_classes(n_classes, len(sizes)))


class ColumnShape(NamedTuple):
    """Clusters with one object of each of the largest classes; `doubled` ones with a second."""

    classes: int
    clusters: int
    doubled: int


@dataclass(frozen=True, eq=False, repr=False)
class WorstClustering(Result):
    """The clustering of given classes that costs most bits, with the proof that none costs more.

    Attributes
    ----------
    class_sizes : tuple of int
        The class sizes, in the order of the input.
    bits, upper : float
        Bits per object of this clustering, and an upper bound for all clusterings, by the prices.
    clusters : int
        Number of clusters.
    prices : tuple of float
        Bits per object of each class: no cluster costs more than the prices of its objects.
    """

    class_sizes: tuple[int, ...]
    bits: float
    upper: float
    clusters: int
    prices: tuple[float, ...]

    @cached_property
    def shapes(self) -> tuple[ColumnShape, ...]:
        """The distinct shapes of its clusters, those with most classes first."""
        steps, members = count_sorted(np.sort(np.array(self.class_sizes)))
        return tuple(map(ColumnShape, *_shapes(steps, members, self.clusters).tolist()))

    @cached_property
    def table(self) -> Contingency:
        """The worst clustering as a table; classes are numbered in the order of the input."""
        from scipy.sparse import coo_array

        n, sizes = sum(self.class_sizes), np.array(self.class_sizes)
        check_memory(_CELL_BYTES * n, f"the worst clustering of {n:,} objects, cell by cell,")
        rows = np.repeat(np.arange(len(sizes)), sizes)
        columns = concat_ranges(np.zeros_like(sizes), sizes)
        columns %= self.clusters  # the last objects of the largest class start again
        cells = np.ones(n, dtype=np.int64), (rows, columns)
        return Contingency.from_counts(coo_array(cells, shape=(len(sizes), self.clusters)))

    @property
    def title(self) -> str:
        return f"at most {self.bits:.6f} bits per object, in {counted(self.clusters, 'cluster')}"

    def to_dicts(self) -> list[dict[str, Any]]:
        return [shape._asdict() for shape in self.shapes]

    def _shown(self) -> list[dict[str, Any]]:
        return self.to_dicts()[:10]


def worst_clustering(class_sizes: Any, n_classes: int | None = None) -> WorstClustering:
    """Return the clustering of these class sizes with the greatest code length, and its proof.

    Parameters
    ----------
    class_sizes : sequence of int
        Objects in each class, at least one.
    n_classes : int, optional
        Number of classes that could have occurred; by default those with a size.

    Returns
    -------
    WorstClustering
        Its ``bits`` and ``upper`` are equal up to rounding.

    Examples
    --------
    >>> import clusterbits as cb
    >>> worst = cb.worst_clustering([4, 3, 2])
    >>> round(worst.bits, 9), worst.upper - worst.bits < 1e-9
    (2.507629855, True)
    >>> worst.table.to_dense()
    array([[2, 1, 1],
           [1, 1, 1],
           [1, 1, 0]])
    >>> worst.shapes[0]
    ColumnShape(classes=3, clusters=2, doubled=1)
    """
    counts = _checked_sizes(class_sizes)
    if counts.dtype != np.int64:
        raise TableError(
            f"class_sizes must be integers, got {class_sizes!r}. "
            "q2 with worst='bound' takes other sizes."
        )
    sizes = tuple(counts.tolist())
    n_classes = number_of_classes(n_classes, len(sizes))
    order = np.argsort(counts)
    steps, members = count_sorted(counts[order])
    descending = counts[order[::-1]]
    j = np.arange(len(sizes) + 1.0)
    # g_{j+1} - g_j; a second object of one class costs 2 bits less than one of another class.
    rise = j * np.log1p(1 / np.maximum(j, 1)) * BITS_PER_NAT + np.log2(n_classes + j)
    gain = rise[1:] - rise[0] - 2  # w
    # U: singletons of the largest class move as long as there are any and w > 0.
    doubled = min(descending[0] - descending[1], *descending[gain > 0][:1]) if gain[-1] > 0 else 0
    n, clusters = sum(sizes), int(descending[0] - doubled)
    # ν of docs/explanation/theory.md: the gain where the next object would move.
    bound = max(gain[np.count_nonzero(descending > doubled) - 1], 0.0)
    prices = _prices(rise, np.append(bound, np.maximum(gain[1:] - bound, 0.0)), members)
    bits = _bits(_shapes(steps, members, clusters), n_classes) / n
    upper = max(bits, weighted_sum(prices, (steps * members).astype(np.float64)) / n)
    by_class = np.empty(len(sizes))
    by_class[order] = np.repeat(prices, members)
    return WorstClustering(sizes, bits, upper, clusters, tuple(by_class.tolist()))


def worst_bits(class_sizes: NDArray[Any], n_classes: int | None = None) -> float:
    """Bits per object of the worst clustering, for one column of sizes or for each of several."""
    if class_sizes.ndim == 1:
        return worst_clustering(class_sizes, n_classes).bits
    bits: Any = np.array([worst_bits(sizes[sizes > 0], n_classes) for sizes in class_sizes.T])
    return bits  # type: ignore[no-any-return]


def _checked_sizes(class_sizes: Any) -> NDArray[Any]:
    """Class sizes as an array of positive numbers; int64 if they are integers."""
    with translating("class_sizes are numbers", TableError):
        sizes = checked_counts(np.asarray(class_sizes))
    if sizes.ndim != 1 or not len(sizes) or sizes.min() <= 0:
        raise TableError(f"class_sizes must be positive numbers, got {class_sizes!r}.")
    return sizes


def _prices(rise: NDArray[Any], above: NDArray[Any], members: NDArray[np.intp]) -> NDArray[Any]:
    """Price of an object of each class size, ascending."""
    # The j largest classes cost g_j and the amount above it; classes of one size share alike.
    ranked = rise[:-1] + np.diff(above, prepend=0.0)
    starts = np.cumsum(members[::-1]) - members[::-1]
    totals = np.add.reduceat(ranked.astype(np.longdouble), starts)[::-1]
    return (totals / members).astype(np.float64)


def _shapes(steps: NDArray[Any], members: NDArray[np.intp], clusters: int) -> NDArray[Any]:
    """Classes, clusters and doubled clusters of each shape, shape (3, n_shapes)."""
    # Cluster i has all classes of size i or more, so a shape ends where a class does.
    starts = np.append(steps[:1] * 0, steps[:-1])
    uses = np.append(steps[:-1], steps[-1:] * 0 + clusters) - starts
    doubled = np.minimum(np.maximum(steps[-1] - clusters - starts, 0), uses)
    return np.stack([np.cumsum(members[::-1])[::-1], uses, doubled])[:, uses > 0]


def _bits(shapes: NDArray[Any], n_classes: int) -> float:
    """Code length of clusters of these shapes."""
    classes, clusters, doubled = shapes
    plain, with_second = clusters > doubled, doubled > 0
    s = np.append(classes[plain], classes[with_second] + 1).astype(np.float64)
    bits = s * np.log2(s) + log2_choose(s, n_classes - 1)
    bits[np.count_nonzero(plain) :] -= 2  # x log x of the two objects of one class
    uses = np.append((clusters - doubled)[plain], doubled[with_second])
    return weighted_sum(bits, uses.astype(np.float64))
