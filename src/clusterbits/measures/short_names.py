"""Names that `clusterbits` answers to but does not list.

These are scikit-learn's, usual abbreviations, and the coefficients of the 2×2 table of pairs. All
other aliases are strings to look up: see `clusterbits.get_measure`.
"""

from clusterbits.measures import (
    elements,
    information,
    matching,
    pair_coefficients,
    pairs,
    reduced,
)

acc = matching.accuracy
ami = adjusted_mutual_info_score = information.adjusted_mutual_information
ari = adjusted_rand_score = pairs.adjusted_rand
b3 = elements.bcubed_f1
completeness_score = information.completeness
ecs = elements.element_centric
fm = fowlkes_mallows_score = pairs.fowlkes_mallows
homogeneity_score = information.homogeneity
mutual_info_score = information.mutual_info_score
nid = information.normalized_information_distance
nmi = normalized_mutual_info_score = information.normalized_mutual_information
nvi = information.normalized_variation_of_information
ri = rand_score = pairs.rand
rmi = reduced.reduced_mutual_information
v_measure_score = information.v_measure
vi = information.variation_of_information

baulieu_1 = pair_coefficients.baulieu_1
baulieu_2 = pair_coefficients.baulieu_2
fager_mcgowan = pair_coefficients.fager_mcgowan
gower_legendre = pair_coefficients.gower_legendre
hamann = pair_coefficients.hamann
mcconnaughey = pair_coefficients.mcconnaughey
peirce = pair_coefficients.peirce
russell_rao = pair_coefficients.russell_rao
rv_coefficient = pair_coefficients.rv_coefficient
sokal_sneath_doubled = pair_coefficients.sokal_sneath_doubled
sokal_sneath_mean = pair_coefficients.sokal_sneath_mean
sokal_sneath_product = pair_coefficients.sokal_sneath_product
yule_q = pair_coefficients.yule_q

# Names that are no measure of two labelings, or may mean several, and where to go instead.
_NEEDS_X = "It judges clusters by the data X, without classes; scikit-learn has it."
_NEEDS_IMAGES = "It needs whole label images; clusterbits.images has it."
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
    "grouping_accuracy": "exact_cluster_recall(by='records') is that of log parsing.",
    "hamming": "It may mean directional_hamming_distance or hamming_similarity: choose one.",
    "homogeneity_completeness_v_measure": "evaluate(truth, pred, ['homogeneity', 'completeness', "
    "'v_measure']) has all three.",
    "mi": "It may mean mutual_information or mutual_info_score: choose one.",
    "pair_confusion_matrix": "Contingency(truth, pred).pairs counts the pairs, each once.",
    "panoptic_quality": _NEEDS_IMAGES,
    "segment_f1": _NEEDS_IMAGES,
    "silhouette_samples": _NEEDS_X,
    "silhouette_score": _NEEDS_X,
    "sokal_sneath_1": "It may mean sokal_sneath_doubled or sokal_sneath_mean: choose one.",
    "sokal_sneath_2": "It may mean sokal_sneath_doubled or gower_legendre: choose one.",
}
