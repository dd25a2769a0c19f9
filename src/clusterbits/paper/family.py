"""The paper's family of distributions p(c,k) (section 6.1), and the grid of section 7.

Classes are equally likely. *Useful* clusters are dealt to classes; a share ε1 of each class falls
into the other useful clusters, evenly, and a share ε2 into *noise* clusters, evenly. A second
family spreads ε1 evenly over the other classes instead, however many clusters each has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ClusterbitsError, check_choice
from clusterbits.system.limits import check_memory
from clusterbits.table.contingency import Contingency

ErrorsOver = Literal["clusters", "classes"]

# Peak bytes of a cell while a table is built.
_CELL_BYTES = 40


@dataclass(frozen=True, order=True)
class Model:
    """One distribution of the family.

    Parameters
    ----------
    classes : int
        Number of classes, |C|.
    useful : int
        Number of useful clusters, |K_u|: one for each class, several for some, or shared.
    noise : int
        Number of noise clusters, |K_n|; none exactly if epsilon2 is 0.
    epsilon1, epsilon2 : float
        Shares of objects in wrong useful clusters and in noise clusters.
    errors_over : "clusters" or "classes"
        What epsilon1 is spread over evenly: the other useful clusters, as in the paper, or the
        classes of those clusters, each class's part evenly over its clusters. The two differ
        unless every class has as many clusters, or every cluster as many classes.

    Examples
    --------
    >>> from clusterbits.paper import Model
    >>> Model(classes=2, useful=2, noise=1, epsilon1=0.1, epsilon2=0.2).joint()
    array([[0.35, 0.05, 0.1 ],
           [0.05, 0.35, 0.1 ]])
    >>> Model(classes=3, useful=4, epsilon1=0.3, errors_over="classes").joint().round(3)
    array([[0.117, 0.117, 0.05 , 0.05 ],
           [0.025, 0.025, 0.233, 0.05 ],
           [0.025, 0.025, 0.05 , 0.233]])
    """

    classes: int = 5
    useful: int = 5
    noise: int = 0
    epsilon1: float = 0.0
    epsilon2: float = 0.0
    errors_over: ErrorsOver = "clusters"

    def __post_init__(self) -> None:
        check_choice("errors_over", self.errors_over, ("clusters", "classes"))
        if problem := self._problem():
            raise ClusterbitsError(f"impossible model {self}: {problem}.")

    def _problem(self) -> str:
        if self.classes < 1 or self.useful < 1 or self.noise < 0:
            return "there must be at least one class and one useful cluster, and noise is 0 or more"
        if not (self.epsilon1 >= 0 and self.epsilon2 >= 0):
            return "error shares must not be negative"
        if self.epsilon1 + self.epsilon2 > 1:
            return "error shares add up to more than 1"
        if (self.noise == 0) != (self.epsilon2 == 0):
            return "there are noise clusters exactly if epsilon2 is above 0"
        if self.epsilon1 > 0 and (self.classes == 1 or self.useful == 1):
            return "epsilon1 has no other useful cluster to go to"
        return ""

    @property
    def clusters(self) -> int:
        """Number of clusters, |K|."""
        return self.useful + self.noise

    def clusters_of_classes(self) -> tuple[tuple[int, ...], ...]:
        """Return K(c), the useful clusters that belong to each class."""
        if self.classes <= self.useful:
            dealt = np.array_split(np.arange(self.useful), self.classes)
            return tuple(tuple(clusters.tolist()) for clusters in dealt)
        sharing = np.array_split(np.arange(self.classes), self.useful)
        return tuple((k,) for k, classes in enumerate(sharing) for _ in classes)

    def joint(self) -> NDArray[np.float64]:
        """Return p(c,k): classes in rows; useful clusters first, then noise."""
        check_memory(_CELL_BYTES * self.classes * self.clusters, f"{self}")
        p = np.zeros((self.classes, self.clusters))
        dealt = self.clusters_of_classes()
        # the weight of each useful cluster among those that draw a class's errors
        weights = np.ones(self.useful)
        if self.errors_over == "classes":
            weights = np.zeros(self.useful)
            for clusters in dealt:
                weights[list(clusters)] += 1 / len(clusters)
        total = weights.sum()
        for c, clusters in enumerate(dealt):
            if len(clusters) < self.useful:
                rest = total - sum(weights[k] for k in clusters)
                p[c, : self.useful] = self.epsilon1 * weights / rest
            # rounding must not take the last of a class below 0
            p[c, list(clusters)] = max(0.0, 1 - self.epsilon1 - self.epsilon2) / len(clusters)
            if self.noise:
                p[c, self.useful :] = self.epsilon2 / self.noise
        return p / self.classes

    def expected(self, n: float = 500) -> Contingency:
        """Return the table of expected counts n·p(c,k)."""
        return Contingency.expected(self.joint(), n)

    def integer_counts(self, n: int) -> Contingency:
        """Return the same table in integer counts, for an n that divides evenly."""
        counts = self.joint() * n
        rounded = np.rint(counts)
        if np.abs(counts - rounded).max() > 1e-6 * n:
            raise ClusterbitsError(f"{n} objects do not divide evenly over {self}.")
        return Contingency.from_counts(rounded.astype(np.int64))

    def __str__(self) -> str:
        """Return the parameters in the paper's letters."""
        family = " errors over classes" if self.errors_over == "classes" else ""
        return (
            f"|C|={self.classes} |K_u|={self.useful} |K_n|={self.noise} "
            f"ε1={self.epsilon1:.4g} ε2={self.epsilon2:.4g}{family}"
        )


@dataclass(frozen=True)
class Grid:
    """The models of section 7: every valid combination of these values, 760 as printed."""

    classes: int = 5
    n: float = 500
    useful: tuple[int, ...] = tuple(range(2, 12))
    noise: tuple[int, ...] = tuple(range(7))
    epsilon1: tuple[float, ...] = (0.0, 1 / 15, 2 / 15, 0.2)
    epsilon2: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3)
    errors_over: ErrorsOver = "clusters"

    def models(self) -> Iterator[Model]:
        """Yield the models, with noise clusters exactly if epsilon2 is above 0."""
        for values in product(self.useful, self.noise, self.epsilon1, self.epsilon2):
            _, noise, _, epsilon2 = values
            if (noise == 0) == (epsilon2 == 0):
                yield Model(self.classes, *values, self.errors_over)

    @lru_cache(maxsize=64)  # noqa: B019  # a few grids, which all measures share
    def sequences(self, parameter: str) -> tuple[tuple[Model, ...], ...]:
        """Return the longest sequences of models in which only this parameter varies, rising."""
        fixed = attrgetter(*(field.name for field in fields(Model) if field.name != parameter))
        sequences: dict[tuple[Any, ...], list[Model]] = {}
        for model in self.models():
            sequences.setdefault(fixed(model), []).append(model)
        return tuple(
            tuple(sorted(models, key=attrgetter(parameter)))
            for models in sequences.values()
            if len(models) > 1
        )

    @lru_cache(maxsize=64)  # noqa: B019
    def integer_n(self) -> int:
        """Return the least n for which every table of the grid has integer counts."""
        denominators = {
            Fraction(share).limit_denominator(10**6).denominator
            for model in self.models()
            for share in np.unique(model.joint())
        }
        return math.lcm(*denominators)
