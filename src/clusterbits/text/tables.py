"""Rows and counts for people: aligned text, HTML, data frames; labels that can be seen."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from html import escape
from importlib.util import find_spec
from typing import Any, Literal
from unicodedata import category, east_asian_width

from clusterbits.errors import ClusterbitsError

# Rows of a table: dictionaries with the same keys.
Records = Sequence[Mapping[str, Any]]

_BACKENDS: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")
# Values that differ by less, relative to their size (or to 1), differ by rounding.
ROUNDING = 1e-12
# Characters of a name or of a cell of plain text.
_WIDEST = 60
# Characters of a heading in HTML.
_WIDEST_HEADING = 30
# Controls (C0, C1), breaks of lines and paragraphs, changes of direction, lone surrogates.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def to_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return a pandas, polars or pyarrow table: one already imported, else one installed."""
    backend = next((name for name in _BACKENDS if name in sys.modules), None)
    backend = backend or next((name for name in _BACKENDS if find_spec(name)), None)
    if backend is None:
        raise ClusterbitsError("to_frame() needs pandas, polars or pyarrow: pip install pandas")
    import narwhals

    ready = {name: _storable(values, backend == "pandas") for name, values in columns.items()}
    return narwhals.from_dict(ready, backend=backend).to_native()


# What a column of polars or pyarrow holds, if all its values are of one of these types.
_STORABLE = (str, int, float, bool, bytes, date, datetime, time, timedelta)


def _storable(values: Sequence[Any], objects: bool) -> Any:
    """Return values that a column can hold: text, unless they are of one plain type.

    A column of `objects` holds any, except for a lone surrogate, which is written as an escape.
    """
    types = {type(value) for value in values if value is not None}
    plain = types <= {int, float} or (len(types) == 1 and types <= {*_STORABLE})
    wide = any(type(value) is int and abs(value) >= 2**63 for value in values)
    if objects and types == {int} and None in values:
        import numpy

        return numpy.array(values, dtype=object)  # pandas would make them floats
    if types != {str} and (objects or (plain and not wide)):
        return list(values)
    return [
        value if value is None else str(value).encode("utf-8", "backslashreplace").decode()
        for value in values
    ]


def rows_to_frame(rows: Records, names: Sequence[str] = ()) -> Any:
    """Return rows with the same keys as a frame; without rows, `names` are its columns."""
    return to_frame({name: [row[name] for row in rows] for name in (rows[0] if rows else names)})


@lru_cache(maxsize=4096)  # the same cells are measured for each width that is tried
def cell_width(text: str) -> int:
    """Return the width of a text in columns of a terminal.

    >>> cell_width("naïve"), cell_width("聚类")
    (5, 4)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if category(letter) in ("Mn", "Me", "Cf") else 1 + (east_asian_width(letter) in "WF")
        for letter in text
    )


# A word; a sign of percent stays with its number.
_WORD = re.compile(r"\s*\S+(?: %\S*)?|\s+")


def fold(text: str, width: int) -> list[str]:
    """Return text in lines: broken between words, within long ones after _, or anywhere.

    >>> fold("87 % of adjusted_mutual_information", 16)
    ['87 % of', 'adjusted_mutual_', 'information']
    """
    if cell_width(text) <= width:
        return [text]
    lines = [""]
    for piece in _pieces(text, width):
        if cell_width(lines[-1] + piece) > width and lines[-1]:
            lines.append("")
        lines[-1] += piece if lines[-1] or len(lines) == 1 else piece.lstrip()
    return lines


def _pieces(text: str, width: int) -> Iterator[str]:
    for word in _WORD.findall(text):
        fits = cell_width(word.strip()) <= width
        for part in [word] if fits else re.findall("[^_]+_*|_+", word):
            yield from [part] if cell_width(part.strip()) <= width else part


def is_tie(a: float, b: float) -> bool:
    """Whether two values differ by rounding only; undefined values never tie."""
    return math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING)


def html_table(
    rows: Records, directions: Mapping[str, str | None] | None = None, mark_best: bool = True
) -> str:
    """Return rows as an HTML table: labels escaped, long names shortened, in full as a tooltip.

    `directions` says which values of a column are better, "higher" or "lower": the heading has an
    arrow, and the best of several values are bold and starred. Colours are those of the page.
    """
    head, columns = "", []
    for name in rows[0] if rows else ():
        values = [row.get(name) for row in rows]
        better = (directions or {}).get(name)
        style = f"style='text-align:{'right' if are_numbers(values) else 'left'}'"
        hint = f" title='{better} is better'" if better else ""
        text = cut_html(name, _WIDEST_HEADING)
        if "<" not in text:  # whole: it may be broken
            text = text.replace("_", "_<wbr>")
        head += f"<th scope='col' {style}{hint}>{text}{arrow(better)}</th>"
        best = _best(values, better) if mark_best else None
        columns.append([f"<td {style}>{_html_value(value, best)}</td>" for value in values])
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True))
    # Our own rule below the headings: themes differ in theirs, and currentColor suits all of them.
    return (
        "<table style='border-collapse:collapse;font-variant-numeric:tabular-nums'>"
        f"<thead style='border-bottom:1px solid currentColor'><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def arrow(better: str | None) -> str:
    """Return an arrow towards the better values; "" without a direction."""
    sign = {"higher": "↑", "lower": "↓"}.get(better or "")
    return f"\N{NO-BREAK SPACE}{sign}" if sign else ""


def _html_value(value: Any, best: Any) -> str:
    text = cut_html(value, _WIDEST)
    if isinstance(value, ValueWithLimits):  # in narrow columns the limits are below the value
        number, _, limits = text.partition(" ")
        text = f"{number} <small style='white-space:nowrap'>{limits}</small>"
    if best is None or not _is_number(value) or not is_tie(value, best):
        return text
    return f"<b title='best'>★\N{NO-BREAK SPACE}{text}</b>"


def _best(values: Sequence[Any], better: str | None) -> Any:
    """Return the best of several different numbers, None if there is none."""
    numbers = [value for value in values if _is_number(value) and value == value]
    if better is None or not numbers or is_tie(min(numbers), max(numbers)):
        return None
    return max(numbers) if better == "higher" else min(numbers)


def cut_html(value: Any, width: int) -> str:
    """Return a value as inert HTML; a long one is shortened, and in full in a tooltip.

    >>> cut_html("<b>", 60), cut_html("a very long name", 10)
    ('&lt;b&gt;', "<span title='a very long name'>a ver…name</span>")
    """
    text = show(value)
    seen = escape(cut_middle(text, width))
    return seen if len(text) <= width else f"<span title='{escape(text)}'>{seen}</span>"


def show(value: Any) -> str:
    """Return a value for a table: four decimals, or three digits if those would vanish.

    Characters that would act on a terminal instead of being seen are written as escapes.
    """
    if value is None:
        return "–"
    if isinstance(value, ValueWithLimits):
        return value.text
    if isinstance(value, ExactValue):
        return repr(value)
    if not isinstance(value, float):
        return escape_unseen(str(value))
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e9 else f"{value:.3g}"


class ExactValue(float):
    """A number that is shown with all its digits, to be used again.

    >>> show(ExactValue(0.12345678))
    '0.12345678'
    """


class ValueWithLimits(float):
    """A value that is shown with its confidence limits.

    >>> show(ValueWithLimits(0.8615, 0.79, 0.9203, decimals_of(0.13)))
    '0.86 [0.79, 0.92]'
    """

    text: str

    def __new__(cls, value: float, low: float, high: float, decimals: int) -> ValueWithLimits:
        """Make it a float, and its text."""
        number = super().__new__(cls, value)
        number.text = f"{value:z.{decimals}f} [{low:z.{decimals}f}, {high:z.{decimals}f}]"
        return number


def decimals_of(width: float) -> int:
    """Return the decimals that show an interval: it is at least 5 units of the last one wide.

    >>> [decimals_of(width) for width in (0.13, 0.008, 250)]
    [2, 3, 0]
    """
    if not 1e-12 < width < math.inf:
        return 4
    return max(0 if width > 10 else 2, math.ceil(math.log10(5 / width)))


def escape_unseen(text: str, keep: str = "") -> str:
    r"""Return text with characters that would act on a terminal as escapes, but those in `keep`.

    >>> print(escape_unseen("two\nlines\x1b[31m", keep="\n"))
    two
    lines\x1b[31m
    """
    return _UNSEEN.sub(lambda sign: sign[0] if sign[0] in keep else ascii(sign[0])[1:-1], text)


def short(name: Any, width: int = _WIDEST) -> str:
    """Return a name as visible text: a blank one quoted, a long one cut.

    >>> short("average linkage, cut into 12 clusters", 24)
    'average linkag… clusters'
    >>> print(short(""), short("  "))
    (empty) '  '
    """
    text = show(str(name))
    if not text.strip():
        text = repr(text) if text else "(empty)"
    return cut_middle(text, width)


def cut_middle(text: str, width: int) -> str:
    """Return a text cut in the middle if it is long: names of runs tend to differ at the end."""
    tail = width * 2 // 5
    return text if len(text) <= width else f"{text[: width - tail - 1]}…{text[-tail:]}"


def counted(count: int | float, noun: str) -> str:
    """Return a count with its noun; real-valued counts with four digits.

    >>> counted(1, "class"), counted(1200, "class"), counted(2.5, "object")
    ('1 class', '1,200 classes', '2.5 objects')
    >>> counted(1, "entity"), counted(2, "entity"), counted(2, "key")
    ('1 entity', '2 entities', '2 keys')
    """
    if count != 1:
        plural = "es" if noun.endswith(("s", "ch")) else "s"
        noun = re.sub("(?<=[^aeiou])y$", "ie", noun) + plural
    return f"{with_commas(count)} {noun}"


def with_commas(count: int | float) -> str:
    """Return a count with thousands separators; a real-valued one with four digits, at least.

    >>> with_commas(20170), with_commas(20170.4), with_commas(2.50001)
    ('20,170', '20,170', '2.5')
    """
    if isinstance(count, int):
        return f"{count:,}"
    return f"{count:,.0f}" if 1e4 <= abs(count) < 1e9 else f"{count:,.4g}"


def brief(count: int | float) -> str:
    """Return a count in about four characters, for a small cell.

    >>> [brief(count) for count in (9999, 12345, 2_500_000, 10**16, 1.23456, 1234.5)]
    ['9999', '12.3k', '2.5M', '1e+16', '1.23', '1234']
    """
    if isinstance(count, int) and count < 1e4:
        return f"{count}"
    if count >= 1e15:
        return f"{float(count):.0e}"
    units = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
    unit, letter = next((pair for pair in units if count >= max(pair[0], 1e4)), (1, ""))
    scaled = count / unit
    return (f"{scaled:.0f}" if scaled >= 100 else f"{scaled:.3g}") + letter


def percent(share: float, digits: int | None = None) -> str:
    """Return a share as a percentage, with `digits` decimals; by default with all it has.

    Only nothing is 0 % and only the whole is 100 %: what would round to them has more digits.
    """
    size = 100 * abs(share)
    text = f"{size:.10g}" if digits is None else f"{size:.{digits}f}"
    if size and not float(text):
        text = f"{size:.1g}"
    elif size < 100 <= float(text):
        text = f"{min(math.floor(100 * size) / 100, 99.99):g}"
    elif size == 100:
        text = "100"
    return f"{'−' if share < 0 else ''}{text} %"


SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def chance_bound(bits: float) -> str:
    """Return 2 to the power of minus so many whole bits.

    >>> chance_bound(43.9)
    '2⁻⁴³'
    """
    return "2" + str(-math.floor(bits)).translate(SUPERSCRIPT)


def are_numbers(values: Iterable[Any]) -> bool:
    """Whether all non-missing values are numbers."""
    return all(_is_number(value) for value in values if value is not None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
