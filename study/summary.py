"""Make the tables and pictures of docs/study.md from the results of study/run.py; seconds.

python study/summary.py docs
"""

import csv
import gzip
import re
import sys
from functools import cached_property
from io import BytesIO
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, rankdata

HERE = Path(__file__).parent
PRIMARY = "spread_5"
BUDGETS = ("spread_2", "spread_5", "spread_10", "random_2", "random_5", "random_10")
OUTCOMES = (*BUDGETS, "each_1", "each_3", "each_5", "balanced_5")
RESAMPLES = 10_000
SMALLEST_GROUP = 8
HEADLINE = (
    *("q0", "q0_nml", "adjusted_mutual_information", "adjusted_rand", "v_measure", "homogeneity"),
    *("completeness", "variation_of_information", "purity", "class_f", "accuracy", "bcubed_f1"),
    *("bcubed_precision", "element_centric", "pair_f1", "fowlkes_mallows", "rand"),
    *("normalized_clustering_accuracy", "pair_sets_index", "reduced_mutual_information"),
    "normalized_reduced_mutual_information",
)
MARKED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def read_rows(path: Path) -> list[dict[str, str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def correlate(a: np.ndarray, b: np.ndarray) -> float:
    """Return Spearman's correlation, 0 where one side is constant."""
    a, b = (rankdata(side) - (len(side) + 1) / 2 for side in (a, b))
    scale = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / scale) if scale else 0.0


def pick(scores: np.ndarray, values: np.ndarray) -> float:
    """Return the mean value of the clusterings that a measure ranks first."""
    return float(values[scores == scores.max()].mean())


class Results:
    """The results: for each set its clusterings, outcomes and measures, and what follows."""

    def __init__(self, folder: Path = HERE) -> None:
        rows = read_rows(folder / "results.csv.gz")
        self.sets = read_rows(folder / "sets.csv")
        self.alike = read_rows(folder / "measures.csv")
        self.measures = [row["measure"] for row in self.alike if row["measure"] == row["ranks_as"]]
        names = np.array([row["set"] for row in rows])
        columns = ("k", *OUTCOMES, *self.measures)
        values = np.array([[float(row[name]) for name in columns] for row in rows])
        values = np.where(np.isnan(values), -np.inf, values)
        self.columns = {name: i for i, name in enumerate(columns)}
        self.parts = [values[names == one["set"]] for one in self.sets]
        counts = np.random.default_rng(0).multinomial(
            len(self.sets), np.full(len(self.sets), 1 / len(self.sets)), RESAMPLES
        )
        self.weights = counts / len(self.sets)

    def stands_for(self, measure: str) -> str:
        """Return the measure that ranks as this one and is reported."""
        return next(row["ranks_as"] for row in self.alike if row["measure"] == measure)

    def column(self, part: np.ndarray, name: str) -> np.ndarray:
        return part[:, self.columns[name]]

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

    def random_regret(self, outcome: str) -> np.ndarray:
        """Return the mean regret of a clustering picked at random, for each set."""
        columns = (self.column(part, outcome) for part in self.parts)
        return np.array([values.max() - values.mean() for values in columns])

    def spearman(self, outcome: str) -> np.ndarray:
        return self.over_sets(lambda part, scores: correlate(scores, self.column(part, outcome)))

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
            scores = [[self.column(group, name) for group in groups] for name in self.measures]
            correlations.append([np.mean([*map(correlate, one, outcomes)]) for one in scores])
            best = np.mean([values.max() for values in outcomes])
            regrets.append([best - np.mean([*map(pick, one, outcomes)]) for one in scores])
        return np.array(correlations), np.array(regrets)

    def interval(self, values: np.ndarray) -> tuple[float, float, float]:
        """Return the mean over sets and its 95 % bootstrap interval."""
        low, high = np.percentile(self.weights @ values, [2.5, 97.5])
        return float(values.mean()), float(low), float(high)

    def helped(self) -> np.ndarray:
        """Return on which sets the best clustering is 0.1 above the largest class."""
        best = np.array([self.column(part, PRIMARY).max() for part in self.parts])
        return best >= np.array([float(one["largest"]) for one in self.sets]) + 0.1


def markdown(header: list[str], rows: list[list[str]], left: int = 1) -> str:
    ruler = ["---"] * left + ["---:"] * (len(header) - left)
    return "".join(f"| {' | '.join(line)} |\n" for line in [header, ruler, *rows])


def spanned(values: tuple[float, float, float], digits: int = 3) -> str:
    mean, low, high = values
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def signed(values: tuple[float, float, float]) -> str:
    mean, low, high = values
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def won(values: np.ndarray, mine: np.ndarray) -> float:
    """Return the share of sets on which `mine` is lower; a tie is half."""
    return float(np.mean((mine < values - 1e-9) + 0.5 * (np.abs(mine - values) <= 1e-9)))


class Tables:
    """The tables of the page, each a method of its name."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.regret = results.regrets(PRIMARY)
        self.order = np.argsort(self.regret.mean(axis=0), kind="stable")
        self.q0 = results.measures.index("q0")

    @property
    def headline(self) -> list[int]:
        """Return the headline measures and the five best, the best first."""
        names = {self.results.stands_for(name) for name in HEADLINE}
        five = set(self.order[:5].tolist())
        return [i for i in self.order if i in five or self.results.measures[i] in names]

    def comparison(self, chosen) -> str:
        results = self.results
        spearman, picked = results.spearman(PRIMARY), results.clusters_picked()
        ranks = rankdata(self.regret.round(9), axis=1).mean(axis=0)
        mine = self.regret[:, self.q0]
        rows = []
        for i in chosen:
            theirs = self.regret[:, i]
            against = [signed(results.interval(theirs - mine)), f"{won(theirs, mine):.2f}"]
            rows.append(
                [
                    f"`{results.measures[i]}`",
                    spanned(results.interval(theirs)),
                    *(["", ""] if i == self.q0 else against),
                    f"{ranks[i]:.1f}",
                    spanned(results.interval(spearman[:, i]), 2),
                    f"{self.kendall[:, i].mean():.2f}",
                    f"{np.median(picked[:, i]):.1f}",
                ]
            )
        at_random = results.interval(results.random_regret(PRIMARY))
        rows.append(["*at random*", spanned(at_random), *[""] * 6])
        header = ["measure", "regret", "minus that of q0", "sets q0 wins", "mean rank"]
        return markdown([*header, "Spearman", "Kendall", "k/&#124;C&#124; picked"], rows)

    @cached_property
    def kendall(self) -> np.ndarray:
        return self.results.kendall(PRIMARY)

    def main(self) -> str:
        return self.comparison(self.headline)

    def everything(self) -> str:
        return self.comparison(self.order)

    def budgets(self) -> str:
        by_outcome = [self.results.regrets(name).mean(axis=0) for name in OUTCOMES]
        rows = [
            [f"`{self.results.measures[i]}`", *(f"{column[i]:.3f}" for column in by_outcome)]
            for i in self.headline
        ]
        lowest = [int(column.argmin()) for column in by_outcome]
        rows.append(["*lowest*", *(f"`{self.results.measures[i]}`" for i in lowest)])
        at_random = (self.results.random_regret(name).mean() for name in OUTCOMES)
        rows.append(["*at random*", *(f"{value:.3f}" for value in at_random)])
        return markdown(["measure", *(name.replace("_", " ") for name in OUTCOMES)], rows)

    def subgroups(self) -> str:
        two = np.array([one["classes"] == "2" for one in self.results.sets])
        helped = self.results.helped()
        groups = {"2 classes": two, "more": ~two, "clustering helps": helped, "not": ~helped}
        header = [f"{name} ({chosen.sum()} sets)" for name, chosen in groups.items()]
        rows = [
            [
                f"`{self.results.measures[i]}`",
                *(f"{self.regret[chosen, i].mean():.3f}" for chosen in groups.values()),
            ]
            for i in self.headline
        ]
        at_random = self.results.random_regret(PRIMARY)
        rows.append(
            ["*at random*", *(f"{at_random[chosen].mean():.3f}" for chosen in groups.values())]
        )
        return markdown(["measure", *header], rows)

    def same_k(self) -> str:
        correlation, regret = self.results.within_groups()
        mine = regret[:, self.q0]
        order = [i for i in np.argsort(regret.mean(axis=0), kind="stable") if i in self.headline]
        rows = [
            [
                f"`{self.results.measures[i]}`",
                spanned(self.results.interval(regret[:, i])),
                "" if i == self.q0 else signed(self.results.interval(regret[:, i] - mine)),
                spanned(self.results.interval(correlation[:, i]), 2),
            ]
            for i in order
        ]
        return markdown(["measure", "regret", "minus that of q0", "Spearman"], rows)

    def sets(self) -> str:
        rows = []
        for one, part in zip(self.results.sets, self.results.parts, strict=True):
            outcome = self.results.column(part, PRIMARY)
            picked = pick(self.results.column(part, "q0"), outcome)
            counts = [one[name] for name in ("n", "features", "classes")]
            largest = f"{float(one['largest']):.2f}"
            found = [one["clusterings"], f"{outcome.max():.3f}", f"{picked:.3f}"]
            rows.append([one["set"], one["package"], *counts, largest, *found])
        header = ["set", "package", "n", "features", "classes", "largest class", "clusterings"]
        return markdown([*header, "best accuracy", "q0's pick"], rows, left=2)

    def alike(self) -> str:
        groups: dict[str, list[str]] = {}
        for row in self.results.alike:
            groups.setdefault(row["ranks_as"], []).append(row["measure"])
        rows = [
            [f"`{name}`", ", ".join(f"`{other}`" for other in others if other != name)]
            for name, others in groups.items()
            if len(others) > 1
        ]
        return markdown(["reported", "ranks alike"], rows, left=2)


def fill(page: str, tables: Tables) -> str:
    """Return the page with every marked table made anew."""

    def table(found):
        return f"<!-- {found[1]} -->\n{getattr(tables, found[1])()}<!-- end -->"

    return MARKED.sub(table, page)


def save(figure, target: Path) -> None:
    from PIL import Image

    buffer = BytesIO()
    figure.savefig(buffer, dpi=100)
    # Few colours make small files.
    Image.open(buffer).convert("RGB").quantize(48).save(target, "png", optimize=True)


def draw(tables: Tables, folder: Path) -> None:
    """Draw regret with its intervals, and regret beside the number of clusters picked."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    results, chosen = tables.results, tables.headline
    colours = ["tab:red" if i == tables.q0 else "tab:blue" for i in chosen]
    spans = np.array([results.interval(tables.regret[:, i]) for i in chosen])
    names = [results.measures[i] for i in chosen]

    figure, ax = plt.subplots(figsize=(7, 0.26 * len(chosen) + 1.1), layout="constrained")
    places = np.arange(len(chosen))
    ax.hlines(places, spans[:, 1], spans[:, 2], colors=colours)
    ax.scatter(spans[:, 0], places, c=colours, zorder=3)
    at_random = results.random_regret(PRIMARY).mean()
    ax.axvline(at_random, color="grey", linestyle=":", label="picked at random")
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.set_xlabel("accuracy lost, mean over data sets and 95 % interval (less is better)")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    save(figure, folder / "regret.png")

    picked = np.median(results.clusters_picked(), axis=0)[chosen]
    figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
    ax.scatter(picked, spans[:, 0], c=colours)
    for x, y, name in zip(picked, spans[:, 0], names, strict=True):
        ax.annotate(name, (x, y), xytext=(4, 3), textcoords="offset points", fontsize=7)
    ax.set_xscale("log", base=2)
    ax.set_xlabel("clusters picked per class, median over data sets")
    ax.set_ylabel("accuracy lost, mean over data sets")
    ax.margins(x=0.15)
    ax.spines[["top", "right"]].set_visible(False)
    save(figure, folder / "clusters.png")
    plt.close("all")


def main(folder: str) -> None:
    docs = Path(folder)
    tables = Tables(Results())
    page = docs / "study.md"
    page.write_text(fill(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    (docs / "study").mkdir(exist_ok=True)
    draw(tables, docs / "study")


if __name__ == "__main__":
    main(sys.argv[1])
