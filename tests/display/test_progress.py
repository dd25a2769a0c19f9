"""Progress bars: only where somebody watches, after a second, and gone at the end."""

import io
import sys
from threading import Event, Thread
from types import SimpleNamespace

import pytest

import clusterbits as cb
from clusterbits.display import progress
from clusterbits.display.progress import progress_bar
from clusterbits.parallel import watching


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
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream, modules=sys.modules))


@pytest.fixture
def terminal(monkeypatch):
    """Return a terminal as stderr, and lose all patience."""
    watch(monkeypatch, Terminal())
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    monkeypatch.setattr(progress, "_PAUSE", 0)
    for name in ("rich", "rich.progress", "rich.console"):  # an extra, which no bar needs
        monkeypatch.setitem(sys.modules, name, None)
    return progress.sys.stderr


def test_bars_are_drawn_and_erased(terminal):
    assert list(progress_bar(range(4), "counting")) == [0, 1, 2, 3]
    drawn = terminal.getvalue()
    assert "counting [######......]  50%" in drawn
    assert terminal.screen == ""


def test_polled_bars_are_drawn_and_erased(terminal):
    polled, enough = [], Event()

    def percentage():
        polled.append(1)
        if len(polled) == 30:
            enough.set()
        return 25.0

    with watching(progress_bar, percentage):
        assert enough.wait(20)
    assert "computing [###.........]  25%" in terminal.getvalue()
    assert terminal.screen == ""


TABLE = cb.Contingency.from_counts([[30, 5], [10, 55]])
RUNS = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
CALLS = {
    "evaluate": lambda **bar: cb.evaluate(TABLE, **bar),
    "interval": lambda **bar: cb.interval(TABLE, "q0", resamples=20, **bar),
    "compare": lambda **bar: cb.compare([0, 0, 1, 1], RUNS, resamples=20, **bar),
    "permutation_test": lambda **bar: cb.permutation_test(TABLE, "q0", resamples=20, **bar),
    "pairwise": lambda **bar: cb.pairwise(RUNS, **bar),
}


@pytest.mark.parametrize("name", CALLS)
def test_python_calls_draw_bars_unless_told_not_to(terminal, name):
    CALLS[name]()
    assert "computing [" in terminal.getvalue()
    assert terminal.screen == ""
    before = terminal.getvalue()
    CALLS[name](progress=None)
    assert terminal.getvalue() == before


def test_nothing_is_drawn_in_the_first_second(monkeypatch):
    watch(monkeypatch, Terminal())
    list(progress_bar(range(4)))
    with watching(progress_bar, lambda: 50.0):
        pass
    assert progress.sys.stderr.getvalue() == ""


def test_nothing_is_drawn_where_nobody_watches(terminal, monkeypatch):
    thread = Thread(target=lambda: list(progress_bar(range(4))))
    thread.start()
    thread.join()
    assert terminal.getvalue() == ""
    for stream in (io.StringIO(), None):
        watch(monkeypatch, stream)
        assert list(progress_bar(range(4))) == [0, 1, 2, 3]
        with watching(progress_bar, lambda: 50.0):
            pass
    watch(monkeypatch, notebook := type("OutStream", (io.StringIO,), {})())
    type(notebook).__module__ = "ipykernel.iostream"
    list(progress_bar(range(4)))
    assert "computing [" in notebook.getvalue()


def test_a_failed_call_writes_nothing_later(terminal):
    bar = progress_bar(range(4))
    assert [next(bar), next(bar)] == [0, 1]
    before = terminal.getvalue()
    bar.close()  # as when the traceback is forgotten, with a new prompt on the line
    assert terminal.getvalue() == before
    assert len(terminal.screen) <= len("Traceback (most recent call last):")
