"""The report: one HTML file that needs nothing else, the same bytes for the same input.

`content` decides what it says and computes it, with `disagreement` and `caveats` for their
subjects; `report_page` and the templates put that into HTML and compute nothing.
`Scores.report` and the command ``report`` are the ways in.
"""

from clusterbits.report.report_page import Report, make_report

__all__ = ["Report", "make_report"]
