"""Ask the scorers of coreference, and store their answers for the tests and the site.

    python tools/ask_coreference_scorers.py REFERENCE COVAL

REFERENCE is a copy of https://github.com/conll/reference-coreference-scorers (version 8.01, a Perl
script), COVAL one of https://github.com/ns-moosavi/coval; scorch is installed. Written are

- tests/data/coreference_answers.json: the reference scorer's own test cases, and made documents
  with twinless mentions, singletons and documents without mentions. Clusters of spans by document,
  and for each measure numerators and denominators of recall and precision, summed over documents;
- tests/data/coreference_page.json: what each answers on the files of docs/howto/coreference.md:
  recall, precision and F1.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from clusterbits.coreference.conll_columns import read_documents

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from support.coreference import write_columns  # noqa: E402

TARGET = ROOT / "tests/data/coreference_answers.json"
PAGE = ROOT / "docs/howto/coreference.md"
PAGE_TARGET = ROOT / "tests/data/coreference_page.json"
MEASURES = {"muc": "muc", "bcub": "bcubed", "ceafm": "ceaf_m", "ceafe": "ceaf_e", "blanc": "blanc"}
TOKENS, ROOM = 60, 4
FRACTIONS = re.compile(r"Recall: \((\S+) / (\S+)\).*Precision: \((\S+) / (\S+)\)")


def read_clusters(path):
    """Return the clusters of spans of each document in a file of columns, repeated ones too."""
    documents = read_documents([(str(path), path.read_bytes())])
    return {
        name: [[*zip(ends[::2], ends[1::2], strict=True)] for ends in document.entities.values()]
        for name, document in documents.items()
    }


def make_documents(rng):
    """Return key and response of some documents."""
    sides = {}, {}
    for number in range(rng.randint(1, 5)):
        spans = []
        for start in rng.sample(range(0, TOKENS, ROOM), rng.randint(0, TOKENS // ROOM)):
            spans.append([start, start + rng.randrange(ROOM)])
            if rng.random() < 0.2:  # one within another
                whole = [start, start + ROOM - 1]
                spans.append(whole if spans[-1] != whole else [start, start])
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


def ask_coval(folder, key, response):
    """Return recall, precision and F1 by coval, with CEAF-m, which its command leaves out."""
    sys.path.insert(0, str(folder))
    from coval.conll import reader
    from coval.eval import evaluator

    found = reader.get_coref_infos(str(key), str(response))
    functions = {"muc": "muc", "bcubed": "b_cubed", "ceaf_e": "ceafe", "ceaf_m": "ceafm",
                 "lea": "lea", "mentions": "mentions"}  # fmt: skip
    return {
        ours: evaluator.evaluate_documents(found, getattr(evaluator, theirs))
        for ours, theirs in functions.items()
    }


def ask_scorch(key, response):
    """Return recall, precision and F1 by scorch, of folders with a JSON file for each document."""
    from scorch import main as scorch

    for path in (key, response):
        Path(path.stem).mkdir()
        for name, clusters in read_clusters(path).items():
            listed = {i: [f"{a}-{b}" for a, b in some] for i, some in enumerate(clusters)}
            content = json.dumps({"type": "clusters", "clusters": listed})
            Path(path.stem, name.replace("/", "_") + ".json").write_text(content)
    text = "".join(scorch.process_dirs(key.stem, response.stem))
    names = {"MUC": "muc", "B³": "bcubed", "CEAF_m": "ceaf_m", "CEAF_e": "ceaf_e", "BLANC": "blanc"}
    rows = re.findall(r"(\S+):\tR=(\S+)\tP=(\S+)\tF₁=(\S+)", text)
    return {names[name]: [float(value) for value in values] for name, *values in rows}


def rate(fractions):
    """Return recall, precision and F1 of the reference scorer's fractions."""
    a, b, c, d = fractions
    recall, precision = a / b if b else 0, c / d if d else 0
    both = recall + precision
    return recall, precision, 2 * recall * precision / both if both else 0


def ask_on_page(reference, coval):
    """Return what every scorer answers on the files that the page's first cell writes."""
    code = re.search(r"```\{run\}\n:hide:\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        exec(code[1], {})
        files = [Path(folder, name) for name in ("key.conll", "response.conll")]
        answers = ask(reference, *files)
        links, apart, _ = answers.pop("blanc")
        found = {name: rate(own[0]) for name, own in answers.items() if name != "mentions"}
        found["mentions"] = rate(answers["mentions"])
        found["blanc"] = [(a + b) / 2 for a, b in zip(rate(links), rate(apart), strict=True)]
        return {
            "reference scorer": found,
            "coval": ask_coval(coval, *files),
            "scorch": ask_scorch(*files),
        }


def main():
    folder, coval = (Path(name).resolve() for name in sys.argv[1:])
    answers = ask_on_page(folder, coval)
    PAGE_TARGET.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
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
