"""The options of all commands that read labels from files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, TypeVar

from cyclopts import Group, Parameter

import clusterbits as cb
from clusterbits.cli.outputs import protect_inputs
from clusterbits.cli.special_files import (
    add_tables,
    are_images,
    count_images,
    count_pairs,
    load_tables,
    saved_tables,
)
from clusterbits.errors import FileError, MeasureError
from clusterbits.images.image_files import locate_image
from clusterbits.labels.options import OPTIONS, Missing, Noise
from clusterbits.measures.catalogue import split_names
from clusterbits.reading.arguments import count_each
from clusterbits.reading.files.sources import Source
from clusterbits.reading.files.streams import opening
from clusterbits.reading.request import Request

T = TypeVar("T")


_TEXT = Group("Text files", sort_key=2)


@Parameter(name="*")
@dataclass(frozen=True)
class TextFiles:
    """How files of text are written.

    Parameters
    ----------
    delimiter
        CSV delimiter, if it is not a comma, semicolon, tab or pipe.
    no_header
        CSV files have no line with names; columns go by number, from 1.
    encoding
        Encoding of text that is not UTF-8, such as latin-1, cp1252 or utf-16.
    """

    delimiter: Annotated[str | None, Parameter(group=_TEXT)] = None
    no_header: Annotated[bool, Parameter(group=_TEXT)] = False
    encoding: Annotated[str | None, Parameter(group=_TEXT)] = None

    @contextmanager
    def opening(
        self, files: Sequence[str], *outputs: Path | None, spill: Path | None = None
    ) -> Iterator[list[list[Source]]]:
        """Yield the files that each argument means; no output may replace one of them."""
        # A tab and a space are hard to type in a shell.
        delimiter = {"\\t": "\t", "tab": "\t", "space": " "}.get(
            self.delimiter or "", self.delimiter
        )
        with opening(
            files,
            spill=spill,
            encoding=self.encoding,
            header=not self.no_header,
            delimiter=delimiter,
        ) as sources:
            for output in outputs:
                protect_inputs((source.path for parts in sources for source in parts), output)
            yield sources


TEXT = TextFiles()


@Parameter(name="*", group=Group("Input", sort_key=1))
@dataclass(frozen=True)
class Input(TextFiles):
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
        Column of weights: how much each row counts; or balanced, for classes of equal weight.
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
    truth_noise: Annotated[list[str] | None, Parameter(name=["--truth-noise", "--ignore"])] = None
    sql: str | None = None
    memory_limit: str | None = None
    spill: Path | None = None

    @contextmanager
    def reading(
        self, files: Sequence[str], output: Path | None = None, *, added: bool = False
    ) -> Iterator[tuple[Request, dict[str, Any]]]:
        """Yield the request for columns of files, and the label options.

        Or for tables by name, of images or saved ones, which may be `added` up to one. The output
        must not replace any input.
        """
        if are_images(files, columns_named=bool(self.on or self.truth or self.pred)):
            self.refuse_options(("truth_noise", "noise", "noise_label"), f"{files[0]} is an image")
            protect_inputs((locate_image(file)[0] for file in files), output)
            images = count_images(files, self.truth_noise or [], self.noise, self.noise_label)
            yield Request(truth=images), {}
            return
        with self.opening(files, output) as sources:
            if saved := saved_tables(sources):
                apply = ("noise", "noise_label", "truth_noise") if added else ()
                self.refuse_options(apply, f"{saved[0]} is a saved table")
                tables: Any = add_tables(saved, **self.labels) if added else load_tables(saved)
                yield Request(truth=tables), {}
            else:
                yield self._request(sources, self.truth, self.pred), self.labels

    def _request(self, sources: list[list[Source]], truth: Any, pred: Any) -> Request:
        return Request(
            sources,
            truth,
            pred,
            on=self.on,
            sql=self.sql,
            memory_limit=self.memory_limit,
            spill=self.spill,
            progress=None,
        )

    @contextmanager
    def reading_pairs(
        self, files: Sequence[str], ids: str | None, output: Path | None
    ) -> Iterator[tuple[Request, dict[str, Any]]]:
        """Yield the request for the table of two files of matches, and no options.

        `ids` names a file of all ids. The output must not replace any input.
        """
        if len(files) != 2:
            raise FileError(
                f"--pairs takes two files, true and predicted matches, not {len(files)}."
            )
        apply = ("delimiter", "no_header", "encoding", "spill")  # the last for copies of pipes
        self.refuse_options(apply, "--pairs reads columns of ids")
        files = [*files] if ids is None else [*files, ids]
        with self.opening(files, output) as sources:
            yield Request(truth=count_pairs(files, sources)), {}

    @property
    def labels(self) -> dict[str, Any]:
        """The options for labels that were given: see `LabelOptions`."""
        return {
            option.name: getattr(self, option.name)
            for option in fields(self)
            if option.name in OPTIONS and getattr(self, option.name) != option.default
        }

    def table(self, files: Sequence[str]) -> cb.Contingency:
        """Return the table of one clustering; saved tables are added up."""
        labels: Any
        with self.reading(files, added=True) as (request, labels):
            return only_one(count_each(request, labels))

    @contextmanager
    def opening(
        self, files: Sequence[str], *outputs: Path | None, spill: Path | None = None
    ) -> Iterator[list[list[Source]]]:
        """Yield the files that each argument means; refuse one that is meant twice."""
        if not files:
            raise FileError("which file? Name one, such as labels.csv, or - for standard input.")
        with super().opening(files, *outputs, spill=spill or self.spill) as sources:
            self._refuse_repeated(sources)
            yield sources

    def _refuse_repeated(self, sources: list[list[Source]]) -> None:
        """Refuse a file in two arguments, unless it is joined with itself on purpose."""
        # Each has a column of its own for the classes and for the clusters.
        if self.on and self.truth and self.pred and self.truth not in self.pred:
            return
        first: dict[tuple[int, int], tuple[int, Source]] = {}
        for argument, parts in enumerate(sources):
            for source in parts:
                earlier, other = first.setdefault(source.identity, (argument, source))
                if earlier != argument:
                    raise FileError(
                        f"{other} and {source} are one file; name it once"
                        f"{', without --on' * bool(self.on)}."
                    )

    def refuse_options(self, apply: Collection[str], what: str) -> None:
        """Refuse options that were given and do not apply."""
        for option in fields(self):
            if option.name not in apply and getattr(self, option.name) != option.default:
                name = option.name.replace("_", "-")
                raise FileError(f"{what}, to which --{name} does not apply.")


def only_one(counted: Mapping[Any, T]) -> T:
    """Return the table of the one clustering that a command takes."""
    if len(counted) > 1:
        names = ", ".join(map(str, list(counted)[:5])) + ", …" * (len(counted) > 5)
        raise MeasureError(
            f"{len(counted)} clusterings were named ({names}), and one is needed: name it by "
            "--pred. compare takes several, and so does score without --save and --baseline."
        )
    return next(iter(counted.values()))


_NO_OPTION = Parameter(parse=False)


@dataclass(frozen=True)
class SampleInput(Input):
    """A sample of which every record counts once."""

    unmatched: Annotated[Missing, _NO_OPTION] = "error"
    weights: Annotated[str | None, _NO_OPTION] = None
    truth_noise: Annotated[list[str] | None, _NO_OPTION] = None

    @property
    def labels(self) -> dict[str, Any]:
        """Those given; objects without a label, or in one file only, are a class."""
        joined = {"unmatched": "class"} if self.on else {}
        return {**super().labels, "missing": "class", **joined}


@dataclass(frozen=True)
class ChangeInput(Input):
    """An old and a new clustering."""

    truth: Annotated[str | None, Parameter(name="--old", help="Column of the old clusters.")] = None
    pred: Annotated[
        list[str] | None, Parameter(name="--new", help="Column of the new clusters.")
    ] = None
    label: Annotated[str | None, Parameter(help="Column of the clusters in both files.")] = None
    unmatched: Annotated[
        Missing,
        Parameter(
            help="What to do with ids in one file only: drop and count them, refuse, or make them "
            "a class."
        ),
    ] = "drop"
    weights: Annotated[
        str | None, Parameter(help="Column of weights: how much each row counts.")
    ] = None
    noise_label: Annotated[
        str | None, Parameter(help="The label of the noise cluster; by default -1.")
    ] = None
    truth_noise: Annotated[list[str] | None, _NO_OPTION] = None

    @contextmanager
    def reading_changes(self, files: Sequence[str], outputs: Sequence[Path]) -> Iterator[Request]:
        """Yield the request for the columns of one file, or of two that are joined."""
        if len(files) not in (1, 2):
            raise FileError(
                "diff compares two files with --on, or two columns of one file with --old and "
                f"--new; {len(files)} were named."
            )
        if len(files) == 2 and not self.on:
            raise FileError("two files are joined: pass --on with the column of ids.")
        if len(files) == 1 and self.on:
            raise FileError("--on joins two files, and one was named.")
        if self.label is not None and (self.truth or self.pred or len(files) == 1):
            raise FileError("--label names the column of both files: it replaces --old and --new.")
        with self.opening(files, *outputs) as sources:
            yield self._request(sources, self.truth or self.label, self.pred or self.label)


# What a command reads where no option says otherwise.
LABELS, SAMPLE, CHANGES = Input(), SampleInput(), ChangeInput()


def list_names(values: list[str] | None) -> list[str] | None:
    """Return names that were repeated or separated by commas; None if the option was not passed.

    An option without a name is an error: in a script its variable may be unset.
    """
    if values is None:
        return None
    names = [name for text in values for name in split_names(text)]
    if not names:
        raise MeasureError("an option is empty: pass a name, or omit the option.")
    return names
