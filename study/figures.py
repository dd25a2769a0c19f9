"""The figures of the study's page."""

from io import BytesIO
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from page import Tables
from PIL import Image
from results import BASELINES


def save(figure, target: Path) -> None:
    buffer = BytesIO()
    figure.savefig(buffer, dpi=100)
    # Few colours make small files.
    image = Image.open(buffer).convert("RGB")
    image.quantize(64, method=Image.Quantize.FASTOCTREE).save(target, "png", optimize=True)


def colours(tables: Tables) -> list[str]:
    own = {"q0": "tab:red"} | dict.fromkeys(BASELINES, "tab:grey")
    return [own.get(tables.names[i], "tab:blue") for i in tables.chosen]


def names(tables: Tables) -> list[str]:
    return [tables.titles[i].strip("`*") for i in tables.chosen]


def draw_regret(tables: Tables, ax) -> None:
    """Draw the regret of the headline measures with its intervals."""
    results, chosen = tables.results, tables.chosen
    spans = np.array([results.interval(tables.regret[:, i]) for i in chosen])
    places = np.arange(len(chosen))
    ax.hlines(places, spans[:, 1], spans[:, 2], colors=colours(tables))
    ax.scatter(spans[:, 0], places, c=colours(tables), zorder=3)
    ax.set_yticks(places, names(tables))
    ax.invert_yaxis()
    ax.set_xlabel("accuracy lost: mean over sets, 95 % interval")


def draw_clusters(tables: Tables, ax) -> None:
    """Draw regret beside the number of clusters picked."""
    chosen = tables.chosen
    picked = np.median(tables.results.clusters_picked(), axis=0)[chosen]
    lost = tables.regret.mean(axis=0)[chosen]
    ax.scatter(picked, lost, c=colours(tables))
    tops: dict[tuple[str, int], float] = {}
    for x, y, name in zip(picked, lost, names(tables), strict=True):
        # Near names go one above the other; those of one cluster per class to the left.
        side, shift = ("right", 1 / 1.04) if x < 1.05 else ("left", 1.04)
        band = side, round(np.log2(x))
        tops[band] = max(y, tops.get(band, 0) + 0.0037)
        ax.annotate(name, (x * shift, tops[band]), fontsize=7, va="center", ha=side)
    ax.set_xscale("log", base=2)
    ax.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    ax.set_xlabel("clusters picked per class, median over sets")
    ax.set_ylabel("accuracy lost, mean over sets")
    ax.margins(x=0.45)


def draw(tables: Tables, folder: Path) -> None:
    matplotlib.use("Agg")
    for name, function in (("regret", draw_regret), ("clusters", draw_clusters)):
        with plt.style.context("default"):
            figure, ax = plt.subplots(figsize=(8.5, 6), layout="constrained")
            function(tables, ax)
            ax.spines[["top", "right"]].set_visible(False)
            save(figure, folder / f"{name}.png")
        plt.close(figure)
