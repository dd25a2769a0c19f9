"""The catalogue: what each measure declares of itself, kept beside its formula.

A measure is one function of a `Contingency` under `@measure(...)`. What it declares is read by
the catalogue page, by ``clusterbits measures`` and by the tests, which hold it to its word.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from clusterbits.core.table import Contingency
from clusterbits.display.tables import short
from clusterbits.errors import MeasureError, did_you_mean

Better = Literal["higher", "lower"]

# Options that belong to reading the labels, not to a formula.
LABEL_OPTIONS = frozenset({"noise", "noise_label", "missing", "weights", "align"})


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
    integral : bool
        Whether it needs whole counts.
    aliases : tuple of str
        Other names people type.
    reference : str
        Where it was published.
    feasible : callable, optional
        Whether a table is small enough for it; None for measures without a limit.
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
    integral: bool
    aliases: tuple[str, ...]
    reference: str
    feasible: Callable[[Contingency], bool] | None = None

    def __post_init__(self) -> None:
        # What help(), doctest and scikit-learn's make_scorer look for on a function.
        for attribute in functools.WRAPPER_ASSIGNMENTS:
            if hasattr(self.function, attribute):
                object.__setattr__(self, attribute, getattr(self.function, attribute))
        object.__setattr__(self, "__wrapped__", self.function)

    def __call__(self, truth: Any, pred: Any = None, /, **options: Any) -> float:
        """Score labels (truth first) or one table; label options and parameters by keyword."""
        label_options = {key: options.pop(key) for key in LABEL_OPTIONS & options.keys()}
        self.check_parameters(options, LABEL_OPTIONS)
        return self.of(as_table(truth, pred, **label_options), **options)

    def of(self, table: Contingency, **parameters: Any) -> float:
        """Score a table."""
        if self.integral and not table.exact:
            raise MeasureError(
                f"{self.name} needs whole counts, and this table has expected or weighted ones."
            )
        return float(self.function(table, **parameters))

    def applies_to(self, table: Contingency) -> bool:
        """Whether the measure is defined for the table, and the table small enough for it."""
        return (table.exact or not self.integral) and (
            self.feasible is None or self.feasible(table)
        )

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def parameters(self) -> dict[str, Any]:
        """The formula's keyword parameters and their defaults."""
        signature = inspect.signature(self.function).parameters
        return {name: p.default for name, p in signature.items() if name != "table"}

    def check_parameters(self, given: Iterable[str], besides: Iterable[str] = ()) -> None:
        """Refuse parameters that the formula does not have; `besides` are the caller's own."""
        own = self.parameters
        words = sorted({*own, *besides})
        for name in given:
            if name in own:
                continue
            if name in LABEL_OPTIONS:
                raise MeasureError(
                    f"{self.name} has no parameter {name!r}: labels are read before, by "
                    "Contingency.from_labels, which takes it."
                )
            raise MeasureError(
                f"{self.name} has no parameter {name!r}; it takes {', '.join(words) or 'none'}."
                + did_you_mean(name, words)
            )

    def __repr__(self) -> str:
        """Return one line: name and summary."""
        return f"<Measure {self.name}: {self.summary}>"

    def __reduce__(self) -> tuple[Callable[[str], Measure], tuple[str]]:
        """Pickle by name, so that workers find their own copy."""
        return find, (self.name,)


_CATALOGUE: dict[str, Measure] = {}
_ALIASES: dict[str, str] = {}


def measure(
    *,
    family: str,
    bounds: tuple[float, float],
    better: Better | None,
    symmetric: bool = False,
    perfect: float | None = None,
    best_when_perfect: bool = True,
    adjusted: bool = False,
    integral: bool = False,
    aliases: tuple[str, ...] = (),
    reference: str,
    feasible: Callable[[Contingency], bool] | None = None,
) -> Callable[[Callable[..., float]], Measure]:
    """Declare a function of a table to be a measure, and enter it into the catalogue."""

    def enter(function: Callable[..., float]) -> Measure:
        entry = Measure(
            name=function.__name__,
            function=function,
            family=family,
            bounds=bounds,
            better=better,
            symmetric=symmetric,
            perfect=perfect,
            best_when_perfect=best_when_perfect,
            adjusted=adjusted,
            integral=integral,
            aliases=aliases,
            reference=reference,
            feasible=feasible,
        )
        for name in (entry.name, *aliases):
            if name in _ALIASES:
                raise MeasureError(f"two measures are called {name!r}.")
            _ALIASES[name] = entry.name
        _CATALOGUE[entry.name] = entry
        return entry

    return enter


def find(name: str | Measure) -> Measure:
    """Return the measure of that name or alias.

    >>> find("ari").name
    'adjusted_rand'
    """
    if isinstance(name, Measure):
        return name
    key = name.strip().lower().replace("-", "_") if isinstance(name, str) else ""
    if key not in _ALIASES:
        hint = did_you_mean(key, _ALIASES)
        raise MeasureError(
            f"there is no measure {short(repr(name))}.{hint} "
            "clusterbits.list_measures() names them all."
        )
    return _CATALOGUE[_ALIASES[key]]


def find_alias(name: str) -> Measure | None:
    """Return the measure of exactly that name or alias, None where there is none."""
    return _CATALOGUE.get(_ALIASES.get(name, ""))


def catalogue() -> Iterator[Measure]:
    """Iterate over all measures, family by family."""
    return iter(_CATALOGUE.values())


def list_measures() -> list[dict[str, Any]]:
    """Return the catalogue as rows: one dictionary per measure.

    >>> [row["name"] for row in list_measures() if row["family"] == "code_length"][:2]
    ['q0', 'q2']
    """
    return [
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
            "integral": entry.integral,
            "summary": entry.summary,
            "reference": entry.reference,
        }
        for entry in catalogue()
    ]


def check_label_options(who: str, given: Iterable[str]) -> None:
    """Refuse options that reading labels does not know."""
    for name in given:
        if name not in LABEL_OPTIONS:
            raise MeasureError(
                f"{who} has no option {name!r}; labels are read with "
                f"{', '.join(sorted(LABEL_OPTIONS))}.{did_you_mean(name, LABEL_OPTIONS)}"
            )


def as_table(truth: Any, pred: Any = None, **label_options: Any) -> Contingency:
    """Return the table itself, or count the two label sequences."""
    if isinstance(truth, Contingency):
        if pred is not None:
            raise MeasureError("a table holds truth and pred already: pass it alone.")
        if label_options:
            words = ", ".join(sorted(label_options))
            raise MeasureError(f"{words}: options of Contingency.from_labels, not of a table.")
        return truth
    if pred is None:
        raise MeasureError(
            "one argument must be a Contingency; for labels pass both: measure(truth, pred)."
        )
    return Contingency.from_labels(truth, pred, **label_options)
