"""The two paths of a computation: compiled kernels, and numpy."""

import contextlib

import pytest

from clusterbits.system import kernels

compiled = pytest.mark.skipif(kernels.native is None, reason="the kernels were not built")


@contextlib.contextmanager
def in_numpy():
    """Compute without the compiled kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "native", None)
        yield


def on_both_paths(function, *arguments):
    """Return what a function returns with the compiled kernels, and without them."""
    found = function(*arguments)
    with in_numpy():
        return found, function(*arguments)
