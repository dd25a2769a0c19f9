"""Results that are asked by the name of a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import get_measure
from clusterbits.text.results import Keyed


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
