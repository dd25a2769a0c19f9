"""The commands encode and decode."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

import clusterbits as cb
from clusterbits.atomic import check_target, write_file
from clusterbits.cli.app import FormatOption, app
from clusterbits.cli.inputs import as_delimiter, protect_inputs
from clusterbits.display.tables import escape_unseen
from clusterbits.display.terminal import render_rows
from clusterbits.errors import FileError, refuse_device
from clusterbits.ingest.files.sources import find_sources


@app.command
def encode(
    file: str,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    truth: str | None = None,
    pred: str | None = None,
    delimiter: str | None = None,
    labels: Literal["entropy", "enumerative"] = "entropy",
    format: FormatOption = "table",
) -> None:
    """Encode the true classes for someone who has the clusters, and print the length of each part.

    Example: clusterbits encode labels.csv --truth species --pred cluster -o species.clb

    Parameters
    ----------
    file
        CSV, Parquet or JSON lines, plain or compressed.
    output
        The file to write the code to.
    truth
        Column of the true classes. With two columns in the file it is the first.
    pred
        Column of the clusters. With two columns in the file it is the second.
    delimiter
        What stands between CSV columns, where it is not a comma, semicolon, tab or bar.
    labels
        How labels are sent, given the table: by their frequencies in the cluster, as in the paper,
        or by their place among all arrangements, which is shorter.
    format
        How to print: table, json, csv or markdown.
    """
    from clusterbits.codec.coding import count_message, encode_message
    from clusterbits.ingest.files.ordered import read_classes_and_clusters

    check_target(output)
    sources = find_sources(file)
    protect_inputs((source.path for source in sources), output)
    read = read_classes_and_clusters(sources, truth, pred, as_delimiter(delimiter))
    message = count_message(*(column.labels for column in read))
    code, length = encode_message(message, labels)
    write_file(output, lambda stream: stream.write(code))
    rows = [{"part": part, "bits": bits} for part, bits in length._asdict().items()][1:]
    if rewritten := read[0].rewritten:
        some = ", ".join(f"{text!r} as {name!r}" for text, name in list(rewritten.items())[:5])
        more = ", …" * (len(rewritten) > 5)
        print(f"clusterbits: decode will write {some}{more}", file=sys.stderr)
    print(render_rows(rows, format, f"{output}: {message.table.n:,} labels in {len(code):,} bytes"))


@app.command
def decode(
    code: Path,
    file: str,
    /,
    *,
    pred: str | None = None,
    delimiter: str | None = None,
    truth: str = "truth",
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
) -> None:
    """Decode the true classes from a code and the clusters.

    Example: clusterbits decode species.clb labels.csv --pred cluster -o species.csv

    Parameters
    ----------
    code
        A file that `clusterbits encode` wrote.
    file
        A file with the clusters of the same objects in the same order.
    pred
        Column of the clusters. May be left out where it is the only one.
    delimiter
        What stands between CSV columns, where it is not a comma, semicolon, tab or bar.
    truth
        Name of the column of classes.
    output
        The CSV file to write; without it the classes are printed, on a terminal with control
        characters escaped.
    """
    from clusterbits.ingest.files.ordered import read_clusters

    refuse_device(code)
    if output is not None:
        check_target(output)
    sources = find_sources(file)
    protect_inputs([code, *(source.path for source in sources)], output)
    try:
        packed = code.read_bytes()
    except OSError as error:
        raise FileError(f"{code} cannot be read: {error.strerror}.") from None
    found = cb.decode(packed, read_clusters(sources, pred, as_delimiter(delimiter)))

    def write(stream: Any) -> None:
        plain = csv.writer(stream, lineterminator="\n")
        quoted = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for label in [truth, *found.tolist()]:
            # Unquoted, a carriage return is read as the end of a line.
            (quoted if "\r" in str(label) else plain).writerow([label])

    if output is None:
        if sys.stdout.isatty():  # a terminal would obey the controls in a class name
            text = io.StringIO()
            write(text)
            print(escape_unseen(text.getvalue(), keep="\n\t"), end="")
        else:
            write(sys.stdout)
        return

    def write_utf8(stream: Any) -> None:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        try:
            write(text)
            text.flush()
        except UnicodeEncodeError as error:
            raise FileError(f"a class name cannot be written as UTF-8: {error.object!r}.") from None
        finally:
            text.detach()

    write_file(output, write_utf8)
