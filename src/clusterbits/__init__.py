"""How many bits do your clusters save? Scores a clustering against known classes."""

from clusterbits import desiderata, errors
from clusterbits.catalogue import Measure, list_measures, measure
from clusterbits.evaluation import evaluate
from clusterbits.extremes import best_bits, worst_clustering
from clusterbits.measures.chance import expected_mutual_information
from clusterbits.measures.code_length import (
    model_bits,
    q0,
    q0_asymptotic,
    q0_enumerative,
    q0_nml,
    q2,
    q2_2001,
    q2_adjusted,
)
from clusterbits.measures.information import (
    adjusted_mutual_information,
    completeness,
    conditional_entropy,
    homogeneity,
    mutual_information,
    v_measure,
    variation_of_information,
)
from clusterbits.measures.matching import classification_error, directional_hamming, hamming
from clusterbits.measures.pairs import (
    adjusted_rand,
    fowlkes_mallows,
    hubert_gamma,
    jaccard,
    rand,
)
from clusterbits.scores import Scores
from clusterbits.table import Contingency

__version__ = "0.1.0"

__all__ = [
    "Contingency",
    "Measure",
    "Scores",
    "adjusted_mutual_information",
    "adjusted_rand",
    "best_bits",
    "classification_error",
    "completeness",
    "conditional_entropy",
    "desiderata",
    "directional_hamming",
    "errors",
    "evaluate",
    "expected_mutual_information",
    "fowlkes_mallows",
    "hamming",
    "homogeneity",
    "hubert_gamma",
    "jaccard",
    "list_measures",
    "measure",
    "model_bits",
    "mutual_information",
    "q0",
    "q0_asymptotic",
    "q0_enumerative",
    "q0_nml",
    "q2",
    "q2_2001",
    "q2_adjusted",
    "rand",
    "v_measure",
    "variation_of_information",
    "worst_clustering",
]
