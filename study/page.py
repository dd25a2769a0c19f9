"""The tables of the study's page, docs/explanation/study.md."""

import re
from functools import cached_property

import numpy as np
from results import HEADLINE, OUTCOMES, PRIMARY, Results, pick
from scipy.stats import rankdata

MARKED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


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
        self.chosen = [i for i in self.order if i in five or self.names[i] in HEADLINE]
        self.random = results.random_regret(PRIMARY)

    def compare(self, i: int, regret: np.ndarray) -> tuple[float, float, float]:
        """Return by how much the regret of a measure exceeds that of q0, with its interval."""
        return self.results.interval(regret[:, i] - regret[:, self.q0])

    @cached_property
    def lines(self) -> list[list[str]]:
        """Return the line of each measure in the headline table."""
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

    def comparison(self, shown) -> str:
        at_random = ["*at random*", spanned(self.results.interval(self.random)), *[""] * 6]
        header = ["measure", "regret", "minus that of q0", "sets q0 wins", "mean rank"]
        header += ["Spearman", "Kendall", "clusters per class"]
        return markdown(header, [*(self.lines[i] for i in shown), at_random])

    def headline(self) -> str:
        return self.comparison(self.chosen)

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
            for i in self.chosen
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
            for i in self.chosen
        ]
        rows.append(
            ["*at random*", *(f"{self.random[chosen].mean():.3f}" for chosen in groups.values())]
        )
        return markdown(["measure", *header], rows)

    def same_k(self) -> str:
        correlation, regret = self.results.within_groups()
        order = [i for i in np.argsort(regret.mean(axis=0), kind="stable") if i in self.chosen]
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
