"""The command estimate: measures of all records from a sample of true entities."""

from __future__ import annotations

from typing import Literal

import clusterbits as cb
from clusterbits.cli.inputs import SAMPLE, SampleInput, list_names
from clusterbits.cli.printed_rows import TIDY, print_rows
from clusterbits.cli.shared_options import FormatOption, MeasureOption, SummedFiles


def estimate(
    *file: SummedFiles,
    input: SampleInput = SAMPLE,
    measure: MeasureOption = None,
    sampling: Literal["uniform", "cluster_size"] = "uniform",
    confidence_level: float = 0.95,
    format: FormatOption = "table",
) -> None:
    """Estimate measures from a sample of true entities.

    The estimates are of all records. The first file has the records of the sampled entities, each
    entity with all its records; the second has the clusters of all records. In a single file,
    records outside of the sample have no entity.

    Example: clusterbits estimate resolved.csv clusters.csv --on record --truth person --pred group

    Parameters
    ----------
    sampling
        How entities were sampled: each with the same probability, or by drawing records and
        resolving their entities. Other probabilities go in Python:
        clusterbits.records.estimate(sample, pred, sampling={'Ann': 2.5, ...}).
    confidence_level
        Level of the confidence intervals.
    """
    measures, table = list_names(measure), input.table(file)
    estimates = cb.records.estimate(
        table,
        measures=measures,
        sampling=sampling,
        confidence_level=confidence_level,
        missing=input.missing,
    )
    rows = estimates.to_dicts()
    if format in TIDY:
        rows = [row | estimates.size for row in rows]
    print_rows("estimate", rows, format, estimates.title)
