"""Errors say what was given, what is allowed and what is near."""

import pytest

import clusterbits as cb
from clusterbits import errors
from clusterbits.plots.canvas import save_figure


def test_nearest_name():
    assert errors.did_you_mean("ARL", ["ari", "rand"]) == " Did you mean 'ari'?"
    assert errors.did_you_mean("randd", ["rand", "Rand"]) == " Did you mean 'rand'?"
    assert errors.did_you_mean("xyz", ["ari", "rand"]) == ""


def test_every_error_is_a_value_error():
    own = [value for name, value in vars(errors).items() if name.endswith("Error")]
    assert len(own) >= 10
    for kind in own:
        assert issubclass(kind, errors.ClusterbitsError)
        assert issubclass(kind, ValueError)
    with pytest.raises(ValueError, match="2 labels and pred has 1"):
        cb.rand([1, 2], [1])


@pytest.mark.parametrize("given", [None, 3], ids=repr)
def test_what_is_no_path(given, tmp_path):
    table = cb.Contingency.from_labels([1, 2], [1, 2])
    (tmp_path / "labels.csv").write_text("c,k\na,1\n")
    calls = [
        lambda: cb.Contingency.load(given),
        lambda: table.save(given),
        lambda: cb.evaluate(table).report().write(given),
        lambda: save_figure(None, given),
        lambda: cb.Contingency.from_file(given),
    ]
    if given is not None:
        calls.append(lambda: cb.Contingency.from_file(tmp_path / "labels.csv", spill=given))
    for call in calls:
        with pytest.raises((TypeError, errors.FileError)):
            call()


def test_a_warning_points_at_the_line_that_calls(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("c,k\na,1\n")
    calls = [
        lambda: cb.q2([0, 1], [0, 1], noise_label=7),  # noticed in what a dataclass generates
        lambda: cb.evaluate([0, 1], [0, 1], truth_noise="b"),
        lambda: cb.Contingency.from_file(path, truth="c", pred="k", noise="drop", noise_label=7),
        lambda: cb.Contingency.from_images([[0, 1]], [[0, 1]], ignore=9),
    ]
    for call in calls:
        with pytest.warns(errors.ClusterbitsWarning) as caught:
            call()
        assert caught[0].filename == __file__


def test_a_broken_package_is_not_a_missing_one(tmp_path, monkeypatch):
    (tmp_path / "broken_extra.py").write_text("import not_there_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all") as caught:
        errors.import_extra("broken_extra", "this", "all")
    assert not isinstance(caught.value, errors.MissingExtraError)
    with pytest.raises(
        errors.MissingExtraError, match=r"this needs an extra: pip install .*\[all\]"
    ):
        errors.import_extra("no_such_package.inside", "this", "all")
