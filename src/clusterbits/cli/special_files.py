"""Tables from files without columns of classes and clusters: matches, images, saved tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import clusterbits as cb
from clusterbits.errors import FileError, LabelError
from clusterbits.images.image_files import is_image, locate_image
from clusterbits.inference.verdict import equal_sizes
from clusterbits.labels.options import Noise
from clusterbits.reading.files.ordered import read_id_columns
from clusterbits.reading.files.sources import Source
from clusterbits.reading.files.streams import name_file
from clusterbits.reading.matched_pairs import count_components, refuse_missing_ids


def count_pairs(files: Sequence[str], sources: Sequence[list[Source]]) -> cb.Contingency:
    """Return the table of true and predicted matches; a third file may have the ids of all."""
    columns = []
    for file, parts, width in zip(files, sources, (2, 2, 1), strict=False):
        ids = read_id_columns(parts, width)
        refuse_missing_ids(ids, name_file(file))
        columns += ids
    # Files write one id in several ways: text in CSV, an integer in Parquet.
    return cb.Contingency.from_cells(count_components(columns, as_text=True))


def are_images(files: Sequence[str], columns_named: bool) -> bool:
    """Whether the files are label images, the true one first, and not of named columns."""
    if len(files) < 2 or columns_named:
        return False
    answers = [is_image(file) for file in files]
    if set(answers) == {None}:  # images two wide, or rows of a class and a cluster
        raise FileError(
            f"{files[0]} and {files[1]} are arrays of two columns. For tables of a class and a "
            "cluster in each row, add --truth 1 --pred 2. Label images that are two wide are "
            "scored in Python: Contingency.from_images."
        )
    return any(answers)


def count_images(
    files: Sequence[str], ignored: Sequence[str], noise: Noise | None, background: str | None
) -> dict[str, cb.Contingency]:
    """Return the table of each image after the first, which is the true one, by its name."""
    truth, *predicted = files
    locations = [(path.resolve(), dataset) for path, dataset in map(locate_image, predicted)]
    for name, location in zip(predicted, locations, strict=True):
        if locations.count(location) > 1:
            raise FileError(f"{name} is named twice; name each prediction once.")
    void = [_as_integer("--ignore", label) for label in ignored]
    noise_label = _as_integer("--noise-label", background or "0")
    return {
        name: cb.Contingency.from_images(truth, name, void, noise=noise, noise_label=noise_label)
        for name in predicted
    }


def _as_integer(option: str, label: str) -> int:
    try:
        return int(label)
    except ValueError:
        raise LabelError(f"{option} {label}: labels of images are integers.") from None


def saved_tables(sources: Sequence[list[Source]]) -> list[Source]:
    """Return the saved tables that were named, none if the files hold labels."""
    files = [source for parts in sources for source in parts]
    are_saved = [source.is_table for source in files]
    if not any(are_saved):
        return []
    if not all(are_saved):
        raise FileError(
            f"{files[are_saved.index(True)]} is a saved table and "
            f"{files[are_saved.index(False)]} is not; score tables with tables, files with files."
        )
    return files


def add_tables(sources: Sequence[Source], **options: Any) -> cb.Contingency:
    """Return the sum of saved tables."""
    return cb.Contingency.from_batches(map(cb.Contingency.load, sources), **options)


def load_tables(sources: Sequence[Source]) -> dict[str, cb.Contingency]:
    """Return saved tables by file name; raise if they are not of the same objects."""
    tables = {source.path.stem: cb.Contingency.load(source) for source in sources}
    if len(tables) < len(sources):
        raise FileError("two of the saved tables have the same file name.")
    first, *names = tables
    for name in names:
        if not same_classes(tables[first], tables[name]):
            raise FileError(
                f"{first} and {name} are not clusterings of the same objects: their classes differ "
                "in size."
            )
    return tables


def same_classes(table: cb.Contingency, other: cb.Contingency) -> bool:
    """Whether two tables can be of the same objects; those of a sample may differ."""
    if table.coverage is not None or other.coverage is not None:
        return True
    sizes = [(counts.unbalanced or counts).class_sizes for counts in (table, other)]
    return table.classes == other.classes and equal_sizes(*sizes)
