"""Builds the compiled kernels; everything else is in pyproject.toml.

They are optional: without a C compiler the package is installed without them, and works.
"""

import sysconfig
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


setup(
    ext_modules=[] if free_threaded else [kernels],
    cmdclass={"build_ext": BuildKernels},
    options={} if free_threaded else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
