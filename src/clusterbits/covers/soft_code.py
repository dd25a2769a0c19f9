"""Dom's code length for soft and overlapping clusters, compared with that of hard ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.integer_columns import column_sums, integer_columns
from clusterbits.covers.memberships import Memberships, as_memberships
from clusterbits.covers.minimum import minimize_labels
from clusterbits.labels.options import TruthOptions, takes_labels
from clusterbits.measures.code_length import no_clusters_bits, q0
from clusterbits.reading.memory import joined_positions, tally_classes
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray, log2_choose
from clusterbits.table.numbering import group_objects
from clusterbits.table.statistics import number_of_classes
from clusterbits.text.results import Result
from clusterbits.text.tables import counted


@dataclass(frozen=True, eq=False, repr=False)
class SoftCode(Result):
    """The code length of classes given memberships, in bits per object.

    Attributes
    ----------
    n, classes, clusters : int
        Numbers of objects, of their classes and of clusters.
    label_bits, table_bits : float
        The bits of the classes given the columns that are sent, and of these columns.
    gap : float
        Upper bound on the label bits that other columns of counts could save.
    hardened : float
        `q0` of each object's cluster of the highest degree.
    no_clusters, perfect_bits : float
        `q0` of the no-cluster baseline (one cluster or singletons, whichever is less), and of the
        perfect clustering.
    """

    n: int
    classes: int
    clusters: int
    label_bits: float
    table_bits: float
    gap: float
    hardened: float
    no_clusters: float
    perfect_bits: float

    @property
    def bits(self) -> float:
        """Code length in bits per object: `q0_soft`."""
        return self.label_bits + self.table_bits

    @property
    def bits_saved(self) -> float:
        """Bits per object saved compared with no clusters, as `bits_saved` of a partition."""
        return self.no_clusters - self.bits

    @property
    def share_saved(self) -> float:
        """Share of the maximum saving, at most 1, as `share_saved` of a partition.

        If nothing can be saved (one class, or one object per class): 1 for a perfect clustering,
        else 0.
        """
        maximum = self.no_clusters - self.perfect_bits
        perfect = self.clusters == self.classes and self.bits == self.perfect_bits
        return min(self.bits_saved / maximum, 1.0) if maximum > 0 else float(perfect)

    @property
    def gained(self) -> float:
        """Bits per object saved compared with the hardened clusters; may be negative."""
        return self.hardened - self.bits

    @property
    def title(self) -> str:
        """Whether the degrees helped."""
        verb = "save" if self.gained >= 0 else "cost"
        return (
            f"{counted(self.n, 'object')}, {counted(self.clusters, 'cluster')}: the degrees {verb} "
            f"{abs(self.gained):.4f} bits per object compared with hardened clusters"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one row per code: bits per object, and bits saved."""
        codes = {"soft": self.bits, "hardened": self.hardened, "no clusters": self.no_clusters}
        return [
            {"code": code, "bits": bits, "bits_saved": self.no_clusters - bits}
            for code, bits in codes.items()
        ]


@takes_labels
def soft_code(
    truth: Any,
    memberships: Any,
    *,
    n_classes: int | None = None,
    **labels: Unpack[TruthOptions],
) -> SoftCode:
    """Return the code length of classes given soft or overlapping clusters, and given hard ones.

    It answers whether the degrees of membership helped: `q0_soft`, `q0` of the hardened clusters
    and of no clusters, in the same unit.

    Parameters
    ----------
    truth : labeling
        The class of each object, as `Contingency.from_labels` takes it.
    memberships : Memberships, array-like of shape (n_objects, n_clusters), or sets of ids
        Degrees of membership, or clusters that may overlap.
    n_classes : int, optional
        Number of classes that could have occurred; by default those that did.
    **labels
        How classes are read and joined, as in `LabelOptions`: `missing`, integer `weights`,
        `align`, `unmatched` and `truth_noise`.

    Returns
    -------
    SoftCode
        Bits per object, with a bound on what other columns of counts could save.

    See Also
    --------
    q0_soft : the code length alone.

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = ["a"] * 40 + ["b"] * 40
    >>> degrees = [[0.9, 0.1]] * 36 + [[0.4, 0.6]] * 8 + [[0.1, 0.9]] * 36
    >>> cb.covers.soft_code(truth, degrees)
    80 objects, 2 clusters: the degrees save 0.0018 bits per object compared with hardened clusters
    code           bits  bits_saved
    soft         0.3737      0.6263
    hardened     0.3755      0.6245
    no clusters  1.0000      0.0000
    """
    degrees = as_memberships(memberships, "memberships")
    tally = tally_classes(truth, degrees.objects, "memberships", **labels)
    (codes, classes), weights = tally.truth.named(), tally.counts
    degrees = degrees.subset(joined_positions(tally.runs["memberships"]))
    n, n_classes = int(weights.sum()), number_of_classes(n_classes, len(classes))

    def table(clusters: NDArray[np.int64]) -> Contingency:
        return Contingency.from_labels(codes, clusters, weights=weights)

    one_cluster, hardened = table(np.zeros_like(codes)), table(degrees.top_columns)
    if degrees.is_hard:  # bit-identical to q0
        label_bits = lower_bound = hardened.class_entropy_given_cluster
        table_bits = hardened.table_bits(n_classes)
    else:
        sums = column_sums(degrees.to_sparse().T @ weights.astype(np.float64))
        nats = _label_nats(degrees, codes, weights, sums)
        label_bits, lower_bound = (cost * BITS_PER_NAT / n for cost in nats)
        table_bits = float(log2_choose(sums, n_classes - 1).sum()) / n
    return SoftCode(
        n=n,
        classes=len(classes),
        clusters=len(degrees.clusters),
        label_bits=label_bits,
        table_bits=table_bits,
        gap=label_bits - lower_bound,
        hardened=q0.score_table(hardened, n_classes=n_classes),
        no_clusters=no_clusters_bits(one_cluster, n_classes),
        perfect_bits=one_cluster.perfect_bits(n_classes),
    )


def _label_nats(
    memberships: Memberships, codes: NDArray[np.int64], weights: NDArray[np.int64], sums: FloatArray
) -> tuple[float, float]:
    """Return the nats of the labels given the columns that are sent, and given any columns."""
    from scipy.sparse import csr_array

    rows = group_objects(memberships.row_codes, codes, weights=weights)
    present = rows.counts > 0
    examples, counts = rows.examples[present], rows.counts[present].astype(np.float64)
    entries, classes = memberships.to_sparse()[examples].tocoo(), codes[examples]
    objects, columns = (indices.astype(np.int64) for indices in entries.coords)
    sent = sums[columns] > 0
    objects, columns, degrees = objects[sent], columns[sent], entries.data[sent]
    n_classes = int(codes.max()) + 1
    cells, index = np.unique(columns * n_classes + classes[objects], return_inverse=True)
    matrix = csr_array((degrees, (objects, index)), shape=(len(examples), len(cells)))
    used, clusters = np.unique(cells // n_classes, return_inverse=True)
    proportions, lower_bound = minimize_labels(matrix, counts, clusters)
    column_counts = integer_columns(matrix, clusters, sums[used], proportions)
    probabilities = matrix @ (column_counts / sums[used][clusters])
    nats = -math.fsum((counts * np.log(probabilities)).tolist())
    return nats, min(lower_bound, nats)


@takes_labels
def q0_soft(
    truth: Any,
    memberships: Any,
    *,
    n_classes: int | None = None,
    **labels: Unpack[TruthOptions],
) -> float:
    r"""Dom's code length for soft or overlapping clusters, in bits per object.

    .. math:: \frac1n \Bigl[ \sum_k \log \binom{N_k+|C|-1}{|C|-1}
        + \min_\theta \sum_i -\log \sum_k p_{ik}\, \theta_k(c_i) \Bigr]

    Someone who knows the memberships :math:`p_{ik}` is sent one column of counts for each cluster,
    of sum :math:`N_k = \sum_i p_{ik}` rounded up. Counts over their sum are its class proportions
    :math:`\theta_k`. Then each class is sent, with probability :math:`\sum_k p_{ik} \theta_k(c)`.
    So it is the length of a message, no bound. For hard clusters it is exactly `q0`, so soft and
    hard clusterings compare in bits.

    Parameters
    ----------
    truth, memberships, n_classes, **labels
        As in `soft_code`.

    Returns
    -------
    float
        Code length per object, at least 0; lower is better. The columns need not be the best;
        ``soft_code(...).gap`` bounds what others could save.

    See Also
    --------
    soft_code : the same, with the code lengths of the hardened clusters and of no clusters.
    clusterbits.q0 : for partitions.

    Notes
    -----
    Over proportions that need not be counts, the minimum is convex: EM finds it, with a lower
    bound on what any columns of counts cost. Those that are sent are the proportions times the
    sums, rounded; ties are broken by the order of the clusters, which matters less than the gap.

    With K clusters, sizes are rounded up from 1/(K+1) on, :math:`N_k = \lceil \sum_i p_{ik} -
    1/(K+1) \rceil`: enough that there are columns which give every object's class a probability
    above 0, and almost hard clusters have the sums of the hard ones.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = ["a", "a", "b", "b"]
    >>> round(cb.covers.q0_soft(truth, [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0, 1]]), 6)
    0.991446
    >>> hard = [0, 0, 1, 1]
    >>> cb.covers.q0_soft(truth, cb.covers.Memberships.from_clusters(hard)) == cb.q0(truth, hard)
    True
    """
    return soft_code(truth, memberships, n_classes=n_classes, **labels).bits
