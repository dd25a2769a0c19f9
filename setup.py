"""Builds the compiled kernels and the page for the package index; the rest is in pyproject.toml.

The kernels are optional: without a C compiler the package is installed without them, and works.
With CLUSTERBITS_PURE=1 they are left out, and the wheel is for every platform.
"""

import os
import re
import sysconfig
import tomllib
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = Path("src/native")
kernels = Extension(
    "clusterbits._native",
    sources=sorted(map(str, SOURCES.glob("*.c"))),
    depends=sorted(map(str, SOURCES.glob("*.h"))),
    py_limited_api=True,
    optional=True,
)
# Free-threaded Python has no stable ABI: there numpy does the work.
free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
pure = free_threaded or os.environ.get("CLUSTERBITS_PURE") == "1"


class BuildKernels(build_ext):
    """Give each compiler its options.

    MSVC's release builds have /O2 already; without /utf-8 it reads sources in the local code page.
    """

    def build_extensions(self):
        if self.compiler.compiler_type == "msvc":
            kernels.extra_compile_args = ["/utf-8"]
        else:
            kernels.extra_compile_args = ["-std=c11", "-O3", "-fvisibility=hidden"]
        super().build_extensions()


def readme_for_the_index():
    """Return the README with full addresses: its links are relative, for a checkout."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = project["urls"]["Source"]
    return re.sub(
        r"(!?)(\[[^]]*\])\((?!https:)",
        lambda link: f"{link[1]}{link[2]}({source}/{'raw' if link[1] else 'blob'}/main/",
        Path("README.md").read_text(encoding="utf-8"),
    )


setup(
    long_description=readme_for_the_index(),
    long_description_content_type="text/markdown",
    ext_modules=[] if pure else [kernels],
    cmdclass={"build_ext": BuildKernels},
    options={} if pure else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
