"""Write a small AnnData file with the installed version of anndata, for tests/reading.

python tools/make_anndata_samples.py

Run it with a Python that has the version: 0.7.8 and 0.12.19 differ in their layouts.
Columns that a version does not know are left out.
"""

import gzip
import tempfile
import warnings
from pathlib import Path

import anndata
import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "anndata"
TYPES = ["T", "T", "B", "B", "NK", "T", "B", "monocyte"]
COLUMNS = {
    "cell_type": pd.Categorical(TYPES, categories=["B", "NK", "T", "monocyte", "unused"]),
    "leiden_0.5": pd.Categorical(list("00112011")),
    "leiden_1.0": pd.Categorical(list("00112013")),
    "batch": ["a", "b"] * 4,
    "kmeans": np.array([0, 0, 1, 1, 2, 0, 1, 3]),
    "annotated": pd.Categorical(["T", None, "B", "B", None, "T", "B", "B"]),
    "doublet": np.array([False] * 7 + [True]),
    "n_counts": np.array([1.5, 2, 3, 4, 5, 6, 7, 8]),
}
NULLABLE = {
    "nullable": pd.array([1, 2, None, 1, 1, 1, 2, 2], dtype="Int64"),
    "flag": pd.array([True, None, False, True, True, True, False, False], dtype="boolean"),
    "donor": pd.array(["p1", "p2", None, "p1", "p2", "p2", "p1", "p1"], dtype="string"),
    "year": pd.Categorical([2020, 2021, 2020, None, 2021, 2021, 2020, 2020]),
}


def main() -> None:
    columns = dict(COLUMNS)
    if hasattr(anndata, "settings"):
        anndata.settings.allow_write_nullable_strings = True
        columns |= NULLABLE
    obs = pd.DataFrame(columns, index=[f"AAAC-{i}" for i in range(len(TYPES))])
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = Path(folder) / "sample.h5ad"
        anndata.AnnData(np.zeros((len(TYPES), 2), dtype="float32"), obs=obs).write(written)
        content = gzip.compress(written.read_bytes(), mtime=0)
    (FOLDER / f"anndata-{anndata.__version__}.h5ad.gz").write_bytes(content)


if __name__ == "__main__":
    main()
