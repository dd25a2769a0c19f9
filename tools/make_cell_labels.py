"""Write docs/data/pbmc68k.h5ad, labels of 700 blood cells, and what scib says of them.

python tools/make_cell_labels.py

Run it with a Python that has scib, which brings scanpy; the cells are in scanpy's package. The
wells of the sequencing chip, the last part of each barcode, are the batches. scib's values go into
docs/data/pbmc68k_scib.json; tests compare them with ours.
"""

import importlib.metadata
import json
import warnings
from pathlib import Path

import anndata
import scanpy
import scib

FOLDER = Path(__file__).parents[1] / "docs" / "data"
RESOLUTIONS = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0]
KEYS = [f"leiden_{resolution}" for resolution in RESOLUTIONS]


def main() -> None:
    cells = scanpy.datasets.pbmc68k_reduced()
    cells.obs["cell_type"] = cells.obs["bulk_labels"]
    cells.obs["well"] = cells.obs_names.str.split("-").str[-1]
    for key, resolution in zip(KEYS, RESOLUTIONS, strict=True):
        scanpy.tl.leiden(
            cells, resolution, key_added=key, flavor="igraph", n_iterations=2, directed=False
        )
    obs = cells.obs[["cell_type", "well", "louvain", *KEYS]]
    obs.index.name = "barcode"
    anndata.AnnData(obs=obs).write_h5ad(FOLDER / "pbmc68k.h5ad")
    options = {"cluster_key": "leiden", "resolutions": RESOLUTIONS, "verbose": False}
    isolated = {
        most: scib.metrics.isolated_labels_f1(
            cells, "cell_type", "well", None, iso_threshold=most, **options
        )
        for most in (6, 7)
    }
    answers = {
        "version": importlib.metadata.version("scib"),
        "ari": {key: scib.metrics.ari(cells, key, "cell_type") for key in KEYS},
        "nmi": {key: scib.metrics.nmi(cells, key, "cell_type") for key in KEYS},
        "isolated_labels_f1": isolated,
    }
    text = json.dumps(answers, indent=1) + "\n"
    (FOLDER / "pbmc68k_scib.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
