"""One label sequence as integer codes: strings by hash, and what happens when hashes collide."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError
from clusterbits.system import kernels
from clusterbits.table import numbering

from_labels = cb.Contingency.from_labels


def test_hash_collisions_are_noticed(monkeypatch):
    from_labels([1], [1])  # readers, which are imported now, keep the ranks that are right
    monkeypatch.setattr(kernels, "native", None)  # compiled, strings are compared on the way

    def all_equal(hashes):
        return np.zeros(len(hashes), dtype=np.int64), hashes[:1]

    monkeypatch.setattr(numbering, "factorize_integers", all_equal)
    assert from_labels(np.array(["a", "b", "a"]), [1, 2, 1]).classes == ("a", "b")


def test_whole_decimals_and_fractions_are_integers():
    for labels in ([Decimal("1.0"), Decimal(2)], [Fraction(1), Fraction(2)], [Decimal("1.00"), 2]):
        assert list(map(type, from_labels(labels, [1, 2]).classes)) == [int, int]
    huge = Fraction(10**400)
    assert from_labels([huge], [1]).classes == (10**400,)
    for label in (Decimal("0.5"), Fraction(1, 2), Decimal("Infinity")):
        with pytest.raises(LabelError, match="not whole"):
            from_labels([label, 1], [1, 2])


@pytest.mark.parametrize("number", [0, 1, np.int8(1), Decimal(1)])
@pytest.mark.parametrize("boolean", [True, np.False_])
def test_booleans_beside_numbers_are_refused(number, boolean):
    """True equals 1: a dictionary would make them one label, whichever comes first."""
    for labels in ([boolean, number, "x"], [number, boolean], [None, number, boolean]):
        for form in (labels, np.array(labels, dtype=object), pd.Series(labels, dtype=object)):
            with pytest.raises(LabelError, match="a boolean and a number"):
                from_labels(form, range(len(labels)), missing="class")
    assert from_labels([True, "x", None, float("nan"), False], range(5), missing="drop").n == 3


@pytest.mark.usefixtures("kernel_path")
def test_every_byte_but_zero_is_true():
    """Masks of other programs, read from memory, often hold 255."""
    mask = np.frombuffer(bytes([0, 255, 255, 0, 1, 1]), dtype=np.bool_)
    table = from_labels(mask, mask.tolist())
    assert table.classes == table.clusters == (False, True)
    assert table.n == 6


@pytest.mark.usefixtures("kernel_path")
@pytest.mark.parametrize("numbers", [[Decimal(1), np.int64(1)], [np.uint8(1), Decimal(1), 2]])
def test_numbers_that_cannot_be_compared_as_they_come(numbers):
    """Decimal(1) == np.int64(1) is a TypeError; as labels both are 1."""
    assert from_labels(numbers, numbers) == from_labels([*map(int, numbers)], [*map(int, numbers)])
