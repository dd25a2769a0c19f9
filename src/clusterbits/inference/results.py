"""What all results have in common: rows for notebooks and data frames."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from clusterbits.display.tables import html_table, rows_to_frame


class Rows:
    """A result that can be shown as rows; by default its fields, as one row."""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows."""
        return [asdict(self)]  # type: ignore[call-overload]

    def to_frame(self) -> Any:
        """Return the tidy rows as a pandas or polars frame (what is installed)."""
        return rows_to_frame(self.to_dicts())

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return html_table(self.to_dicts())
