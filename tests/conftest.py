"""Settings and fixtures for every test."""

import os
import shutil
import sys

import pytest
from hypothesis import HealthCheck, settings

import clusterbits.paper
from clusterbits.__main__ import main
from clusterbits.system import kernels

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

settings.register_profile(
    "clusterbits",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    max_examples=60,
)
# For `make fuzz`: over a hundred times as many examples, and other ones each time.
settings.register_profile(
    "long",
    settings.get_profile("clusterbits"),
    derandomize=False,
    max_examples=10_000,
    print_blob=True,
)
settings.load_profile("clusterbits")

# Hundreds of commands are started: without .pyc files, each compiles the whole package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: one of scikit-learn's, whose tests we run")


def pytest_collection_modifyitems(config, items):
    """Leave out what needs a GPU, unless `pytest -m gpu` asks for it; begin with what is slow."""
    if "gpu" not in config.option.markexpr:
        config.hook.pytest_deselected(items=[i for i in items if i.get_closest_marker("gpu")])
        items[:] = [i for i in items if not i.get_closest_marker("gpu")]
    # Files with slow tests first: no process is left with one of them at the end.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Return a function that runs a command in `tmp_path`: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        return stop.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture(scope="session")
def browser():
    """Start one browser for all tests of pages."""
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def reproduction():
    """Reproduce the paper once: it takes seconds."""
    return clusterbits.paper.reproduce()


@pytest.fixture(params=["compiled", "numpy"])
def kernel_path(request, monkeypatch):
    """Run a test with the compiled kernels, and without them."""
    if request.param == "numpy":
        monkeypatch.setattr(kernels, "native", None)
    elif kernels.native is None:
        pytest.skip(f"the compiled kernels are {kernels.absence}")
    return request.param
