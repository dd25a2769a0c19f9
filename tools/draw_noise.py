"""Draw the picture of the README: the same noise in one cluster and in six.

python tools/draw_noise.py
"""

import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
from pictures import draw_noise, score_noise  # noqa: E402

if __name__ == "__main__":
    metadata = {"Software": None, "Title": score_noise(1, 6)}
    draw_noise().savefig(DOCS / "noise.png", dpi=110, metadata=metadata)
