"""Expectations under random models: what "adjusted" measures subtract.

In the permutation model class sizes and cluster sizes are kept and the objects are shuffled; each
cell is then hypergeometric. Cells with the same two margins share their expectation, so sums run
over *distinct* pairs of sizes. Other models average over the sizes as well.
"""

import math
from functools import lru_cache

import numpy as np

from clusterbits.core.combinatorics import (
    BITS_PER_NAT,
    FloatArray,
    factorial_remainder,
    relative_entropy_term,
)
from clusterbits.core.table import Contingency
from clusterbits.measures.catalogue import measure
from clusterbits.measures.random_models import check_model, model_sizes

# Terms below e^-42 of the largest are not summed.
_NEGLIGIBLE = 42.0
# Wide distributions are summed at this many points per standard deviation: for bell-shaped terms
# the error of such a sum is e^(-2π²·16), far below rounding.
_POINTS_PER_SD = 4
# From this mean on, floats cannot tell neighbouring x apart, and the gain has a limit.
_FAR = 2.0**53
# How many terms are worked on at once.
_BLOCK = 1 << 18
# Sums are padded to this many terms at least, so that few lengths occur.
_SHORTEST = 16
# Sizes of one octave, [s, 2s], are replaced by this many Chebyshev nodes where there are more of
# them. The nearest singularity of the gain, as a function of one size, is at size 0, three
# half-widths from the middle: each node divides the error by 3 + √8. Rounding the nodes to whole
# sizes leaves about 1e-14.
_NODES = 20
# In shorter octaves rounding would move the nodes too far.
_NODES_FROM = 256
# Expected gains of tables with at most so many pairs of sizes are kept, and how many for one n:
# the margins of resamples repeat, those of large tables do not.
_FEW_PAIRS = 1 << 12
_KEPT = 1 << 17


@measure(
    family="chance",
    bounds=(0, math.inf),
    better=None,
    symmetric=True,
    integral=True,
    aliases=("emi",),
)
def expected_mutual_information(table: Contingency, *, model: str = "permutation") -> float:
    r"""Mutual information that random clusters of the same sizes have on average, in bits.

    .. math:: E[I] = \sum_{c,k} \sum_x P(x)\, \frac xn \log \frac{n x}{h(c) h(k)},\quad
        x \sim \mathrm{Hypergeometric}(n, h(c), h(k))

    Not a score: it is what `adjusted_mutual_information` and `q2_adjusted` subtract. Only the
    margins matter. The cost hardly grows with n and the number of clusters: sizes that repeat
    share their terms, and many distinct ones are replaced by a few nodes per octave.

    Returns
    -------
    float
        Bits per object, at least 0.

    References
    ----------
    .. [1] N. X. Vinh, J. Epps, J. Bailey (2010). Information theoretic measures for clusterings
           comparison. JMLR 11. https://jmlr.org/papers/v11/vinh10a.html
    .. [2] A. J. Gates, Y.-Y. Ahn (2017). The impact of random models on clustering similarity.
           JMLR 18. https://jmlr.org/papers/v18/17-039.html

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts([[2, 0], [1, 1], [0, 2]])
    >>> round(cb.expected_mutual_information(table), 6)
    0.4
    """
    check_model(table, model)
    margins = model_sizes(table, model)
    key = (array.tobytes() for margin in margins for array in margin)
    return _expectation(float(table.n), *key)


@lru_cache(maxsize=16)  # several measures of one table ask for it, and shuffled tables share it
def _expectation(n: float, a: bytes, a_repeats: bytes, b: bytes, b_repeats: bytes) -> float:
    # In a fixed order, so that truth and pred can be exchanged without changing a bit.
    margins = sorted([(len(a), a, a_repeats), (len(b), b, b_repeats)])
    (sizes_a, repeats_a), (sizes_b, repeats_b) = (
        _few_nodes(np.frombuffer(sizes), np.frombuffer(repeats), n) for _, sizes, repeats in margins
    )
    rows = max(1, _BLOCK // len(sizes_b))
    total = 0.0
    for begin in range(0, len(sizes_a), rows):
        some = slice(begin, begin + rows)
        grid_a, grid_b = np.meshgrid(sizes_a[some], sizes_b, indexing="ij")
        repeats = np.multiply.outer(repeats_a[some], repeats_b).ravel()
        total += float((_expected_gains(grid_a.ravel(), grid_b.ravel(), n) * repeats).sum())
    return total / n * BITS_PER_NAT


def _few_nodes(sizes: FloatArray, repeats: FloatArray, n: float) -> tuple[FloatArray, FloatArray]:
    """Return sizes and weights, few per octave, that give the same sum of gains.

    The gain is a smooth function of each size. Interpolated between Chebyshev nodes, its sum over
    all sizes is a sum over the nodes, whose weights are sums of Lagrange polynomials. The nodes
    depend on n and the octave only, so that resamples share them.
    """
    octaves = np.frexp(sizes)[1] - 1.0
    crowded, population = np.unique(octaves, return_counts=True)
    crowded = crowded[(population > _NODES) & (np.exp2(crowded) >= _NODES_FROM)]
    alone = ~np.isin(octaves, crowded)
    found = [(sizes[alone], repeats[alone])]
    for octave in crowded:
        inside = octaves == octave
        low, high = 2**octave, min(2 ** (octave + 1), n)
        angles = np.pi * (np.arange(_NODES, 0, -1) - 0.5) / _NODES
        nodes = np.rint((low + high) / 2 + (high - low) / 2 * np.cos(angles))
        nodes = np.unique(nodes)
        found.append((nodes, repeats[inside] @ _lagrange(sizes[inside], nodes)))
    return np.concatenate([s for s, _ in found]), np.concatenate([w for _, w in found])


def _lagrange(x: FloatArray, nodes: FloatArray) -> FloatArray:
    """Return the value at each x of each node's Lagrange polynomial, in barycentric form."""
    gaps = (nodes[:, None] - nodes) / (nodes[-1] - nodes[0]) * 4  # products near 1: no underflow
    np.fill_diagonal(gaps, 1.0)
    away = x[:, None] - nodes
    at_node = away == 0
    values = 1 / gaps.prod(axis=1) / np.where(at_node, 1.0, away)
    values /= values.sum(axis=1, keepdims=True)
    on_nodes = at_node.any(axis=1)
    values[on_nodes] = at_node[on_nodes]
    return np.asarray(values)


@lru_cache(maxsize=2)  # a bootstrap resample has n objects, a jackknife's n - 1
def _kept_gains(n: float) -> dict[tuple[float, float], float]:
    """Return the gains found so far among n objects, by pair of sizes, the smaller first."""
    return {}


def _expected_gains(a: FloatArray, b: FloatArray, n: float) -> FloatArray:
    """Return E[x ln(x/μ)] for each pair of sizes, looked up where it was found before."""
    a, b = np.minimum(a, b), np.maximum(a, b)
    if len(a) > _FEW_PAIRS:
        return _sum_gains(a, b, n)
    kept, pairs = _kept_gains(n), list(zip(a.tolist(), b.tolist(), strict=True))
    gains = np.array([kept.get(pair, math.nan) for pair in pairs])
    new = np.flatnonzero(np.isnan(gains))
    if len(new):
        gains[new] = _sum_gains(a[new], b[new], n)
        if len(kept) < _KEPT:
            kept.update((pairs[i], float(gains[i])) for i in new)
    return gains


def _sum_gains(a: FloatArray, b: FloatArray, n: float) -> FloatArray:
    """Return E[x ln(x/μ)] for each pair of sizes, to the same bit whatever the other pairs are.

    The number of terms decides how a sum is rounded, so it depends on the pair alone: sums are
    padded to powers of two, and those of equal length are worked on together.
    """
    first, stride, points = _window(a, b, n)
    lengths = np.exp2(np.ceil(np.log2(np.maximum(points, _SHORTEST)))).astype(np.intp)
    gains = (1 - a / n) * (1 - b / n) / 2  # for large means, with an error of a few parts in μ
    near = a * b / n < _FAR
    for probabilities, chosen in (
        (_step_by_step, stride == 1),
        (_at_a_stride, near & (stride > 1)),
    ):
        for length in np.unique(lengths[chosen]).tolist():
            order = np.flatnonzero(chosen & (lengths == length))
            while len(order):
                block, order = np.split(order, [max(1, _BLOCK // length)])
                x = first[block, None] + stride[block, None] * np.arange(length)
                mean = a[block, None] * b[block, None] / n
                p = probabilities(a[block, None], b[block, None], n, x)
                # E[x ln(x/μ)] = μ E[φ(x/μ - 1)], a sum of positive terms.
                gain = _deviance(np.minimum(x, a[block, None]) - mean, mean)
                gains[block] = (p * gain).sum(axis=1) / p.sum(axis=1)
    return gains


def _window(a: FloatArray, b: FloatArray, n: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return where each pair's sum starts, its step, and its number of terms.

    Bennett's inequality bounds both tails: P(|x - μ| ≥ t) ≤ 2 exp(-v φ(t/v)).
    """
    mean = a * b / n
    v = mean * np.minimum(1 - a / n, 1 - b / n)
    safe = np.maximum(v, 1e-300)
    # From Bernstein's (too wide) solution downwards, Newton's steps stay above the root.
    reach = _NEGLIGIBLE / 3 + np.sqrt((_NEGLIGIBLE / 3) ** 2 + 2 * _NEGLIGIBLE * v)
    for _ in range(4):
        excess = safe * relative_entropy_term(reach / safe) - _NEGLIGIBLE
        reach -= np.maximum(excess, 0) / np.log1p(reach / safe)
    lowest = np.maximum(0, a + b - n)
    highest = np.minimum(a, b)
    first = np.clip(np.floor(mean - reach), lowest, highest)
    last = np.clip(np.ceil(mean + reach), lowest, highest)
    deviation = np.sqrt(mean * (1 - a / n) * (1 - b / n))
    stride = np.maximum(1, np.floor(deviation / _POINTS_PER_SD))
    return first, stride, np.floor((last - first) / stride) + 1


def _step_by_step(a: FloatArray, b: FloatArray, n: float, x: FloatArray) -> FloatArray:
    """Return probabilities of consecutive x, up to a factor, from the ratios of neighbours."""
    x = x[:, :-1]
    ratio = np.maximum(a - x, 0) * np.maximum(b - x, 0) / ((x + 1) * (n - a - b + x + 1))
    with np.errstate(divide="ignore"):  # nothing lies beyond the smaller margin
        log_p = np.cumsum(np.log(ratio), axis=1)
    log_p = np.concatenate([np.zeros_like(a), log_p], axis=1)
    return np.asarray(np.exp(log_p - log_p.max(axis=1, keepdims=True)))


def _at_a_stride(a: FloatArray, b: FloatArray, n: float, x: FloatArray) -> FloatArray:
    """Return probabilities of any x, up to a factor.

    They are proportional to 1/(x! (a-x)! (b-x)! (n-a-b+x)!); written as deviances from the mean
    plus Stirling remainders (Loader 2000) they keep their digits.
    """
    highest = np.minimum(a, b)
    inside = x <= highest
    x = np.minimum(x, highest)
    away = x - a * b / n
    log_p = _deviance(away, a * b / n) + factorial_remainder(x)
    log_p += _deviance(-away, a * (n - b) / n) + factorial_remainder(a - x)
    log_p += _deviance(-away, b * (n - a) / n) + factorial_remainder(b - x)
    log_p += _deviance(away, (n - a) * (n - b) / n) + factorial_remainder(n - a - b + x)
    log_p[~inside] = np.inf
    return np.asarray(np.exp(log_p.min(axis=1, keepdims=True) - log_p))


def _deviance(away: FloatArray, expected: FloatArray) -> FloatArray:
    """Return μ φ((x - μ)/μ); zero where a margin as large as n leaves no room for x to vary."""
    safe = np.where(expected > 0, expected, 1.0)
    scaled = np.where(expected > 0, np.maximum(away / safe, -1.0), 0.0)
    return safe * relative_entropy_term(scaled)
