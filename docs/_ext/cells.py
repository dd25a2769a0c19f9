"""Cells that are run when the site is built: what a page shows is what comes out.

In a page, ::

    ```{run}
    import clusterbits as cb
    cb.q2([0, 0, 1], [0, 0, 1])
    ```

    ```{run} console
    $ clusterbits score digits.csv --truth digit --pred ward_12
    ```

The cells of a page share their names and a folder, which has ``digits.csv``, the shipped data, and
the files of ``docs/data``.
The value of the last expression is shown as text, or as in a notebook with ``:html:``; figures
are shown as pictures, described by ``:alt:``. ``:hide:`` runs a cell and shows nothing,
``:hide-code:`` shows only what comes out. A file that a cell writes is put beside the page with
``:keep: report.html``, framed, with ``:alt:`` as its title. A command that should fail says so:
``:exit: 2``. Anything else that fails is an error of the build. Measures that a page declares and
settings of matplotlib that it changes are undone at its end.
"""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import shutil
import tempfile
import textwrap
import warnings
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch
from urllib.parse import quote

import matplotlib
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import clusterbits
from clusterbits.__main__ import main
from clusterbits.cli.demo import read_digits

WIDTH = 80  # of a terminal, in characters
DATA = Path(__file__).parents[1] / "data"
# What cells make, below the sources: Sphinx finds no picture on another drive.
CELLS = Path("_build", "cells")
KEPT = CELLS / "kept"
PAGE = "page with cells"  # what Sphinx keeps of the document that it reads


class Page(ExitStack):
    """The names and the folder that the cells of one page share."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, Any] = {"__name__": "__page__"}
        self.folder = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="page-")))
        shutil.copytree(DATA, self.folder, dirs_exist_ok=True)
        (self.folder / "digits.csv").write_bytes(read_digits())
        self.enter_context(plt.rc_context())
        clusterbits.list_measures()  # with those of fields, whose import is not undone
        self.enter_context(patch.dict("clusterbits.measures.catalogue._CATALOGUE"))

    def run_python(self, code: str) -> tuple[str, Any]:
        """Return what a cell prints, and the value of its last line."""
        body = ast.parse(code).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        printed = io.StringIO()
        with chdir(self.folder), redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(ast.Module(body, []), "<cell>", "exec"), self.names)
            value = last and eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.names)
        return printed.getvalue(), value

    def run_commands(self, text: str, expected: int) -> str:
        """Return a session: each line after ``$`` with what it prints."""
        session = []
        for command in re.split(r"(?<!\\)\n", text):
            session.append(command)
            printed, code = self._run_command(command.removeprefix("$ ").replace("\\\n", " "))
            if code != expected:
                raise ValueError(f"{command!r} ended with {code}, not {expected}:\n{printed}")
            # Tables and titles are laid out for a terminal; its messages are long lines.
            session += [
                wrap_line(line) if line.startswith("clusterbits: ") else line
                for line in printed.rstrip("\n").splitlines()
            ]
        return "\n".join(session)

    def _run_command(self, line: str) -> tuple[str, int]:
        program, *arguments = shlex.split(line)
        if program in ("cat", "head"):
            *options, name = arguments
            lines = (self.folder / name).read_text(encoding="utf-8").splitlines()
            count = int("".join(options).lstrip("-n")) if program == "head" else len(lines)
            return "\n".join(lines[:count]), 0
        if program != "clusterbits":
            raise ValueError(f"A page can run clusterbits, cat and head -N, not {program!r}")
        printed = io.StringIO()
        with (
            chdir(self.folder),
            redirect_stdout(printed),
            redirect_stderr(printed),
            patch.dict(os.environ, COLUMNS=str(WIDTH)),
        ):
            try:
                main(arguments)
            except SystemExit as stop:
                return printed.getvalue(), int(stop.code or 0)
        raise AssertionError("a command always exits")


class Run(SphinxDirective):
    """Code, and what comes out of it."""

    has_content = True
    optional_arguments = 1
    option_spec: ClassVar = {
        "hide": directives.flag,
        "hide-code": directives.flag,
        "html": directives.flag,
        "exit": directives.nonnegative_int,
        "alt": directives.unchanged,
        "keep": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # it may depend on anything
        if "keep" in self.options and "alt" not in self.options:
            raise self.error("A file that is kept needs :alt:, its title.")
        if PAGE not in self.env.temp_data:
            self.env.temp_data[PAGE] = Page()
        page = self.env.temp_data[PAGE]
        code = "\n".join(self.content)
        try:
            if self.arguments == ["console"]:
                shown = [block(page.run_commands(code, self.options.get("exit", 0)), "console")]
            else:
                shown = self._run_python(page, code)
            shown += self._kept(page)
        except Exception as error:
            raise self.error(f"A cell of {self.env.docname} fails: {error!r}\n{code}") from error
        finally:
            plt.close("all")
        return [] if "hide" in self.options else shown

    def _run_python(self, page: Page, code: str) -> list[nodes.Node]:
        printed, value = page.run_python(code)
        if "hide" in self.options:
            return []
        shown = [] if "hide-code" in self.options else [block(code, "python")]
        return [*shown, *self._output(printed, value), *self._pictures()]

    def _output(self, printed: str, value: Any) -> list[nodes.Node]:
        output: list[nodes.Node] = [output_block(printed)] if printed.strip() else []
        if isinstance(value, matplotlib.artist.Artist) or value is None:
            return output
        if "html" in self.options:
            html = f'<div class="output-html" tabindex="0">{value._repr_html_()}</div>'
            return [*output, nodes.raw("", html, format="html")]
        return [*output, output_block(repr(value))]

    def _pictures(self) -> list[nodes.Node]:
        """Return the open figures as pictures."""
        if plt.get_fignums() and "alt" not in self.options:
            raise ValueError("A cell that draws needs :alt:, the picture in words.")
        found: list[nodes.Node] = []
        for number in plt.get_fignums():
            serial = self.env.new_serialno("cell")
            picture = CELLS / f"{self.env.docname.replace('/', '-')}-{serial}.png"
            target = Path(self.env.srcdir) / picture
            target.parent.mkdir(parents=True, exist_ok=True)
            plt.figure(number).savefig(target, dpi=110)
            uri = f"/{picture.as_posix()}"
            found.append(nodes.image(uri=uri, alt=self.options["alt"], classes=["output"]))
        return found

    def _kept(self, page: Page) -> list[nodes.Node]:
        """Return a frame of a file that the cell wrote; `copy_kept` brings it to the site."""
        if "keep" not in self.options:
            return []
        name = self.options["keep"]
        target = Path(self.env.srcdir, KEPT, self.env.docname).parent / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page.folder / name, target)
        address, title = quote(name), escape(self.options["alt"])
        html = (
            f'<iframe class="kept" src="{address}" title="{title}" loading="lazy"></iframe>'
            f'<p><a href="{address}">Open {escape(name)} by itself</a></p>'
        )
        return [nodes.raw("", html, format="html")]


def close_page(app: Sphinx, doctree: nodes.document) -> None:
    """Remove the folder of a page that was read, and undo what its cells changed."""
    if page := app.env.temp_data.pop(PAGE, None):
        page.close()


def copy_kept(app: Sphinx, error: Exception | None) -> None:
    kept = Path(app.srcdir) / KEPT
    if error is None and app.builder.format == "html" and kept.exists():
        shutil.copytree(kept, app.outdir, dirs_exist_ok=True)


def wrap(text: str) -> str:
    """Return the text with long lines of prose wrapped; those of tables stay as they are."""
    return "\n".join(map(wrap_line, text.split("\n")))


def wrap_line(line: str) -> str:
    words = line.lstrip(" ")
    if len(line) <= WIDTH or "  " in words or words.startswith("|"):
        return line
    indent = line[: len(line) - len(words)]
    return textwrap.fill(
        words,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def output_block(text: str) -> nodes.literal_block:
    return block(wrap(text), "text", "output")


def block(text: str, language: str, *classes: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("run", Run)
    app.connect("doctree-read", close_page)
    app.connect("build-finished", copy_kept)
    # With -j 2, a process that was forked after the gallery has run dies.
    return {"parallel_read_safe": False, "parallel_write_safe": True}
