"""AnnData files and Zarr stores: columns of obs, as every version of anndata has written them."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from support.files import write_csv
from support.hostile import columns, examples, outcome, policies

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ColumnError, CostError, FileError

h5py = pytest.importorskip("h5py", reason="h5py is not installed")
from_file, from_labels = cb.Contingency.from_file, cb.Contingency.from_labels

SAMPLES = sorted((Path(__file__).parents[1] / "data" / "anndata").glob("*.h5ad.gz"))
# What tools/make_anndata_samples.py writes.
TYPES = ["T", "T", "B", "B", "NK", "T", "B", "monocyte"]
COLUMNS = {
    "leiden_0.5": list("00112011"),
    "leiden_1.0": list("00112013"),
    "batch": ["a", "b"] * 4,
    "kmeans": [0, 0, 1, 1, 2, 0, 1, 3],
    "annotated": ["T", None, "B", "B", None, "T", "B", "B"],
    "doublet": [False] * 7 + [True],
}
NULLABLE = {
    "nullable": [1, 2, None, 1, 1, 1, 2, 2],
    "flag": [True, None, False, True, True, True, False, False],
    "donor": ["p1", "p2", None, "p1", "p2", "p2", "p1", "p1"],
    "year": [2020, 2021, 2020, None, 2021, 2021, 2020, 2020],
}

NULLABLE_TYPES = {int: "nullable-integer", bool: "nullable-boolean", str: "nullable-string-array"}


def as_stored(values):
    text = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=h5py.string_dtype() if text else None)


def write_column(group, name, values, layout="array"):
    """Write a column of obs: an array, categories, or values with a mask."""
    known = [value for value in values if value is not None]
    if layout == "array":
        group[name] = as_stored(values)
        return
    column = group.create_group(name)
    if layout == "categorical":
        column.attrs["encoding-type"] = "categorical"
        categories = list(dict.fromkeys(known))
        codes = [-1 if value is None else categories.index(value) for value in values]
        column["codes"] = np.array(codes, dtype=np.int8)
        column["categories"] = as_stored(categories)
    else:
        some = known[0] if known else 0
        column.attrs["encoding-type"] = NULLABLE_TYPES[type(some)]
        filled = [some if value is None else value for value in values]
        column["values"] = as_stored(filled)
        column["mask"] = np.array([value is None for value in values])


def write_h5ad(path, named, layout="array"):
    """Write the part of an AnnData file that is read."""
    with h5py.File(path, "w") as root:
        obs = root.create_group("obs")
        obs.attrs["column-order"] = np.array(list(named), dtype=object)
        obs.attrs["_index"] = "_index"
        n = len(next(iter(named.values())))
        obs["_index"] = as_stored([f"cell {i}" for i in range(n)])
        for name, values in named.items():
            write_column(obs, name, values, layout)
    return path


@pytest.fixture(params=SAMPLES, ids=lambda path: path.name.removesuffix(".h5ad.gz"))
def sample(request, tmp_path):
    path = tmp_path / "sample.h5ad"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return path


def test_every_version_of_anndata(sample):
    with h5py.File(sample) as root:
        newest = "obs/year" in root
    for name, values in (COLUMNS | NULLABLE if newest else COLUMNS).items():
        options = {"missing": "drop"}
        expected = from_labels(TYPES, values, **options)
        assert from_file(sample, "cell_type", name, **options) == expected, name
    tables = from_file(sample, "cell_type", ["leiden*", "kmeans"])
    assert list(tables) == ["leiden_0.5", "leiden_1.0", "kmeans"]
    with pytest.raises(cb.errors.MissingLabelError, match="'annotated' has 2 missing labels"):
        from_file(sample, "cell_type", "annotated")
    with pytest.raises(
        ColumnError, match=r"no column like 'louvain\*' for pred. It has 'cell_type', 'lei"
    ):
        from_file(sample, "cell_type", ["louvain*"])


def test_names_of_cells_join_files(sample, tmp_path):
    with h5py.File(sample) as root:
        index = root["obs"].attrs["_index"]
    ids = [f"AAAC-{i}" for i in range(8)][::-1]
    truth = write_csv(tmp_path / "truth.csv", {index: ids, "type": TYPES[::-1]})
    expected = from_labels(TYPES, COLUMNS["kmeans"])
    assert from_file([truth, sample], "type", "kmeans", on=index) == expected
    assert from_file([sample, sample], "cell_type", "kmeans", on=index) == expected
    named = write_csv(tmp_path / "named.csv", {"barcode": ids, "type": TYPES[::-1]})
    with pytest.raises(ColumnError, match="no column 'barcode'"):
        from_file([named, sample], "type", "kmeans", on="barcode")


def test_several_files_are_one(tmp_path):
    """Categories differ from file to file."""
    parts = {"type": ["B", "T"], "k": [1, 1]}, {"type": ["NK", "B"], "k": [2, 1]}
    for i, part in enumerate(parts):
        write_h5ad(tmp_path / f"{i}.h5ad", part, "categorical")
    expected = from_labels(["B", "T", "NK", "B"], [1, 1, 2, 1])
    assert from_file(str(tmp_path / "*.h5ad"), "type", "k") == expected
    write_h5ad(tmp_path / "1.h5ad", dict(reversed(parts[1].items())), "categorical")
    assert from_file(str(tmp_path / "*.h5ad"), "type", "k") == expected
    write_h5ad(tmp_path / "2.h5ad", {"type": ["a"], "cluster": [1]})
    with pytest.raises(ColumnError, match="has no column"):
        from_file(str(tmp_path / "*.h5ad"), "type", "k")


@pytest.mark.parametrize("layout", ["array", "categorical", "nullable"])
def test_any_labels(layout, tmp_path):
    """The same table, or the same refusal, as of the labels themselves."""

    @examples(4)
    @given(columns(("integers", "booleans", "text")), policies)
    def check(drawn, options):
        values = [column.values for column in drawn]
        if any("\0" in str(value) for some in values for value in some):
            return  # ends a text in HDF5
        if any(set(some) == {None} or (layout == "array" and None in some) for some in values):
            return
        path = write_h5ad(tmp_path / "x.h5ad", dict(zip("ck", values, strict=True)), layout)
        expected = outcome(lambda: from_labels(*values, **options))
        assert outcome(lambda: from_file(path, "c", "k", **options)) == expected
        assert outcome(lambda: from_file(path, **options)) == expected

    check()


def test_only_the_columns_asked_for_are_read(tmp_path, monkeypatch):
    named = {"type": ["a", "b"], "leiden_1": [0, 1], "leiden_2": [0, 1], "score": [0.5, 1.5]}
    path = write_h5ad(tmp_path / "x.h5ad", named, "categorical")
    with h5py.File(path, "a") as root:
        root["X"] = np.zeros((2, 3))
    read = []
    kept = h5py.Dataset.__getitem__
    monkeypatch.setattr(
        h5py.Dataset,
        "__getitem__",
        lambda self, *given: read.append(self.name) or kept(self, *given),
    )
    from_file(path, "type", "leiden_1")
    columns = {"type", "leiden_1"}
    assert set(read) == {f"/obs/{name}/{part}" for name in columns for part in PARTS}


PARTS = ("codes", "categories")


def write_texts(group, name, texts):
    array = group.create_array(name, shape=(len(texts),), dtype=str)
    array[:] = np.array(texts, dtype=object)


def test_stores(tmp_path, run):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    for version in (2, 3):
        path = tmp_path / f"v{version}.zarr"
        obs = zarr.create_group(path, zarr_format=version).create_group("obs")
        obs.attrs.update({"column-order": ["type", "k"], "_index": "_index"})
        column = obs.create_group("type")
        column.attrs["encoding-type"] = "categorical"
        column.create_array("codes", data=np.array([0, 1, -1, 1], dtype=np.int8))
        write_texts(column, "categories", ["B", "T"])
        obs.create_array("k", data=np.array([1, 2, 2, 2]))
        expected = from_labels(["B", "T", None, "T"], [1, 2, 2, 2], missing="drop")
        assert from_file(path, "type", "k", missing="drop") == expected
        assert from_file(str(tmp_path / f"v{version}*"), "type", "k", missing="drop") == expected
    assert run("score", path, "--truth", "type", "--pred", "k", "--missing", "drop")[0] == 0


def test_attributes_in_bytes(tmp_path):
    """As writers in R store them, of fixed length."""
    labels = {"type": ["B", "T", None], "k": ["1", "2", "2"]}
    for layout in ("categorical", "nullable"):
        path = write_h5ad(tmp_path / f"{layout}.h5ad", labels, layout)
        with h5py.File(path, "a") as root:
            root["obs"].attrs["column-order"] = np.array(list(labels), dtype="S")
            root["obs"].attrs["_index"] = np.bytes_("_index")
            for name in labels:
                kind = root["obs"][name].attrs["encoding-type"]
                root["obs"][name].attrs["encoding-type"] = np.bytes_(kind)
        expected = from_labels(*labels.values(), missing="drop")
        assert from_file(path, "type", "k", missing="drop") == expected
        joined = from_file([path, path], "type", "k", on="_index", missing="drop")
        assert joined == expected


def test_pickles_in_stores_are_refused(tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    path = tmp_path / "x.zarr"
    obs = zarr.create_group(path, zarr_format=2).create_group("obs")
    obs.attrs.update({"column-order": ["type", "k"], "_index": "_index"})
    obs.create_array("k", data=np.array([1, 2]))
    write_texts(obs, "type", ["B", "T"])
    described = path / "obs" / "type" / ".zarray"
    kept = json.loads(described.read_text())
    codec = {"id": "pickle"}
    for changed in ({"filters": [*kept["filters"], codec]}, {"compressor": codec}):
        described.write_text(json.dumps(kept | changed))
        with pytest.raises(FileError, match="which can run any code"):
            from_file(path, "type", "k")


def test_values_in_another_file_are_refused(tmp_path):
    secret = tmp_path / "secret.h5"
    with h5py.File(secret, "w") as root:
        root["labels"] = [7, 8]
    (tmp_path / "raw").write_bytes(np.array([7, 8]).tobytes())
    for kind in ("link", "external", "virtual"):
        path = write_h5ad(tmp_path / f"{kind}.h5ad", {"c": [1, 2], "k": [1, 2]})
        with h5py.File(path, "a") as root:
            del root["obs/k"]
            if kind == "link":
                root["obs/k"] = h5py.ExternalLink(str(secret), "labels")
            elif kind == "external":
                where = [(str(tmp_path / "raw"), 0, 16)]
                root["obs"].create_dataset("k", (2,), "i8", external=where)
            else:
                layout = h5py.VirtualLayout((2,), "i8")
                layout[:] = h5py.VirtualSource(str(secret), "labels", (2,))
                root["obs"].create_virtual_dataset("k", layout)
        with pytest.raises(FileError, match="in another file"):
            from_file(path, "c", "k")


def test_damaged_and_foreign_files(tmp_path, monkeypatch):
    path = write_h5ad(tmp_path / "x.h5ad", {"c": [1, 2], "k": ["a", "b"]}, "categorical")
    with h5py.File(path, "a") as root:
        root["obs/c/codes"][0] = 2
        below = root.create_group("obs/below")
        below.attrs["encoding-type"] = "categorical"
        below["codes"], below["categories"] = np.array([0, -2], dtype=np.int8), [7]
        root["obs/scalar"] = "ab"
        root.create_group("obs/odd").attrs["encoding-type"] = "awkward-array"
        root["obs/matrix"] = np.zeros((2, 2))
        root["obs/short"] = [1]
        root["obs/complex"] = [1j, 2j]
        names = ["c", "k", "below", "scalar", "odd", "matrix", "short", "complex", "lost"]
        root["obs"].attrs["column-order"] = names
    for name, said in {
        "c": "codes of no category",
        "below": "codes of no category",
        "scalar": r"'scalar' has the shape \(\)",
        "odd": "'odd' holds awkward-array",
        "matrix": r"'matrix' has the shape \(2, 2\)",
        "short": "differ in length",
        "complex": "holds complex128",
        "lost": "cannot be read",
    }.items():
        with pytest.raises(FileError, match=said):
            from_file(path, "k", name)
    with monkeypatch.context() as patch:
        patch.setattr("clusterbits.system.limits._machine_memory", lambda: 10)
        with pytest.raises(CostError, match="its columns would take"):
            from_file(path, "k", "short")
    whole = path.read_bytes()
    for cut in (len(whole) // 2, 600, 9):
        (tmp_path / "cut.h5ad").write_bytes(whole[:cut])
        with pytest.raises(FileError, match=r"can(not)? be read"):
            from_file(tmp_path / "cut.h5ad", "c", "k")
    with h5py.File(tmp_path / "counts.h5", "w") as root:
        root.create_group("matrix")
    with pytest.raises(FileError, match="not an AnnData file"):
        from_file(tmp_path / "counts.h5")
    with h5py.File(tmp_path / "plain.h5ad", "w") as root:
        root["obs"] = np.zeros((2, 2))
    with pytest.raises(FileError, match="not an AnnData file"):
        from_file(tmp_path / "plain.h5ad")


@pytest.mark.parametrize(
    ("encoding", "parts", "said"),
    [
        ("nullable-integer", {"values": [5, 6, 7], "mask": [0, 1, 0]}, "'k/mask' .*booleans"),
        ("nullable-integer", {"values": [5, 6, 7], "mask": [True, False]}, "do not match"),
        ("nullable-integer", {"values": [5, 6, 0.5], "mask": [False] * 3}, "'k' .*integers"),
        ("nullable-float", {"values": [5, 6, 0.5], "mask": [False] * 3}, "holds nullable-float"),
        ("categorical", {"codes": [0.5, 1, 1], "categories": [7, 8]}, "'k' .*integers"),
        ("categorical", {"codes": [True, False, True], "categories": [7, 8]}, "'k' .*integers"),
        ("categorical", {"codes": [0, 1, 1], "categories": [[7], [8]]}, r"shape \(2, 1\)"),
    ],
)
def test_parts_of_a_column_have_the_types_of_the_format(encoding, parts, said, tmp_path):
    """An integer mask would be an index, and codes would be rounded."""
    path = write_h5ad(tmp_path / "x.h5ad", {"c": [1, 1, 2], "k": [1, 1, 2]})
    with h5py.File(path, "a") as root:
        del root["obs/k"]
        column = root["obs"].create_group("k")
        column.attrs["encoding-type"] = encoding
        for name, values in parts.items():
            column[name] = values
    with pytest.raises(FileError, match=said):
        from_file(path, "c", "k", missing="drop")


def test_hundreds_of_columns(tmp_path):
    path = write_h5ad(tmp_path / "x.h5ad", {"c": [1, 1, 2], "k0": ["a", "b", "b"]}, "categorical")
    with h5py.File(path, "a") as root:
        for i in range(1, 300):
            root[f"obs/k{i}"] = root["obs/k0"]  # a link
        root["obs"].attrs["column-order"] = ["c", *(f"k{i}" for i in range(300))]
    tables = from_file(path, "c", ["k*"])
    assert len(tables) == 300
    assert tables["k299"] == from_labels([1, 1, 2], ["a", "b", "b"])


def test_references_are_no_text(tmp_path):
    path = write_h5ad(tmp_path / "x.h5ad", {"c": [1, 1, 2], "k": [1, 1, 2]})
    with h5py.File(path, "a") as root:
        root["obs/references"] = np.array([root["obs"].ref] * 3, dtype=h5py.ref_dtype)
        root["obs"].attrs["column-order"] = ["c", "k", "references"]
    with pytest.raises(FileError, match=r"'references' .*holds object; .*integers or text"):
        from_file(path, "c", "references")


def test_one_large_integer_among_many_small(tmp_path):
    """DuckDB takes the type of an object column from every fifth of 5,000 rows."""
    values = [None, 3_000_000_000, *range(9)] + [7] * 4_989
    path = write_h5ad(tmp_path / "x.h5ad", {"c": values, "k": values}, "nullable")
    assert from_file(path, "c", "k", missing="drop") == from_labels(values, values, missing="drop")


def test_without_the_extra(tmp_path, monkeypatch):
    path = write_h5ad(tmp_path / "x.h5ad", {"c": [1, 2], "k": ["a", "b"]})
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ClusterbitsError, match=r"pip install 'clusterbits\[anndata\]'"):
        from_file(path)
    (tmp_path / "x.zarr").mkdir()
    (tmp_path / "x.zarr" / "zarr.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ClusterbitsError, match="is a Zarr store, which needs"):
        from_file(tmp_path / "x.zarr")
