"""The colours of pages and plots, each on light and on dark backgrounds."""

from __future__ import annotations

import re

# Bits of the labels are blue and bits of the table amber, everywhere.
PALETTE: dict[str, tuple[str, str]] = {
    "labels": ("#24507f", "#6fa8e0"),
    "table": ("#e0a43a", "#e8b04a"),
    "good": ("#1f7a4a", "#6fce9a"),
    "bad": ("#9b2c12", "#ffab93"),
    "paper": ("#fdfdfb", "#14181d"),
    "card": ("#ffffff", "#1b2128"),
    "ink": ("#1b2430", "#e7ebf0"),
    "quiet": ("#566272", "#a3aebb"),
    "line": ("#dde2e8", "#323b46"),
    "link": ("#1a5296", "#8fbdf2"),
    "mark": ("#fff3cf", "#4a3d12"),
    "bar": ("#cbd8e6", "#35485d"),
    "win": ("#fff8e6", "#2a2617"),
}
# Cells of a table, the strongest: text can be read on it in both themes.
CELL, CELL_OPACITY = "66,133,244", 0.65
# Further colours of lines and markers (Okabe and Ito's), seen on white and on black.
GREEN, PINK, GREY = "#009e73", "#cc79a7", "#8c8c8c"


def colour(name: str, dark: bool = False) -> str:
    """Return a colour by its name."""
    return PALETTE[name][dark]


def as_variables() -> str:
    """Return the palette as variables of a style sheet, which follow the theme of the page."""
    lines = (f"  --{name}: light-dark({', '.join(pair)});\n" for name, pair in PALETTE.items())
    cell = f"  --cell: rgba({CELL},{CELL_OPACITY});\n"
    return f":root {{\n  color-scheme: light dark;\n{''.join(lines)}{cell}}}\n"


def follow_theme(svg: str) -> str:
    """Return an SVG in the light colours with the variables of the page instead.

    >>> follow_theme("fill: #24507f; stroke: #123456")
    'fill: var(--labels); stroke: #123456'
    """
    names = {pair[0]: f"var(--{name})" for name, pair in PALETTE.items()}
    return re.sub("#[0-9a-f]{6}", lambda code: names.get(code[0], code[0]), svg)
