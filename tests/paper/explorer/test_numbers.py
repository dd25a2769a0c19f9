"""The browser's numbers are Python's: over the sliders, and on tables of all kinds."""

from itertools import product

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError
from clusterbits.paper import Model
from clusterbits.paper.explorer.explorer_page import SIZES, shown_measures

NAMES = ("classes", "useful", "noise", "epsilon1", "epsilon2")
MEASURES = shown_measures()


def possible_models():
    """Yield models all over the ranges of the sliders, those at the ends included."""
    values = product((1, 2, 5, 10), (1, 2, 5, 7, 12), (0, 1, 3, 8), (0, 0.07, 0.8),
                     (0, 0.01, 0.5))  # fmt: skip
    for setting in values:
        try:
            yield Model(*setting)
        except ClusterbitsError:
            continue


def values_of(table):
    """Return every measure's value and the parts of the bits; None where one is not defined."""
    shown = {m.name: m.score_table(table) if m.applies_to(table) else None for m in MEASURES}
    return shown | {
        "labelBits": table.class_entropy_given_cluster,
        "tableBits": table.table_bits(),
        "perfectBits": cb.best_bits(table.class_sizes),
        "noClusters": shown["q0"] + cb.bits_saved(table),
    }


VALUES = """(counts, whole) => {
  const table = makeTable(counts, whole);
  const { labelBits, tableBits, perfectBits } = table;
  return { ...measureAll(table), labelBits, tableBits, perfectBits, noClusters: noClusters(table) };
}"""


def compare(shown, expected, what):
    assert shown.keys() == expected.keys()
    for name, value in expected.items():
        if value is None:
            assert shown[name] is None, (what, name)
        else:
            assert shown[name] == pytest.approx(value, rel=1e-10, abs=1e-10), (what, name)


def test_the_family_on_a_grid_of_settings(visit):
    models = list(possible_models())
    assert len(models) > 200
    states = [
        {name: getattr(model, name) for name in NAMES} | {"n": SIZES[i % len(SIZES)]}
        for i, model in enumerate(models)
    ]
    shown = visit().evaluate(
        f"all => all.map(state => [expectedCounts(state), ({VALUES})(expectedCounts(state), false),"
        "isPossible(state)])",
        states,
    )
    for model, state, (counts, values, possible) in zip(models, states, shown, strict=True):
        assert possible
        assert np.array(counts) == pytest.approx(model.joint() * state["n"], rel=1e-12, abs=1e-12)
        compare(values, values_of(model.expected(state["n"])), state)


def some_tables():
    """Return tables of counts: degenerate ones, whole ones of all sizes, real-valued ones."""
    rng = np.random.default_rng(0)
    return [
        [[0, 0, 0], [3, 1, 0], [0, 2, 0]],  # an empty class, an empty cluster
        [[5, 4, 3]],
        [[5], [4], [3]],
        [[7]],
        [[1]],
        [[0, 0], [0, 1]],
        [[1, 0], [0, 1]],
        [[1, 1], [1, 1]],
        [[1] * 12] * 10,
        [[0.5]],
        [[0.25, 0.25], [0.25, 0]],
        [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]],
        [[2.5, 0], [0, 2.5]],
        [[1e6, 1], [1, 1e6]],
        [[1e6, 1e6], [1e6, 1e6]],
        [[999_999, 0, 1], [0, 1e-6, 1]],
        *(rng.integers(0, 2 + 3**i, (1 + i, 9 - i)).tolist() for i in range(8)),
        *(rng.multinomial(n, rng.dirichlet([0.2] * 60)).reshape(6, 10).tolist() for n in SIZES),
        *(rng.gamma(0.3, 20, (c, 7)).round(2).tolist() for c in range(1, 9)),
    ]


def test_tables_that_were_typed(visit):
    tables = some_tables()
    shown = visit().evaluate(f"all => all.map(t => ({VALUES})(t, areWhole(t)))", tables)
    for counts, values in zip(tables, shown, strict=True):
        table = cb.Contingency.from_counts(counts)
        compare(values, values_of(table), counts)
        assert (values["adjusted_mutual_information"] is not None) == table.exact


def test_sliders_settle_where_models_are_possible(visit):
    settings = [
        dict(zip(NAMES, values, strict=True)) | {"n": 500, "moved": moved}
        for values in product((1, 2, 5), (1, 2, 6), (0, 1), (0, 0.3, 0.8), (0, 0.29, 0.5))
        for moved in NAMES
    ]
    settle = "all => all.map(({ moved, ...state }) => settle(state, moved))"
    shown = visit().evaluate(settle, settings)
    for initial, settled in zip(settings, shown, strict=True):
        Model(*(settled[name] for name in NAMES))  # or it refuses
        moved = initial["moved"]
        possible = moved != "epsilon1" or min(settled["classes"], settled["useful"]) > 1
        unchanged = settled[moved] == initial[moved]
        assert unchanged or not possible, (initial, settled)
