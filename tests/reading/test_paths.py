"""`evaluate` and `from_frame` take a path or an AnnData where they take a frame."""

import pandas as pd
import polars as pl
import pytest

import clusterbits as cb

FRAME = pd.DataFrame(
    {
        "label": ["a", "a", "b", "b", "c", "c"],
        "k2": [0, 0, 1, 1, 1, 1],
        "k3": [0, 1, 1, 1, 2, 2],
        "batch": ["x", "y", "x", "y", "x", "y"],
        "w": [1, 2, 3, 4, 5, 6],
    }
)


class Observed:
    """What an AnnData is to a reader: it has obs."""

    obs = FRAME


@pytest.fixture(params=["csv", "parquet", "lazy", "obs"])
def data(request, tmp_path):
    if request.param == "lazy":
        return pl.from_pandas(FRAME).lazy()
    if request.param == "obs":
        return Observed()
    path = tmp_path / f"runs.{request.param}"
    FRAME.to_csv(path, index=False) if request.param == "csv" else FRAME.to_parquet(path)
    return path


@pytest.mark.parametrize("weights", [None, "w", "balanced"])
def test_like_a_frame(data, weights):
    columns = {"truth": "label", "pred": "k*", "weights": weights}
    assert cb.Contingency.from_frame(data, **columns) == cb.Contingency.from_frame(FRAME, **columns)
    columns["measures"] = ["q0", "ari"]
    expected = cb.evaluate(FRAME, **columns)
    assert cb.evaluate(data, **columns).to_frame().equals(expected.to_frame())
    grouped = cb.evaluate(data, groups="batch", **columns)
    assert str(grouped) == str(cb.evaluate(FRAME, groups="batch", **columns))


def test_a_path_as_text(tmp_path):
    FRAME.to_parquet(tmp_path / "runs.parquet")
    scores = cb.evaluate(str(tmp_path / "runs.parquet"), truth="label", pred="k3")
    assert scores["q0"] == cb.q0(FRAME["label"], FRAME["k3"])
