"""The command tree: every cut of a hierarchical clustering, and the best."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import clusterbits as cb
from clusterbits.cli.inputs import as_delimiter, list_names
from clusterbits.cli.printed_rows import TIDY, print_rows
from clusterbits.cli.shared_options import (
    DelimiterOption,
    EncodingOption,
    FormatOption,
    MeasureOption,
    NoHeaderOption,
)
from clusterbits.errors import FileError
from clusterbits.labels.labeling import Ids, Labels
from clusterbits.labels.options import Missing
from clusterbits.measures.catalogue import get_measure
from clusterbits.reading.files.ordered import read_columns_of
from clusterbits.reading.files.streams import opening
from clusterbits.system.limits import check_memory
from clusterbits.text.tables import counted
from clusterbits.text.terminal import folded
from clusterbits.trees.tree import read_tree

# What a table has room for.
_SHOWN = ("q0", "conditional_entropy", "share_saved", "adjusted_rand", "v_measure")
_CUTS = 12
# What a row takes until it is printed.
_ROW_BYTES = 700


def tree(
    file: str,
    /,
    *,
    truth: str,
    on: str | None = None,
    level: list[str] | None = None,
    measure: MeasureOption = None,
    k: list[str] | None = None,
    part: Literal["cuts", "clusters"] = "cuts",
    missing: Missing = "error",
    unmatched: Missing = "error",
    truth_noise: list[str] | None = None,
    delimiter: DelimiterOption = None,
    no_header: NoHeaderOption = False,
    encoding: EncodingOption = None,
    format: FormatOption = "table",
) -> None:
    """Score every cut of a hierarchical clustering: how many clusters, and where to cut deeper.

    Example: clusterbits tree linkage.npy --truth labels.csv:species

    Example: clusterbits tree tree.nwk --truth labels.csv:species --on name

    Example: clusterbits tree taxa.csv --level family,genus --truth species

    Parameters
    ----------
    file
        A linkage matrix of scipy or children_ of scikit-learn, as np.save writes it; a tree in
        Newick's format; or with --level, a file of labels.
    truth
        The true classes: FILE:COLUMN, or FILE where it has one column; with --level, a column of
        the same file. Rows are in the order of the objects, unless --on is given.
    on
        The column of the file of classes with the names of the leaves. In Newick's format an
        underscore is a blank, unless the name is quoted.
    level
        Columns that are the levels of a tree, from coarse to fine, repeated or separated by commas.
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
        A class to leave out; may be repeated.
    """

    def read(name: str, columns: list[str | None]) -> list[Labels]:
        """Return the labels of columns; one may be unnamed, where there is no other."""
        separator = as_delimiter(delimiter)
        with opening([name], encoding=encoding, header=not no_header, delimiter=separator) as (
            sources,
        ):
            return read_columns_of(sources, columns, "truth")

    source, column = _split(truth, file if level else None)
    levels = list_names(level) or []
    labels: list[Labels] = []
    if source == file:  # read once: it may be a stream
        *labels, classes = read(file, [*levels, column])
    else:
        classes = _with_ids(*read(source, [column, on])) if on else read(source, [column])[0]
        labels = read(file, [*levels]) if levels else []
    if level is not None:
        hierarchy = cb.trees.Tree.from_levels(dict(zip(levels, labels, strict=True)))
    else:
        hierarchy = read_tree(file, encoding)
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
    measures = list_names(measure) or list(_SHOWN)
    cuts = cb.trees.cuts(classes, hierarchy, measures, k=_numbers(k), **options)
    purity = cb.trees.dendrogram_purity(classes, hierarchy, **options)
    if format == "table":
        print(folded(f"{best.title} Dendrogram purity: {purity:.4f}."), end="\n\n")
    rows = best.to_dicts() if part == "clusters" else _cut_rows(cuts, format)
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


def _with_ids(classes: Labels, ids: Labels) -> Labels:
    """Return the labels of a column, with the ids of another as text."""
    codes, names = ids.named()
    texts = [str(name) for name in names.tolist()]
    return replace(classes, ids=Ids([texts[code] for code in codes.tolist()]))


def _cut_rows(cuts: cb.trees.Cuts, format: str) -> list[dict[str, Any]]:
    """Return tidy rows of all cuts for programs, and of some cuts, one in each row, for people."""
    if format in TIDY:
        check_memory(
            _ROW_BYTES * len(cuts) * len(cuts.values),
            f"printing {len(cuts):,} cuts by {counted(len(cuts.values), 'measure')}",
        )
        return [
            {"clusters": k, "measure": name, "value": value, "better": get_measure(name).better}
            for name, values in cuts.values.items()
            for k, value in zip(cuts.clusters.tolist(), values.tolist(), strict=True)
        ]
    rows = cuts.thinned(_CUTS)
    named = {get_measure(name).short_name: values for name, values in cuts.values.items()}
    lists = [
        cuts.clusters[rows].tolist(),
        *(values[rows].tolist() for values in named.values()),
    ]
    return [dict(zip(("k", *named), row, strict=True)) for row in zip(*lists, strict=True)]


def _title(cuts: cb.trees.Cuts, shown: int, part: str) -> str:
    if part == "clusters":
        return "the clusters of the best free cut"
    part_of = f"{shown} of " if shown < len(cuts) else ""
    return f"{part_of}{counted(len(cuts), 'horizontal cut')}"


def _facts(best: cb.trees.BestCut, purity: float) -> dict[str, Any]:
    classes = best.cuts.classes
    return {
        "n": classes.n,
        "classes": len(classes.names),
        "objects_given": best.cuts.tree.n,
        "no_clusters_bits": best.cuts.no_clusters,
        "horizontal_clusters": best.horizontal_clusters,
        "horizontal_bits": best.horizontal_bits,
        "free_clusters": best.clusters,
        "free_bits": best.bits,
        "name_bits": best.name_bits,
        "dendrogram_purity": purity,
    }
