"""How labels are read: the options, declared once, and what missing labels and noise mean."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Literal, NamedTuple, ParamSpec, TypedDict, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells, Coverage
from clusterbits.core.naming import as_names, is_label
from clusterbits.errors import (
    ColumnError,
    LabelError,
    NothingToCountError,
    check_choice,
    did_you_mean,
    refuse_unknown,
    warn,
)
from clusterbits.limits import check_memory
from clusterbits.progress import Progress

P = ParamSpec("P")
T = TypeVar("T")
Missing = Literal["error", "drop", "class"]
Noise = Literal["singletons", "drop"]

# A noise singleton's name and cell.
_SINGLETON_BYTES = 200


class JoinOptions(TypedDict, total=False):
    """How two labelings are brought into one order: see `LabelOptions`."""

    align: bool
    unmatched: Missing


class TruthOptions(JoinOptions, total=False):
    """How classes are read: see `LabelOptions`."""

    missing: Missing
    weights: Any
    truth_noise: Any


class LabelOptions(TruthOptions, total=False):
    """How labels are read: the options of every function that takes labels.

    Attributes
    ----------
    noise : None, "singletons" or "drop"
        What the cluster label `noise_label` means: a cluster like any other (None), objects each
        in a cluster of its own, or objects to leave out. A noise object of weight 2 is two
        singletons; fractions are refused.
    noise_label : label, default -1
        The cluster label that stands for noise, and what is written like it: -1 is also "-1".
    missing : "error", "drop" or "class"
        What to do with objects that lack a label: refuse, leave out, or let the missing label be
        a class (or cluster) of its own, named None.
    weights : 1-D sequence of non-negative numbers, mapping of ids to such, or "balanced"
        How much each object counts; a column's name where labels are columns. Whole weights keep
        the table exact: an object of weight 2 is two objects. "balanced" lets every class count
        the same, as in `Contingency.balanced`.
    align : bool, default False
        Join pandas Series on their indexes, the default index 0, 1, 2, ... included.
    unmatched : "error", "drop" or "class"
        What to do with objects that only one of two joined labelings has: refuse; leave out, and
        say so in `coverage`; or let them form a class (or cluster) of their own, named None.
    truth_noise : label or list of labels, optional
        Classes whose objects are left out, such as "unknown"; `coverage` says so.
    """

    noise: Noise | None
    noise_label: Any


class FileOptions(LabelOptions, total=False):
    """How label columns of files are read: see `Contingency.from_file`."""

    on: str | Sequence[str] | None
    sql: str | None
    delimiter: str | None
    encoding: str | None
    header: bool
    memory_limit: str | None
    spill: str | os.PathLike[str] | None
    progress: Progress


@dataclass(frozen=True, eq=False)
class LabelPolicy:
    """The options of labels, checked: `LabelPolicy(**labels)`."""

    noise: Noise | None = None
    missing: Missing = "error"
    noise_label: Any = -1
    unmatched: Missing = "error"
    truth_noise: Any = None
    weights: Any = None
    align: bool = False
    # The noise label that nobody chose: 0 in images.
    usual_label: Any = -1

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, get_args(Missing))
        check_choice("unmatched", self.unmatched, get_args(Missing))
        if self.noise is not None:
            check_choice("noise", self.noise, get_args(Noise))
        if isinstance(self.weights, str):
            check_choice("weights", self.weights, ("balanced",))
        if isinstance(self.weights, Iterator):  # for all clusterings
            object.__setattr__(self, "weights", list(self.weights))
        if not is_label(self.noise_label):
            raise LabelError(f"noise_label={self.noise_label!r}: one label, such as -1 or 'noise'.")
        for label in self.noise_classes:
            if not is_label(label):
                raise LabelError(
                    f"truth_noise={self.truth_noise!r}: one class label, or a list of them."
                )
        if self.noise is None and self.chose_label:
            warn(
                f"noise_label={self.noise_label!r} means nothing without noise: add "
                "noise='singletons' or noise='drop'."
            )

    @property
    def balanced(self) -> bool:
        """Whether every class is to count the same."""
        return isinstance(self.weights, str)

    @property
    def chose_label(self) -> bool:
        """Whether the noise label is other than the usual one."""
        return not _same_label(self.usual_label, self.noise_label)

    @property
    def noise_classes(self) -> list[Any]:
        """The class labels whose objects are left out."""
        if self.truth_noise is None:
            return []
        if isinstance(self.truth_noise, np.ndarray):
            return list(np.atleast_1d(self.truth_noise))
        several = isinstance(self.truth_noise, list | tuple | Set)
        return list(self.truth_noise) if several else [self.truth_noise]

    def is_noise(self, name: Any) -> bool:
        """Whether a cluster name is the noise label."""
        return _same_label(name, self.noise_label)

    def is_noise_class(self, name: Any) -> bool:
        """Whether the objects of a class are left out."""
        values, texts = self._left_out
        return name in values or (name is not None and str(name) in texts)

    @functools.cached_property
    def _left_out(self) -> tuple[set[Any], set[str]]:
        """The class labels that are left out, and how they are written."""
        return set(self.noise_classes), set(map(str, self.noise_classes))


def refuse_joins(labels: LabelOptions) -> None:
    """Raise where options are about a join, and there is nothing to join."""
    if joins := [word for word in JoinOptions.__optional_keys__ if word in labels]:
        joined = ", ".join(sorted(joins))
        raise ColumnError(f"{joined}: columns of a frame are in one order already.")


def _same_label(name: Any, label: Any) -> bool:
    """Whether a label is the one asked for, or written like it: files have "-1" for -1."""
    return bool(name == label) or (name is not None and str(name) == str(label))


# What is meant where no option is given.
PLAIN = LabelPolicy()


def _keywords(defaults: dict[str, Any]) -> dict[str, inspect.Parameter]:
    only = inspect.Parameter.KEYWORD_ONLY
    return {name: inspect.Parameter(name, only, default=x) for name, x in defaults.items()}


# In the order in which signatures show them.
_ORDER = ("noise", "missing", "weights", "noise_label", "align", "unmatched", "truth_noise")
OPTIONS = _keywords({name: getattr(PLAIN, name) for name in _ORDER})
_KINDS = {kind.__name__: kind for kind in (JoinOptions, TruthOptions, LabelOptions, FileOptions)}
_OF_FILES = ("on", "sql", "delimiter", "encoding", "header", "memory_limit", "spill", "progress")
_ALL = _keywords(dict.fromkeys(_OF_FILES) | {"header": True}) | OPTIONS


def takes_labels(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function with ``**labels: Unpack[...]`` show these options, and refuse others.

    >>> @takes_labels
    ... def score(truth, pred, **labels: Unpack[JoinOptions]): ...
    >>> inspect.signature(score)
    <Signature (truth, pred, *, align=False, unmatched='error')>
    >>> score([1], [1], unmached="drop")
    Traceback (most recent call last):
    TypeError: score() has no option 'unmached'. Did you mean 'unmatched'?
    """
    signature = inspect.signature(function)
    *own, labels = signature.parameters.values()
    kind = _KINDS[str(labels.annotation).removeprefix("Unpack[").removesuffix("]")]
    options = [option for name, option in _ALL.items() if name in kind.__optional_keys__]
    known = {parameter.name for parameter in (*own, *options)}
    otherwise = " Parameters of a measure: measure.using(...)." if "measure" in known else ""

    @functools.wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> T:
        if given:
            refuse_unknown(function, given, known, otherwise)
        return function(*args, **given)

    shown = signature.replace(parameters=[*own, *options])
    call.__signature__ = shown  # type: ignore[attr-defined]
    return call


class NoiseSingleton(NamedTuple):
    """The name of a noise object that is a cluster of its own: its label, and a number.

    The number means nothing outside the table: tables that are added up number them anew.
    """

    label: Any
    number: int

    def __repr__(self) -> str:
        return f"({self.label!r}, {self.number})"


def treat_noise(cells: Cells, policy: LabelPolicy) -> Cells:
    """Leave noise out, or make the objects of noise clusters singletons."""
    if policy.noise is None and policy.truth_noise is None:
        return cells
    note_absent_classes(policy, cells.classes.tolist())
    cells = leave_out_noise(cells, policy)
    found = _noise_clusters(cells, policy)
    if policy.noise is not None and not found:
        note_absent_noise(policy, cells.clusters.tolist())
    singletons = policy.noise == "singletons" and found
    return as_singletons(cells, found, policy.noise_label) if singletons else cells


def leave_out_noise(cells: Cells, policy: LabelPolicy) -> Cells:
    """Leave out the objects of noise classes, and of noise clusters where these are dropped."""
    if policy.noise_classes:
        cells = leave_out_classes(cells, policy)
    if policy.noise == "drop":
        keep = ~np.isin(cells.columns, _noise_clusters(cells, policy))
        cells = leave_out(cells, keep, f"noise (cluster {policy.noise_label!r})")
    return cells


def leave_out_classes(cells: Cells, policy: LabelPolicy, option: str = "truth_noise") -> Cells:
    """Leave out the objects of noise classes."""
    names = cells.classes.tolist()
    found = [i for i, name in enumerate(names) if policy.is_noise_class(name)]
    keep = ~np.isin(cells.rows, found)
    return leave_out(cells, keep, f"in a class of {option}={policy.truth_noise!r}")


def _noise_clusters(cells: Cells, policy: LabelPolicy) -> list[int]:
    return [i for i, name in enumerate(cells.clusters.tolist()) if policy.is_noise(name)]


def keep_classes(
    policy: LabelPolicy, names: list[Any], rows: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Return which rows count: those whose class, by its position in `names`, is not noise."""
    note_absent_classes(policy, names)
    noise = np.array([policy.is_noise_class(name) for name in names], dtype=np.bool_)
    keep: NDArray[np.bool_] = ~noise[rows]
    if not keep.any():
        raise every_object_is(f"in a class of truth_noise={policy.truth_noise!r}")
    return keep


def note_absent_classes(policy: LabelPolicy, classes: list[Any]) -> None:
    """Warn where a class that is to be left out does not occur."""
    values, texts = set(classes), set(map(str, classes))
    for label in policy.noise_classes:
        if label not in values and str(label) not in texts:
            warn(
                f"truth_noise={label!r} is not a class, so nothing is left out for it."
                f"{did_you_mean(str(label), map(str, classes))}"
            )


def note_absent_noise(policy: LabelPolicy, clusters: list[Any]) -> None:
    """Warn where a noise label that was chosen does not occur; the usual one need not."""
    if policy.chose_label:
        warn(
            f"noise_label={policy.noise_label!r} is not a cluster, so nothing is noise."
            f"{did_you_mean(str(policy.noise_label), map(str, clusters))}"
        )


def every_object_is(left_out: str) -> NothingToCountError:
    """Return the error for noise that leaves nothing."""
    return NothingToCountError(f"every object is {left_out}: nothing to count.")


def leave_out(cells: Cells, keep: NDArray[np.bool_], left_out: str) -> Cells:
    """Return the cells to keep; their coverage is what they hold of what there was."""
    if not keep.any():
        raise every_object_is(left_out)
    if keep.all():
        return cells
    left, every = cells.only(keep), cells.coverage or cells.whole_coverage
    return left._replace(coverage=left.covers(every.of_objects, every.of_clusters))


def coverage_of_join(cells: Cells, of: tuple[int, int], policy: LabelPolicy) -> Coverage | None:
    """Return how much is counted of all objects and clusters, where a join left some out.

    `cells` count objects, without weights: those that were left out may have none.
    """
    return leave_out_noise(cells, policy).covers(*of)


def check_singletons(many: int) -> None:
    """Refuse more noise singletons than memory has room for."""
    check_memory(_SINGLETON_BYTES * many, f"noise='singletons' would make {many:,} clusters, which")


def as_singletons(cells: Cells, noise: list[int], label: Any) -> Cells:
    """Make each object of these clusters a cluster of its own; one of weight 2 is two objects."""
    keep = ~np.isin(cells.columns, noise)
    alone = cells.counts[~keep]
    if alone.dtype == np.float64:
        raise LabelError(
            "noise='singletons' needs whole weights: a fraction is not a number of objects."
        )
    check_singletons(sum(alone.tolist()))
    # Engines return cells in any order; the numbers of the objects follow the classes.
    rows = np.sort(np.repeat(cells.rows[~keep], alone.astype(np.int64)))
    number = np.arange(len(rows))
    given = cells.clusters.tolist()
    # A cluster may itself be called (-1, 1).
    taken = {name for name in given if isinstance(name, tuple)}
    names = (NoiseSingleton(label, i) for i in count(1) if (label, i) not in taken)
    return cells._replace(
        clusters=as_names([*given, *islice(names, len(rows))]),
        rows=np.concatenate([cells.rows[keep], rows]),
        columns=np.concatenate([cells.columns[keep], len(cells.clusters) + number]),
        counts=np.concatenate([cells.counts[keep], np.ones_like(alone, shape=len(number))]),
        canonical=False,
    )
