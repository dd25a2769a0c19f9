"""The tables of the study's page, docs/explanation/study.md."""

import re
from functools import cached_property

import numpy as np
from alike import NEAR, REASONS, correlations, groups
from results import BASELINES, FIXED, HEADLINE, OUTCOMES, PRIMARY, Results, compare, pick
from scipy.stats import rankdata

import clusterbits as cb

MARKED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def markdown(header: list[str], rows: list[list[str]], left: int = 1) -> str:
    ruler = ["---"] * left + ["---:"] * (len(header) - left)
    return "".join(f"| {' | '.join(line)} |\n" for line in [header, ruler, *rows])


def code(names) -> str:
    return ", ".join(f"`{name}`" for name in names)


def spanned(mean: float, low: float, high: float, form: str = ".3f") -> str:
    return f"{mean:{form}} ({low:{form}} to {high:{form}})"


def won(values: np.ndarray, mine: np.ndarray) -> float:
    """Return the share of sets on which `mine` is lower; a tie is half."""
    return float(np.mean((mine < values - 1e-9) + 0.5 * (np.abs(mine - values) <= 1e-9)))


class Tables:
    """The tables of the page, each a method of its name."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.names = results.measures
        self.q0 = self.names.index("q0")
        fixed = [f"*k-means, {times} per class*" for times in FIXED.values()]
        measures = [name for name in self.names if name not in BASELINES]
        self.titles = [*map("`{}`".format, measures), "*at random*", *fixed]
        self.regret = results.regrets(PRIMARY)
        self.order = np.argsort(self.regret.mean(axis=0), kind="stable")
        shown = {*HEADLINE, *BASELINES, *(self.names[i] for i in self.order[:5])}
        self.chosen = [i for i in self.order if self.names[i] in shown]

    def against_q0(self, regret: np.ndarray) -> list[tuple[float, float, float]]:
        """Return by how much each regret exceeds that of q0: mean and interval."""
        return [*map(self.results.interval, (regret - regret[:, [self.q0]]).T)]

    def comparison_of(self, regret: np.ndarray) -> cb.TaskComparison:
        """Return which measures are not significantly worse than the best, without baselines."""
        n_measures = len(self.names) - len(BASELINES)
        return compare(regret[:, :n_measures], self.names[:n_measures])

    def regret_cells(self, regret: np.ndarray) -> list[list[str]]:
        """Return title, regret, bold in the model confidence set, and difference from q0."""
        best = self.comparison_of(regret).best
        cells = []
        for i, span in enumerate(self.against_q0(regret)):
            bold = "**" if self.names[i] in best else ""
            difference = "" if i == self.q0 else spanned(*span, "+.3f")
            own = spanned(*self.results.interval(regret[:, i]))
            cells.append([self.titles[i], f"{bold}{own}{bold}", difference])
        return cells

    @cached_property
    def lines(self) -> list[list[str]]:
        """Return the line of each measure in the headline table."""
        results = self.results
        spearman, kendall = results.spearman(PRIMARY), results.kendall(PRIMARY)
        picked = np.median(results.clusters_picked(), axis=0)
        ranks = rankdata(self.regret.round(9), axis=1).mean(axis=0)
        wins = [won(column, self.regret[:, self.q0]) for column in self.regret.T]
        return [
            [
                *cells,
                "" if i == self.q0 else f"{wins[i]:.2f}",
                f"{ranks[i]:.1f}",
                spanned(*results.interval(spearman[:, i]), ".2f"),
                f"{kendall[:, i].mean():.2f}",
                f"{picked[i]:.1f}",
            ]
            for i, cells in enumerate(self.regret_cells(self.regret))
        ]

    def table_of(self, shown) -> str:
        header = ["measure", "regret", "minus that of q0", "sets q0 wins", "mean rank"]
        header += ["Spearman", "Kendall", "clusters per class"]
        return markdown(header, [self.lines[i] for i in shown])

    def headline(self) -> str:
        return self.table_of(self.chosen)

    def everything(self) -> str:
        return self.table_of(self.order)

    def protocol(self) -> str:
        """Return the rankings with a lower mean regret than q0, q0, and the best known others."""
        known = ("q0", "v_measure", "adjusted_mutual_information", "adjusted_rand")
        lower = self.regret.mean(axis=0) < self.regret[:, self.q0].mean()
        rows = []
        for i in self.order:
            if not lower[i] and self.names[i] not in known:
                continue
            column = self.regret[:, i]
            difference = column - self.regret[:, self.q0]
            counts = (difference < -1e-9, np.abs(difference) <= 1e-9, difference > 1e-9)
            means = f"{column.mean():.3f}", f"{np.median(column):.3f}"
            sets = [""] * 3 if i == self.q0 else [str(found.sum()) for found in counts]
            rows.append([self.titles[i], *means, *sets])
        header = ["measure", "mean regret", "median", "sets: less than q0", "ties", "more than q0"]
        return markdown(header, rows)

    def verdict(self) -> str:
        """Return whom q0 beats and who beats it by the protocol, and the model confidence set."""
        others = [i for i, name in enumerate(self.names) if name not in ("q0", *BASELINES)]
        rows = []
        for judged, regret in (("all", self.regret), ("the other half", self.results.halves)):
            differences = self.against_q0(regret)
            beaten = [i for i in others if differences[i][1] > 0]
            better = [self.names[i] for i in others if differences[i][2] < 0]
            n_left = len(others) - len(beaten) - len(better)
            best = self.comparison_of(regret).best
            outcomes = str(len(beaten)), code(better) or "none", str(n_left)
            rows.append([judged, *outcomes, f"`{best[0]}`", str(len(best) - 1)])
        header = [
            "judged on",
            "q0 beats",
            "beaten by",
            "neither",
            "best",
            "not significantly worse",
        ]
        return markdown(header, rows)

    def confidence_set(self) -> str:
        """Return the measures that are not significantly worse than the best, in order."""
        rows = [
            [f"`{row.clustering}`", f"{1 - row.value:.3f}", _limits(row), f"{row.mean_rank:.1f}"]
            for row in self.comparison_of(self.regret)
            if row.in_set
        ]
        return markdown(["measure", "regret", "more than the best", "mean rank"], rows)

    def halves(self) -> str:
        cells = self.regret_cells(self.results.halves)
        order = np.argsort(self.results.halves.mean(axis=0), kind="stable")
        shown = {*order[:5], *self.chosen}
        return markdown(
            ["measure", "regret", "minus that of q0"], [cells[i] for i in order if i in shown]
        )

    def same_k(self) -> str:
        correlation, regret = self.results.within_groups()
        cells = self.regret_cells(regret)
        # Among clusterings of one k the fixed numbers of clusters are one rule: k-means.
        order = [i for i in np.argsort(regret.mean(axis=0), kind="stable") if i in self.chosen]
        rows = [
            [*cells[i], spanned(*self.results.interval(correlation[:, i]), ".2f")]
            for i in order
            if self.names[i] not in FIXED
        ]
        return markdown(["measure", "regret", "minus that of q0", "Spearman"], rows)

    def budgets(self) -> str:
        by_outcome = [np.nanmean(self.results.regrets(name), axis=0) for name in OUTCOMES]
        rows = [
            [self.titles[i], *(f"{column[i]:.3f}" for column in by_outcome)] for i in self.chosen
        ]
        rows.append(["*lowest*", *(self.titles[column.argmin()] for column in by_outcome)])
        return markdown(["measure", *(name.replace("_", " ") for name in OUTCOMES)], rows)

    def subgroups(self) -> str:
        two = np.array([one["classes"] == "2" for one in self.results.sets])
        helped = self.results.helped()
        kinds = {"2 classes": two, "more": ~two, "clustering helps": helped, "not": ~helped}
        header = [f"{name} ({chosen.sum()} sets)" for name, chosen in kinds.items()]
        means = [self.regret[chosen].mean(axis=0) for chosen in kinds.values()]
        rows = [[self.titles[i], *(f"{column[i]:.3f}" for column in means)] for i in self.chosen]
        return markdown(["measure", *header], rows)

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

    def by_formula(self) -> str:
        rows = [[f"`{one}`", code(_followers(one)), why] for one, why in REASONS.items()]
        return markdown(["measure", "the same ranking", "why, for given classes"], rows, left=3)

    def nearly(self) -> str:
        together: dict[str, list[str]] = {}
        for row in self.results.alike:
            if cb.get_measure(row["measure"]).orders_like == row["measure"]:
                together.setdefault(row["near"], []).append(row["measure"])
        measures = [name for name in self.names if name not in BASELINES]
        scores = [self.results.scores(part)[:, : len(measures)] for part in self.results.parts]
        single = [len({*groups(measures, one, NEAR).values()}) for one in correlations(scores)]
        rows = [[f"`{one}`", code(rest)] for one, *rest in together.values() if rest]
        return (
            f"The {len(self.results.alike)} measures are {sum(map(len, together.values()))} by "
            f"formula and {len(together)} groups that rank nearly alike. On a single set more look "
            f"alike: there are {min(single)} to {max(single)} groups, {np.median(single):.0f} in "
            "the median. Groups of more than one, each measure standing for those that are the "
            "same by formula:\n\n" + markdown(["measure", "nearly the same ranking"], rows, left=2)
        )


def _limits(row) -> str:
    if not row.difference:
        return ""
    return f"{-row.difference:.4f} ({-row.difference_high:+.4f} to {-row.difference_low:+.4f})"


def _followers(first: str) -> list[str]:
    """Return the measures that declare the ranking of another."""
    rows = cb.list_measures()
    return [row["name"] for row in rows if row["orders_like"] == first != row["name"]]


def fill(page: str, tables: Tables) -> str:
    """Return the page with every marked table made anew."""

    def table(found):
        return f"<!-- {found[1]} -->\n{getattr(tables, found[1])()}<!-- end -->"

    return MARKED.sub(table, page)
