"""The labels of rows of a file after the merges that an explanation advises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import clusterbits as cb
from clusterbits.errors import FileError
from clusterbits.labels.options import object_weights
from clusterbits.reading.files.ordered import read_clustering
from clusterbits.reading.request import Request


def merged_rows(
    why: cb.Explanation, data: Any, truth: str | None, pred: Any, weights: str | None
) -> Iterator[Sequence[Any]]:
    """Return the header and the rows: class or ids, cluster, and the cluster after the merges."""
    if not isinstance(data, Request):
        raise FileError(
            "--apply writes a label for each row, and label images and saved tables have no rows: "
            "name a file with a column of clusters, or relabel in Python: explain(truth, "
            "pred).merged(pred)."
        )
    if data.sql is not None:
        raise FileError(
            "--apply reads the rows of files, and --sql queries a database: write the result of "
            "the query to a file first."
        )
    weights = object_weights(weights)
    request = data._replace(truth=truth, pred=pred, weights=weights)
    names, labels = read_clustering(request)
    columns = [_values(column) for column in labels]
    merged = why.merged(labels[-1]).tolist()
    yield [*names, f"{names[-1]}_merged"]
    yield from zip(*columns, merged, strict=True)


def _values(labels: cb.Labels) -> list[Any]:
    """Return the labels by name, None if missing."""
    known = labels.with_none()
    return list(known.name(known.codes).tolist())
