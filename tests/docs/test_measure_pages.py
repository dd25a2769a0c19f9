"""The pages of measures, the report cards and the picker: made by docs/_ext, held to the cards."""

import json
import re
from functools import cache
from pathlib import Path
from runpy import run_path

import card_tables
import measure_cards
import measure_pages
import measure_picker
import pytest
from families import FAMILIES
from peers import shared_rows

import clusterbits as cb
from clusterbits.measures.catalogue import catalogue, get_measure
from clusterbits.paper import Model, check
from clusterbits.paper.cards.card import CRITERIA, shipped_cards
from clusterbits.paper.cards.judge import Judge

ROOT = Path(__file__).parents[2]
MEASURES = list(catalogue())
RANKED = [measure for measure in MEASURES if measure.better]
WITNESSES = measure_cards.read_witnesses()
WHICH = ROOT.joinpath("docs/howto/which_measure.md").read_text(encoding="utf-8")
# A measure's advice says one of these.
ADVICE = re.compile(
    r"[Cc]hoose|[Pp]refer|[Aa]void|[Uu]se (it|either)|[Rr]ead\s+it|usual choice|Not a score"
)
write_page = cache(measure_pages.write_page)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_every_measure_has_a_whole_page(measure):
    page = write_page(measure)
    assert re.match(rf"# {measure.name}( \([A-Z0-9_]+\))?\n", page)
    assert ".. math::" in page
    assert f":Range: {measure_pages.say_range(measure)}" in page
    assert ">>> " in page
    assert f".. autofunction:: {measure.name}\n" in page
    assert all(f"``{alias}``" in page for alias in measure.aliases)
    plot = re.search(r'<svg [^>]*role="img" aria-label="([^"]{100,})">(.*?)</svg>', page)
    assert plot[2].count("<polyline") == 4
    assert "nan" not in plot[0]
    doc = measure_pages.read_docstring(measure)
    assert re.search(r"https://|Report", doc["References"])
    assert ADVICE.search(doc[""]), "when to choose it, or not to"


def test_pages_say_what_measures_declare():
    page = write_page(get_measure("adjusted_rand"))
    assert ":Range: −0.5 to 1; higher is better\n" in page
    assert ":A perfect clustering: 1\n" in page
    assert ":Adjusted for chance: yes: random clusters score 0 on average" in page
    assert ":py:func:`share_saved <clusterbits.share_saved>`" in page
    assert ":Symmetric: no" in write_page(get_measure("q0"))
    assert "at least 0; lower is better" in write_page(get_measure("q0"))
    assert "at most 1" in write_page(get_measure("share_saved"))
    assert ":Weights: whole ones, or ``balanced``" in write_page(get_measure("ami"))
    assert ":Weights: none" in write_page(get_measure("muc_f1"))
    assert ":Weights: any" in write_page(get_measure("q0"))
    assert "Report card" not in write_page(get_measure("emi"))


def test_a_library_is_listed_once():
    for measure in MEASURES:
        *_, listed = ["", *measure_pages.write_peers(measure, shared_rows())]
        libraries = re.findall(r"^- ([^:]+): `", listed, re.MULTILINE)
        assert len(libraries) == len(set(libraries)), measure.name
        names = re.findall(r"`([\w.:]+)`(?:,|\.(?: |$))", listed, re.MULTILINE)
        expected = {row["theirs"] for row in shared_rows() if row["ours"] == measure.name}
        assert expected <= set(names), measure.name


def test_the_index_has_every_measure():
    index = measure_pages.write_index()
    for measure in MEASURES:
        summary = measure.summary.replace("|", r"\|").removesuffix(".")
        row = f'| <a id="{measure.name}"></a>[{measure.name}](index.md#{measure.name}) | {summary}'
        assert index.count(row) == 1
        assert f"\n{measure.name}\n" in index  # the table of contents
    assert all(f"## {title}\n\n" in index for title in FAMILIES.values())


def test_the_index_of_a_checkout_is_that_of_today():
    """If not, `make docs` writes it."""
    stored = ROOT.joinpath("docs/reference/measures/index.md").read_text(encoding="utf-8")
    assert stored == measure_pages.write_index()


@pytest.mark.parametrize("name", ["q0", "rand", "pair_sets_index", "correlation_distance"])
def test_stored_witnesses_are_those_of_today(name):
    describe = run_path(str(ROOT / "tools/make_cards.py"))["describe_card"]
    now, stored = describe(check(name)), WITNESSES[name]
    assert set(now) == set(stored)
    for criterion, found in now.items():
        witness = found.get("witness", {})
        values = witness.pop("values", [])
        known = dict(stored[criterion].get("witness", {}))
        # Their last digits may differ on another processor.
        assert values == pytest.approx(known.pop("values", []), rel=1e-11, abs=1e-11)
        assert found["note"] == stored[criterion]["note"]
        assert json.loads(json.dumps(witness)) == known


def test_every_failure_has_a_witness_and_every_exception_a_reason():
    assert set(WITNESSES) == set(shipped_cards())
    for name, card in shipped_cards().items():
        failing = {criterion for criterion, mark in card.items() if measure_cards.fails(mark)}
        known = WITNESSES[name]
        assert {criterion for criterion in known if "witness" in known[criterion]} == failing
        assert {criterion for criterion, mark in card.items() if mark != "✓"} == set(known)
        assert all(known[criterion]["note"] for criterion in known)
        page = write_page(get_measure(name))
        for criterion in failing:
            assert re.search(rf"dropdown}} (Fails|Ties in) {re.escape(criterion)}: ", page)


def test_stored_witnesses_hold():
    tried = 0
    for name, known in WITNESSES.items():
        judge = Judge(get_measure(name))
        for criterion, said in known.items():
            if "witness" not in said or "baseline" in criterion or criterion.startswith("tri"):
                continue  # means and detours there
            tables = tables_of(said["witness"], judge.needs_integers)
            if not tables:
                continue
            found = [judge.value(table) for table in tables]
            assert found == pytest.approx(said["witness"]["values"], rel=1e-9, abs=1e-9)
            wanted = said["witness"]["demand"].partition(" ")[0]
            if wanted in ("better", "worse"):
                assert not judge.meets(wanted, *found), (name, criterion)
                tried += 1
    assert tried > 300


def tables_of(witness, whole):
    if "models" in witness:
        models = [Model(5, *model) for model in witness["models"]]
        n = witness["n"]
        return [model.integer_counts(int(n)) if whole else model.expected(n) for model in models]
    if any(isinstance(table, str) for table in witness["tables"]):
        return []
    return [cb.Contingency.from_counts(counts) for counts in witness["tables"]]


def test_the_table_of_cards_has_every_mark():
    names = [criterion for group in measure_cards.GROUPS.values() for criterion in group]
    assert sorted(names) == sorted(criterion.name for criterion in CRITERIA)
    table = card_tables.show_cards()
    for name, card in shipped_cards().items():
        row = re.search(rf"measures/{name}\.html.*?</tr>", table)[0]
        said = re.findall(r'title="([^"]+)"', row)
        assert said == [f"{each}: {measure_cards.say_mark(card[each])}" for each in names]
    demands = card_tables.show_criteria()
    assert demands.count('scope="row"') == sum(not measure_cards.is_large(name) for name in names)


def test_the_index_says_which_measures_take_weights():
    said = measure_pages.write_weights()
    assert said.count(".md") == sum(not one.scale_free for one in catalogue())
    assert "(index.md#adjusted_mutual_information), [expected_mutual" in said
    assert all(f"[{name}]" in said for name in ("muc_f1", "lea_f1", "standardized_rand"))


def test_published_verdicts_are_compared():
    rows = card_tables.read_published()
    assert len(rows) == 23
    assert "23 of 23 verdicts agree" in card_tables.show_published()


def test_the_picker_is_that_of_the_cards():
    data = measure_picker.picker_data()
    assert {one["name"] for one in data["measures"]} == {measure.name for measure in MEASURES}
    wishes = measure_picker.ALL_WISHES
    assert len({wish.words for wish in wishes}) == len(wishes)
    asked = {name for wish in wishes for name in wish.criteria}
    demanded = {one.name for one in CRITERIA} - set(measure_cards.FINDINGS)
    assert asked == {name for name in demanded if not measure_cards.is_large(name)}
    for one in data["measures"]:
        measure, card = get_measure(one["name"]), shipped_cards().get(one["name"])
        for wish in wishes:
            for lacks, many in ((one["lacks"], False), (one["lacksWithMany"], True)):
                has = (
                    card is not None
                    and wish.declared(measure)
                    and all(verdict(card, criterion, many) == "✓" for criterion in wish.criteria)
                )
                assert has == (wish.words not in lacks), (measure.name, wish.words)
    adjusted = [
        one for one in data["measures"] if "random labels score 0 on average" not in one["lacks"]
    ]
    assert {one["name"] for one in adjusted} == {one.name for one in RANKED if one.adjusted}


def verdict(card, criterion, many):
    """Measures that need whole counts are tried with many objects only."""
    large = card.get(f"{criterion} large n", card[criterion])
    return large if many or card[criterion] == "–" else card[criterion]


def test_what_the_page_says_of_cards():
    assert all(held < of for held, of in map(measure_cards.tally, shipped_cards().values()))
    failures = {
        name: sum(map(measure_cards.fails, card.values())) for name, card in shipped_cards().items()
    }
    assert "**BCubed F1** fails the fewest demands, two of 19" in WHICH
    assert measure_cards.tally(shipped_cards()["bcubed_f1"]) == (17, 19)
    assert [name for name, count in failures.items() if count <= 2] == ["bcubed_f1"]
    for name in ("q0", "bits_saved", "share_saved", "q2"):
        card = shipped_cards()[name]
        assert "✗" in card["symmetry"]
        assert "✗" in card["P1.2 large n"]
        assert card["rag bag"].startswith("=")
    assert "✗" in shipped_cards()["adjusted_rand"]["P2"]
    assert "✗" in shipped_cards()["adjusted_mutual_information"]["monotonicity"]
    linked = re.findall(r"reference/measures/index\.md#(\w+)", WHICH)
    assert len(linked) > 20
    for name in linked:
        assert get_measure(name).name == name


def test_ticking_wishes_leaves_the_measures_that_have_them(browser):
    script = ROOT.joinpath("docs/_static/measures.js").read_text(encoding="utf-8")
    page = browser.new_page()
    page.set_content(f"{measure_picker.show_picker()}<script>{script}</script>")
    wanted = ["more noise clusters are worse", "random labels score 0 on average"]
    for words in wanted:
        page.check(f'input[value="{words}"]')
    left = {
        one["name"]
        for one in measure_picker.picker_data()["measures"]
        if not set(wanted) & set(one["lacks"])
    }
    assert set(page.locator(".picker-answer > ul code").all_inner_texts()) == left
    status = f"{len(left)} measures have all of it, in {len(left)} rankings:"
    assert page.inner_text("[role=status]") == status
    assert f"{len(MEASURES) - len(left)} ruled out" in page.inner_text(".picker-answer summary")
    assert "expected_mutual_information not a score" in page.text_content(".picker-answer details")
    page.check('input[value="a metric: distances between clusterings"]')
    assert page.inner_text("[role=status]").startswith("No measure has all of it.")
    page.click("button[type=reset]")
    page.wait_for_function("document.querySelectorAll('.picker-answer > *').length === 0")
    assert page.inner_text("[role=status]").endswith(f"There are {len(MEASURES)} measures.")
    page.check('input[value="more clusters than classes are worse"]')
    names = page.locator(".picker-answer > ul code")
    assert "share_saved" in names.all_inner_texts()
    page.check(".picker-many input")
    assert "share_saved" not in names.all_inner_texts()
    page.click("button[type=reset]")
    page.wait_for_function("document.querySelectorAll('.picker-answer > *').length === 0")
    page.check('input[value="separating mixed classes is better"]')
    lines = page.locator(".picker-answer > ul > li").all_inner_texts()
    [line] = [line for line in lines if line.startswith("homogeneity ")]
    assert "Ranks as conditional_entropy, mutual_information, mutual_info_score, vi_merge." in line
    assert line.endswith("Ranks nearly as bcubed_precision, goodman_kruskal_tau.")
    page.close()
