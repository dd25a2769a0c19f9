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
    NamedTuple,
    ParamSpec,
    get_args,
    get_origin,
    overload,
)

import numpy as np

from clusterbits.errors import MeasureError, TableError, check_choice, did_you_mean
from clusterbits.labels.options import OPTIONS, Missing, Noise
from clusterbits.system.limits import MOST_STEPS
from clusterbits.table.contingency import Contingency, as_table, as_tables_beyond
from clusterbits.table.statistics import TableStatistics
from clusterbits.text.docstrings import split_sections
from clusterbits.text.tables import html_table, short

Better = Literal["higher", "lower"]
# Which real-valued counts a measure takes: all, those of balanced tables, or none.
Weights = Literal["any", "balanced", "none"]
P = ParamSpec("P")
# By how much rounding takes a value out of its bounds.
_ROUNDING = 1e-9

# What every measure's docstring says of its parameters, besides its own.
_LABELS = """truth, pred : labelings
    Classes and clusters of the same objects, as `Contingency.from_labels` takes them; or one
    `Contingency` for both."""
# What is said there, and to whoever brings others, of the counts it takes.
_NEEDS = {
    "any": "",
    "balanced": ' Weights\n    are whole, or "balanced".',
    "none": " Needs\n    whole counts, without weights.",
}
_WHOLE = {
    "balanced": " or weights='balanced', because it shuffles objects; this table has expected or "
    "weighted counts and does not know its objects",
    "none": ", because it counts arrangements of whole objects or links between them; this table "
    "has expected or weighted ones",
}
_COMMON = {
    "base": """base : float, default 2
    Unit of the code length: 2 for bits, ``math.e`` for nats.""",
    "n_classes": """n_classes : int, optional
    Number of classes that could have occurred; by default those that did.""",
    "given": """given : "classes" or "clusters"
    The labeling whose pairs are asked for.""",
    "model": """model : str
    The random clusterings that chance draws from: "permutation" keeps the sizes of both
    labelings and shuffles the objects, "fixed_clusters" draws from all clusterings with as many
    groups, "all" from all clusterings. "fixed_clusters_one_sided" and "all_one_sided" draw
    clusters only and keep the classes.""",
}
_OPTIONS = f"""{", ".join(OPTIONS)}
    How labels are read: see `LabelOptions`."""
# What scikit-learn calls the arguments.
_SYNONYMS = {"labels_true": "truth", "labels_pred": "pred", "sample_weight": "weights"}


class Scale(NamedTuple):
    """What the values of a measure mean, also where the measure is not declared.

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
            raise MeasureError(f"{self.measure} describes a table and ranks nothing.")
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
    scale_free : bool
        Whether weights that are not whole may be multiplied by any number without a change. If
        not, they must add up to more than 1 per class.
    aliases : tuple of str
        Other names people type.
    shared : tuple of str
        Names that the literature also gives to other measures: asking for one names them all.
    orders_like : str
        The name of the measure that stands for all with the same ranking: for given classes, each
        is a monotone function of it. The measure's own name if it stands for itself.
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
    scale_free: bool
    aliases: tuple[str, ...]
    shared: tuple[str, ...]
    orders_like: str
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
        keyword, both = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        labels = [inspect.Parameter(word, both) for word in ("truth", "pred")]
        own = [inspect.Parameter(w, keyword, default=x) for w, x in self.parameters.items()]
        signature = inspect.Signature([*labels, *own, *OPTIONS.values()])
        object.__setattr__(self, "__signature__", signature)

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
            return self.score_table(as_table(truth, pred, {}))
        if (counts := given.pop("contingency", None)) is not None:  # in place of labels
            truth, pred = Contingency.from_counts(counts), None
        reading: Any = {word: given.pop(word) for word in OPTIONS if word in given}
        self._check(given, OPTIONS)
        if (other := given.pop("beyond", None)) is not None:  # labels of another clustering
            table, beyond = as_tables_beyond(truth, pred, other, reading)
            return self.score_table(table, beyond=beyond, **given)
        return self.score_table(as_table(truth, pred, reading), **given)

    def score_table(self, table: TableStatistics, **parameters: Any) -> float:
        """Score a table; or many, if `table` stands for many, into an array."""
        options = {**self.given, **parameters}
        self._check(options)
        if reason := self._refusal(table):
            raise MeasureError(f"{self.name} {reason}")
        perfect: Any = self.perfect is not None and table.is_perfect
        # Under other random models only a single group is sure of its value.
        if options.get("model", "permutation") != "permutation":
            perfect = perfect & (table.shape[0] == 1)
        if isinstance(table, Contingency):
            if self.perfect is not None and perfect:
                return float(self.perfect)
            if why := table.uneven:
                raise TableError(why)
            value = float(self.function(table, **options))
            low, high = self._bounds(options)
            kept = min(max(value, low), high)
            if not abs(kept - value) <= _ROUNDING:  # nan and infinity are not
                raise MeasureError(
                    f"{self.name} is {value} for this table, outside its range {low} to {high}: "
                    "the counts are too small, or differ too much in size, for floating point."
                )
            return kept
        many: Any = table
        if self.of_statistics:
            values: Any = self.function(table, **options)
            values = values if self.perfect is None else np.where(perfect, self.perfect, values)
        else:
            values = np.array([self.score_table(one, **options) for one in many])
        return values  # type: ignore[no-any-return]

    def _bounds(self, parameters: Mapping[str, Any]) -> tuple[float, float]:
        """Return the bounds with these parameters; infinite where they are not known."""
        return (-math.inf, math.inf) if parameters and self.usual_bounds else self.bounds

    @cached_property
    def _arguments(self) -> Mapping[str, inspect.Parameter]:
        """The arguments of the formula: the table, then its parameters."""
        return inspect.signature(self.function).parameters

    @property
    def of_statistics(self) -> bool:
        """Whether the formula is of `TableStatistics`, and takes many tables at once."""
        return next(iter(self._arguments.values())).annotation is TableStatistics

    @property
    def parameters(self) -> dict[str, Any]:
        """The formula's keyword parameters and their defaults."""
        return {p.name: p.default for p in [*self._arguments.values()][1:]} | dict(self.given)

    def _check(self, parameters: Mapping[str, Any], others: Iterable[str] = ()) -> None:
        """Refuse names and values that the formula does not take; `others` are the caller's."""
        own = self.parameters
        for name, value in parameters.items():
            if name not in own:
                words = sorted({*own, *others})
                raise TypeError(
                    f"{self.name} has no parameter {name!r}; it takes "
                    f"{', '.join(words) or 'none'}.{did_you_mean(name, words)}"
                )
            if choices := _listed(self._arguments[name].annotation):
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
        given = {**self.given, **parameters}
        for word, value in given.items():
            if isinstance(value, np.generic):  # the name has it as it is written
                given[word] = value.item()
        words = ", ".join(f"{word}={value!r}" for word, value in given.items())
        name, bounds = f"{self.function.__name__}({words})", self._bounds(given)
        return replace(self, name=name, bounds=bounds, orders_like=name, given=given)

    def _refusal(self, table: TableStatistics) -> str:
        """Return why the measure does not take the table's counts, or "" if it does."""
        if table.exact:
            refused = self.weights == "none" and table.weighted
        elif self.weights == "any":
            return "" if self.scale_free or not isinstance(table, Contingency) else table.too_light
        else:
            objects = table.unbalanced if isinstance(table, Contingency) else None
            refused = self.weights == "none" or objects is None or not objects.exact
        return f"needs whole counts{_WHOLE[self.weights]}." if refused else ""

    def applies_to(self, table: Contingency) -> bool:
        """Whether the measure is defined for the table, and the table small enough for it."""
        return not self._refusal(table) and (self.work is None or self.work(table) <= MOST_STEPS)

    @property
    def built_in(self) -> bool:
        """Whether it is one of the library's own."""
        return str(getattr(self.function, "__module__", "")).startswith("clusterbits.")

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def reference(self) -> str:
        """The References of the docstring in one line: where it was published."""
        text = split_sections(self.__doc__ or "").get("References", "")
        entries = [entry.partition("] ")[2] for entry in text.split(".. [")[1:]]
        return "; ".join(" ".join(entry.split()) for entry in entries)

    def sign(self) -> int:
        """Return 1 where higher values are better, -1 where lower are; refuse what ranks nothing.

        >>> import clusterbits as cb
        >>> cb.q0.sign(), cb.adjusted_rand.sign()
        (-1, 1)
        """
        return self.scale.sign()

    @property
    def scale(self) -> Scale:
        """The bounds of its values, and which are better: what results keep of a measure."""
        return Scale(self.name, self.bounds, self.better)

    @property
    def short_name(self) -> str:
        """The name for narrow columns: the usual abbreviation of a long one, where there is one."""
        known = [alias.upper() for alias in self.aliases if len(alias) <= 4]
        return known[0] if known and len(self.name) > 8 else self.name

    def __repr__(self) -> str:
        """Return one line: how to call it, and the summary."""
        return f"<Measure {self.name}{inspect.signature(self)}: {self.summary}>"

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[Any, ...]]:
        """Pickle by name, so that workers find their own copy."""
        return _unpickled, (self.function.__name__, dict(self.given))


def _unpickled(name: str, given: dict[str, Any]) -> Measure:
    return get_measure(name).using(**given) if given else get_measure(name)


def _listed(annotation: Any) -> tuple[Any, ...]:
    """Return the values of a Literal, or of a union of some; none of another annotation."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(value for part in get_args(annotation) for value in _listed(part))


def _joined(sections: Mapping[str, str]) -> str:
    """Return the docstring that has these sections; those without text are not in it."""
    opening, *others = sections.items()
    parts = [f"{title}\n{'-' * len(title)}\n{text}" for title, text in others if text]
    return "\n\n".join([opening[1], *parts])


def _citing(function: Callable[..., float], cites: Measure) -> str:
    """Return the docstring with the References of another measure before its Examples."""
    sections = split_sections(inspect.getdoc(function) or "")
    examples = sections.pop("Examples", "")
    cited = split_sections(cites.__doc__ or "").get("References", "")
    return _joined(sections | {"References": cited, "Examples": examples})


def _documented(entry: Measure) -> str:
    """Return the docstring with what all measures share: labels, their options, the range."""
    text = inspect.getdoc(entry.function) or ""
    sections = split_sections(text)
    if not sections.keys() & {"Returns", "See Also", "References"}:
        return text
    low, high = entry.bounds
    usual = {"Returns": f"float\n    From {low:g} to {high:g}; {entry.better} is better."}
    common = [_COMMON[word] for word in entry.parameters if word in _COMMON]
    own = sections.pop("Parameters", "")
    parameters = [_LABELS + _NEEDS[entry.weights], own, *common, _OPTIONS]
    opening = {"": sections[""], "Parameters": "\n".join(filter(None, parameters))}
    return _joined(opening | usual | sections)


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
    scale_free: bool = True,
    aliases: tuple[str, ...] = (),
    orders_like: str = "",
    shared: tuple[str, ...] = (),
    references_of: Measure | None = None,
    work: Callable[[Contingency], float] | None = None,
    usual_bounds: bool = False,
) -> Callable[[Callable[Concatenate[Any, P], float]], Declared[P]]:
    """Declare a function of a table to be a measure, and enter it into the catalogue.

    The keywords are attributes of `Measure`. Only measures that take any weights can be
    `scale_free`. A docstring without References has those of another measure, `references_of`. A
    parameter `beyond` takes labels of another clustering of the same objects: the formula gets
    their table, and its own has the intersections of both as columns.
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
            scale_free=scale_free and weights == "any",
            aliases=aliases,
            shared=shared,
            orders_like=orders_like or function.__name__,
            work=work,
            usual_bounds=usual_bounds,
        )
        _enter(entry)
        return entry

    return enter


# What most measures are: similarities, 1 where clusters equal classes; and distances, 0 there.
similarity = functools.partial(measure, bounds=(0, 1), better="higher", perfect=1)
distance = functools.partial(measure, bounds=(0, 1), better="lower", perfect=0)


def _enter(entry: Measure) -> None:
    """Enter a measure into the catalogue, in place of itself if its function is defined anew."""
    if not entry.built_in:  # so that names of the fields are known to be taken
        load_fields()
    for name in (entry.name, *entry.aliases):
        known = _find(name)
        if known is not None and not _is_again(entry, known):
            raise MeasureError(f"two measures are called {name!r}.")
    _CATALOGUE[entry.name] = entry


def _is_again(entry: Measure, known: Measure) -> bool:
    """Whether a measure comes from where the known one did; those of the package stay."""
    new, old = entry.function, known.function
    same = (old.__module__, old.__qualname__) == (new.__module__, new.__qualname__)
    return same and entry.name == known.name and not entry.built_in


def _find(key: str) -> Measure | None:
    """Return the measure of that name or alias among those that are loaded."""
    aliased = (entry for entry in _CATALOGUE.values() if key in entry.aliases)
    return _CATALOGUE.get(key) or next(aliased, None)


# Families of measures that live in rooms of their own.
_FIELDS = ("coreference", "images", "records")


def load_fields() -> None:
    """Enter the measures of the fields, which are imported where a name is not known without."""
    from clusterbits import coreference, images, records  # noqa: F401


def look_up(name: Any) -> Measure | None:
    """Return the measure of that name or alias, if there is one.

    >>> look_up("CEAF-e").name, look_up("silhouette")
    ('ceaf_e_f1', None)
    """
    key = normalize_name(name)
    if _find(key) is None:
        load_fields()
    return _find(key)


def get_measure(name: str | Measure) -> Measure:
    """Return the measure of that name or alias, with parameters where the name has some.

    >>> get_measure("ari").name, get_measure("q2(worst='exact')").given
    ('adjusted_rand', {'worst': 'exact'})
    """
    if isinstance(name, Measure):
        return name
    if callable(name) or (isinstance(name, Iterable) and not isinstance(name, str)):
        raise TypeError(_describe_wrong(name))
    if isinstance(name, str) and "(" in name:
        own, parameters = _read_call(name)
        try:
            return get_measure(own).using(**parameters)
        except TypeError as error:  # a text is input, not a call
            raise MeasureError(str(error)) from None
    if entry := look_up(name):
        return entry
    key = normalize_name(name)
    if several := meanings(key):
        raise MeasureError(several)
    if family := find_family(key):
        raise MeasureError(
            f"{name!r} names {len(family)} measures, and one is needed here, such as "
            f"{family[0].name!r}."
        )
    from clusterbits.measures.short_names import ELSEWHERE

    known = [word for entry in catalogue() for word in (entry.name, *entry.aliases, entry.family)]
    hint = f" {ELSEWHERE[key]}" if key in ELSEWHERE else did_you_mean(key, known)
    raise MeasureError(
        f"there is no measure {short(repr(name))}.{hint} list_measures(), or the command "
        "`clusterbits measures`, lists them."
    )


def _describe_wrong(given: Any) -> str:
    """Return what to do with a plain function, or with several measures, where one is needed."""
    if not callable(given):
        return (
            f"one measure is needed here, not {short(repr(given))}; evaluate takes several, with "
            "confidence_level= for their intervals."
        )
    name = getattr(given, "__name__", repr(given))
    hint = f" Did you mean {name!r}?" if look_up(name) else ""
    return (
        f"{short(name)} is a plain function; @clusterbits.measure(family=..., bounds=..., "
        f"better=...) makes a function of a table a measure.{hint}"
    )


def _read_call(name: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a measure `using` some."""
    with suppress(SyntaxError, ValueError):
        call = ast.parse(name.strip(), mode="eval").body
        if isinstance(call, ast.Call) and not call.args:
            words = [(str(word.arg), ast.literal_eval(word.value)) for word in call.keywords]
            if len(dict(words)) == len(words):
                return ast.unparse(call.func), dict(words)
    raise MeasureError(
        f"{short(name)}: parameters are written by name, each once, as in q0(base=10)."
    )


def find_family(name: Any) -> list[Measure]:
    """Return the measures of that family, those of "all", or none where the name is not a family.

    Names and aliases of measures come first: "code_length" is `q0`, not its family.

    >>> [entry.name for entry in find_family("elements")]
    ['bcubed_precision', 'bcubed_recall', 'bcubed_f1', 'element_centric']
    """
    key = normalize_name(name)
    if look_up(key):
        return []
    return [entry for entry in catalogue() if key in (entry.family, "all")]


def normalize_name(name: Any) -> str:
    """Return a name as the catalogue has it; "" for what is not a name.

    >>> normalize_name("Adjusted Rand"), normalize_name("B³-recall")
    ('adjusted_rand', 'b3_recall')
    """
    return (
        re.sub(r"[\s_-]+", "_", name.strip().lower()).replace("³", "3")
        if isinstance(name, str)
        else ""
    )


def split_names(text: str) -> list[str]:
    """Return the names that commas separate; commas between parameters do not.

    >>> split_names("ari, q0(base=10, n_classes=8)")
    ['ari', 'q0(base=10, n_classes=8)']
    """
    names: list[str] = []
    for part in text.split(","):
        if names and names[-1].count("(") > names[-1].count(")"):
            names[-1] += f",{part}"
        else:
            names.append(part)
    return [name.strip() for name in names if name.strip()]


def parse_measures(measures: Any) -> list[Any] | None:
    """Return names and measures as they were given, in a list; None for the usual ones."""
    if isinstance(measures, str):
        return split_names(measures)
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
    measures = " or ".join(entry.name for entry in catalogue() if name in entry.shared)
    return f"{name!r} may mean {measures}: choose one." if measures else ""


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
        from clusterbits.text.terminal import fitted_table

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
            "scale_free": entry.scale_free,
            "orders_like": entry.orders_like,
            "summary": entry.summary,
            "reference": entry.reference,
        }
        for entry in catalogue()
    )
