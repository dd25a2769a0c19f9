"""How many bits do your clusters save? Scores a clustering against known classes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clusterbits import errors
from clusterbits.codec import CodeLengths, code_lengths, decode, encode
from clusterbits.core.table import Contingency
from clusterbits.explanation import Explanation, explain
from clusterbits.inference import compare, interval, permutation_test
from clusterbits.measures.catalogue import Measure, list_measures, measure
from clusterbits.measures.chance import (
    expected_mutual_information,
)
from clusterbits.measures.code_length import (
    model_bits,
    q0,
    q0_asymptotic,
    q0_nml,
    q2_adjusted,
)
from clusterbits.measures.elements import (
    bcubed_f1,
    bcubed_precision,
    bcubed_recall,
    element_centric,
)
from clusterbits.measures.extremes import best_bits, worst_clustering
from clusterbits.measures.information import (
    adjusted_mutual_information,
    completeness,
    conditional_entropy,
    homogeneity,
    mutual_info_score,
    mutual_information,
    normalized_information_distance,
    normalized_mutual_information,
    normalized_variation_of_information,
    v_beta,
    v_measure,
    variation_of_information,
)
from clusterbits.measures.matching import (
    accuracy,
    class_f,
    classification_error,
    directional_hamming,
    exact_cluster_f1,
    hamming,
    inverse_purity,
    normalized_clustering_accuracy,
    normalized_pivoted_accuracy,
    pair_sets_index,
    purity,
    purity_f,
    split_join,
    van_dongen,
)
from clusterbits.measures.pairs import (
    adjusted_fowlkes_mallows,
    adjusted_rand,
    correlation_distance,
    fowlkes_mallows,
    hubert_gamma,
    jaccard,
    kulczynski,
    mirkin,
    pair_f1,
    pair_precision,
    pair_recall,
    rand,
    rogers_tanimoto,
    sokal_sneath,
    wallace,
)
from clusterbits.measures.reduced import (
    normalized_reduced_mutual_information,
    reduced_mutual_information,
)
from clusterbits.measures.standardized import (
    standardized_mutual_information,
)
from clusterbits.scoring.evaluation import evaluate
from clusterbits.scoring.pairwise import pairwise
from clusterbits.scoring.scores import Scores
from clusterbits.scoring.square import Pairwise

if TYPE_CHECKING:
    from clusterbits import desiderata

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Let measures be called by the names people type: ``clusterbits.ari``."""
    from clusterbits.measures.catalogue import find_alias

    if name == "desiderata":  # imported when it is first asked for
        return import_module("clusterbits.desiderata")
    found = find_alias(name)
    if found is None:
        raise AttributeError(f"module 'clusterbits' has no attribute {name!r}")
    return found


__all__ = [
    "CodeLengths",
    "Contingency",
    "Explanation",
    "Measure",
    "Pairwise",
    "Scores",
    "accuracy",
    "adjusted_fowlkes_mallows",
    "adjusted_mutual_information",
    "adjusted_rand",
    "bcubed_f1",
    "bcubed_precision",
    "bcubed_recall",
    "best_bits",
    "class_f",
    "classification_error",
    "code_lengths",
    "compare",
    "completeness",
    "conditional_entropy",
    "correlation_distance",
    "decode",
    "desiderata",
    "directional_hamming",
    "element_centric",
    "encode",
    "errors",
    "evaluate",
    "exact_cluster_f1",
    "expected_mutual_information",
    "explain",
    "fowlkes_mallows",
    "hamming",
    "homogeneity",
    "hubert_gamma",
    "interval",
    "inverse_purity",
    "jaccard",
    "kulczynski",
    "list_measures",
    "measure",
    "mirkin",
    "model_bits",
    "mutual_info_score",
    "mutual_information",
    "normalized_clustering_accuracy",
    "normalized_information_distance",
    "normalized_mutual_information",
    "normalized_pivoted_accuracy",
    "normalized_reduced_mutual_information",
    "normalized_variation_of_information",
    "pair_f1",
    "pair_precision",
    "pair_recall",
    "pair_sets_index",
    "pairwise",
    "permutation_test",
    "purity",
    "purity_f",
    "q0",
    "q0_asymptotic",
    "q0_nml",
    "q2_adjusted",
    "rand",
    "reduced_mutual_information",
    "rogers_tanimoto",
    "sokal_sneath",
    "split_join",
    "standardized_mutual_information",
    "v_beta",
    "v_measure",
    "van_dongen",
    "variation_of_information",
    "wallace",
    "worst_clustering",
]
