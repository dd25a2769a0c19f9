"""A measure: a formula, what it declares of itself, and the way from labels to its value."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    get_args,
    get_origin,
    overload,
)

import numpy as np

from clusterbits.errors import MeasureError, TableError, check_choice, did_you_mean
from clusterbits.labels.options import OPTIONS, Missing, Noise
from clusterbits.measures.shared_docs import list_references
from clusterbits.system.limits import MOST_STEPS
from clusterbits.table.contingency import Contingency, as_table, as_tables_beyond
from clusterbits.table.statistics import TableStatistics

Better = Literal["higher", "lower"]
# Which non-integer counts a measure takes: all, those of balanced tables, or none.
Weights = Literal["any", "balanced", "none"]
P = ParamSpec("P")
# By how much rounding takes a value out of its bounds.
_ROUNDING = 1e-9
_NEEDS = {
    "balanced": "needs whole counts or weights='balanced', because it shuffles objects; this table "
    "has expected or weighted counts and does not know its objects.",
    "none": "needs whole counts, because it counts arrangements of whole objects or links between "
    "them; this table has expected or weighted ones.",
}
# What scikit-learn calls the arguments.
_SYNONYMS = {"labels_true": "truth", "labels_pred": "pred", "sample_weight": "weights"}


class Scale(NamedTuple):
    """What the values of a measure mean: all that results keep of it.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    bounds : tuple of float
        The lowest and the highest value.
    better : "higher", "lower" or None
        Which values are better; None if the measure has no direction.
    """

    measure: str
    bounds: tuple[float, float]
    better: Better | None

    def sign(self) -> int:
        """Return 1 if higher values are better, -1 if lower are; raise without a direction."""
        if self.better is None:
            raise MeasureError(f"{self.measure} describes a table and has no direction.")
        return 1 if self.better == "higher" else -1


@dataclass(frozen=True, eq=False)
class Measure:
    """A formula and what it declares: call it with two label sequences or with one table.

    Attributes
    ----------
    name : str
        The full name, as in ``clusterbits.rand``.
    function : callable
        The formula, a function of a `Contingency` and keyword parameters.
    family : str
        Its family, as listed by ``clusterbits measures``.
    bounds : (float, float)
        The least and the greatest value it can take; infinite if it has no end.
    better : "higher", "lower" or None
        Its direction; None for quantities that describe a table without a direction.
    symmetric : bool
        Whether classes and clusters may change places.
    perfect : float or None
        The value if clusters equal classes; None if it depends on the class sizes.
    adjusted : bool
        Whether random clusterings score 0 on average.
    weights : "any", "balanced" or "none"
        Which weights it takes. What is adjusted for chance shuffles objects, which a weighted
        table knows only if it is "balanced"; "none" needs whole counts, without weights.
    scale_free : bool
        Whether non-integer weights may be multiplied by any number without a change. If not, they
        must add up to more than 1 per class.
    aliases : tuple of str
        Other names people type.
    orders_like : str
        The name of the measure that stands for all with the same ranking: for given classes, each
        is a monotone function of it. The measure's own name if it stands for itself.
    work : callable, optional
        About how many steps a table takes, of measures with a steep cost. Families exclude
        measures that take more than `limits.MOST_STEPS`, unless they are asked for by name.
    usual_bounds : bool
        Whether the bounds are those of the default parameters only.
    bound_parameters : mapping
        Parameters that are bound, by `using`.
    """

    name: str
    function: Callable[..., float]
    family: str
    bounds: tuple[float, float]
    better: Better | None
    symmetric: bool
    perfect: float | None
    adjusted: bool
    weights: Weights
    scale_free: bool
    aliases: tuple[str, ...]
    orders_like: str
    work: Callable[[Contingency], float] | None = None
    usual_bounds: bool = False
    bound_parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What help(), doctest and scikit-learn's make_scorer look for on a function.
        names = ("__name__", "__qualname__", "__module__", "__doc__")
        vars(self).update({name: getattr(self.function, name) for name in names})
        labels = inspect.signature(lambda truth, pred: None).parameters.values()
        keyword = inspect.Parameter.KEYWORD_ONLY
        options = [inspect.Parameter(x, keyword, default=y) for x, y in self.parameters.items()]
        signature = inspect.Signature([*labels, *options, *OPTIONS.values()])
        vars(self).update(__wrapped__=self.function, __signature__=signature)

    def __get__(self, instance: object, owner: object = None) -> Measure:
        """Bind to nothing, as a static method: that also makes help() show the signature."""
        return self

    def __call__(self, *labels: Any, **options: Any) -> float:
        """Score labels (truth first) or one table; label options and parameters by keyword."""
        if len(labels) > 2:
            raise TypeError(
                f"{self.name} takes truth and pred, or one table, got {len(labels)} positional "
                "arguments; pass options by keyword."
            )
        arguments = dict(zip(("truth", "pred"), labels, strict=False))
        for name, value in options.items():
            name = _SYNONYMS.get(name, name)
            if name in arguments:
                raise TypeError(f"{self.name} got {name!r} twice.")
            arguments[name] = value
        truth, pred = arguments.pop("truth", None), arguments.pop("pred", None)
        if (counts := arguments.pop("contingency", None)) is not None:  # in place of labels
            truth, pred = Contingency.from_counts(counts), None
        reading: Any = {name: arguments.pop(name) for name in OPTIONS if name in arguments}
        self._check(arguments, OPTIONS)
        if (other := arguments.pop("beyond", None)) is not None:  # labels of another clustering
            table, beyond = as_tables_beyond(truth, pred, other, reading)
            return self.score_table(table, beyond=beyond, **arguments)
        return self.score_table(as_table(truth, pred, reading), **arguments)

    def score_table(self, table: TableStatistics, **parameters: Any) -> float:
        """Score a table; or a table stack, into an array."""
        self._check(parameters)
        if reason := self._refusal(table):
            raise MeasureError(f"{self.name} {reason}")
        options = {**self.bound_parameters, **parameters}
        perfect: Any = self.perfect is not None and table.is_perfect
        if isinstance(table, Contingency):
            if self.perfect is not None and perfect:
                return float(self.perfect)
            if reason := table.uneven:
                raise TableError(reason)
            return self._clip(float(self.function(table, **options)), options)
        tables: Any = table
        if self.of_statistics:
            values: Any = self.function(table, **options)
            values = values if self.perfect is None else np.where(perfect, self.perfect, values)
        else:
            values = np.array([self.score_table(part, **options) for part in tables])
        return values  # type: ignore[no-any-return]

    def _clip(self, value: float, parameters: Mapping[str, Any]) -> float:
        """The value without what rounding adds to its bounds; an error if it is outside them."""
        low, high = self._find_bounds(parameters)
        clipped = min(max(value, low), high)
        if not abs(clipped - value) <= _ROUNDING:  # nan and infinity are not
            raise MeasureError(
                f"{self.name} is {value} for this table, outside its range {low} to {high}: "
                "the counts are too small, or differ too much in size, for floating point."
            )
        return clipped

    def _find_bounds(self, parameters: Mapping[str, Any]) -> tuple[float, float]:
        """The bounds with these parameters; infinite if they are not known."""
        return (-math.inf, math.inf) if parameters and self.usual_bounds else self.bounds

    @cached_property
    def _arguments(self) -> Mapping[str, inspect.Parameter]:
        """The arguments of the formula: the table, then its parameters."""
        return inspect.signature(self.function).parameters

    @property
    def of_statistics(self) -> bool:
        """Whether the formula is of `TableStatistics`, and takes table stacks."""
        return next(iter(self._arguments.values())).annotation is TableStatistics

    @property
    def parameters(self) -> dict[str, Any]:
        """The formula's keyword parameters and their defaults."""
        _, *parameters = self._arguments.values()
        return {x.name: x.default for x in parameters} | dict(self.bound_parameters)

    def _check(self, parameters: Mapping[str, Any], options: Iterable[str] = ()) -> None:
        """Raise for names and values that the formula does not take; `options` are of labels."""
        for name, value in parameters.items():
            if name not in self.parameters:
                names = sorted({*self.parameters, *options})
                raise TypeError(
                    f"{self.name} has no parameter {name!r}; it takes "
                    f"{', '.join(names) or 'none'}.{did_you_mean(name, names)}"
                )
            if choices := _list_choices(self._arguments[name].annotation):
                check_choice(name, value, choices)

    def using(self, **parameters: Any) -> Measure:
        """Return the measure with these parameters; it goes wherever a measure goes.

        >>> import clusterbits as cb
        >>> exact = cb.q2.using(worst="exact")
        >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
        >>> round(cb.evaluate(table, measures=[exact])["q2(worst='exact')"], 6)
        0.615993
        """
        self._check(parameters)
        if "beyond" in parameters:
            raise MeasureError(
                "beyond goes with the labels of the same objects: pass "
                f"{self.name}(truth, pred, beyond=other)."
            )
        bound = {**self.bound_parameters, **parameters}
        for name, value in bound.items():
            if isinstance(value, np.generic):  # the measure's name has the value as text
                bound[name] = value.item()
        values = ", ".join(f"{name}={value!r}" for name, value in bound.items())
        name, bounds = f"{self.function.__name__}({values})", self._find_bounds(bound)
        return replace(self, name=name, bounds=bounds, orders_like=name, bound_parameters=bound)

    def _refusal(self, table: TableStatistics) -> str:
        """Why the measure does not take the table's counts, or "" if it does."""
        if table.exact:
            refused = self.weights == "none" and table.weighted
        elif self.weights == "any":
            return "" if self.scale_free or not isinstance(table, Contingency) else table.too_light
        else:
            objects = table.unbalanced if isinstance(table, Contingency) else None
            refused = self.weights == "none" or objects is None or not objects.exact
        return _NEEDS[self.weights] if refused else ""

    def applies_to(self, table: Contingency) -> bool:
        """Whether the measure is defined for the table, and the table small enough for it."""
        return not self._refusal(table) and (self.work is None or self.work(table) <= MOST_STEPS)

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.__doc__ or "").partition("\n")[0]

    @property
    def reference(self) -> str:
        """Where it was published, in one line."""
        return "; ".join(list_references(self.__doc__ or ""))

    @property
    def scale(self) -> Scale:
        """The bounds of its values, and which are better: what results keep of a measure."""
        return Scale(self.name, self.bounds, self.better)

    @property
    def short_name(self) -> str:
        """The name for narrow columns: the usual abbreviation of a long one, if there is one."""
        short = [alias.upper() for alias in self.aliases if len(alias) <= 4]
        return short[0] if short and len(self.name) > 8 else self.name

    def __repr__(self) -> str:
        """Return one line: how to call it, and the summary."""
        return f"<Measure {self.name}{inspect.signature(self)}: {self.summary}>"

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[str]]:
        """Pickle by name, so that workers find their own copy."""
        from clusterbits.measures.catalogue import get_measure

        return get_measure, (self.name,)


def _list_choices(annotation: Any) -> tuple[Any, ...]:
    """Values of a Literal, or of a union of Literals; none of another annotation."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(value for part in get_args(annotation) for value in _list_choices(part))


if TYPE_CHECKING:

    class Declared(Measure, Generic[P]):
        """A measure with its signature, for type checkers and editors."""

        @overload
        def __call__(self, table: Contingency, /, *no: P.args, **parameters: P.kwargs) -> float: ...
        @overload
        def __call__(
            self,
            truth: Any,
            pred: Any,
            *,
            noise: Noise | None = ...,
            missing: Missing = ...,
            weights: Any = ...,
            noise_label: Any = ...,
            align: bool = ...,
            unmatched: Missing = ...,
            truth_noise: Any = ...,
            **parameters: Any,
        ) -> float: ...
        @overload
        def __call__(self, *, labels_true: Any, labels_pred: Any, **options: Any) -> float: ...
        def __call__(self, *labels: Any, **options: Any) -> float: ...  # type: ignore[misc]

else:
    Declared = Measure
