"""What reads bytes from outside: samples of what each reads, and a call that may only refuse.

Tried by tests/fuzz/test_bytes.py (mutations) and tests/fuzz/guided.py (atheris).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from support.files import COLUMNS, DATABASES, FORMATS
from support.mutations import sealed

import clusterbits as cb
from clusterbits.errors import ClusterbitsError
from clusterbits.trees.tree import read_tree

LINKAGE = [[0, 1, 0.3, 2], [2, 3, 0.5, 2], [4, 5, 2.0, 4]]
NEWICK = "((ann:1,'b o''b':1e-3)x:2,(cid:2,[a note]dan_é:2):1);\n"
ENTITIES = (
    "#begin document (a/b); part 000\na 0 He (0)\na 1 saw -\na 2 the (1|(2\na 3 cat 1)\n\n"
    "a 0 it 2)|(1)\n#end document\n# begin document (c)\nc\t_\nc\t(0)\n"
)
CLUSTERS = (
    '{"doc_key": "d", "clusters": [[[0, 1], [5, 5]], [["x", 1.5]]]}\n{"clusters": {"e": [3]}}\n'
)
LABELS = cb.Contingency.from_labels(*COLUMNS.values())


class Target(NamedTuple):
    """A reader: makes samples, and reads bytes; anything but ClusterbitsError is a bug."""

    samples: Callable[[], list[bytes]]
    read: Callable[[bytes], None]


def _written(name: str, write: Callable[[Path], object]) -> list[bytes]:
    """Return the bytes of the one file that `write` makes."""
    with TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return [(Path(folder) / name).read_bytes()]


def _file_target(name: str, write: Callable[..., object], **options: str) -> Target:
    def samples() -> list[bytes]:
        return _written(name, lambda path: write(path, COLUMNS))

    def read(data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with contextlib.suppress(ClusterbitsError):
                cb.Contingency.from_file(path, *COLUMNS, **options)
            assert [p.name for p in Path(folder).iterdir()] == [name]
            assert path.read_bytes() == data

    return Target(samples, read)


def _load_target(name: str) -> Target:
    """Saved tables: what is loaded can be scored and saved again."""

    def samples() -> list[bytes]:
        return _written(name, LABELS.save)

    def read(data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with contextlib.suppress(ClusterbitsError):
                table = cb.Contingency.load(path)
                cb.evaluate(table, measures=["q0", "rand"])
                table.save(path)
                assert cb.Contingency.load(path) == table

    return Target(samples, read)


def _decode_target() -> Target:
    """Codes with their checksum put right: refused, or the code of so many labels."""
    truth, pred = COLUMNS.values()

    def samples() -> list[bytes]:
        codes = [cb.codec.encode(truth, pred, kind) for kind in ("entropy", "enumerative")]
        return [code[:-6] for code in codes]

    def read(data: bytes) -> None:
        with contextlib.suppress(ClusterbitsError):
            assert len(cb.codec.decode(sealed(data), pred)) == len(truth)

    return Target(samples, read)


def _tree_target(name: str, write: Callable[[Path], object]) -> Target:
    """Trees: what is read can be cut."""

    def read(data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with contextlib.suppress(ClusterbitsError):
                tree = read_tree(path)
                assert len(tree.labels(1)) == tree.n
                cb.trees.cuts([0] * tree.n, tree, "q0")

    return Target(lambda: _written(name, write), read)


def _coref_target(name: str, sample: str) -> Target:
    """Entities of mentions: what is read equals itself."""

    def read(data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with contextlib.suppress(ClusterbitsError):
                scores = cb.coreference.score(path, path, repeated="first")
                assert scores["mentions"] in (0, 1)
                assert scores["bcubed"] in (0, pytest.approx(1))

    return Target(lambda: [sample.encode()], read)


def _image_target(name: str, write: Callable[[Path, object], object]) -> Target:
    """Label images: what is read has as many voxels as are counted."""
    image = np.arange(60, dtype=np.uint8).reshape(3, 4, 5) % 7

    def read(data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with contextlib.suppress(ClusterbitsError):
                assert cb.Contingency.from_images(image, path).n == image.size

    return Target(lambda: _written(name, lambda path: write(path, image)), read)


def _write_tiff(path: Path, image: object) -> None:
    import tifffile

    tifffile.imwrite(path, image, compression="zlib", photometric="minisblack")


def _file_targets() -> dict[str, Target]:
    query = {"sql": "select species, cluster from labels"}
    found = {name: _file_target(name, write) for name, write in FORMATS.items()}
    found |= {name: _file_target(name, write, **query) for name, write in DATABASES.items()}
    return {name.removeprefix("labels."): target for name, target in found.items()}


TARGETS = {
    "decode": _decode_target(),
    "load json": _load_target("table.json"),
    "tree.npy": _tree_target("tree.npy", lambda path: np.save(path, LINKAGE)),
    "tree.nwk": _tree_target("tree.nwk", lambda path: path.write_text(NEWICK, encoding="utf-8")),
    "coref columns": _coref_target("key.conll", ENTITIES),
    "coref JSON": _coref_target("key.json", CLUSTERS),
    "image.npy": _image_target("image.npy", np.save),
    "image.npz": _image_target("image.npz", np.savez_compressed),
    "image.tif": _image_target("image.tif", _write_tiff),
    **_file_targets(),
}
