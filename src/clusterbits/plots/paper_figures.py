"""The two figures of the paper, reproduced.

Lines differ by dash and by shade as well as by colour, and are labelled at their ends, so that a
figure can be read in greyscale and without a legend.
"""

from __future__ import annotations

from typing import Any

from clusterbits.errors import import_extra
from clusterbits.text.palette import colour
from clusterbits.text.tables import Records

# Names, colours of different lightness (Okabe and Ito's), each with a dash of its own.
_LINES: dict[str, tuple[str, str, Any]] = {
    "q0": ("Q0", "#000000", "-"),
    "q2": ("Q2", "#000000", "-"),
    "rand": ("Rand", "#0072B2", (0, (6, 2))),
    "fowlkes_mallows": ("Fowlkes-Mallows", "#D55E00", (0, (4, 2, 1, 2))),
    "hubert_gamma": ("Hubert Γ", "#009E73", (0, (1, 1.5))),
    "jaccard": ("Jaccard", "#CC79A7", (0, (8, 2, 1, 2, 1, 2))),
    "hamming_similarity": ("Hamming", "#8a6d00", (0, (3, 1))),
}


def paper_figure_1(rows: Records) -> Any:
    """Draw the measures over ε1: those from 0 to 1 together, Q0 in bits next to them."""
    figure, (left, right) = _new_figure(2, (10, 4.6), width_ratios=[3, 2])
    ends = []
    for name, (_, shade, dash) in _LINES.items():
        points = [(row["epsilon1"], row["value"]) for row in rows if row["measure"] == name]
        x, y = zip(*points, strict=True)
        axis = right if name == "q0" else left
        axis.plot(x, y, color=shade, linestyle=dash, linewidth=2.4 if name == "q2" else 1.6)
        if name != "q0":
            ends.append((y[-1], name))
    _label_ends(left, x[-1], ends)
    left.set_ylim(-0.03, 1.03)
    left.set_ylabel("value (1 is best)")
    right.set_ylabel("Q0, bits per object (lower is better)")
    right.set_ylim(0)
    for axis in (left, right):
        axis.set_xlabel("ε1, share of objects in wrong clusters")
        axis.set_xlim(0, 0.8)
    figure.suptitle("Figure 1: |C| = |K| = 5, n = 500", fontsize=11)
    return figure


def paper_figure_2(rows: Records, correlations: dict[str, tuple[float, float]]) -> Any:
    """Draw the ranks of the models by every other measure against those by Q2."""
    figure, axes = _new_figure(len(correlations), (2.9 * len(correlations), 4.2), sharey=True)
    for axis, (measure, (tau, rho)) in zip(axes, correlations.items(), strict=True):
        x, y = ([row[f"rank_{name}"] for row in rows] for name in ("q2", measure))
        axis.plot([1, len(x)], [1, len(x)], color="0.6", linewidth=0.8)
        axis.scatter(x, y, s=5, color=colour("labels"), linewidths=0, alpha=0.7)
        axis.set_title(f"{_LINES[measure][0]}\nτ = {tau:.2f}, ρ = {rho:.2f}", fontsize=10)
        axis.set_xlabel("rank by Q2")
        axis.set_box_aspect(1)
    axes[0].set_ylabel("rank by the other (1 is best)")
    figure.suptitle(f"Figure 2, for every measure: ranks of {len(x)} models", fontsize=11)
    return figure


def _label_ends(axis: Any, x: float, ends: list[tuple[float, str]]) -> None:
    """Name each line at its end, pushed apart if ends lie close."""
    height, last = 0.055, -1.0
    for y, measure in sorted(ends):
        last = max(y, last + height)
        name, shade, _ = _LINES[measure]
        axis.annotate(
            name, (x, y), xytext=(x * 1.03, last), fontsize=9, va="center",
            color=shade, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": "0.7", "linewidth": 0.6},
        )  # fmt: skip


def _new_figure(columns: int, size: tuple[float, float], **options: Any) -> tuple[Any, Any]:
    """Return a figure and its axes side by side, without matplotlib's global state."""
    figures = import_extra("matplotlib.figure", "drawing figures", "plot")
    figure = figures.Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False, **options).ravel()
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes
