"""How a table is made of labels and counts: the ``from_*`` methods of `Contingency` for arrays.

With `column_constructors` the only module of the foundation that looks upward: each method imports
its adapter when called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from clusterbits.core.cells import Cells
from clusterbits.core.policy import LabelPolicy, Missing, Noise, is_balanced
from clusterbits.errors import answer_wrong_calls


class LabelConstructors:
    """Class methods that make a table of labels and of counts."""

    if TYPE_CHECKING:  # the table itself has both
        cells: Cells

        def __init__(self, cells: Cells) -> None: ...
        def balanced(self) -> Self: ...

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
            floats. By position: a list, an array or tensor (one on a GPU is counted there), a
            pandas, polars or pyarrow column, a fitted estimator with ``labels_``, an igraph
            clustering. By id: a mapping of ids to labels or of clusters to ids, an iterable of
            sets of ids, a frame of two columns (ids, labels), a CDlib clustering. Two labelings
            with ids are joined, whatever their order.
        noise : None, "singletons" or "drop"
            What the cluster label `noise_label` means: a cluster like any other (None), objects
            each in a cluster of its own, or objects to leave out.
        missing : "error", "drop" or "class"
            What to do with objects that lack a label: refuse, leave out, or let the missing
            label be a class (or cluster) of its own, named None.
        weights : 1-D sequence of non-negative numbers, mapping of ids to such, or "balanced"
            How much each object counts. Whole weights keep the table exact: an object of weight 2
            is two objects, and two singletons if it is noise and ``noise="singletons"``, which
            refuses fractions. "balanced" lets every class count the same, as in `balanced`.
        noise_label : label, default -1
            The cluster label that stands for noise. A number also means the text that files write
            for it, "-1"; text is no number.
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
        if is_balanced(weights):
            return cls(count_labels(truth, pred, policy, None, align)).balanced()
        return cls(count_labels(truth, pred, policy, weights, align))

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
    def from_pairs(cls, truth_pairs: Any, pred_pairs: Any, ids: Any = None) -> Self:
        """Count matches given as pairs of ids: classes and clusters are connected components.

        Parameters
        ----------
        truth_pairs, pred_pairs : pairs of ids
            True and predicted matches: a list of tuples, an array of shape (m, 2), a frame of
            pandas, polars or pyarrow with two columns, or a tuple of two columns. Repeated and
            reversed pairs change nothing, nor does a pair of an id with itself. The smallest id
            of a component is the name of its class or cluster.
        ids : sequence or set of ids, mapping of ids to labels, or frame, optional
            The ids of all objects; of a frame, its first column, or an index that has ids. An
            object in no pair is a singleton.

        Notes
        -----
        The objects are those of both lists and of `ids`. An object that only one of the lists has
        is a singleton in the other. Without `ids`, objects in no pair at all are unknown and not
        counted: pair_precision and pair_recall are the same, but measures that depend on the
        number of objects, such as q0 and rand, differ.

        Examples
        --------
        >>> import clusterbits as cb
        >>> truth, pred = [("a", "b"), ("b", "c")], [("a", "b"), ("d", "e")]
        >>> table = cb.Contingency.from_pairs(truth, pred, ids=["a", "b", "c", "d", "e", "f"])
        >>> table.classes, table.clusters
        (('a', 'd', 'e', 'f'), ('a', 'c', 'd', 'f'))
        >>> cb.pair_precision(table), cb.pair_recall(table)
        (0.5, 0.3333333333333333)
        """
        from clusterbits.ingest.pairs import count_matches

        return cls(count_matches(truth_pairs, pred_pairs, ids))

    @classmethod
    @answer_wrong_calls
    def from_images(
        cls,
        truth: Any,
        pred: Any,
        ignore: Any = None,
        *,
        noise: Noise | None = None,
        noise_label: Any = 0,
    ) -> Self:
        """Count two label images of equal shape, voxel by voxel.

        Parameters
        ----------
        truth, pred : arrays of integers, booleans or whole floats, of any shape, or paths
            Label images: numpy arrays, memory-mapped ones, and those of h5py and zarr; or files,
            .npy, .npz, TIFF, PNG, HDF5 and Zarr ("volume.h5:labels" names an array). They are read
            a block at a time, so they may be larger than memory.
        ignore : label or list of labels, optional
            Labels of `truth` whose voxels are left out, such as 0 for the background. `coverage`
            says how many voxels are counted.
        noise : None, "singletons" or "drop"
            What the label `noise_label` of `pred` means, in voxels that `ignore` leaves: a cluster
            like any other (None; scikit-image, CREMI's variation of information), voxels each in
            a cluster of its own (the Rand error of SNEMI3D, CREMI and gala), or voxels to leave
            out (gala's variation of information).
        noise_label : label, default 0
            The label of `pred` that stands for the background.

        Examples
        --------
        >>> import clusterbits as cb
        >>> truth, pred = [[0, 0, 1], [0, 2, 2]], [[7, 7, 7], [0, 9, 9]]
        >>> table = cb.Contingency.from_images(truth, pred, ignore=0)
        >>> table
        <Contingency: 3 objects, 2 classes × 2 clusters, 2 non-zero cells>
        >>> print(table.coverage)
        scored 3 of 6 objects (0.5) in 2 of 3 clusters
        >>> cb.Contingency.from_images([[1, 1, 2]], [[0, 0, 2]], noise="singletons").clusters
        (2, (0, 1), (0, 2))
        """
        from clusterbits.ingest.images import count_images

        return cls(count_images(truth, pred, ignore, noise, noise_label))

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
