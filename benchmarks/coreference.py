"""How fast coreference is scored, beside scorch and the reference scorer of CoNLL.

    python benchmarks/coreference.py [FOLDER OF THE REFERENCE SCORER]

A made corpus like OntoNotes: 3,000 documents, 55 mentions of 12 entities each on average, short
and long ones. The response misses some mentions, has some of its own and puts some into wrong
entities. Seconds of processor time and ratios, as Markdown tables. scorch is not among the
benchmark's needs, and the reference scorer is a Perl script: what is missing is named. Values are
compared document by document with scorch (it averages documents where we sum them), and of all
documents with the Perl script.
"""

import math
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import head, median, row, timed

import clusterbits as cb

try:
    from scorch import conll, scores
except ImportError:
    scores = None

DOCUMENTS, MENTIONS = 3_000, 55
# Tokens of a mention and those up to the next: columns cannot write two of an entity that cross.
ROOM = 8
# How scorch and the reference scorer call our measures.
OF_SCORCH = {"muc": "muc", "bcubed": "b_cubed", "ceaf_m": "ceaf_m", "ceaf_e": "ceaf_e",
             "blanc": "blanc"}  # fmt: skip
OF_PERL = {"muc": "muc", "bcubed": "bcub", "ceaf_m": "ceafm", "ceaf_e": "ceafe"}


def make_corpus(rng, documents=DOCUMENTS):
    """Return key and response: for each document, clusters of spans."""
    sides = {}, {}
    sizes = rng.lognormal(np.log(MENTIONS) - 0.8**2 / 2, 0.8, documents).astype(int) + 2
    for number, size in enumerate(sizes.tolist()):
        entities = 3 + size // 4
        extra = 1 + size // 10  # mentions of the response alone
        starts = ROOM * rng.permutation(size + extra)
        ends = starts + np.minimum(rng.geometric(0.5, len(starts)) - 1, ROOM - 1)
        every = [(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
        spans = every[:size]
        shares = 1 / np.arange(1, entities + 1)
        true = rng.choice(entities, size, p=shares / shares.sum())
        moved = rng.random(size) < 0.15
        found = np.where(moved, rng.integers(0, entities, size), true)
        kept = rng.random(size) >= 0.12
        response = [(s, int(k)) for s, k, keep in zip(spans, found, kept, strict=True) if keep]
        response += [(span, int(rng.integers(0, entities))) for span in every[size:]]
        name = f"made/{number:05}_0"
        sides[0][name] = gather(zip(spans, true.tolist(), strict=True))
        sides[1][name] = gather(response)
    return sides


def gather(pairs):
    found = {}
    for span, entity in pairs:
        found.setdefault(entity, []).append(span)
    return list(found.values())


def count_tokens(key, response):
    """Return for each document as many tokens as its mentions need."""
    return {
        name: 1 + max(end for side in (key, response) for some in side[name] for _, end in some)
        for name in key
    }


def write_columns(path, documents, tokens):
    """Write clusters of spans in the columns of CoNLL-2012."""
    lines = []
    for name, clusters in documents.items():
        marks = [[] for _ in range(tokens[name])]
        for entity, cluster in enumerate(clusters):
            for start, end in cluster:
                if start == end:
                    marks[start].append(f"({entity})")
                else:
                    marks[start].append(f"({entity}")
                    marks[end].append(f"{entity})")
        base = name.removesuffix("_0")
        lines.append(f"#begin document ({base}); part 000\n")
        for place, own in enumerate(marks):
            column = "|".join(own) or "-"
            lines.append(f"{base}   0   {place}   word   NN   *   -   -   -   -   *   {column}\n")
        lines.append("#end document\n")
    path.write_text("".join(lines))


def score(key, response):
    """Return all our scores."""
    return {
        f"{name}_{field}": value
        for name, own in cb.coreference.score(key, response).qualities.items()
        for field, value in own._asdict().items()
    }


def score_by_scorch(key, response):
    """Return the scores of each document by scorch."""
    found = []
    for name, clusters in key.items():
        sides = [set(c) for c in clusters], [set(c) for c in response[name]]
        found.append({own: getattr(scores, of)(*sides) for own, of in OF_SCORCH.items()})
    return found


def score_files_by_scorch(key, response):
    sides = []
    for path in (key, response):
        with open(path) as lines:
            sides.append({name: list(own.values()) for name, own in conll.parse_file(lines)})
    return score_by_scorch(*sides)


def compare(key, response, found):
    """Check that every document has scorch's scores."""
    ours = cb.coreference.score(key, response).by_document.qualities
    for i, theirs in enumerate(found):
        for name, values in theirs.items():
            own = (ours[name].recall[i], ours[name].precision[i], ours[name].f1[i])
            assert np.allclose(own, values, rtol=1e-9, atol=1e-12), (i, name, own, values)


def beside_scorch(corpus, files):
    head(f"{DOCUMENTS:,} documents", "clusterbits", "scorch", "ratio")
    for what, sides, theirs in (
        ("clusters in memory", corpus, score_by_scorch),
        ("CoNLL files, read and scored", files, score_files_by_scorch),
    ):
        took = median(score, *sides, clock=time.process_time)
        if scores is None:
            row(what, f"{took:.2f} s", "not installed", "")
            continue
        found, long = timed(theirs, *sides, clock=time.process_time)
        row(what, f"{took:.2f} s", f"{long:.1f} s", f"{long / took:.0f}")
        if sides is corpus:
            compare(*corpus, found)


def ask_perl(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def beside_perl(folder, files):
    """Score by the reference scorer; each measure reads the files anew, for every document."""
    head("a part of it, all documents pooled", "clusterbits", "reference scorer", "ratio")
    ours, took = timed(score, *files)
    long = 0
    for own, of in OF_PERL.items():
        command = ["perl", "scorer.pl", of, *map(str, files), "none"]
        text, seconds = timed(ask_perl, command, folder)
        long += seconds
        parts = re.search(r"Coreference: Recall: \((\S+) / (\S+)\).*Precision: \((\S+) / (\S+)\)",
                          text)  # fmt: skip
        a, b, c, d = map(float, parts.groups())
        assert math.isclose(ours[f"{own}_recall"], a / b, rel_tol=1e-12), own
        assert math.isclose(ours[f"{own}_precision"], c / d, rel_tol=1e-12), own
    row("CoNLL files, read and scored", f"{took:.3f} s", f"{long:.1f} s", f"{long / took:.0f}")


def main():
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        corpus = make_corpus(rng)
        files = [Path(folder, "key.conll"), Path(folder, "response.conll")]
        tokens = count_tokens(*corpus)
        for path, side in zip(files, corpus, strict=True):
            write_columns(path, side, tokens)
        beside_scorch(corpus, files)
        if len(sys.argv) > 1:
            for path, side in zip(files, corpus, strict=True):
                write_columns(path, dict(list(side.items())[:100]), tokens)
            beside_perl(sys.argv[1], files)


if __name__ == "__main__":
    main()
