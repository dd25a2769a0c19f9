"""Measures of segmentation: classes are the true objects of an image, objects are its voxels."""

import math

from clusterbits.errors import check_flag
from clusterbits.measures.catalogue import distance
from clusterbits.table.statistics import TableStatistics, ratio


@distance(family="images", bounds=(0, math.inf))
def vi_split(table: TableStatistics) -> float:
    r"""VI split, H(K|C): bits lost because true objects lie in several clusters.

    .. math:: H(K|C) = -\sum_{c,k} \frac{h(c,k)}{n} \log_2 \frac{h(c,k)}{h(c)}

    The split part of `variation_of_information`, over-segmentation. One cluster scores 0: read it
    together with `vi_merge`. scikit-image's ``variation_of_information`` returns
    ``[vi_split, vi_merge]``. ``Contingency.from_images`` counts two label images.

    Returns
    -------
    float
        Bits per object, from 0 to H(K); lower is better.

    See Also
    --------
    clusterbits.explain : its `false_splits` add up to this.

    References
    ----------
    .. [1] M. Meilă (2007). Comparing clusterings: an information based distance. J. Multivar.
           Anal. 98. https://doi.org/10.1016/j.jmva.2006.11.013
    .. [2] J. Nunez-Iglesias et al. (2013). Machine learning of hierarchical clustering to segment
           2D and 3D images. PLoS ONE 8. https://doi.org/10.1371/journal.pone.0071715

    Examples
    --------
    >>> cb.images.vi_split([0, 0, 0, 0], [0, 0, 1, 1])
    1.0
    """
    return table.cluster_entropy_given_class


@distance(family="images", bounds=(0, math.inf), references_of=vi_split, orders_like="homogeneity")
def vi_merge(table: TableStatistics) -> float:
    r"""VI merge, H(C|K): bits lost because clusters hold several true objects.

    .. math:: H(C|K) = -\sum_{c,k} \frac{h(c,k)}{n} \log_2 \frac{h(c,k)}{h(k)}

    The merge part of `variation_of_information`, under-segmentation; the same number as
    `conditional_entropy`. Singletons score 0: read it together with `vi_split`.
    ``Contingency.from_images`` counts two label images.

    Returns
    -------
    float
        Bits per object, from 0 to H(C); lower is better.

    See Also
    --------
    clusterbits.explain : its `false_merges` add up to this.

    Examples
    --------
    >>> cb.images.vi_merge([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return table.class_entropy_given_cluster


@distance(family="images", symmetric=True, orders_like="pair_f1")
def adapted_rand_error(table: TableStatistics, *, self_pairs: bool = False) -> float:
    r"""Adapted Rand error: 1 minus the F1 of pairs, by which segmentation challenges rank.

    .. math:: 1 - \frac{2 a_{00}}{2 a_{00} + a_{01} + a_{10}} =
        1 - \frac{2 (\sum h(c,k)^2 - n)}{\sum h(c)^2 - n + \sum h(k)^2 - n}

    It is 1 - `pair_f1`. scikit-image's ``adapted_rand_error`` is this formula, but ignores true
    label 0 by default (here: ``Contingency.from_images(truth, pred, ignore=0)``), and returns
    `pair_recall` as precision. SNEMI3D and CREMI also pair each voxel with itself, which removes
    the four n above. Large objects dominate it, since pairs grow with the square of an object's
    size: choose `vi_split` and `vi_merge` for small objects, and to separate the two errors.

    Parameters
    ----------
    self_pairs : bool, default False
        Pair each object with itself too, as SNEMI3D and CREMI do.

    Returns
    -------
    float
        From 0 to 1; lower is better. 0 if no two objects are together (scikit-image: nan).

    See Also
    --------
    clusterbits.pair_precision, clusterbits.pair_recall : its two parts.

    References
    ----------
    .. [1] I. Arganda-Carreras et al. (2015). Crowdsourcing the creation of image segmentation
           algorithms for connectomics. Front. Neuroanat. 9.
           https://doi.org/10.3389/fnana.2015.00142

    Examples
    --------
    >>> cb.images.adapted_rand_error([0, 0, 1, 1], [0, 0, 0, 1])
    0.6
    >>> cb.images.adapted_rand_error([0, 0, 1, 1], [0, 0, 0, 1], self_pairs=True)
    0.3333333333333333
    """
    check_flag("self_pairs", self_pairs)
    pairs = table.pairs
    errors = pairs.a01 + pairs.a10
    return ratio(errors, 2 * pairs.a00 + errors + (table.n if self_pairs else 0))
