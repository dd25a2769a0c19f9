"""Segmentation: measures of label images, which `Contingency.from_images` counts."""

from clusterbits.images.segment_measures import adapted_rand_error, vi_merge, vi_split

__all__ = ["adapted_rand_error", "vi_merge", "vi_split"]


def __dir__() -> list[str]:
    return __all__
