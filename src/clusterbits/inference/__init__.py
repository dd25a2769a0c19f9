"""How sure a score is: confidence intervals, permutation tests, and paired comparisons.

`interval` resamples the objects, or leaves out groups of them if the table is large; `compare`
leaves out one object at a time, or compares over data sets; `permutation_test` shuffles the objects
among the clusters.
"""

from clusterbits.inference.comparison import Comparison, compare
from clusterbits.inference.intervals import Interval, interval
from clusterbits.inference.permutation import PermutationTest, permutation_test
from clusterbits.inference.task_comparison import TaskComparison

__all__ = [
    "Comparison",
    "Interval",
    "PermutationTest",
    "TaskComparison",
    "compare",
    "interval",
    "permutation_test",
]
