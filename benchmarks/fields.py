"""How fast the measures of four fields are, each beside the tool that the field uses.

    python benchmarks/fields.py [coreference] [records] [segmentation] [single_cells]

Runs the benchmarks of these names, or all of them: coreference beside scorch, entity resolution
beside er-evaluation, segmentation beside scikit-image, single cells beside scikit-learn.
"""

import subprocess
import sys
from pathlib import Path

FIELDS = ("coreference", "records", "segmentation", "single_cells")

if __name__ == "__main__":
    for field in sys.argv[1:] or FIELDS:
        if field not in FIELDS:
            raise SystemExit(f"name some of: {', '.join(FIELDS)}")
        subprocess.run([sys.executable, Path(__file__).with_name(f"{field}.py")], check=True)
