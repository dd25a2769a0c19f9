"""Names that `clusterbits` answers to but does not list.

These are scikit-learn's, usual abbreviations, and the coefficients of the 2×2 table of pairs. All
other aliases are strings to look up: see `clusterbits.get_measure`.
"""

from clusterbits.measures.elements import bcubed_f1, element_centric
from clusterbits.measures.information import (
    adjusted_mutual_information,
    completeness,
    homogeneity,
    mutual_info_score,
    normalized_information_distance,
    normalized_mutual_information,
    normalized_variation_of_information,
    v_measure,
    variation_of_information,
)
from clusterbits.measures.matching import accuracy
from clusterbits.measures.pair_coefficients import (
    baulieu_1,
    baulieu_2,
    fager_mcgowan,
    gower_legendre,
    hamann,
    mcconnaughey,
    peirce,
    russell_rao,
    rv_coefficient,
    sokal_sneath_doubled,
    sokal_sneath_mean,
    sokal_sneath_product,
    yule_q,
)
from clusterbits.measures.pairs import adjusted_rand, fowlkes_mallows, rand
from clusterbits.measures.reduced import reduced_mutual_information

__all__ = [
    "acc",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "ami",
    "ari",
    "b3",
    "baulieu_1",
    "baulieu_2",
    "completeness_score",
    "ecs",
    "fager_mcgowan",
    "fm",
    "fowlkes_mallows_score",
    "gower_legendre",
    "hamann",
    "homogeneity_score",
    "mcconnaughey",
    "mutual_info_score",
    "nid",
    "nmi",
    "normalized_mutual_info_score",
    "nvi",
    "peirce",
    "rand_score",
    "ri",
    "rmi",
    "russell_rao",
    "rv_coefficient",
    "sokal_sneath_doubled",
    "sokal_sneath_mean",
    "sokal_sneath_product",
    "v_measure_score",
    "vi",
    "yule_q",
]

acc = accuracy
ami = adjusted_mutual_info_score = adjusted_mutual_information
ari = adjusted_rand_score = adjusted_rand
b3 = bcubed_f1
completeness_score = completeness
ecs = element_centric
fm = fowlkes_mallows_score = fowlkes_mallows
homogeneity_score = homogeneity
nid = normalized_information_distance
nmi = normalized_mutual_info_score = normalized_mutual_information
nvi = normalized_variation_of_information
ri = rand_score = rand
rmi = reduced_mutual_information
v_measure_score = v_measure
vi = variation_of_information

# Names that are no measure of two labelings, or may mean several, and where to go instead.
_NEEDS_X = "It judges clusters by the data X, without classes; scikit-learn has it."
_F_MEASURE = "It may mean class_f or pair_f1: choose one."
ELSEWHERE = {
    "calinski_harabasz_score": _NEEDS_X,
    "consensus_score": "It compares biclusters; scikit-learn has it.",
    "contingency_matrix": "Contingency(truth, pred).to_dense() is that matrix.",
    "davies_bouldin_score": _NEEDS_X,
    "entropy": "Contingency(labels, labels).class_entropy is that of labels, in bits.",
    "f_measure": _F_MEASURE,
    "fmeasure": _F_MEASURE,
    "gamma": "It may mean hubert_gamma or yule_q: choose one.",
    "goodman_kruskal": "It may mean goodman_kruskal_tau, goodman_kruskal_lambda or yule_q: choose "
    "one.",
    "hamming": "It may mean directional_hamming_distance or hamming_similarity: choose one.",
    "homogeneity_completeness_v_measure": "evaluate(truth, pred, ['homogeneity', 'completeness', "
    "'v_measure']) has all three.",
    "mi": "It may mean mutual_information or mutual_info_score: choose one.",
    "pair_confusion_matrix": "Contingency(truth, pred).pairs counts the pairs, each once.",
    "silhouette_samples": _NEEDS_X,
    "silhouette_score": _NEEDS_X,
    "sokal_sneath_1": "It may mean sokal_sneath_doubled or sokal_sneath_mean: choose one.",
    "sokal_sneath_2": "It may mean sokal_sneath_doubled or gower_legendre: choose one.",
}
