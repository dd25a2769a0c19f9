"""The report as HTML: its content filled into the templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from clusterbits.errors import import_extra
from clusterbits.explanation.advice import describe_clusters, name_kind
from clusterbits.inference.verdict import NEAR
from clusterbits.plots.bits_plot import draw_bits
from clusterbits.plots.canvas import draw_on_page
from clusterbits.plots.explanation_plots import draw_merge_path
from clusterbits.report.content import MAX_CLUSTERS, MAX_RANKED, Content, Section, make_content
from clusterbits.report.words import linked, short_name, shown, spoken, write_label
from clusterbits.scoring.scores import Scores
from clusterbits.system.atomic_files import write_text
from clusterbits.system.progress import Progress
from clusterbits.table.excerpt import Excerpt
from clusterbits.text.html_page import content_policy, page_script, page_style
from clusterbits.text.shortened import distinct_texts
from clusterbits.text.tables import brief, counted, percent, short, with_commas

# Sizes of the bits over clusters, for a desk and for a phone, and of a merge path.
_DESK, _PHONE, _PATH = (1100, 300), (360, 300), (440, 220)
# Merge paths that are drawn: those of the best clusterings, if merging saves bits.
_PATHS = 5
# Characters of a label at the edge of a heatmap and on hover, and of all its clusters before they
# are turned.
_EDGE, _FULL, _UPRIGHT = 24, 200, 120


@dataclass(frozen=True, repr=False)
class Report:
    """A report as HTML text; notebooks show it in a frame."""

    html: str

    def write(self, path: str | PathLike[str]) -> None:
        """Write the report to a file, all of it or nothing."""
        write_text(Path(path), self.html)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Report: {len(self.html.encode()) / 1000:,.0f} kB of HTML; .write(path) saves it>"

    def _repr_html_(self) -> str:
        frame = "width:100%;height:70vh;border:1px solid #8884"
        return f'<iframe title="report" style="{frame}" srcdoc="{escape(self.html)}"></iframe>'


def make_report(scores: Scores, title: str, facts: Mapping[str, str], progress: Progress) -> Report:
    """Return the report of some scores; `Scores.report` describes the parameters."""
    from markupsafe import Markup

    environment = make_environment()  # a missing extra is reported before anything is computed
    content = make_content(scores, title, facts, progress)
    anchors = {section.name: f"c{i}" for i, section in enumerate(content.sections)}
    paths = {
        section.name: Markup(_path(section, f"path-{anchors[section.name]}"))
        for section in content.sections[:_PATHS]
        if section.why.over_split > 0
    }
    return fill_page(environment, "report", content=content, anchors=anchors, paths=paths)


def fill_page(environment: Any, template: str, **values: Any) -> Report:
    """Return a page: a template filled with values, our style and our script."""
    from markupsafe import Markup

    folder = files("clusterbits.report") / "templates"
    script = page_script(folder / "script.js")
    html = environment.get_template(f"{template}.html.j2").render(
        **values,
        style=Markup(page_style(folder / "style.css")),  # our own files, not escaped
        script=Markup(script),
        policy=Markup(content_policy(script)),
    )
    # Labels may hold lone surrogates, which UTF-8 cannot.
    return Report(html.encode("utf-8", "replace").decode())


def make_environment() -> Any:
    """Return the templates and what they call."""
    jinja2 = import_extra("jinja2", "the report", "report")
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("clusterbits.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(
        clusters=describe_clusters, kind=name_kind, text=short,
        full=partial(short, width=_FULL), commas=with_commas,
        counted=counted, brief=brief, percent=percent, shown=shown,
        spoken=spoken, short_name=short_name, turned=_turned,
        chart=lambda content: Markup(_chart(content)), shade=_shade,
        label=lambda name, width=60: Markup(write_label(name, width)),
        edges=lambda names: distinct_texts(names, _EDGE),
        links=lambda measures: Markup(linked(measures)),
    )  # fmt: skip
    environment.globals |= {"max_ranked": MAX_RANKED, "max_clusters": MAX_CLUSTERS, "near": NEAR}
    return environment


def _chart(content: Content) -> str:
    """Return the bits over clusters, for wide and for narrow screens."""
    bits = content.bits
    label = f"Bits per object over the number of clusters. {content.decision.text(short)}"
    sizes = {"desk": _DESK, "phone": _PHONE}
    draw = partial(draw_bits, bits)
    return "\n".join(draw_on_page(draw, size, name, label) for name, size in sizes.items())


def _path(section: Section, name: str) -> str:
    """Return the merge path of a clustering."""
    why = section.why
    best = f"{shown(why.best_step.q0)} with {counted(why.best_step.clusters, 'cluster')}"
    label = f"q0 along the merge path: {shown(why.q0)} as given, lowest {best}"
    return draw_on_page(partial(draw_merge_path, why), _PATH, name, label)


def _turned(excerpt: Excerpt) -> bool:
    """Whether the names of the clusters are turned, to keep the columns narrow."""
    longest = max(map(len, distinct_texts(excerpt.clusters, _EDGE)))
    return longest > 3 and longest * len(excerpt.clusters) > _UPRIGHT


def _shade(share: float) -> str:
    """Return the share of a cell in two digits; 1 only for the whole cluster."""
    return f"{share if share == 1 else min(share, 0.99):.2f}"
