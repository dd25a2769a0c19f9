"""Run the study: cluster all data sets, score the clusterings, label some of their objects.

    python study/run.py

Writes study/results.csv.gz (one row for each data set and clustering), study/halves.csv (choosing
on one half of a set and judging on the other), study/measures.csv (which measures rank alike) and
study/sets.csv (the data sets). study/summary.py makes the page of them.
"""

import csv
import gzip
import io
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from alike import NEAR, SAME, correlations, groups
from clusterings import distinct_clusterings
from datasets import DataSet, load_all
from labelling import Labelling, halve
from results import BASELINES, FIXED, HEADLINE, RANDOM, pick

import clusterbits as cb

HERE = Path(__file__).parent
# Hours in all: 20 seconds on a table of 26 x 26.
TOO_SLOW = "standardized_mutual_information"
BETTER = {
    row["name"]: row["better"]
    for row in cb.list_measures()
    if row["better"] is not None and row["name"] != TOO_SLOW
}
HALVES = 10


def score(classes: np.ndarray, clusters: np.ndarray, measures) -> dict[str, float]:
    """Return measures of one clustering, oriented so that more is better."""
    table = cb.Contingency.from_labels(classes, clusters)
    return {
        name: float(cb.get_measure(name)(table)) * (1 if BETTER[name] == "higher" else -1)
        for name in measures
    }


def baselines(clustering: str, classes: int) -> dict[str, float]:
    """Return the scores of the rules that need no measure: at random, k-means of a fixed k."""
    kmeans = re.search(r"kmeans-\d-(\d+)$", clustering)
    k = int(kmeans[1]) if kmeans else np.nan
    fixed = {name: -abs(k - times * classes) for name, times in FIXED.items()}
    return {RANDOM: 0.0, **fixed}


def cluster(data: DataSet) -> dict[str, np.ndarray]:
    return distinct_clusterings(data.features, int(data.classes.max()) + 1)


def describe(data: DataSet, clusterings: int) -> dict:
    sizes = np.bincount(data.classes)
    return {
        "set": data.name,
        "package": data.package,
        "n": len(data.classes),
        "features": data.features.shape[1],
        "classes": len(sizes),
        "largest": float(sizes.max() / sizes.sum()),
        "clusterings": clusterings,
    }


def run_set(data: DataSet, clusterings: dict[str, np.ndarray]) -> list[dict]:
    """Return one row for each clustering of a data set."""
    print(data.name, flush=True)
    labelling = Labelling(data.classes)
    return [
        {
            "set": data.name,
            "clustering": name,
            "k": int(clusters.max()) + 1,
            **labelling.outcomes(clusters),
            **score(data.classes, clusters, BETTER),
            **baselines(name, labelling.count),
        }
        for name, clusters in clusterings.items()
    ]


def run_halves(data: DataSet, clusterings: dict[str, np.ndarray], measures) -> dict[str, float]:
    """Return the mean regret on one half of the objects of what is chosen on the other."""
    print(f"{data.name}, halves", flush=True)
    regrets = []
    for seed in range(HALVES):
        first = halve(data.classes, seed)
        labelling = Labelling(data.classes[~first], seed=seed)
        rows, outcomes = [], []
        for name, clusters in clusterings.items():
            rest = np.unique(clusters[~first], return_inverse=True)[1]
            outcomes.append(labelling.spread(rest, 5)[0])
            chosen_by = score(data.classes[first], clusters[first], measures)
            rows.append([*chosen_by.values(), *baselines(name, labelling.count).values()])
        scores, values = np.nan_to_num(rows, nan=-np.inf), np.array(outcomes)
        regrets.append([values.max() - pick(column, values) for column in scores.T])
    found = zip([*measures, *BASELINES], np.mean(regrets, axis=0).tolist(), strict=True)
    return {"set": data.name, **dict(found)}


def group_measures(by_set: list[list[dict]]) -> list[dict]:
    """Return for each measure the one that it is reported as, and the one that it is near to."""
    order = sorted(BETTER, key=lambda name: HEADLINE.index(name) if name in HEADLINE else 99)
    alike = correlations(
        [np.array([[row[name] for name in order] for row in rows]) for rows in by_set]
    )
    reported = groups(order, alike.min(axis=0), SAME)
    kept = [i for i, name in enumerate(order) if reported[name] == name]
    near = groups([order[i] for i in kept], alike.mean(axis=0)[np.ix_(kept, kept)], NEAR)
    return [
        {
            "measure": name,
            "ranks_as": reported[name],
            "near": near[reported[name]],
        }
        for name in order
    ]


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
    sets = list(load_all())
    with ProcessPoolExecutor() as pool:
        clusterings = list(pool.map(cluster, sets))
        by_set = list(pool.map(run_set, sets, clusterings))
        measures = group_measures(by_set)
        kept = [row["measure"] for row in measures if row["measure"] == row["ranks_as"]]
        halves = list(pool.map(partial(run_halves, measures=kept), sets, clusterings))
    dropped = set(BETTER) - set(kept)
    write(
        HERE / "results.csv.gz",
        [{k: v for k, v in row.items() if k not in dropped} for rows in by_set for row in rows],
    )
    write(HERE / "halves.csv", halves)
    write(HERE / "measures.csv", measures)
    write(
        HERE / "sets.csv",
        [describe(data, len(rows)) for data, rows in zip(sets, by_set, strict=True)],
    )


if __name__ == "__main__":
    main()
