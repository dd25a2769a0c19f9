"""A measure as a scorer for scikit-learn, which is never imported."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Unpack

from clusterbits.errors import LabelError, MeasureError
from clusterbits.labels.options import LabelOptions, LabelPolicy, takes_labels
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Measure


@dataclass(frozen=True, repr=False)
class Scorer:
    """A measure of an estimator's clusters, greater for better ones: ``scorer(estimator, X, y)``.

    Attributes
    ----------
    measure : Measure
        The measure; negated if lower values are better.
    options : dict
        Options of labels.
    """

    measure: Measure
    options: dict[str, Any]

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Return the score of the clusters that the estimator finds in X, with y as classes."""
        if y is None:
            raise LabelError(f"{self!r} needs y, the classes of the objects in X.")
        value = self.measure(y, find_clusters(estimator, X), **self.options)
        return self.measure.scale.sign() * value

    def __repr__(self) -> str:
        """Return the call that makes it."""
        options = "".join(f", {word}={value!r}" for word, value in self.options.items())
        return f"scorer({self.measure.name!r}{options})"


@takes_labels
def scorer(
    measure: str | Measure,
    **labels: Unpack[LabelOptions],
) -> Scorer:
    """Return a measure as a scorer, for the ``scoring`` of scikit-learn's searches.

    Parameters
    ----------
    measure : str or Measure
        Full name or alias of a measure that ranks, or ``q2.using(worst="exact")``. If its lower
        values are better, as of `q0`, scores are negated: a search takes the greatest.
    **labels
        How labels are read: see `LabelOptions`. Predictions have no ids, so `align` and
        `unmatched` are errors, and so are weights of objects, as folds have other objects;
        ``weights="balanced"`` lets every class count the same.

    Returns
    -------
    Scorer
        A callable ``scorer(estimator, X, y)``, which can be pickled. Clusters are those that the
        estimator predicts for X. An estimator without ``predict``, such as `DBSCAN`, is fitted to
        X instead: in a cross-validation, each fold for testing is clustered separately. Give it a
        ``random_state``, if it has one, to get the same clusters again.

    Examples
    --------
    >>> import clusterbits as cb
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 4, [0, 0, 0, 1, 1, 1] * 4
    >>> grid = {"n_clusters": [1, 2, 5]}
    >>> search = GridSearchCV(KMeans(random_state=0), grid, scoring=cb.scorer("q2"), cv=2)
    >>> search.fit(X, y).best_params_
    {'n_clusters': 2}
    """
    entry = get_measure(measure)
    entry.scale.sign()  # raises if the measure has no direction
    policy = LabelPolicy(**labels)  # raises now, not in each fold
    if policy.weights is not None and not policy.balanced:
        raise MeasureError(
            "weights of objects do not fit the folds of a cross-validation; the word "
            "balanced lets every class count the same."
        )
    if "align" in labels or "unmatched" in labels:
        raise TypeError("a scorer takes no align and no unmatched: predictions have no ids.")
    return Scorer(entry, {**labels})


def find_clusters(estimator: Any, X: Any) -> Any:
    """Return the clusters of X that an estimator predicts, or finds if it cannot predict.

    The ``labels_`` of an estimator belong to what it was fitted to, not to the test fold.
    """
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    if not hasattr(estimator, "fit_predict"):
        raise LabelError(
            f"{type(estimator).__name__} has neither predict() nor fit_predict(), so it finds no "
            "clusters in X. Score the labels that it has by evaluate()."
        )
    return deepcopy(estimator).fit_predict(X)  # the original stays as it was fitted
