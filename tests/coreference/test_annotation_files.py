"""Files of coreference: what is read, and one clear error for what is not."""

import gzip
import json
import time
from contextlib import suppress

import pytest

import clusterbits as cb
from clusterbits.coreference.documents import read_annotation
from clusterbits.errors import ClusterbitsError, CostError

HEAD = "#begin document (a/b); part 000\n"


def columns(*fields, head=HEAD, end="#end document\n"):
    """Return a document with one token a line, and these as the last column."""
    return head + "".join(f"a/b 0 {i} word {field}\n" for i, field in enumerate(fields)) + end


def clusters_of(path):
    """Return the clusters of spans in a file, by document."""
    annotation = read_annotation(path, is_key=True)
    documents = {name: {} for name in annotation.documents}
    names = list(documents)
    for entity, span in zip(
        annotation.entities.tolist(), annotation.mentions.tolist(), strict=True
    ):
        name = names[annotation.entity_documents[entity]]
        documents[name].setdefault(entity, []).append(tuple(span))
    return {name: sorted(map(sorted, by_entity.values())) for name, by_entity in documents.items()}


@pytest.fixture
def write(tmp_path):
    def write(content, name="key.conll"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("fields", "clusters"),
    [
        (["-", "-"], []),
        (["(3)", "-", "_", "(3)", "*"], [[(0, 0), (3, 3)]]),
        (["(3", "-", "3)"], [[(0, 2)]]),
        (["(1|(3)", "1)"], [[(0, 0)], [(0, 1)]]),
        (["(1", "(1)", "1)"], [[(0, 2), (1, 1)]]),  # nested, of one entity
        (["(1", "(1", "1)", "1)"], [[(0, 3), (1, 2)]]),
        (["(1", "(2", "1)", "2)"], [[(0, 2)], [(1, 3)]]),  # crossing
        (["(1|(2", "-", "2)|1)"], [[(0, 2)], [(0, 2)]]),
        (["(1(2", "1)2)"], [[(0, 1)], [(0, 1)]]),  # without bars, as the reference scorer reads
        (["(1)(2)"], [[(0, 0)], [(0, 0)]]),
        (["(007)", "(7)"], [[(0, 0), (1, 1)]]),
        (["(123456789012345678)", "(1)"], [[(0, 0)], [(1, 1)]]),
        (["(5", "5)|(5", "5)"], [[(0, 2), (1, 1)]]),  # brackets that open come first, as elsewhere
        (["(" + "1)|(" * 40 + "1)"], [[(0, 0)] * 41]),
    ],
)
def test_brackets(write, fields, clusters):
    path = write(columns(*fields))
    assert clusters_of(path) == {"a/b_0": sorted(map(sorted, clusters))}


def test_documents_parts_blank_lines_and_comments(write):
    first = "#begin document (a/b); part 000\nx 0 0 He (0)\n\nx 0 0 himself (0)\n#end document\n"
    second = "# begin document (a/b); part 012\n# sent_id = 1\nx\t0\t0\tHe\t(0\nx\t\t1\tIt\t0)\n"
    third = "#begin document wsj 17\n#  NN  (4)\n#metoo NN -\nlast  NN (4)\t\n"
    long = f"(z); part {'1' * 5000}"
    expected = {"a/b_0": [[(0, 0), (1, 1)]], "a/b_12": [[(0, 1)]], "wsj 17": [[(0, 0), (2, 2)]]}
    expected[long] = []
    text = first + "\n\n" + second + third + f"#begin document {long}\n"
    assert clusters_of(write(text)) == expected
    assert clusters_of(write(text.replace("\n", "\r\n"))) == expected
    assert clusters_of(write(text.replace("\n", "\r"))) == expected
    assert clusters_of(write(text.replace("\n", "  \t \r\n"))) == expected
    assert clusters_of(write(b"\xef\xbb\xbf" + text.encode())) == expected
    assert clusters_of(write(text.removesuffix("\n"))) == expected
    assert clusters_of(write(gzip.compress(text.encode()), "key.gz")) == expected


def test_marks_are_no_tokens_whatever_a_document_is_called(write):
    text = "#begin document (3)\nHe PRP (1)\n#end document (1)\n"
    assert clusters_of(write(text)) == {"3": [[(0, 0)]]}


@pytest.mark.parametrize("gap", ["\t", "  "])
@pytest.mark.parametrize("end", ["-", "_", "*", "(3)", "(3", "|"])
def test_comments_are_no_tokens_whatever_they_end_with(write, gap, end):
    words = (("He", "(0)"), ("#", "(1)"), ("it", "(1)"))
    tokens = [gap.join(["d", "0", str(i), *word]) for i, word in enumerate(words)]
    plain = "\n".join([HEAD.strip(), *tokens, ""])
    expected = {"a/b_0": [[(0, 0)], [(1, 1), (2, 2)]]}
    assert clusters_of(write(plain)) == expected
    for position in range(1, 4):
        for comment in (f"# text = He # it and {end}", f"#{end}", f"# {end}", "#"):
            lines = plain.split("\n")
            assert (
                clusters_of(write("\n".join([*lines[:position], comment, *lines[position:]])))
                == expected
            )
    # A token may be # in its first column, where the columns are separated the same way.
    lines = [
        gap.join([word, "NN", field])
        for word, field in (("#", "(7)"), ("#tag", "(7)"), ("it", "-"))
    ]
    assert clusters_of(write(HEAD + "\n".join(lines))) == {"a/b_0": [[(0, 0), (1, 1)]]}


SPANS = [[[0, 1], [5, 5]], [[2, 3]]]
OTHER = [[[0, 1]], [[5, 5], [2, 3]]]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (json.dumps(SPANS), "document"),
        (json.dumps({"d": SPANS}, indent=1), "d"),
        (json.dumps({"doc_key": "d", "sentences": [["He"]], "clusters": SPANS}), "d"),
        (json.dumps([{"doc_key": "d", "clusters": SPANS}]), "d"),
        (json.dumps({"document_id": "d", "span_clusters": SPANS}) + "\n\n", "d"),
        (json.dumps({"name": "d", "type": "clusters", "clusters": {"e": SPANS[0], "f": SPANS[1]}}),
         "d"),
        (json.dumps({"clusters": SPANS, "document": ["He"]}), "document"),
    ],
)  # fmt: skip
def test_json(write, content, name):
    expected = {name: sorted([sorted(map(tuple, c)) for c in SPANS])}
    assert clusters_of(write(content.replace("\n", "\r"), "key.json")) == expected
    assert clusters_of(write(content, "key.json")) == expected
    assert clusters_of(write(gzip.compress(content.encode()), "key.json.gz")) == expected


def test_json_lines_have_both_sides(write):
    lines = [{"doc_key": f"d{i}", "clusters": SPANS, "predicted_clusters": OTHER} for i in (0, 1)]
    path = write("\n".join(map(json.dumps, lines)), "out.jsonlines")
    expected = cb.coreference.score({"d0": SPANS, "d1": SPANS}, {"d0": OTHER, "d1": OTHER})
    assert cb.coreference.score(path, path) == expected
    assert cb.coreference.score(path, {"d0": OTHER, "d1": OTHER}) == expected


@pytest.mark.parametrize("layout", ["lines", "list", "folder"])
def test_a_record_without_a_prediction_is_not_scored_by_its_key(write, layout):
    """Of a response, all records have predictions, or none has, unless it is the key as well."""
    with_prediction = {"doc_key": "d0", "clusters": SPANS, "predicted_clusters": OTHER}
    without_prediction = {"doc_key": "d1", "clusters": SPANS}

    def write_all(name, *records):
        if layout == "lines":
            return write("\n".join(map(json.dumps, records)), f"{name}.jsonl")
        if layout == "list":
            return write(json.dumps(records), f"{name}.json")
        for record in records:
            path = write(json.dumps(record), f"{name}/{record['doc_key']}.json")
        return path.parent

    mixed, none = (
        write_all("some", with_prediction, without_prediction),
        write_all("none", without_prediction),
    )
    where = {"lines": "line 2", "list": "record 2", "folder": r"d1\.json"}[layout]
    for key in (mixed, {"d0": SPANS, "d1": SPANS}):
        with pytest.raises(
            ClusterbitsError, match=f"{where} has no 'predicted_clusters', only doc"
        ):
            cb.coreference.score(key, mixed)
    same = none.parent / "." / none.name
    with pytest.raises(ClusterbitsError, match="has no 'predicted_clusters', only doc_key, clus"):
        cb.coreference.score(none, str(same))
    assert cb.coreference.score({"d1": SPANS}, none)["conll"] == 1


def test_columns_and_json_compare(write):
    """Documents of both are named by name and part."""
    path = write(columns("(1", "1)", "-", "(1)"))
    json_path = write(json.dumps({"doc_key": "a/b_0", "clusters": [[[0, 1], [3, 3]]]}), "out.jsonl")
    assert (
        cb.coreference.score(path, json_path)["conll"]
        == cb.coreference.score(json_path, path)["conll"]
        == 1
    )


def test_folders(write, tmp_path):
    for side in ("gold", "system"):
        write(columns("(1)", "(1)", head="#begin document (x)\n"), f"{side}/x.v4_gold_conll")
        packed = gzip.compress(columns("(1)", "(2)", head="#begin document (y)\n").encode())
        write(packed, f"{side}/y.conll.gz")
        write("not read", f"{side}/notes.txt")
        write("not read", f"{side}/.hidden.conll")
        write("not read", f"{side}/.ipynb_checkpoints/x.conll")
    scores = cb.coreference.score(tmp_path / "gold", str(tmp_path / "system"))
    assert scores.documents == ("x", "y")
    assert scores["bcubed"] == 1
    for side in ("json", "json2"):
        for name in ("x", "y"):
            write(json.dumps(SPANS), f"{side}/{name}.json")
    assert cb.coreference.score(tmp_path / "json", tmp_path / "json2").documents == ("x", "y")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ClusterbitsError, match=r"without coreference files.*conll, \.json"):
        cb.coreference.score(tmp_path / "empty", tmp_path / "gold")
    write(columns("-"), "json/z.conll")
    with pytest.raises(ClusterbitsError, match=r"z\.conll is not JSON"):
        cb.coreference.score(tmp_path / "json", tmp_path / "json2")
    # A document ends with its file.
    for name, head in (("open", "#begin document (u)\n"), ("open2", "#begin document (v)\n")):
        write(columns("(1)", head=head, end=""), f"files/{name}.conll")
    assert clusters_of(tmp_path / "files") == {"u": [[(0, 0)]], "v": [[(0, 0)]]}
    write(columns("(1)", head="", end=""), "files/open2.conll")
    with pytest.raises(ClusterbitsError, match=r"open2\.conll, line 1 is outside of a document"):
        cb.coreference.score(tmp_path / "files", tmp_path / "files")
    # Errors name the file of a folder, and the line in it.
    write(columns("-", "1)", head="#begin document (w)\n"), "gold/z.conll")
    with pytest.raises(ClusterbitsError, match=r"z\.conll, line 3: 1\) closes a mention"):
        cb.coreference.score(tmp_path / "gold", tmp_path / "system")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (columns("(3", "-"), r"key, line 2: \(3 opens a mention of entity 3 that is not closed"),
        (columns("(1)", "3)"), r"key, line 3: 3\) closes a mention of entity 3 that is not open"),
        (columns("(3") + columns("3)", head="#begin document (c)\n"), r"key, line 2: \(3 opens"),
        (columns("3"), r"key, line 2: the last column has '3'; entities are written as"),
        (columns("(3))"), r"has '\(3\)\)'"),
        (
            "\n\n" + columns("(1)|(2)"),
            r"key, line 3: the mention at token 0 of document 'a/b_0' is in two entities",
        ),
        (columns("(1)|(1)"), r"key, line 1: the mention at token 0 .* is twice in an entity\. A"),
        (columns("(1)") * 2, r"key, line 4: document 'a/b_0' appears twice; first at .*line 1"),
        ("x 0 0 He (1)\n" + columns("-"), "key, line 1 is outside of a document: documents begin"),
        ("He said -\n", r"line 1 is outside .* a line '#begin document \(NAME\); part 000'"),
        ("", "key has no documents"),
        (b"\x1f\x8b\x08\x00 no gzip", "key cannot be read"),
        (gzip.compress(columns("-").encode() * 99, mtime=0)[:-9], "key cannot be read"),
        (bytes(range(256)), "line 1 is outside of a document"),
        ("[1, 2]", r"key: 1 is not a cluster of mentions; pass a list of clusters"),
        ('{"d": 3}', r"key has \{'d': 3\}: clusters of mentions, a mapping of documents"),
        (
            '{"doc_key": "d", "predicted_clusters": []}',
            "has no 'clusters', only doc_key, predicted",
        ),
        ('{"doc_key": "d", "clusters": 7}', "key: 7 is not a list of clusters"),
        ('{"doc_key": "d", "clusters": [["He", {}]]}', "key: {} is not a mention"),
        ('{"clusters": []}\n{"clusters": []}', "key, line 2: document .* twice.*its 'doc_key'"),
        ('{"id": 1, "clusters": []}\n' * 2, "key, line 2: document 1 appears twice; first in .*1"),
        ('{"d": [[[0, 1]]], "e": [], "d": [[[2, 3]]]}', "key is not JSON: an object has 'd' twice"),
        ('{"e": []}\n{"id": 1, "clusters": [], "clusters": []}', "line 2 .* has 'clusters' twice"),
        (
            '{"e1": [[0, 1], [5, 5]], "e2": [[2, 3]]}',
            r"key maps 'e1' to spans such as \[0, 1\], and",
        ),
        ("{}", "key has no documents"),
        ('{"clusters": []}\n{"clusters": [}', "key, line 2 is not JSON"),
        ("[" * 100_000, "key is not JSON"),
        ("[[NaN]]", "key: a missing value"),
        ("[[" + "9" * 5000 + "]]", "key is not JSON: Exceeds the limit"),
        ('["\xff"]'.encode("latin-1"), "key is not UTF-8 text"),
        ('{"type": "graph", "mentions": ["a"], "links": []}', "key has .*records with 'doc_key'"),
    ],
)
def test_wrong_files_are_refused(write, content, message):
    """As the key and as the response: an error names the file, the line, and what is allowed."""
    path = write(content, "key")
    right = write(columns("-"), "right.conll")
    with pytest.raises(ClusterbitsError, match=message) as annotation:
        cb.coreference.score(path, right)
    assert len(str(annotation.value).splitlines()) == 1
    if "predicted_clusters" not in str(content):
        with pytest.raises(ClusterbitsError, match=message):
            cb.coreference.score(right, path)


def test_two_texts_are_refused(write):
    key, response = write(columns("-", "-")), write(columns("-"), "response.conll")
    message = "document 'a/b_0' has 2 tokens in .*key.conll and 1 in .*response.conll"
    with pytest.raises(ClusterbitsError, match=message):
        cb.coreference.score(key, response)


@pytest.mark.parametrize("mention", [[1, 3], [2, 1], [5, 2**40], [-1, 0], "He", [0, 1, 2]])
def test_mentions_outside_of_the_text_are_refused(write, mention):
    """Where one side has the text, and the other only spans."""
    key = write(columns("(1)", "-", "(1)"))
    clusters = {"a/b_0": [[[0, 0], mention]]}
    path = write(json.dumps({"doc_key": "a/b_0", "clusters": clusters["a/b_0"]}), "out.jsonl")
    message = r" has mentions that are not spans of tokens, as in .*key\.conll\. A mention is"
    if mention in ([1, 3], [2, 1], [5, 2**40]):
        message = ": the mention .* of document 'a/b_0' is not in its text, which has 3 tokens in "
    for response, where in ((path, r"out\.jsonl"), (clusters, "the response")):
        with pytest.raises(ClusterbitsError, match=where + message):
            cb.coreference.score(key, response)
    with pytest.raises(ClusterbitsError, match=message):
        cb.coreference.score(path, key)
    assert cb.coreference.score(key, {"a/b_0": [[[0, 0], [2, 2]], [[0, 2]]]})["lea_recall"] == 1


@pytest.mark.parametrize("name", ["key.conll", "key.conll.gz"])
def test_files_that_memory_would_not_hold_are_refused(write, monkeypatch, name):
    """Also where they are small as they are, and large unpacked."""
    text = columns(*["-"] * 20_000).encode()
    path = write(gzip.compress(text) if name.endswith("gz") else text, name)
    assert cb.coreference.score(path, path).documents == ("a/b_0",)
    monkeypatch.setattr("clusterbits.system.limits._machine_memory", lambda: 8 * len(text))
    with pytest.raises(CostError, match=rf"reading .*{name} would take about"):
        cb.coreference.score(path, path)


@pytest.mark.parametrize(
    "content",
    [
        "{" + "".join(f'"{i}": [], ' for i in range(40_000)) + '"39999": []}',
        "".join(f"#begin document ({i});\n#end document\n" for i in range(20_000)),
    ],
    ids=["a repeated name", "documents without tokens"],
)
def test_long_files_are_read_in_one_pass(write, content):
    """Looking through all that is read for each name, or each document, took minutes."""
    begin = time.process_time()
    with suppress(ClusterbitsError):
        read_annotation(write(content), is_key=True)
    assert time.process_time() - begin < 10
