"""The explorer by keyboard, on phones, in the dark, for screen readers, and from an address."""

import re

import pytest

import clusterbits as cb
from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.explorer import make_explorer
from clusterbits.paper.explorer.explorer_page import shown_measures

EDITED = "#classes=2&useful=2&noise=0&epsilon1=0&epsilon2=0&n=50&counts=9,1;2,8"


def value_of(page, name):
    position = [measure.name for measure in shown_measures()].index(name)
    return (
        page.locator("#measures tbody tr").nth(position).locator("td").nth(2).get_attribute("title")
    )


def cell(page, row, column):
    return page.get_by_label(f"class {row}, cluster {column}", exact=True)


def address_of(page, part):
    """Wait until the address has this part, and return what follows the #."""
    page.wait_for_function("part => location.hash.includes(part)", arg=part)
    return page.evaluate("location.hash")


def test_sliders_by_keyboard(visit):
    page = visit()
    page.get_by_label("objects n").press("End")
    assert page.locator("#n-value").inner_text() == "1,000,000"
    assert page.locator("#n").get_attribute("aria-valuetext") == "1,000,000"
    assert "Nothing is demanded" in page.locator("#verdict").inner_text()
    page.get_by_label("in wrong clusters").press("ArrowLeft")
    assert page.locator("#epsilon1-value").inner_text() == "0.09"
    assert page.locator("#verdict").inner_text().startswith("P3.1")
    # Noise clusters come and go with the objects in them.
    page.get_by_label("noise clusters |Kn|").press("Home")
    assert page.locator("#epsilon2-value").inner_text() == "0.00"
    page.get_by_label("in noise clusters").press("ArrowRight")
    assert page.locator("#noise-value").inner_text() == "1"
    assert page.locator("#counts thead th", has_text="noise").count() == 1
    page.get_by_label("useful clusters").press("Home")
    page.get_by_label("in wrong clusters").press("ArrowRight")  # there are none
    assert page.locator("#epsilon1-value").inner_text() == "0.00"
    assert page.evaluate("page.from") == 0


def test_rows_say_if_lower_is_better(visit):
    rows = visit().locator("#measures tbody th").all_inner_texts()
    for row, measure in zip(rows, shown_measures(), strict=True):
        assert ("lower is better" in row) == (measure.better == "lower")


def test_the_table_by_keyboard(visit):
    page = visit(EDITED)
    cell(page, 1, 2).focus()
    page.keyboard.press("Tab")
    page.keyboard.type("17.5")
    expected = cb.Contingency.from_counts([[9, 1], [17.5, 8]])
    assert float(value_of(page, "q0")) == pytest.approx(cb.q0(expected), rel=1e-12)
    assert value_of(page, "adjusted_mutual_information") == "needs whole counts"
    assert page.locator("#measures .status").all_inner_texts() == ["needs whole counts"]
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    assert cell(page, 2, 1).evaluate("each => each === document.activeElement")
    expected = cb.Contingency.from_counts([[9, 1], [17, 8]])
    for name in ("rand", "adjusted_mutual_information"):
        violations = float(value_of(page, name))
        assert violations == pytest.approx(get_measure(name).score_table(expected), rel=1e-11)
    assert "35 objects: your counts, whole." in page.locator("#kind").inner_text()
    assert "counts=9,1;17,8" in address_of(page, "17,8")


def test_rounding_whole_counts_changes_nothing(visit):
    page = visit("#classes=5&useful=5&noise=0&epsilon1=0.2&epsilon2=0&n=500")
    assert cell(page, 1, 1).input_value() == "80"
    page.get_by_role("button", name="Round to whole counts").click()
    assert "500 objects: your counts, whole." in page.locator("#kind").inner_text()
    assert "worse" not in page.locator("#measures").inner_text()


def test_what_cannot_be_scored_is_told(visit):
    page = visit(EDITED)
    before = value_of(page, "q0")
    problem = page.get_by_role("alert")
    for text in ("-1", "x", "1e7", "Infinity", "1 2", "1,000"):
        cell(page, 1, 1).fill(text)
        assert problem.inner_text() == "A count is a number from 0 to 1,000,000, such as 12 or 2.5."
        assert cell(page, 1, 1).get_attribute("aria-invalid") == "true"
        assert cell(page, 1, 1).get_attribute("aria-describedby") == "problem"
        assert value_of(page, "q0") == before
    cell(page, 1, 2).focus()  # the last counts that could be scored come back
    assert (cell(page, 1, 1).input_value(), problem.inner_text()) == ("9", "")
    assert page.locator("#counts [aria-describedby], #counts [aria-invalid]").count() == 0
    for row, column in ((1, 1), (1, 2), (2, 1)):
        cell(page, row, column).fill("0")
    assert value_of(page, "q2") == "1"  # one object
    cell(page, 2, 2).fill("")
    assert problem.inner_text() == "The table is empty: there is nothing to score."


def test_a_view_is_shared_by_its_address(visit):
    page = visit()
    page.locator("#useful").press("ArrowRight")
    page.locator("#noise").press("ArrowRight")
    hash = address_of(page, "noise=2")
    parts = "#verdict", "#measures", "#settings"
    shown = [page.locator(part).inner_text() for part in parts]
    page.get_by_role("link", name="Skip to the content").press("Enter")
    assert address_of(page, "=") == hash
    assert [page.locator(part).inner_text() for part in parts] == shown
    page = visit(hash)
    assert [page.locator(part).inner_text() for part in parts] == shown
    page.evaluate("location.hash = '#noise=5&moved=noise&from=5'")
    page.wait_for_function("() => document.getElementById('noise-value').textContent === '5'")


def test_addresses_that_make_no_sense(visit):
    page = visit()
    for hash in (
        "#noise=99&classes=x&epsilon1=0.123&n=501&moved=constructor&from=-1",
        "#noise=&moved=noise&from=",
        "#counts=1,2;3",
        "#classes=2&useful=2&noise=0&counts=0,0;0,0",
        "#classes=2&useful=2&noise=0&counts=1,NaN;-1,<img>",
        "#%%%&=&&;<script>",
    ):
        read = page.evaluate("hash => (page = readAddress(hash), draw(), page)", hash)
        assert page.evaluate("state => isPossible(state)", read["state"])
        assert read["counts"] is None
        assert "NaN" not in page.locator("main").inner_text()
    page = visit("#noise=99&counts=<img>")
    assert page.locator("#noise-value").inner_text() == "1"


def test_phones(visit):
    overflow = "document.documentElement.scrollWidth - innerWidth"
    page = visit("#classes=10&useful=12&noise=8&moved=noise&from=1", width=375)
    region = page.get_by_role("region", name="Measures", exact=True)
    assert region.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
    small = "all => all.filter(each => each.offsetHeight < 24).length"
    assert page.locator("input[type=range], button").evaluate_all(small) == 0
    for width in (320, 375, 768):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(overflow) <= 0


@pytest.mark.parametrize(
    ("scheme", "width", "hash"),
    [
        ("light", 375, EDITED),
        ("dark", 1280, "#noise=6&moved=noise&from=1"),
    ],
)
def test_accessibility(visit, scheme, width, hash):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(hash, width, scheme)
    live = "all => all.filter(each => each.ariaLive !== 'off').length"
    assert page.locator("output").evaluate_all(live) == 0  # the verdict speaks for them
    page.evaluate("document.querySelector('details').open = true")
    violations = axe.Axe().run(page).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == []


def test_one_page_that_loads_nothing():
    page = make_explorer()
    assert page == make_explorer()
    assert not re.search(r"(src|href)=\"(?!https://arxiv|#)", page)
    assert "@import" not in page
    assert "url(" not in page


def test_the_command(run, tmp_path):
    assert run("paper", "explore", "-o", "-")[:2] == (0, make_explorer())
    code, out, err = run("paper", "explore", "--output", "explorer.html")
    assert (code, out) == (0, "")
    assert "explorer.html" in err
    assert (tmp_path / "explorer.html").read_text(encoding="utf-8") == make_explorer()
    assert run("paper", "explore")[0] == 2
    assert (
        "Example: clusterbits paper explore -o explorer.html"
        in run("paper", "explore", "--help")[1]
    )
