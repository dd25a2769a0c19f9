"""Gates for pipelines: values that a clustering must reach, and a baseline it must not fall behind.

Of a saved table only the values are compared: it does not say which objects it shares. A column of
clusters of the same objects is compared by the paired interval of `clusterbits.compare`, and is
better only if the difference is significant.
"""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import clusterbits as cb
from clusterbits.cli.inputs import TEXT, list_names
from clusterbits.cli.special_files import add_tables, same_classes
from clusterbits.errors import MeasureError
from clusterbits.inference.comparison import Comparison
from clusterbits.measures.catalogue import get_measure
from clusterbits.scoring.scores import Score
from clusterbits.text.tables import is_tie, percent, short, show
from clusterbits.text.terminal import drop_output, print_error

_SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_REQUIREMENT = re.compile(r"\s*([\w-]+(?:\(.*\))?)(?:\.(low|high))?\s*(>=|<=|>|<)\s*(\S+)\s*")

# Columns shown next to a score, and a line for each gate that is not passed.
Checked = tuple[dict[str, Any], list[str]]


class Requirement(NamedTuple):
    """A bound on the value of a measure, or on one end of its interval ("low" or "high")."""

    measure: str
    end: str | None
    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether a value respects the bound; NaN never does."""
        return bool(_SIGNS[self.sign](value, self.bound))

    def __str__(self) -> str:
        return f"{self._suffix} {self.sign} {self.bound!r}".lstrip()

    @property
    def _suffix(self) -> str:
        return "" if self.end is None else f".{self.end}"

    def describe_failure(self, value: float) -> str:
        """Return a line on a value that does not meet it, with the digits that show it."""
        (text,) = _round(lambda value: not self.holds(value), value)
        return f"{self.measure}{self._suffix} is {text}, required {self.sign} {self.bound!r}."


def describe_failures(values: Mapping[Requirement, float]) -> list[str]:
    """Return a line for each value that does not meet its requirement."""
    return [
        requirement.describe_failure(value)
        for requirement, value in values.items()
        if not requirement.holds(value)
    ]


def load_baseline(file: str | None, spill: Path | None, output: Path | None) -> Any:
    """Return the saved table of --baseline, which the output must not replace; or None."""
    if file is None:
        return None
    with TEXT.opening([file], output, spill=spill) as (saved,):
        return add_tables(saved)


def check_gates(
    scores: cb.Scores,
    requirements: Sequence[Requirement],
    baseline: cb.Contingency | None,
    paired: Sequence[Comparison],
) -> tuple[dict[tuple[Any, str], dict[str, Any]], list[str]]:
    """Return columns for each clustering and measure, and a line for each gate not passed.

    Every clustering must meet the requirements. Baselines are for one clustering.
    """
    baseline_values: dict[str, float] = {}
    if baseline is not None:
        table = next(iter(scores.tables.values()))
        if baseline.cells.balanced != table.cells.balanced:
            raise MeasureError(
                "either the baseline or this table is class-balanced: pass weights='balanced' for "
                "both, or for neither."
            )
        if not same_classes(baseline, table):
            print_error("the classes of the baseline have other sizes; values are compared anyway.")
        baseline_values = {
            row.measure: row.value for row in cb.evaluate(baseline, None, scores.measures)
        }
    compared = {comparison.measure: comparison for comparison in paired}
    columns: dict[tuple[Any, str], dict[str, Any]] = {}
    failures: list[str] = []
    for row in scores.rows:
        checked: list[Checked] = []
        if requirements:
            checked.append(check_requirements(row.measure, row._asdict(), requirements))
        if baseline_values:
            checked.append(_check_baseline(row, baseline_values[row.measure]))
        if compared:
            checked.append(_check_paired(compared.get(row.measure)))
        columns[row.clustering, row.measure] = {
            key: value for cells, _ in checked for key, value in cells.items()
        }
        which = f"{short(row.clustering)}: " if len(scores.tables) > 1 else ""
        failures += [f"{which}{line}" for _, lines in checked for line in lines]
    return columns, failures


def check_requirements(
    measure: str, row: Mapping[str, Any], requirements: Sequence[Requirement]
) -> Checked:
    """Check the value of a measure, and the limits of its interval."""
    checked = {
        requirement: row[requirement.end or "value"]
        for requirement in requirements
        if requirement.measure == measure
    }
    failures = describe_failures(checked)
    required = ", ".join(map(str, checked)) or None
    return {"required": required, "met": not failures if checked else None}, failures


def _check_baseline(row: Score, baseline: float) -> Checked:
    better = get_measure(row.measure).better
    worse = None if better is None else _is_worse(row.value, baseline, better)
    columns = {"baseline": baseline, "worse": worse}
    if not worse:
        return columns, []
    value, baseline_value = _round(operator.ne, row.value, baseline)
    return columns, [f"{row.measure} is {value}, worse than the baseline's {baseline_value}."]


def _check_paired(comparison: Comparison | None) -> Checked:
    """Check the second of two clusterings against the first; None without a direction."""
    names = ("baseline", "difference", "difference_low", "difference_high", "worse")
    if comparison is None:
        return dict.fromkeys(names), []
    baseline, clustering = comparison.tables
    difference = comparison.difference(clustering, baseline)
    worse = not comparison[clustering].in_set
    values = comparison[baseline].value, *difference, worse
    columns = dict(zip(names, values, strict=True))
    if not worse:
        return columns, []
    new, old = _round(operator.ne, comparison[clustering].value, comparison[baseline].value)
    return columns, [
        f"{comparison.measure} is {new}, worse than {old} of column {baseline!r}: "
        f"{percent(comparison.confidence_level)} interval of the difference "
        f"{show(difference.low)} … {show(difference.high)}."
    ]


def _is_worse(value: float, baseline: float, better: str) -> bool:
    if math.isnan(value) or math.isnan(baseline):
        return math.isnan(value) and not math.isnan(baseline)
    if is_tie(value, baseline):  # machines may differ in the last digit
        return False
    return value < baseline if better == "higher" else value > baseline


def _round(verdict: Callable[..., bool], *values: float) -> list[str]:
    """Return values as tables show them, or with all digits if rounding hides the verdict on them.

    >>> _round(lambda value: value < 0.8, 0.75), _round(lambda value: value < 0.8, 0.799999)
    (['0.7500'], ['0.799999'])
    """
    texts = list(map(show, values))
    return texts if verdict(*map(float, texts)) else list(map(repr, values))


@contextmanager
def failing(failures: list[str]) -> Iterator[None]:
    """Print a result within; if there are failures, print them after it and exit with 1.

    Also if the output pipe closes early (`| head`).
    """
    try:
        yield
    except BrokenPipeError:
        if not failures:
            raise
        drop_output()
    for failure in failures:
        print_error(failure)
    if failures:
        sys.exit(1)


def parse_requirements(
    values: list[str] | None, full_name: Callable[[str], str]
) -> list[Requirement]:
    """Return the bounds of --require; `full_name` returns that of a measure, or raises."""
    return [_parse(text, full_name) for text in list_names(values) or []]


def _parse(text: str, full_name: Callable[[str], str]) -> Requirement:
    match = _REQUIREMENT.fullmatch(text)
    try:
        bound = float(match[4]) if match else math.nan
    except ValueError:
        bound = math.nan
    if match is None or math.isnan(bound):
        raise MeasureError(
            f"--require {text!r}: pass a measure, one of {' '.join(_SIGNS)}, and a number, such as "
            "'ari>=0.8', or 'ari.low>=0.8' for the lower end of its interval."
        )
    measure, end, sign, _ = match.groups()
    return Requirement(full_name(measure), end, sign, bound)
