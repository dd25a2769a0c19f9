"""Errors for objects that hold labels in a form that is not read, with what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clusterbits.display.tables import counted, short
from clusterbits.errors import LabelError
from clusterbits.ingest.kinds import (
    as_narwhals,
    holds_lists,
    is_frame,
    is_graph,
    is_memberships,
    library_type,
    list_method,
)

# How lazy frames are collected: those of Dask, Spark, DuckDB, polars and narwhals, Ibis.
_COLLECTORS = ("compute", "toPandas", "df", "collect", "execute")
# Frames and columns that are grouped, and know their groups.
_GROUPED = {("pandas", "DataFrameGroupBy"), ("pandas", "SeriesGroupBy"), ("polars", "GroupBy")}

# What takes clusters that are no partition.
OVERLAPPING = (
    "overlapping clusters are not a partition. Use q0_soft(truth, clusters); between two covers "
    "omega, overlapping_nmi or bcubed_extended."
)


def no_labels(given: Any, who: str) -> LabelError:
    """Return the error for what is not a labeling."""
    kind, it = type(given).__name__, name_in_code(who)
    if isinstance(given, type):
        return LabelError(
            f"{who} is the class {given.__name__}: pass labels, or an instance of it; an estimator "
            f"is made and fitted first, as in {given.__name__}().fit(X)."
        )
    if is_memberships(given):
        return LabelError(
            f"{who} is a Memberships, of soft or overlapping clusters; this takes one label for "
            "each object. Use q0_soft(truth, memberships) or soft_code; omega, overlapping_nmi or "
            "bcubed_extended between two covers; fuzzy_rand or frobenius_adjusted_rand between "
            f"fuzzy partitions; or pass {it}.hardened()."
        )
    if is_graph(given):
        return LabelError(f"{who} is a {kind}, which has edges and no clusters: {_find(given, it)}")
    if library_type(given) in _GROUPED:
        code = _collect_groups(given, it)
        ids = f"For clusters of ids pass {code}, or pass" if code else "Pass"
        return LabelError(f"{who} is a {kind}. {ids} the column that it is grouped by.")
    if is_frame(given):
        return LabelError(f"{who} is a {kind}; labels are read in memory. {_fetch(given, it)}")
    named = isinstance(given, Iterable) or type(given).__module__ != "builtins"
    what = f"a {kind}" if named else repr(given)
    return LabelError(
        f"{who} is {what}; labels are a 1-D sequence, one per object, such as a list, a numpy "
        "array or a data-frame column; a mapping of ids to labels; or a list of sets of ids. For "
        "two columns of a frame use from_frame(), for files from_file(), for those of label images "
        "from_images()."
    )


def name_in_code(who: str) -> str:
    """Return what code calls the labeling: some have no name that Python reads."""
    return who if who.isidentifier() else "it"


def _find(graph: Any, it: str) -> str:
    """Return how the clusters of a graph are found."""
    if hasattr(graph, "vs"):
        return f"pass a clustering, such as {it}.connected_components(), or {it}.vs['community']."
    return (
        f"pass clusters, such as networkx.community.louvain_communities({it}), or "
        f"networkx.get_node_attributes({it}, 'community')."
    )


def _collect_groups(groups: Any, it: str) -> str:
    """Return the code of a mapping of clusters to ids; "" where no column has ids."""
    if library_type(groups)[0] == "polars":
        column = _other(groups.df.columns, groups.by)
        plain = len(groups.by) == 1 and isinstance(groups.by[0], str)  # other keys are expressions
        return f"dict({it}.agg({column!r}).iter_rows())" if plain and column is not None else ""
    frame: Any = groups.obj
    if frame.ndim == 1:
        return f"{it}.agg(list).to_dict()"
    keys = groups.keys if isinstance(groups.keys, list) else [groups.keys]
    column = _other(frame.columns.tolist(), keys)
    return f"{it}.groups" if column is None else f"{it}[{column!r}].agg(list).to_dict()"


def _other(columns: Sequence[Any], keys: Iterable[Any]) -> Any:
    known = {str(getattr(key, "name", key)) for key in keys}  # a pandas key may be a column
    return next((column for column in columns if str(column) not in known), None)


def _fetch(frame: Any, it: str) -> str:
    """Return how the labels of a lazy frame, or of another library's, are read."""
    methods = [word for word in _COLLECTORS if hasattr(type(frame), word)][:1]
    if hasattr(type(frame), "to_native"):  # narwhals's own
        methods.append("to_native")
    narwhal = as_narwhals(frame)
    names = list(narwhal.collect_schema().names()) if narwhal is not None else frame.columns
    code = it + "".join(f".{method}()" for method in methods)
    if not names:
        return "It has no columns: pass a frame of ids and labels, or a column of labels."
    if len(names) == 1:
        return f"Pass {code}[{names[0]!r}], a column of labels."
    some = "" if len(names) == 2 else f"[[{names[0]!r}, {names[-1]!r}]]"
    return (
        f"Pass {code}{some}, a frame of ids and labels; from_frame() counts two columns of labels "
        "where they are."
    )


def refuse_width(frame: Any, names: Sequence[Any], who: str) -> None:
    """Raise where a frame has other columns than ids and labels."""
    it, width = name_in_code(who), len(names)
    if width == 1 and holds_lists(frame[names[0]]):
        raise held_lists(frame[names[0]], who, f"{it}[{names[0]!r}]")
    if width != 2:
        column = f", as {it}[{names[-1]!r}]" if width else ""
        raise LabelError(
            f"{who} is a {type(frame).__name__} with {counted(width, 'column')}; pass one column "
            f"of labels{column}, or a frame of two: ids and labels. For two label columns of a "
            f"frame use from_frame(); for degrees of membership q0_soft(truth, {it})."
        )


def refuse_list_columns(columns: Sequence[Any], names: Sequence[Any], who: str) -> None:
    """Raise where a frame has a cluster and its ids in each row."""
    it, lists = name_in_code(who), [holds_lists(column) for column in columns]
    if any(lists):
        ids, clusters = sorted(range(2), key=lambda i: not lists[i])
        both = (_code(columns[i], f"{it}[{names[i]!r}]") for i in (clusters, ids))
        raise LabelError(
            f"{who} has lists in its column {names[ids]!r}. For clusters of ids pass "
            f"dict(zip({', '.join(both)}))."
        )


def held_lists(column: Any, who: str, it: str = "") -> LabelError:
    """Return the error for a column whose values are lists."""
    it = it or name_in_code(who)
    indexed = library_type(column) == ("pandas", "Series")
    code = f"{it}.to_dict()" if indexed else _code(column, it)
    return LabelError(
        f"{who} holds a list; each object has one label. Where each is a cluster of ids, pass "
        f"{code}."
    )


def held_arrays(array: Any, who: str) -> LabelError:
    """Return the error for a list whose items are arrays."""
    many = getattr(array, "shape", None) or (len(array),)
    return LabelError(
        f"{who} holds a {type(array).__name__} of shape {tuple(many)}; each object has one label. "
        "For several clusterings use evaluate(truth, runs); where each is a cluster of ids, pass "
        f"[{_code(array, 'one')} for one in {name_in_code(who)}]."
    )


def _code(column: Any, it: str) -> str:
    return f"{it}.{list_method(column) or 'tolist'}()"


def held_fields(array: Any, who: str) -> LabelError:
    """Return the error for an array of numpy with named fields."""
    names, it = array.dtype.names, name_in_code(who)
    ids = f"dict(zip({', '.join(f'{it}[{name!r}].tolist()' for name in names[:2])}))"
    both = f"; for ids and labels {ids}" if len(names) > 1 else ""
    return LabelError(
        f"{who} has {counted(len(names), 'field')}; pass that of the labels, as "
        f"{it}[{names[-1]!r}]{both}."
    )


def held_tuples(given: Any, first: tuple[Any, ...], who: str) -> LabelError:
    """Return the error for labels that are all tuples: ids and labels, pairs, or clusters."""
    it = name_in_code(who)
    if type(given).__name__ == "MultiIndex":
        ids = f"dict(zip({it}.get_level_values(0), {it}.get_level_values(1)))"
        return LabelError(
            f"{who} is a MultiIndex; pass the level of the labels, as {it}.get_level_values(-1); "
            f"for ids and labels {ids}."
        )
    kind = type(given).__name__
    again = {"zip": "dict(zip(ids, labels))", "enumerate": "dict(enumerate(labels))"}
    ids = f"For ids and labels pass {again.get(kind, f'dict({it})')}. " if len(first) == 2 else ""
    if any(isinstance(entry, float) for entry in first):
        ids = f"For degrees of membership use q0_soft(truth, {it}). {ids}"
    return LabelError(
        f"{who} holds tuples, such as {short(first)}. {ids}For pairs of objects use "
        "Contingency.from_pairs(); for clusters pass a list of sets of ids; for labels that "
        "are tuples pass their text."
    )


def held_records(first: Mapping[Any, Any], who: str) -> LabelError:
    """Return the error for a list of dicts."""
    names, it = list(first), name_in_code(who)
    cure = ""
    if names:
        cure = f" Pass one field of each, as [record[{names[-1]!r}] for record in {it}]."
    if len(names) > 1:
        ids = f"{{record[{names[0]!r}]: record[{names[-1]!r}] for record in {it}}}"
        cure = f"{cure[:-1]}; for ids and labels {ids}."
    return LabelError(f"{who} holds a dict; each object has one label.{cure}")


def mapped_mappings(given: Mapping[Any, Any], who: str) -> LabelError:
    """Return the error for a mapping to mappings: several labelings, or records by id."""
    it, name = name_in_code(who), next(iter(given))
    fields = [field for inner in given.values() for field in inner]
    records = f"{{id: record[{fields[-1]!r}] for id, record in {it}.items()}}" if fields else ""
    return LabelError(
        f"{who} maps {counted(len(given), 'key')} to a {type(given[name]).__name__} each. Where "
        f"these are clusterings, pass one, as {it}[{name!r}], or all to evaluate(truth, runs)"
        + (f"; where they are records, one field of each, as {records}." if records else ".")
    )
