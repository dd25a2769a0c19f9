"""Commands that score labels: score, compare, explain, report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import clusterbits as cb
from clusterbits.cli.gates import check_gates, failing, load_baseline, parse_requirements
from clusterbits.cli.inputs import LABELS, Input, list_names, only_one
from clusterbits.cli.outputs import check_output, is_standard_output, write_csv, write_output
from clusterbits.cli.printed_rows import TIDY, print_rows, print_scores, table_facts
from clusterbits.cli.relabeled_rows import relabeled_rows
from clusterbits.cli.shared_options import (
    ComparedFiles,
    FormatOption,
    GroupOption,
    IntervalOption,
    MeasureOption,
    OutputOption,
    SeedOption,
    SummedFiles,
)
from clusterbits.errors import ClusterbitsError, FileError
from clusterbits.explanation.explained import PartName, name_columns, readable
from clusterbits.inference.comparison import Comparison, compare_request
from clusterbits.inference.resampling import LEVEL
from clusterbits.labels.options import object_weights
from clusterbits.measures.catalogue import get_measure
from clusterbits.reading.arguments import count_each, has_tables
from clusterbits.reading.files.streams import name_file, refuse_one_stream_twice
from clusterbits.reading.request import Request
from clusterbits.scoring.evaluation import add_comparison, evaluate_request, score_runs
from clusterbits.text.terminal import folded


def score(
    *file: SummedFiles,
    input: Input = LABELS,
    measure: MeasureOption = None,
    groups: GroupOption = None,
    confidence_level: IntervalOption = None,
    rng: SeedOption = 0,
    pairs: bool = False,
    ids: str | None = None,
    require: list[str] | None = None,
    baseline: str | None = None,
    baseline_pred: str | None = None,
    save: Path | None = None,
    format: FormatOption = "table",
) -> None:
    """Score one clustering or several against the true classes.

    Example: clusterbits score labels.csv --truth species --pred cluster

    Example: clusterbits score truth.csv pred.parquet --on id --truth species --pred cluster

    Example: clusterbits score labels.csv --truth species --pred cluster --groups donor

    Example: clusterbits score labels.csv --truth species --pred new --baseline-pred old -m ari

    Example: zcat labels.csv.gz | clusterbits score - --require 'ari>=0.8' --baseline saved.json

    Example: clusterbits score true_matches.csv found_matches.csv --pairs --ids all_ids.csv

    Example: clusterbits score truth.tif pred.tif --ignore 0 -m vi_split,vi_merge

    Parameters
    ----------
    pairs
        Read two files of matches, the true ones first: two columns of ids, one pair in each row.
        Classes and clusters are their connected components.
    ids
        With --pairs: a file with one column, the ids of all objects, - for standard input. Those
        in no pair are singletons.
    require
        Exit with 1 unless the value of every clustering is in bounds, such as 'ari>=0.8' or
        'q0<0.7', or an end of its interval, such as 'ari.low>=0.8'; may be repeated.
    baseline
        Exit with 1 if the value of any measure shown is worse than that of this saved table, - for
        standard input.
    baseline_pred
        Column of another clustering of the same objects, such as that of the last release. Exit
        with 1 if it is significantly better by any measure shown: the paired interval of the
        difference (95 %, or of --confidence-level) excludes 0.
    save
        Save the table to a .json file, to score it again or add it to others.
    """
    refuse_one_stream_twice([*file, *(name for name in (ids, baseline) if name is not None)])
    if baseline is not None and baseline_pred is not None:
        raise FileError("--baseline and --baseline-pred do not go together; choose one.")
    if ids is not None and not pairs:
        raise FileError("--ids goes with --pairs: the ids of all objects, beside files of pairs.")
    selected = list_names(measure)
    requirements = parse_requirements(require, lambda name: get_measure(name).name)
    before = load_baseline(baseline, input.spill, save)
    measures = [*(selected or ["usual"]), *(requirement.measure for requirement in requirements)]
    if confidence_level is None and any(requirement.end for requirement in requirements):
        confidence_level = LEVEL
    paired: list[Comparison] = []
    reading = (
        input.reading_pairs(file, ids, save) if pairs else input.reading(file, save, added=True)
    )
    with reading as (request, labels):
        scores = evaluate_request(
            request,
            measures,
            groups=groups,
            confidence_level=confidence_level,
            rng=rng,
            **labels,
        )
        tables = scores.tables
        if baseline or baseline_pred or save:
            only_one(tables)
        if baseline_pred is not None:
            paired = _compare_with(baseline_pred, request, labels, scores, groups, rng)
    if paired and groups is None:
        scores = _score_shared(scores, paired[0], measures, rng)
    gates, failures = check_gates(scores, requirements, before, paired)
    # Saved first, as whoever reads stdout may stop reading; a failure costs nobody the result.
    if save is not None:
        failures += _save(only_one(tables), save)
    with failing(failures):
        print_scores("score", scores, format, gates)


def _compare_with(
    column: str,
    request: Request,
    labels: dict[str, Any],
    scores: cb.Scores,
    groups: Any,
    rng: int | None,
) -> list[Comparison]:
    """Compare the clustering with that of another column, by each measure that ranks."""
    if not request.pred:
        raise FileError("--baseline-pred compares two columns of a file; name the other by --pred.")
    ranking = [entry for entry in map(get_measure, scores.measures) if entry.better is not None]
    options = {"confidence_level": scores.confidence_level or LEVEL, "rng": rng, "groups": groups}
    request = request._replace(pred=[column, *request.pred])
    return [compare_request(request, entry, **options, **labels) for entry in ranking]


def _save(table: cb.Contingency, path: Path) -> list[str]:
    try:
        table.save(path)
    except ClusterbitsError as error:
        return [str(error)]
    return []


def compare(
    *file: ComparedFiles,
    input: Input = LABELS,
    measure: MeasureOption = None,
    groups: GroupOption = None,
    confidence_level: IntervalOption = None,
    rng: SeedOption = 0,
    format: FormatOption = "table",
) -> None:
    """Compare clusterings and find those that may be the best.

    They are of the same objects. One is the best by the first measure, by default q0; those that
    are not significantly worse may be, too. Other measures are shown next to it.

    Example: clusterbits compare runs.parquet --truth label --pred 'k*'

    Example: clusterbits compare runs.parquet --truth label --pred k10,k20 -m ari,ami,q0
    """
    selected = list_names(measure)
    with input.reading(file) as (request, labels):
        scores = evaluate_request(
            request,
            selected,
            groups=groups,
            confidence_level=confidence_level,
            compared_at=confidence_level or LEVEL,
            rng=rng,
            **labels,
        )
    comparison = scores.comparison
    if comparison is not None and groups is None:
        scores = add_comparison(_score_shared(scores, comparison, selected, rng), comparison)
    print_scores("compare", scores, format)


def _score_shared(
    scores: cb.Scores, comparison: Comparison, measures: list[str] | None, rng: int | None
) -> cb.Scores:
    """Return the scores on the objects that all compared clusterings have, if not all have all."""
    if all(comparison.tables[name] == table for name, table in scores.tables.items()):
        return scores
    tables = {}
    for name, own in scores.tables.items():
        total = own.cells.coverage or own.cells.whole_coverage
        cells = comparison.tables[name].cells
        coverage = cells.partial_coverage(total.of_objects, total.of_clusters)
        tables[name] = cb.Contingency.from_cells(cells._replace(coverage=coverage))
    return score_runs(tables, measures, confidence_level=scores.confidence_level, rng=rng)


def explain(
    *file: SummedFiles,
    input: Input = LABELS,
    part: PartName = "clusters",
    top: int = 10,
    apply: Path | None = None,
    format: FormatOption = "table",
) -> None:
    """Show where the bits go, and what merges and splits save.

    The bits are those of q0: of the labels, given the clusters, and of the table of counts.

    Example: clusterbits explain labels.csv --truth species --pred cluster

    Example: clusterbits explain labels.csv --truth species --pred cluster --apply merged.csv

    Parameters
    ----------
    part
        What to list; with the clusters comes advice. The path is that of the best merges.
    top
        Length of each list; only the table shortens the lists of all clusters and classes.
    apply
        Write the labels after the best merges to this CSV file, - for stdout: the rows in order,
        with the classes (with --on: the ids) and the clusters, and a column NAME_merged, where
        NAME is the column of the clusters.
    """
    if apply is not None:
        check_output(apply)
    labels: Any
    with input.reading(file, apply, added=True) as (request, labels):
        table = only_one(count_each(request, labels))
        why = cb.explain(table, top=top)
        if apply is not None:
            if has_tables(request):
                raise FileError(
                    "--apply writes a label for each row, and label images and saved tables have "
                    "no rows: name a file with a column of clusters, or relabel in Python: "
                    "explain(truth, pred).merged(pred)."
                )
            request = request._replace(weights=object_weights(input.weights))
            merged = relabeled_rows("--apply", request, "merged", lambda x: why.merged(x).tolist())
            write_csv(apply, merged, "the merged labels are")
            if is_standard_output(apply):
                return
    rows, columns = why.to_dicts(part), name_columns(part)
    if format not in TIDY:
        if part in ("clusters", "classes"):
            rows = sorted(rows, key=lambda row: -row["bits"])[:top]
        rows = readable(rows)
    title = "\n".join([why.title, why.describe_part(top, part)]).strip()
    facts = table_facts(table)
    print_rows("explain", rows, format, title, columns, part=part, **facts)
    if part == "clusters" and format == "table":
        print("\n" + folded("\n".join(why.advice())))


def report(
    *file: ComparedFiles,
    output: OutputOption,
    input: Input = LABELS,
    measure: MeasureOption = None,
    title: str | None = None,
    confidence_level: IntervalOption = None,
    rng: SeedOption = 0,
) -> None:
    """Write a report of clusterings: a self-contained HTML page.

    Example: clusterbits report labels.csv --truth species --pred k10 --pred k20 -o report.html

    Parameters
    ----------
    title
        The heading; by default the file names.
    confidence_level
        Confidence level of intervals and of the comparison; by default 0.95, and no intervals if
        objects have weights.
    """
    check_output(output)
    with input.reading(file, output) as (request, labels):
        if confidence_level is None and not _are_weighted(request, labels):
            confidence_level = LEVEL
        scores = evaluate_request(
            request,
            list_names(measure),
            confidence_level=confidence_level,
            rng=rng,
            **labels,
        )
        names = ", ".join(Path(name_file(name)).name for name in file)
        facts = {"input": names, "command": shlex.join(["clusterbits", *sys.argv[1:]])}
        made = scores.report(title=title or names, facts=facts)
    write_output(output, made.html.encode(), "the report is")


def _are_weighted(request: Request, labels: Mapping[str, Any]) -> bool:
    """Whether objects have weights: in a column, or in saved tables."""
    tables = request.truth.values() if has_tables(request) else ()
    in_column = object_weights(labels.get("weights")) is not None
    return in_column or any(table.weighted for table in tables)
