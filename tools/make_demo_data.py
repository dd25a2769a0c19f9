"""Make the demo's data: 1,797 handwritten digits, clustered by two algorithms into 5 to 50.

Writes one column of classes and one per clustering. Run with scikit-learn installed:

    python tools/make_demo_data.py src/clusterbits/data/digits.csv.gz
"""

import csv
import gzip
import io
import sys
from pathlib import Path

from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

NUMBERS = (5, 10, 12, 15, 20, 30, 50)


def main(target: Path) -> None:
    pixels, digit = load_digits(return_X_y=True)
    columns = {"digit": digit}
    for k in NUMBERS:
        columns[f"kmeans_{k}"] = KMeans(k, n_init=10, random_state=0).fit_predict(pixels)
        columns[f"ward_{k}"] = AgglomerativeClustering(k).fit_predict(pixels)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    # No time stamp in the archive: the same labels give the same bytes.
    target.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
