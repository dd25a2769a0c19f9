"""Label images in files, scored voxel by voxel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import clusterbits as cb
from clusterbits.cli.outputs import protect_inputs
from clusterbits.errors import FileError, LabelError
from clusterbits.images.files import count_table_rows, is_image, locate_image

if TYPE_CHECKING:
    from clusterbits.cli.inputs import Input

# Options of the input that concern images.
_APPLY = ("truth_noise", "noise", "noise_label")


def are_images(files: Sequence[str], input: Input) -> bool:
    """Whether the files are label images, the true one first, and not files of named columns."""
    if len(files) < 2 or input.on or input.truth or input.pred:
        return False
    if any(map(is_image, files)):
        return True
    rows = {count_table_rows(file) for file in files}
    if len(rows) == 1 and None not in rows:
        raise FileError(
            f"{files[0]} and {files[1]} have the same shape, {(*rows, 2)}. For tables of a class "
            "and a cluster in each row, add --truth 1 --pred 2. Label images that are two wide are "
            "scored in Python: Contingency.from_images."
        )
    return False


def count_image_files(
    files: Sequence[str], input: Input, output: Path | None
) -> dict[str, cb.Contingency]:
    """Return the table of each image after the first, which is the true one, by its name."""
    input.refuse_options(_APPLY, f"{files[0]} is an image")
    places = [locate_image(file) for file in files]
    protect_inputs((path for path, _ in places), output)
    predicted = [(path.resolve(), inner) for path, inner in places[1:]]
    for name, place in zip(files[1:], predicted, strict=True):
        if predicted.count(place) > 1:
            raise FileError(f"{name} is named twice; name each prediction once.")
    ignored = [_as_integer("--ignore", label) for label in input.truth_noise or []]
    background = 0
    if input.noise_label is not None:
        background = _as_integer("--noise-label", input.noise_label)
    truth, *others = files
    return {
        name: cb.Contingency.from_images(
            truth, name, ignored, noise=input.noise, noise_label=background
        )
        for name in others
    }


def _as_integer(option: str, label: str) -> int:
    try:
        return int(label)
    except ValueError:
        raise LabelError(f"{option} {label}: labels of images are integers.") from None
