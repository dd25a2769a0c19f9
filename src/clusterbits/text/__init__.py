"""How results are shown: text for terminals, tables for notebooks, pages.

It computes nothing; of the other rooms it imports only `system`, and `plots` to draw a result.

- `tables`: rows as aligned text, HTML and DataFrames; counts and labels as text.
- `results`: the base class of all results.
- `shortened`: long names shortened so that they stay distinct.
- `terminal`: what commands print: tables, bars, JSON, CSV, Markdown.
- `docstrings`: docstrings as plain text.
- `html_page`, `palette`: what all HTML pages share, and the colors of pages and plots.
"""
