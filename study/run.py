"""Run the study: cluster all data sets, score the clusterings, label some of their objects.

    python study/run.py

Writes study/results.csv.gz (one row for each data set and clustering), study/measures.csv (which
measures rank alike) and study/sets.csv (the data sets). study/summary.py makes the page of them.
"""

import csv
import gzip
import io
import time
from pathlib import Path

import numpy as np
from clusterings import distinct_clusterings
from datasets import DataSet, load_all
from labelling import Labelling
from scipy.stats import rankdata

import clusterbits as cb

HERE = Path(__file__).parent
# A minute on a table of 26 x 208.
TOO_SLOW = "standardized_mutual_information"
BETTER = {
    row["name"]: row["better"]
    for row in cb.list_measures()
    if row["better"] is not None and row["name"] != TOO_SLOW
}
ALIKE = 0.9999


def score(classes: np.ndarray, clusters: np.ndarray) -> dict[str, float]:
    """Return every measure of one clustering, oriented so that more is better."""
    table = cb.Contingency.from_labels(classes, clusters)
    return {
        name: float(cb.get_measure(name)(table)) * (1 if better == "higher" else -1)
        for name, better in BETTER.items()
    }


def run_set(data: DataSet) -> list[dict]:
    """Return one row for each clustering of a data set."""
    labelling = Labelling(data.classes)
    rows = []
    for name, clusters in distinct_clusterings(data.features, labelling.count).items():
        clusters = clusters.astype(np.int64)
        rows.append(
            {
                "set": data.name,
                "clustering": name,
                "k": int(clusters.max()) + 1,
                **labelling.outcomes(clusters),
                **score(data.classes, clusters),
            }
        )
    return rows


def ranks(rows: list[dict], measure: str) -> np.ndarray:
    """Return the ranks of one set's clusterings, standardised; undefined values rank last."""
    values = np.nan_to_num([row[measure] for row in rows], nan=-np.inf)
    # Rounded, so that the last digit breaks no tie.
    places = rankdata([float(f"{value:.9g}") for value in values])
    places -= places.mean()
    length = np.sqrt((places**2).sum())
    return places / length if length else places


def group_alike(by_set: list[list[dict]]) -> dict[str, str]:
    """Return the measure that stands for each measure: the first that ranks alike on every set."""
    stands: dict[str, str] = {}
    order = ["q0", *(name for name in BETTER if name != "q0")]
    known: dict[str, list[np.ndarray]] = {}
    for name in order:
        mine = [ranks(rows, name) for rows in by_set]
        for other, theirs in known.items():
            if all(a @ b >= ALIKE for a, b in zip(mine, theirs, strict=True)):
                stands[name] = other
                break
        else:
            stands[name] = name
            known[name] = mine
    return stands


def shown(value: object) -> object:
    return f"{value:.5g}" if isinstance(value, float) else value


def write(path: Path, rows: list[dict]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({key: shown(value) for key, value in row.items()} for row in rows)
    content = text.getvalue().encode()
    # Without a time stamp: the same results are the same file.
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def main() -> None:
    by_set, sets = [], []
    for data in load_all():
        begun = time.process_time()
        by_set.append(run_set(data))
        print(f"{data.name}: {time.process_time() - begun:.0f} s", flush=True)
        sizes = np.bincount(data.classes)
        sets.append(
            {
                "set": data.name,
                "package": data.package,
                "n": len(data.classes),
                "features": data.features.shape[1],
                "classes": len(sizes),
                "largest": float(sizes.max() / sizes.sum()),
                "clusterings": len(by_set[-1]),
            }
        )
    stands = group_alike(by_set)
    dropped = {name for name, other in stands.items() if name != other}
    write(
        HERE / "results.csv.gz",
        [{k: v for k, v in row.items() if k not in dropped} for rows in by_set for row in rows],
    )
    write(HERE / "sets.csv", sets)
    write(HERE / "measures.csv", [{"measure": a, "ranks_as": b} for a, b in stands.items()])


if __name__ == "__main__":
    main()
