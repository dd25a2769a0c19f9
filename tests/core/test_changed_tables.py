"""Saved tables that were changed: the same table, or one clear error."""

import os
import random

import pyarrow as pa
import pyarrow.parquet
import pytest

import clusterbits as cb
from clusterbits.errors import FileError

NAMES = ["a", 7, None, (1, "x"), True, b"\0"]
TABLES = [
    cb.Contingency.from_labels(["a", None, "b", "b"], [1, 2, 1, 3], missing="drop"),
    cb.Contingency.from_counts([[2**60, 1], [0, 3]], NAMES[:2], NAMES[2:4]),
    cb.Contingency.from_counts([[0.5, 1.25, 0], [0, 3, 1]], NAMES[:2], NAMES[3:]),
]
# More seeds: CLUSTERBITS_MUTATIONS=20000 pytest tests/core/test_changed_tables.py
MUTATIONS = int(os.environ.get("CLUSTERBITS_MUTATIONS", "600"))


def load(path, original):
    """Load a changed file: the same table, or one error in words."""
    try:
        found = cb.Contingency.load(path)
    except FileError as error:
        assert str(path) in str(error)  # noqa: PT017
        return None
    assert found == original
    assert found.coverage == original.coverage
    return found


def changed_bytes(content, rng):
    """Flip, overwrite, insert, delete, repeat or cut a few bytes."""
    out = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(6):
            case 0 if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(out):
                out[at] = rng.choice((0, 255, rng.randrange(256), *b'0123456789"[]{},.-e'))
            case 2:
                out[at:at] = rng.randbytes(rng.randrange(1, 9))
            case 3:
                del out[at : at + rng.randrange(1, 9)]
            case 4:
                out[at:at] = out[at : at + rng.randrange(1, 33)]
            case _:
                del out[at:]
    return bytes(out)


@pytest.mark.parametrize(("ending", "share"), [("json", 1.0), ("parquet", 0.1)])
def test_changed_bytes(tmp_path, ending, share):
    rng = random.Random(5)
    originals = []
    for i, table in enumerate(TABLES):
        table.save(tmp_path / f"{i}.{ending}")
        originals.append((tmp_path / f"{i}.{ending}").read_bytes())
    for _ in range(int(MUTATIONS * share)):
        i = rng.randrange(len(TABLES))
        path = tmp_path / f"changed.{ending}"
        path.write_bytes(changed_bytes(originals[i], rng))
        load(path, TABLES[i])


@pytest.mark.parametrize("ending", ["json", "parquet"])
@pytest.mark.parametrize("name", ["\ud800", "a\0b", "", "\uffff", "😀" * 1000])
def test_odd_text_comes_back(tmp_path, ending, name):
    table = cb.Contingency.from_counts([[1, 2]], [name], ["x", name])
    table.save(tmp_path / f"table.{ending}")
    assert cb.Contingency.load(tmp_path / f"table.{ending}") == table


@pytest.mark.parametrize(
    "change",
    [
        {"class_position": [0.0, 1.2, 2.2]},
        {"class_position": [0, 1, None]},
        {"count": [1, 2, None]},
        {"count": [1.0, 2.0, float("nan")]},
        {"count": None},
        {"count": [[1], [2], [3]]},
    ],
    ids=str,
)
def test_changed_parquet_columns(tmp_path, change):
    path = tmp_path / "table.parquet"
    cb.Contingency.from_counts([[1, 0], [2, 3]], ["a", "b"], [10, 20]).save(path)
    whole = pa.parquet.read_table(path)
    columns = whole.to_pydict()
    assert columns["class"] == ["a", "b", "b"]
    assert columns["cluster"] == [10, 10, 20]
    assert columns["count"] == [1, 2, 3]
    columns = {key: values for key, values in (columns | change).items() if values is not None}
    pa.parquet.write_table(pa.table(columns).replace_schema_metadata(whole.schema.metadata), path)
    with pytest.raises(FileError, match="damaged or incomplete"):
        cb.Contingency.load(path)


def test_pipes_are_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", "/dev/zero"):
        with pytest.raises(FileError, match="pipe or a device"):
            cb.Contingency.load(path)


def test_one_table_by_two_names(tmp_path):
    path = tmp_path / "table.json"
    TABLES[0].save(path)
    (tmp_path / "link.json").symlink_to(path)
    both = [cb.Contingency.load(name) for name in (path, tmp_path / "link.json")]
    assert both[0] == both[1] == TABLES[0]
    assert sum(both).n == 2 * TABLES[0].n
