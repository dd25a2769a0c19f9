"""Label images with one changed bit: refused, or read as they were."""

from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterbits.errors import ClusterbitsError
from clusterbits.images.image_files import open_image

IMAGE = np.random.default_rng(0).integers(0, 40, (64, 48)).astype(np.uint16)


def write(path):
    if path.suffix == ".png":
        pytest.importorskip("PIL.Image").fromarray(IMAGE).save(path)
    else:
        pytest.importorskip("tifffile").imwrite(path, IMAGE, compression="zlib")
    return path.read_bytes()


@pytest.mark.parametrize("name", ["labels.png", "labels.tif"])
@given(st.data())
def test_a_changed_bit_is_noticed(tmp_path_factory, name, data):
    path = tmp_path_factory.mktemp("image") / name
    changed = bytearray(write(path))
    bit = data.draw(st.integers(0, 8 * len(changed) - 1))
    changed[bit // 8] ^= 1 << bit % 8
    path.write_bytes(changed)
    with ExitStack() as files:
        try:
            image = open_image(path, files)
            pixels = np.asarray(image[tuple(slice(0, n) for n in image.shape)])
        except ClusterbitsError:
            return
    assert np.array_equal(pixels, IMAGE)
