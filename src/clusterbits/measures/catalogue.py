"""The catalogue: what each measure declares of itself, kept beside its formula.

A measure is one function of a `Contingency` under `@measure(...)`. What it declares is read by
the catalogue page, by ``clusterbits measures`` and by the tests, which check it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    get_args,
    get_origin,
    overload,
)

import numpy as np

from clusterbits.core.policy import OPTIONS, Missing, Noise
from clusterbits.core.sums import Sums
from clusterbits.core.table import Contingency, as_table, as_tables_beyond
from clusterbits.display.tables import html_table, short
from clusterbits.errors import MeasureError, TableError, check_choice, did_you_mean
from clusterbits.limits import MOST_STEPS

Better = Literal["higher", "lower"]
# Which real-valued counts a measure takes: all, those of balanced tables, or none.
Weights = Literal["any", "balanced", "none"]
P = ParamSpec("P")
# By how much rounding takes a value out of its bounds.
_ROUNDING = 1e-9

# What every measure's docstring says around its own parameters.
_PARAMETERS = "Parameters\n----------\n"
_LABELS = """truth, pred : labelings
    Classes and clusters of the same objects, as `Contingency.from_labels` takes them; or one
    `Contingency` for both."""
# What is said there, and to whoever brings others, of the counts it takes.
_NEEDS = {
    "any": "\n",
    "balanced": ' Weights\n    are whole, or "balanced".\n',
    "none": " Needs\n    whole counts, without weights.\n",
}
_WHOLE = {
    "balanced": " or weights='balanced', because it shuffles objects; this table has expected or "
    "weighted counts and does not know its objects",
    "none": ", because it counts arrangements of whole objects or links between them; this table "
    "has expected or weighted ones",
}
_COMMON = {
    "base": """base : float, default 2
    Unit of the code length: 2 for bits, ``math.e`` for nats.
""",
    "n_classes": """n_classes : int, optional
    Number of classes that could have occurred; by default those that did.
""",
    "given": """given : "classes" or "clusters"
    The labeling whose pairs are asked for.
""",
    "model": """model : str
    The random clusterings that chance draws from: "permutation" keeps the sizes of both
    labelings and shuffles the objects, "fixed_clusters" draws from all clusterings with as many
    groups, "all" from all clusterings. "fixed_clusters_one_sided" and "all_one_sided" draw
    clusters only and keep the classes.
""",
}
_OPTIONS = f"""{", ".join(OPTIONS)}
    How labels are read: see `LabelOptions`.

"""
_RETURNS = """Returns
-------
float
    From {low:g} to {high:g}; {better} is better.

"""
# What scikit-learn calls the arguments.
_SYNONYMS = {"labels_true": "truth", "labels_pred": "pred", "sample_weight": "weights"}


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
        The module of formulas it belongs to.
    bounds : (float, float)
        The least and the greatest value it can take; infinite where it has no end.
    better : "higher", "lower" or None
        Its direction; None for quantities that describe a table without judging it.
    symmetric : bool
        Whether classes and clusters may change places.
    perfect : float or None
        The value where clusters equal classes; None where it depends on the class sizes.
    best_when_perfect : bool
        Whether no clustering of the same classes scores better than the classes themselves.
    adjusted : bool
        Whether random clusterings score 0 on average.
    weights : "any", "balanced" or "none"
        Which weights it takes. What is adjusted for chance shuffles objects, which a weighted
        table knows only where it is "balanced"; "none" needs whole counts, without weights.
    aliases : tuple of str
        Other names people type.
    orders_like : str
        The name of the measure that stands for all with the same ranking: for given classes, each
        is a monotone function of it. The measure's own name if it stands for itself.
    reference : str
        Where it was published; by default what its docstring refers to.
    work : callable, optional
        About how many steps a table takes, of measures with a steep cost. Families leave out what
        takes more than `limits.MOST_STEPS`; whoever names such a measure waits.
    usual_bounds : bool
        Whether the bounds are those of the usual parameters only.
    given : mapping
        Parameters that are bound, by `using`.
    """

    name: str
    function: Callable[..., float]
    family: str
    bounds: tuple[float, float]
    better: Better | None
    symmetric: bool
    perfect: float | None
    best_when_perfect: bool
    adjusted: bool
    weights: Weights
    aliases: tuple[str, ...]
    orders_like: str
    reference: str
    work: Callable[[Contingency], float] | None = None
    usual_bounds: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What help(), doctest and scikit-learn's make_scorer look for on a function.
        for attribute in functools.WRAPPER_ASSIGNMENTS:
            if hasattr(self.function, attribute):
                object.__setattr__(self, attribute, getattr(self.function, attribute))
        object.__setattr__(self, "__doc__", _documented(self))
        object.__setattr__(self, "__wrapped__", self.function)

    def __getattr__(self, name: str) -> Any:
        """Answer inspect.signature(): labels, the formula's parameters, label options."""
        if name != "__signature__":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        keyword, both = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        own = self.parameters
        return inspect.Signature(
            [
                *(inspect.Parameter(word, both) for word in ("truth", "pred")),
                *(inspect.Parameter(w, keyword, default=value) for w, value in own.items()),
                *OPTIONS.values(),
            ]
        )

    def __get__(self, instance: object, owner: object = None) -> Measure:
        """Bind to nothing, as a static method: that also makes help() show the signature."""
        return self

    def __call__(self, *labels: Any, **options: Any) -> float:
        """Score labels (truth first) or one table; label options and parameters by keyword."""
        if len(labels) > 2:
            raise TypeError(
                f"{self.name} takes truth and pred, or one table, and {len(labels)} arguments were "
                "given; options go by keyword."
            )
        given = dict(zip(("truth", "pred"), labels, strict=False))
        for word, value in options.items():
            word = _SYNONYMS.get(word, word)
            if word in given:
                raise TypeError(f"{self.name} was given {word!r} twice.")
            given[word] = value
        truth, pred = given.pop("truth", None), given.pop("pred", None)
        if not given:
            return self.of(as_table(truth, pred, {}))
        if (counts := given.pop("contingency", None)) is not None:  # in place of labels
            truth, pred = Contingency.from_counts(counts), None
        reading: Any = {word: given.pop(word) for word in OPTIONS if word in given}
        self.check_parameters(given, OPTIONS)
        if self.takes_beyond and (other := given.pop("beyond", None)) is not None:
            table, beyond = as_tables_beyond(truth, pred, other, reading)
            return self.of(table, beyond=beyond, **given)
        return self.of(as_table(truth, pred, reading), **given)

    def of(self, table: Sums, **parameters: Any) -> float:
        """Score a table; or many, if `table` stands for many, into an array."""
        options = {**self.given, **parameters}
        self._check_choices(options)
        if not self.takes(table):
            raise MeasureError(f"{self.name} needs whole counts{_WHOLE[self.weights]}.")
        perfect: Any = self.perfect is not None and table.is_perfect
        # Under other random models only a single group is sure of its value.
        if options.get("model", "permutation") != "permutation":
            perfect = perfect & (table.shape[0] == 1)
        if isinstance(table, Contingency):
            if self.perfect is not None and perfect:
                return float(self.perfect)
            if why := table.uneven:
                raise TableError(why)
            return self._within(float(self.function(table, **options)), *self._bounds(options))
        many: Any = table
        if self.of_sums:
            values: Any = self.function(table, **options)
            values = values if self.perfect is None else np.where(perfect, self.perfect, values)
        else:
            values = np.array([self.of(one, **options) for one in many])
        return values  # type: ignore[no-any-return]

    def _bounds(self, parameters: Mapping[str, Any]) -> tuple[float, float]:
        """Return the bounds with these parameters; infinite where they are not known."""
        return (-math.inf, math.inf) if parameters and self.usual_bounds else self.bounds

    def _within(self, value: float, low: float, high: float) -> float:
        """Return a value within bounds; refuse one that is outside by more than rounding."""
        kept = min(max(value, low), high)
        if not abs(kept - value) <= _ROUNDING:  # nan and infinity are not
            raise MeasureError(
                f"{self.name} is {value} for this table, outside its range {low} to {high}: the "
                "counts are too small, or differ too much in size, for floating point."
            )
        return kept

    @cached_property
    def of_sums(self) -> bool:
        """Whether the formula is of `Sums`, and takes many tables at once."""
        return self._arguments[0].annotation is Sums

    @cached_property
    def takes_beyond(self) -> bool:
        """Whether the formula has a parameter `beyond`, the table of another clustering.

        The caller gives the labels of that clustering. The columns of the first table are the
        intersections of the clusters of both.
        """
        return any(
            one.name == "beyond" and one.annotation == Contingency | None for one in self._arguments
        )

    def _check_choices(self, parameters: Mapping[str, Any]) -> None:
        for name, value in parameters.items():
            if name in self.choices:
                check_choice(name, value, self.choices[name])

    @cached_property
    def choices(self) -> dict[str, tuple[Any, ...]]:
        """The values that parameters may have, where they are listed."""
        return {p.name: chosen for p in self._arguments[1:] if (chosen := _listed(p.annotation))}

    @cached_property
    def _arguments(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())

    def using(self, **parameters: Any) -> Measure:
        """Return the measure with these parameters; it goes wherever a measure goes.

        >>> import clusterbits as cb
        >>> exact = cb.q2.using(worst="exact")
        >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
        >>> round(cb.evaluate(table, measures=[exact])["q2(worst='exact')"], 6)
        0.615993
        """
        self.check_parameters(parameters)
        if self.takes_beyond and "beyond" in parameters:
            raise MeasureError(
                "beyond goes with the labels of the same objects: pass "
                f"{self.name}(truth, pred, beyond=other)."
            )
        self._check_choices(parameters)
        given = {**self.given, **parameters}
        for word, value in given.items():
            if isinstance(value, np.generic):  # the name has it as it is written
                given[word] = value.item()
        words = ", ".join(f"{word}={value!r}" for word, value in given.items())
        name, bounds = f"{self.__name__}({words})", self._bounds(given)
        return replace(self, name=name, bounds=bounds, orders_like=name, given=given)

    def takes(self, table: Sums) -> bool:
        """Whether the measure takes the table's counts: weighted ones, and others than integers."""
        if self.weights == "any":
            return True
        if table.exact:
            return not (table.weighted and self.weights == "none")
        objects = table.unbalanced if isinstance(table, Contingency) else None
        return self.weights == "balanced" and objects is not None and objects.exact

    def applies_to(self, table: Contingency) -> bool:
        """Whether the measure is defined for the table, and the table small enough for it."""
        return self.takes(table) and (self.work is None or self.work(table) <= MOST_STEPS)

    @property
    def built_in(self) -> bool:
        """Whether it is one of the library's own."""
        return str(getattr(self.function, "__module__", "")).startswith("clusterbits.")

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def sign(self) -> int:
        """Return 1 where higher values are better, -1 where lower are; refuse what ranks nothing.

        >>> import clusterbits as cb
        >>> cb.q0.sign(), cb.adjusted_rand.sign()
        (-1, 1)
        """
        if self.better is None:
            raise MeasureError(f"{self.name} describes a table and ranks nothing.")
        return 1 if self.better == "higher" else -1

    @property
    def short_name(self) -> str:
        """The name for narrow columns: the usual abbreviation of a long one, where there is one."""
        known = [alias.upper() for alias in self.aliases if len(alias) <= 4]
        return known[0] if known and len(self.name) > 8 else self.name

    @property
    def keywords(self) -> tuple[str, ...]:
        """What a search looks at: names, family, summary, and the properties in words."""
        properties = {"adjusted for chance": self.adjusted, "symmetric": self.symmetric}
        held = (words for words, holds in properties.items() if holds)
        return (self.name, *self.aliases, self.family, self.summary, *held)

    @property
    def parameters(self) -> dict[str, Any]:
        """The formula's keyword parameters and their defaults."""
        return {p.name: p.default for p in self._arguments[1:]} | dict(self.given)

    def check_parameters(self, given: Iterable[str], besides: Iterable[str] = ()) -> None:
        """Refuse parameters that the formula does not have; `besides` are the caller's own."""
        own = self.parameters
        words = sorted({*own, *besides})
        for name in given:
            if name in own:
                continue
            raise TypeError(
                f"{self.name} has no parameter {name!r}; it takes {', '.join(words) or 'none'}."
                + did_you_mean(name, words)
            )

    def __repr__(self) -> str:
        """Return one line: how to call it, and the summary."""
        return f"<Measure {self.name}{inspect.signature(self)}: {self.summary}>"

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[Any, ...]]:
        """Pickle by name, so that workers find their own copy."""
        return _unpickled, (self.__name__, dict(self.given))


def _unpickled(name: str, given: dict[str, Any]) -> Measure:
    return get_measure(name).using(**given) if given else get_measure(name)


def _listed(annotation: Any) -> tuple[Any, ...]:
    """Return the values of a Literal, or of a union of some; none of another annotation."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(value for part in get_args(annotation) for value in _listed(part))


def _references(function: Callable[..., float]) -> str:
    """Return the entries of the docstring's References in one line."""
    entries = re.findall(r"\.\. \[\d+\] (.*?)(?=\n\s*\.\.|\n\n|\Z)", function.__doc__ or "", re.S)
    return "; ".join(" ".join(entry.split()) for entry in entries)


def _citing(function: Callable[..., float], cites: Measure) -> str:
    """Return the docstring with the References of another measure before its Examples."""
    cited = re.search(r"^References\n-.*?(?=^Examples\n-)", cites.__doc__ or "", re.M | re.S)
    before, examples, after = (inspect.getdoc(function) or "").partition("Examples\n--------\n")
    return before + (cited[0] if cited else "") + examples + after


def _documented(entry: Measure) -> str:
    """Return the docstring with what all measures share: labels, their options, the range."""
    text = inspect.getdoc(entry.function) or ""
    if not (later := re.search(r"^(Returns|See Also|References)\n-", text, re.M)):
        return text
    before, after = text[: later.start()], text[later.start() :]
    summary, _, own = before.partition(_PARAMETERS)
    if later[1] != "Returns":
        low, high = entry.bounds
        after = _RETURNS.format(low=low, high=high, better=entry.better) + after
    own = own.removesuffix("\n") + "".join(_COMMON.get(word, "") for word in entry.parameters)
    return summary + _PARAMETERS + _LABELS + _NEEDS[entry.weights] + own + _OPTIONS + after


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

_CATALOGUE: dict[str, Measure] = {}
_ALIASES: dict[str, str] = {}
_SHARED: dict[str, list[str]] = {}


def measure(
    *,
    family: str,
    bounds: tuple[float, float],
    better: Better | None,
    symmetric: bool = False,
    perfect: float | None = None,
    best_when_perfect: bool = True,
    adjusted: bool = False,
    weights: Weights = "any",
    aliases: tuple[str, ...] = (),
    orders_like: str = "",
    shared: tuple[str, ...] = (),
    references_of: Measure | None = None,
    work: Callable[[Contingency], float] | None = None,
    usual_bounds: bool = False,
) -> Callable[[Callable[Concatenate[Any, P], float]], Declared[P]]:
    """Declare a function of a table to be a measure, and enter it into the catalogue.

    Names that the literature gives to several measures are `shared`: asking for one names them all.
    A docstring without References has those of another measure, `references_of`.
    A function that is defined anew, as when a cell of a notebook runs again, replaces itself.
    """

    def enter(function: Callable[Concatenate[Any, P], float]) -> Declared[P]:
        if references_of is not None:
            function.__doc__ = _citing(function, references_of)
        entry: Declared[P] = Declared(
            name=function.__name__,
            function=function,
            family=family,
            bounds=bounds,
            better=better,
            symmetric=symmetric,
            perfect=perfect,
            best_when_perfect=best_when_perfect,
            adjusted=adjusted,
            weights=weights,
            aliases=aliases,
            orders_like=orders_like or function.__name__,
            reference=_references(function),
            work=work,
            usual_bounds=usual_bounds,
        )
        _enter(entry, shared)
        return entry

    return enter


# What most measures are: similarities, 1 where clusters equal classes; and distances, 0 there.
similarity = functools.partial(measure, bounds=(0, 1), better="higher", perfect=1)
distance = functools.partial(measure, bounds=(0, 1), better="lower", perfect=0)


def _enter(entry: Measure, shared: tuple[str, ...]) -> None:
    """Enter a measure into the catalogue, in place of itself where its function is defined anew."""
    if not entry.built_in:  # so that names of the fields are known to be taken
        load_fields()
    again = _is_again(entry)
    taken = {name: of for name, of in _ALIASES.items() if not (again and of == entry.name)}
    for name in (entry.name, *entry.aliases):
        if name in taken:
            raise MeasureError(f"two measures are called {name!r}.")
        taken[name] = entry.name
    for name in _ALIASES.keys() - taken.keys():
        del _ALIASES[name]
    _ALIASES.update(taken)
    for names in _SHARED.values():
        names[:] = [name for name in names if name != entry.name]
    for name in shared:
        _SHARED.setdefault(name, []).append(entry.name)
    _CATALOGUE[entry.name] = entry


def _is_again(entry: Measure) -> bool:
    """Whether a measure comes from where the one of its name did; those of the package stay."""
    if (before := _CATALOGUE.get(entry.name)) is None:
        return False
    old, new = before.function, entry.function
    same = (old.__module__, old.__qualname__) == (new.__module__, new.__qualname__)
    return same and not new.__module__.startswith("clusterbits.")


# Families of measures that live in rooms of their own.
_FIELDS = ("coreference", "images", "records")


def load_fields() -> None:
    """Enter the measures of the fields, which are imported where a name is not known without."""
    from clusterbits import coreference, images, records  # noqa: F401


def get_measure(name: str | Measure) -> Measure:
    """Return the measure of that name or alias, with parameters where the name has some.

    >>> get_measure("ari").name, get_measure("q2(worst='exact')").given
    ('adjusted_rand', {'worst': 'exact'})
    """
    if isinstance(name, Measure):
        return name
    if callable(name) or (isinstance(name, Iterable) and not isinstance(name, str)):
        raise TypeError(_describe_wrong(name))
    if isinstance(name, str) and "(" in name and (call := _read_call(name)):
        return get_measure(call[0]).using(**call[1])
    key = _key(name)
    if key not in _ALIASES:
        load_fields()
    if key in _ALIASES:
        return _CATALOGUE[_ALIASES[key]]
    if several := meanings(key):
        raise MeasureError(several)
    if family := find_family(key):
        raise MeasureError(
            f"{name!r} names {len(family)} measures, and one is needed here, such as "
            f"{family[0].name!r}."
        )
    from clusterbits.measures.short_names import ELSEWHERE

    known = [*_ALIASES, *(entry.family for entry in catalogue())]
    hint = f" {ELSEWHERE[key]}" if key in ELSEWHERE else did_you_mean(key, known)
    raise MeasureError(
        f"there is no measure {short(repr(name))}.{hint} list_measures, or the command measures "
        "--search, finds them."
    )


def _describe_wrong(given: Any) -> str:
    """Return what to do with a plain function, or with several measures, where one is needed."""
    if not callable(given):
        return (
            f"one measure is needed here, not {short(repr(given))}; evaluate takes several, with "
            "confidence_level= for their intervals."
        )
    name = getattr(given, "__name__", repr(given))
    hint = f" Did you mean {name!r}?" if name in _ALIASES else ""
    return (
        f"{short(name)} is a plain function; @clusterbits.measure(family=..., bounds=..., "
        f"better=...) makes a function of a table a measure.{hint}"
    )


def _read_call(name: str) -> tuple[str, dict[str, Any]] | None:
    """Return the name and the parameters of a measure `using` some; None for a plain name."""
    with suppress(SyntaxError, ValueError):
        call = ast.parse(name.strip(), mode="eval").body
        if isinstance(call, ast.Call) and not call.args:
            given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
            return ast.unparse(call.func), given
    return None


def find_family(name: Any) -> list[Measure]:
    """Return the measures of that family, those of "all", or none where the name is not a family.

    Names and aliases of measures come first: "code_length" is `q0`, not its family.

    >>> [entry.name for entry in find_family("elements")]
    ['bcubed_precision', 'bcubed_recall', 'bcubed_f1', 'element_centric']
    """
    key = _key(name)
    if key in _ALIASES:
        return []
    return [entry for entry in catalogue() if key in (entry.family, "all")]


def _key(name: Any) -> str:
    """Return a name as the catalogue has it; "" for what is not a name."""
    return name.strip().lower().replace("-", "_") if isinstance(name, str) else ""


def split_asked(measures: Any) -> list[Any] | None:
    """Return names and measures as they were given, in a list; None for the usual ones."""
    if isinstance(measures, str):
        names = re.split(r",(?![^(]*\))", measures)  # commas between parameters do not count
        return [name.strip() for name in names if name.strip()]
    if callable(measures):
        return [measures]
    try:
        return None if measures is None else list(measures)
    except TypeError:
        raise MeasureError(
            f"measures is {measures!r}; name measures, such as q0 and ari."
        ) from None


def meanings(name: str) -> str:
    """Return which measures share a name, as a sentence; empty for other names.

    >>> meanings("sokal_sneath_1")
    "'sokal_sneath_1' may mean sokal_sneath_doubled or sokal_sneath_mean: choose one."
    """
    found = " or ".join(_SHARED.get(name, ()))
    return f"{name!r} may mean {found}: choose one." if found else ""


def catalogue() -> Iterator[Measure]:
    """Iterate over all measures, family by family: general ones, those of fields, the user's own.

    Fields are imported in any order, so theirs is that of their names.
    """
    load_fields()

    def place(entry: Measure) -> tuple[bool, str]:
        return not entry.built_in, entry.family if entry.family in _FIELDS else ""

    return iter(sorted(_CATALOGUE.values(), key=place))


class MeasureList(list[dict[str, Any]]):
    """Measures in rows, one dictionary each, which print as a table of the main columns."""

    def _shown(self) -> list[dict[str, Any]]:
        return [{key: row[key] for key in ("name", "family", "better", "summary")} for row in self]

    def __repr__(self) -> str:
        """Return an aligned table."""
        from clusterbits.display.terminal import fitted_table

        return fitted_table(self._shown())

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return html_table(self._shown())


def list_measures() -> MeasureList:
    """Return the catalogue as rows: one dictionary per measure; they print as a table.

    >>> import clusterbits as cb
    >>> [row["name"] for row in cb.list_measures() if row["family"] == "code_length"][:2]
    ['q0', 'bits_saved']
    """
    return MeasureList(
        {
            "name": entry.name,
            "aliases": list(entry.aliases),
            "family": entry.family,
            "lowest": entry.bounds[0],
            "highest": entry.bounds[1],
            "better": entry.better,
            "perfect": entry.perfect,
            "symmetric": entry.symmetric,
            "adjusted": entry.adjusted,
            "weights": entry.weights,
            "orders_like": entry.orders_like,
            "summary": entry.summary,
            "reference": entry.reference,
        }
        for entry in catalogue()
    )
