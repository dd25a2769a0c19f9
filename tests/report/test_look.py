"""What a reader sees first, and what new parts do when they are clicked or pointed at."""

import re

import numpy as np

import clusterbits as cb
from clusterbits.report.disagreement import find_agreement
from clusterbits.scoring.bits_over_clusters import bits_over_clusters

DESK = {"width": 1280, "height": 860}


def test_the_first_screen_says_what_to_take_and_how_sure_that_is(visit, digits, digits_report):
    page = visit(digits_report, viewport=DESK)
    verdict = page.locator("#verdict")
    assert verdict.get_by_role("heading").inner_text() == digits.verdict
    text = verdict.inner_text()
    assert digits.conclusion == "ward_12: 3.32 → 0.66 bits per object: 87 % of the maximum saving."
    assert digits.conclusion in text
    assert "q0, ARI, AMI and FM put ward_12 first; purity prefers another." in text
    row = page.locator("table.sortable tbody tr").nth(2).bounding_box()
    assert row["y"] + row["height"] < DESK["height"]


def test_the_chart_names_the_best_and_follows_theme_and_width(visit, digits, digits_report):
    page = visit(digits_report, viewport=DESK)
    texts = page.locator("svg.desk text").all_text_contents()
    bits = bits_over_clusters(digits)
    assert {"ward_12: 0.66", "kmeans_5", "ward_30", "perfect", f"{bits.perfect:.2f}"} <= set(texts)
    assert not page.locator("svg.phone").is_visible()
    assert page.locator("figcaption").first.inner_text().count("95 % confidence interval") == 1
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.locator("svg.phone").is_visible()
    assert not page.locator("svg.desk").is_visible()
    bar = page.locator("svg.phone path[style*='var(--labels)']").first
    light = bar.evaluate("each => getComputedStyle(each).fill")
    page.emulate_media(color_scheme="dark")
    assert light == "rgb(36, 80, 127)"
    assert bar.evaluate("each => getComputedStyle(each).fill") == "rgb(111, 168, 224)"
    tick = page.locator("svg.phone text").first.bounding_box()
    assert tick["height"] >= 11  # letters that can be read


def test_search_and_sticky_head(visit):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 60)
    runs = {f"run {i}": np.where(rng.random(60) < i / 90, 0, truth) for i in range(60)}
    scores = cb.evaluate(truth, runs, measures=["ari", "purity"])
    page = visit(scores.report(), viewport=DESK)
    rows = page.locator("table.sortable tbody tr:visible")
    page.get_by_role("searchbox", name="Find").fill("N 7")
    assert rows.locator("bdi").all_inner_texts() == ["run 7"]
    assert "1 clustering found" in page.locator("#leaderboard .status").inner_text()
    page.get_by_role("searchbox", name="Find").fill("")
    assert rows.count() == 60
    region = page.locator("#leaderboard .scroll")
    region.evaluate("each => { each.scrollTop = 600; }")
    button, box = page.get_by_role("button", name="ARI").bounding_box(), region.bounding_box()
    assert box["y"] <= button["y"] < box["y"] + 30
    assert rows.first.bounding_box()["y"] < box["y"] - 500


def test_measures_with_the_same_ranking_are_one_opinion(digits):
    names = ["q0", "fowlkes_mallows", "fager_mcgowan", "q0_mixture", "evidence"]
    scores = cb.evaluate(digits.tables, measures=names)
    orders = find_agreement(scores, scores.ranks()).orders
    assert [(order.measure, order.followers) for order in orders] == [
        ("q0", ()),
        ("fowlkes_mallows", ("fager_mcgowan",)),
        ("q0_mixture", ("evidence",)),
    ]


def test_heatmaps_fill_the_width_and_name_in_full(visit):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 6, 900)
    pred = np.where(rng.random(900) < 0.1, 0, truth * 10 + rng.integers(0, 10, 900))
    long = [f"a cluster with a name that goes on and on, until its number: {k}" for k in pred]
    report = cb.evaluate(truth, long, measures=["q0"]).report()
    page = visit(report, viewport=DESK)
    region, heat = (page.locator(where).bounding_box() for where in (".scroll:has(.heat)", ".heat"))
    assert heat["width"] >= region["width"] - 1
    assert page.locator(".more:has(.heat)").count() == 1
    page.locator("table.heat td").first.hover()
    assert re.search(r"until its number: \d+", page.locator(".readout").inner_text())
    page.locator("table.heat td").first.focus()
    page.keyboard.press("ArrowRight")
    assert re.search(r"until its number: \d+", page.locator(".readout").inner_text())


def test_a_notebook_in_the_dark(browser, digits_report):
    page = browser.new_page(color_scheme="light")
    page.set_content(
        "<body style='background:#111;color:#eee'><div>" + digits_report._repr_html_() + "</div>"
    )
    frame = page.frames[1]
    frame.wait_for_selector("#theme:not([hidden])")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = frame.evaluate(colour)
    page.evaluate("document.body.style = 'background:#fff;color:#111'")
    frame.wait_for_function(f"{colour} !== '{dark}'")
    light = frame.evaluate(colour)
    brightness = [sum(map(int, re.findall(r"\d+", colours)[:3])) for colours in (dark, light)]
    assert brightness[0] < 150 < 600 < brightness[1]
    frame.get_by_role("button", name="Theme").click()
    page.evaluate("document.body.style = 'background:#111;color:#eee'")
    assert frame.evaluate(colour) == light  # the reader chose
    page.close()
