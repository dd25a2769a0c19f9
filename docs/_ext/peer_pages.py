"""Pages "Coming from ...", one for each docs/peers/NAME.json, written before the site is built.

What a peer answers is stored there (``tools/ask_peers.py`` asked it, or its own tests expect it, of
the ``tables`` that are stored beside it); what clusterbits answers is computed here.
"""

from __future__ import annotations

import math
import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generated_pages import markdown_table, write_folder
from peer_questions import LABELS, TABLES, labels_of, plain
from peers import read_peers

import clusterbits as cb

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "howto/coming_from"
EXAMPLE = "truth = [0, 0, 0, 1, 1, 2]\npred = [0, 0, 1, 1, 1, 2]"
# Tables on which nobody expects a difference: shown first.
USUAL = (
    "ordinary",
    "random",
    "fewer clusters than classes",
    "perfect",
    "independent",
    "100,000 objects",
)

# Tables need the room of the page's own contents.
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---"

GAIN = """## What you gain

Count once, then ask for anything: every function takes the table instead of labels.

```{{run}}
import clusterbits as cb

{example}
table = cb.Contingency.from_labels(truth, pred)
cb.evaluate(table, measures=["share_saved", "q0", "ari", "nmi"])
```

- A score that may be compared across numbers of clusters:
  [the bits that the clusters save](../../explanation/new.md).
- [Confidence intervals](../../explanation/intervals.md) of every measure, and tests of
  a difference.
- [Which clusters cost the most](../explain.md), and which merges would help.
- [Files and databases](../files.md), [dataframes and engines](../spark_dask.md), counted where
  they are.
- [Speed](../../explanation/benchmarks.md), measured beside scikit-learn, genieclust and igraph.
"""

ASKED = """## What was asked

Values are those {source}. "Same" means within {tolerance:g}, relative or absolute.
Rows are classes, columns are clusters:

{tables}
"""


def answer(call: str, truth: list[Any], pred: list[Any], convert: str | None = None) -> Any:
    """Return the value of a call of clusterbits as JSON has it, in the peer's units."""
    names = {"cb": cb, "math": math, "truth": truth, "pred": pred}
    value = eval(call, names)
    return plain(value if convert is None else eval(convert, names | {"value": value}))


def tables_of(peer: dict[str, Any]) -> dict[str, list[list[int]]]:
    """Return the tables that a peer was asked about: its own tests', or ours."""
    tables: dict[str, list[list[int]]] = peer.get("tables", TABLES)
    return tables


def answer_table(row: dict[str, Any], table: list[list[int]]) -> Any:
    """Return the answer of clusterbits to a row, for the labels of a table."""
    return answer(row["call"], *labels_of(table), row.get("convert"))


def shown(value: Any) -> str:
    """Return an answer as a page shows it: six digits, or the kind of error."""
    if isinstance(value, str):
        return f"`{value.split(':')[0]}`"
    if isinstance(value, list):
        return "[" + ", ".join(shown(part) for part in value) + "]"
    return f"{round(value, 12) + 0.0:.6g}"  # what is rounding only is 0


def code_blocks(peer: dict[str, Any]) -> str:
    """Return their code and ours, side by side."""
    language = peer.get("language", "python")
    theirs, ours = ("\n".join(peer[key]) for key in ("theirs_code", "ours_code"))
    run = "{run}" if language == "python" else "python"
    cards = ((peer["name"], language, theirs), ("clusterbits", run, ours))
    inside = "\n".join(
        f":::{{grid-item}}\n**{title}**\n```{kind}\n{code}\n```\n:::" for title, kind, code in cards
    )
    return f"::::{{grid}} 1 1 2 2\n:gutter: 3\n\n{inside}\n::::"


def short(call: str) -> str:
    """Return a call as code; of a plain one, the function and what is passed beside labels."""
    plain = re.fullmatch(
        r"((?:[a-z_]+\.)*)([\w.]+)\((?:truth, pred|pred, truth)(, .*?)?\)(?:\.score)?", call
    )
    if plain is None or "(" in (plain[3] or ""):
        return f"`{call}`"
    return f"`{plain[2]}(…{plain[3]})`" if plain[3] else f"`{plain[2]}`"


def our_cell(row: dict[str, Any]) -> str:
    """Return our call, with a link to the page of the measure where there is one."""
    call = short(row["call"])
    return f"[{call}](../../reference/measures/{row['ours']}.md)" if row["ours"] else call


def unusual(row: dict[str, Any]) -> bool:
    """Return whether a row differs on degenerate tables only."""
    return not set(row["differs_on"]) & set(USUAL)


def agreement(row: dict[str, Any]) -> str:
    if row["kind"] != "differs":
        return str(row["kind"])
    words = "same, [except]" if unusual(row) else "[differs]"
    return f"{words}(#where-values-differ)"


def note_on(row: dict[str, Any]) -> str:
    """Return how to convert our value, and what else there is to say where values agree."""
    says = row["difference"] if row["kind"] != "differs" else ""
    if "convert" in row:
        return f"- {short(row['asks'])} is `{row['convert']}`. {says}".rstrip()
    return says and f"- {short(row['asks'])}: {says}"


def names_table(peer: dict[str, Any]) -> str:
    """Return the name of each function, there and here, and notes on those that agree."""
    rows = [[short(row["asks"]), our_cell(row), agreement(row)] for row in peer["rows"]]
    notes = [note for row in peer["rows"] if (note := note_on(row))]
    if any("convert" in row for row in peer["rows"]):
        notes.insert(0, "`value` is what clusterbits answers.\n")
    table = markdown_table([peer["name"], "clusterbits", "value"], rows)
    return f"{table}\n\n" + "\n".join(notes)


def differences(peer: dict[str, Any]) -> str:
    """Return each difference in a sentence, with an example of every function that has it."""
    rows = [row for row in peer["rows"] if row["kind"] == "differs"]
    rows.sort(key=unusual)
    reasons = list(dict.fromkeys(row["difference"] for row in rows))
    rows.sort(key=lambda row: reasons.index(row["difference"]))
    parts = []
    for reason, group in groupby(rows, key=lambda row: row["difference"]):
        examples = []
        for row in group:
            table = min(
                row["differs_on"], key=lambda table: (table not in USUAL, table == "one object")
            )
            values = row["answers"][table], answer_table(row, tables_of(peer)[table])
            others = [other for other in row["differs_on"] if other != table]
            also = f" (also: {'; '.join(others)})" if others and unusual(row) else ""
            examples.append([short(row["asks"]), table + also, *map(shown, values)])
        head = ["function", "labels", peer["name"], "clusterbits"]
        parts.append(f"{reason}\n\n{markdown_table(head, examples)}")
    return "\n\n".join(parts)


def labels_table(peer: dict[str, Any]) -> str:
    """Return what comes back for labels that need care, here and there."""
    rows = []
    for name, theirs in peer["labels"].items():
        truth, pred = LABELS[name]
        try:
            ours = shown(answer(peer["labels_call"], truth, pred))
        except cb.errors.ClusterbitsError as error:
            ours = f"`{type(error).__name__}`"
        rows.append([name, f"`{truth}`, `{pred}`", shown(theirs), ours])
    return markdown_table(["labels", "truth, pred", peer["name"], "clusterbits"], rows)


def absent(peer: dict[str, Any]) -> str:
    """Return the functions that have no counterpart in the catalogue, by what to do instead."""
    rows = sorted(peer["absent"], key=lambda row: row["instead"])
    lines = []
    for instead, group in groupby(rows, key=lambda row: row["instead"]):
        names = ", ".join(f"`{re.split('[.:]', row['theirs'])[-1]}`" for row in group)
        lines.append(f"- {names}: {instead}")
    return "\n".join(lines)


def asked(peer: dict[str, Any]) -> str:
    """Return the tables that the peer was asked about, and those that it was not."""
    tables = markdown_table(
        ["labels", "counts"], [[n, f"`{table}`"] for n, table in tables_of(peer).items()]
    )
    tolerance = max(row.get("tolerance", 1e-12) for row in peer["rows"])
    name = f"{peer['name']} {peer['version']}"
    source = f"of {name}" if "package" in peer else f"that the tests of {name} expect"
    text = ASKED.format(source=source, tables=tables, tolerance=tolerance)
    left_out = [row for row in peer["rows"] if "not_asked" in row and "package" in peer]
    for table in dict.fromkeys(table for row in left_out for table in row["not_asked"]):
        calls = ", ".join(short(row["asks"]) for row in left_out if table in row["not_asked"])
        text += f"\nNot asked about {table}, to save time or memory: {calls}.\n"
    return text


def make_page(peer: dict[str, Any]) -> str:
    """Return the page of one peer, as Markdown."""
    name = peer["name"]
    parts = [WIDE, f"# Coming from {name}", peer["intro"], code_blocks(peer)]
    parts += ["\n".join(f"- {note}" for note in peer["notes"])]
    parts += ["## Names", names_table(peer)]
    if any(row["kind"] == "differs" for row in peer["rows"]):
        parts += ["## Where values differ", differences(peer)]
    if "labels" in peer:
        parts += [
            "## Labels that need care",
            f"By `{peer['labels_asked_by']}` and `{peer['labels_call']}`. Each error of clusterbits"
            " says what to do instead; [how labels are read](../labels.md).",
            labels_table(peer),
        ]
    parts += [GAIN.format(example=EXAMPLE)]
    if peer["absent"]:
        parts += ["## Other functions", absent(peer)]
    if "package" in peer or "tables" in peer:
        parts += [asked(peer)]
    return "\n\n".join(part for part in parts if part) + "\n"


def make_summary(peers: dict[str, dict[str, Any]]) -> str:
    """Return how many calls of each peer agree, as a table with links."""
    rows = []
    for file, peer in peers.items():
        kinds = [row["kind"] for row in peer["rows"]]
        odd = sum(row["kind"] == "differs" and unusual(row) for row in peer["rows"])
        numbers = [kinds.count("same"), kinds.count("converted"), odd, kinds.count("differs") - odd]
        if set(kinds) == {"not run"}:
            numbers = ["not run", "", "", ""]
        rows.append([f"[{peer['name']}]({file}.md)", peer["version"], *map(str, numbers)])
    head = ["package", "version", "same", "converted", "differ if degenerate", "differ"]
    return markdown_table(head, rows) + "\n"


def write_pages(app: Sphinx) -> None:
    """Write a page for each peer, and the table of the index."""
    peers = read_peers()
    pages = {f"{name}.md": make_page(peer) for name, peer in peers.items()}
    pages["summary.txt"] = make_summary(peers)
    write_folder(Path(app.srcdir, FOLDER), pages, keep=["index.md"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
