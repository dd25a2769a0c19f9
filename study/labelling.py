"""How well a few labels serve: the accuracy of labelling clusters by some of their objects."""

import numpy as np


def spread(sizes: np.ndarray, budget: int) -> np.ndarray:
    """Return how many objects of each cluster are labelled.

    One of each, the largest first; then one at a time where size/labels is largest.
    """
    given = np.zeros(len(sizes), dtype=int)
    given[np.argsort(-sizes, kind="stable")[:budget]] = 1
    for _ in range(min(budget, int(sizes.sum())) - int(given.sum())):
        open_clusters = np.where(given < sizes, sizes / np.maximum(given, 1), -1.0)
        given[np.argmax(open_clusters)] += 1
    return given


class Labelling:
    """Random orders in which the objects of a set are labelled, the same for all clusterings."""

    def __init__(self, classes: np.ndarray, draws: int = 200, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.classes = classes
        self.count = int(classes.max()) + 1
        self.orders = rng.permuted(np.tile(np.arange(len(classes)), (draws, 1)), axis=1)
        # Less than one label: which of the tied classes wins, drawn anew for each order.
        self.tie_breaks = rng.permuted(np.tile(np.arange(self.count), (draws, 1)), axis=1) / (
            2 * self.count
        )

    def by_cluster(self, clusters: np.ndarray) -> np.ndarray:
        """Return the orders with each cluster's objects together, first cluster first."""
        # Small numbers are sorted by their digits, which is much faster.
        groups = np.argsort(clusters.astype(np.int16)[self.orders], axis=1, kind="stable")
        return np.take_along_axis(self.orders, groups, axis=1)

    def accuracy(self, clusters: np.ndarray, labelled: np.ndarray) -> tuple[float, float]:
        """Return mean accuracy and balanced accuracy over the objects that have no label.

        Parameters
        ----------
        clusters
            Cluster of each object, from 0 without gaps.
        labelled
            The labelled objects of each draw, one row for each.
        """
        draws, classes = len(labelled), self.count
        k = int(clusters.max()) + 1
        rows = np.arange(draws)[:, None]
        keys = (rows * k + clusters[labelled]) * classes + self.classes[labelled]
        seen = np.bincount(keys.ravel(), minlength=draws * k * classes).reshape(draws, k, classes)
        table = np.bincount(clusters * classes + self.classes, minlength=k * classes)
        rest = table.reshape(k, classes) - seen
        votes = np.where(
            seen.any(axis=2, keepdims=True), seen, seen.sum(axis=1, keepdims=True)
        )  # A cluster without a label votes as all labels do.
        winners = np.argmax(votes + self.tie_breaks[:, None, :], axis=2)
        right = rest[rows, np.arange(k), winners]
        unlabelled = rest.sum(axis=1)
        hits = np.bincount(
            (rows * classes + winners).ravel(), right.ravel(), minlength=draws * classes
        ).reshape(draws, classes)
        with np.errstate(invalid="ignore"):
            recalls = np.where(unlabelled > 0, hits / unlabelled, np.nan)
        total = unlabelled.sum(axis=1)
        if not total.all():
            return float("nan"), float("nan")
        return float(np.mean(hits.sum(axis=1) / total)), float(np.mean(np.nanmean(recalls, axis=1)))

    def from_each(self, clusters: np.ndarray, given: np.ndarray) -> tuple[float, float]:
        """Return both accuracies where so many objects of each cluster are labelled."""
        sizes = np.bincount(clusters)
        rank = np.arange(len(clusters)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.accuracy(clusters, self.by_cluster(clusters)[:, rank < np.repeat(given, sizes)])

    def spread(self, clusters: np.ndarray, times: int) -> tuple[float, float]:
        """Return both accuracies for a budget of so many labels per class, spread over clusters."""
        return self.from_each(clusters, spread(np.bincount(clusters), times * self.count))

    def outcomes(self, clusters: np.ndarray) -> dict[str, float]:
        """Return all outcomes of the protocol for one clustering."""
        found = {}
        for times in (2, 5, 10):
            found[f"spread_{times}"], balanced = self.spread(clusters, times)
            if times == 5:
                found["balanced_5"] = balanced
            labelled = self.orders[:, : times * self.count]
            found[f"random_{times}"] = self.accuracy(clusters, labelled)[0]
        for each in (1, 3, 5):
            given = np.full(clusters.max() + 1, each)
            found[f"each_{each}"] = self.from_each(clusters, given)[0]
        return found


def halve(classes: np.ndarray, seed: int) -> np.ndarray:
    """Return which objects are in the first half: every other one of each class, at random."""
    order = np.random.default_rng(seed).permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    first = np.zeros(len(classes), dtype=bool)
    first[order[::2]] = True
    return first
