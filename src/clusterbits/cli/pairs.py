"""Files of pairs of ids, scored as two clusterings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import clusterbits as cb
from clusterbits.cli.inputs import Input, as_delimiter
from clusterbits.errors import FileError
from clusterbits.ingest.files.ordered import read_ids
from clusterbits.ingest.files.streams import name_file
from clusterbits.ingest.pairs import count_components, refuse_missing_ids

# Options of the input that concern files of pairs.
_APPLY = ("delimiter", "no_header", "encoding", "spill")  # the last for copies of pipes


def count_pair_files(
    files: Sequence[str], ids: str | None, input: Input, output: Path | None
) -> cb.Contingency:
    """Return the table of two files of pairs; `ids` may name a file of all ids."""
    if len(files) != 2:
        raise FileError(f"--pairs takes two files, true and predicted matches, not {len(files)}.")
    input.refuse_options(_APPLY, "--pairs reads columns of ids")
    named = [*files] if ids is None else [*files, ids]
    columns = []
    with input.opening(named, output) as sources:
        for file, some, width in zip(named, sources, (2, 2, 1), strict=False):
            found = read_ids(some, width, as_delimiter(input.delimiter))
            refuse_missing_ids(found, name_file(file))
            columns += found
    # Files write one id in several ways: text in CSV, an integer in Parquet.
    return cb.Contingency.from_cells(count_components(columns, as_text=True))
