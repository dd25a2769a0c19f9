"""Ask er-evaluation for its estimates from samples, and write docs/peers/estimates/.

python tools/ask_er_evaluation.py

Run it with a Python that has er-evaluation; it needs nothing else.
"""

import importlib.metadata
import json
import logging
import sys
import warnings
from pathlib import Path

import er_evaluation
import pandas as pd

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
from peer_questions import plain  # noqa: E402
from record_questions import (  # noqa: E402
    CASES,
    COMPLETE,
    MEASURES,
    SAMPLINGS,
    STORED,
    draw_sample,
    make_records,
)


def ask() -> dict:
    """Return value and standard error of each estimator, by clustering and sampling."""
    answers: dict = {}
    for case, shares in CASES.items():
        records = make_records(*shares)
        clusters = pd.Series(records.cluster)
        for sampling in SAMPLINGS:
            sample = pd.Series(draw_sample(records, sampling=sampling))
            answers[f"{case}, {sampling}"] = {
                name: plain(getattr(er_evaluation, f"{name}_estimator")(clusters, sample, sampling))
                for name in MEASURES
            }
    answers["complete"] = {
        "cluster_precision": plain(
            er_evaluation.cluster_precision_estimator(
                pd.Series(COMPLETE.cluster), pd.Series(COMPLETE.person), "uniform"
            )
        )
    }
    return answers


if __name__ == "__main__":
    logging.disable()
    warnings.simplefilter("ignore")
    answers = {"version": importlib.metadata.version("er-evaluation"), "answers": ask()}
    STORED.parent.mkdir(exist_ok=True)
    STORED.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
