"""What is installed: the versions of the libraries in use, and whether the kernels are compiled."""

from __future__ import annotations

import platform

from clusterbits.system import kernels

_NEEDED = ("numpy", "scipy", "narwhals")
_OPTIONAL = (
    *("cyclopts", "rich", "tqdm", "duckdb", "jinja2", "matplotlib"),
    *("pandas", "polars", "pyarrow", "h5py", "dask", "distributed", "pyspark", "ibis-framework"),
    *("torch", "cupy", "jax", "scikit-learn", "networkx", "igraph"),
)


def show_versions() -> None:
    """Print what a bug report needs: Python, the libraries found, and the compiled kernels.

    Nothing is imported for it. Optional libraries are listed if they are installed.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.show_versions()
    Python            3...
    system            ...
    clusterbits       ...
    numpy             ...
    """
    import clusterbits

    lines = {
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "clusterbits": clusterbits.__version__,
    }
    lines |= {name: _version(name) or "not found" for name in _NEEDED}
    lines |= {name: version for name in _OPTIONAL if (version := _version(name))}
    lines["compiled kernels"] = "yes" if kernels.native is not None else f"no ({kernels.absence})"
    for name, value in lines.items():
        print(f"{name:<16}  {value}")


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
