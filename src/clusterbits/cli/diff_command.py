"""The command diff: what changed between an old and a new clustering."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

import clusterbits as cb
from clusterbits.changes.changed import COUNTS, RATES, Changes
from clusterbits.changes.diff import find_changes
from clusterbits.changes.judgements import ANSWERED, ESTIMATES, JudgedChanges
from clusterbits.cli.gates import Requirement, check_requirements, failing, parse_requirements
from clusterbits.cli.inputs import CHANGES, TEXT, ChangeInput
from clusterbits.cli.outputs import (
    check_output,
    is_standard_output,
    write_csv,
    write_output,
)
from clusterbits.cli.printed_rows import print_rows
from clusterbits.cli.relabeled_rows import relabeled_rows
from clusterbits.cli.shared_options import FormatOption, SeedOption
from clusterbits.errors import FileError, MeasureError, did_you_mean
from clusterbits.inference.resampling import LEVEL
from clusterbits.reading.files.ordered import read_columns_of
from clusterbits.reading.files.streams import name_file
from clusterbits.reading.kept_labels import rename_objects
from clusterbits.reading.old_and_new import read_old_and_new
from clusterbits.report.changes_page import make_changes_page, rate_rows
from clusterbits.text.terminal import folded, render_rows

PartName = Literal["rates", "old", "new", "groups", "names"]
ChangeFiles = Annotated[
    str,
    Parameter(
        help="Two files, the old one first, with --on; or one with --old and --new. CSV, Parquet "
        "or JSON lines, plain or compressed; NumPy, Arrow, AnnData; a folder or a quoted pattern; "
        "- for standard input; a database with --sql."
    ),
]
# What JSON says of the answers.
_JUDGED = ("judged", "unanswered", "confidence_level")


def diff(
    *file: ChangeFiles,
    input: ChangeInput = CHANGES,
    groups: str | None = None,
    part: PartName = "rates",
    require: list[str] | None = None,
    labels_out: Path | None = None,
    questions: int | None = None,
    questions_out: Path | None = None,
    answers: str | None = None,
    confidence_level: float | None = None,
    rng: SeedOption = 0,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    format: FormatOption = "table",
) -> None:
    """Show what changed between an old and a new clustering, and carry names over.

    Example: clusterbits diff monday.parquet tuesday.parquet --on id --label topic

    Example: clusterbits diff topics.csv --old monday --new tuesday --require 'split_rate<0.02'

    Example: clusterbits diff old.csv new.csv --on id --labels-out carried.csv -o changes.html

    Example: clusterbits diff old.csv new.csv --on id --questions-out ask.csv

    Example: clusterbits diff old.csv new.csv --on id --answers ask.csv

    Parameters
    ----------
    groups
        Column of groups, such as countries: --part groups has the rates of each.
    part
        What to list: numbers, old clusters with their fates, new ones with their origins, groups,
        or the name that each new cluster carries. A table of numbers also has the old clusters
        that changed.
    require
        Exit with 1 unless a number is in bounds, such as 'split_rate<0.02', or with --answers an
        end of its interval, such as 'delta_precision.low>0'; may be repeated.
    labels_out
        Write the new labels with the old names carried over to this CSV file, - for stdout: the
        rows in order, with a column NAME_carried.
    questions
        With --questions-out: how many pairs of objects to judge, by default 200.
    questions_out
        Write pairs of objects to this CSV file, - for stdout. Do both belong together? Fill the
        column together with yes or no.
    answers
        The file of questions, answered: says how much of the change is good.
    confidence_level
        With --answers: the level of the limits.
    output
        Write a page to this HTML file, - for stdout.
    """
    outputs = [path for path in (labels_out, questions_out, output) if path is not None]
    for path in outputs:
        check_output(path)
        if [other.resolve() for other in outputs].count(path.resolve()) > 1:
            raise FileError(f"{path} is named for two outputs; name a file for each.")
    _check_judging(questions, questions_out, answers, confidence_level)
    requirements = _parse_requirements(require, answers is not None)
    with input.reading_changes(file, outputs) as request:
        request = request._replace(weights=input.weights, groups=groups)
        labels: Any = input.labels
        changes = find_changes(read_old_and_new(request, labels, groups))
        judged = None
        if answers is not None:
            level = LEVEL if confidence_level is None else confidence_level
            judged = changes.judged(_read_answers(answers, outputs), level)
        if questions_out is not None:
            asked = changes.question_columns(200 if questions is None else questions, rng)
            lines = [[*asked], *zip(*asked.values(), strict=True)]
            write_csv(questions_out, lines, "the questions are")
        if labels_out is not None:
            carry = partial(rename_objects, names=changes.names)
            rows = relabeled_rows("--labels-out", request, "carried", carry)
            write_csv(labels_out, rows, "the labels are")
    if output is not None:
        title = " → ".join(Path(name_file(name)).name for name in file)
        facts = {"command": shlex.join(["clusterbits", *sys.argv[1:]]), "version": cb.__version__}
        page = make_changes_page(changes, title, facts, judged)
        write_output(output, page.html.encode(), "the page is")
    rates, failures = rate_rows(changes, judged), list[str]()
    for row in rates if requirements else ():
        checked, failed = check_requirements(row["measure"], row, requirements)
        row.update(checked)
        failures += failed
    with failing(failures):
        if not any(map(is_standard_output, outputs)):
            _print(changes, judged, rates, part, format)


def _check_judging(
    questions: int | None,
    questions_out: Path | None,
    answers: str | None,
    confidence_level: float | None,
) -> None:
    """Raise for options without effect, and for questions that would replace answered ones."""
    if questions is not None and questions_out is None:
        raise MeasureError("--questions needs --questions-out with a file.")
    if confidence_level is not None and answers is None:
        raise MeasureError("--confidence-level needs --answers with a file.")
    if questions_out is not None and questions_out.is_file():
        raise FileError(
            f"{questions_out} exists, and may have answers: remove it, or name another file."
        )


def _parse_requirements(require: list[str] | None, are_judged: bool) -> list[Requirement]:
    known = (*COUNTS, *RATES, *(ESTIMATES if are_judged else ()))

    def check(name: str) -> str:
        if name in known:
            return name
        if name in ESTIMATES:
            raise MeasureError(f"--require: {name} needs the answers to questions: pass --answers.")
        raise MeasureError(
            f"--require: {name!r} is no number of diff.{did_you_mean(name, known)} It has "
            f"{', '.join(known)}."
        )

    requirements = parse_requirements(require, check)
    for requirement in requirements:
        if requirement.end and requirement.measure not in ESTIMATES:
            raise MeasureError(
                f"--require: {requirement.measure} is no estimate and has no interval. Require its "
                f"value: '{requirement.measure}{requirement.sign}{requirement.bound}'."
            )
    return requirements


def _read_answers(file: str, outputs: Sequence[Path]) -> dict[str, list[Any]]:
    """Return the columns of a file of answers."""
    names: list[str | None] = [*ANSWERED]
    with TEXT.opening([file], *outputs) as (sources,):
        columns = read_columns_of(sources, names, "answers")
    return {str(name): labels.to_list() for name, labels in zip(names, columns, strict=True)}


def _print(
    changes: Changes,
    judged: JudgedChanges | None,
    rates: list[dict[str, Any]],
    part: PartName,
    format: Any,
) -> None:
    rows, columns = rates, list[str]()
    if part == "names":
        rows = [{"cluster": new, "name": name} for new, name in changes.names.items()]
    elif part == "groups":
        if changes.groups is None:
            raise MeasureError("--part groups needs --groups with a column.")
        rows = changes.groups.to_dicts()
    elif part != "rates":
        clusters = changes.old if part == "old" else changes.new
        rows, columns = clusters.to_dicts(), list(clusters.columns)
    if format == "table":
        titles = [changes.title, *([] if judged is None else [judged.title])]
        tables = [rows, changes.largest_changed if part == "rates" else []]
        texts = [render_rows(table, "table") for table in tables if table]
        if part == "rates" and changes.not_listed:
            texts.append(f"{changes.not_listed}: --part old lists all.")
        print("\n\n".join([folded("\n".join(titles)), *texts]), flush=True)
        return
    facts: dict[str, Any] = {"part": part, "verdict": changes.title.partition("\n")[0]}
    if judged is not None:
        facts |= {name: getattr(judged, name) for name in _JUDGED}
    print_rows("diff", rows, format, columns=columns, **facts)
