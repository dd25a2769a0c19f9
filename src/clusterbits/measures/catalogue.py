"""The catalogue: measures are entered where they are declared, and found by name.

A measure is one function of a `Contingency` under `@measure(...)`. What it declares is read by
the catalogue page, by ``clusterbits measures`` and by the tests, which check it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Concatenate, get_args

from clusterbits.errors import MeasureError, check_choice, did_you_mean
from clusterbits.measures.declaration import Better, Declared, Measure, P, Weights
from clusterbits.measures.shared_docs import compose_docstring
from clusterbits.table.contingency import Contingency
from clusterbits.text.results import Keyed
from clusterbits.text.tables import html_table, short

_CATALOGUE: dict[str, Measure] = {}
# Families of measures that live in subpackages of their own, imported if a name needs them.
_FIELDS = ("coreference", "images", "records")


def measure(
    *,
    family: str,
    bounds: tuple[float, float],
    better: Better | None,
    symmetric: bool = False,
    perfect: float | None = None,
    adjusted: bool = False,
    weights: Weights = "any",
    scale_free: bool = True,
    aliases: tuple[str, ...] = (),
    orders_like: str = "",
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
        name, (_, *parameters) = function.__name__, inspect.signature(function).parameters
        _check_names((name, *aliases), function)
        if better is not None:
            check_choice("better", better, get_args(Better))
        check_choice("weights", weights, get_args(Weights))
        cited = (references_of and references_of.__doc__) or ""
        function.__doc__ = compose_docstring(function, weights, parameters, bounds, better, cited)
        entry: Declared[P] = Declared(
            name=name,
            function=function,
            family=family,
            bounds=bounds,
            better=better,
            symmetric=symmetric,
            perfect=perfect,
            adjusted=adjusted,
            weights=weights,
            scale_free=scale_free and weights == "any",
            aliases=aliases,
            orders_like=orders_like or name,
            work=work,
            usual_bounds=usual_bounds,
        )
        _CATALOGUE[name] = entry
        return entry

    return enter


# What most measures are: similarities, 1 if clusters equal classes; and distances, 0 there.
similarity = functools.partial(measure, bounds=(0, 1), better="higher", perfect=1)
distance = functools.partial(measure, bounds=(0, 1), better="lower", perfect=0)


def _check_names(names: Iterable[str], function: Callable[..., float]) -> None:
    """Raise if another measure has one of the names; a user's function may be defined again."""
    origin = function.__module__, function.__qualname__, function.__name__
    built_in = _is_built_in(function)
    if not built_in:  # so that names of the fields are known to be taken
        load_fields()
    for name in names:
        if (entry := _find(name)) is None:
            continue
        defined = entry.function.__module__, entry.function.__qualname__, entry.name
        if built_in or defined != origin:
            raise MeasureError(f"two measures are called {name!r}.")


def _is_built_in(function: Callable[..., float]) -> bool:
    return function.__module__.startswith("clusterbits.")


def _find(key: str) -> Measure | None:
    """The measure of that name or alias among those that are loaded."""
    aliased = (entry for entry in _CATALOGUE.values() if key in entry.aliases)
    return _CATALOGUE.get(key) or next(aliased, None)


def load_fields() -> None:
    """Enter the measures of the fields, which are imported if a name is not known without."""
    from clusterbits import coreference, images, records  # noqa: F401


def catalogue() -> Iterator[Measure]:
    """Iterate over all measures, family by family: general ones, those of fields, the user's own.

    Fields are imported in any order, so theirs is that of their names.
    """
    load_fields()

    def rank(entry: Measure) -> tuple[bool, str]:
        return not _is_built_in(entry.function), entry.family if entry.family in _FIELDS else ""

    return iter(sorted(_CATALOGUE.values(), key=rank))


def look_up(name: Any) -> Measure | None:
    """The measure of that name or alias, if there is one.

    >>> look_up("CEAF-e").name, look_up("silhouette")
    ('ceaf_e_f1', None)
    """
    key = normalize_name(name)
    if _find(key) is None:
        load_fields()
    return _find(key)


def get_measure(name: str | Measure) -> Measure:
    """Return the measure of that name or alias, with parameters if the name has some.

    >>> get_measure("ari").name, get_measure("q2(worst='exact')").bound_parameters
    ('adjusted_rand', {'worst': 'exact'})
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str) and (callable(name) or isinstance(name, Iterable)):
        raise TypeError(_describe_wrong(name))
    if isinstance(name, str) and "(" in name:
        stem, parameters = _read_call(name)
        try:
            return get_measure(stem).using(**parameters)
        except TypeError as error:  # a text is input, not a call
            raise MeasureError(str(error)) from None
    if entry := look_up(name):
        return entry
    if family := find_family(name):
        raise MeasureError(
            f"{name!r} names {len(family)} measures, and one is needed here, such as "
            f"{family[0].name!r}."
        )
    from clusterbits.measures.short_names import ELSEWHERE

    key = normalize_name(name)
    names = [text for entry in catalogue() for text in (entry.name, *entry.aliases, entry.family)]
    hint = f" {ELSEWHERE[key]}" if key in ELSEWHERE else did_you_mean(key, names)
    raise MeasureError(
        f"there is no measure {short(repr(name))}.{hint} list_measures(), or the command "
        "`clusterbits measures`, lists them."
    )


def _describe_wrong(value: Any) -> str:
    """What to do with a plain function, or with several measures, if one measure is needed."""
    if not callable(value):
        return (
            f"one measure is needed here, not {short(repr(value))}; evaluate takes several, with "
            "confidence_level= for their intervals."
        )
    name = getattr(value, "__name__", repr(value))
    hint = f" Did you mean {name!r}?" if look_up(name) else ""
    return (
        f"{short(name)} is a plain function; @clusterbits.measure(family=..., bounds=..., "
        f"better=...) makes a function of a table a measure.{hint}"
    )


def _read_call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and parameters of a measure with parameters."""
    with suppress(SyntaxError, ValueError):  # of a keyword that is repeated as well
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Call) and not call.args:
            parameters = {str(x.arg): ast.literal_eval(x.value) for x in call.keywords}
            if len(parameters) == len(call.keywords):
                return ast.unparse(call.func), parameters
    raise MeasureError(
        f"{short(text)}: parameters are written by name, each once, as in q0(n_classes=10)."
    )


# The family "usual": Dom's measures, and the others that people know best.
USUAL = (
    "share_saved",
    "q0",
    "q2",
    "adjusted_rand",
    "adjusted_mutual_information",
    "v_measure",
)


def find_family(name: Any) -> list[Measure]:
    """The measures of a family, of "usual" or "all"; none if the name is not that of a family.

    Names and aliases of measures come first: "code_length" is `q0`, not its family.

    >>> [entry.name for entry in find_family("elements")]
    ['bcubed_precision', 'bcubed_recall', 'bcubed_f1', 'element_centric']
    """
    key = normalize_name(name)
    if look_up(key):
        return []
    if key == "usual":
        return list(map(get_measure, USUAL))
    return [entry for entry in catalogue() if key in (entry.family, "all")]


def normalize_name(name: Any) -> str:
    """A name as the catalogue has it; "" for what is not a name.

    >>> normalize_name("Adjusted Rand"), normalize_name("B³-recall")
    ('adjusted_rand', 'b3_recall')
    """
    if not isinstance(name, str):
        return ""
    return re.sub(r"[\s_-]+", "_", name.strip().lower()).replace("³", "3")


def split_names(text: str) -> list[str]:
    """Names that commas separate; commas between parameters do not.

    >>> split_names("ari, q2(worst='exact', n_classes=8)")
    ['ari', "q2(worst='exact', n_classes=8)"]
    """
    names = re.split(r",(?![^()]*\))", text)
    return [name.strip() for name in names if name.strip()]


def parse_measures(measures: Any) -> list[Any] | None:
    """Names and measures as they were passed, in a list; None for the usual ones."""
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


class MeasureList(list[dict[str, Any]]):
    """Measures in rows, one dictionary each, which print as a table of the main columns."""

    def _shown(self) -> list[dict[str, Any]]:
        return [{key: row[key] for key in ("name", "family", "better", "summary")} for row in self]

    def __repr__(self) -> str:
        """Return an aligned table."""
        from clusterbits.text.terminal import fitted_table

        return fitted_table(self._shown())

    def _repr_html_(self) -> str:
        """Return the table as HTML."""
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


class ByMeasure(Keyed):
    """Mapping of measure names and aliases to the values of a result: ``result["ari"]``."""

    if TYPE_CHECKING:

        @property
        def measures(self) -> tuple[str, ...]: ...

    def keys(self) -> tuple[str, ...]:
        """Return the names of the measures, in order."""
        return self.measures

    def _key(self, name: Any) -> str:
        if isinstance(name, str) and name in self.measures:  # also if it is not declared
            return name
        full = get_measure(name).name
        if full not in self.measures:
            raise MeasureError(f"{full} was not computed; these were: {', '.join(self.measures)}.")
        return full
