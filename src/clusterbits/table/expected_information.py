"""The mean of mutual information over random clusterings, which "adjusted" measures subtract.

In the permutation model the objects are shuffled, so each cell is hypergeometric. Cells with the
same two margins share their expectation, so sums run over *distinct* pairs of sizes. Other models
average over the sizes as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.log_factorials import (
    BITS_PER_NAT,
    FloatArray,
    factorial_remainder,
    relative_entropy_term,
)

# Sizes, and how many groups have each.
Sizes = tuple[FloatArray, FloatArray]

# Terms below e^-42 of the largest are not summed.
_NEGLIGIBLE = 42.0
# Wide distributions are summed at this many points per standard deviation: for bell-shaped terms
# the error of such a sum is e^(-2π²·16), far below rounding.
_POINTS_PER_SD = 4
# From this mean on, floats cannot distinguish neighboring x, and the gain has a limit.
_FAR = 2.0**53
# The number of terms that are computed at once.
_BLOCK = 1 << 18
# The minimum number of terms to which sums are padded, so that few lengths occur.
_SHORTEST = 16
# Sizes of one octave, [s, 2s], are replaced by this many Chebyshev nodes if there are more of them.
# The nearest singularity of the gain, as a function of one size, is at size 0, three half-widths
# from the middle: each node divides the error by 3 + √8. Rounding the nodes leaves about 1e-14.
_NODES = 20
# In shorter octaves rounding would move the nodes too far.
_NODES_FROM = 256
# In a table stack, sizes below 2^6 are nodes themselves, and all other octaves have nodes.
_NODE_OCTAVES = 6


def expected_information(n: float, classes: Sizes, clusters: Sizes) -> float:
    """Return E[I] of n shuffled objects, in bits per object."""
    return _expectation(float(n), *(part.tobytes() for part in (*classes, *clusters)))


@lru_cache(maxsize=16)  # several measures of one table ask for it, and shuffled tables share it
def _expectation(n: float, a: bytes, a_repeats: bytes, b: bytes, b_repeats: bytes) -> float:
    # In a fixed order, so that truth and pred can be exchanged without changing a bit.
    margins = sorted([(len(a), a, a_repeats), (len(b), b, b_repeats)])
    (sizes_a, repeats_a), (sizes_b, repeats_b) = (
        few_nodes(np.frombuffer(sizes), np.frombuffer(repeats), n) for _, sizes, repeats in margins
    )
    rows = max(1, _BLOCK // len(sizes_b))
    total = 0.0
    for begin in range(0, len(sizes_a), rows):
        block = slice(begin, begin + rows)
        grid_a, grid_b = np.meshgrid(sizes_a[block], sizes_b, indexing="ij")
        repeats = np.multiply.outer(repeats_a[block], repeats_b).ravel()
        total += float((_gains(grid_a.ravel(), grid_b.ravel(), n) * repeats).sum())
    return total / n * BITS_PER_NAT


# --- many tables of the same n -------------------------------------------------------------------


def expected_informations(
    n: float, class_sizes: NDArray[Any], cluster_sizes: NDArray[Any]
) -> FloatArray:
    """Return E[I] of many tables with n objects each; sizes have a column for each table.

    It equals that of `expected_information` to about 1e-12.
    """
    classes, clusters = (dict(_spread(sizes, n)) for sizes in (class_sizes, cluster_sizes))
    gains = np.block([[_node_gains(n, i, j) for j in clusters] for i in classes])
    class_weights, cluster_weights = (
        np.concatenate(list(octaves.values())) for octaves in (classes, clusters)
    )
    total = ((gains.T @ class_weights) * cluster_weights).sum(axis=0)
    return np.asarray(total / n * BITS_PER_NAT)


def expected_information_of_pairs(n: float, sizes: NDArray[Any]) -> FloatArray:
    """Return E[I] of all pairs of labelings of n objects; sizes have a column for each labeling."""
    octaves = dict(_spread(sizes, n))
    gains = np.block([[_node_gains(n, i, j) for j in octaves] for i in octaves])
    weights = np.concatenate(list(octaves.values()))
    return np.asarray(weights.T @ gains @ weights / n * BITS_PER_NAT)


def expected_bits_by_size(
    n: float, class_sizes: NDArray[Any], cluster_sizes: NDArray[Any]
) -> FloatArray:
    """Return the contribution of a cluster of each of these sizes to n E[I], in bits."""
    classes = dict(_spread(class_sizes[:, None], n))
    nats = np.zeros(len(cluster_sizes))
    octaves = _octaves(cluster_sizes)
    for j in np.unique(octaves[octaves >= 0]).tolist():
        inside = octaves == j
        at_nodes = sum(_node_gains(n, i, j).T @ weights[:, 0] for i, weights in classes.items())
        nats[inside] = _weights(cluster_sizes[inside], n, j) @ at_nodes
    return nats * BITS_PER_NAT


def _octaves(sizes: NDArray[Any]) -> NDArray[Any]:
    """Return k for sizes in [2^k, 2^(k+1)); 0 for those that are nodes, -1 for size 0."""
    octaves = np.frexp(sizes.astype(np.float64))[1] - 1
    return np.where(octaves < _NODE_OCTAVES, np.where(sizes > 0, 0, -1), octaves)


def _octave_nodes(n: float, octave: int) -> FloatArray:
    """Return the nodes of an octave of sizes."""
    if octave < _NODE_OCTAVES:
        return np.arange(1.0, min(2**_NODE_OCTAVES, n + 1))
    return _chebyshev(2.0**octave, min(2.0 ** (octave + 1), n))


@lru_cache(maxsize=512)
def _node_gains(n: float, i: int, j: int) -> FloatArray:
    """Return the expected gain of each pair of nodes of two octaves."""
    if i > j:
        return _node_gains(n, j, i).T
    a, b = np.meshgrid(_octave_nodes(n, i), _octave_nodes(n, j), indexing="ij")
    return _gains(a.ravel(), b.ravel(), n).reshape(a.shape)


def _spread(sizes: NDArray[Any], n: float) -> Iterator[tuple[int, FloatArray]]:
    """Yield octaves, and the weights of their nodes in each table, which give the same sums."""
    octaves = _octaves(sizes)
    for octave in np.unique(octaves[octaves >= 0]).tolist():
        table, row = np.nonzero(octave == octaves.T)
        values, codes = np.unique(sizes[row, table], return_inverse=True)
        weights = _weights(values, n, octave)
        by_table = np.zeros((sizes.shape[1], weights.shape[1]))
        starts = np.flatnonzero(np.diff(table, prepend=-1))
        by_table[table[starts]] = np.add.reduceat(weights[codes], starts, axis=0)
        yield octave, by_table.T


def _weights(sizes: NDArray[Any], n: float, octave: int) -> FloatArray:
    """Return the weight of each node of the octave, for each size."""
    x, nodes = sizes.astype(np.float64), _octave_nodes(n, octave)
    if len(nodes) == nodes[-1] - nodes[0] + 1:  # all sizes are nodes
        return np.asarray(x[:, None] == nodes, dtype=np.float64)
    return _lagrange(x, nodes)


# --- nodes and gains -----------------------------------------------------------------------------


def few_nodes(sizes: FloatArray, repeats: FloatArray, n: float) -> tuple[FloatArray, FloatArray]:
    """Return sizes and weights, few per octave, that give the same sum of gains.

    The gain is a smooth function of each size. Interpolated between Chebyshev nodes, its sum over
    all sizes is a sum over the nodes, whose weights are sums of Lagrange polynomials.
    """
    octaves = np.frexp(sizes)[1] - 1.0
    crowded, population = np.unique(octaves, return_counts=True)
    crowded = crowded[(population > _NODES) & (np.exp2(crowded) >= _NODES_FROM)]
    unchanged = ~np.isin(octaves, crowded)
    values, weights = [sizes[unchanged]], [repeats[unchanged]]
    for octave in crowded:
        inside = octaves == octave
        nodes = _chebyshev(2**octave, min(2 ** (octave + 1), n))
        values.append(nodes)
        weights.append(repeats[inside] @ _lagrange(sizes[inside], nodes))
    return np.concatenate(values), np.concatenate(weights)


def _chebyshev(low: float, high: float) -> FloatArray:
    """Return the integers next to Chebyshev's nodes; all integers if these are fewer."""
    if high - low < _NODES:
        return np.arange(low, high + 1)
    angles = np.pi * (np.arange(_NODES, 0, -1) - 0.5) / _NODES
    return np.unique(np.rint((low + high) / 2 + (high - low) / 2 * np.cos(angles)))


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


def _gains(a: FloatArray, b: FloatArray, n: float) -> FloatArray:
    """Return E[x ln(x/μ)] for each pair of sizes, bit-identical whatever the other pairs are.

    The number of terms, which decides how a sum is rounded, depends on the pair alone: sums are
    padded to powers of two, and those of equal length are computed together.
    """
    a, b = np.minimum(a, b), np.maximum(a, b)
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
    """Return the start of each pair's sum, its step, and its number of terms.

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
    rest = np.maximum(n - a - b + x, 0)  # rounding may take it below
    ratio = np.maximum(a - x, 0) * np.maximum(b - x, 0) / ((x + 1) * (rest + 1))
    with np.errstate(divide="ignore"):  # beyond the smaller margin the probability is 0
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
    """Return μ φ((x - μ)/μ); zero if a margin equals n, so that x cannot vary."""
    safe = np.where(expected > 0, expected, 1.0)
    scaled = np.where(expected > 0, np.maximum(away / safe, -1.0), 0.0)
    return safe * relative_entropy_term(scaled)
