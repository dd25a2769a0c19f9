"""The records that er-evaluation is asked about: made up, the same on every machine."""

import json
from pathlib import Path
from random import Random
from typing import NamedTuple

STORED = Path(__file__).parents[1] / "peers" / "estimates" / "er_evaluation.json"
# Clusterings and samples to ask about: how often a record is split off, a person is merged.
CASES = {"good": (0.02, 0.02), "fair": (0.05, 0.04), "poor": (0.3, 0.3)}
SAMPLINGS = ("uniform", "cluster_size")
MEASURES = {
    "pairwise_precision": "pair_precision",
    "pairwise_recall": "pair_recall",
    "pairwise_f": "pair_f1",
    "cluster_precision": "exact_cluster_precision",
    "cluster_recall": "exact_cluster_recall",
    "cluster_f": "exact_cluster_f1",
}


class Records(NamedTuple):
    """The true person and the cluster found of each record."""

    person: dict[str, str]
    cluster: dict[str, str]


# Eight records of three people, all known: two people are mixed up, one is right.
COMPLETE = Records(
    {**dict.fromkeys("123", "c1"), **dict.fromkeys("45", "c2"), **dict.fromkeys("678", "c3")},
    {"1": "1", "2": "1", "3": "2", "4": "3", "5": "2", "6": "4", "7": "4", "8": "4"},
)


def make_records(split: float, merge: float, people: int = 3000, seed: int = 1) -> Records:
    """Return records of people, one to six each, and clusters with these shares wrong."""
    random, names = Random(seed), list[str]()
    person, cluster = dict[str, str](), dict[str, str]()
    for i in range(people):
        name = f"p{i}"
        names.append(names[int(random.random() * i)] if i and random.random() < merge else name)
        for _ in range(1 + int(random.random() ** 2 * 6)):
            record = f"r{len(person)}"
            person[record] = name
            cluster[record] = f"c{record}" if random.random() < split else f"c{names[i]}"
    return Records(person, cluster)


def draw_sample(
    records: Records, number: int = 200, sampling: str = "uniform", seed: int = 2
) -> dict[str, str]:
    """Return the records of sampled people; those drawn twice are there once."""
    random, people = Random(seed), list(records.person.values())
    if sampling == "uniform":
        people = list(dict.fromkeys(people))
    chosen: set[str] = set()
    while len(chosen) < number:
        chosen.add(people[int(random.random() * len(people))])
    return {record: name for record, name in records.person.items() if name in chosen}


def write_files(case: str = "fair") -> None:
    """Write resolved.csv, the sampled people, and clusters.csv, what was found, for a page."""
    records = make_records(*CASES[case])
    for name, column, labels in (
        ("resolved.csv", "person", draw_sample(records)),
        ("clusters.csv", "cluster", records.cluster),
        ("people.csv", "person", records.person),
    ):
        lines = [f"record,{column}", *(f"{record},{label}" for record, label in labels.items())]
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_answers() -> dict[str, dict[str, list[float]]]:
    """Return what er-evaluation answered: value and standard error, by case and estimator."""
    answers: dict[str, dict[str, list[float]]] = json.loads(STORED.read_text("utf-8"))["answers"]
    return answers
