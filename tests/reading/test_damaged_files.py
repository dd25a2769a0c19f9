"""Compressed files that are cut or changed are refused wherever they are read."""

import gzip
import json
import random

import pytest

import clusterbits as cb
from clusterbits.errors import FileError
from clusterbits.reading.files.ordered import read_clustering
from clusterbits.reading.request import Request

CHANCE = random.Random(1)
ROWS = [(f"c{CHANCE.randrange(7)}", CHANCE.randrange(5)) for _ in range(4_000)]
TEXTS = {
    "csv": "t,k\n" + "".join(f"{c},{k}\n" for c, k in ROWS),
    "jsonl": "".join(json.dumps({"t": c, "k": k}) + "\n" for c, k in ROWS),
}
EXPECTED = cb.Contingency.from_labels(*zip(*ROWS, strict=True))


@pytest.fixture(params=TEXTS)
def packed(request, tmp_path):
    path = tmp_path / "parts" / f"labels.{request.param}.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(TEXTS[request.param].encode()))
    return path


def _ways_to_read(path):
    other = path.parent.parent / "other.csv"
    other.write_text("t,x\n" + "".join(f"c{i},{i}\n" for i in range(7)))
    return {
        "path": lambda: cb.Contingency.from_file(path),
        "folder": lambda: cb.Contingency.from_file(path.parent),
        "pattern": lambda: cb.Contingency.from_file(f"{path.parent}/*"),
        "ordered": lambda: read_clustering(Request(path))[1],
        "classes joined": lambda: cb.Contingency.from_file([path, other], "k", "x", on="t"),
        "clusters joined": lambda: cb.Contingency.from_file([other, path], "x", "k", on="t"),
    }


@pytest.mark.parametrize("cut", [1, 2000])
def test_cut(packed, cut):
    assert cb.Contingency.from_file(packed) == EXPECTED
    packed.write_bytes(packed.read_bytes()[:-cut])
    for read in _ways_to_read(packed).values():
        with pytest.raises(FileError, match=r"damaged or incomplete|cannot be read"):
            read()


def test_several_members(packed):
    """`cat a.gz b.gz`: all parts are read, and a later one that is cut is found."""
    text = gzip.decompress(packed.read_bytes())
    half = text.index(b"\n", len(text) // 2) + 1
    both = gzip.compress(text[:half]) + gzip.compress(text[half:])
    packed.write_bytes(both)
    assert cb.Contingency.from_file(packed) == EXPECTED
    packed.write_bytes(both[:-2])
    with pytest.raises(FileError):
        cb.Contingency.from_file(packed)


def test_checksums_past_the_header(tmp_path):
    """The header is looked for in the first 4 Mi characters only."""
    path = tmp_path / "labels.csv.gz"
    content = bytearray(gzip.compress(("t,k\n" + "a,1\nb,2\n" * 700_000).encode()))
    content[-6] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match="damaged or incomplete"):
        cb.Contingency.from_file(path)
