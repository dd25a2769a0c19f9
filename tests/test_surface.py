"""The public surface: every name is there, typed, completed, and answers wrong calls in words."""

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clusterbits as cb
from clusterbits.labels.options import OPTIONS
from clusterbits.measures import short_names
from clusterbits.measures.catalogue import catalogue
from clusterbits.measures.declaration import Measure

SHORT_NAMES = {name for name, value in vars(short_names).items() if isinstance(value, Measure)}
USER_CODE = Path(__file__).parent / "support" / "user_code.py"


def test_dir_is_the_public_surface():
    assert sorted(dir(cb)) == sorted([*cb.__all__, "__version__"])
    assert len(set(cb.__all__)) == len(cb.__all__) < 115
    assert all(hasattr(cb, name) for name in cb.__all__)
    for measure in catalogue():
        field = measure.family in ("coreference", "records", "images")
        place = getattr(cb, measure.family) if field else cb
        assert getattr(place, measure.name) is measure
        assert (measure.name in dir(place)) != (measure.name in SHORT_NAMES)


def test_short_names_answer_and_are_not_listed():
    assert {"ari", "nmi", "adjusted_rand_score", "yule_q"} <= SHORT_NAMES
    for name in SHORT_NAMES:
        assert getattr(cb, name) is getattr(short_names, name) is cb.get_measure(name)
        assert name not in dir(cb)
    others = {alias for measure in catalogue() for alias in measure.aliases} - SHORT_NAMES
    assert not [name for name in others - set(cb.__all__) if hasattr(cb, name)]


@pytest.mark.parametrize("name", ["f_measure", "fmeasure", "gamma", "mi", "hamming"])
def test_ambiguous_names_are_refused_with_their_candidates(name):
    message = "It may mean .* or .*: choose one"
    with pytest.raises(AttributeError, match=message):
        getattr(cb, name)
    with pytest.raises(cb.errors.MeasureError, match=message):
        cb.get_measure(name)


def test_star_import():
    names: dict = {}
    exec("from clusterbits import *", names)
    assert names["q2"] is cb.q2
    assert names["trees"] is cb.trees
    assert "TYPE_CHECKING" not in names


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("adjustedd_rand", "adjusted_rand"),
        ("evalute", "evaluate"),
        ("make_scorer", "scorer"),
        ("dice", "pair_f1"),
        ("cuts", "trees.cuts"),
        ("muc", "coreference.muc_f1"),
    ],
)
def test_misspelt_names_get_the_nearest(name, nearest):
    with pytest.raises(AttributeError, match=rf"'{name}'\. Did you mean '{nearest}'\?"):
        getattr(cb, name)


def test_unknown_names_have_no_nearest():
    with pytest.raises(AttributeError, match=r"no attribute 'zzz'\.$"):
        cb.zzz  # noqa: B018


def test_namespaces_load_when_touched():
    rooms = ["codec", "coreference", "covers", "images", "paper", "records", "trees"]
    code = f"""import sys, clusterbits as cb
print([room for room in {rooms} if f"clusterbits.{{room}}" in sys.modules])
print(cb.get_measure("muc_f1").family, cb.trees.__name__)"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["[]", "coreference clusterbits.trees"]


@pytest.mark.parametrize(
    ("does", "more"),
    [
        ("clusterbits.adjusted_rand([0, 1], [0, 1])", {"rich"}),
        ("import clusterbits.cli; clusterbits.cli.app.help_print([])", {"numpy", "scipy"}),
    ],
)
def test_scores_and_help_import_only_what_they_need(does, more):
    heavy = more | {"pandas", "polars", "pyarrow", "narwhals", "duckdb", "matplotlib", "jinja2"}
    code = f"import sys, clusterbits; {does}; print({heavy} & set(sys.modules) or 'none')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[-2] == "none"


def test_signatures():
    shown = "(truth, pred, *, worst='bound', n_classes=None, align=False, unmatched='error', "
    shown += "missing='error', weights=None, truth_noise=None, noise=None, noise_label=-1)"
    assert str(inspect.signature(cb.q2)) == shown
    text = pydoc.plain(pydoc.render_doc(cb.q2))
    # From Python 3.13 on, each parameter has a line of its own.
    assert f"q2{shown}".replace(" ", "") in "".join(text.split()).replace(",)", ")")
    assert "align, unmatched, missing, weights, truth_noise, noise, noise_label" in text
    for measure in catalogue():
        names = list(inspect.signature(measure).parameters)
        assert names[:2] == ["truth", "pred"]
        assert names[-7:] == [*OPTIONS]
    inspect.signature(cb.Measure)  # the class has one of its own


def test_calls_by_keyword():
    truth, pred, weights = [0, 0, 1, 1], [0, 1, 1, 1], [1, 2, 3, 4]
    value = cb.ari(truth, pred)
    assert cb.ari(truth=truth, pred=pred) == cb.ari(truth, pred=pred) == value
    assert cb.ari(labels_true=truth, labels_pred=pred) == value
    weighted = cb.ari(truth, pred, sample_weight=weights)
    assert weighted == cb.ari(truth, pred, weights=weights) != value
    assert cb.ari(truth=cb.Contingency.from_labels(truth, pred)) == value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cb.ari(), "pred is missing"),
        (lambda: cb.ari([0, 1]), "pred is missing"),
        (lambda: cb.ari([0], [0], [0]), "takes truth and pred, or one table, got 3"),
        (lambda: cb.ari([0], [0], labels_true=[0]), "'truth' twice"),
        (lambda: cb.ari([0], [0], weights=[1], sample_weight=[1]), "'weights' twice"),
        (lambda: cb.ari([0], [0], mising="drop"), "no parameter 'mising'.*Did you mean 'missing'"),
        (lambda: cb.interval([0, 1], measure="q2"), "pred is missing"),
        (lambda: cb.evaluate(cb.Contingency.from_counts([[1]]), [0]), "already contains pred"),
    ],
)
def test_wrong_calls_are_answered_in_words(call, message):
    with pytest.raises((cb.errors.ClusterbitsError, TypeError), match=message):
        call()


def test_measures_can_be_class_attributes():
    class Study:
        score = cb.ari

    assert Study.score is Study().score is cb.ari


@pytest.mark.slow
def test_user_code_is_typed(tmp_path):
    """A file of typical calls passes mypy --strict, and nothing in it is revealed as Any."""
    code = USER_CODE.read_text()
    names = re.findall(r"^(\w+) = ", code, flags=re.MULTILINE)
    revealed = tmp_path / "revealed.py"
    revealed.write_text(code + "".join(f"reveal_type({name})\n" for name in names))
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import clusterbits as cb\n"
        "cb.adjustedd_rand\n"
        "cb.q2(cb.Contingency.from_counts([[1]]), wurst='exact')\n"
        "cb.Contingency.from_labels([1], [1], noise='singleton')\n"
    )
    out = _mypy(revealed, wrong)
    errors = [line for line in out.splitlines() if " error: " in line]
    assert [Path(line.partition(":")[0]).name for line in errors] == ["wrong.py"] * 3, out
    types = dict(zip(names, re.findall(r'Revealed type is "(.*)"', out), strict=True))
    assert [name for name, kind in types.items() if "Any" in kind] == []
    assert types["share"] == types["like_sklearn"] == "float"
    assert types["many"].startswith("dict[str, ")


def _mypy(*paths: Path) -> str:
    # A cache of its own: with other options mypy would drop that of the project.
    options = ["--strict", "--config-file=", "--cache-dir=.mypy_cache/user_code"]
    command = [sys.executable, "-m", "mypy", *options, *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
