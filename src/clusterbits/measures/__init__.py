"""Formulas only: a table in, a number out.

Importing this package fills the catalogue, in the order of the imports.
"""

from clusterbits.measures import code_length, elements, information, matching, pairs

# isort: split
from clusterbits.measures import pair_coefficients, reduced, standardized, standardized_pairs

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
