"""The figures of the paper's reproduction.

Lines differ by dash and by shade as well as by colour, and are labelled where they end, so that a
figure can be read in greyscale and without a legend.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from clusterbits.errors import import_extra
from clusterbits.text.palette import colour
from clusterbits.text.tables import Records

NAMES = {
    "q0": "Q0",
    "q2": "Q2",
    "rand": "Rand",
    "fowlkes_mallows": "Fowlkes-Mallows",
    "hubert_gamma": "Hubert Γ",
    "jaccard": "Jaccard",
    "hamming_similarity": "Hamming",
}
# Colours of different lightness (Okabe and Ito's), each with a dash of its own.
STYLES = {
    "q0": ("#000000", "-"),
    "q2": ("#000000", "-"),
    "rand": ("#0072B2", (0, (6, 2))),
    "fowlkes_mallows": ("#D55E00", (0, (4, 2, 1, 2))),
    "hubert_gamma": ("#009E73", (0, (1, 1.5))),
    "jaccard": ("#CC79A7", (0, (8, 2, 1, 2, 1, 2))),
    "hamming_similarity": ("#8a6d00", (0, (3, 1))),
}


def paper_figure_1(rows: Records) -> Any:
    """Draw the measures over ε1: those from 0 to 1 together, Q0 in bits beside them."""
    figure, (left, right) = _new_figure(2, (10, 4.6), width_ratios=[3, 2])
    ends = []
    for name in NAMES:
        points = [(row["epsilon1"], row["value"]) for row in rows if row["measure"] == name]
        x, y = zip(*points, strict=True)
        shade, dash = STYLES[name]
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
    """Draw every rival's ranks of the models against Q2's."""
    figure, axes = _new_figure(len(correlations), (2.9 * len(correlations), 4.2), sharey=True)
    for axis, (rival, (tau, rho)) in zip(axes, correlations.items(), strict=True):
        x, y = ([row[f"rank_{name}"] for row in rows] for name in ("q2", rival))
        axis.plot([1, len(x)], [1, len(x)], color="0.6", linewidth=0.8)
        axis.scatter(x, y, s=5, color=colour("labels"), linewidths=0, alpha=0.7)
        axis.set_title(f"{NAMES[rival]}\nτ = {tau:.2f}, ρ = {rho:.2f}", fontsize=10)
        axis.set_xlabel("rank by Q2")
        axis.set_box_aspect(1)
    axes[0].set_ylabel("rank by the rival (1 is best)")
    figure.suptitle(f"Figure 2, for every rival: ranks of {len(x)} models", fontsize=11)
    return figure


def equation_6(rows: Records) -> Any:
    """Draw the excess of equation (6) over (5) as n grows."""
    figure, (axis,) = _new_figure(1, (6.4, 4))
    dashes = ("-", (0, (5, 2)), (0, (1, 1.5)))
    shades = ("#000000", "#0072B2", "#D55E00")
    names = list(dict.fromkeys(row["model"] for row in rows))
    for name, dash, shade in zip(names, dashes, shades, strict=True):
        points = [(row["n"], row["excess"]) for row in rows if row["model"] == name]
        x, y = zip(*points, strict=True)
        axis.plot(x, y, color=shade, linestyle=dash, label=name)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("n, number of objects")
    axis.set_ylabel("equation (6) − equation (5), bits per object")
    axis.legend(frameon=False)
    return figure


def large_n(rows: Records) -> Any:
    """Draw how Q0 changes with more useful clusters than classes, for few and many objects.

    Solid lines: errors over the other clusters, as in the paper. Dotted: over the other classes.
    """
    figure, axes = _new_figure(3, (10.5, 3.6))
    columns = (
        ("conditional_entropy", "H(C|K), any n"),
        ("q0_at_500", "Q0, n = 500"),
        ("q0_at_100000", "Q0, n = 100,000"),
    )
    epsilons = sorted({row["epsilon1"] for row in rows})
    families = {"clusters": "-", "classes": ":"}
    for axis, (column, title) in zip(axes, columns, strict=True):
        for (family, dash), (epsilon1, marker) in product(
            families.items(), zip(epsilons, "os^", strict=True)
        ):
            points = [
                (row["useful"], row[column])
                for row in rows
                if (row["errors_over"], row["epsilon1"]) == (family, epsilon1)
            ]
            x = [useful for useful, _ in points]
            y = [value - points[0][1] for _, value in points]
            axis.plot(
                x, y, marker=marker, linestyle=dash, markersize=5, linewidth=1,
                color=colour("labels"), label=f"ε1 = {epsilon1:.3f}, over {family}",
            )  # fmt: skip
        axis.axhline(0, color="0.6", linewidth=0.8)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("|K_u|, useful clusters for 5 classes")
    axes[0].set_ylabel("bits per object, less those at |K_u| = 5")
    axes[1].legend(frameon=False, fontsize=7)
    return figure


def _label_ends(axis: Any, x: float, ends: list[tuple[float, str]]) -> None:
    """Name each line at its end, pushed apart where ends lie close."""
    height, last = 0.055, -1.0
    for y, name in sorted(ends):
        last = max(y, last + height)
        axis.annotate(
            NAMES[name], (x, y), xytext=(x * 1.03, last), fontsize=9, va="center",
            color=STYLES[name][0], annotation_clip=False,
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
