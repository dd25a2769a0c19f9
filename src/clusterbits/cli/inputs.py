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
from clusterbits.cli.shared_options import DelimiterOption, EncodingOption, NoHeaderOption
from clusterbits.errors import FileError, LabelError, MeasureError
from clusterbits.images.image_files import count_table_rows, is_image, locate_image
from clusterbits.inference.verdict import equal_sizes
from clusterbits.labels.options import OPTIONS, Missing, Noise
from clusterbits.measures.catalogue import split_names
from clusterbits.reading.arguments import count_each, find_request
from clusterbits.reading.files.ordered import read_id_columns
from clusterbits.reading.files.sources import Source
from clusterbits.reading.files.streams import name_file, opening
from clusterbits.reading.matched_pairs import count_components, refuse_missing_ids
from clusterbits.reading.request import Request

T = TypeVar("T")


@Parameter(name="*", group=Group("Input", sort_key=1))
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
    delimiter: DelimiterOption = None
    no_header: NoHeaderOption = False
    encoding: EncodingOption = None
    sql: str | None = None
    memory_limit: str | None = None
    spill: Path | None = None

    @contextmanager
    def reading(
        self,
        files: Sequence[str],
        output: Path | None = None,
        *,
        added: bool = False,
        pairs: bool = False,
        ids: str | None = None,
    ) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield what `clusterbits.evaluate` takes first, and its options for labels.

        That is files; or tables by name, of images or saved ones, which may be `added` up to one;
        or the table of files of `pairs`. The output must not replace any input.
        """
        if pairs:
            yield self._count_pairs(files, ids, output), {}
            return
        if self._are_images(files):
            yield self._count_images(files, output), {}
            return
        with self.opening(files, output) as sources:
            if saved := self._saved(sources, ("noise", "noise_label", "truth_noise") * added):
                yield self._add(saved) if added else self._load(saved), {}
                return
            request = Request(
                sources,
                on=self.on,
                sql=self.sql,
                memory_limit=self.memory_limit,
                spill=self.spill,
                progress=None,
            )
            yield request, {"truth": self.truth, "pred": self.pred} | self.labels

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
        options: Any
        with self.reading(files, added=True) as (data, options):
            truth, pred = options.pop("truth", None), options.pop("pred", None)
            return only_one(count_each(find_request(data, truth, pred), options))

    def _count_pairs(
        self, files: Sequence[str], ids: str | None, output: Path | None
    ) -> cb.Contingency:
        """Return the table of two files of pairs; `ids` may name a file of all ids."""
        if len(files) != 2:
            raise FileError(
                f"--pairs takes two files, true and predicted matches, not {len(files)}."
            )
        apply = ("delimiter", "no_header", "encoding", "spill")  # the last for copies of pipes
        self.refuse_options(apply, "--pairs reads columns of ids")
        named = [*files] if ids is None else [*files, ids]
        columns = []
        with self.opening(named, output) as sources:
            for file, some, width in zip(named, sources, (2, 2, 1), strict=False):
                found = read_id_columns(some, width)
                refuse_missing_ids(found, name_file(file))
                columns += found
        # Files write one id in several ways: text in CSV, an integer in Parquet.
        return cb.Contingency.from_cells(count_components(columns, as_text=True))

    def _are_images(self, files: Sequence[str]) -> bool:
        """Whether the files are label images, the true one first, and not of named columns."""
        if len(files) < 2 or self.on or self.truth or self.pred:
            return False
        if any(map(is_image, files)):
            return True
        rows = {count_table_rows(file) for file in files}
        if len(rows) == 1 and None not in rows:
            raise FileError(
                f"{files[0]} and {files[1]} have the same shape, {(*rows, 2)}. For tables of a "
                "class and a cluster in each row, add --truth 1 --pred 2. Label images that are "
                "two wide are scored in Python: Contingency.from_images."
            )
        return False

    def _count_images(self, files: Sequence[str], output: Path | None) -> dict[str, cb.Contingency]:
        """Return the table of each image after the first, which is the true one, by its name."""
        self.refuse_options(("truth_noise", "noise", "noise_label"), f"{files[0]} is an image")
        places = [locate_image(file) for file in files]
        protect_inputs((path for path, _ in places), output)
        truth, *others = files
        predicted = [(path.resolve(), inner) for path, inner in places[1:]]
        for name, place in zip(others, predicted, strict=True):
            if predicted.count(place) > 1:
                raise FileError(f"{name} is named twice; name each prediction once.")
        ignored = [_as_integer("--ignore", label) for label in self.truth_noise or []]
        background = _as_integer("--noise-label", self.noise_label or "0")
        return {
            name: cb.Contingency.from_images(
                truth, name, ignored, noise=self.noise, noise_label=background
            )
            for name in others
        }

    def _add(self, saved: list[Source]) -> cb.Contingency:
        tables = map(cb.Contingency.load, saved)
        return cb.Contingency.from_batches(tables, **self.labels)

    def _load(self, saved: list[Source]) -> dict[str, cb.Contingency]:
        """Return saved tables by file name; refuse those that are not of the same objects."""
        found = {source.path.stem: cb.Contingency.load(source) for source in saved}
        if len(found) < len(saved):
            raise FileError("two of the saved tables have the same file name.")
        first, *others = found
        for other in others:
            if not same_classes(found[first], found[other]):
                raise FileError(
                    f"{first} and {other} are not clusterings of the same objects: their classes "
                    "differ in size."
                )
        return found

    @contextmanager
    def opening(self, files: Sequence[str], output: Path | None) -> Iterator[list[list[Source]]]:
        """Yield the files that each argument means; refuse one that is meant twice."""
        if not files:
            raise FileError("which file? Name one, such as labels.csv, or - for standard input.")
        with opening(
            files,
            spill=self.spill,
            encoding=self.encoding,
            header=not self.no_header,
            delimiter=as_delimiter(self.delimiter),
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
                        f"{other} and {source} are one file; name it once"
                        f"{', without --on' * bool(self.on)}."
                    )

    def _saved(self, sources: list[list[Source]], apply: Collection[str]) -> list[Source]:
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
        self.refuse_options(apply, f"{every[0]} is a saved table")
        return every

    def refuse_options(self, apply: Collection[str], what: str) -> None:
        """Refuse options that were given and do not apply."""
        for option in fields(self):
            if option.name not in apply and getattr(self, option.name) != option.default:
                name = option.name.replace("_", "-")
                raise FileError(f"{what}, to which --{name} does not apply.")


def _as_integer(option: str, label: str) -> int:
    try:
        return int(label)
    except ValueError:
        raise LabelError(f"{option} {label}: labels of images are integers.") from None


def only_one(counted: Mapping[Any, T]) -> T:
    """Return what was counted of the one clustering that a command takes."""
    if len(counted) > 1:
        some = ", ".join(map(str, list(counted)[:5])) + ", …" * (len(counted) > 5)
        raise MeasureError(
            f"{len(counted)} clusterings were named ({some}), and one is needed: name it by "
            "--pred. compare takes several, and so does score without --save and --baseline."
        )
    return next(iter(counted.values()))


_HIDDEN = Parameter(show=False)


@dataclass(frozen=True)
class SampleInput(Input):
    # An option's help is in the docstring; `estimate` refuses those that are hidden.
    __doc__ = Input.__doc__

    unmatched: Annotated[Missing, _HIDDEN] = "error"
    weights: Annotated[str | None, _HIDDEN] = None
    truth_noise: Annotated[
        list[str] | None, Parameter(name=["--truth-noise", "--ignore"], show=False)
    ] = None

    @property
    def labels(self) -> dict[str, Any]:
        """Those given; objects without a label, or in one file only, are a class."""
        joined = {"unmatched": "class"} if self.on else {}
        return {**super().labels, "missing": "class", **joined}


# What a command reads where no option says otherwise.
LABELS, SAMPLE = Input(), SampleInput()


def same_classes(one: cb.Contingency, other: cb.Contingency) -> bool:
    """Whether two tables can be of the same objects; those of a sample may differ."""
    if one.coverage is not None or other.coverage is not None:
        return True
    sizes = [(table.unbalanced or table).class_sizes for table in (one, other)]
    return one.classes == other.classes and equal_sizes(*sizes)


def list_names(given: list[str] | None) -> list[str] | None:
    """Return names that were repeated or separated by commas; None if the option is not given.

    An option that names nothing is an error: in a script its variable may be unset.
    """
    if given is None:
        return None
    names = [name for text in given for name in split_names(text)]
    if not names:
        raise MeasureError("an option names nothing; leave it out, or name something.")
    return names


def split_measures(given: list[str] | None) -> list[str | cb.Measure] | None:
    """Return what --measure names, as `list_names` does; measures of the user's own imported."""
    if (names := list_names(given)) is None:
        return None
    return [_import_measure(x) if ":" in x.partition("(")[0] else x for x in names]


def _import_measure(path: str) -> cb.Measure:
    from clusterbits.paper.cards.judge import import_function

    found = import_function(path)
    if not isinstance(found, cb.Measure):
        raise MeasureError(
            f"{path} is not declared as a measure: decorate it with "
            "@clusterbits.measure(family=..., bounds=..., better=...)."
        )
    return found


def as_delimiter(text: str | None) -> str | None:
    """Return a delimiter that is hard to type in a shell: a tab, a space."""
    return {"\\t": "\t", "tab": "\t", "space": " "}.get(text or "", text)
