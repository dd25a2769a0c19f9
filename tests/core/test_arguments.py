"""What public functions take: a table alone, or two label sequences and their options."""

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.core.arguments import GivenOptions, as_table
from clusterbits.errors import LabelError, MeasureError

TABLE = cb.Contingency.from_labels(["a", "b"], [1, 2])


def test_a_table_is_taken_alone():
    assert as_table(TABLE) is TABLE
    with pytest.raises(MeasureError, match="pass it alone"):
        as_table(TABLE, [1, 2])
    with pytest.raises(MeasureError, match=r"noise, align: options of Contingency\.from_labels"):
        as_table(TABLE, None, GivenOptions(noise="drop", align=True))


def test_labels_are_counted_with_their_options():
    assert as_table(["a", "b"], [1, 2]) == TABLE
    options = GivenOptions(missing="drop", weights=[1, 1, 5])
    assert as_table(["a", "b", None], [1, 2, 2], options) == TABLE
    assert as_table(["a", "b", "b"], [1, 2, 0], GivenOptions("drop", noise_label=0)) == TABLE
    with pytest.raises(MeasureError, match="for labels pass both"):
        as_table(["a", "b"])
    with pytest.raises(LabelError, match="2 labels and pred has 1"):
        as_table(["a", "b"], [1])


def test_options_that_are_arrays_are_given():
    table = cb.Contingency.from_counts([[1, 2], [3, 4]])
    with pytest.raises(MeasureError, match="noise_label: options of"):
        cb.q0(table, noise_label=np.array([1, 2]))
