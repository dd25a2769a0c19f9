"""The labels that every peer is asked about, and answers as JSON has them."""

import math
from typing import Any

# Labels by their table: a row for each class, a column for each cluster.
TABLES = {
    "ordinary": [[8, 1, 0, 1], [2, 6, 1, 0], [0, 2, 5, 3]],
    "random": [[3, 5, 2, 4], [4, 2, 6, 3], [5, 4, 3, 3]],
    "fewer clusters than classes": [[6, 1], [5, 2], [1, 9]],
    "perfect": [[0, 4, 0], [3, 0, 0], [0, 0, 2]],
    "independent": [[4, 8], [2, 4]],
    "one object": [[1]],
    "one class, one cluster": [[7]],
    "one class": [[3, 1, 2]],
    "one cluster": [[3], [1], [2]],
    "all singletons": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "singleton clusters": [[1, 1, 0, 0], [0, 0, 1, 1]],
    "singleton classes": [[1, 0], [1, 0], [0, 1]],
    "100,000 objects": [[36000, 2000, 1000], [3000, 29000, 500], [500, 1000, 27000]],
}

# Labels that need care: what comes back for them, or which error.
LABELS: dict[str, tuple[list[Any], list[Any]]] = {
    "text": (["a", "a", "b", "b"], ["x", "x", "x", "y"]),
    "a cluster -1": ([0, 0, 1, 1], [0, -1, 1, -1]),
    "None": ([0, 0, 1, 1], [0, 0, 1, None]),
    "NaN": ([0, 0, 1, 1], [0.0, 0.0, 1.0, math.nan]),
    "two lengths": ([0, 0, 1, 1], [0, 0, 1]),
    "no objects": ([], []),
    "identifiers as labels": ([7, 7, 4_000_000, 4_000_000], [3_000_000, 5, 5, 5]),
}


def labels_of(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Return truth and pred, one label for each object."""
    truth, pred = [], []
    for row, counts in enumerate(table):
        for column, count in enumerate(counts):
            truth += [row] * count
            pred += [column] * count
    return truth, pred


def plain(value: Any) -> Any:
    """Return numbers as JSON has them; NaN and infinities as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if isinstance(value, (bool, int)):
        return int(value)
    value = float(value)
    return value if math.isfinite(value) else str(value)
