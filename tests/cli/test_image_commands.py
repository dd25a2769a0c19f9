"""Label images on the command line: the table of `from_images`, in every command that scores."""

import json

import numpy as np
import pytest

import clusterbits as cb

RNG = np.random.default_rng(0)
TRUTH, PRED = RNG.integers(0, 3, (4, 5, 6)), RNG.integers(-1, 9, (4, 5, 6))
OTHER = RNG.integers(0, 9, (4, 5, 6))
from_images = cb.Contingency.from_images


@pytest.fixture
def files(tmp_path):
    for name, image in (("truth", TRUTH), ("pred", PRED), ("other", OTHER)):
        np.save(tmp_path / f"{name}.npy", image)
    np.savez(tmp_path / "all.npz", truth=TRUTH, pred=PRED)
    np.save(tmp_path / "columns.npy", np.column_stack([TRUTH.ravel(), PRED.ravel()]))
    np.save(tmp_path / "flat.npy", TRUTH.ravel())
    np.save(tmp_path / "narrow.npy", PRED[..., :2].reshape(-1, 2))
    np.save(tmp_path / "narrow_truth.npy", TRUTH[..., :2].reshape(-1, 2))
    np.savez(tmp_path / "truth.npz", TRUTH)
    np.savez(tmp_path / "pred.npz", PRED)
    (tmp_path / "labels.csv").write_text("truth,pred\na,1\n")


def values(out):
    rows = json.loads(out)["rows"]
    return {(row["clustering"], row["measure"]): row["value"] for row in rows}


@pytest.mark.parametrize(
    ("options", "reading"),
    [
        ((), {}),
        (("--truth-noise", "0", "--ignore", "1"), {"ignore": [0, 1]}),
        (
            ("--noise", "singletons", "--noise-label", "3"),
            {"noise": "singletons", "noise_label": 3},
        ),
        (("--noise", "drop", "--noise-label", "-1"), {"noise": "drop", "noise_label": -1}),
    ],
)
def test_score(run, files, tmp_path, options, reading):
    names = ("all.npz:truth", "pred.npz") if options else ("truth.npy", "pred.npy")
    measures = "vi_split,vi_merge,adapted_rand_error"
    code, out, err = run(
        "score", *names, *options, "-m", measures, "--json", "--save", "table.json"
    )
    assert (code, err) == (0, "")
    table = from_images(TRUTH, PRED, **reading)
    assert values(out) == {
        (names[1], name): cb.get_measure(name)(table) for name in measures.split(",")
    }
    assert cb.Contingency.load(tmp_path / "table.json").coverage == table.coverage


def test_compare(run, files):
    code, out, err = run("compare", "truth.npy", "pred.npy", "other.npy", "-m", "ari", "--json")
    assert (code, err) == (0, "")
    found = values(out)
    for name, image in (("pred.npy", PRED), ("other.npy", OTHER)):
        assert found[name, "adjusted_rand"] == cb.ari(from_images(TRUTH, image))


@pytest.mark.parametrize("part", ["false_merges", "false_splits"])
def test_explain(run, files, part):
    code, out, err = run(
        "explain", "truth.npy", "pred.npy", "--ignore", "0", "--part", part, "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["rows"] == cb.explain(from_images(TRUTH, PRED, 0)).to_dicts(part)


@pytest.mark.parametrize(
    ("names", "n"),
    [(("narrow_truth.npy", "narrow.npy"), 40), (("columns.npy", "more.npy"), TRUTH.size + 2)],
)
def test_arrays_of_two_columns_are_tables_only_if_columns_are_named(run, files, names, n):
    """They may be images two wide, or shards of classes and clusters, of the same length or not."""
    np.save("more.npy", np.array([[0, 1], [1, 1]]))
    for command in ("score", "compare", "explain"):
        code, _, err = run(command, *names)
        assert code == 2
        assert f"{names[0]} and {names[1]} are arrays of two columns" in err
    code, out, _ = run("score", *names, "--truth", "1", "--pred", "2")
    assert code == 0
    assert f"{n} objects" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "truth.npy", "labels.csv"), "labels.csv is not a label image"),
        (("score", "truth.npy", "flat.npy"), "(4, 5, 6) and flat.npy has shape (120,)"),
        (("score", "all.npz:truth", "all.npz:prd"), "no array 'prd'. Did you mean 'pred'?"),
        (("compare", "truth.npy", "pred.npy", "./pred.npy"), "pred.npy is named twice"),
        (("score", "truth.npy", "pred.npy", "--ignore", "x"), "--ignore x: labels of images are"),
        (("explain", "truth.npy", "pred.npy", "--weights", "w"), "to which --weights does not"),
        (("report", "truth.npy", "pred.npy", "-o", "pred.npy"), "pred.npy is the input pred.npy"),
    ],
)
def test_wrong_calls(run, files, arguments, message):
    code, _, err = run(*arguments)
    assert code == 2
    assert err.startswith("clusterbits: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize("start", [b"II*\0", b"\x89PNG\r\n\x1a\n"])
def test_one_image_alone(run, tmp_path, start):
    (tmp_path / "image").write_bytes(start)
    code, _, err = run("score", "image")
    assert code == 2
    assert "name two label images" in err
