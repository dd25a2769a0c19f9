r"""Reduced mutual information: the information about the classes, less the cost of the table.

Newman, Cantwell & Young (2020) subtract from the mutual information the bits needed to send the
table itself, as Dom does; Jerdee, Kirkley & Newman (2024) send it by a Dirichlet-multinomial code
whose concentration α is fitted, of which Dom's uniform code is the case α = 1. In total bits, as
in these papers.
"""

import math
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import measure, similarity
from clusterbits.measures.code_length import q0_mixture
from clusterbits.measures.dirichlet import arrangement_bits, column_nats, column_slope
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import (
    BITS_PER_NAT,
    distinct,
    log_multichoose,
    weighted_sum,
)
from clusterbits.table.statistics import AVERAGES, Average

Method = Literal["dirichlet", "flat"]
# The grid of α, evenly spaced on a log scale.
_ALPHAS = np.geomspace(1e-4, 1e4, 41)


@measure(
    family="reduced",
    bounds=(-math.inf, math.inf),
    better="higher",
    aliases=("rmi",),
    scale_free=False,
)
def reduced_mutual_information(table: Contingency, *, method: Method = "dirichlet") -> float:
    r"""Reduced mutual information: bits that clusters save on the classes, the table's cost paid.

    .. math:: I_0 - \log \Omega(a, b) \quad \text{(flat)}, \qquad
        H_\alpha(C) - H_\alpha(C|K) \quad \text{(Dirichlet)}

    :math:`I_0 = \log \frac{n! \prod h(c,k)!}{\prod h(c)! \prod h(k)!}` counts arrangements, and
    :math:`\Omega` the tables with these margins, by the estimate of Newman and others. The
    Dirichlet form sends the classes without and with the clusters, each with the best α. Like `q0`
    it needs no adjustment for the number of clusters, and it is negative if clusters cost more than
    they save. Choose it for a total in bits. It is at most about n H(C).

    Parameters
    ----------
    method : "dirichlet" or "flat"
        The code for the table.

    References
    ----------
    .. [1] M. E. J. Newman, G. T. Cantwell, J.-G. Young (2020). Improved mutual information measure
           for clustering, classification, and community detection. Phys. Rev. E 101.
           https://doi.org/10.1103/PhysRevE.101.042304
    .. [2] M. Jerdee, A. Kirkley, M. E. J. Newman (2024). Mutual information and the encoding of
           contingency tables. https://arxiv.org/abs/2405.05393

    Examples
    --------
    >>> truth, pred = [1, 1, 2, 2, 2, 3, 3, 3], [1, 1, 1, 2, 2, 2, 2, 2]
    >>> round(cb.reduced_mutual_information(truth, pred, method="flat"), 5)
    1.07763
    >>> round(cb.reduced_mutual_information(truth, pred), 6)
    0.160127
    """
    if method == "dirichlet":
        return _dirichlet_bits(table)
    if not table.exact:
        raise MeasureError(
            "the flat method counts tables of whole numbers; with expected or weighted counts "
            "choose method='dirichlet'."
        )
    return arrangement_bits(table) - _flat_table_bits(table)


@similarity(
    family="reduced",
    bounds=(-math.inf, 1),
    aliases=("nrmi", "normalized_rmi"),
    references_of=q0_mixture,
    scale_free=False,
    orders_like="reduced_mutual_information",
)
def normalized_reduced_mutual_information(
    table: Contingency,
    *,
    method: Method = "dirichlet",
    average_method: Average | Literal["truth"] = "truth",
) -> float:
    r"""Reduced mutual information as a share of what the classes tell of themselves.

    .. math:: \frac{I(C;K)}{I(C;C)} \quad \text{or} \quad
        \frac{\mathrm{avg}(I(C;K), I(K;C))}{\mathrm{avg}(I(C;C), I(K;K))}

    By the truth it is asymmetric, and divides all clusterings by the same number. It may be
    negative, in the flat form also for singletons. Choose it, as `share_saved`, across different
    numbers of clusters; the two differ in the code for the table. It is 0 if there is nothing to
    tell.

    Parameters
    ----------
    method : "dirichlet" or "flat"
        The code for the table.
    average_method : "truth", "arithmetic", "geometric", "min" or "max"
        What to divide by: the classes with themselves, or averages of both directions (above)
        and of both labelings with themselves (below).

    Examples
    --------
    >>> truth, pred = [1, 1, 2, 2, 2, 3, 3, 3], [1, 1, 1, 2, 2, 2, 2, 2]
    >>> round(cb.normalized_reduced_mutual_information(truth, pred), 7)
    0.0202079
    """
    bits = partial(reduced_mutual_information.score_table, method=method)
    shared, ceiling = bits(table), bits(_perfect_table(table.class_sizes))
    if average_method != "truth":
        mean = AVERAGES[average_method]
        shared = mean(shared, bits(table.transpose()))
        ceiling = mean(ceiling, bits(_perfect_table(table.cluster_sizes)))
    return min(shared / ceiling, 1.0) if ceiling > 0 else 0.0


def _perfect_table(sizes: NDArray[Any]) -> Contingency:
    """Table of a labeling with these sizes against itself."""
    from scipy.sparse import coo_array

    index = np.arange(len(sizes))
    return Contingency.from_counts(coo_array((sizes, (index, index))))


def _flat_table_bits(table: Contingency) -> float:
    """Estimated bits of a table among all with these margins (Newman et al., EC)."""
    if table.shape[0] == table.n:  # classes of one object: tables are arrangements, n!/Π h(k)!
        return arrangement_bits(table)
    clusters, cluster_repeats = distinct(table.cluster_sizes)
    classes, class_repeats = distinct(table.class_sizes)
    n, m = float(table.n), table.shape[1]
    squares = weighted_sum(classes**2, class_repeats)
    alpha = (n * n - n + (n * n - squares) / m) / (squares - n)
    nats = weighted_sum(log_multichoose(clusters, alpha), cluster_repeats)
    nats += weighted_sum(log_multichoose(classes, float(m)), class_repeats)
    nats -= float(log_multichoose(np.array([n]), m * alpha)[0])
    return nats * BITS_PER_NAT


def _dirichlet_bits(table: Contingency) -> float:
    """H(C) - H(C|K) by Dirichlet-multinomial codes, each with its best α."""
    classes = table.shape[0]
    of_margin = _fewest_nats(table.class_sizes, np.array([table.n]), classes)
    of_cells = _fewest_nats(table.counts, table.cluster_sizes, classes)
    return arrangement_bits(table) + (of_margin - of_cells) * BITS_PER_NAT


def _fewest_nats(counts: NDArray[Any], sums: NDArray[Any], n_classes: int) -> float:
    """Minimum of the nats that name columns: at the best α of a grid, or a zero of the slope."""
    from scipy.optimize import brentq

    values = column_nats(counts, sums, n_classes, _ALPHAS)
    best = int(np.argmin(values))
    low, high = _ALPHAS[max(best - 1, 0)], _ALPHAS[min(best + 1, len(_ALPHAS) - 1)]
    slope = column_slope(counts, sums, n_classes)
    if slope(low) < 0 < slope(high):
        alpha = np.array([brentq(slope, low, high, rtol=1e-9)])
        values = np.append(values, column_nats(counts, sums, n_classes, alpha))
    return float(values.min())
