"""Scores: tidy rows of clustering, measure, value and interval, with the tables they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterbits.errors import LabelError, MeasureError, did_you_mean
from clusterbits.inference.comparison import Comparison
from clusterbits.inference.verdict import NO_DIRECTION, Decision, describe_saving, rank_values
from clusterbits.measures.catalogue import ByMeasure, get_measure
from clusterbits.measures.declaration import Measure, Scale
from clusterbits.scoring.group_scores import mean_scores
from clusterbits.scoring.notes import list_notes
from clusterbits.scoring.ranking import Ranks
from clusterbits.scoring.score_rows import (
    board_rows,
    columns_of,
    group_rows,
    shown_columns,
    tidy_rows,
)
from clusterbits.system.progress import Progress
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.text.results import RowsResult
from clusterbits.text.tables import (
    arrow,
    counted,
    html_table,
    percent,
    rows_to_frame,
    short,
    show,
)

if TYPE_CHECKING:
    from clusterbits.report import Report


class Score(NamedTuple):
    """One value of one measure for one clustering, with its interval if one was asked for."""

    clustering: Name
    measure: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ByMeasure, RowsResult):
    """Values of measures for one or many clusterings of the same objects.

    Attributes
    ----------
    rows : tuple of Score
        One row per clustering and measure.
    tables : mapping of names to Contingency
        The table of each clustering. Names are text or numbers, as they were given.
    confidence_level : float or None
        The level of the confidence intervals, None without any.
    groups : mapping of labels to Scores
        With ``groups``: the scores of each, in the order of their labels. All else is pooled.
    comparison : Comparison or None
        With `confidence_level` and several clusterings: how they compare by the primary measure,
        on the objects that count in all of them.
    methods : mapping of names to str
        How the intervals of each clustering were made, as in `Interval`; empty without intervals.
    n_resamples, seed : int or None
        The number of resamples of the intervals, and their seed.
    decision : Decision
        Which clustering to take, and what it saves: `verdict` and all other outputs show it.
    scales : mapping of names to Scale
        The bounds of each measure, and which of its values are better.

    Examples
    --------
    >>> import clusterbits as cb
    >>> scores = cb.evaluate([0, 0, 1, 1], {"halves": [0, 0, 1, 1], "whole": [0, 0, 0, 0]},
    ...                      measures=["q0", "ari"])
    >>> scores["adjusted_rand"]
    {'halves': 1.0, 'whole': 0.0}
    >>> dict(scores)
    {'q0': {'halves': 0.79248..., 'whole': 1.58048...}, 'adjusted_rand': ...}
    >>> "ari" in scores, len(scores)
    (True, 4)
    >>> scores.best
    ('halves',)
    >>> scores
    halves has the fewest bits (q0 0.7925).
    halves: 1.00 → 0.79 bits per object: 100 % of the maximum saving. Bits alone do not exclude
    chance.
    clustering  clusters      q0  adjusted_rand
    halves             2  0.7925         1.0000
    whole              1  1.5805         0.0000
    """

    rows: tuple[Score, ...]
    tables: Mapping[Name, Contingency]
    confidence_level: float | None = None
    groups: Mapping[Any, Scores] = field(default_factory=dict)
    comparison: Comparison | None = None
    methods: Mapping[Name, str] = field(default_factory=dict)
    n_resamples: int | None = None
    seed: int | None = 0
    decision: Decision = field(default_factory=Decision)
    scales: Mapping[str, Scale] = field(default_factory=dict)

    @property
    def primary(self) -> str | None:
        """The measure that decides: the first with a direction, by default q0; None without any."""
        return self.decision.measure

    @property
    def clusterings(self) -> tuple[Name, ...]:
        """Names of the clusterings, in order."""
        return tuple(dict.fromkeys(row.clustering for row in self.rows))

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in order."""
        return tuple(dict.fromkeys(row.measure for row in self.rows))

    def _of(self, measure: str) -> Any:
        """Return the measure's value; for several clusterings, a dictionary of values."""
        values = {row.clustering: row.value for row in self.rows_for(measure)}
        return values if len(values) > 1 else next(iter(values.values()))

    def _key(self, name: Any) -> str:
        if name in self.clusterings and name not in self.measures:
            raise MeasureError(f"{name!r} is a clustering; its scores are scores.run({name!r}).")
        return super()._key(name)

    def run(self, clustering: Name) -> Scores:
        """Return the scores of one clustering.

        >>> import clusterbits as cb
        >>> runs = {"halves": [0, 0, 1, 1], "whole": [0, 0, 0, 0]}
        >>> scores = cb.evaluate([0, 0, 1, 1], runs, ["q0", "ari"])
        >>> scores.run("halves")["ari"], dict(scores.run("whole"))
        (1.0, {'q0': 1.5804820237218404, 'adjusted_rand': 0.0})
        """
        if clustering not in self.clusterings:
            near = did_you_mean(clustering, self.clusterings)
            raise LabelError(f"there is no clustering {clustering!r} here.{near}")
        decision = Decision(self.primary, self.decision.by_q0, (clustering,), (clustering,))
        if clustering in self.tables:  # in a group without counted objects, it is not
            # One of several runs may have been chosen for its value.
            n_runs = len(self.tables)
            saving = describe_saving(self.tables[clustering], n_runs, bool(self.groups))
            decision = decision._replace(saving=saving)
        return replace(self._in_order([clustering]), comparison=None, decision=decision)

    @property
    def means(self) -> tuple[Score, ...]:
        """The means over groups, all weighing the same, nan excluded; empty without groups."""
        return mean_scores(self) if self.groups else ()

    @property
    def best(self) -> tuple[Name, ...]:
        """The clusterings with the best value by the primary measure: several if they tie.

        With a comparison, those that are not significantly worse follow: the model confidence set.
        """
        if not self.decision.best:
            error = MeasureError if self.primary is None else LabelError
            raise error(self.decision.reason or "A group has no verdict: take that on all groups.")
        return self.decision.confidence_set

    def ranks(self) -> Ranks:
        """Return the places of the clusterings by each measure that ranks: 1 is best.

        Returns
        -------
        Ranks
            With ``tau(first, second)``, how far two measures agree, and ``dispute(first, second)``,
            two clusterings they rank the other way round.

        Examples
        --------
        >>> import clusterbits as cb
        >>> truth = [0] * 8 + [1] * 8
        >>> runs = {"halves": truth, "alone": range(16), "one off": [0] * 7 + [1] * 9}
        >>> ranks = cb.evaluate(truth, runs, ["q0", "purity"]).ranks()
        >>> ranks
        clustering  q0  purity
        halves       1       1
        alone        3       1
        one off      2       3
        >>> ranks.dispute("q0", "purity"), ranks.tau("q0", "purity")
        (('one off', 'alone'), 0.0)
        """
        names = tuple(name for name in self.measures if self.scales[name].better is not None)
        if not names:
            raise MeasureError(NO_DIRECTION)
        rows = [[*self._ranks_by(name).values()] for name in names]
        return Ranks(self.clusterings, names, np.array(rows))

    def sorted_by(self, measure: str) -> Scores:
        """Return the same scores, the measure's best clustering first."""
        name = self._key(measure)
        order = self.decision.order
        if name != self.primary or len(order) < len(self.clusterings):
            ranks = self._ranks_by(name)
            order = tuple(sorted(ranks, key=ranks.__getitem__))
        return self._in_order(order)

    def _ranks_by(self, measure: str) -> dict[Name, int]:
        """Return the ranks of the clusterings by one measure, with those that tie as in `ranks`."""
        rows = self.rows_for(measure)
        values = {row.clustering: row.value for row in rows}
        return rank_values(values, self.scales[rows[0].measure])

    def _in_order(self, names: Sequence[Name]) -> Scores:
        """Return the scores of these clusterings."""
        position = {name: i for i, name in enumerate(names)}
        rows = [row for row in self.rows if row.clustering in position]
        return replace(
            self,
            rows=tuple(sorted(rows, key=lambda row: position[row.clustering])),
            tables={name: self.tables[name] for name in names if name in self.tables},
            groups={group: scores._in_order(names) for group, scores in self.groups.items()},
            methods={name: self.methods[name] for name in names if name in self.methods},
        )

    def rows_for(self, measure: str | Measure) -> list[Score]:
        """Return the rows of one measure."""
        name = self._key(measure)
        return [row for row in self.rows if row.measure == name]

    def to_dicts(self, wide: bool = False) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary per clustering and measure.

        With groups, those of the pooled scores, of the mean over groups and of each group, as the
        columns ``scope`` ("pooled", "mean" or "group") and ``group`` say. With `wide`, one
        dictionary per clustering, in which each measure and its limits have columns.
        """
        if wide:
            return board_rows(self, columns_of)
        return tidy_rows(self, self._fields)

    def to_frame(self, wide: bool = False) -> Any:
        """Return the rows of `to_dicts` as a pandas or polars frame (what is installed)."""
        return rows_to_frame(self.to_dicts(wide))

    @property
    def _fields(self) -> tuple[str, ...]:
        """The columns: confidence limits only if there are any."""
        bare = all(row.low is None for row in self.rows)
        return Score._fields[:3] if bare else Score._fields

    def report(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str | None = None,
        facts: Mapping[str, str] | None = None,
        progress: Progress = None,
    ) -> Report:
        """Make a report: one HTML file that needs nothing else.

        It shows what the scores hold, and computes no intervals: `evaluate` does, if asked.

        Parameters
        ----------
        path : path, optional
            Where to write it.
        title : str, optional
            The heading; by default "Clusterings compared", or the name of the only one.
        facts : mapping of str to str, optional
            What the reader should know of its making, such as ``{"input": "runs.csv"}``. Nothing
            is added that changes from run to run.
        progress : bool or callable, optional
            By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.

        Returns
        -------
        Report
            With ``html`` and ``write(path)``; notebooks show it.
        """
        from clusterbits.report import make_report

        several = len(self.tables) > 1
        name = "Clusterings compared" if several else f"Clustering {short(self.clusterings[0])}"
        report = make_report(self, title or name, facts or {}, progress)
        if path is not None:
            report.write(path)
        return report

    @property
    def verdict(self) -> str:
        """Which of several clusterings has the best value, and which are not significantly worse.

        >>> import clusterbits as cb
        >>> runs = {"halves": [0, 0, 1, 1], "whole": [0, 0, 0, 0]}
        >>> cb.evaluate([0, 0, 1, 1], runs, confidence_level=0.95).verdict
        'halves has the fewest bits (q0 0.7925). Not significantly worse (95 %): whole.'
        """
        return self.decision.text()

    @property
    def conclusion(self) -> str:
        """The bits that the best clustering saves; empty if none is named."""
        return self.decision.conclusion()

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines on what else the scores are of: intervals, noise, exclusions, groups."""
        return list_notes(self)

    def statement(self) -> str:
        """Return a sentence for a paper: what was measured of the best clustering, and how.

        >>> import clusterbits as cb
        >>> truth, pred = [0] * 8 + [1] * 8, [0] * 7 + [1] * 9
        >>> scores = cb.evaluate(truth, pred, ["ari"], confidence_level=0.9)
        >>> print(scores.statement())
        adjusted_rand of pred is 0.7492 for 16 objects (90 % confidence interval 0.0498 to 1.0000;
        centred bootstrap, 2,000 resamples of objects, seed 0; clusterbits ...). L. Hubert, ...
        """
        from clusterbits import __version__

        if self.primary is None:
            raise MeasureError(NO_DIRECTION)
        name, entry = self.best[0], get_measure(self.primary)
        (row,) = (row for row in self.rows_for(entry) if row.clustering == name)
        how = f"clusterbits {__version__}"
        if row.low is not None and row.high is not None:
            interval = f"{percent(self.confidence_level or 0)} confidence interval"
            units = "groups" if self.groups else "objects"
            method = f"centred bootstrap, {self.n_resamples:,} resamples of {units}"
            if self.methods[name] == "jackknife":
                method = f"grouped jackknife, {self.n_resamples:,} resamples of its effects"
            limits = f"{show(row.low)} to {show(row.high)}"
            how = f"{interval} {limits}; {method}, seed {self.seed}; {how}"
        objects = counted(self.tables[name].n, "object")
        value = f"{entry.name} of {short(name)} is {show(row.value)} for {objects}"
        sentences = [f"{value} ({how})."]
        if self.comparison is not None:
            sentences.append(
                f"It is the best of {len(self.tables):,} clusterings, which were compared by their "
                "model confidence set (Hansen, Lunde and Nason 2011)."
            )
            sentences += [self.decision.describe_near(), self.decision.objects]
        return " ".join(filter(None, [*sentences, entry.reference]))

    @property
    def title(self) -> str:
        """The verdict, the conclusion and the notes."""
        if not self.tables:
            return "No object was counted."
        return "\n".join(filter(None, [self.verdict, self.conclusion, *self.notes]))

    def _shown(self) -> list[dict[str, Any]]:
        if self.groups:
            return group_rows(self)
        if len(self.tables) > 1:
            return board_rows(self, shown_columns(self.rows))
        return tidy_rows(self, self._fields[1:])

    def _html_table(self) -> str:
        directions = {name: scale.better for name, scale in self.scales.items()}
        if self.groups or len(self.tables) > 1:
            # Groups differ in how hard they are: none is the best.
            return html_table(self._shown(), directions, mark_best=not self.groups)
        return html_table(
            [
                row | {"measure": row["measure"] + arrow(directions[row["measure"]])}
                for row in self._shown()
            ]
        )
