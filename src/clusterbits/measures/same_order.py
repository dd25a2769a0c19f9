"""Measures that put clusterings of the same classes in the same order."""

from __future__ import annotations

# For given classes each measure is a monotone function of the others of its group.
SAME_ORDER: tuple[tuple[str, ...], ...] = (
    ("q0", "bits_saved", "share_saved", "q2", "q2_2001"),
    ("bcubed_precision", "goodman_kruskal_tau"),
    ("homogeneity", "conditional_entropy", "vi_merge", "mutual_information", "mutual_info_score"),
    ("v_measure", "normalized_mutual_information", "normalized_variation_of_information"),
    ("purity", "classification_error", "directional_hamming_distance", "goodman_kruskal_lambda"),
    ("van_dongen", "hamming_similarity", "split_join"),
    ("accuracy", "transfer_distance"),
    ("rand", "mirkin", "rogers_tanimoto", "gower_legendre", "hamann"),
    ("jaccard", "pair_f1", "adapted_rand_error", "sokal_sneath_doubled"),
    ("hubert_gamma", "correlation_distance"),
    ("pair_recall", "wallace", "russell_rao"),
    ("kulczynski", "mcconnaughey"),
    ("peirce", "baulieu_2"),
)
# Measures by which the clustering with the best value saves the most bits.
ORDER_OF_Q0 = SAME_ORDER[0]
