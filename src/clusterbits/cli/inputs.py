"""The options of all commands that read labels from files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

import clusterbits as cb
from clusterbits.cli.images import are_images, count_image_files, count_two_images
from clusterbits.cli.outputs import protect_inputs
from clusterbits.core.policy import LabelPolicy, Missing, Noise
from clusterbits.errors import FileError, MeasureError
from clusterbits.ingest.files.counting import count_files
from clusterbits.ingest.files.readers import FileOptions
from clusterbits.ingest.files.sources import Source
from clusterbits.ingest.files.streams import opening
from clusterbits.ingest.grouped import GroupedTable, split_by_group
from clusterbits.ingest.joint import PairedCount, count_paired
from clusterbits.ingest.selection import Wanted
from clusterbits.ingest.tallies import Count, T, count_tally

# What a clustering is called whose column no option names.
UNNAMED = "pred"


@Parameter(name="*", group=Group("Input", sort_key=1), negative=())
@dataclass(frozen=True)
class Input:
    """Where the labels are and how to read them.

    Parameters
    ----------
    truth
        Column of the true classes; by default the first of two.
    pred
        Column of the clusters; by default the second of two. For several clusterings, repeat it,
        separate names by commas, or quote a pattern such as 'k*'.
    on
        Column that identifies an object in both of two files; may be repeated.
    unmatched
        What to do with ids in one file only: refuse, drop them and print how many objects were
        scored, or make them a class.
    weights
        Column of weights: how much each row counts.
    missing
        What to do with rows without a label: refuse, drop them, or make them a class.
    noise
        What to do with the noise cluster: make its objects singletons, or drop them. By default
        it is a cluster like any other.
    noise_label
        The label of the noise cluster; by default -1, and 0 for images.
    truth_noise
        A class whose objects are left out, such as "unknown", or 0 for the background of an
        image; may be repeated.
    delimiter
        CSV delimiter, if it is not a comma, semicolon, tab or bar.
    no_header
        The CSV files have no line with names; columns go by number: --truth 1 --pred 2.
    encoding
        Encoding of text that is not UTF-8, such as latin-1, cp1252 or utf-16.
    sql
        Query of a DuckDB or SQLite file.
    memory_limit
        Memory for reading, such as 2GB; the rest spills to disk.
    spill
        Folder to spill to, and for copies of piped input.
    """

    truth: str | None = None
    pred: list[str] | None = None
    on: list[str] | None = None
    unmatched: Missing = "error"
    weights: str | None = None
    missing: Missing = "error"
    noise: Noise | None = None
    noise_label: str | None = None
    truth_noise: Annotated[
        list[str] | None, Parameter(name=["--truth-noise", "--ignore"], negative=())
    ] = None
    delimiter: str | None = None
    no_header: bool = False
    encoding: str | None = None
    sql: str | None = None
    memory_limit: str | None = None
    spill: Path | None = None

    def table(self, files: Sequence[str]) -> cb.Contingency:
        """Return the table of one clustering; saved tables are added up."""
        return self.named_table(files)[1]

    def named_table(
        self, files: Sequence[str], output: Path | None = None, counted_as: Input | None = None
    ) -> tuple[str, cb.Contingency]:
        """Return the name of one clustering and its table; saved tables are added up.

        `counted_as` has the options for labels where they are not those that were given.
        """
        if are_images(files, self):
            return UNNAMED, count_two_images(files, self, output)
        with self.opening(files, output) as sources:
            if saved := self._saved(sources):
                return UNNAMED, cb.Contingency.from_batches(
                    map(cb.Contingency.load, saved),
                    noise=self.noise,
                    noise_label=self._noise_cluster,
                    truth_noise=self._noise_classes,
                )
            counted = (counted_as or self)._count(sources, count_tally)
        return _only_one(
            {name: cb.Contingency.from_cells(cells) for name, cells in counted.items()}
        )

    def tables(self, files: Sequence[str], output: Path | None = None) -> dict[str, cb.Contingency]:
        """Return the tables of all clusterings, by column; saved tables and images by file name."""
        if are_images(files, self):
            return count_image_files(files, self, output)
        with self.opening(files, output) as sources:
            if not (saved := self._saved(sources)):
                counted = self._count(sources, count_tally)
                return {name: cb.Contingency.from_cells(cells) for name, cells in counted.items()}
            found = {source.path.stem: cb.Contingency.load(source) for source in saved}
        if len(found) < len(saved):
            raise FileError("two of the saved tables have the same file name.")
        for option in ("noise", "truth_noise"):
            if getattr(self, option) is not None:
                name = option.replace("_", "-")
                raise FileError(f"--{name} applies to labels; count them anew with it.")
        first, *others = found
        for other in others:
            if not same_classes(found[first], found[other]):
                raise FileError(
                    f"{first} and {other} are not clusterings of the same objects: their classes "
                    "differ in size."
                )
        return found

    def grouped_table(
        self, files: Sequence[str], groups: str, output: Path | None = None
    ) -> tuple[str, GroupedTable]:
        """Return the name of one clustering, its table, and that of each group of `groups`."""
        return _only_one(self.grouped_tables(files, groups, output))

    def grouped_tables(
        self, files: Sequence[str], groups: str, output: Path | None = None
    ) -> dict[str, GroupedTable]:
        """Return the tables of all clusterings, and of each group of the column `groups`."""
        return self._count_labels(files, output, "--groups", split_by_group, groups)

    def paired_count(
        self, files: Sequence[str], column: str, output: Path | None = None
    ) -> tuple[str, PairedCount]:
        """Return the name of one clustering, counted together with that of another column."""
        if self.weights is not None:
            raise FileError("--baseline-pred compares objects, to which --weights does not apply.")
        counted = self._count_labels(files, output, "--baseline-pred", count_paired, column)
        return _only_one(counted)

    def _count_labels(
        self, files: Sequence[str], output: Path | None, option: str, tally: Count[T], column: str
    ) -> dict[str, T]:
        """Count files that must hold labels: an option names one more column of theirs."""
        if are_images(files, self):
            raise FileError(f"{files[0]} is an image, to which {option} does not apply.")
        with self.opening(files, output) as sources:
            if saved := self._saved(sources):
                raise FileError(f"{saved[0]} is a saved table, to which {option} does not apply.")
            return self._count(sources, tally, column)

    @contextmanager
    def opening(self, files: Sequence[str], output: Path | None) -> Iterator[list[list[Source]]]:
        """Yield the files that each argument means; refuse one that is meant twice."""
        if not files:
            raise FileError("which file? Name one, such as labels.csv, or - for standard input.")
        with opening(
            files, spill=self.spill, encoding=self.encoding, header=not self.no_header
        ) as sources:
            protect_inputs((source.path for some in sources for source in some), output)
            self._refuse_repeated(sources)
            yield sources

    def _refuse_repeated(self, sources: list[list[Source]]) -> None:
        """Refuse a file in two arguments, unless it is joined with itself on purpose."""
        # Each has a column of its own for the classes and for the clusters.
        if self.on and self.truth and self.pred and self.truth not in self.pred:
            return
        first: dict[tuple[int, int], tuple[int, Source]] = {}
        for i, some in enumerate(sources):
            for source in some:
                place, other = first.setdefault(source.identity, (i, source))
                if place != i:
                    raise FileError(
                        f"{other} and {source} are one file; name it once. One file with classes "
                        "and clusters needs no --on: clusterbits score FILE --truth A --pred B."
                    )

    def _saved(self, sources: list[list[Source]]) -> list[Source]:
        """Return the saved tables that were named, none where the files hold labels."""
        every = [source for some in sources for source in some]
        saved = [source.is_table for source in every]
        if not any(saved):
            return []
        if not all(saved):
            raise FileError(
                f"{every[saved.index(True)]} is a saved table and {every[saved.index(False)]} is "
                "not; score tables with tables, files with files."
            )
        self.refuse_options(("noise", "noise_label", "truth_noise"), f"{every[0]} is a saved table")
        return every

    def refuse_options(self, apply: Collection[str], what: str) -> None:
        """Refuse options that were given and do not apply."""
        for option in fields(self):
            if option.name not in apply and getattr(self, option.name) != option.default:
                name = option.name.replace("_", "-")
                raise FileError(f"{what}, to which --{name} does not apply.")

    @property
    def _noise_cluster(self) -> str:
        return "-1" if self.noise_label is None else self.noise_label

    @property
    def _noise_classes(self) -> list[str] | None:
        given = self.truth_noise
        return None if given is None else list(given)

    def _count(
        self, sources: list[list[Source]], count_one: Count[T], groups: str | None = None
    ) -> dict[str, T]:
        policy = LabelPolicy(
            self.noise, self.missing, self._noise_cluster, self.unmatched, self._noise_classes
        )
        options = FileOptions(
            self.on,
            self.sql,
            as_delimiter(self.delimiter),
            self.memory_limit,
            self.spill,
            progress=None,
        )
        wanted = Wanted(self.truth, self.pred, self.weights, groups)
        counted = count_files(sources, wanted, policy, count_one, options)
        # What has no name on the command line has none in the output.
        return {UNNAMED: _only_one(counted)[1]} if self.pred is None else counted


class SeveralColumnsError(MeasureError):
    """Several columns of clusters for a command that takes one; `counted` has them all."""

    def __init__(self, counted: Mapping[str, Any]) -> None:
        self.counted = counted
        some = ", ".join(list(counted)[:5]) + ", …" * (len(counted) > 5)
        super().__init__(
            f"--pred names {len(counted)} columns ({some}), and this takes one. "
            "`clusterbits compare` takes many."
        )


def _only_one(counted: Mapping[str, T]) -> tuple[str, T]:
    """Return the one column of clusters that a command takes: its name, and what was counted."""
    if len(counted) > 1:
        raise SeveralColumnsError(counted)
    return next(iter(counted.items()))


_HIDDEN = Parameter(show=False)


@dataclass(frozen=True)
class SampleInput(Input):
    # An option's help is in the docstring; `estimate` refuses those that are hidden.
    __doc__ = Input.__doc__

    unmatched: Annotated[Missing, _HIDDEN] = "error"
    weights: Annotated[str | None, _HIDDEN] = None
    truth_noise: Annotated[
        list[str] | None, Parameter(name=["--truth-noise", "--ignore"], show=False, negative=())
    ] = None

    def table(self, files: Sequence[str]) -> cb.Contingency:
        """Return the table in which objects without a label, or in one file only, are a class."""
        unmatched: Missing = "class" if self.on else "error"
        return self.named_table(files, None, replace(self, missing="class", unmatched=unmatched))[1]


# What a command reads where no option says otherwise.
LABELS, SAMPLE = Input(), SampleInput()
# Its options that take no value.
FLAGS = {f"--{option.name.replace('_', '-')}" for option in fields(Input) if option.type == "bool"}


def same_classes(one: cb.Contingency, other: cb.Contingency) -> bool:
    """Whether two tables can be of the same objects; those of a sample may differ."""
    if one.coverage is not None or other.coverage is not None:
        return True
    sizes = [dict(zip(t.classes, t.class_sizes.tolist(), strict=True)) for t in (one, other)]
    return sizes[0] == sizes[1]


def split_names(given: list[str] | None) -> list[str] | None:
    """Return names that were repeated or separated by commas; None where the option is not given.

    An option that names nothing is refused: in a script its variable may be unset.
    """
    if given is None:
        return None
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    if not names:
        raise MeasureError("the name of a measure is empty; `clusterbits measures` lists them.")
    return names


def split_measures(given: list[str] | None) -> list[str | cb.Measure] | None:
    """Return what --measure names, as `split_names` does; measures of the user's own imported."""
    if (names := split_names(given)) is None:
        return None
    return [_import_measure(name) if ":" in name else name for name in names]


def _import_measure(path: str) -> cb.Measure:
    from clusterbits.desiderata.judge import import_function

    found = import_function(path)
    if not isinstance(found, cb.Measure):
        raise MeasureError(f"{path} is not declared as a measure: decorate it with @cb.measure.")
    return found


def as_delimiter(text: str | None) -> str | None:
    """Return a delimiter that is hard to type in a shell: a tab, a space."""
    return {"\\t": "\t", "tab": "\t", "space": " "}.get(text or "", text)
