"""The command tree: every cut of a hierarchical clustering, and the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import clusterbits as cb
from clusterbits.cli.inputs import TEXT, TextFiles, list_names
from clusterbits.cli.printed_rows import TIDY, print_rows, with_short_names
from clusterbits.cli.shared_options import FormatOption, MeasureOption
from clusterbits.errors import FileError
from clusterbits.labels.labeling import Ids, Labels
from clusterbits.labels.options import Missing
from clusterbits.measures.catalogue import get_measure
from clusterbits.reading.files.ordered import read_columns_of, read_scored_pairs
from clusterbits.reading.matched_pairs import refuse_missing_ids
from clusterbits.system.limits import check_memory
from clusterbits.table.label_names import as_names
from clusterbits.text.tables import counted
from clusterbits.text.terminal import folded
from clusterbits.trees.tree import Tree, read_tree

# What a table has room for.
_SHOWN = ("q0", "conditional_entropy", "share_saved", "adjusted_rand", "v_measure")
_SHOWN_OF_PAIRS = ("q0", "share_saved", "pair_f1", "pair_precision", "pair_recall")
# What a row takes until it is printed.
_ROW_BYTES = 700


def tree(
    file: str,
    /,
    *,
    truth: str,
    on: str | None = None,
    level: list[str] | None = None,
    edges: list[str] | None = None,
    measure: MeasureOption = None,
    k: list[str] | None = None,
    part: Literal["cuts", "clusters"] = "cuts",
    missing: Missing = "error",
    unmatched: Missing = "error",
    truth_noise: list[str] | None = None,
    text: TextFiles = TEXT,
    format: FormatOption = "table",
) -> None:
    """Score every cut of a hierarchical clustering: how many clusters, and where to cut deeper.

    Example: clusterbits tree linkage.npy --truth labels.csv:species

    Example: clusterbits tree tree.nwk --truth labels.csv:species --on name

    Example: clusterbits tree taxa.csv --level family,genus --truth species

    Example: clusterbits tree pairs.csv --edges left,right,score --truth people.csv:person --on id

    Parameters
    ----------
    file
        A linkage matrix of scipy or children_ of scikit-learn, as np.save writes it; a tree in
        Newick's format; with --level, a file of labels; with --edges, a file of scored pairs.
    truth
        The true classes: FILE:COLUMN, or FILE where it has one column; with --level, a column of
        the same file. Rows are in the order of the objects, unless --on is given.
    on
        The column of the file of classes with the names of the leaves, or the ids that pairs are
        of; with --level, a column of ids that both files have. In Newick's format an underscore is
        a blank, unless the name is quoted.
    level
        Columns that are the levels of a tree, from coarse to fine, repeated or separated by commas.
    edges
        The columns of scored pairs: two objects and their similarity. A cut at a threshold joins
        the pairs that are at least as similar. Objects are ids with --on, else positions from 0.
    k
        The numbers of clusters to score, repeated or separated by commas; by default all. With
        it, any measure.
    part
        What to list: the horizontal cuts, or the clusters of the best free cut, which may
        cut deeper in some branches.
    missing
        Objects without a class: error, drop, or class for one of their own.
    unmatched
        With --on, what to do with names that only one side has: error, drop or class.
    truth_noise
        A class to exclude; may be repeated.
    """
    source, column = _split(truth, file if level else None)
    if level and edges:
        raise FileError("--level and --edges are two kinds of trees: pass one of them.")
    if level:
        levels = list_names(level) or []
        hierarchy, classes = _read_levels(text, file, levels, (source, column), on)
    else:
        (classes,) = _read_columns(text, source, [column], on)
        hierarchy = (
            _read_pairs(text, file, edges, classes) if edges else read_tree(file, text.encoding)
        )
    if hierarchy.ids is not None and not on:  # by position, classes would go to other leaves
        raise FileError(
            f"the leaves of {file} have names: pass --on COLUMN, the column of {source} that has "
            "them, too."
        )
    options: dict[str, Any] = {
        "missing": missing,
        "unmatched": unmatched,
        "truth_noise": truth_noise,
    }
    if part == "clusters" and (k or measure):
        raise FileError(
            "--part clusters lists the best free cut: --k and --measure are for horizontal cuts."
        )
    best = cb.trees.best_cut(classes, hierarchy, **options)
    measures = list_names(measure) or list(_SHOWN_OF_PAIRS if edges else _SHOWN)
    cuts = cb.trees.cuts(classes, hierarchy, measures, k=_numbers(k), **options)
    purity = cb.trees.dendrogram_purity(classes, hierarchy, **options)
    lead = cuts.measures[0] if measure and get_measure(cuts.measures[0]).better else "q0"
    if format == "table":
        purity_line = f"Dendrogram purity: {purity:.4f}."
        print(folded(f"{best.title} {purity_line}{_best_by(cuts, lead)}"), end="\n\n")
    rows = best.to_dicts() if part == "clusters" else _cut_rows(cuts, format, lead)
    print_rows(
        "tree", rows, format, _title(cuts, len(rows), part), part=part, **_facts(best, purity)
    )


def _split(truth: str, same_file: str | None) -> tuple[str, str | None]:
    """Return the file and the column of the classes."""
    name, colon, column = truth.rpartition(":")
    if same_file is not None:
        return (name, column) if column and name and Path(name).exists() else (same_file, truth)
    if colon and name and not Path(truth).exists():
        return name, column or None
    return truth, None


def _numbers(values: list[str] | None) -> list[int] | None:
    names = list_names(values)
    try:
        return None if names is None else [int(name) for name in names]
    except ValueError:
        raise FileError(
            f"--k {' --k '.join(values or ())}: numbers of clusters, such as --k 2,5,10."
        ) from None


def _read_levels(
    text: TextFiles, file: str, levels: Sequence[str], truth: tuple[str, str | None], on: str | None
) -> tuple[Tree, Labels]:
    """Return the tree of columns of a file, and the classes."""
    source, column = truth
    if source == file:  # read once: it may be a stream
        *labels, classes = _read_columns(text, file, [*levels, column], on)
    else:
        (classes,) = _read_columns(text, source, [column], on)
        labels = _read_columns(text, file, [*levels], on)
    return Tree.from_levels(dict(zip(levels, labels, strict=True))), classes


def _read_pairs(text: TextFiles, file: str, edges: Sequence[str], classes: Labels) -> Tree:
    """Return the tree of scored pairs, of positions unless the classes have ids."""
    columns = list_names([*edges]) or []
    if len(columns) != 3:
        raise FileError(
            "--edges takes three columns, two objects and their similarity, such as --edges "
            f"left,right,score; got {counted(len(columns), 'column')}."
        )
    with text.opening([file]) as (sources,):
        left, right, similarity = read_scored_pairs(sources, columns)
    if classes.ids is None:
        return Tree.from_edges((left, right), similarity, len(classes))
    refuse_missing_ids([left, right], file)
    ends = _as_text(left), _as_text(right)
    ids = chain(classes.ids.values, *(end.named()[1].tolist() for end in ends))
    return Tree.from_edges(ends, similarity, list(dict.fromkeys(ids)))


def _read_columns(
    text: TextFiles, file: str, columns: list[str | None], on: str | None
) -> list[Labels]:
    """Return the labels of columns, one of which may be unnamed if there is no other.

    With `on`, by the ids in that column, as text.
    """
    with text.opening([file]) as (sources,):
        if on is None:
            return read_columns_of(sources, columns, "truth")
        *labels, ids = read_columns_of(sources, [*columns, on], "truth")
    refuse_missing_ids([ids], f"column {on!r} of {file}")
    texts = _as_text(ids)
    return [replace(x, ids=Ids(texts.name(texts.codes).tolist())) for x in labels]


def _as_text(ids: Labels) -> Labels:
    """Return ids as text: files write one id in several ways, an integer or text."""
    codes, names = ids.named()
    return Labels(codes, as_names([str(name) for name in names.tolist()]))


def _best_by(cuts: cb.trees.Cuts, measure: str) -> str:
    """Return a line with the best of the cuts by a measure; q0 has its sentence already."""
    if measure == "q0":
        return ""
    value = cuts[measure][cuts.clusters == cuts.best_k(measure)][0]
    name = get_measure(measure).short_name
    return f"\nBy {name}, the best of these cuts has {cuts.name_best(measure)}: {value:.4f}."


def _cut_rows(cuts: cb.trees.Cuts, format: str, lead: str) -> list[dict[str, Any]]:
    """Return tidy rows of all cuts for programs, and of some cuts, one in each row, for people."""
    if format in TIDY:
        check_memory(
            _ROW_BYTES * len(cuts) * len(cuts.values),
            f"printing {len(cuts):,} cuts by {counted(len(cuts.values), 'measure')}",
        )
        rows = cuts.to_dicts()
        keys = [key for key in cuts.columns if key not in cuts.values]
        return [
            {key: row[key] for key in keys}
            | {"measure": name, "value": row[name], "better": get_measure(name).better}
            for name in cuts.values
            for row in rows
        ]
    rows = [{"k": row.pop("clusters"), **row} for row in cuts.printed_rows(lead)]
    return with_short_names(rows, cuts.measures)


def _title(cuts: cb.trees.Cuts, shown: int, part: str) -> str:
    if part == "clusters":
        return "the clusters of the best free cut"
    part_of = f"{shown} of " if shown < len(cuts) else ""
    return f"{part_of}{counted(len(cuts), 'horizontal cut')}"


def _facts(best: cb.trees.BestCut, purity: float) -> dict[str, Any]:
    classes, threshold = best.cuts.classes, {}
    if best.cuts.thresholds is not None:  # JSON has no infinity
        value = best.cuts.best_threshold()
        threshold = {"horizontal_threshold": value if math.isfinite(value) else None}
    return {
        "n": classes.n,
        "classes": len(classes.names),
        "objects_given": best.cuts.tree.n,
        "no_clusters_bits": best.cuts.no_clusters,
        "horizontal_clusters": best.horizontal_clusters,
        **threshold,
        "horizontal_bits": best.horizontal_bits,
        "free_clusters": best.clusters,
        "free_bits": best.bits,
        "name_bits": best.name_bits,
        "dendrogram_purity": purity,
    }
