"""Gates for pipelines: values that a clustering must reach, and a baseline it must not fall behind.

Of a saved table only the values are compared: it does not say which objects it shares. A column of
clusters of the same objects is compared by the paired interval of `clusterbits.compare`, and is
better only if chance does not explain the difference.
"""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import clusterbits as cb
from clusterbits.cli.inputs import same_classes, split_names
from clusterbits.cli.outputs import protect_inputs
from clusterbits.display.tables import percent, show
from clusterbits.display.terminal import drop_output, print_error
from clusterbits.errors import MeasureError
from clusterbits.inference.comparison import compare_counted
from clusterbits.ingest.files.streams import opening
from clusterbits.ingest.joint import JointLabels
from clusterbits.measures.catalogue import get_measure

# The confidence level of paired differences where --confidence-level names no other.
_LEVEL = 0.95
# What is shown of them.
_PAIRED = ("baseline", "difference", "difference_low", "difference_high", "worse")
_SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_REQUIREMENT = re.compile(r"\s*(\w+)\s*(>=|<=|>|<)\s*(\S+)\s*")


class Requirement(NamedTuple):
    """A bound that the value of a measure has to respect."""

    measure: str
    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether a value respects the bound; no number (NaN) does."""
        return bool(_SIGNS[self.sign](value, self.bound))

    def __str__(self) -> str:
        return f"{self.sign} {self.bound!r}"


class PairedBaseline(NamedTuple):
    """Another clustering of the same objects: the column it is in, and both counted together."""

    column: str
    joint: JointLabels


@dataclass(frozen=True)
class Gates:
    """What a clustering has to pass: requirements, and a table that it is compared with."""

    requirements: list[Requirement]
    baseline: cb.Contingency | None

    @classmethod
    def from_options(
        cls,
        require: list[str] | None,
        baseline: str | None,
        spill: Path | None = None,
        output: Path | None = None,
    ) -> Gates:
        """Return the gates that the options ask for; the output must not replace the baseline."""
        requirements = parse_requirements(require, lambda name: get_measure(name).name)
        if baseline is None:
            return cls(requirements, None)
        with opening([baseline], spill=spill) as (saved,):
            protect_inputs((source.path for source in saved), output)
            table = cb.Contingency.from_batches(map(cb.Contingency.load, saved))
        return cls(requirements, table)

    @property
    def measures(self) -> list[str]:
        """Names of the measures that have to be computed."""
        return [requirement.measure for requirement in self.requirements]

    def check(
        self, scores: cb.Scores, paired: PairedBaseline | None = None, rng: int | None = None
    ) -> tuple[dict[str, dict[str, Any]], list[str]]:
        """Return what to show beside each measure, and a line for each gate that is not passed."""
        columns: dict[str, dict[str, Any]] = {row.measure: {} for row in scores.rows}
        failures: list[str] = []
        if self.requirements:
            self._check_requirements(scores, columns, failures)
        if self.baseline is not None:
            self._check_baseline(self.baseline, scores, columns, failures)
        if paired is not None:
            self._check_paired(paired, rng, scores, columns, failures)
        return columns, failures

    def _check_requirements(
        self, scores: cb.Scores, columns: dict[str, dict[str, Any]], failures: list[str]
    ) -> None:
        for row in scores.rows:
            asked = [one for one in self.requirements if one.measure == row.measure]
            failed = [one for one in asked if not one.holds(row.value)]
            columns[row.measure] |= {
                "required": ", ".join(map(str, asked)) or None,
                "met": not failed if asked else None,
            }
            failures += [describe_failure(one, row.value) for one in failed]

    def _check_baseline(
        self,
        baseline: cb.Contingency,
        scores: cb.Scores,
        columns: dict[str, dict[str, Any]],
        failures: list[str],
    ) -> None:
        if not same_classes(baseline, next(iter(scores.tables.values()))):
            print_error(
                "the baseline has classes of other sizes; values are compared all the same."
            )
        before = {row.measure: row.value for row in cb.evaluate(baseline, None, columns).rows}
        for row in scores.rows:
            value = before[row.measure]
            better = scores.better(row.measure)
            worse = None if better is None else _is_worse(row.value, value, better)
            columns[row.measure] |= {"baseline": value, "worse": worse}
            if worse:
                now, then = _round(operator.ne, row.value, value)
                failures.append(f"{row.measure} is {now}, worse than the baseline's {then}.")

    def _check_paired(
        self,
        paired: PairedBaseline,
        rng: int | None,
        scores: cb.Scores,
        columns: dict[str, dict[str, Any]],
        failures: list[str],
    ) -> None:
        level = _LEVEL if scores.confidence_level is None else scores.confidence_level
        ranking = [get_measure(name) for name in scores.ranking_measures]
        columns |= {name: columns[name] | dict.fromkeys(_PAIRED) for name in columns}
        for name, found in compare_counted(paired.joint, ranking, level, rng).items():
            worse, before, now = not found["b"].may_be_best, found["a"].value, found["b"].value
            difference = found.difference("b", "a")
            columns[name] |= dict(zip(_PAIRED, (before, *difference, worse), strict=True))
            if worse:
                new, old = _round(operator.ne, now, before)
                failures.append(
                    f"{name} is {new}, worse than {old} of column "
                    f"{paired.column!r}: {percent(level)} interval of the difference "
                    f"{show(difference.low)} … {show(difference.high)}."
                )


def _is_worse(value: float, before: float, better: str) -> bool:
    if math.isnan(value) or math.isnan(before):
        return math.isnan(value) and not math.isnan(before)
    # Machines may differ in the last digit.
    if math.isclose(value, before, rel_tol=1e-9, abs_tol=1e-12):
        return False
    return value < before if better == "higher" else value > before


def _round(verdict: Callable[..., bool], *values: float) -> list[str]:
    """Return values as tables show them, or with as many more digits as the verdict on them needs.

    >>> _round(lambda value: value < 0.8, 0.7499999999), _round(lambda value: value < 0.8, 0.79999)
    (['0.7500'], ['0.79999'])
    """
    forms: list[Callable[[float], str]] = [show]
    forms += [f"{{:.{digits}g}}".format for digits in range(5, 17)]
    written = ([form(value) for value in values] for form in forms)
    return next((texts for texts in written if verdict(*map(float, texts))), [*map(repr, values)])


@contextmanager
def failing(failures: list[str]) -> Iterator[None]:
    """Print a result within; where there are failures, print them after it and exit with 1.

    Also where nobody reads the result to its end: head must not let a clustering pass.
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
    given: list[str] | None, measure_of: Callable[[str], str]
) -> list[Requirement]:
    """Return what --require asks for; `measure_of` gives a measure its full name, or refuses it."""
    return [_parse(text, measure_of) for text in split_names(given) or []]


def describe_failure(requirement: Requirement, value: float) -> str:
    """Return a line on a requirement that a value does not meet, with the digits that show it."""
    (text,) = _round(lambda value: not requirement.holds(value), value)
    return f"{requirement.measure} is {text}, required {requirement}."


def _parse(text: str, measure_of: Callable[[str], str]) -> Requirement:
    found = _REQUIREMENT.fullmatch(text)
    try:
        bound = float(found.group(3)) if found else math.nan
    except ValueError:
        bound = math.nan
    if found is None or math.isnan(bound):
        raise MeasureError(
            f"--require {text!r}: a measure, one of {' '.join(_SIGNS)}, and a number are needed, "
            "such as 'ari>=0.8'."
        )
    return Requirement(measure_of(found.group(1)), found.group(2), bound)
