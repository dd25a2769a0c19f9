"""Segments of label images matched by intersection over union: panoptic quality, F1.

The background is no segment, but its voxels count in unions. Voxels of ignored classes count
nowhere, and a predicted segment that is mostly such voxels is no false positive (Kirillov et al.
2019). Average precision needs a confidence for each predicted segment, which labels do not have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.labels.options import ImagePolicy, list_labels
from clusterbits.labels.settle import warn_absent_classes
from clusterbits.measures.assignment import assigned_cells
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import NoiseSingleton, as_written
from clusterbits.table.log_factorials import FloatArray

# From this intersection over union on, a segment has at most one partner.
_ONE_PARTNER = 0.5


class SegmentMatches(NamedTuple):
    """The overlap of each match, and the numbers of true and predicted segments without one.

    Predicted segments that are mostly ignored voxels are not `invented`.
    """

    overlaps: FloatArray
    missed: int
    invented: int

    @property
    def precision(self) -> float:
        """The share of predicted segments that are matched; 1 if there are none."""
        return _share(len(self.overlaps), self.invented)

    @property
    def recall(self) -> float:
        """The share of true segments that are matched; 1 if there are none."""
        return _share(len(self.overlaps), self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: 1 if there are no segments."""
        return _share(2 * len(self.overlaps), self.missed + self.invented)

    @property
    def mean_overlap(self) -> float:
        """The mean intersection over union of matched pairs; 1 if there are no segments, else 0."""
        if len(self.overlaps):
            return float(self.overlaps.mean())
        return float(self.missed + self.invented == 0)


class SegmentPairs(NamedTuple):
    """True and predicted segments that may be matched, and the numbers of both."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    shape: tuple[int, int]


def _share(matched: int, others: int) -> float:
    return matched / (matched + others) if matched + others else 1.0


def match_segments(
    truth: Any, pred: Any, threshold: float, background: Any, ignore: Any
) -> SegmentMatches:
    """Match the segments of two label images whose intersection over union exceeds `threshold`."""
    if not 0 <= threshold < 1:
        raise LabelError(f"threshold must be at least 0 and below 1, got {threshold!r}.")
    table = truth if pred is None else Contingency.from_images(truth, pred)
    if not isinstance(table, Contingency):
        raise LabelError("pred is missing: pass two label images, or one Contingency of them.")
    singletons = any(isinstance(name, NoiseSingleton) for name in table.clusters)
    if table.coverage is not None or singletons or table.unbalanced is not None:
        raise LabelError(
            "the table must count each voxel once, as unions do: count all by "
            "Contingency.from_images(truth, pred), and pass ignore= and background= here."
        )
    voids, nothing = list_labels(ignore, "ignore"), list_labels(background, "background")
    classes = [*table.classes, *ImagePolicy.optional_classes]
    warn_absent_classes(voids, classes, "ignore")
    warn_absent_classes(nothing, [*classes, *table.clusters], "background")
    void = _are_among(table.classes, voids)
    segments = ~(void | _are_among(table.classes, nothing))
    predicted = ~_are_among(table.clusters, nothing)
    void_area = np.bincount(table.columns, table.counts * void[table.rows], len(predicted))
    valid_area = table.cluster_sizes - void_area
    kept = segments[table.rows] & predicted[table.columns]
    rows, columns, counts = table.rows[kept], table.columns[kept], table.counts[kept]
    overlaps = counts / (table.class_sizes[rows] + valid_area[columns] - counts)
    near = overlaps > threshold
    rows, columns, overlaps = rows[near], columns[near], overlaps[near]
    if threshold < _ONE_PARTNER:
        # Of the matches with most pairs, one with the largest sum of overlaps.
        chosen = assigned_cells(
            SegmentPairs(rows, columns, table.shape), 1 + overlaps / (1 + len(rows))
        )
        rows, columns, overlaps = rows[chosen], columns[chosen], overlaps[chosen]
    unmatched = predicted & (void_area <= table.cluster_sizes / 2)
    unmatched[columns] = False
    missed = np.count_nonzero(segments) - len(rows)
    return SegmentMatches(overlaps, int(missed), int(np.count_nonzero(unmatched)))


def _are_among(names: Collection[Any], labels: Iterable[Any]) -> NDArray[np.bool_]:
    """Return the mask of the names that are among the labels."""
    written = set(map(as_written, labels))
    return np.fromiter((as_written(name) in written for name in names), np.bool_, len(names))


def panoptic_quality(
    truth: Any, pred: Any = None, *, background: Any = 0, ignore: Any = ()
) -> float:
    r"""Panoptic quality: how many segments are found, times how well.

    .. math:: PQ = \frac{\sum_{\text{matches}} IoU}{TP + FP/2 + FN/2} = SQ \cdot RQ

    A true and a predicted segment match if the intersection over union of their voxels exceeds 1/2,
    so each has at most one partner. Choose it for instances (cells, neurons, objects of a street);
    for one class of instances at a time. It needs no confidences.

    Parameters
    ----------
    truth, pred : label images, or paths
        As for `Contingency.from_images`, a mask as 0 and 1; or one `Contingency` of all voxels.
    background : label or collection of labels, default 0
        Labels that are no segments. Their voxels count in unions.
    ignore : label or collection of labels, optional
        Void labels of `truth`: their voxels count nowhere, and a predicted segment that is mostly
        void is no false positive.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 if neither image has a segment.

    See Also
    --------
    segmentation_quality : the mean intersection over union of matches.
    recognition_quality : F1 of the matches.

    References
    ----------
    .. [1] A. Kirillov, K. He, R. Girshick, C. Rother, P. Dollár (2019). Panoptic segmentation.
           CVPR. https://doi.org/10.1109/CVPR.2019.00963

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = [[1, 1, 1, 0], [2, 2, 0, 0]]
    >>> pred = [[5, 5, 5, 5], [0, 6, 0, 0]]
    >>> cb.images.panoptic_quality(truth, pred)  # 1 is found, with IoU 3/4; 2 is not
    0.375
    """
    matches = match_segments(truth, pred, _ONE_PARTNER, background, ignore)
    return matches.mean_overlap * matches.f1


def segmentation_quality(
    truth: Any, pred: Any = None, *, background: Any = 0, ignore: Any = ()
) -> float:
    r"""Segmentation quality: the mean intersection over union of matched segments.

    .. math:: SQ = \frac{1}{TP} \sum_{\text{matches}} IoU

    How well segments are drawn that are found; `recognition_quality` says how many are. Parameters
    and references are those of `panoptic_quality`.

    Returns
    -------
    float
        Above 1/2, or 0 if no segment matches; higher is better. 1 if neither image has a segment.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.images.segmentation_quality([[1, 1, 1, 0], [2, 2, 0, 0]], [[5, 5, 5, 5], [0, 6, 0, 0]])
    0.75
    """
    return match_segments(truth, pred, _ONE_PARTNER, background, ignore).mean_overlap


def recognition_quality(
    truth: Any, pred: Any = None, *, background: Any = 0, ignore: Any = ()
) -> float:
    r"""Recognition quality: F1 of segments matched with an intersection over union above 1/2.

    .. math:: RQ = \frac{TP}{TP + FP/2 + FN/2}

    How many segments are found; `segmentation_quality` says how well. Parameters and references
    are those of `panoptic_quality`.

    Returns
    -------
    float
        From 0 to 1; higher is better.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.images.recognition_quality([[1, 1, 1, 0], [2, 2, 0, 0]], [[5, 5, 5, 5], [0, 6, 0, 0]])
    0.5
    """
    return match_segments(truth, pred, _ONE_PARTNER, background, ignore).f1


def segment_f1(
    truth: Any,
    pred: Any = None,
    *,
    threshold: float = 0.5,
    background: Any = 0,
    ignore: Any = (),
) -> float:
    r"""Segment F1: matched segments among all true and all predicted ones.

    .. math:: \frac{2\,TP}{2\,TP + FP + FN}

    Segments match if their intersection over union exceeds the threshold; below 1/2 as many pairs
    are matched as possible. At 1/2 it is `recognition_quality`; nuclei and cells are often scored
    at 0.7 or 0.9 as well. Other parameters are those of `panoptic_quality`.

    Parameters
    ----------
    threshold : float, default 0.5
        The intersection over union that a match must exceed.

    Returns
    -------
    float
        From 0 to 1; higher is better.

    References
    ----------
    .. [1] J. C. Caicedo et al. (2019). Evaluation of deep learning strategies for nucleus
           segmentation in fluorescence images. Cytometry A 95. https://doi.org/10.1002/cyto.a.23863

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth, pred = [[1, 1, 1, 0], [2, 2, 0, 0]], [[5, 5, 5, 5], [0, 6, 0, 0]]
    >>> cb.images.segment_f1(truth, pred), cb.images.segment_f1(truth, pred, threshold=0.4)
    (0.5, 1.0)
    """
    return match_segments(truth, pred, threshold, background, ignore).f1


def segment_precision(
    truth: Any,
    pred: Any = None,
    *,
    threshold: float = 0.5,
    background: Any = 0,
    ignore: Any = (),
) -> float:
    """Segment precision: the share of predicted segments that match a true one; see `segment_f1`.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.images.segment_precision([[1, 1, 2]], [[5, 5, 0]])
    1.0
    """
    return match_segments(truth, pred, threshold, background, ignore).precision


def segment_recall(
    truth: Any,
    pred: Any = None,
    *,
    threshold: float = 0.5,
    background: Any = 0,
    ignore: Any = (),
) -> float:
    """Segment recall: the share of true segments that match a predicted one; see `segment_f1`.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.images.segment_recall([[1, 1, 2]], [[5, 5, 0]])
    0.5
    """
    return match_segments(truth, pred, threshold, background, ignore).recall
