"""What is read once, and ids that cannot match: refused, never counted wrongly."""

import numpy as np
import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError, NothingToCountError

IDS = ["ann", "bob", "cid", "dan", "eve"]
CLASSES, CLUSTERS = ["x", "x", "y", "y", "y"], [1, 1, 1, 2, 2]
TRUTH = dict(zip(IDS, CLASSES, strict=True))
PRED = dict(zip(IDS, CLUSTERS, strict=True))
VALUE = cb.rand(CLASSES, CLUSTERS)
COLUMNS = {"id": IDS, "cluster": CLUSTERS}
FRAME = pd.DataFrame(COLUMNS)
GROUPS = FRAME.groupby("cluster")


@pytest.mark.parametrize(
    "labels", [pd.Categorical(CLUSTERS), pd.Index(CLUSTERS), PRED.values()], ids=type
)
def test_these_are_labels_by_position(labels):
    assert cb.rand(CLASSES, labels) == VALUE
    with pytest.raises(LabelError, match="pred"):
        cb.rand(TRUTH, labels)


@pytest.mark.parametrize("make", [iter, lambda labels: (label for label in labels)])
@pytest.mark.parametrize("truth", [CLASSES, TRUTH], ids=["by position", "by id"])
def test_an_iterator_that_was_read_before(make, truth):
    once = make(CLUSTERS)
    assert cb.rand(CLASSES, once) == VALUE
    with pytest.raises(NothingToCountError, match="pred"):
        cb.rand(truth, once)


# --- ids that do not match -----------------------------------------------------------------------

NUMBERED = dict(enumerate(CLUSTERS, start=1))
TEXT = {str(name): label for name, label in NUMBERED.items()}
TYPES = {
    "mappings": (NUMBERED, TEXT),
    "clusters": ([{1, 2, 3}, {4, 5}], TEXT),
    "frame": (pd.DataFrame({"id": [*NUMBERED], "k": CLUSTERS}), TEXT),
    "index": (pd.Series(CLUSTERS, index=[*NUMBERED]), TEXT),
    "dates": (
        dict.fromkeys(map(np.datetime64, ["2024-05-01", "2024-05-02"]), 0),
        dict.fromkeys(["2024-05-01", "2024-05-02"], 0),
    ),
}


@pytest.mark.parametrize(("numbers", "text"), TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("unmatched", ["error", "drop"])
def test_ids_of_two_types(numbers, text, unmatched):
    for both in ((numbers, text), (text, numbers)):
        with pytest.raises(LabelError, match="type"):
            cb.rand(*both, unmatched=unmatched)


def test_ids_that_only_look_alike_in_part():
    """Where some ids match, or none is alike as text, types are not the matter."""
    for pred in ({1: 0, 6: 0}, {7: 0, 8: 1}, {"one": 0}):
        with pytest.raises(LabelError) as error:
            cb.rand(NUMBERED, pred)
        assert "type" not in str(error.value)
        assert "unmatched='drop'" in str(error.value)


@pytest.mark.parametrize("groups", [GROUPS.groups, GROUPS.indices], ids=["groups", "indices"])
def test_groups_of_row_numbers(groups):
    for truth in (CLASSES, TRUTH):
        with pytest.raises(LabelError):
            cb.rand(truth, groups)
    assert cb.rand(dict(enumerate(CLASSES)), groups) == VALUE
