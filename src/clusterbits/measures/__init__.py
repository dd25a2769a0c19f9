"""Formulas only, one module per family: a table in, a number out.

Importing this package fills the catalogue.
"""

from clusterbits.measures import (
    code_length,
    coreference,
    elements,
    information,
    matching,
    pair_coefficients,
    pairs,
    records,
    reduced,
    standardized,
    standardized_pairs,
)

__all__ = [
    "code_length",
    "coreference",
    "elements",
    "information",
    "matching",
    "pair_coefficients",
    "pairs",
    "records",
    "reduced",
    "standardized",
    "standardized_pairs",
]
