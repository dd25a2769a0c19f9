"""Dom's code length for soft and overlapping clusters, and what the degrees are worth in bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.integer_columns import column_sums, whole_columns
from clusterbits.covers.memberships import Memberships
from clusterbits.covers.minimum import minimise_labels
from clusterbits.covers.objects import as_memberships, code_rows
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
    """What the classes cost someone who knows the memberships, in bits per object.

    Attributes
    ----------
    n, classes, clusters : int
        Numbers of objects, of their classes and of clusters.
    label_bits, table_bits : float
        What the classes cost given the columns that are sent, and what those cost.
    gap : float
        No other columns make `label_bits` less by more than this; a proof, not an estimate.
    hardened : float
        `q0` of each object's cluster of the highest degree.
    no_clusters, best : float
        `q0` without clusters (all objects together or each alone, whichever is less), and of the
        classes themselves.
    """

    n: int
    classes: int
    clusters: int
    label_bits: float
    table_bits: float
    gap: float
    hardened: float
    no_clusters: float
    best: float

    @property
    def bits(self) -> float:
        """Code length in bits per object: `q0_soft`."""
        return self.label_bits + self.table_bits

    @property
    def bits_saved(self) -> float:
        """Bits per object that the memberships save; negative where they cost more than they tell.

        Beside no clusters, as `bits_saved` of a partition.
        """
        return self.no_clusters - self.bits

    @property
    def share_saved(self) -> float:
        """The bits saved as a share of what can be saved, at most 1, as that of a partition.

        Where nothing can be saved, because of one class or of one object to a class: 1 for a
        perfect clustering, else 0.
        """
        room = self.no_clusters - self.best
        perfect = self.clusters == self.classes and self.bits == self.best
        return min(self.bits_saved / room, 1.0) if room > 0 else float(perfect)

    @property
    def gained(self) -> float:
        """Bits per object that the degrees tell beyond the hardened clusters; negative if fewer."""
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
        """Return a row for each way to send the classes: bits per object, and what they save."""
        rows = {
            "soft": self.bits,
            "hardened": self.hardened,
            "no clusters": self.no_clusters,
        }
        return [
            {"code": code, "bits": bits, "bits_saved": self.no_clusters - bits}
            for code, bits in rows.items()
        ]


@takes_labels
def soft_code(
    truth: Any,
    memberships: Any,
    *,
    n_classes: int | None = None,
    **labels: Unpack[TruthOptions],
) -> SoftCode:
    """Return the code length of classes given soft or overlapping clusters, beside hard ones.

    It answers whether the degrees of membership helped: `q0_soft`, `q0` of the hardened clusters
    and of no clusters, in the same unit.

    Parameters
    ----------
    truth : labeling
        The class of each object, as `Contingency.from_labels` takes it.
    memberships : Memberships, or what makes one
        A matrix of degrees, objects × clusters, or sets of ids that may overlap.
    n_classes : int, optional
        Number of classes that could have occurred; by default those that did.
    **labels
        How classes are read and joined, as in `LabelOptions`: `missing`, `weights` (whole numbers
        of objects), `align`, `unmatched` and `truth_noise`. Objects without memberships and
        ``unmatched="class"`` form a cluster of their own.

    Returns
    -------
    SoftCode
        Bits per object, with a bound on the distance from the least.

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
    side = as_memberships(memberships, "memberships")
    tally = tally_classes(truth, side.objects, "memberships", **labels)
    (codes, classes), weights = tally.truth.named(), tally.counts
    some = side.subset(joined_positions(tally.runs["memberships"]))
    n, many = int(weights.sum()), number_of_classes(n_classes, len(classes))

    def table(clusters: NDArray[np.int64]) -> Contingency:
        return Contingency.from_labels(codes, clusters, weights=weights)

    alone = table(np.zeros_like(codes))
    if some.is_hard:  # the table says it to the last digit
        hard = table(some.columns)
        label = least = hard.class_entropy_given_cluster
        columns = hard.table_bits(many)
    else:
        sums = column_sums(some.to_sparse().T @ weights.astype(np.float64))
        nats = _label_nats(some, codes, weights, sums)
        label, least = (cost * BITS_PER_NAT / n for cost in nats)
        columns = float(log2_choose(sums, many - 1).sum()) / n
    return SoftCode(
        n=n,
        classes=len(classes),
        clusters=len(some.clusters),
        label_bits=label,
        table_bits=columns,
        gap=label - least,
        hardened=q0.score_table(table(some.top_columns), n_classes=many),
        no_clusters=no_clusters_bits(alone, many),
        best=alone.perfect_bits(many),
    )


def _label_nats(
    memberships: Memberships, codes: NDArray[np.int64], weights: NDArray[np.int64], sums: FloatArray
) -> tuple[float, float]:
    """Return what the labels cost given columns of these sums, and at least, whatever these are."""
    from scipy.sparse import csr_array

    kinds = group_objects(code_rows(memberships), codes, weights=weights)
    there = kinds.counts > 0
    examples, counts = kinds.examples[there], kinds.counts[there].astype(np.float64)
    entries, classes = memberships.to_sparse()[examples].tocoo(), codes[examples]
    rows, columns = (places.astype(np.int64) for places in entries.coords)
    sent = sums[columns] > 0
    rows, columns, degrees = rows[sent], columns[sent], entries.data[sent]
    many = int(codes.max()) + 1
    cells, places = np.unique(columns * many + classes[rows], return_inverse=True)
    matrix = csr_array((degrees, (rows, places)), shape=(len(examples), len(cells)))
    numbers, clusters = np.unique(cells // many, return_inverse=True)
    found = minimise_labels(matrix, counts, clusters)
    nats = whole_columns(matrix, counts, clusters, sums[numbers], found.proportions)
    return nats, min(found.least, nats)


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
    So it is the length of a message, no bound. For hard clusters it is `q0`, to the last digit, and
    soft and hard clusterings compare in bits.

    Parameters
    ----------
    truth : labeling
        The class of each object, as `Contingency.from_labels` takes it.
    memberships : Memberships, or what makes one
        A matrix of degrees, objects × clusters, or sets of ids that may overlap.
    n_classes : int, optional
        Number of classes that could have occurred; by default those that did.
    **labels
        How classes are read and joined, as in `LabelOptions`: `missing`, `weights` (whole numbers
        of objects), `align`, `unmatched` and `truth_noise`. Objects without memberships and
        ``unmatched="class"`` form a cluster of their own.

    Returns
    -------
    float
        Code length per object, at least 0; lower is better. The columns are the best that were
        found; ``soft_code(...).gap`` bounds what any others could save.

    See Also
    --------
    soft_code : the same beside the hardened clusters and no clusters.
    clusterbits.q0 : for partitions.

    Notes
    -----
    Over proportions that need not be counts, the minimum is convex: EM finds it, accelerated after
    Anderson, with a bound on the duality gap. No columns of counts cost less. Those that are sent
    are found by rounding it, then moving counts while that saves bits. They depend on the order
    of the clusters where several are as good, by less than the gap.

    With K clusters, sizes are rounded up from 1/(K+1) on, :math:`N_k = \lceil \sum_i p_{ik} -
    1/(K+1) \rceil`: enough that there are columns which give every object's class a probability
    above 0, and almost hard clusters have the sums of the hard ones.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565
    .. [2] H. F. Walker, P. Ni (2011). Anderson acceleration for fixed-point iterations. SIAM J.
           Numer. Anal. 49. https://doi.org/10.1137/10078356X

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
