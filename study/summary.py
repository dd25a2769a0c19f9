"""Make the tables and pictures of the study's page from the results of study/run.py; seconds.

python study/summary.py docs/explanation
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
        self.columns = {name: i for i, name in enumerate(columns)}
        # Where a measure is undefined it ranks last. An outcome is, where the budget labels all.
        measured = values[:, self.columns[self.measures[0]] :]
        measured[np.isnan(measured)] = -np.inf
        self.parts = [values[names == one["set"]] for one in self.sets]
        counts = np.random.default_rng(0).multinomial(
            len(self.sets), np.full(len(self.sets), 1 / len(self.sets)), RESAMPLES
        )
        self.weights = counts / len(self.sets)

    @cached_property
    def titles(self) -> dict[str, str]:
        """Return the name under which each measure is reported: the best known that ranks alike."""
        found = {name: name for name in self.measures}
        stands = {row["measure"]: row["ranks_as"] for row in self.alike}
        return found | {stands[name]: name for name in reversed(HEADLINE)}

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
        self.names = [results.titles[name] for name in results.measures]
        five = set(self.order[:5].tolist())
        self.headline = [i for i in self.order if i in five or self.names[i] in HEADLINE]
        self.random = results.random_regret(PRIMARY)

    def compare(self, i: int, regret: np.ndarray) -> tuple[float, float, float]:
        """Return by how much the regret of a measure exceeds that of q0, with its interval."""
        return self.results.interval(regret[:, i] - regret[:, self.q0])

    @cached_property
    def lines(self) -> list[list[str]]:
        """Return the line of each measure in the main table."""
        results = self.results
        spearman, kendall = results.spearman(PRIMARY), results.kendall(PRIMARY)
        picked = np.median(results.clusters_picked(), axis=0)
        ranks = rankdata(self.regret.round(9), axis=1).mean(axis=0)
        lines = []
        for i, name in enumerate(self.names):
            share = won(self.regret[:, i], self.regret[:, self.q0])
            against = [signed(self.compare(i, self.regret)), f"{share:.2f}"]
            lines.append(
                [
                    f"`{name}`",
                    spanned(results.interval(self.regret[:, i])),
                    *(["", ""] if i == self.q0 else against),
                    f"{ranks[i]:.1f}",
                    spanned(results.interval(spearman[:, i]), 2),
                    f"{kendall[:, i].mean():.2f}",
                    f"{picked[i]:.1f}",
                ]
            )
        return lines

    def comparison(self, chosen) -> str:
        at_random = ["*at random*", spanned(self.results.interval(self.random)), *[""] * 6]
        header = ["measure", "regret", "minus that of q0", "sets q0 wins", "mean rank"]
        header += ["Spearman", "Kendall", "clusters per class"]
        return markdown(header, [*(self.lines[i] for i in chosen), at_random])

    def main(self) -> str:
        return self.comparison(self.headline)

    def everything(self) -> str:
        return self.comparison(self.order)

    def verdict(self) -> str:
        spans = [self.compare(i, self.regret) for i in self.order if i != self.q0]
        names = [self.names[i] for i in self.order if i != self.q0]
        better = [f"`{name}`" for name, one in zip(names, spans, strict=True) if one[2] < 0]
        worse = sum(one[1] > 0 for one in spans)
        neither = len(spans) - worse - len(better)
        return (
            f"Of {len(spans)} other rankings, `q0` beats {worse} and is beaten by {len(better)} "
            f"({', '.join(better) or 'none'}). For {neither} the interval includes 0.\n"
        )

    def costliest(self) -> str:
        """Return where q0 loses most to the best measure, and what is left without those sets."""
        theirs, mine = self.regret[:, self.order[0]], self.regret[:, self.q0]
        best = self.names[self.order[0]]
        worst = np.argsort(theirs - mine, kind="stable")[:4]
        names = [f"`{self.results.sets[i]['set']}` ({mine[i]:.3f})" for i in worst]
        same = int(np.sum(np.abs(theirs - mine) < 0.001))
        rest = np.delete(np.arange(len(mine)), worst)
        return (
            f"On {same} of {len(mine)} sets `q0` and `{best}` pick equally good clusterings "
            f"(within 0.001). `q0` loses most, beside the other, on {', '.join(names)}. Without "
            f"these four its mean regret is {mine[rest].mean():.3f}, that of the other "
            f"{theirs[rest].mean():.3f}.\n"
        )

    def budgets(self) -> str:
        by_outcome = [np.nanmean(self.results.regrets(name), axis=0) for name in OUTCOMES]
        rows = [
            [f"`{self.names[i]}`", *(f"{column[i]:.3f}" for column in by_outcome)]
            for i in self.headline
        ]
        lowest = [int(column.argmin()) for column in by_outcome]
        rows.append(["*lowest*", *(f"`{self.names[i]}`" for i in lowest)])
        at_random = (np.nanmean(self.results.random_regret(name)) for name in OUTCOMES)
        rows.append(["*at random*", *(f"{value:.3f}" for value in at_random)])
        return markdown(["measure", *(name.replace("_", " ") for name in OUTCOMES)], rows)

    def subgroups(self) -> str:
        two = np.array([one["classes"] == "2" for one in self.results.sets])
        helped = self.results.helped()
        groups = {"2 classes": two, "more": ~two, "clustering helps": helped, "not": ~helped}
        header = [f"{name} ({chosen.sum()} sets)" for name, chosen in groups.items()]
        rows = [
            [
                f"`{self.names[i]}`",
                *(f"{self.regret[chosen, i].mean():.3f}" for chosen in groups.values()),
            ]
            for i in self.headline
        ]
        rows.append(
            ["*at random*", *(f"{self.random[chosen].mean():.3f}" for chosen in groups.values())]
        )
        return markdown(["measure", *header], rows)

    def same_k(self) -> str:
        correlation, regret = self.results.within_groups()
        order = [i for i in np.argsort(regret.mean(axis=0), kind="stable") if i in self.headline]
        rows = [
            [
                f"`{self.names[i]}`",
                spanned(self.results.interval(regret[:, i])),
                "" if i == self.q0 else signed(self.compare(i, regret)),
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
            title = self.results.titles[row["ranks_as"]]
            groups.setdefault(title, []).append(row["measure"])
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
    image = Image.open(buffer).convert("RGB")
    image.quantize(64, method=Image.Quantize.FASTOCTREE).save(target, "png", optimize=True)


def colours(tables: Tables) -> list[str]:
    return ["tab:red" if i == tables.q0 else "tab:blue" for i in tables.headline]


def draw_regret(tables: Tables, ax) -> None:
    """Draw the regret of the headline measures with its intervals."""
    results, chosen = tables.results, tables.headline
    spans = np.array([results.interval(tables.regret[:, i]) for i in chosen])
    places = np.arange(len(chosen))
    ax.hlines(places, spans[:, 1], spans[:, 2], colors=colours(tables))
    ax.scatter(spans[:, 0], places, c=colours(tables), zorder=3)
    ax.axvline(tables.random.mean(), color="grey", linestyle=":", label="picked at random")
    ax.set_yticks(places, [tables.names[i] for i in chosen])
    ax.invert_yaxis()
    ax.set_xlabel("accuracy lost: mean over sets, 95 % interval")
    ax.legend(frameon=False)


def draw_clusters(tables: Tables, ax) -> None:
    """Draw regret beside the number of clusters picked."""
    chosen = tables.headline
    picked = np.median(tables.results.clusters_picked(), axis=0)[chosen]
    lost = tables.regret.mean(axis=0)[chosen]
    ax.scatter(picked, lost, c=colours(tables))
    tops: dict[tuple[str, int], float] = {}
    for x, y, i in zip(picked, lost, chosen, strict=True):
        # Near names go one above the other; those of one cluster per class to the left.
        side, shift = ("right", 1 / 1.04) if x < 1.05 else ("left", 1.04)
        band = side, round(np.log2(x))
        tops[band] = max(y, tops.get(band, 0) + 0.0045)
        ax.annotate(tables.names[i], (x * shift, tops[band]), fontsize=7, va="center", ha=side)
    ax.set_xscale("log", base=2)
    ax.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    ax.set_xlabel("clusters picked per class, median over sets")
    ax.set_ylabel("accuracy lost, mean over sets")
    ax.margins(x=0.45)


def draw(tables: Tables, folder: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for name, function in (("regret", draw_regret), ("clusters", draw_clusters)):
        with plt.style.context("default"):
            figure, ax = plt.subplots(figsize=(8.5, 6), layout="constrained")
            function(tables, ax)
            ax.spines[["top", "right"]].set_visible(False)
            save(figure, folder / f"{name}.png")
        plt.close(figure)


def main(folder: str) -> None:
    docs = Path(folder)
    tables = Tables(Results())
    page = docs / "study.md"
    page.write_text(fill(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    (docs / "study").mkdir(exist_ok=True)
    draw(tables, docs / "study")


if __name__ == "__main__":
    main(sys.argv[1])
