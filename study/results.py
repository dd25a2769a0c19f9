"""The results of the study: what study/run.py wrote, and what follows from it."""

import csv
import gzip
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, rankdata

import clusterbits as cb

HERE = Path(__file__).parent
PRIMARY = "spread_5"
BUDGETS = ("spread_2", "spread_5", "spread_10", "random_2", "random_5", "random_10")
OUTCOMES = (*BUDGETS, "each_1", "each_3", "each_5", "balanced_5")
# Rules that need no measure, kept as measures are; of k-means the clusters per class.
RANDOM = "at_random"
FIXED = {"kmeans_1": 1, "kmeans_4": 4}
BASELINES = (RANDOM, *FIXED)
RESAMPLES = 10_000
SMALLEST_GROUP = 8
# Of measures that rank alike the first of these is reported.
HEADLINE = (
    *("q0", "q0_nml", "q0_mixture", "adjusted_mutual_information", "adjusted_rand", "v_measure"),
    *("homogeneity", "completeness", "variation_of_information", "purity", "class_f", "accuracy"),
    *("bcubed_f1", "bcubed_precision", "element_centric", "pair_f1", "fowlkes_mallows", "rand"),
    *("normalized_clustering_accuracy", "pair_sets_index", "reduced_mutual_information"),
)


def read_rows(path: Path) -> list[dict[str, str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def correlate(scores: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of each column with the values, 0 where one is constant."""
    middle = (len(values) + 1) / 2
    scores, values = rankdata(scores, axis=0) - middle, rankdata(values) - middle
    scale = np.sqrt((scores**2).sum(axis=0) * (values @ values))
    return np.divide(values @ scores, scale, out=np.zeros(len(scale)), where=scale > 0)


def pick(scores: np.ndarray, values: np.ndarray) -> float:
    """Return the mean value of the clusterings that a measure ranks first."""
    return float(values[scores == scores.max()].mean())


@cache
def resamples(n: int) -> np.ndarray:
    """Return the weights of n sets in bootstrap samples of them, one sample a row."""
    return np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), RESAMPLES) / n


def compare(regrets: np.ndarray, names: list[str]) -> cb.TaskComparison:
    """Return which of these columns of regrets are not significantly worse than the best.

    A row is a set, the unit of the comparison, and its value the accuracy that is left.
    """
    left = (1 - regrets).tolist()
    tasks = {str(i): dict(zip(names, row, strict=True)) for i, row in enumerate(left)}
    return cb.compare(tasks, measure="accuracy")


def excludes_zero(differences: np.ndarray) -> np.ndarray:
    """Return for which columns the bootstrap interval of the mean excludes 0."""
    low, high = np.percentile(resamples(len(differences)) @ differences, [2.5, 97.5], axis=0)
    return (low > 0) | (high < 0)


def equal_studies(regrets: np.ndarray, n_studies: int) -> Iterator[np.ndarray]:
    """Yield regrets of studies in which no measure is better than another.

    The differences of a set are multiplied by a random number of mean 0, variance 1 and skewness 1
    (Mammen 1993), the same for all measures: so ties stay ties, and skewed differences skewed.
    """
    rng = np.random.default_rng(0)
    differences = regrets - regrets.mean(axis=1, keepdims=True)
    golden = (1 + math.sqrt(5)) / 2
    for _ in range(n_studies):
        small = rng.random(len(regrets)) < golden / math.sqrt(5)
        yield differences * np.where(small, 1 - golden, golden)[:, None]


class Results:
    """The results: for each set its clusterings, outcomes and measures, and what follows."""

    def __init__(self, folder: Path = HERE) -> None:
        rows = read_rows(folder / "results.csv.gz")
        self.sets = read_rows(folder / "sets.csv")
        self.alike = read_rows(folder / "measures.csv")
        kept = [row["measure"] for row in self.alike if row["measure"] == row["ranks_as"]]
        self.measures = [*kept, *BASELINES]
        halves = read_rows(folder / "halves.csv")
        regrets = np.array([[float(row[name]) for name in self.measures] for row in halves])
        # Without sets whose half is labelled whole.
        self.halves = regrets[~np.isnan(regrets).any(axis=1)]
        names = np.array([row["set"] for row in rows])
        columns = ("k", *OUTCOMES, *self.measures)
        values = np.array([[float(row[name]) for name in columns] for row in rows])
        self.columns = {name: i for i, name in enumerate(columns)}
        # Where a measure is undefined it ranks last. An outcome is, where the budget labels all.
        measured = self.scores(values)
        measured[np.isnan(measured)] = -np.inf
        self.parts = [values[names == one["set"]] for one in self.sets]

    def column(self, part: np.ndarray, name: str) -> np.ndarray:
        return part[:, self.columns[name]]

    def scores(self, part: np.ndarray) -> np.ndarray:
        """Return the columns of the measures."""
        return part[:, self.columns[self.measures[0]] :]

    def over_sets(self, function) -> np.ndarray:
        """Return function(part, scores) for each set (row) and measure (column)."""
        return np.array(
            [
                [function(part, self.column(part, name)) for name in self.measures]
                for part in self.parts
            ]
        )

    def regrets(self, outcome: str) -> np.ndarray:
        def regret(part, scores):
            values = self.column(part, outcome)
            return values.max() - pick(scores, values)

        return self.over_sets(regret)

    def spearman(self, outcome: str) -> np.ndarray:
        parts = [(self.scores(part), self.column(part, outcome)) for part in self.parts]
        return np.array([correlate(*part) for part in parts])

    def kendall(self, outcome: str) -> np.ndarray:
        def correlation(part, scores):
            value = kendalltau(scores, self.column(part, outcome)).statistic
            return 0.0 if np.isnan(value) else float(value)

        return self.over_sets(correlation)

    def clusters_picked(self) -> np.ndarray:
        """Return the number of clusters of each pick, divided by the number of classes."""
        classes = np.array([float(one["classes"]) for one in self.sets])[:, None]
        picked = self.over_sets(lambda part, scores: pick(scores, self.column(part, "k")))
        return picked / classes

    def within_groups(self) -> tuple[np.ndarray, np.ndarray]:
        """Return correlation and regret among clusterings of equal k, each sets x measures."""
        correlations, regrets = [], []
        for part in self.parts:
            k = self.column(part, "k")
            sizes, counts = np.unique(k, return_counts=True)
            groups = [part[k == size] for size in sizes[counts >= SMALLEST_GROUP]]
            outcomes = [self.column(group, PRIMARY) for group in groups]
            scores = [self.scores(group) for group in groups]
            correlations.append(np.mean([*map(correlate, scores, outcomes)], axis=0))
            best = np.mean([values.max() for values in outcomes])
            picks = [
                [pick(column, values) for column in group.T]
                for group, values in zip(scores, outcomes, strict=True)
            ]
            regrets.append(best - np.mean(picks, axis=0))
        return np.array(correlations), np.array(regrets)

    @staticmethod
    def interval(values: np.ndarray) -> tuple[float, float, float]:
        """Return the mean over sets and its 95 % bootstrap interval."""
        low, high = np.percentile(resamples(len(values)) @ values, [2.5, 97.5])
        return float(values.mean()), float(low), float(high)

    def helped(self) -> np.ndarray:
        """Return on which sets the best clustering is 0.1 above the largest class."""
        best = np.array([self.column(part, PRIMARY).max() for part in self.parts])
        return best >= np.array([float(one["largest"]) for one in self.sets]) + 0.1
