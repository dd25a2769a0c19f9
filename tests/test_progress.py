"""Progress bars: only where somebody watches, after a second, one for a call, gone at the end."""

import io
from threading import Event, Thread
from types import SimpleNamespace

import pytest

import clusterbits as cb
from clusterbits.system import progress
from clusterbits.system.progress import track, watching


class Terminal(io.StringIO):
    """A stderr that shows what it was told, as a terminal does."""

    def isatty(self):
        return True

    @property
    def screen(self):
        """What is left on the last line: a carriage return goes back, and letters cover letters."""
        line = ""
        for text in self.getvalue().split("\r"):
            line = text + line[len(text) :]
        return line.rstrip()


def watch(monkeypatch, stream):
    """Let bars be drawn on a stream; pytest has a stderr of its own for each part of a test."""
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
    return stream


@pytest.fixture
def terminal(monkeypatch):
    """Return a terminal as stderr, and lose all patience."""
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    return watch(monkeypatch, Terminal())


def bars(terminal):
    """Return how many bars were begun."""
    return terminal.getvalue().count(" 0%|")


def test_bars_are_drawn_and_erased(terminal):
    assert list(track(None, range(4))) == [0, 1, 2, 3]
    assert "  0%|" in terminal.getvalue()
    assert terminal.screen == ""


def test_polled_bars_are_drawn_and_erased(terminal):
    polled, enough = [], Event()

    def percentage():
        polled.append(1)
        if len(polled) == 30:
            enough.set()
        return 25.0

    with watching(None, percentage):
        assert enough.wait(20)
    assert " 26%|" in terminal.getvalue()  # the step that waits is counted
    assert terminal.screen == ""


TABLE = cb.Contingency.from_counts([[30, 5], [10, 55]])
RUNS = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
CALLS = {
    "evaluate": lambda **bar: cb.evaluate(TABLE, **bar),
    "intervals": lambda **bar: cb.evaluate(
        [0, 0, 1, 1], RUNS, ["q0"], confidence_level=0.95, **bar
    ),
    "interval": lambda **bar: cb.interval(TABLE, measure="q0", n_resamples=20, **bar),
    "compare": lambda **bar: cb.compare([0, 0, 1, 1], RUNS, **bar),
    "permutation_test": lambda **bar: cb.permutation_test(
        TABLE, measure="q0", n_resamples=20, **bar
    ),
    "pairwise": lambda **bar: cb.pairwise(RUNS, **bar),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_draws_one_bar_unless_told_not_to(terminal, name):
    CALLS[name](progress=False)
    assert bars(terminal) == 0
    CALLS[name]()
    assert bars(terminal) == 1
    assert terminal.screen == ""


def test_nothing_is_drawn_in_the_first_second(monkeypatch):
    terminal = watch(monkeypatch, Terminal())
    list(track(None, range(4)))
    assert terminal.getvalue() == ""


def test_nothing_is_drawn_where_nobody_watches(terminal, monkeypatch):
    thread = Thread(target=lambda: list(track(None, range(4))))
    thread.start()
    thread.join()
    assert terminal.getvalue() == ""
    for stream in (io.StringIO(), None):
        watch(monkeypatch, stream)
        assert list(track(None, range(4))) == [0, 1, 2, 3]


@pytest.mark.parametrize("widgets", [True, False])
def test_nothing_goes_to_the_stderr_of_a_kernel(monkeypatch, widgets):
    stream = type("OutStream", (Terminal,), {"__module__": "ipykernel.iostream"})()
    found = {"ipywidgets": widgets, "tqdm": True}
    monkeypatch.setattr(progress, "find_spec", found.__getitem__)
    watch(monkeypatch, stream)
    bar = progress._find_bar()
    assert (bar.__module__ if bar else None) == ("tqdm.notebook" if widgets else None)
    assert stream.getvalue() == ""


def test_another_bar_or_none():
    wrapped = []
    cb.evaluate(TABLE, measures=["q0"], progress=lambda tasks: wrapped.extend(tasks) or wrapped)
    assert len(wrapped) == 1
