"""The explorer's buttons: steps along the family that show what each desideratum demands."""

from __future__ import annotations

from typing import NamedTuple

from clusterbits.desiderata import Model


class Demonstration(NamedTuple):
    """A step of one parameter: a model, and the value that the criterion's parameter rises to.

    `fooled` is the measure that the title says gets it wrong; none where all get it right.
    """

    title: str
    criterion: str
    model: Model
    to: float
    why: str
    fooled: str | None = None
    n: int = 500


DEMONSTRATIONS = (
    Demonstration(
        "Watch Rand prefer more noise clusters",
        "P2",
        Model(useful=5, noise=1, epsilon1=0.1, epsilon2=0.2),
        6,
        "The same objects are lost in more clusters. Rand counts pairs, and scattered noise puts "
        "more pairs of different classes apart, which counts as agreement.",
        "rand",
    ),
    Demonstration(
        "Watch Rand prefer too many clusters",
        "P1.2",
        Model(useful=5, noise=1, epsilon1=0.2, epsilon2=0.3),
        6,
        "There is already a cluster for each class. The sixth splits one of them in two; more "
        "pairs of different classes are then apart, and Rand rewards that.",
        "rand",
    ),
    Demonstration(
        "Watch Rand prefer objects lost in noise",
        "P3.2",
        Model(useful=2, noise=6, epsilon1=0.2, epsilon2=0.1),
        0.3,
        "Two clusters hold five classes. Throwing their objects into noise clusters breaks up so "
        "many pairs of different classes that Rand rises, while the bits saved fall below 0.",
        "rand",
    ),
    Demonstration(
        "See all agree on missing clusters",
        "P1.1",
        Model(useful=2, epsilon1=0.2),
        5,
        "With two clusters for five classes, classes have to share. Each cluster more takes them "
        "apart.",
    ),
    Demonstration(
        "See all agree on errors",
        "P3.1",
        Model(useful=5),
        0.2,
        "From perfect clusters to a fifth of the objects in wrong ones. That is the least to ask "
        "of a measure.",
    ),
    Demonstration(
        "Watch q0 itself fail, for many objects",
        "P1.2",
        Model(useful=5, epsilon1=0.2),
        6,
        "The paper argues that its measure gets this right for many objects. But with 10,000 of "
        "them a larger table costs next to nothing, and six clusters name the classes in slightly "
        "fewer bits. With 500 objects q0 is right: try it.",
        "q0",
        n=10_000,
    ),
)
