"""What public functions take: a table alone, or two label sequences and their options."""

import inspect

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.labels.options import OPTIONS

TABLE = cb.Contingency.from_labels(["a", "b"], [1, 2])
VERBS = [
    cb.Contingency,
    cb.Contingency.from_labels,
    cb.compare,
    cb.evaluate,
    cb.explain,
    cb.interval,
    cb.match,
    cb.pairwise,
    cb.permutation_test,
    cb.q0,
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: getattr(verb, "__name__", "q0"))
def test_every_verb_shows_them_and_knows_no_others(verb):
    shown = inspect.signature(verb).parameters
    assert {name: shown[name].default for name in OPTIONS} == {
        name: parameter.default for name, parameter in OPTIONS.items()
    }
    for arguments in ([TABLE], [["a", "b"], [1, 2]]):
        with pytest.raises(TypeError, match="Did you mean 'noise'"):
            verb(*arguments, nosie="drop")


def test_a_table_is_taken_alone():
    with pytest.raises(MeasureError, match="already contains pred"):
        cb.q0(TABLE, [1, 2])
    with pytest.raises(MeasureError, match="truth and pred"):
        cb.q0(["a", "b"])
    for options in ({"noise": "drop"}, {"noise_label": np.array([1, 2])}):
        with pytest.raises(MeasureError, match="a table has no labels"):
            cb.q0(TABLE, **options)
        with pytest.raises(MeasureError, match="a table has no labels"):
            cb.evaluate(TABLE, **options)
    defaults = {name: parameter.default for name, parameter in OPTIONS.items()}
    assert cb.q0(TABLE, **defaults) == cb.q0(TABLE)
