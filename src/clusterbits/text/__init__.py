"""How results are shown: text for terminals, tables for notebooks, figures.

This room is at the bottom of the house: it draws what it is given and computes nothing, so every
other room can use it.

- `tables`: rows as aligned text, HTML and data frames; counts and labels as text.
- `results`: the base class of all results.
- `excerpt`: the part of a table that fits a page, and as it is shown in notebooks.
- `terminal`: what commands print: tables, bars, JSON, CSV, Markdown.
- `plots`: matplotlib figures.
"""
