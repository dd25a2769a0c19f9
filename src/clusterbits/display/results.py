"""The base class of all results: a title and rows, as text, in notebooks and as frames."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from typing import Any

from clusterbits.display.tables import html_table, rows_to_frame, text_table


class Result:
    """A result that shows itself. By default its fields are its one row."""

    @property
    def title(self) -> str:
        """The conclusion in one line, above the rows; empty where the rows suffice."""
        return ""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows, one dictionary each."""
        return [asdict(self)]  # type: ignore[call-overload]

    def to_frame(self) -> Any:
        """Return the rows as a pandas or polars frame (what is installed)."""
        return rows_to_frame(self.to_dicts())

    def _shown(self) -> list[dict[str, Any]]:
        """Return the rows to print, where they differ from `to_dicts`."""
        return self.to_dicts()

    def __repr__(self) -> str:
        """Return the title and an aligned table."""
        return "\n".join(filter(None, [self.title, text_table(self._shown())]))

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        title = f"<p>{escape(self.title)}</p>" if self.title else ""
        return title + html_table(self._shown())
