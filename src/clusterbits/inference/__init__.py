"""How sure a score is: intervals, permutation tests, and clusterings compared on the same objects.

All three ask what the measure would have been had chance fallen otherwise. `interval` and
`compare` draw the objects anew, `permutation_test` shuffles them among the clusters.
"""

from clusterbits.inference.comparison import Comparison, Ranking, compare
from clusterbits.inference.intervals import Interval, interval
from clusterbits.inference.permutation import PermutationTest, permutation_test

__all__ = [
    "Comparison",
    "Interval",
    "PermutationTest",
    "Ranking",
    "compare",
    "interval",
    "permutation_test",
]
