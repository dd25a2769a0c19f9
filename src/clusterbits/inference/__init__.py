"""How sure a score is: confidence intervals, permutation tests, and paired comparisons.

`interval` and `compare` resample the objects, or leave groups of them out where the table is large;
`permutation_test` shuffles them among the clusters.
"""

from clusterbits.inference.comparison import Comparison, compare
from clusterbits.inference.intervals import Interval, interval
from clusterbits.inference.permutation import PermutationTest, permutation_test

__all__ = [
    "Comparison",
    "Interval",
    "PermutationTest",
    "compare",
    "interval",
    "permutation_test",
]
