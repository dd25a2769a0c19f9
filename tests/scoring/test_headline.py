"""The conclusion in one line."""

import pytest

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.inference.verdict import describe_saving


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ([[5, 0], [0, 5]], "100 % of the maximum saving."),
        ([[10**6, 1], [0, 10**6]], "99.99 % of the maximum saving."),
        ([[9], [1]], ": the clusters save nothing."),
        ([[3, 2], [2, 3]], ": the clusters cost more than they save."),
        ([[7, 2]], "There is one class: nothing can be saved."),
        ([[1, 0], [1, 0], [0, 1]], "No class has more than one object: nothing can be saved."),
    ],
)
def test_headlines(counts, says):
    assert says in describe_saving(cb.Contingency.from_counts(counts))


def test_weights_are_not_numbers_of_objects():
    truth, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    for weight in (1 / 6, 1 / 3):
        scores = cb.evaluate(truth, pred, ["rand"], weights=[weight] * 6)
        assert str(scores).startswith("A code length depends on the scale of weights")
        assert "share_saved" not in cb.evaluate(truth, pred, weights=[weight] * 6).measures
        with pytest.raises(MeasureError, match="explain depends on the scale of weights"):
            cb.explain(truth, pred, weights=[weight] * 6)


def test_the_numbers_are_those_of_the_measures():
    table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    without = cb.q0(table) + cb.bits_saved(table)
    text = describe_saving(table)
    assert text.startswith(f"{without:.2f} → {cb.q0(table):.2f} bits per object: ")
    assert f"{100 * cb.share_saved(table):.0f} %" in text


@pytest.mark.parametrize(
    ("counts", "runs", "says"),
    [
        # At 20 bits or more nothing needs saying.
        ([[30, 5], [10, 55]], 1, "35 % of the maximum saving."),
        # The best of several runs: as often as any of them does by chance.
        (
            [[30, 5], [10, 55]],
            1024,
            "as much evidence with probability at most 2⁻¹³.",
        ),
        ([[30, 5], [10, 55]], 2**19, "Bits alone do not exclude chance."),
        ([[12, 3], [3, 12]], 1, "Bits alone do not exclude chance."),
    ],
)
def test_how_likely_chance_is(counts, runs, says):
    assert describe_saving(cb.Contingency.from_counts(counts), runs).endswith(says)


def test_objects_of_groups_say_nothing_of_chance():
    patients = [patient for patient in range(4) for _ in range(4)]
    classes = [patient // 2 for patient in patients]
    assert "Random clusters" in repr(cb.evaluate(classes, patients))
    assert "Random clusters" not in repr(cb.evaluate(classes, patients, groups=patients))


def test_weighted_objects_are_no_evidence():
    table = cb.Contingency([0, 0, 1, 1], [0, 0, 1, 1], weights=[0.5, 1, 1, 1])
    assert "hance" not in describe_saving(table)
