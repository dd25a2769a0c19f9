"""Every source counts alike: random labelings, each held against an oracle in plain Python.

The oracle knows objects and dictionaries only. It says which objects count, the table, the
coverage, or which error is raised.
"""

import itertools
import random
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from support.engines import ENGINES
from support.files import write_csv, write_parquet

import clusterbits as cb
from clusterbits.errors import LabelError, MissingLabelError, NothingToCountError
from clusterbits.labels import settle as settling
from clusterbits.labels.tally import Tally
from clusterbits.reading.files.sources import find_sources
from clusterbits.reading.request import Request

# The label of an object that a side does not have; one that lacks its label has None.
ABSENT: Any = ...
RUNS = ("a", "b")
WEIGHTS = {"whole": [0, 1, 1, 2, 3], "fractional": [0, 0.5, 1, 1.25, 2]}
GROUPS = "uvw"
CASES = 120
JOINED, FILES = ["mappings", "joined files"], ["csv", "parquet", "joined files"]
SOURCES = ["arrays", "mappings", "pandas", "polars", "polars lazy", "duckdb", *FILES]


class Object(NamedTuple):
    """The labels of an object in all labelings, how much it weighs, and its group."""

    truth: Any
    a: Any
    b: Any
    weight: float = 1
    group: str | None = "u"


class Case(NamedTuple):
    """Objects and options; weights are None, "balanced" or a kind of `WEIGHTS`."""

    objects: list[Object]
    weights: str | None = None
    missing: str = "error"
    unmatched: str = "error"
    noise: str | None = None
    truth_noise: Any = None

    @property
    def options(self) -> dict[str, Any]:
        return {name: x for name, x in self._asdict().items() if name not in ("objects", "weights")}


def draw_case(rng, source, grouped=False, weights=(None, "balanced", *WEIGHTS)):
    """Draw a case that the source can be given: what it refuses is left as it is by default."""
    how, labels = rng.choice(weights), rng.choice([["x", "y", "z", "-1"], [0, 1, 2, -1]])
    unmatched = "error"
    if source in JOINED:
        # Only objects of truth have groups; in files, only they have weights.
        few = grouped or (source == "joined files" and how in WEIGHTS)
        unmatched = rng.choice(["error", "drop", "drop" if few else "class"])
    lacks = [None] * rng.randint(0, 1)
    lacks += [ABSENT] * (source in JOINED and (unmatched != "error" or rng.random() < 0.3))
    groups = [*GROUPS] * 4 + [None] * rng.randint(0, 1)
    objects = [
        Object(
            rng.choice(labels[:3] + lacks),
            rng.choice(labels + lacks),
            rng.choice(labels + lacks),
            rng.choice(WEIGHTS.get(how, [1])),
            rng.choice(groups),
        )
        for _ in range(rng.randint(1, 9))
    ]
    objects[0] = objects[0]._replace(truth=labels[0], a=labels[1], b=labels[0])  # no side is empty
    if source == "joined files":  # where one file has both runs
        objects = [x._replace(b=ABSENT if x.a is ABSENT else known(x.b)) for x in objects]
    return Case(
        objects,
        how,
        rng.choice(["error", "drop", "class"]),
        unmatched,
        rng.choice([None, "singletons", "drop"]),
        rng.choice([None, labels[0]]),
    )


# --- the oracle ----------------------------------------------------------------------------------


class Answer(NamedTuple):
    """The objects that count, those of weight 0 with them; and the coverage of one run."""

    objects: list[Object]
    coverage: tuple | None


def settle(case, runs, joined=False, grouped=False) -> Answer | type[Exception]:
    """Return what counts in all of these runs, or the error."""
    sides = ("truth", *runs)
    every = [x for x in case.objects if any(getattr(x, side) is not ABSENT for side in sides)]

    def without(objects, label, sides=sides):
        return [x for x in objects if all(text(getattr(x, side)) != text(label) for side in sides)]

    if case.unmatched == "error" and len(without(every, ABSENT)) < len(every):
        return LabelError
    kept = without(every, ABSENT) if case.unmatched == "drop" else every
    if not any(x.weight for x in kept):
        return NothingToCountError
    integers = not any(x.weight % 1 for x in kept)
    labelled = without(kept, None)
    if case.missing == "error" and any(x.weight for x in kept if x not in labelled):
        return MissingLabelError
    kept = kept if case.missing == "class" else labelled
    if case.truth_noise is not None:
        kept = without(kept, case.truth_noise, ["truth"])
    if case.noise == "drop":
        kept = without(kept, -1, runs)
    if not any(x.weight for x in kept):
        return NothingToCountError
    if grouped and any(x.weight and x.group is None for x in kept):
        return MissingLabelError
    quiet = without(kept, -1, runs)
    noisy = any(x.weight for x in kept if x not in quiet)
    if case.noise == "singletons" and noisy and not integers:
        return LabelError
    in_objects = joined and case.unmatched != "error"

    def size(objects):
        measured = [(x, 1 if in_objects else x.weight) for x in objects]
        clusters = {getattr(x, runs[0]) for x, weight in measured if weight} - {None, ABSENT}
        return sum(weight for _, weight in measured), len(clusters)

    (n, k), (of_n, of_k) = size(kept), size(every)
    return Answer(kept, None if (n, k) == (of_n, of_k) else (n, of_n, k, of_k))


def count(case, objects, run, group=None):
    """Return {(class, cluster): weight} in order; noise singletons of a group are those of all."""
    cells, number = {}, itertools.count(1)
    for x in sorted(objects, key=lambda x: (place(x.truth), place(x.group))):
        alone = case.noise == "singletons" and text(getattr(x, run)) == "-1"
        for weight in [1] * x.weight if alone else [x.weight] * bool(x.weight):
            key = place(x.truth), place((-1, next(number)) if alone else getattr(x, run))
            if group is None or group == x.group:
                cells[key] = cells.get(key, 0) + weight
    if case.weights == "balanced":
        sizes = {c: sum(w for (row, _), w in cells.items() if row == c) for c, _ in cells}
        n = sum(sizes.values())
        cells = {key: w * n / len(sizes) / sizes[key[0]] for key, w in cells.items()}
    return dict(sorted(cells.items()))


def place(label):
    """Return what sorts labels: None after the others, then noise singletons."""
    if known(label) is None:
        return (1, 0, None)
    return (2 if isinstance(label, tuple) else 0, label, label)


def known(label):
    """Return None for an object that a side does not have, and any other label as it is."""
    return None if label is ABSENT else label


def text(label):
    """Return a label as files write it."""
    return label if label is None or label is ABSENT else str(label)


# --- the sources ---------------------------------------------------------------------------------


def columns_of(objects, sides, step=1):
    """Return columns of the objects that these sides have, the numbers of the objects first."""
    rows = [(i, x) for i, x in enumerate(objects) if getattr(x, sides[0]) is not ABSENT][::step]
    columns = {side: [getattr(x, side) for _, x in rows] for side in sides}
    return {"id": [i for i, _ in rows], **columns}


def ask(source, case, folder=None, grouped=False):
    """Return what evaluate and compare are given: the data, and the options."""
    objects, options = case.objects, case.options
    named = {"weights": "weight"} if case.weights in WEIGHTS else {}
    named |= {"groups": "group"} if grouped else {}
    if case.weights == "balanced":
        options["weights"] = "balanced"
    if source in ("arrays", "mappings"):
        sides = {side: columns_of(objects, [side], -1) for side in Object._fields}
        given = {side: columns[side] for side, columns in sides.items()}
        if source == "mappings":  # only the classes in the order of the objects
            given = {x: dict(zip(sides[x]["id"], given[x], strict=True)) for x in given}
            given["truth"] = dict(reversed(given["truth"].items()))
        options |= {option: given[side] for option, side in named.items()}
        return (given["truth"], {run: given[run] for run in RUNS}), options
    options |= named | {"truth": "truth", "pred": [*RUNS]}
    if source == "joined files":
        truth = columns_of(objects, ["truth", "weight", "group"])
        paths = [write_csv(folder / "truth.csv", truth), folder / "pred.parquet"]
        write_parquet(paths[1], columns_of(objects, RUNS, -1))
        return (paths,), options
    columns = columns_of(objects, Object._fields)
    del options["unmatched"]
    if source in ("csv", "parquet"):
        write = write_csv if source == "csv" else write_parquet
        return (write(folder / f"labels.{source}", columns),), options
    return (ENGINES[source](pa.table(columns)),), options


def count_alone(source, data, options):
    """Return the table of each run, without evaluate."""
    if source in ("arrays", "mappings"):
        truth, runs = data
        return {run: cb.Contingency(truth, runs[run], **options) for run in RUNS}
    if source == "joined files":
        return cb.Contingency.from_file(*data, on="id", **options)
    files = source in ("csv", "parquet")
    return (cb.Contingency.from_file if files else cb.Contingency.from_frame)(*data, **options)


def open_files(source, data):
    """Return the data of evaluate and compare: only the commands give them files to join."""
    if source != "joined files":
        return data
    return (Request([find_sources(path) for path in data[0]], on="id"),)


# --- they agree ----------------------------------------------------------------------------------


def check(table, case, cells, coverage=None):
    """Compare a table with that of the oracle: labels and their order, weights, coverage."""
    classes, clusters = [*map(text, table.classes)], [*map(text, table.clusters)]
    found = [(classes[i], clusters[j]) for i, j in zip(table.rows, table.columns, strict=True)]
    assert found == [(text(c[-1]), text(k[-1])) for c, k in cells]
    assert table.counts.tolist() == pytest.approx([*cells.values()], rel=1e-12)
    assert table.coverage == coverage
    assert table.weighted == (case.weights in WEIGHTS)


def agree(call, answers):
    """Return what is found; None if an error is, the one that the oracle has."""
    errors = [answer for answer in answers if isinstance(answer, type)]
    if not errors:
        return call()
    with pytest.raises(LabelError) as error:
        call()
    assert error.type is errors[0]
    return None


@contextmanager
def noting(*given):
    """Let a failure show the case."""
    try:
        yield
    except BaseException as error:
        error.add_note("\n".join(map(str, given)))
        raise


def check_tables(source, case, grouped, folder, alone=False):
    """Compare the tables of all runs with the oracle's, those of groups too."""
    answers = [settle(case, [run], source in JOINED, grouped) for run in RUNS]
    data, options = ask(source, case, folder, grouped)

    def call():
        if alone and not grouped:
            return count_alone(source, data, options), {}
        scores = cb.evaluate(*open_files(source, data), measures="purity", **options)
        return scores.tables, {group: own.tables for group, own in scores.groups.items()}

    if (found := agree(call, answers)) is None:
        return
    tables, groups = found
    names = {x.group for x in case.objects if x.truth is not ABSENT and grouped}
    assert [*groups] == sorted(names - {None})
    for run, answer in zip(RUNS, answers, strict=True):
        check(tables[run], case, count(case, answer.objects, run), answer.coverage)
        for group, own in groups.items():
            cells = count(case, answer.objects, run, group)
            assert (run in own) == bool(cells)
            if cells:
                check(own[run], case, cells)


def check_batches(case, middle):
    """Compare the table of two pieces of a frame, which may not know what clusters they left."""
    answer = settle(case, ["a"])
    (frame,), options = ask("polars", case)
    pieces = [frame[:middle], frame[middle:]]
    options["pred"] = "a"
    if table := agree(lambda: cb.Contingency.from_batches(pieces, **options), [answer]):
        coverage = answer.coverage
        if table.coverage and table.coverage.of_clusters is None:
            coverage = (*coverage[:3], None)
        check(table, case, count(case, answer.objects, "a"), coverage)


def check_compared(source, case, grouped, folder):
    """Compare the tables of objects that count in all runs; classes have lost their names."""
    answer = settle(case, RUNS, source in JOINED, grouped)
    if isinstance(answer, Answer):  # of one nothing can be left out
        units = {x.group for x in answer.objects} if grouped else answer.objects
        if len(units) < 2:
            return
    data, options = ask(source, case, folder, grouped)
    data = open_files(source, data)
    if found := agree(lambda: cb.compare(*data, measure="purity", **options), [answer]):
        for run in RUNS:
            cells = count(case, answer.objects, run)
            classes, clusters = (sorted({*names}) for names in zip(*cells, strict=True))
            rows = sorted([cells.get((c, k), 0) for k in clusters] for c in classes)
            dense = sorted(found.tables[run].to_dense().tolist())
            assert np.array(dense) == pytest.approx(np.array(rows), rel=1e-12)


def draw_cases(source, **options):
    """Yield random cases: many of arrays, few of files, which take ten times as long."""
    for seed in range(CASES // (6 if source in FILES else 3 if source in ENGINES else 1)):
        rng = random.Random(seed)
        grouped = rng.random() < 0.5
        yield draw_case(rng, source, grouped, **options), grouped, rng


@pytest.mark.filterwarnings("ignore")  # of labels that do not occur
@pytest.mark.parametrize("source", SOURCES)
def test_tables(source, tmp_path):
    for case, grouped, rng in draw_cases(source):
        with noting(case):
            check_tables(source, case, grouped, tmp_path, alone=rng.random() < 0.5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", SOURCES)
def test_tables_without_shortcuts(source, tmp_path, monkeypatch):
    """Tables are the same if no object is counted before it is settled."""
    monkeypatch.setattr(settling, "_is_settled", lambda *_: False)
    monkeypatch.setattr(Tally, "reduced", lambda tally: tally)
    for case, grouped, _ in itertools.islice(draw_cases(source), 8):
        with noting(case):
            check_tables(source, case, grouped, tmp_path, alone=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", [x for x in SOURCES if x != "polars lazy"])
def test_compared(source, tmp_path):
    for case, grouped, _ in draw_cases(source, weights=[None, "balanced"]):
        with noting(case):
            check_compared(source, case, grouped, tmp_path)


@pytest.mark.filterwarnings("ignore")
def test_batches():
    for case, _, rng in draw_cases("polars"):
        middle = rng.randint(0, len(case.objects))
        with noting(case, middle):
            check_batches(case, middle)


def test_batch_of_missing_labels_is_covered():
    check_batches(Case([Object("x", 0, 0), Object("y", None, 0)], missing="drop"), 1)


def test_joined_files_count_whole_objects(tmp_path):
    case = Case([Object("x", 0, 0), Object("y", ABSENT, ABSENT)], "whole", unmatched="drop")
    (paths,), options = ask("joined files", case, tmp_path)
    table = cb.Contingency.from_file(paths, on="id", **options)["a"]
    assert str(table.coverage) == "scored 1 of 2 objects (0.5) in 1 of 1 clusters"
