"""How labels are read: the options, declared once, and checked."""

from __future__ import annotations

import copy
import functools
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
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
    get_origin,
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

P = ParamSpec("P")
T = TypeVar("T")
Missing = Literal["error", "drop", "class"]
Noise = Literal["singletons", "drop"]


class Default(NamedTuple):
    """The default of an option: part of its annotation."""

    value: Any


class OrderOptions(TypedDict, total=False):
    """How labels are brought into one order, where all objects are needed: see `LabelOptions`."""

    align: Annotated[bool, Default(False)]


class JoinOptions(OrderOptions, total=False):
    """How two labelings are brought into one order: see `LabelOptions`."""

    unmatched: Annotated[Missing, Default("error")]


class MissingOptions(TypedDict, total=False):
    """What is done with missing labels: see `LabelOptions`."""

    missing: Annotated[Missing, Default("error")]


class NoiseOptions(TypedDict, total=False):
    """What is done with noise: see `LabelOptions`."""

    noise: Annotated[Noise | None, Default(None)]


class ImageOptions(NoiseOptions, total=False):
    """How label images are read: see `Contingency.from_images`."""

    noise_label: Annotated[Any, Default(0)]


class SampleOptions(MissingOptions, NoiseOptions, total=False):
    """How clusters are read where classes are a sample: see `LabelOptions`."""

    noise_label: Annotated[Any, Default(-1)]


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
        What the cluster label `noise_label` means: a cluster like any other (None), objects each
        in a cluster of its own, or objects to leave out. A noise object of weight 2 is two
        singletons; fractions are refused.
    noise_label : label, default -1
        The cluster label that stands for noise, and what is written like it: -1 is also "-1" and
        "-1.0".
    missing : "error", "drop" or "class"
        What to do with objects that lack a label: refuse, leave out, or let the missing label be
        a class (or cluster) of its own, named None.
    weights : 1-D sequence of non-negative numbers, mapping of ids to such, or "balanced"
        How much each object counts; a column's name where labels are columns. Measures take an
        object of weight 2 like two; whole weights keep the table exact. But it is one object:
        intervals, tests and `evidence` are about objects, and refuse weights. Rows that stand for
        several objects are counts, for `Contingency.from_counts`. Code lengths depend on the scale
        of weights: twice the weight costs less than twice the bits. Measures that are not
        `scale_free` need more than one unit of weight per class; weights that add up to 1 are
        scaled by ``weights * len(weights) / sum(weights)``. "balanced" lets every class count the
        same, as in `Contingency.balanced`: there the total stays, and objects stay known.
    align : bool, default False
        Join pandas Series on their indexes, the default index 0, 1, 2, ... included. Ids are
        compared by value: 1 and "1" are two. A missing id is an error.
    unmatched : "error", "drop" or "class"
        What to do with objects that only one of two joined labelings has: refuse; leave out, and
        say so in `coverage`; or let them form a class (or cluster) of their own, named None.
    truth_noise : label, or several in whatever holds them, optional
        Classes whose objects are left out, such as "unknown"; `coverage` says so.
    """


class FileOptions(LabelOptions, total=False):
    """How label columns of files are read: see `Contingency.from_file`."""

    on: Annotated[str | Sequence[str] | None, Default(None)]
    sql: Annotated[str | None, Default(None)]
    delimiter: Annotated[str | None, Default(None)]
    encoding: Annotated[str | None, Default(None)]
    header: Annotated[bool, Default(True)]
    memory_limit: Annotated[str | None, Default(None)]
    spill: Annotated[str | os.PathLike[str] | None, Default(None)]
    progress: Annotated[Progress, Default(None)]


class _Option(NamedTuple):
    """The default of an option, and the values that are allowed, if they are listed."""

    default: Any
    choices: tuple[Any, ...]


def _read_options(kind: Any) -> dict[str, _Option]:
    """Return the options that a TypedDict declares."""
    options = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        type_, default = get_args(hint)
        literals = [part for part in (type_, *get_args(type_)) if get_origin(part) is Literal]
        choices = tuple(choice for part in literals for choice in get_args(part))
        options[name] = _Option(default.value, choices)
    return options


_OPTIONS = _read_options(LabelOptions)


class LabelPolicy:
    """The options of labels, checked: `LabelPolicy(**labels)`."""

    noise: Noise | None
    missing: Missing
    noise_label: Any
    unmatched: Missing
    truth_noise: Any
    weights: Any
    align: bool
    # The noise label that nobody chose, classes to exclude that need not occur, and the option that
    # names them.
    usual_label: Any = -1
    usual_classes: tuple[Any, ...] = ()
    truth_noise_option = "truth_noise"

    def __init__(self, **labels: Unpack[LabelOptions]) -> None:
        for name, (default, choices) in _OPTIONS.items():
            value: Any = labels.get(name, default)
            if choices and value is not default:
                check_choice(name, value, choices)
            # Several clusterings are read with the same options.
            setattr(self, name, list(value) if isinstance(value, Iterator) else value)
        check_flag("align", self.align)
        if isinstance(self.weights, str) and object_weights(self.weights) is not None:
            raise LabelError(
                f"weights is {self.weights!r}; weights are numbers, one for each object, or the "
                "word balanced."
            )
        if self.noise_label is None:
            raise LabelError(
                "noise_label must be a label, got None. Pass missing='drop' for missing labels."
            )
        self.noise_label = _read_label(self.noise_label, "noise_label")
        _ = self.noise_classes  # refuses what is no label
        if self.noise is None and self.chose_label:
            warn(
                f"noise_label is {self.noise_label!r}, which means nothing without noise='drop' or "
                "noise='singletons'."
            )

    def replace(self, **labels: Unpack[SampleOptions]) -> Self:
        """Return the same options but for these, which are not checked again."""
        changed = copy.copy(self)
        vars(changed).update(labels)
        return changed

    @property
    def balanced(self) -> bool:
        """Whether every class is to count the same."""
        return self.weights is not None and object_weights(self.weights) is None

    @property
    def counts_objects(self) -> bool:
        """Whether objects are counted by position and without weights, as devices can."""
        return (self.weights is None or self.balanced) and not self.align

    @property
    def chose_label(self) -> bool:
        """Whether the noise label is other than the usual one."""
        return as_written(self.usual_label) != as_written(self.noise_label)

    @functools.cached_property
    def noise_classes(self) -> list[Any]:
        """The class labels whose objects are left out."""
        given = self.truth_noise
        if given is None:
            return []
        if not isinstance(given, str | bytes):
            with suppress(TypeError):  # one label has no others in it
                return [_read_label(label, "truth_noise") for label in given]
        return [_read_label(given, "truth_noise")]

    def is_noise(self, name: Any) -> bool:
        """Whether a cluster name is the noise label."""
        return as_written(name) == as_written(self.noise_label)

    def is_noise_class(self, name: Any) -> bool:
        """Whether the objects of a class are left out."""
        return as_written(name) in self._noise_texts

    @functools.cached_property
    def _noise_texts(self) -> set[str | None]:
        """The class labels that are left out, as they are written."""
        return set(map(as_written, self.noise_classes))


def _read_label(value: Any, who: str) -> Any:
    """Return a label as readers name it; a boolean as its text, for True equals 1."""
    label = name_label(value, who)
    if not is_label(label):
        raise LabelError(f"{who} holds {value!r}; a label is one value, such as -1.")
    return str(label) if isinstance(label, bool) else label


def object_weights(weights: Any) -> Any:
    """Return the weights of objects, or the name of their column; None for the word "balanced"."""
    return None if isinstance(weights, str) and weights == "balanced" else weights


def refuse_joins(labels: LabelOptions) -> None:
    """Raise where options are about a join, and there is nothing to join."""
    if joins := JoinOptions.__optional_keys__ & {*given_options(labels)}:
        joined = ", ".join(f"{name}=" for name in sorted(joins))
        raise ColumnError(
            f"{joined}: columns of one source are in one order already. To join two files, "
            "pass on= with a column of ids."
        )


class ImagePolicy(LabelPolicy):
    """The options of label images: 0 is the background, which an image need not have."""

    usual_label = 0
    usual_classes = (0,)
    truth_noise_option = "ignore"


# The options if none is given.
PLAIN = LabelPolicy()


def _as_parameters(options: dict[str, _Option]) -> dict[str, inspect.Parameter]:
    only = inspect.Parameter.KEYWORD_ONLY
    return {
        name: inspect.Parameter(name, only, default=option.default)
        for name, option in options.items()
    }


OPTIONS = _as_parameters(_OPTIONS)


def given_options(labels: LabelOptions) -> list[str]:
    """Return the options that have another value than their default."""
    return [
        word
        for word, value in labels.items()
        if not (isinstance(value, type(OPTIONS[word].default)) and value == OPTIONS[word].default)
    ]


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
    kind = globals()[str(labels.annotation).removeprefix("Unpack[").removesuffix("]")]
    options = _as_parameters(_read_options(kind)).values()
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
