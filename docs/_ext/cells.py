"""Cells that are run when the site is built: what a page shows is what comes out.

In a page, ::

    ```{run}
    import clusterbits as cb
    cb.q2([0, 0, 1], [0, 0, 1])
    ```

    ```{run} console
    $ clusterbits score digits.csv --truth digit --pred ward_12
    ```

The cells of a page share their names and a folder, which has ``digits.csv``, the shipped data.
The value of the last expression is shown as text, or as in a notebook with ``:html:``; figures
are shown as pictures, described by ``:alt:``. ``:hide:`` runs a cell and shows nothing. A command
that should fail says so: ``:exit: 2``. Anything else that fails ends the build.
"""

from __future__ import annotations

import ast
import gzip
import io
import os
import re
import shlex
import tempfile
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import matplotlib
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from clusterbits.__main__ import main

WIDTH = "88"  # of a terminal, in characters


class Page:
    """The names and the folder that the cells of one page share."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__page__"}
        self.folder = tempfile.TemporaryDirectory(prefix="page-")
        data = files("clusterbits").joinpath("data/digits.csv.gz").read_bytes()
        Path(self.folder.name, "digits.csv").write_bytes(gzip.decompress(data))

    def run_python(self, code: str) -> tuple[str, Any]:
        """Return what a cell prints, and the value of its last line."""
        body = ast.parse(code).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        printed = io.StringIO()
        with chdir(self.folder.name), redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(ast.Module(body, []), "<cell>", "exec"), self.names)
            value = last and eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.names)
        return printed.getvalue(), value

    def run_commands(self, text: str, expected: int) -> str:
        """Return a session: each line after ``$`` with what it prints."""
        session = []
        for typed in re.findall(r"(?:.*\\\n)*.+", text):
            session.append(typed)
            line = re.sub(r"\\\n\s*", "", typed)
            printed, code = self._run_command(line.removeprefix("$ "))
            if code != expected:
                raise ValueError(f"{line!r} ended with {code}, not {expected}:\n{printed}")
            session.append(printed.rstrip("\n"))
        return "\n".join(part for part in session if part)

    def _run_command(self, line: str) -> tuple[str, int]:
        program, *arguments = shlex.split(line)
        if program == "cat":
            return Path(self.folder.name, *arguments).read_text(encoding="utf-8"), 0
        if program == "head":
            lines = Path(self.folder.name, arguments[-1]).read_text(encoding="utf-8").splitlines()
            return "\n".join(lines[: int(arguments[0].strip("-n"))]), 0
        if program != "clusterbits":
            raise ValueError(f"A page can run clusterbits, cat and head -N, not {program!r}")
        printed = io.StringIO()
        columns = os.environ.get("COLUMNS")
        os.environ["COLUMNS"] = WIDTH
        with chdir(self.folder.name), redirect_stdout(printed), redirect_stderr(printed):
            try:
                main(arguments)
            except SystemExit as stop:
                return printed.getvalue(), int(stop.code or 0)
            finally:
                del os.environ["COLUMNS"]
                if columns is not None:
                    os.environ["COLUMNS"] = columns
        raise AssertionError("a command always exits")


class Run(SphinxDirective):
    """Code, and what comes out of it."""

    has_content = True
    optional_arguments = 1
    option_spec: ClassVar = {
        "hide": directives.flag,
        "html": directives.flag,
        "exit": directives.nonnegative_int,
        "alt": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        page = self._page()
        code = "\n".join(self.content)
        try:
            if self.arguments == ["console"]:
                shown = page.run_commands(code, self.options.get("exit", 0))
                return [] if "hide" in self.options else [block(shown, "console")]
            printed, value = page.run_python(code)
        except Exception as error:
            raise self.error(f"A cell of {self.env.docname} fails: {error!r}\n{code}") from error
        pictures = self._pictures()
        if "hide" in self.options:
            return []
        return [block(code, "python"), *self._output(printed, value), *pictures]

    def _page(self) -> Page:
        pages = self.env.temp_data.setdefault("pages with cells", {})
        return pages.setdefault(self.env.docname, Page())

    def _output(self, printed: str, value: Any) -> list[nodes.Node]:
        output: list[nodes.Node] = [block(printed, "text", "output")] if printed.strip() else []
        if isinstance(value, matplotlib.artist.Artist) or value is None:
            return output
        if "html" in self.options:
            html = f'<div class="output-html" tabindex="0">{value._repr_html_()}</div>'
            return [*output, nodes.raw("", html, format="html")]
        return [*output, block(repr(value), "text", "output")]

    def _pictures(self) -> list[nodes.Node]:
        """Return the open figures as pictures, and close them."""
        found: list[nodes.Node] = []
        folder = Path(self.env.app.doctreedir, "cells")
        folder.mkdir(exist_ok=True)
        for number in plt.get_fignums():
            serial = self.env.new_serialno("cell")
            name = f"{self.env.docname.replace('/', '-')}-{serial}.png"
            plt.figure(number).savefig(folder / name, dpi=110)
            relative = os.path.relpath(
                folder / name, Path(self.env.srcdir, self.env.docname).parent
            )
            if "alt" not in self.options:
                raise self.error("A cell that draws needs :alt:, the picture in words.")
            found.append(nodes.image(uri=relative, alt=self.options["alt"], classes=["output"]))
        plt.close("all")
        return found


def block(text: str, language: str, *classes: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("run", Run)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
