"""How a table is made of labels and counts: the ``from_*`` methods of `Contingency` for arrays.

With `column_constructors` the only module of the foundation that looks upward: each method imports
its adapter when called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from clusterbits.core.cells import Cells
from clusterbits.core.policy import LabelPolicy, Missing, Noise
from clusterbits.errors import answer_wrong_calls, check_choice


class LabelConstructors:
    """Class methods that make a table of labels and of counts."""

    if TYPE_CHECKING:  # the table itself has both
        cells: Cells

        def __init__(self, cells: Cells) -> None: ...

    @classmethod
    @answer_wrong_calls
    def from_labels(
        cls,
        truth: Any,
        pred: Any,
        *,
        noise: Noise | None = None,
        missing: Missing = "error",
        weights: Any = None,
        noise_label: Any = -1,
        align: bool = False,
        unmatched: Missing = "error",
        truth_noise: Any = None,
    ) -> Self:
        """Count two labelings of the same objects.

        Parameters
        ----------
        truth, pred : labelings
            Classes and clusters: integers, booleans, strings, dates, categoricals or whole
            floats. By position: a list, an array or tensor, a pandas, polars or pyarrow column,
            a fitted estimator with ``labels_``, an igraph clustering. By id: a mapping of ids to
            labels or of clusters to ids, an iterable of sets of ids, a frame of two columns (ids,
            labels), a CDlib clustering. Two labelings with ids are joined, whatever their order.
        noise : None, "singletons" or "drop"
            What the cluster label `noise_label` means: a cluster like any other (None), objects
            each in a cluster of its own, or objects to leave out.
        missing : "error", "drop" or "class"
            What to do with objects that lack a label: refuse, leave out, or let the missing
            label be a class (or cluster) of its own, named None.
        weights : 1-D sequence of non-negative numbers, mapping of ids to such, or "balanced"
            How much each object counts. Whole weights keep the table exact. "balanced" lets every
            class count the same, as in `balanced`.
        noise_label : label, default -1
            The cluster label that stands for noise.
        align : bool, default False
            Join two pandas Series on their indexes instead of comparing by position.
        unmatched : "error", "drop" or "class"
            What to do with objects that only one of two joined labelings has: refuse; leave out,
            and say so in `coverage`; or let them form a class (or cluster) of their own, named
            None.
        truth_noise : label or list of labels, optional
            Classes whose objects are left out, such as "unknown"; `coverage` says so.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.Contingency.from_labels([0, 0, 1, 1], [5, -1, 5, -1], noise="singletons").clusters
        (5, (-1, 1), (-1, 2))

        Objects that are known by id may come in any order:

        >>> truth = {"ann": "x", "bob": "x", "cid": "y"}
        >>> cb.Contingency.from_labels(truth, [{"bob", "ann"}, {"cid"}]).to_dense().tolist()
        [[2, 0], [0, 1]]
        >>> cb.Contingency.from_labels(truth, [{"bob"}, {"cid"}], unmatched="drop").coverage
        Coverage(objects=2, of_objects=3, clusters=2, of_clusters=2)
        """
        from clusterbits.ingest.arrays import count_labels

        policy = LabelPolicy(noise, missing, noise_label, unmatched, truth_noise)
        if not isinstance(weights, str):
            return cls(count_labels(truth, pred, policy, weights, align))
        check_choice("weights", weights, ("balanced",))
        return cls(count_labels(truth, pred, policy, None, align).with_equal_classes())

    @classmethod
    @answer_wrong_calls
    def from_counts(
        cls,
        counts: Any,
        classes: Sequence[Any] | None = None,
        clusters: Sequence[Any] | None = None,
    ) -> Self:
        """Take counts that are ready: classes in rows, clusters in columns.

        Parameters
        ----------
        counts : 2-D array, nested lists, scipy sparse array, or pandas crosstab
            Non-negative numbers. Integers may be of any size; whole floats count as integers.
        classes, clusters : sequences of labels, optional
            Names of the rows and columns; by default a frame's own, or 0, 1, 2, ...

        Examples
        --------
        >>> import clusterbits as cb
        >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]], classes=["cat", "dog"])
        >>> table.n, table.classes, table.class_sizes.tolist()
        (100, ('cat', 'dog'), [35, 65])
        """
        from clusterbits.ingest.matrices import read_counts

        return cls(read_counts(counts, classes, clusters))

    @classmethod
    @answer_wrong_calls
    def expected(
        cls,
        p: ArrayLike,
        n: float,
        classes: Sequence[Any] | None = None,
        clusters: Sequence[Any] | None = None,
    ) -> Self:
        """Make the table of expected counts n·p(c,k), as in the paper's experiments.

        Its pair counts are expectations over pairs, M·Σp², not pairs of fractional objects.

        Examples
        --------
        >>> import clusterbits as cb
        >>> cb.rand(cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=500))
        0.68
        """
        from clusterbits.ingest.matrices import read_probabilities

        return cls(read_probabilities(p, n, classes, clusters))
