"""How sure a score is: confidence intervals, permutation tests, and paired comparisons.

`interval` resamples the objects, or leaves out groups of them if the table is large; `compare`
leaves out one object at a time; `permutation_test` shuffles them among the clusters.
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
