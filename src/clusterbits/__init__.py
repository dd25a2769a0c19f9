"""How many bits do your clusters save? Scores a clustering against known classes.

This module is the public surface: every name below, and nothing else.
"""

# fmt: off
from clusterbits import interrupts  # noqa: F401  # first: Ctrl-C during what takes long to import
from typing import TYPE_CHECKING
from clusterbits import errors
from clusterbits.codec import CodeLengths, code_lengths, decode, encode
from clusterbits.core.cells import Coverage
from clusterbits.core.sums import PairCounts
from clusterbits.core.table import Contingency
from clusterbits.core.versions import show_versions
from clusterbits.coreference import CorefScores, coref
from clusterbits.covers import (
    Memberships, SoftCode, bcubed_extended, frobenius_adjusted_rand, fuzzy_rand, omega,
    overlapping_nmi, q0_soft, soft_code,
)
from clusterbits.explanation import Explanation, Match, explain, match
from clusterbits.inference import (
    Comparison, Estimate, Estimates, Interval, PermutationTest, compare, estimate,
    interval, permutation_test,
)
from clusterbits.measures.catalogue import Measure, list_measures, measure
from clusterbits.measures.code_length import (
    bits_saved, model_bits, q0, q0_asymptotic, q0_enumerative, q0_nml, q2, q2_2001, q2_adjusted,
    share_saved,
)
from clusterbits.measures.coreference import (
    blanc_f1, blanc_precision, blanc_recall, ceaf_e_f1, ceaf_e_precision, ceaf_e_recall, conll_f1,
    lea_f1, lea_precision, lea_recall, muc_f1, muc_precision, muc_recall,
)
from clusterbits.measures.elements import (
    bcubed_f1, bcubed_precision, bcubed_recall, element_centric,
)
from clusterbits.measures.extremes import WorstClustering, best_bits, worst_clustering
from clusterbits.measures.information import (
    adjusted_mutual_information, completeness, conditional_entropy, expected_mutual_information,
    goodman_kruskal_tau, homogeneity, mutual_info_score, mutual_information,
    normalized_information_distance, normalized_mutual_information,
    normalized_variation_of_information, v_beta, v_measure, variation_of_information, vi_merge,
    vi_split,
)
from clusterbits.measures.matching import (
    accuracy, class_f, classification_error, directional_hamming_distance,
    goodman_kruskal_lambda, hamming_similarity, inverse_purity, normalized_clustering_accuracy,
    normalized_pivoted_accuracy, pair_sets_index, purity, purity_f, split_join, transfer_distance,
    van_dongen,
)
from clusterbits.measures.pair_coefficients import (
    baulieu_1, baulieu_2, fager_mcgowan, gower_legendre, hamann, mcconnaughey, peirce, russell_rao,
    rv_coefficient, sokal_sneath_doubled, sokal_sneath_mean, sokal_sneath_product, yule_q,
)
from clusterbits.measures.pairs import (
    adapted_rand_error,
    adjusted_fowlkes_mallows, adjusted_rand, adjusted_wallace, correlation_distance,
    fowlkes_mallows, hubert_gamma, jaccard, kulczynski, mirkin, pair_f1, pair_precision,
    pair_recall, rand, rogers_tanimoto, wallace,
)
from clusterbits.measures.records import (
    closest_cluster_f1, closest_cluster_precision, closest_cluster_recall, exact_cluster_f1,
    exact_cluster_precision, exact_cluster_recall, generalized_merge_distance, talburt_wang,
)
from clusterbits.measures.reduced import (
    normalized_reduced_mutual_information, reduced_mutual_information,
)
from clusterbits.measures.standardized import standardized_mutual_information
from clusterbits.measures.standardized_pairs import p_value_adjusted_rand, standardized_rand
from clusterbits.scoring.evaluation import evaluate
from clusterbits.scoring.isolated import IsolatedLabel, IsolatedLabels, isolated_labels_f1
from clusterbits.scoring.pairwise import pairwise
from clusterbits.scoring.square import Pairwise
from clusterbits.scoring.scorer import Scorer, scorer
from clusterbits.scoring.scores import Score, Scores
from clusterbits.trees import (
    BestCut, Cuts, FowlkesMallowsCurve, Tree, best_cut, cuts, dendrogram_purity,
    fowlkes_mallows_curve, q0_tree,
)
# fmt: on

if TYPE_CHECKING:
    from clusterbits import desiderata

__version__ = "0.2.0"

# The names people type.
acc = hungarian = clustering_accuracy = max_matching = accuracy
adjusted_fm = adjusted_fm_score = adjusted_fowlkes_mallows
ami = adjusted_mutual_info_score = adjusted_mi_score = adjusted_mutual_information
ari = adjusted_rand_index = adjusted_rand_score = adjusted_rand
bcubed = b3 = b3_f1 = bcubed_f = bcubed_f1
b3_precision = bcubed_precision
b3_recall = bcubed_recall
blanc = blanc_f1
ceaf_e = ceaf_e_f1
ceaf_m = ceaf_m_precision = ceaf_m_recall = ceaf_m_f1 = accuracy
conll = conll_f1
lea = lea_f1
muc = muc_f1
larsen_aone = f_measure = class_f
completeness_score = completeness
element_sim = element_centric_similarity = ecs = element_centric
cc_f1 = closest_cluster_f1
cc_precision = closest_cluster_precision
cc_recall = closest_cluster_recall
exact_match_f1 = cluster_f1 = cluster_f = exact_cluster_f1
exact_match_precision = cluster_precision = exact_cluster_precision
exact_match_recall = cluster_recall = exact_cluster_recall
gmd = merge_distance = basic_merge_distance = bmd = generalized_merge_distance
emi = expected_mutual_information
fm = fmi = fowlkes_mallows_score = fowlkes_mallows
normalized_hamming = hamming_similarity
directional_hamming = directional_hamming_distance
homogeneity_score = homogeneity
gamma = hubert = phi = pearson = hubert_gamma
jaccard_index = jaccard
mirkin_metric = mirkin
mi_score = mutual_info_score
mi = mutual_information
nca = normalized_clustering_accuracy
nid = normalized_information_distance
nmi = normalized_mutual_info_score = normalized_mi_score = normalized_mutual_information
npa = normalized_pivoted_accuracy
nrmi = normalized_rmi = normalized_reduced_mutual_information
nvi = normalized_variation_of_information
dice = dice_index = czekanowski = czekanowski_index = sorensen_index = pairwise_f1 = fmeasure = (
    pair_f1
)
pmi2 = pmi_2 = p_value_adjusted_rand
pairwise_precision = wallace_2 = pair_precision
pairwise_recall = wallace_1 = pair_recall
youden = peirce
psi = pair_sets_index
purity_index = purity
purity_f1 = purity_f
dom = code_length = q0
ri = rand_index = rand_score = rand
rmi = reduced_mutual_information
rogers_tanimoto_index = rogers_tanimoto
russel_rao = russell_rao
rv = rv_coefficient
sokal_sneath = sokal_sneath_doubled
ochiai_2 = sokal_sneath_product
split_join_distance = split_join
smi = standardized_mutual_information
lerman = lerman_index = standardized_rand_score = standardized_rand
v_measure_score = v_measure
twi = talburt_wang_index = talburt_wang
normalized_van_dongen = van_dongen
vi = variation_of_information
goodman_kruskal_gamma = yule_q

# fmt: off
__all__ = [  # noqa: RUF022
    # Tables and results
    "CodeLengths", "Comparison", "Contingency", "Coverage", "Estimate", "Estimates", "Explanation",
    "Interval", "IsolatedLabel", "IsolatedLabels", "Match", "Measure", "Memberships", "PairCounts",
    "Pairwise", "PermutationTest", "Score", "Scorer", "Scores", "SoftCode",
    "WorstClustering",
    # Trees of clusters
    "BestCut", "Cuts", "FowlkesMallowsCurve", "Tree", "best_cut", "cuts", "dendrogram_purity",
    "fowlkes_mallows_curve", "q0_tree",
    # Functions
    "best_bits", "code_lengths", "compare", "decode", "desiderata", "encode", "errors", "estimate",
    "evaluate", "explain", "interval", "isolated_labels_f1", "list_measures", "match", "measure",
    "model_bits", "pairwise", "permutation_test", "scorer", "show_versions", "soft_code",
    "worst_clustering",
    # Measures of soft and overlapping clusters
    "bcubed_extended", "frobenius_adjusted_rand", "fuzzy_rand", "omega", "overlapping_nmi",
    "q0_soft",
    # Coreference
    "CorefScores", "coref", "blanc", "blanc_f1", "blanc_precision", "blanc_recall", "ceaf_e",
    "ceaf_e_f1", "ceaf_e_precision", "ceaf_e_recall", "ceaf_m", "ceaf_m_f1", "ceaf_m_precision",
    "ceaf_m_recall", "conll", "conll_f1", "lea", "lea_f1", "lea_precision", "lea_recall", "muc",
    "muc_f1", "muc_precision", "muc_recall",
    # Measures
    "accuracy", "adapted_rand_error",
    "adjusted_fowlkes_mallows", "adjusted_mutual_information", "adjusted_rand",
    "adjusted_wallace", "baulieu_1", "baulieu_2", "bcubed_f1", "bcubed_precision", "bcubed_recall",
    "bits_saved", "class_f", "classification_error", "completeness", "conditional_entropy",
    "correlation_distance", "directional_hamming", "directional_hamming_distance",
    "element_centric",
    "expected_mutual_information", "fager_mcgowan", "fowlkes_mallows", "goodman_kruskal_lambda",
    "goodman_kruskal_tau", "gower_legendre", "hamann", "hamming_similarity",
    "homogeneity", "hubert_gamma",
    "inverse_purity", "jaccard", "kulczynski", "mcconnaughey", "mirkin", "mutual_info_score",
    "mutual_information", "normalized_clustering_accuracy", "normalized_information_distance",
    "normalized_mutual_information", "normalized_pivoted_accuracy",
    "normalized_reduced_mutual_information", "normalized_variation_of_information",
    "p_value_adjusted_rand", "pair_f1", "pair_precision", "pair_recall", "pair_sets_index",
    "peirce", "purity", "purity_f", "q0", "q0_asymptotic", "q0_enumerative", "q0_nml", "q2",
    "q2_2001", "q2_adjusted", "rand", "reduced_mutual_information", "rogers_tanimoto",
    "russell_rao", "rv_coefficient", "share_saved", "sokal_sneath_doubled", "sokal_sneath_mean",
    "sokal_sneath_product", "split_join", "standardized_mutual_information", "standardized_rand",
    "transfer_distance", "v_beta", "v_measure", "van_dongen", "variation_of_information",
    "vi_merge", "vi_split", "wallace", "yule_q",
    # Measures of entity resolution, and their aliases
    "closest_cluster_f1", "closest_cluster_precision", "closest_cluster_recall",
    "exact_cluster_f1", "exact_cluster_precision", "exact_cluster_recall",
    "generalized_merge_distance", "talburt_wang",
    "basic_merge_distance", "bmd", "cc_f1", "cc_precision", "cc_recall", "cluster_f", "cluster_f1",
    "cluster_precision", "cluster_recall", "exact_match_f1", "exact_match_precision",
    "exact_match_recall", "gmd", "merge_distance", "talburt_wang_index", "twi",
    # Other aliases
    "acc", "adjusted_fm", "adjusted_fm_score", "adjusted_mi_score", "adjusted_mutual_info_score",
    "adjusted_rand_index", "adjusted_rand_score", "ami", "ari", "b3", "b3_f1", "b3_precision",
    "b3_recall", "bcubed", "bcubed_f", "clustering_accuracy", "code_length",
    "completeness_score", "czekanowski", "czekanowski_index", "dice", "dice_index", "dom", "ecs",
    "element_centric_similarity", "element_sim", "emi", "f_measure", "fm",
    "fmeasure", "fmi", "fowlkes_mallows_score", "gamma", "goodman_kruskal_gamma",
    "homogeneity_score", "hubert", "hungarian", "jaccard_index", "larsen_aone", "lerman",
    "lerman_index", "max_matching", "mi", "mi_score", "mirkin_metric", "nca", "nid", "nmi",
    "normalized_hamming", "normalized_mi_score", "normalized_mutual_info_score", "normalized_rmi",
    "normalized_van_dongen", "npa", "nrmi", "nvi", "ochiai_2", "pairwise_f1", "pairwise_precision",
    "pairwise_recall", "pearson", "phi", "pmi2", "pmi_2", "psi", "purity_f1", "purity_index",
    "rand_index", "rand_score", "ri", "rmi", "rogers_tanimoto_index", "russel_rao", "rv", "smi",
    "sokal_sneath", "sorensen_index", "split_join_distance", "standardized_rand_score",
    "v_measure_score", "vi", "wallace_1", "wallace_2", "youden",
]
# fmt: on


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if not TYPE_CHECKING:  # a type checker would take any misspelt name for Any

    def __getattr__(name):
        if name == "desiderata":  # imported when it is first asked for
            import clusterbits.desiderata

            return clusterbits.desiderata
        from clusterbits.measures.catalogue import meanings

        hint = errors.did_you_mean(name, __all__)
        message = f"module 'clusterbits' has no attribute {name!r}.{hint}"
        raise AttributeError(meanings(name) or message)
