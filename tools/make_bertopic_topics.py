"""Write docs/data/topics.csv: what BERTopic finds in the documentation of SciPy's functions.

python tools/make_bertopic_topics.py

Run it with a Python that has bertopic. The subpackage of a function is its subject. Topics are
found from vectors of word counts, so that no language model is needed, and then merged until 6, 10
and 15 are left; ``topics_all`` are those found, ``reduced`` those without outliers.
"""

import csv
import importlib
import inspect
from pathlib import Path

from bertopic import BERTopic
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from umap import UMAP

TARGET = Path(__file__).parents[1] / "docs" / "data" / "topics.csv"
SUBJECTS = ("fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "stats")


def read_texts() -> dict[str, tuple[str, str]]:
    """Return the subject and the text of each function, by its name."""
    found = {}
    for subject in SUBJECTS:
        module = importlib.import_module(f"scipy.{subject}")
        for name in module.__all__:
            if inspect.isfunction(function := getattr(module, name)):
                found[f"{subject}.{name}"] = subject, inspect.getdoc(function)[:1000]
    return found


def main() -> None:
    found = read_texts()
    subjects, texts = zip(*found.values(), strict=True)
    vectors = make_pipeline(
        TfidfVectorizer(stop_words="english", min_df=3),
        TruncatedSVD(30, random_state=0),
        Normalizer(),
    ).fit_transform(texts)
    model = BERTopic(umap_model=UMAP(n_components=5, min_dist=0, metric="cosine", random_state=0))
    topics, _ = model.fit_transform(texts, vectors)
    columns = {"document": list(found), "subject": subjects, "topics_all": topics}
    columns["reduced"] = model.reduce_outliers(
        texts, topics, strategy="embeddings", embeddings=vectors
    )
    for count in (15, 10, 6):
        columns[f"topics_{count}"] = model.reduce_topics(texts, nr_topics=count).topics_
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    main()
