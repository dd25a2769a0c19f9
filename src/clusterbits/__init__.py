"""Score a clustering against known classes, in bits.

    truth, pred  →  Contingency  →  numbers, explanations, pictures

Start here
    evaluate(truth, pred)         the usual measures; evaluate(truth, {"k10": a, "k20": b})
    compare(truth, runs)          which run is the best, and which may be as good
    explain(truth, pred)          where the bits go; what to merge, what to split
    match(truth, pred)            which cluster is which class
    interval, permutation_test    how sure a score is
    diff(old, new)                what changed since yesterday; carries names over; needs no truth
    pairwise(runs)                every clustering against every other; needs no truth
    consensus(runs)               which runs, clusters and objects are stable; needs no truth
    scorer("q0")                  for scikit-learn
    list_measures()               q0, share_saved, adjusted_rand, ... and what each declares

A measure is a function of two labelings, or of one table
    q0(truth, pred), adjusted_rand(table), q2.using(worst="exact"), get_measure("ari")

Elsewhere
    trees, covers                 hierarchical, soft and overlapping clusters
    coreference, records, images  measures and files of three fields
    codec, paper                  the code itself; the paper: its family, report cards, reproduction

Documentation
    https://clusterbits.github.io/clusterbits/
"""

# fmt: off
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING
from clusterbits import errors

__version__ = "0.3.0"

if TYPE_CHECKING:
    from clusterbits.table.cells import Coverage
    from clusterbits.labels.labeling import Labels
    from clusterbits.labels.options import LabelOptions
    from clusterbits.table.statistics import PairCounts
    from clusterbits.table.contingency import Contingency
    from clusterbits.system.versions import show_versions
    from clusterbits.measures.catalogue import get_measure, list_measures, measure
    from clusterbits.measures.declaration import Measure
    from clusterbits.measures.code_length import (
        bits_saved, evidence, q0, q0_asymptotic, q0_enumerative, q0_mixture, q0_nml, q2, q2_2001,
        q2_adjusted, share_saved,
    )
    from clusterbits.measures.elements import (
        bcubed_f1, bcubed_precision, bcubed_recall, element_centric,
    )
    from clusterbits.measures.extremes import best_bits, worst_clustering
    from clusterbits.measures.information import (
        adjusted_mutual_information, completeness, conditional_entropy, expected_mutual_information,
        goodman_kruskal_tau, homogeneity, mutual_information,
        normalized_information_distance, normalized_mutual_information,
        normalized_variation_of_information, v_beta, v_measure, variation_of_information,
    )
    from clusterbits.measures.matching import (
        accuracy, class_f, classification_error, directional_hamming_distance,
        goodman_kruskal_lambda, hamming_similarity, inverse_purity, normalized_clustering_accuracy,
        normalized_pivoted_accuracy, pair_sets_index, purity, purity_f, split_join,
        transfer_distance, van_dongen,
    )
    from clusterbits.measures.pair_coefficients import kulczynski, rogers_tanimoto
    from clusterbits.measures.pairs import (
        adjusted_fowlkes_mallows, adjusted_rand, adjusted_wallace, correlation_distance,
        fowlkes_mallows, hubert_gamma, jaccard, mirkin, pair_f1, pair_precision, pair_recall,
        rand, wallace,
    )
    from clusterbits.measures.reduced import (
        normalized_reduced_mutual_information, reduced_mutual_information,
    )
    from clusterbits.measures.short_names import *  # noqa: F403
    from clusterbits.measures.standardized import standardized_mutual_information
    from clusterbits.measures.standardized_pairs import p_value_adjusted_rand, standardized_rand
    from clusterbits import codec, coreference, covers, images, paper, records, trees
    from clusterbits.changes import Changes, Consensus, consensus, diff
    from clusterbits.explanation import Explanation, explain
    from clusterbits.explanation.matches import Match, match
    from clusterbits.inference import (
        Comparison, Interval, PermutationTest, TaskComparison, compare, interval, permutation_test,
    )
    from clusterbits.scoring import Pairwise, Score, Scores, evaluate
    from clusterbits.scoring.pairwise_scores import pairwise
    from clusterbits.scoring.scorers import Scorer, scorer
    # Answered and typed, but not listed.
    from clusterbits.measures.extremes import WorstClustering as WorstClustering
    from clusterbits.scoring import (
        IsolatedLabel as IsolatedLabel, IsolatedLabels as IsolatedLabels,
        isolated_labels_f1 as isolated_labels_f1,
    )

_NAMESPACES = (
    "codec", "coreference", "covers", "images", "paper", "records", "trees",
)
# Everything else is imported when it is first asked for, by the room it is in; what is in none of
# these is a measure. So the command prints its help without numpy.
_ROOMS = {
    "table.cells": ("Coverage",),
    "labels.labeling": ("Labels",),
    "labels.options": ("LabelOptions",),
    "table.statistics": ("PairCounts",),
    "table.contingency": ("Contingency",),
    "system.versions": ("show_versions",),
    "changes": ("Changes", "Consensus", "consensus", "diff"),
    "explanation": ("Explanation", "Match", "explain", "match"),
    "inference": (
        "Comparison", "Interval", "PermutationTest", "TaskComparison", "compare", "interval",
        "permutation_test",
    ),
    "measures.catalogue": ("get_measure", "list_measures", "measure"),
    "measures.declaration": ("Measure",),
    "measures.extremes": ("WorstClustering", "best_bits", "worst_clustering"),
    "scoring": (
        "IsolatedLabel", "IsolatedLabels", "Pairwise", "Score", "Scorer", "Scores", "evaluate",
        "isolated_labels_f1", "pairwise", "scorer",
    ),
}

__all__ = [  # noqa: RUF022
    # Verbs
    "compare", "consensus", "diff", "evaluate", "explain", "get_measure", "interval",
    "list_measures", "match", "measure", "pairwise", "permutation_test", "scorer", "show_versions",
    # Tables and results
    "Changes", "Comparison", "Consensus", "Contingency", "Coverage", "Explanation", "Interval",
    "LabelOptions", "Labels", "Match", "Measure", "PairCounts", "Pairwise", "PermutationTest",
    "Score", "Scorer", "Scores", "TaskComparison",
    # Namespaces
    "codec", "coreference", "covers", "errors", "images", "paper", "records", "trees",
    # Measures, and what they are made of
    "accuracy", "adjusted_fowlkes_mallows", "adjusted_mutual_information", "adjusted_rand",
    "adjusted_wallace", "bcubed_f1", "bcubed_precision", "bcubed_recall", "best_bits", "bits_saved",
    "class_f", "classification_error", "completeness", "conditional_entropy",
    "correlation_distance", "directional_hamming_distance", "element_centric", "evidence",
    "expected_mutual_information", "fowlkes_mallows", "goodman_kruskal_lambda",
    "goodman_kruskal_tau", "hamming_similarity", "homogeneity", "hubert_gamma", "inverse_purity",
    "jaccard", "kulczynski", "mirkin", "mutual_information", "normalized_clustering_accuracy",
    "normalized_information_distance", "normalized_mutual_information",
    "normalized_pivoted_accuracy", "normalized_reduced_mutual_information",
    "normalized_variation_of_information", "p_value_adjusted_rand", "pair_f1", "pair_precision",
    "pair_recall", "pair_sets_index", "purity", "purity_f", "q0", "q0_asymptotic", "q0_enumerative",
    "q0_mixture", "q0_nml", "q2", "q2_2001", "q2_adjusted", "rand", "reduced_mutual_information",
    "rogers_tanimoto", "share_saved", "split_join", "standardized_mutual_information",
    "standardized_rand", "transfer_distance", "v_beta", "v_measure", "van_dongen",
    "variation_of_information", "wallace", "worst_clustering",
]
# fmt: on


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if not TYPE_CHECKING:  # a type checker would take any misspelt name for Any

    def __getattr__(name):
        if name.startswith("_"):  # tools ask for these, and expect no answer
            raise AttributeError(name)
        if name in _NAMESPACES:
            return import_module(f".{name}", __name__)
        room = next((room for room, names in _ROOMS.items() if name in names), None)
        if room is not None:
            value = getattr(import_module(f".{room}", __name__), name)
        elif name in __all__:
            value = import_module(".measures.catalogue", __name__).get_measure(name)
        else:
            value = vars(import_module(".measures.short_names", __name__)).get(name)
            if not hasattr(value, "score_table"):
                raise AttributeError(_describe_missing(name))
        globals()[name] = value  # the next time it is simply there
        return value


def _describe_missing(name: str) -> str:
    """Return what may have been meant: a measure by its alias, a name of a namespace, a slip."""
    from clusterbits.measures.catalogue import get_measure
    from clusterbits.measures.short_names import ELSEWHERE

    message = f"module 'clusterbits' has no attribute {name!r}."
    if name in ELSEWHERE:
        return f"{message} {ELSEWHERE[name]}"
    with suppress(errors.MeasureError):
        name = get_measure(name).name
    for room in _NAMESPACES:
        if name in dir(import_module(f".{room}", __name__)):
            return f"{message} Did you mean '{room}.{name}'?"
    return message + errors.did_you_mean(name, __all__)
