"""Entity resolution: each class is an entity, each cluster the records that were found of it.

`estimate` needs the true entities of a sample only.
"""

from clusterbits.records.estimation import Estimate, Estimates, estimate
from clusterbits.records.record_measures import (
    closest_cluster_f1,
    closest_cluster_precision,
    closest_cluster_recall,
    exact_cluster_f1,
    exact_cluster_precision,
    exact_cluster_recall,
    generalized_merge_distance,
    talburt_wang,
)

__all__ = [
    "Estimate",
    "Estimates",
    "closest_cluster_f1",
    "closest_cluster_precision",
    "closest_cluster_recall",
    "estimate",
    "exact_cluster_f1",
    "exact_cluster_precision",
    "exact_cluster_recall",
    "generalized_merge_distance",
    "talburt_wang",
]


def __dir__() -> list[str]:
    return __all__
