"""The report, as a reader meets it: in a real browser, without a network."""

import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.__main__ import main
from clusterbits.cli.demo import load_digits
from clusterbits.errors import MeasureError
from clusterbits.report import Report

HOSTILE = "<script>document.title='owned'</script>"
QUOTED = "\"'><img src=x onerror=document.title='owned'>{{7*7}}"


def first_column(page):
    return page.locator("table.sortable tbody th bdi").all_inner_texts()


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def test_sorting_by_click_and_by_keyboard(visit, digits, digits_report):
    page = visit(digits_report)
    assert first_column(page) == list(digits.sorted_by("q0").clusterings)
    rand = page.locator("table.sortable th", has_text="ARI")
    rand.get_by_role("button").click()
    assert rand.get_attribute("aria-sort") == "descending"
    assert first_column(page) == list(digits.sorted_by("ari").clusterings)
    assert "ARI, descending" in page.locator("#leaderboard .status").inner_text()
    assert page.locator("th[aria-sort]").count() == 1
    rand.get_by_role("button").press("Enter")
    assert rand.get_attribute("aria-sort") == "ascending"
    assert first_column(page) == list(digits.sorted_by("ari").clusterings)[::-1]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")  # two headings to the left: q0
    page.keyboard.press("Space")
    assert first_column(page) == list(digits.sorted_by("q0").clusterings)
    page.get_by_role("button", name="clustering").click()
    assert first_column(page)[:3] == ["kmeans_5", "kmeans_10", "kmeans_12"]


def test_dark_mode(visit, digits_report):
    colour = "getComputedStyle(document.body).backgroundColor"
    page = visit(digits_report, color_scheme="dark")
    dark = page.evaluate(colour)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(colour)
    assert light != dark
    button = page.get_by_role("button", name="Theme")
    for expected in (light, dark, light):  # light, dark, as the system
        button.click()
        assert page.evaluate(colour) == expected


def test_hover_and_arrow_keys_tell_the_cell(visit, digits, digits_report):
    page = visit(digits_report)
    section = page.locator("details.clustering").first
    cells = section.locator("table.heat td")
    cells.first.hover()
    table = digits.tables[digits.sorted_by("q0").clusterings[0]]
    readout = section.locator(".readout")
    text = readout.inner_text()
    assert text.startswith("class 3, cluster ")
    assert f": {table.to_dense()[3].max()} objects, " in text
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    assert readout.inner_text() != text
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert readout.inner_text().startswith("class 1, ")
    assert "0 objects, 0 %" in readout.inner_text()
    page.keyboard.press("ArrowLeft")  # the edge: nothing further
    assert readout.inner_text().startswith("class 1, ")


def test_links_open_what_they_point_to(visit, digits, digits_report):
    page = visit(digits_report)
    name = list(digits.sorted_by("q0").clusterings)[3]
    section = page.locator("details.clustering", has_text=name).first
    assert section.get_attribute("open") is None
    page.locator("table.sortable").get_by_role("link", name=name, exact=True).click()
    assert section.get_attribute("open") is not None
    assert not page.locator("#m-purity").is_visible()
    page.locator("#disagreement").get_by_role("link", name="purity").first.click()
    assert page.locator("#m-purity").is_visible()


def test_print_view(visit, digits_report):
    page = visit(digits_report, color_scheme="dark", viewport={"width": 794, "height": 1123})
    page.emulate_media(media="print")
    assert not page.get_by_role("navigation").is_visible()
    assert not page.get_by_role("button", name="Theme").is_visible()
    first, *_, last = page.locator("details.clustering").all()
    assert first.locator("table.heat").is_visible()
    assert not last.locator("table.heat").is_visible()
    assert last.inner_text().startswith("kmeans_5 5 clusters: ")
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "light"
    board = page.locator("table.sortable").bounding_box()
    assert board["x"] + board["width"] <= 794
    exact = "getComputedStyle(document.querySelector('svg')).printColorAdjust"
    assert page.evaluate(exact) == "exact"
    assert page.pdf(format="A4")[:5] == b"%PDF-"


def test_printed_heatmaps_fit(visit):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 2000)
    paper = {"width": 703, "height": 1032}  # A4 less its margins
    for k in (8, 200):
        pred = rng.integers(0, k, 2000) + 100_000
        page = visit(cb.evaluate(truth, pred, measures=["q0"]).report(), viewport=paper)
        page.emulate_media(media="print")
        box = page.locator("table.heat").bounding_box()
        assert box["x"] + box["width"] <= paper["width"]
    assert page.locator("table.heat thead th:visible").count() == 61
    assert page.get_by_text("The first 60 columns are printed").is_visible()


def test_phones(visit, digits_report):
    page = visit(digits_report, viewport={"width": 320, "height": 800})
    assert overflow(page) <= 0
    for section in page.locator("details.clustering").all():
        section.evaluate("each => each.open = true")
    for width in (320, 390, 768):
        page.set_viewport_size({"width": width, "height": 800})
        assert overflow(page) <= 0


def test_accessibility(visit, digits_report):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(digits_report, color_scheme="light")
    page.evaluate("document.querySelector('details').open = true")
    violations = axe.Axe().run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    only_contrast = {"runOnly": ["color-contrast"]}
    violations += axe.Axe().run(page, options=only_contrast).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == []


def test_hostile_names_are_text(visit):
    truth = [HOSTILE, HOSTILE, QUOTED, "a&b", "half \ud800", "javascript:alert(1)"] * 3
    pred = [HOSTILE, QUOTED, QUOTED, "</style>", "]]>", "\0\n"] * 3
    scores = cb.evaluate(truth, {HOSTILE: pred, QUOTED: truth}, measures=["q0", "ari"])
    title = f"{HOSTILE}{QUOTED}"
    page = visit(scores.report(title=title, facts={"command": HOSTILE}))
    page.locator("table.heat td").first.hover()
    assert page.title() == title
    assert page.locator("h1").inner_text() == title
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert HOSTILE in first_column(page)
    names = page.locator("table.heat th[title]").evaluate_all("all => all.map(each => each.title)")
    assert names.count(HOSTILE) >= 2


def test_nothing_is_fetched(digits_report):
    html = digits_report.html.replace("url(#", "")  # clips of the charts
    assert "Content-Security-Policy" in html
    for word in ("<link", "src=", "@import", "url(", "<iframe"):
        assert word not in html
    assert "http://" not in html
    assert "https://" not in html


def test_the_same_bytes_whatever_python_hashes():
    code = (
        "import clusterbits as cb; runs = {'a': list('uuvw'), 'b': list('uvvw')}; "
        "print(ascii(cb.evaluate(list('xxyz'), runs).report().html))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    first, second = (process.communicate()[0] for process in processes)
    assert first == second != b""


def test_intervals_are_shown(digit_scores):
    scores = digit_scores("ward_10", "ward_20", measures=["q0"], confidence_level=0.95, rng=0)
    html = scores.report().html
    for row in scores.rows:
        assert f'<span class="ends">{row.low:.4f} … {row.high:.4f}</span>' in html
    assert html.count("95 % confidence") >= 2  # the chart, the leaderboard
    assert scores.sorted_by("q0").confidence_level == 0.95
    alone = digit_scores("ward_10", measures=["q0"], confidence_level=0.9, rng=0)
    (row,) = alone.rows
    html = alone.report().html
    assert html.count("90 % confidence") == 2  # its values, the statement
    assert f"{row.low:.4f} … {row.high:.4f}</td>" in html


@pytest.mark.parametrize(
    "scores",
    [
        cb.evaluate([0], [0]),
        cb.evaluate([0, 0, 0], {"a": [0, 1, 2], "b": [0, 0, 0]}),
        cb.evaluate(cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=123.4)),
        cb.evaluate(cb.Contingency.from_counts([[10**18, 1], [0, 10**17]]), measures=["q0"]),
        cb.evaluate([0, 0, 1], {"a": [0, 1, 1], "b": [0, 0, 1]}, measures=["emi"]),
    ],
    ids=["one object", "one class", "real counts", "huge counts", "nothing ranks"],
)
def test_odd_tables(scores):
    html = scores.report().html
    assert ("Leaderboard" in html) == (len(scores.clusterings) > 1)
    assert "nan" not in html.split("<main")[1].split("<script>")[0]


def test_two_hundred_clusterings(visit):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 7, 500)
    preds = {
        f"run {i}": np.where(rng.random(500) < i / 250, rng.integers(0, 8, 500), truth)
        for i in range(200)
    }
    report = cb.evaluate(truth, preds, measures=["q0", "ari", "rand"]).report()
    assert len(report.html.encode()) < 5e6
    page = visit(report, viewport={"width": 390, "height": 800})
    assert page.locator("table.sortable tbody tr").count() == 200
    assert page.locator("details.clustering").count() == 200
    assert overflow(page) <= 0
    assert "The best 25 of 200" in page.locator("#disagreement").text_content()
    assert page.locator("#leaderboard .ends").count() == 0  # none was asked for


def test_five_thousand_clusters(visit, monkeypatch):
    from clusterbits.explanation import overlap
    from clusterbits.report import content

    monkeypatch.setattr(overlap, "_MAX_COLUMNS", 100)  # the path is tested elsewhere
    monkeypatch.setattr(content, "MAX_CLUSTERS", 6000)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 1000, 20_000)
    pred = truth * 5 + rng.integers(0, 5, len(truth))
    scores = cb.evaluate(truth, {"fine": pred, "shuffled": rng.permutation(pred)}, measures=["q0"])
    report = scores.report()
    assert len(report.html.encode()) < 1e6
    page = visit(report)
    text = page.locator("#clusterings").inner_text()
    assert "1 of 2 is explained" in text
    assert "The largest " in text
    assert "12 of 4," in text  # of the clusters, the costliest


def marked(html):
    return re.findall(r'<b class="best">([\d.]+)\s*</b>', html)


def test_all_that_tie_for_best_are_marked():
    truth = [0, 0, 1, 1, 2, 2]
    preds = dict.fromkeys("abc", truth) | {"worse": [0, 0, 0, 1, 2, 2]}
    scores = cb.evaluate(truth, preds, measures=["ari"])
    assert marked(scores.report().html) == ["1.0000"] * 3
    assert scores.ranks().values.tolist() == [[1, 1, 1, 4]]


def test_a_huge_clustering_stops_no_other(monkeypatch):
    from clusterbits.report import content

    monkeypatch.setattr(content, "MAX_CLUSTERS", 6)
    truth = [0, 0, 0, 1, 1, 1, 2, 2]
    preds = {"best": truth, "huge": range(8), "mixed": [0, 1, 2, 0, 1, 2, 0, 1]}
    report = cb.evaluate(truth, preds, measures=["purity"]).report()
    assert re.findall(r"<summary><h3><bdi>(\w+)", report.html) == ["best", "mixed"]
    assert "2 of 3 are explained" in report.html
    board = report.html.split("<tbody>")[1].split("</tbody>")[0]
    assert re.findall(r'<a href="#c\d+"><bdi>(\w+)', board) == ["best", "mixed"]
    assert "<bdi>huge</bdi>" in board


def test_merge_paths_are_those_of_the_best_where_merging_saves(digits, digits_report):
    html = digits_report.html
    why = cb.explain(digits.tables["ward_12"])
    assert html.count('<svg class="path-') == 4  # of five, one has nothing to merge
    assert f">fewest bits: {why.best_step.q0:.4f}, 10 clusters<" in html


def test_a_merge_path_that_begins_with_many_pairs_at_a_time_says_so(monkeypatch):
    from clusterbits.explanation import overlap

    sentence = "The first steps merge many pairs at a time."
    scores = cb.evaluate(np.repeat(np.arange(4), 60), np.repeat(np.arange(24), 10))
    assert sentence not in scores.report().html
    monkeypatch.setattr(overlap, "_MAX_COLUMNS", 8)
    assert sentence in scores.report().html


def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["clusterbits", "report", "x y"])
    columns = load_digits()
    lines = zip(columns["digit"], columns["ward_10"], columns["ward_20"], strict=True)
    file = tmp_path / "labels.csv"
    file.write_text("digit,a,b\n" + "".join(f"{x},{y},{z}\n" for x, y, z in lines))
    target = tmp_path / "report.html"
    with pytest.raises(SystemExit) as stop:
        main(["report", str(file), "--truth", "digit", "--pred", "a", "--pred", "b",
              "-m", "q0,ari", "-o", str(target)])  # fmt: skip
    assert stop.value.code == 0
    assert "the report is in" in capsys.readouterr().err
    html = target.read_text()
    facts = {"input": "labels.csv", "command": "clusterbits report 'x y'"}
    labels = {"truth": "digit", "pred": ["a", "b"]}
    scores = cb.evaluate(file, measures=["q0", "ari"], confidence_level=0.95, **labels)
    assert html.rstrip() == scores.report(title="labels.csv", facts=facts).html.rstrip()
    assert html.count('<details class="clustering"') == 2


def test_demo(tmp_path, capsys, visit):
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--report", str(tmp_path / "demo.html")])
    assert stop.value.code == 0
    assert "ward_12" in capsys.readouterr().out
    html = (tmp_path / "demo.html").read_text()
    assert html.count('<details class="clustering"') == 14
    printed = visit(Report(html)).pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6


def test_ranks(digits):
    ranks = digits.ranks()
    assert ranks == digits.ranks()
    assert ranks.tau("q0", "q2") == pytest.approx(1)
    assert ranks.dispute("q0", "q2") is None
    first, second = ranks.dispute("q0", "ari")
    assert digits["q0"][first] < digits["q0"][second]
    assert digits["ari"][first] < digits["ari"][second]
    tied = cb.evaluate([0, 0, 1], {"a": [0, 0, 1], "b": [5, 5, 6]}, measures=["q0", "rand"])
    assert tied.ranks().values.tolist() == [[1, 1], [1, 1]]
    assert tied.ranks().dispute("q0", "rand") is None
    assert math.isnan(tied.ranks().tau("q0", "rand"))
    with pytest.raises(MeasureError, match="jaccard was not computed; these were: q0"):
        ranks.of("jaccard")
