"""Formulas only, one module per family: a table in, a number out.

Importing this package fills the catalogue.
"""

from clusterbits.measures import (
    code_length,
    elements,
    information,
    matching,
    pair_coefficients,
    pairs,
    reduced,
    standardized,
    standardized_pairs,
)

__all__ = [
    "code_length",
    "elements",
    "information",
    "matching",
    "pair_coefficients",
    "pairs",
    "reduced",
    "standardized",
    "standardized_pairs",
]
