"""Ask the reference scorer of CoNLL, a Perl script, and store its answers for the tests.

    python tools/ask_reference_scorer.py FOLDER

FOLDER is a copy of https://github.com/conll/reference-coreference-scorers (version 8.01). Asked are
its own test cases, and made documents with twinless mentions, singletons and documents without
mentions. It writes tests/data/coreference_answers.json: clusters of spans by document, and of each
measure the numerators and denominators of recall and precision, summed over documents.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from clusterbits.coreference.columns import read_columns

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "tests/data/coreference_answers.json"
MEASURES = {"muc": "muc", "bcub": "bcubed", "ceafm": "ceaf_m", "ceafe": "ceaf_e", "blanc": "blanc"}
TOKENS, ROOM = 60, 4
FRACTIONS = re.compile(r"Recall: \((\S+) / (\S+)\).*Precision: \((\S+) / (\S+)\)")


def read_clusters(path):
    """Return the clusters of spans of each document in a file of columns, repeated ones too."""
    found = read_columns([(str(path), path.read_bytes())], str(path))
    documents = {name: {} for name in found.documents}
    for span, entity in zip(found.mentions.tolist(), found.entities.tolist(), strict=True):
        own = documents[found.documents[found.entity_documents[entity]]]
        own.setdefault(entity, []).append(span)
    return {name: list(own.values()) for name, own in documents.items()}


def write_columns(documents):
    """Return clusters of spans as text in columns."""
    lines = []
    for name, clusters in documents.items():
        marks = [[] for _ in range(TOKENS)]
        for entity, cluster in enumerate(clusters):
            for start, end in cluster:
                if start == end:
                    marks[start].append(f"({entity})")
                else:
                    marks[start].append(f"({entity}")
                    marks[end].append(f"{entity})")
        lines.append(f"#begin document ({name});\n")
        lines += [f"{name}\t0\t{i}\tword\t{'|'.join(own) or '-'}\n" for i, own in enumerate(marks)]
        lines.append("#end document\n")
    return "".join(lines)


def make_documents(rng):
    """Return key and response of some documents."""
    sides = {}, {}
    for number in range(rng.randint(1, 5)):
        spans = []
        for start in rng.sample(range(0, TOKENS, ROOM), rng.randint(0, TOKENS // ROOM)):
            spans.append([start, start + rng.randrange(ROOM)])
            if rng.random() < 0.2:  # one within another, or across its end
                spans.append([start, start + ROOM - 1] if spans[-1][1] < start + ROOM - 1 else
                             [start, start])  # fmt: skip
        for side, share in zip(sides, (0.8, 0.7), strict=True):
            clusters = {}
            for span in spans:
                if rng.random() < share:
                    clusters.setdefault(rng.randrange(6), []).append(span)
            side[f"made/{number}"] = list(clusters.values())
    return sides


def ask(folder, key, response):
    """Return the fractions of all measures."""
    answers = {}
    for theirs, ours in MEASURES.items():
        command = ["perl", "scorer.pl", theirs, str(key), str(response), "none"]
        text = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        totals = text.stdout.partition("TOTALS")[2]
        fractions = [[float(part) for part in found] for found in FRACTIONS.findall(totals)]
        answers["mentions"] = fractions[0]
        # BLANC has links, pairs that are not linked, and the mean of both.
        answers[ours] = fractions[1:]
    return answers


def main():
    folder = Path(sys.argv[1]).resolve()
    cases = []
    for path in sorted(folder.glob("test/DataFiles/*.response")):
        key = path.with_name(path.name[:4] + ".key")
        sides = [read_clusters(one) for one in (key, path)]
        cases.append([path.stem, *sides, ask(folder, key, path)])
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as made:
        for number in range(25):
            sides = make_documents(rng)
            files = [Path(made, name) for name in ("key", "response")]
            for file, side in zip(files, sides, strict=True):
                file.write_text(write_columns(side))
            cases.append([f"made-{number}", *sides, ask(folder, *files)])
    names = ("name", "key", "response", "answers")
    rows = (json.dumps(dict(zip(names, case, strict=True))) for case in cases)
    TARGET.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
