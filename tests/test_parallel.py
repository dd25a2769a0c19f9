"""Work in threads: all of it is done, watched by a progress bar, ended by the first error."""

import signal
import threading
import time

import pytest

from clusterbits.system.progress import watching
from clusterbits.system.threads import call_interruptibly, run_in_threads


@pytest.mark.parametrize("threads", [1, 3])
def test_every_portion_is_done_once_and_watched(threads):
    done, watched = [], []

    def progress(portions):
        assert len(portions) == 20  # known in advance, for the bar
        for portion in portions:
            yield portion
            watched.append(portion)

    run_in_threads(done.append, range(20), threads, progress)
    assert sorted(done) == list(range(20))
    assert len(watched) == 20


def test_threads_work_at_the_same_time():
    meeting = threading.Barrier(3, timeout=10)
    run_in_threads(lambda portion: meeting.wait(), range(3), 3, iter)


def test_one_thread_is_the_callers():
    names = set()
    run_in_threads(lambda portion: names.add(threading.current_thread()), range(3), 1, iter)
    assert names == {threading.current_thread()}


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_error_ends_the_work(threads):
    done = []

    def work(portion):
        if portion == 3:
            raise ZeroDivisionError("portion 3")
        time.sleep(0.001)
        done.append(portion)

    with pytest.raises(ZeroDivisionError, match="portion 3"):
        run_in_threads(work, range(1000), threads, iter)
    assert {0, 1, 2} <= {*done}
    assert len(done) < 900


def press_ctrl_c(after):
    threading.Timer(after, signal.raise_signal, [signal.SIGINT]).start()


@pytest.fixture
def listening():
    """Let SIGINT interrupt, also if the tests run in the background, where shells ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_waits_for_no_thread():
    def work(portion):
        started.append(portion)
        time.sleep(3)

    for wait in (
        lambda: run_in_threads(work, range(100), 2, iter),
        lambda: call_interruptibly(work, 0),
    ):
        started = []
        press_ctrl_c(after=0.2)
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            wait()
        assert time.perf_counter() - start < 2
        assert 1 <= len(started) <= 2


def test_a_call_in_a_thread_answers_as_if_it_were_here():
    assert call_interruptibly(divmod, 7, 2) == (3, 1)
    assert call_interruptibly(sorted, [1, 2], reverse=True) == [2, 1]
    with pytest.raises(ZeroDivisionError):
        call_interruptibly(divmod, 7, 0)


def test_work_that_is_only_polled_is_watched_as_any_other():
    seen, halfway, done = [], threading.Event(), iter([-1.0, 0.0, 50.0])

    def progress(steps):
        assert len(steps) == 100
        for step in steps:
            seen.append(step)
            if step == 50:
                halfway.set()
            yield step

    with watching(progress, lambda: next(done, 50.0)):
        assert halfway.wait(10)
        assert seen == list(range(51))
    assert seen == list(range(100))
