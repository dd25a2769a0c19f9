"""Ctrl-C and SIGTERM at any moment: the right exit code, no traceback, nothing left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest
from support.hostile import TIMES

COMMANDS = {
    "score": ("score", "labels.csv", "--truth", "c", "--pred", "k", "--save", "out.json"),
    "compare": ("compare", "labels.csv", "--truth", "c", "--pred", "*k*"),
    "report": ("report", "labels.csv", "--truth", "c", "--pred", "k", "-o", "out.html"),
    "encode": ("code", "encode", "labels.csv", "--truth", "c", "--pred", "k", "-o", "out.clb"),
    "cards": ("paper", "cards", "rand"),
    "reproduce": ("paper", "reproduce", "--out", "."),
}
# Under `make fuzz` every command at 30 moments each.
MOMENTS = 30 if TIMES > 1 else 2
SCRIPT = "import sys; from clusterbits.__main__ import main; sys.exit(main())"


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    rows = "".join(f"c{i % 50},{i * 7919 % 1000},{i % 77}\n" for i in range(100_000))
    path.write_text("c,k,kk\n" + rows * 3)
    return path


@pytest.fixture
def launch(tmp_path, labels):
    """Return a function that starts a command, as a module or as the installed script."""
    folder = tmp_path / "work"
    folder.mkdir()
    os.link(labels, folder / "labels.csv")
    script = tmp_path / "clusterbits"
    script.write_text(SCRIPT)

    def call(arguments, how=("-m", "clusterbits")):
        how = [str(script)] if how == "script" else how
        return subprocess.Popen(
            [sys.executable, *how, *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return call


def started(process):
    """Wait until the process has our handlers: Python itself takes a moment to start."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status") as status:
            caught = next(line for line in status if line.startswith("SigCgt"))
        if int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.002)


def check(launch, folder, arguments, delays, number=signal.SIGINT, how=("-m", "clusterbits")):
    """Return how the commands ended."""
    codes = []
    for delay in delays:
        process = launch(arguments, how)
        started(process)
        time.sleep(delay)
        begun = time.monotonic()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert time.monotonic() - begun < 3  # far less on a machine that does nothing else
        assert "Traceback" not in err
        assert "rror" not in err
        # Python resets the handlers at its very end, when everything is written.
        assert process.returncode in (0, -number) or err.endswith("Interrupted.\n")
        assert not [name for name in os.listdir(folder) if name.startswith(".clusterbits")]
        codes.append(process.returncode)
    return codes


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")


@needs_proc
def test_sigterm_and_ctrl_c_end_a_command(launch, tmp_path):
    """With the code that shells expect, one line, and nothing left behind."""
    for number, how in ((signal.SIGTERM, ("-m", "clusterbits")), (signal.SIGINT, "script")):
        codes = check(launch, tmp_path / "work", COMMANDS["score"], (0.1,), number, how)
        assert codes == [128 + number]


@needs_proc
@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS if TIMES > 1 else ("score", "report"))
def test_a_signal_at_any_moment(launch, tmp_path, name):
    times = []
    for _ in range(2):  # the first may wait for the disk
        begun = time.monotonic()
        process = launch(COMMANDS[name])
        _, err = process.communicate()
        assert process.returncode == 0, err
        times.append(time.monotonic() - begun)
    whole = min(times)
    delays = [whole * (i + 0.5) / MOMENTS for i in range(MOMENTS)]
    codes = check(launch, tmp_path / "work", COMMANDS[name], delays)
    assert set(codes) <= {130, 0, -signal.SIGINT}
    assert codes[: MOMENTS // 2] == [130] * (MOMENTS // 2)


def test_programs_that_import_the_library_keep_their_signals(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "import signal, sys\n"
        "sys.argv = sys.argv[:1]\n"
        "import clusterbits\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    subprocess.run([sys.executable, script, "clusterbits"], check=True)
