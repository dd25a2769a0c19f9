"""The command consensus: which runs agree, which clusters and objects are stable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

import clusterbits as cb
from clusterbits.cli.inputs import TEXT, TextFiles, list_names
from clusterbits.cli.outputs import check_output, is_standard_output, write_csv
from clusterbits.cli.printed_rows import print_rows
from clusterbits.cli.shared_options import FormatOption
from clusterbits.labels.options import Missing, Noise
from clusterbits.reading.files.ordered import read_run_columns
from clusterbits.text.terminal import folded


def consensus(
    file: str,
    /,
    *,
    pred: list[str],
    on: str | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    part: Literal["clusters", "runs"] = "clusters",
    missing: Missing = "error",
    noise: Noise | None = None,
    noise_label: str | None = None,
    text: TextFiles = TEXT,
    format: FormatOption = "table",
) -> None:
    """Find which runs agree, and which clusters and objects are stable; no truth is needed.

    Example: clusterbits consensus runs.parquet --pred 'leiden_*'

    Example: clusterbits consensus runs.csv --on cell --pred 'leiden_*' -o labels.csv

    Parameters
    ----------
    file
        CSV, Parquet or JSON lines, plain or compressed; NumPy or Arrow; - for standard input.
    pred
        Columns of the runs, one for each: repeat it, separate names by commas, or quote a pattern.
    on
        The column of the ids of the objects, which is written with their labels.
    output
        Write the consensus cluster and the stability of each object to this CSV file, - for
        stdout, the rows in order.
    part
        What to list: the clusters of the consensus, or the runs.
    missing
        What to do with an object that lacks a label in a run: refuse, leave it out of comparisons
        with that run, or make it a cluster there.
    noise
        What to do with the noise of a run: make its objects singletons, or leave them out of
        comparisons with that run. By default it is a cluster like any other.
    noise_label
        The label of noise; by default -1.
    """
    if output is not None:
        check_output(output)
    with text.opening([file], output) as (sources,):
        ids, runs = read_run_columns(sources, list_names(pred) or [], on)
    options: dict[str, Any] = {"missing": missing, "noise": noise}
    if noise_label is not None:
        options["noise_label"] = noise_label
    result = cb.consensus(runs, **options)
    if output is not None:
        header = [*([] if ids is None else [on]), "cluster", "stability"]
        columns = [result.labels.tolist(), result.stability.tolist()]
        if ids is not None:
            columns.insert(0, ids.to_list())
        write_csv(output, [header, *zip(*columns, strict=True)], "the labels are")
        if is_standard_output(output):
            return
    if format == "table":
        print(folded(result.title), end="\n\n")
    rows = result.to_dicts() if part == "clusters" else result.runs.to_dicts()
    facts: dict[str, Any] = {
        "medoid": str(result.medoid),
        "bits": result.bits,
        "stability": result.mean_stability,
    }
    print_rows("consensus", rows, format, part=part, **facts)
