"""The paper, reproduced: one module per table, figure or argument of sections 4 to 8.

Each has ``rows()``, tidy rows of what was computed, and ``claims(rows)``, with a verdict each. Only
the printed values are typed in.
"""
