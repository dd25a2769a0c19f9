"""Compiled kernels and Python's own loops: the same bytes, and neither trusts its input."""

import contextlib
import random
from array import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import mutations
from support.lane_encoder import LaneEncoder
from support.paths import compiled, on_both_paths

import clusterbits as cb
from clusterbits.codec import coding, message
from clusterbits.codec.decoder import Decoder
from clusterbits.codec.partition import read_partition
from clusterbits.codec.rans import SLOTS, Encoder, Recorder, SlotTable, divide_slots
from clusterbits.core import kernels
from clusterbits.errors import CodeError
from clusterbits.ingest.columns import read_labels

MODES = ("entropy", "enumerative")
pytestmark = compiled


def by_both(function, *arguments):
    """Return what a call gives with the kernels and without; a CodeError is given, too."""

    def outcome():
        try:
            return function(*arguments)
        except CodeError as error:
            return error

    return on_both_paths(outcome)


def spy(monkeypatch, name):
    """Return a list that each call of this kernel is added to."""
    kernel, calls = getattr(kernels.native, name), []
    monkeypatch.setattr(kernels.native, name, lambda *some: calls.append(some) or kernel(*some))
    return calls


def labelling(seed):
    """Return classes and clusters of any shape: few, many, far apart, negative, narrow types."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 50, 2000]))
    sides = []
    for _ in range(2):
        distinct = int(rng.choice([1, 2, 12, 200, n]))
        names = np.arange(distinct)
        if rng.random() < 0.3:
            names = rng.integers(-(2**62), 2**62, distinct)
        elif rng.random() < 0.3:
            names = names - distinct // 2
        labels = names[(distinct * rng.random(n) ** rng.choice([1, 4])).astype(int)]
        if abs(labels).max() < 100 and rng.random() < 0.5:
            labels = labels.astype(rng.choice([np.int8, np.int16, np.int32, ">i8"]))
        sides.append(labels[:: rng.choice([1, -1])])
    return sides


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(MODES))
def test_the_bytes_are_the_same(seed, mode):
    truth, pred = labelling(seed)
    compiled, plain = by_both(cb.codec.encode, truth, pred, mode)
    assert compiled == plain
    for found in by_both(cb.codec.decode, compiled, pred):
        assert np.array_equal(found, truth)


@pytest.mark.parametrize("mode", MODES)
def test_the_bytes_are_the_same_across_chunks(mode, monkeypatch):
    rng = np.random.default_rng(2)
    truth, pred = rng.integers(0, 9, 5000), np.sort(rng.integers(0, 700, 5000))
    monkeypatch.setattr(coding, "CHUNK", 640)
    monkeypatch.setattr("clusterbits.codec.partition.CHUNK", 640)
    compiled, plain = by_both(cb.codec.encode, truth, pred, mode)
    assert compiled == plain
    for found in by_both(cb.codec.decode, compiled, pred):
        assert np.array_equal(found, truth)


def test_cells_are_found_in_large_tables(monkeypatch):
    truth, pred = np.random.default_rng(0).integers(0, 9, (2, 500))
    looked_up = spy(monkeypatch, "look_up_cells")
    code = cb.codec.encode(truth, pred)
    assert looked_up
    looked_up.clear()
    monkeypatch.setattr(message, "_MOST_PAIRS", 0)
    assert cb.codec.encode(truth, pred) == code
    assert not looked_up


def test_each_path_is_judged_by_its_own_speed(monkeypatch):
    estimates = []
    monkeypatch.setattr(coding, "check_cost", lambda *a, seconds, memory: estimates.append(seconds))
    by_both(cb.codec.encode, [0, 1, 1], [0, 0, 1])
    assert estimates[1] > 2 * estimates[0]


@settings(max_examples=100)
@given(st.data())
def test_every_frequency_is_divided_by_exactly(data):
    """Inverses replace divisions; the quotient must be right for every state and frequency."""
    near = st.builds(lambda i, by: (1 << i) + by, st.integers(0, 27), st.integers(-2, 2))
    cuts = data.draw(st.sets(st.one_of(near, st.integers(1, SLOTS - 1)), max_size=40))
    inner = sorted({0, *cuts} - {-2, -1})
    edges = np.array([*inner, SLOTS, 2 * SLOTS], dtype=np.uint64)
    slots = SlotTable(edges, np.array([0, len(inner), len(inner) + 1]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    cells = rng.integers(0, len(inner) + 1, 2000)
    groups = (cells == len(inner)).astype(np.int64)

    def encoded():
        recorder, encoder = Recorder(), Encoder()
        for part in (slice(0, 2), slice(2, 2000)):  # few are divided, many multiplied
            recorder.cells(groups[part], slots, cells[part])
        recorder.uniform(np.array([1, 2**20, 3]), np.array([0, 2**20 - 1, 1]))
        encoder.push(recorder)
        return encoder.finish()

    def decoded(code):
        decoder = Decoder(code)
        found = [decoder.cells(groups[part], slots) for part in (slice(0, 2), slice(2, 2000))]
        found.append(decoder.uniform(np.array([1, 2**20, 3])))
        decoder.finish()
        return np.concatenate(found).tolist()

    compiled, plain = by_both(encoded)
    assert compiled == plain
    for found in by_both(decoded, compiled):
        assert found == [*cells.tolist(), 0, 2**20 - 1, 1]


def test_damaged_codes_are_refused_alike():
    """Every path gives the same labels or the same error, whatever was done to the code."""
    rng, samples = random.Random(11), mutations.samples()
    others = [code for code, _, _ in samples]
    for _ in range(300):
        code, _, pred = rng.choice(samples)
        code = mutations.sealed(mutations.mutated(code[:-8], rng, others))
        compiled, plain = by_both(cb.codec.decode, code, pred)
        if isinstance(plain, CodeError):
            assert str(compiled) == str(plain)
        else:
            assert compiled.tolist() == plain.tolist()


def test_lanes_are_read_alike(monkeypatch):
    monkeypatch.setattr(coding, "Encoder", lambda: LaneEncoder(32))
    truth, pred = np.arange(9000) ** 2 % 91, np.arange(9000) % 5
    for found in by_both(cb.codec.decode, cb.codec.encode(truth, pred), pred):
        assert np.array_equal(found, truth)


@pytest.mark.parametrize("low", [0, -5, 2**63 - 3, 2**64 - 12, -(2**63)])
def test_clusters_are_numbered_alike(low):
    names = [low + offset for offset in (7, 2, 7, 9, 0, 2, 11)]
    pred = np.array(names, dtype=np.uint64 if low > 0 else np.int64)
    for found in by_both(lambda: read_partition(read_labels(pred, "pred"))):
        assert found.of(slice(None)).tolist() == [0, 1, 0, 2, 3, 1, 4]
        assert found.sizes.tolist() == [2, 2, 1, 1, 1]


# --- arguments that do not fit together ----------------------------------------------------------

SLOT_TABLE = divide_slots(np.array([1, 2, 3, 4]), np.array([2, 2]))
EDGES, BEGINS = SLOT_TABLE
WORDS = array("I", [5] * 9)


def ints(*values):
    return np.array(values, dtype=np.int64)


def arranged(**changes):
    """Return a chunk of five objects: two of cluster 0, three of 2, with two cells each."""
    chunk = {
        "order": ints(0, 2, 1, 3, 4),
        "present": ints(0, 2),
        "waiting": ints(2, 3),
        "begins": ints(0, 2, 3),
        "widths": ints(2, 1, 2),
        "left": ints(1, 1, 5, 2, 1),
        "cells": ints(0, 3, 1, 4, 3),
    }
    return [part.copy() for part in (chunk | changes).values()]


WRONG_CHUNKS = [
    arranged(order=ints(0, 2, 1, 3, 5)),
    arranged(order=ints(0, 2, 1, 3, -1)),
    arranged(order=ints(0, 2, 1, 3)),
    arranged(present=ints(0, 3)),
    arranged(present=ints(2, 0)),
    arranged(present=ints(-1, 2)),
    arranged(waiting=ints(2, 4)),
    arranged(waiting=ints(0, 5)),
    arranged(waiting=ints(5)),
    arranged(begins=ints(0, 2, 4)),
    arranged(begins=ints(0, 2, -1)),
    arranged(begins=ints(0, 2)),
    arranged(widths=ints(2, 1, 3)),
    arranged(widths=ints(2, 1, 2**62)),
    arranged(widths=ints(0, 1, 2)),
    arranged(left=ints(1, 1, 5, 2)),
    arranged(left=ints(1, 0, 5, 2, 1)),
    arranged(left=ints(3, -1, 5, 2, 1)),
    arranged(left=ints(2**40, 1, 5, 2, 1)),
]


@pytest.mark.parametrize("chunk", WRONG_CHUNKS)
def test_chunks_that_do_not_fit(chunk):
    copies = [part.copy() for part in chunk]
    with pytest.raises(ValueError, match="do not fit together"):
        kernels.native.arrange_slots(*copies, np.empty(2 * len(chunk[0]), np.uint32))
    with pytest.raises(ValueError, match="do not fit together"):
        kernels.native.arrange_pull(*copies, 2**40, WORDS)


def test_chunks_that_fit():
    slots = np.empty(10, np.uint32)
    kernels.native.arrange_slots(*arranged(), slots)
    assert (slots[5:] > 0).all()
    for chunk, out in ((arranged(cells=ints(0, 2, 1, 4, 3)), slots), (arranged(), slots[:9])):
        with pytest.raises(ValueError, match="do not fit together"):
            kernels.native.arrange_slots(*chunk, out)
    assert kernels.native.arrange_pull(*arranged(), 2**32, array("I")) is None
    # The last slot belongs to a class that has no labels left.
    chunk = arranged(left=ints(2, 0, 5, 3, 0))
    assert kernels.native.arrange_pull(*chunk, 2**40 + SLOTS - 1, WORDS) is False


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("rans_push_cells", (ints(0, 4), EDGES, 2**32, np.empty(2, np.uint32))),
        ("rans_push_cells", (ints(*[0] * 99, -1), EDGES, 2**32, np.empty(100, np.uint32))),
        ("rans_push_cells", (ints(0, 1), EDGES, 2**32, np.empty(1, np.uint32))),
        ("rans_push_cells", (ints(0), EDGES[:0], 2**32, np.empty(1, np.uint32))),
        ("rans_push_cells", (ints(0), EDGES[::-1].copy(), 2**32, np.empty(1, np.uint32))),
        ("rans_push_cells", (ints(*[0] * 99), EDGES * 0, 2**32, np.empty(99, np.uint32))),
        ("rans_pull_cells", (ints(0, 2), EDGES, BEGINS, 2**40, WORDS, ints(0, 0))),
        ("rans_pull_cells", (ints(-1), EDGES, BEGINS, 2**40, WORDS, ints(0))),
        ("rans_pull_cells", (ints(0, 0), EDGES, BEGINS, 2**40, WORDS, ints(0))),
        ("rans_pull_cells", (ints(0), EDGES, BEGINS[:0], 2**40, WORDS, ints(0))),
        ("rans_pull_cells", (ints(0), EDGES[:0], BEGINS, 2**40, WORDS, ints(0))),
        ("rans_pull_cells", (ints(0), EDGES, ints(0, 9), 2**40, WORDS, ints(0))),
        ("rans_pull_cells", (ints(0), EDGES, ints(-3, 2), 2**40, WORDS, ints(0))),
        ("rans_pull_cells", (ints(*[0] * 99), EDGES, ints(0, 9), 2**40, WORDS, ints(*[0] * 99))),
        ("rans_pull_cells", (ints(*[7] * 999), EDGES, BEGINS, 2**40, WORDS, ints(*[0] * 999))),
        ("rans_pull_uniform", (EDGES * 0, 2**40, WORDS, ints(*[0] * 9))),
        ("rans_pull_uniform", (EDGES, 2**40, WORDS, ints(0))),
        ("rans_push_slots", (WORDS, WORDS[:8], 2**40, np.empty(9, np.uint32))),
        ("rans_push_slots", (WORDS, array("I", [0] * 9), 2**40, np.empty(9, np.uint32))),
        ("rans_push_slots", (WORDS, WORDS, 2**40, np.empty(8, np.uint32))),
        ("number_clusters", (ints(0, 3), ints(-1, -1), ints(0, 0), 0, np.empty(2, np.uint32))),
        ("number_clusters", (ints(0, 1), ints(-1, -1), ints(0), 0, np.empty(2, np.uint32))),
        ("number_clusters", (ints(0, 1), ints(-1, -1), ints(0, 0), 0, np.empty(1, np.uint32))),
        ("number_clusters", (ints(0, 1), ints(9, -1), ints(0, 0), 0, np.empty(2, np.uint32))),
        ("number_clusters", (ints(0, 1), ints(-1, -1), ints(0, 0), 9, np.empty(2, np.uint32))),
        ("number_clusters", (ints(0, 1), ints(-1, -1), ints(0, 0), -9, np.empty(2, np.uint32))),
        ("look_up_cells", (ints(0, 2), ints(0, 0), 0, 0, 2, 1, ints(0, 0), ints(0, 0))),
        ("look_up_cells", (ints(0, 1), ints(0, 0), 0, 0, 2, 2, ints(0, 0), ints(0, 0))),
        ("look_up_cells", (ints(0, 1), ints(0, 0), 0, 0, 2**63, 2, ints(0, 0), ints(0, 0))),
        ("look_up_cells", (ints(0, 1), ints(0, 0), 0, 0, 2, 1, ints(0, 0), ints(0))),
    ],
)
def test_arguments_that_do_not_fit(name, arguments):
    with pytest.raises(ValueError, match="do not fit together"):
        getattr(kernels.native, name)(*arguments)


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_slots_of_any_kind_do_no_harm(seed):
    """Slots that no table has may give a wrong state, or an error, and nothing else."""
    rng = np.random.default_rng(seed)
    cells, count = int(rng.integers(1, 9)), int(rng.choice([3, 2000]))
    edges = rng.integers(0, 2**64, cells + 1, dtype=np.uint64)
    begins = rng.integers(-1, cells + 2, int(rng.integers(1, 4)))
    wanted, values = rng.integers(-1, 3, count), rng.integers(-1, cells, count)
    words = np.empty(count, np.uint32)
    for name, arguments in (
        ("rans_pull_cells", (wanted, edges, begins, 2**40, WORDS, np.empty(count, np.int64))),
        ("rans_push_cells", (values, edges, 2**40, words)),
        ("rans_push_slots", (words, words[::-1].copy(), 2**40, words.copy())),
    ):
        with contextlib.suppress(ValueError):
            getattr(kernels.native, name)(*arguments)
