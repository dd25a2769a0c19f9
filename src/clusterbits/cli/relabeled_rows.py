"""The rows of files with a new label for each: merged, or with a name carried over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from clusterbits.errors import FileError
from clusterbits.labels.labeling import Labels
from clusterbits.reading.files.ordered import read_clustering
from clusterbits.reading.request import Request


def relabeled_rows(
    option: str, request: Request, ending: str, relabel: Callable[[Labels], Sequence[Any]]
) -> Iterator[Sequence[Any]]:
    """Yield the header and the rows: class or ids, cluster, and the new label of the cluster.

    The new column has the name of the cluster column with an `ending`.
    """
    if request.sql is not None:
        raise FileError(
            f"{option} reads the rows of files, and --sql queries a database: write the result of "
            "the query to a file first."
        )
    names, labels = read_clustering(request)
    yield [*names, f"{names[-1]}_{ending}"]
    yield from zip(*map(Labels.to_list, labels), relabel(labels[-1]), strict=True)
