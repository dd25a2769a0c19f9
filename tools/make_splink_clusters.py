"""Write docs/data/splink_clusters.csv: made-up records of 200 people, linked by Splink.

python tools/make_splink_clusters.py

Run it with a Python that has splink 5 and pandas. Records have typing errors and gaps, and names
are few, so that every threshold splits some people and merges others.
"""

import random
from pathlib import Path

import pandas as pd
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, block_on
from splink.internals.clustering import cluster_pairwise_predictions_at_multiple_thresholds

PEOPLE = 200
THRESHOLDS = [0.05, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99]
FIRST, LAST, CITIES = (
    names.split()
    for names in (
        "anna ben clara david emma felix greta henry ida jonas klara leon mia noah olga paul",
        "adler bauer cohen dumont evans fischer garcia hansen ivanov jones kim lopez meyer",
        "basel bern chur genf zug",
    )
)
TARGET = Path(__file__).parents[1] / "docs" / "data" / "splink_clusters.csv"


def misspell(text: str, rng: random.Random) -> str:
    """Return the text, in one of six cases with one letter changed."""
    if rng.random() > 1 / 6:
        return text
    place = rng.randrange(len(text))
    return text[:place] + rng.choice("aeinrst") + text[place + 1 :]


def make_records() -> pd.DataFrame:
    rng, rows = random.Random(0), []
    for person in range(PEOPLE):
        names = rng.choice(FIRST), rng.choice(LAST)
        born, city, phone = rng.randrange(1950, 1990), rng.choice(CITIES), rng.randrange(10, 100)
        for _ in range(rng.choice([1, 1, 2, 2, 3, 5])):
            first, last = (misspell(name, rng) for name in names)
            year = born + (rng.random() < 0.1)
            place, number = rng.choice([city, city, None]), rng.choice([phone, phone, None])
            rows.append((f"p{person}", first, last, year, place, number))
    rng.shuffle(rows)
    records = pd.DataFrame(rows, columns=["person", "first", "last", "born", "city", "phone"])
    return records.rename_axis("unique_id").reset_index()


def main() -> None:
    records, database = make_records(), DuckDBAPI()
    registered = database.register(records.drop(columns="person"))
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            cl.JaroWinklerAtThresholds("first", [0.9, 0.8]),
            cl.JaroWinklerAtThresholds("last", [0.9, 0.8]),
            cl.ExactMatch("born"),
            cl.ExactMatch("city"),
            cl.ExactMatch("phone"),
        ],
        blocking_rules_to_generate_predictions=[block_on("last"), block_on("first")],
    )
    linker = Linker(registered, settings)
    training = linker.training
    training.estimate_probability_two_random_records_match([block_on("first", "last", "born")], 0.6)
    training.estimate_u_using_random_sampling(max_pairs=1e6, seed=0)
    training.estimate_parameters_using_expectation_maximisation(block_on("first"))
    training.estimate_parameters_using_expectation_maximisation(block_on("last"))
    clusters = cluster_pairwise_predictions_at_multiple_thresholds(
        records[["unique_id"]],
        linker.inference.predict().as_pandas_dataframe(),
        database,
        "unique_id",
        match_probability_thresholds=list(THRESHOLDS),
    ).as_pandas_dataframe()
    found = records[["unique_id", "person"]].merge(clusters, on="unique_id")
    found.sort_values("unique_id").to_csv(TARGET, index=False)


if __name__ == "__main__":
    main()
