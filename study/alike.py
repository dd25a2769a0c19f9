"""Measures that rank clusterings alike: by formula, or nearly so on the sets of the study."""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

# Spearman's correlation, the same on every set, and on average.
SAME, NEAR = 0.9999, 0.99
# Why, for given classes, measures rank as the one that they declare (`orders_like`).
REASONS = {
    "q0": "affine, the classes set the zero and the best; `q2_2001` is the best over `q0`",
    "q0_mixture": "what the class sizes cost, less n times it",
    "homogeneity": "H(C) - H(C given K), as a share of H(C), or H(C given K): H(C) is given",
    "v_measure": "V = 2I/(H(C) + H(K)); VI/H(C,K) = (2 - 2V)/(2 - V)",
    "purity": "affine: the largest class is given",
    "bcubed_precision": "affine: the class sizes are given",
    "accuracy": "1 minus it",
    "hamming_similarity": "1 minus it, and 2n times that",
    "pair_f1": "F/(2 - F), F/(4 - 3F), 1 - F",
    "pair_recall": "the same, and a multiple: the pairs of one class are given",
    "rand": "functions of the Rand index alone",
    "hubert_gamma": "its arccosine",
    "kulczynski": "twice it, minus 1",
    "peirce": "affine: the pairs of one class are given",
    "fowlkes_mallows": "it, less a number that the classes set",
    "reduced_mutual_information": "it, over what the classes tell of themselves",
}


def standard_ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks as a vector of length 1, so that products are Spearman's correlations."""
    # Rounded, so that the last digit breaks no tie; undefined values rank last.
    rounded = [float(f"{value:.9g}") for value in np.nan_to_num(values, nan=-np.inf)]
    places = rankdata(rounded) - (len(rounded) + 1) / 2
    length = np.sqrt(places @ places)
    # All tied is a direction of its own: it agrees with itself, and with nothing else.
    return np.append(places / length, 0) if length else np.append(places, 1)


def correlations(scores: list[np.ndarray]) -> np.ndarray:
    """Return Spearman's correlations of all columns with each other, for each set."""
    ranks = [np.array([standard_ranks(column) for column in part.T]) for part in scores]
    return np.array([one @ one.T for one in ranks])


def groups(measures: list[str], alike: np.ndarray, least: float) -> dict[str, str]:
    """Return for each measure the first of its group; any two in a group are at least so alike."""
    distances = squareform(np.maximum(1 - alike, 0), checks=False)
    numbers = fcluster(linkage(distances, "complete"), 1 - least, "distance")
    firsts = dict(zip(reversed(numbers), reversed(measures), strict=True))
    return {name: firsts[number] for name, number in zip(measures, numbers, strict=True)}
