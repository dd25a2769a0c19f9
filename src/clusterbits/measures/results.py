"""Results that are asked by the name of a measure."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import Measure, get_measure


class ByMeasure:
    """What a result has of each measure: ``result["ari"]``, by any of its names."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in order."""
        raise NotImplementedError

    def _of(self, measure: str) -> Any:
        """Return what there is of a measure, by its full name."""
        raise NotImplementedError

    def __getitem__(self, measure: str | Measure) -> Any:
        """Return what there is of a measure."""
        return self._of(self._name(measure))

    def _name(self, measure: str | Measure) -> str:
        """Return the full name of a measure that is here."""
        name = get_measure(measure).name
        if name not in self.measures:
            raise MeasureError(f"{name} was not computed; these were: {', '.join(self.measures)}.")
        return name

    def __contains__(self, measure: object) -> bool:
        """Whether a measure was computed, by any of its names."""
        with suppress(MeasureError):
            return get_measure(measure).name in self.measures  # type: ignore[arg-type]
        return False

    def keys(self) -> tuple[str, ...]:
        """Return the names of the measures."""
        return self.measures

    def _ipython_key_completions_(self) -> list[str]:
        """Return what the Tab key offers after ``result["``."""
        return list(self.measures)
