"""The commands encode and decode."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import clusterbits as cb
from clusterbits.cli.inputs import TEXT, TextFiles
from clusterbits.cli.outputs import (
    STANDARD_OUTPUT,
    check_output,
    is_standard_output,
    protect_inputs,
    write_csv,
    write_output,
)
from clusterbits.cli.printed_rows import print_rows, table_facts
from clusterbits.cli.shared_options import FormatOption, OutputOption
from clusterbits.errors import FileError, refuse_device
from clusterbits.reading.files.streams import is_stream, name_file, open_stream
from clusterbits.text.tables import counted


def encode(
    file: str,
    /,
    *,
    output: OutputOption,
    truth: str | None = None,
    pred: str | None = None,
    text: TextFiles = TEXT,
    labels: Literal["entropy", "enumerative"] = "entropy",
    format: FormatOption = "table",
) -> None:
    """Encode the true classes, given the clusters.

    Whoever has the clusters can decode them. The length of each part of the code is printed.

    Example: clusterbits code encode labels.csv --truth species --pred cluster -o species.clb

    Parameters
    ----------
    file
        CSV, Parquet or JSON lines, plain or compressed; NumPy or Arrow; - for standard input.
    truth
        Column of the true classes. With two columns in the file it is the first.
    pred
        Column of the clusters. With two columns in the file it is the second.
    labels
        How labels are sent, given the table: by their frequencies in the cluster, as in the paper,
        or by their place among all arrangements, which is shorter.
    """
    from clusterbits.codec.lengths import length_of
    from clusterbits.reading.files.ordered import read_clustering
    from clusterbits.reading.request import Request

    check_output(output, binary=True)
    with text.opening([file], output) as (sources,):
        _, (classes, clusters) = read_clustering(Request(sources, truth, pred))
    code = cb.codec.encode(classes, clusters, labels)
    table = cb.Contingency.from_labels(classes, clusters)
    write_output(output, code)
    parts = length_of(code, table)._asdict()
    rows = [{"part": part, "bits": bits} for part, bits in parts.items()][1:]
    if not is_standard_output(output):
        title = f"{output}: {counted(table.n, 'label')} in {counted(len(code), 'byte')}"
        print_rows("code encode", rows, format, title, **table_facts(table))


def decode(
    code: str,
    file: str,
    /,
    *,
    pred: str | None = None,
    text: TextFiles = TEXT,
    truth: str = "truth",
    output: OutputOption = Path(STANDARD_OUTPUT),
) -> None:
    """Decode the true classes from a code and the clusters.

    The classes are one column of CSV; a terminal shows control characters escaped.

    Example: clusterbits code decode species.clb labels.csv --pred cluster -o species.csv

    Parameters
    ----------
    code
        A file that `clusterbits code encode` wrote, - for standard input.
    file
        A file with the clusters of the same objects in the same order, - for standard input.
    pred
        Column of the clusters. May be left out where it is the only one.
    truth
        Name of the column of classes.
    """
    from clusterbits.reading.files.ordered import read_columns_of

    check_output(output)
    if code == file and is_stream(code):
        raise FileError(f"{name_file(code)} is the code or the clusters, not both.")
    packed = _read_code(code)
    with text.opening([file], output) as (sources,):
        protect_inputs([Path(code)], output)
        (clusters,) = read_columns_of(sources, [pred])
        classes = cb.codec.decode(packed, clusters)
    write_csv(output, ([label] for label in [truth, *classes.tolist()]))


def _read_code(file: str) -> bytes:
    if not is_stream(file):
        refuse_device(file)
    try:
        with open_stream(file) as stream:
            return stream.read()
    except OSError as error:
        raise FileError(f"{name_file(file)} cannot be read: {error.strerror}.") from None
