"""Segmentation: measures of label images, which `Contingency.from_images` counts."""

from clusterbits.images.panoptic_measures import (
    panoptic_quality,
    recognition_quality,
    segment_f1,
    segment_precision,
    segment_recall,
    segmentation_quality,
)
from clusterbits.images.segment_measures import adapted_rand_error, vi_merge, vi_split

__all__ = [
    "adapted_rand_error",
    "panoptic_quality",
    "recognition_quality",
    "segment_f1",
    "segment_precision",
    "segment_recall",
    "segmentation_quality",
    "vi_merge",
    "vi_split",
]


def __dir__() -> list[str]:
    return __all__
