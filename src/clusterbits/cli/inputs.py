"""The options of all commands that read labels from files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from cyclopts import Group, Parameter

import clusterbits as cb
from clusterbits.core.policy import Missing, Noise
from clusterbits.display.progress import polled_bar
from clusterbits.errors import FileError, MeasureError
from clusterbits.ingest.files.sources import Source, find_sources


@Parameter(name="*", group=Group("Input", sort_key=1), negative=())
@dataclass(frozen=True)
class Input:
    """Where the labels are and how to read them.

    Parameters
    ----------
    truth
        Column of the true classes; by default the first of two.
    pred
        Column of the clusters; by default the second of two. For several clusterings, repeat it
        or quote a pattern such as 'k*'.
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
        The label of the noise cluster.
    delimiter
        CSV delimiter, if it is not a comma, semicolon, tab or bar.
    sql
        Query of a DuckDB or SQLite file.
    memory_limit
        Memory for reading, such as 2GB; the rest spills to disk.
    spill
        Folder to spill to.
    """

    truth: str | None = None
    pred: list[str] | None = None
    on: list[str] | None = None
    unmatched: Missing = "error"
    weights: str | None = None
    missing: Missing = "error"
    noise: Noise | None = None
    noise_label: str = "-1"
    delimiter: str | None = None
    sql: str | None = None
    memory_limit: str | None = None
    spill: Path | None = None

    def table(self, files: Sequence[str], output: Path | None = None) -> cb.Contingency:
        """Return the table of one clustering; saved tables are added up."""
        sources = _find(files, output)
        if saved := self._saved(sources):
            return cb.Contingency.from_batches(
                map(cb.Contingency.load, saved), noise=self.noise, noise_label=self.noise_label
            )
        found = self._count(sources, self.pred[0] if self.pred and not self.pred[1:] else self.pred)
        if isinstance(found, cb.Contingency):
            return found
        if len(found) > 1:
            some = ", ".join(list(found)[:5]) + ", …" * (len(found) > 5)
            raise MeasureError(
                f"--pred names {len(found)} columns ({some}); this command takes one. "
                "`clusterbits compare` takes many."
            )
        return next(iter(found.values()))

    def tables(self, files: Sequence[str], output: Path | None = None) -> dict[str, cb.Contingency]:
        """Return the tables of all clusterings, by column; saved tables by file name."""
        sources = _find(files, output)
        if not (saved := self._saved(sources)):
            counted = self._count(sources, self.pred)
            return {"pred": counted} if isinstance(counted, cb.Contingency) else counted
        found = {source.path.stem: cb.Contingency.load(source) for source in saved}
        if len(found) < len(saved):
            raise FileError("two of the saved tables have the same file name.")
        if self.noise is not None:
            raise FileError("--noise applies to labels; count them anew with it.")
        first, *others = found
        for other in others:
            if not _same_classes(found[first], found[other]):
                raise FileError(
                    f"{first} and {other} are not clusterings of the same objects: their classes "
                    "differ in size."
                )
        return found

    def _saved(self, sources: list[list[Source]]) -> list[Source]:
        """Return the saved tables that were named, none where the files hold labels."""
        every = [source for some in sources for source in some]
        saved = [source.is_table for source in every]
        if not any(saved):
            return []
        first: dict[tuple[int, int], Source] = {}
        for source in every:
            if (other := first.setdefault(source.identity, source)) is not source:
                raise FileError(f"{other} and {source} are one file; name each saved table once.")
        if not all(saved):
            raise FileError(
                f"{every[saved.index(True)]} is a saved table and {every[saved.index(False)]} is "
                "not; score tables with tables, files with files."
            )
        for option in fields(self):
            if option.name not in ("noise", "noise_label") and (
                getattr(self, option.name) != option.default
            ):
                name = option.name.replace("_", "-")
                raise FileError(f"{every[0]} is a saved table, to which --{name} does not apply.")
        return every

    def _count(
        self, sources: list[list[Source]], pred: str | list[str] | None
    ) -> cb.Contingency | dict[str, cb.Contingency]:
        return cb.Contingency.from_file(
            sources,
            self.truth,
            pred,
            noise=self.noise,
            missing=self.missing,
            noise_label=self.noise_label,
            weights=self.weights,
            on=self.on,
            unmatched=self.unmatched,
            sql=self.sql,
            delimiter=as_delimiter(self.delimiter),
            memory_limit=self.memory_limit,
            spill=self.spill,
            progress=polled_bar("counting"),
        )


# What a command reads where no option says otherwise.
LABELS = Input()


def _find(files: Sequence[str], output: Path | None) -> list[list[Source]]:
    """Return the files that each argument means; refuse an output that is one of them."""
    if not files:
        raise FileError("which file? Name one, such as labels.csv.")
    found = [find_sources(file) for file in files]
    protect_inputs((source.path for some in found for source in some), output)
    return found


def protect_inputs(inputs: Iterable[Path], output: Path | None) -> None:
    """Refuse an output that is one of the inputs, by whatever name or link."""
    if output is None or not output.is_file():
        return
    written = output.stat()
    for path in inputs:
        if path.exists() and os.path.samestat(path.stat(), written):
            raise FileError(f"{output} is the input {path}; name another file to write to.")


def _same_classes(one: cb.Contingency, other: cb.Contingency) -> bool:
    """Whether two tables can be of the same objects; those of a sample may differ."""
    if one.coverage is not None or other.coverage is not None:
        return True
    sizes = [dict(zip(t.classes, t.class_sizes.tolist(), strict=True)) for t in (one, other)]
    return sizes[0] == sizes[1]


def split_names(given: list[str] | None) -> list[str] | None:
    """Return names that were repeated or separated by commas; None where there are none."""
    return [
        name.strip() for text in given or [] for name in text.split(",") if name.strip()
    ] or None


def as_delimiter(text: str | None) -> str | None:
    """Return a delimiter that is hard to type in a shell: a tab, a space."""
    return {"\\t": "\t", "tab": "\t", "space": " "}.get(text or "", text)
