"""Judge every measure, and write its report card and the witnesses of its failures.

The cards are shipped with the package; the witnesses are shown by the site. Takes half a minute.

python tools/make_cards.py
"""

import json
from pathlib import Path
from typing import Any

from clusterbits import paper
from clusterbits.system.atomic_files import write_text
from clusterbits.table.contingency import Contingency

ROOT = Path(__file__).parents[1]
CARDS = ROOT / "src/clusterbits/data/cards.json"
WITNESSES = ROOT / "docs/reference/witnesses.json"

MOST_CELLS = 60  # of a table that is written out


def describe_card(card: paper.Card) -> dict[str, dict[str, Any]]:
    """Return what a card says beyond its marks: notes, and the clearest witness of each failure."""
    return {
        verdict.criterion: {"note": verdict.note}
        | ({"witness": describe_witness(verdict)} if verdict.witness else {})
        for verdict in card.rows
        if verdict.outcome != "pass"
    }


def describe_witness(verdict: paper.Verdict) -> dict[str, Any]:
    """Return a witness for JSON; a model of the paper's family stands for its table."""
    witness = verdict.witness
    assert witness is not None
    described: dict[str, Any] = {
        "demand": witness.demand,
        "context": witness.context,
        "values": [float(f"{value:.12g}") for value in (witness.value_before, witness.value_after)],
    }
    if witness.models:
        shares = [[m.useful, m.noise, m.epsilon1, m.epsilon2] for m in witness.models]
        return described | {"models": shares, "n": witness.before.n}
    return described | {"tables": [describe_table(t) for t in (witness.before, witness.after)]}


def describe_table(table: Any) -> list[list[int]] | str:
    """Return the counts of a small table; words for a large one and for pair counts."""
    if not isinstance(table, Contingency):
        return str(table)
    if table.shape[0] * table.shape[1] > MOST_CELLS:
        return repr(table)
    counts: list[list[int]] = table.to_dense().tolist()
    return counts


def main() -> None:
    cards = paper.check(["all"])
    marks = {row.pop("measure"): row for row in cards.overview()}
    write_text(CARDS, json.dumps(marks, ensure_ascii=False, indent=1))
    lines = [
        f"{json.dumps(card.measure)}: {json.dumps(describe_card(card), ensure_ascii=False)}"
        for card in cards
    ]
    write_text(WITNESSES, "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
