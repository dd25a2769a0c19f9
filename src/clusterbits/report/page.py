"""The report as HTML: its content filled into the templates."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from os import PathLike
from typing import Any

from clusterbits.atomic import write_text
from clusterbits.core.excerpt import Excerpt
from clusterbits.display.tables import brief, counted, percent, short, show, with_commas
from clusterbits.errors import MissingExtraError, as_path
from clusterbits.parallel import Progress
from clusterbits.report.content import Content, MergePath, make_content, spoken
from clusterbits.scoring.scores import Scores

# The drawing of a path, in its own units.
_WIDTH, _HEIGHT, _EDGE = 600, 220, 14


@dataclass(frozen=True, repr=False)
class Report:
    """A report as HTML text; notebooks show it in a frame."""

    html: str

    def write(self, path: str | PathLike[str]) -> None:
        """Write the report to a file, all of it or nothing."""
        write_text(as_path(path), self.html)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Report: {len(self.html.encode()) / 1000:,.0f} kB of HTML; .write(path) saves it>"

    def _repr_html_(self) -> str:
        frame = "width:100%;height:70vh;border:1px solid #8884"
        return f'<iframe title="report" style="{frame}" srcdoc="{escape(self.html)}"></iframe>'


def make_report(scores: Scores, title: str, facts: Mapping[str, str], progress: Progress) -> Report:
    """Return the report of some scores; `Scores.report` describes the parameters."""
    environment = _environment()  # a missing extra is reported before anything is computed
    return _fill(environment, make_content(scores, title, facts, progress))


def _environment() -> Any:
    """Return the templates and what they call."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from latex2mathml.converter import convert
    except ImportError:
        raise MissingExtraError("the report", "report") from None
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("clusterbits.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(
        show=show, short=short, commas=with_commas, counted=counted, brief=brief, share=_share,
        drawn=_drawn, percent=percent, spoken=spoken, digits=_digits,
        # A label that is written from right to left leaves the words around it alone.
        label=lambda name: Markup("<bdi>{}</bdi>").format(short(name)),
        # Formulas come from our own docstrings, not from data.
        mathml=lambda latex: Markup(convert(latex, display="block")),
    )  # fmt: skip
    return environment


def _fill(environment: Any, content: Content) -> Report:
    from markupsafe import Markup

    # Our own files, not escaped.
    folder = files("clusterbits.report") / "templates"
    style, script = (
        Markup((folder / name).read_text(encoding="utf-8").strip())
        for name in ("style.css", "script.js")
    )
    html = environment.get_template("report.html.j2").render(
        content=content,
        anchors={section.row.name: f"c{place}" for place, section in enumerate(content.sections)},
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    # Labels may hold lone surrogates, which UTF-8 cannot.
    return Report(html.encode("utf-8", "replace").decode())


def _drawn(path: MergePath) -> dict[str, Any]:
    """Return the coordinates of a path and the ends of its axes."""
    clusters, bits = zip(*path.points, strict=True)

    def scaled(value: float, low: float, high: float, size: int) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_EDGE + share * (size - 2 * _EDGE), 1)

    def across(k: int) -> float:
        if path.logarithmic:
            return scaled(math.log(k), math.log(clusters[-1]), math.log(clusters[0]), _WIDTH)
        return scaled(k, clusters[-1], clusters[0], _WIDTH)

    top, bottom = max(bits), min(bits)
    points = [
        (across(k), round(_HEIGHT - scaled(b, bottom, top, _HEIGHT), 1))
        for k, b in zip(clusters, bits, strict=True)
    ]
    return {
        "points": " ".join(f"{x:g},{y:g}" for x, y in points),
        "start": points[0],
        "best": points[path.best],
        "width": _WIDTH,
        "height": _HEIGHT,
        "top": top,
        "bottom": bottom,
        "first": clusters[0],
        "last": clusters[-1],
    }


def _digits(excerpt: Excerpt) -> int:
    """Return the characters of the widest count of a heatmap."""
    return max(len(brief(count)) for row in excerpt.counts.tolist() for count in row)


def _share(share: float) -> str:
    return f"{share:.1%}" if share < 0.9995 or share == 1 else f"{share:.3%}"
