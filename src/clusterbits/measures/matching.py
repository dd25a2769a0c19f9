r"""Measures that match each cluster with a class, or each class with a cluster.

The match is :math:`\hat c(k)`, the largest class of a cluster, and :math:`\hat k(c)`, the largest
cluster of a class (equations 8 and 9 of the paper).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.catalogue import measure
from clusterbits.errors import check_choice
from clusterbits.table import Contingency

HUANG_DOM = "Huang & Dom (1995), doi:10.1109/ICIP.1995.537578"


@measure(
    family="matching",
    bounds=(0, 1),
    better="lower",
    perfect=0,
    reference=HUANG_DOM,
)
def classification_error(table: Contingency) -> float:
    r"""Classification error: the share of objects outside the largest class of their cluster.

    .. math:: \frac1n \sum_k \left( h(k) - \max_c h(c,k) \right)

    One minus purity (section 5.2 of the paper). Splitting clusters never raises it, so use it only
    among clusterings with equally many clusters.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.

    Returns
    -------
    float
        From 0 to below 1; lower is better.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.classification_error([0, 0, 0, 1], [0, 0, 1, 1])
    0.25
    """
    return _share(table, _outside_largest(table, "cluster"))


@measure(
    family="matching",
    bounds=(0, 1),
    better="lower",
    perfect=0,
    reference=HUANG_DOM,
)
def directional_hamming(table: Contingency, of: str = "clusters") -> float:
    r"""Directional Hamming distance: the share of objects outside their group's best match.

    .. math:: D_H(C;K)/n = \frac1n \sum_k \sum_{c \ne \hat c(k)} h(c,k), \qquad
        D_H(K;C)/n = \frac1n \sum_c \sum_{k \ne \hat k(c)} h(c,k)

    Equations (10) and (11) of the paper, per object. Of clusters it punishes mixing, of classes
    splitting; `hamming` takes both.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.
    of : "clusters" or "classes"
        Which groups are matched with their largest part.

    Returns
    -------
    float
        From 0 to below 1; lower is better.

    References
    ----------
    .. [1] Q. Huang, B. Dom (1995). Quantitative methods of evaluating image segmentation. ICIP.
           https://doi.org/10.1109/ICIP.1995.537578

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.directional_hamming([0, 0, 0, 0], [0, 0, 0, 1])
    0.0
    >>> cb.directional_hamming([0, 0, 0, 0], [0, 0, 0, 1], of="classes")
    0.25
    """
    check_choice("of", of, ("clusters", "classes"))
    return _share(table, _outside_largest(table, "cluster" if of == "clusters" else "class"))


@measure(
    family="matching",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    perfect=1,
    aliases=("normalized_hamming",),
    reference=HUANG_DOM,
)
def hamming(table: Contingency) -> float:
    r"""Normalised Hamming similarity: objects inside the best match, averaged both ways.

    .. math:: 1 - \frac{D_H(C;K) + D_H(K;C)}{2n}

    Equation (12), which the paper calls a distance although 1 is best. It does not see how the
    objects outside the match are spread over other groups.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.

    Returns
    -------
    float
        Above 0, at most 1; higher is better.

    References
    ----------
    .. [1] Q. Huang, B. Dom (1995). Quantitative methods of evaluating image segmentation. ICIP.
           https://doi.org/10.1109/ICIP.1995.537578

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.hamming([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    outside = _outside_largest(table, "cluster") + _outside_largest(table, "class")
    return 1.0 if outside == 0 else (2 * table.n - outside) / (2 * table.n)


def _outside_largest(table: Contingency, group: str) -> Any:
    """Return how many objects are not in the largest cell of their cluster (or class)."""
    index, size = (
        (table.columns, table.shape[1]) if group == "cluster" else (table.rows, table.shape[0])
    )
    largest: NDArray[Any] = np.zeros(size, dtype=table.counts.dtype)
    np.maximum.at(largest, index, table.counts)
    return 0 if len(table.counts) == size else table.n - largest.sum()


def _share(table: Contingency, objects: Any) -> float:
    return float(int(objects) / table.n if table.exact else objects / table.n)
