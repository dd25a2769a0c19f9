"""The report: one HTML file that needs nothing else, the same bytes for the same input."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from clusterbits.atomic import write_text
from clusterbits.core.excerpt import Excerpt
from clusterbits.display.tables import short, show
from clusterbits.errors import MissingExtraError
from clusterbits.parallel import Progress
from clusterbits.report.content import Summary, summarize
from clusterbits.scoring.scores import Scores

# The drawing of a path, in its own units.
_WIDTH, _HEIGHT, _EDGE = 600, 220, 14
# Paths from more clusters than this are drawn over a logarithmic axis.
_LINEAR = 60


@dataclass(frozen=True, repr=False)
class Report:
    """A report as HTML text; notebooks show it in a frame."""

    html: str

    def write(self, path: str | Path) -> None:
        """Write the report to a file; it is whole or not there."""
        write_text(Path(path), self.html)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Report: {len(self.html.encode()) / 1000:,.0f} kB of HTML; .write(path) saves it>"

    def _repr_html_(self) -> str:
        frame = "width:100%;height:70vh;border:1px solid #8884"
        return f'<iframe title="report" style="{frame}" srcdoc="{escape(self.html)}"></iframe>'


def make_report(scores: Scores, title: str, facts: Mapping[str, str], progress: Progress) -> Report:
    """Make the report of some scores; `Scores.report` says what the parameters are."""
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
        show=show, short=short, whole=_whole, counted=_counted, brief=_brief, percent=_percent,
        drawn=_drawn, level=_level, spoken=_spoken, digits=_digits,
        # A label that is written from right to left leaves the words around it alone.
        label=lambda name: Markup("<bdi>{}</bdi>").format(short(name)),
        # Formulas come from our own docstrings, not from data.
        mathml=lambda latex: Markup(convert(latex, display="block")),
    )  # fmt: skip
    summary = summarize(scores, title, facts, progress)
    # Our own files, word by word.
    folder = files("clusterbits.report") / "templates"
    style, script = (
        Markup((folder / name).read_text(encoding="utf-8").strip())
        for name in ("style.css", "script.js")
    )
    html = environment.get_template("report.html.j2").render(
        summary=summary,
        board=_board(summary),
        anchors={section.name: f"c{place}" for place, section in enumerate(summary.sections)},
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    # Labels may hold half a character, which no file can.
    return Report(html.encode("utf-8", "replace").decode())


def _board(summary: Summary) -> list[dict[str, Any]]:
    """Return the rows of the leaderboard, best first."""
    scores, ranks = summary.scores, summary.ranks
    by_clustering: dict[str, list[Any]] = {name: [] for name in scores.clusterings}
    for row in scores.rows:
        by_clustering[row.clustering].append(row)
    place = {name: i for i, name in enumerate(scores.clusterings)}
    rows = []
    for name in summary.order:
        places = {}
        if ranks is not None:
            column = ranks.values[:, place[name]].tolist()
            places = dict(zip(ranks.measures, column, strict=True))
        rows.append({"name": name, "values": by_clustering[name], "places": places})
    return rows


def _drawn(path: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """Return a path as points of a drawing, its ends and its lowest point marked."""
    clusters, bits = [k for k, _ in path], [b for _, b in path]
    logarithmic = clusters[0] > _LINEAR

    def scaled(value: float, low: float, high: float, size: int) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_EDGE + share * (size - 2 * _EDGE), 1)

    def across(k: int) -> float:
        if logarithmic:
            return scaled(math.log(k), math.log(clusters[-1]), math.log(clusters[0]), _WIDTH)
        return scaled(k, clusters[-1], clusters[0], _WIDTH)

    top, bottom = max(bits), min(bits)
    points = [
        (across(k), round(_HEIGHT - scaled(b, bottom, top, _HEIGHT), 1))
        for k, b in zip(clusters, bits, strict=True)
    ]
    best = bits.index(bottom)
    return {
        "points": " ".join(f"{x:g},{y:g}" for x, y in points),
        "start": points[0],
        "best": points[best],
        "logarithmic": logarithmic,
        "width": _WIDTH,
        "height": _HEIGHT,
        "top": top,
        "bottom": bottom,
        "first": clusters[0],
        "last": clusters[-1],
    }


def _whole(count: Any) -> str:
    """Return a count with thousands apart; real-valued ones with four digits."""
    return f"{count:,}" if isinstance(count, int) else f"{count:,.4g}"


def _brief(count: Any) -> str:
    """Return a count in at most four characters or so, for a small cell."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if count >= size:
            unit = 1e3 if letter == "k" else size
            return f"{count / unit:.3g}{letter}" if count < 1e15 else f"{float(count):.0e}"
    return f"{count}" if isinstance(count, int) else f"{count:.3g}"


def _digits(excerpt: Excerpt) -> int:
    """Return the characters of the widest count of a heatmap."""
    return max(len(_brief(count)) for row in excerpt.counts.tolist() for count in row)


def _counted(count: Any, one: str, many: str = "") -> str:
    """Return a count with its noun."""
    return f"{_whole(count)} {one if count == 1 else many or one + 's'}"


def _level(level: float) -> str:
    return f"{100 * level:.4g} %"


def _spoken(measure: str) -> str:
    """Return the name of a measure as words."""
    return measure.replace("_", " ")


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.9995 or share == 1 else f"{share:.3%}"
