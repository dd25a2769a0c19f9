"""Saved tables that were changed, forged or made large: the same table, or one clear error."""

import copy
import json
import os
import random
import tracemalloc
import zlib

import pyarrow as pa
import pyarrow.parquet
import pytest

import clusterbits as cb
from clusterbits.core.storage import _header, _names_to_json
from clusterbits.errors import FileError, TableError

NAMES = ["a", 7, None, (1, "x"), True, b"\0"]
TABLES = [
    cb.Contingency.from_labels(["a", None, "b", "b"], [1, 2, 1, 3], missing="drop"),
    cb.Contingency.from_counts([[2**70, 1], [0, 3]], NAMES[:2], NAMES[2:4]),
    cb.Contingency.from_counts([[0.5, 1.25, 0], [0, 3, 1]], NAMES[:2], NAMES[3:]),
]
# More seeds: CLUSTERBITS_MUTATIONS=20000 pytest tests/core/test_forged_tables.py
MUTATIONS = int(os.environ.get("CLUSTERBITS_MUTATIONS", "300"))


def load(path, original):
    """Load a changed file: the same table, or one error in words."""
    try:
        found = cb.Contingency.load(path)
    except FileError as error:
        assert str(path) in str(error)  # noqa: PT017
        assert len(str(error)) < 1000  # noqa: PT017
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


ODD = [
    *(
        None,
        True,
        -1,
        0,
        1,
        2**31,
        2**63,
        2**64,
        10**99,
        10**101,
        10**4000,
        0.5,
        -0.0,
        1e300,
        1e-300,
    ),
    *("", "a", "1", "\ud800", [], {}, [0], [[0]], {"tuple": [1]}, {"tuple": 5}, {"date": "x"}),
    *({"bytes": "zz"}, {"alone": [1]}, {"alone": [1, "x"]}, {"date": 1, "bytes": ""}, {"x": 1}),
]


def places(content, path=()):
    """Yield the path to every value of nested lists and dictionaries."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def test_changed_values(tmp_path):
    rng = random.Random(6)
    path = tmp_path / "table.json"
    for _ in range(MUTATIONS):
        table = rng.choice(TABLES)
        table.save(path)
        content = json.loads(path.read_text())
        *way, last = rng.choice(list(places(content)))
        owner = content
        for key in way:
            owner = owner[key]
        match rng.randrange(3):
            case 0:
                owner[last] = copy.deepcopy(rng.choice(ODD))
            case 1:
                del owner[last]
            case _ if isinstance(owner, list):
                owner.insert(last, copy.deepcopy(rng.choice([*ODD, owner[last]])))
        path.write_text(json.dumps(content))
        load(path, table)


def sealed(content):
    """Return the content with the checksum that fits it, as far as one can be made."""
    names = [content["classes"], content["clusters"]]
    digest = zlib.crc32(json.dumps(names).encode())
    for key in ("rows", "columns", "counts"):
        digest = zlib.crc32(
            b"".join(x.to_bytes(8, "little", signed=True) for x in content[key]), digest
        )
    facts = {key: content[key] for key in ("cells", "n", "coverage")}
    return json.dumps(content | {"digest": zlib.crc32(json.dumps(facts).encode(), digest)})


SMALL = {
    "clusterbits": 2,
    "cells": 2,
    "n": 4,
    "coverage": [4, 5, 2, 3],
    "classes": ["a", "b"],
    "clusters": ["x", "y"],
    "rows": [0, 1],
    "columns": [1, 0],
    "counts": [3, 1],
}


@pytest.mark.parametrize(
    "change",
    [
        {"counts": [5, -1]},
        {"counts": [0, 0], "n": 0},
        {"n": 5},
        {"cells": 10**12},
        {"rows": [0, 2]},
        {"rows": [0, -1]},
        {"rows": [0], "columns": [1], "counts": [4]},
        {"rows": [], "columns": [], "counts": [], "n": 0, "cells": 0},
        {"columns": [1]},
        {"classes": ["a", "a"]},
        {"classes": []},
        {"classes": ["a", 0.5]},
        {"classes": ["a", ["b"]]},
        {"classes": ["a", {}]},
        {"coverage": [4, 0, 2, 3]},
        {"coverage": [4, 5, 3, 2]},
        {"coverage": [4, 10**400, 2, 3]},
        {"coverage": [4, 5, 2]},
        {"coverage": ["4", 5, 2, 3]},
        {"coverage": {"a": 1, "b": 2, "c": 3, "d": 4}},
    ],
    ids=str,
)
def test_forged_tables_with_the_right_checksum(tmp_path, change):
    path = tmp_path / "table.json"
    path.write_text(sealed(SMALL))
    table = cb.Contingency.load(path)
    assert (table.n, table.coverage) == (4, (4, 5, 2, 3))
    path.write_text(sealed(SMALL | change))
    with pytest.raises(FileError, match="damaged or incomplete"):
        cb.Contingency.load(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"n":4', '"n":NaN'),
        ('"n":4', '"n":4,"n":4'),
        ('"n":4', '"n":1e400'),
        ('"n":4', '"n":' + "9" * 5000),
        ('"n":4', '"n":' + "[" * 100_000),
        ('"counts":[3', '"counts":[Infinity'),
        ('"counts":[3', '"counts":[-Infinity'),
        ('"counts":[3', '"counts":[1e400'),
        ('"counts":[3', '"counts":[' + "9" * 5000),
        ('"classes":["a"', '"classes":[' + "9" * 5000),
        ('"classes":["a"', '"classes":[' + '{"tuple":[' * 900 + "1" + "]}" * 900),
        ('"clusterbits":2', '"clusterbits":2.0'),
        ('"clusterbits":2', '"clusterbits":true'),
        ('"clusterbits":2', '"clusterbits":-1'),
        ('"clusterbits":2', '"clusterbits":' + "9" * 4000),
    ],
    ids=lambda text: text[:20],
)
def test_json_that_python_reads_and_nobody_means(tmp_path, old, new):
    path = tmp_path / "table.json"
    text = json.dumps(SMALL, separators=(",", ":"))
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(FileError, match="damaged or incomplete") as caught:
        cb.Contingency.load(path)
    assert len(str(caught.value)) < 1000


def test_long_integers_come_back_or_are_refused(tmp_path):
    for ending in ("json", "parquet"):
        path = tmp_path / f"table.{ending}"
        for digits in (4000, 5000):
            table = cb.Contingency.from_counts([[1], [2]], ["a", 10**digits], [(10**digits, 1)])
            if digits < 4300:
                table.save(path)
                assert cb.Contingency.load(path) == table
                path.unlink()
            else:
                with pytest.raises(TableError, match="16,610 bits: too long to save"):
                    table.save(path)
                assert not path.exists()


@pytest.mark.parametrize("ending", ["json", "parquet"])
@pytest.mark.parametrize("name", ["\ud800", "a\0b", "", "\uffff", "😀" * 1000])
def test_odd_text_comes_back(tmp_path, ending, name):
    table = cb.Contingency.from_counts([[1, 2]], [name], ["x", name])
    table.save(tmp_path / f"table.{ending}")
    assert cb.Contingency.load(tmp_path / f"table.{ending}") == table


def parquet_of(path, columns, **header):
    table = pa.table(columns)
    table = table.replace_schema_metadata({b"clusterbits": json.dumps(header).encode()})
    pa.parquet.write_table(table, path)


WHOLE = {
    "class": ["a", "b", "b"],
    "class_position": [0, 1, 1],
    "cluster": [10, 10, 20],
    "cluster_position": [0, 0, 1],
    "count": [1, 2, 3],
}


@pytest.mark.parametrize(
    "change",
    [
        {"class": ["a", "b", "c"]},
        {"class": ["a", None, "b"]},
        {"class": [0.5, 1.5, 1.5]},
        {"class_position": [0.0, 1.2, 1.2]},
        {"class_position": [0, 2, 2]},
        {"class_position": [-1, 0, 0]},
        {"class_position": [0, 1, None]},
        {"count": [1, 2, None]},
        {"count": [1, 2, -3]},
        {"count": [1.0, 2.0, float("nan")]},
        {"count": [b"1", b"2", b"3"]},
        {"count": ["1", "2", "9" * 5000]},
        {"count": None},
        {"another": [1, 2, 3]},
        {"count": [[1], [2], [3]]},
    ],
    ids=str,
)
def test_forged_parquet_columns(tmp_path, change):
    path = tmp_path / "table.parquet"
    table = cb.Contingency.from_counts([[1, 0], [2, 3]], ["a", "b"], [10, 20])
    header = _header(table.cells, _names_to_json(table.cells))
    header["kinds"] = dict.fromkeys(("class", "cluster", "count"), "plain")
    parquet_of(path, WHOLE, **header)
    assert cb.Contingency.load(path) == table
    columns = {key: values for key, values in (WHOLE | change).items() if values is not None}
    for kind in ("plain", "json"):
        parquet_of(path, columns, **header | {"kinds": dict.fromkeys(header["kinds"], kind)})
        with pytest.raises(FileError, match="damaged or incomplete"):
            cb.Contingency.load(path)
    parquet_of(path, WHOLE, **header | {"cells": 10**12})
    with pytest.raises(FileError, match="damaged or incomplete"):
        cb.Contingency.load(path)


def test_pipes_are_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", "/dev/zero"):
        with pytest.raises(FileError, match="pipe or a device"):
            cb.Contingency.load(path)


def test_claims_are_not_believed(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(sealed(SMALL | {"cells": 10**12, "rows": [0, 10**12]}))
    tracemalloc.start()
    with pytest.raises(FileError):
        cb.Contingency.load(path)
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()
