"""The options of labels, declared once, and checked."""

from __future__ import annotations

import copy
import functools
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    Self,
    TypedDict,
    TypeVar,
    Unpack,
    get_args,
    get_type_hints,
)

from clusterbits.errors import (
    ColumnError,
    LabelError,
    check_choice,
    check_flag,
    refuse_unknown,
    warn,
)
from clusterbits.labels.labeling import name_label
from clusterbits.system.progress import Progress
from clusterbits.table.label_names import as_written, is_label
from clusterbits.table.noise import NOISE_LABEL

P = ParamSpec("P")
T = TypeVar("T")
Missing = Literal["error", "drop", "class"]
Noise = Literal["singletons", "drop"]


class Default(NamedTuple):
    """The default of an option: part of its annotation."""

    value: Any


class OrderOptions(TypedDict, total=False):
    """How labelings of the same objects are joined: see `LabelOptions`."""

    align: Annotated[bool, Default(False)]


class JoinOptions(OrderOptions, total=False):
    """How two labelings are joined: see `LabelOptions`."""

    unmatched: Annotated[Missing, Default("error")]


class MissingOptions(TypedDict, total=False):
    """The meaning of missing labels: see `LabelOptions`."""

    missing: Annotated[Missing, Default("error")]


class NoiseOptions(TypedDict, total=False):
    """The meaning of noise: see `LabelOptions`."""

    noise: Annotated[Noise | None, Default(None)]


class ImageOptions(NoiseOptions, total=False):
    """How label images are read: see `Contingency.from_images`."""

    noise_label: Annotated[Any, Default(0)]


class SampleOptions(MissingOptions, NoiseOptions, total=False):
    """How clusters are read if classes are a sample: see `LabelOptions`."""

    noise_label: Annotated[Any, Default(NOISE_LABEL)]


class RunOptions(JoinOptions, SampleOptions, total=False):
    """How several runs are read, which have no truth: see `LabelOptions`."""


class TruthOptions(JoinOptions, MissingOptions, total=False):
    """How classes are read: see `LabelOptions`."""

    weights: Annotated[Any, Default(None)]
    truth_noise: Annotated[Any, Default(None)]


class LabelOptions(TruthOptions, SampleOptions, total=False):
    """How labels are read: the options of every function that takes labels.

    Attributes
    ----------
    noise : None, "singletons" or "drop"
        The meaning of the cluster label `noise_label`: a cluster like any other (None), a singleton
        for each object, or objects to exclude. A noise object of weight 2 is two singletons, so
        that singletons need integer weights.
    noise_label : label, default -1
        The cluster label of noise, and labels that are written like it: -1 is also "-1" and "-1.0".
    missing : "error", "drop" or "class"
        The meaning of missing labels: an error, objects to exclude, or a class (or cluster) named
        None.
    weights : 1-D sequence of non-negative numbers, mapping of ids to such, or "balanced"
        The weight of each object; a column's name if labels are columns. In measures, an object of
        weight 2 counts like two, and integer weights keep the table exact. But it is one object:
        intervals, tests and `evidence` are about objects, and take no weights. Rows that represent
        several objects are counts, for `Contingency.from_counts`. Code lengths depend on the scale
        of weights: twice the weight costs less than twice the bits. Measures that are not
        `scale_free` need more than one unit of weight per class; weights that add up to 1 are
        scaled by ``weights * len(weights) / sum(weights)``. "balanced" is class-balanced, as in
        `Contingency.balanced`.
    align : bool, default False
        Join pandas Series on their indexes, the default index 0, 1, 2, ... included. Ids are
        compared by value: 1 and "1" differ. A missing id is an error.
    unmatched : "error", "drop" or "class"
        The meaning of objects in only one of two joined labelings: an error, objects to exclude,
        or a class (or cluster) named None.
    truth_noise : label or collection of labels, optional
        Classes whose objects are excluded, such as "unknown". `coverage` says how many are counted.
    """


class SourceOptions(TypedDict, total=False):
    """How files are read: see `Contingency.from_file`."""

    on: Annotated[str | Sequence[str] | None, Default(None)]
    sql: Annotated[str | None, Default(None)]
    delimiter: Annotated[str | None, Default(None)]
    encoding: Annotated[str | None, Default(None)]
    header: Annotated[bool, Default(True)]
    memory_limit: Annotated[str | None, Default(None)]
    spill: Annotated[str | os.PathLike[str] | None, Default(None)]
    progress: Annotated[Progress, Default(None)]


class FileOptions(LabelOptions, SourceOptions, total=False):
    """How label columns of files are read: see `Contingency.from_file`."""


class ChangeOptions(OrderOptions, SampleOptions, SourceOptions, total=False):
    """How an old and a new clustering are read, neither of which is the truth: see `diff`."""

    weights: Annotated[Any, Default(None)]
    unmatched: Annotated[Missing, Default("drop")]


def split_options(options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the options of labels, and those of files.

    >>> split_options({"noise": "drop", "header": False})
    ({'noise': 'drop'}, {'header': False})
    """
    labels = dict(options)
    return labels, {name: labels.pop(name) for name in SourceOptions.__optional_keys__ & {*labels}}


def _read_parameters(declared: Any) -> dict[str, inspect.Parameter]:
    """Return the options that a TypedDict declares as keyword parameters."""
    return {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=get_args(hint)[1].value
        )
        for name, hint in get_type_hints(declared, include_extras=True).items()
    }


OPTIONS = _read_parameters(LabelOptions)


class LabelPolicy:
    """The options of labels, checked: `LabelPolicy(**labels)`."""

    noise: Noise | None
    missing: Missing
    noise_label: Any
    unmatched: Missing
    truth_noise: Any
    weights: Any
    align: bool
    # The default noise label, excluded classes that need not occur, and the option that names them.
    default_label: Any = OPTIONS["noise_label"].default
    optional_classes: tuple[Any, ...] = ()
    truth_noise_option = "truth_noise"

    def __init__(self, **labels: Unpack[LabelOptions]) -> None:
        for name, parameter in OPTIONS.items():
            value: Any = labels.get(name, parameter.default)
            # Several clusterings are read with the same options, an iterator only once.
            setattr(self, name, list(value) if isinstance(value, Iterator) else value)
        check_choice("missing", self.missing, get_args(Missing))
        check_choice("unmatched", self.unmatched, get_args(Missing))
        if self.noise is not None:
            check_choice("noise", self.noise, get_args(Noise))
        check_flag("align", self.align)
        if isinstance(self.weights, str) and object_weights(self.weights) is not None:
            raise LabelError(
                f"weights must be one number for each object, or 'balanced', got {self.weights!r}."
            )
        if self.noise_label is None:
            raise LabelError(
                "noise_label must be a label, got None. Pass missing='drop' for missing labels."
            )
        self.noise_label = _read_label(self.noise_label, "noise_label")
        _ = self.noise_classes  # raises for what is no label
        if self.noise is None and self.has_chosen_label:
            warn(
                f"noise_label is {self.noise_label!r}, which means nothing without noise='drop' or "
                "noise='singletons'."
            )

    def replace(self, **labels: Unpack[RunOptions]) -> Self:
        """Return the options with these changed, which are not checked again."""
        changed = copy.copy(self)
        vars(changed).update(labels)
        return changed

    @property
    def balanced(self) -> bool:
        """Whether weights are class-balanced."""
        return self.weights is not None and object_weights(self.weights) is None

    @property
    def counts_objects(self) -> bool:
        """Whether objects are counted by position and without weights, as on devices."""
        return (self.weights is None or self.balanced) and not self.align

    @property
    def has_chosen_label(self) -> bool:
        """Whether the noise label is not the default."""
        return as_written(self.default_label) != as_written(self.noise_label)

    @functools.cached_property
    def noise_classes(self) -> list[Any]:
        """The class labels whose objects are excluded."""
        return list_labels(self.truth_noise, self.truth_noise_option)

    def is_noise(self, name: Any) -> bool:
        """Whether a cluster name is the noise label."""
        return as_written(name) == as_written(self.noise_label)

    def is_noise_class(self, name: Any) -> bool:
        """Whether the objects of a class are excluded."""
        return as_written(name) in self._noise_class_texts

    @functools.cached_property
    def _noise_class_texts(self) -> set[str | None]:
        return set(map(as_written, self.noise_classes))


def list_labels(labels: Any, option: str) -> list[Any]:
    """Return the labels in an option: one, any collection of several, or None.

    >>> list_labels(7, "ignore"), list_labels({7}, "ignore"), list_labels(None, "ignore")
    ([7], [7], [])
    """
    if labels is None:
        return []
    if not isinstance(labels, str | bytes):
        with suppress(TypeError):  # it is one label
            return [_read_label(label, option) for label in labels]
    return [_read_label(labels, option)]


def _read_label(value: Any, option: str) -> Any:
    """Return a label as readers name it; a boolean as its text, as True equals 1."""
    label = name_label(value, option)
    if not is_label(label):
        raise LabelError(f"{option} holds {value!r}; a label is one value, such as -1.")
    return str(label) if isinstance(label, bool) else label


def object_weights(weights: Any) -> Any:
    """Return the weights of objects, or the name of their column; None for the word "balanced"."""
    return None if isinstance(weights, str) and weights == "balanced" else weights


def refuse_joins(labels: LabelOptions) -> None:
    """Raise for options of a join if there is nothing to join."""
    if joins := JoinOptions.__optional_keys__ & {*given_options(labels)}:
        joined = ", ".join(f"{name}=" for name in sorted(joins))
        raise ColumnError(
            f"{joined}: columns of one source are in one order already. To join two files, "
            "pass on= with a column of ids."
        )


class ImagePolicy(LabelPolicy):
    """The options of label images, which need not have the background 0."""

    default_label = _read_parameters(ImageOptions)["noise_label"].default
    optional_classes = (default_label,)
    truth_noise_option = "ignore"


# The options if none is given.
PLAIN = LabelPolicy()


def given_options(labels: LabelOptions) -> list[str]:
    """Return the names of the options that differ from their default."""
    return [
        name
        for name, value in labels.items()
        if not (isinstance(value, type(OPTIONS[name].default)) and value == OPTIONS[name].default)
    ]


def takes_labels(function: Callable[P, T]) -> Callable[P, T]:
    """Show the options of ``**labels: Unpack[...]`` in a function's signature, and check names.

    >>> @takes_labels
    ... def score(truth, pred, **labels: Unpack[JoinOptions]): ...
    >>> inspect.signature(score)
    <Signature (truth, pred, *, align=False, unmatched='error')>
    >>> score([1], [1], unmached="drop")
    Traceback (most recent call last):
    TypeError: score() has no option 'unmached'. Did you mean 'unmatched'?
    """
    signature = inspect.signature(function)
    *parameters, labels = signature.parameters.values()
    declared = globals()[str(labels.annotation).removeprefix("Unpack[").removesuffix("]")]
    parameters += _read_parameters(declared).values()
    known = {parameter.name for parameter in parameters}
    otherwise = " Parameters of a measure: measure.using(...)." if "measure" in known else ""

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> T:
        if options:
            refuse_unknown(function, options, known, otherwise)
        return function(*args, **options)

    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call
