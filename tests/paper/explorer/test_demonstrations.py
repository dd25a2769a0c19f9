"""What the explorer claims is so: the buttons, their reasons, and every verdict on a step."""

from dataclasses import replace

import numpy as np
import pytest

from clusterbits.errors import ClusterbitsError
from clusterbits.measures.catalogue import get_measure
from clusterbits.paper import Model
from clusterbits.paper.cards.dom import DOM_CRITERIA
from clusterbits.paper.cards.judge import Judge
from clusterbits.paper.explorer.explorer_page import DEMONSTRATIONS, SIZES, shown_measures

NAMES = ("classes", "useful", "noise", "epsilon1", "epsilon2")
DEMANDS = {shown_step.name: shown_step for shown_step in DOM_CRITERIA}
JUDGES = [Judge(measure) for measure in shown_measures() if measure.weights == "any"]


def ends(demonstration):
    parameter = DEMANDS[demonstration.criterion].parameter
    models = demonstration.model, replace(demonstration.model, **{parameter: demonstration.to})
    return [model.expected(demonstration.n) for model in models]


def judge_tables(wanted, before, after):
    """Return what each measure makes of a step from one table to another."""
    gains = {j.measure.name: j.gain(j.value(before), j.value(after)) for j in JUDGES}
    return {
        name: "tie" if gain == 0 else "right" if (gain > 0) == (wanted == "better") else "wrong"
        for name, gain in gains.items()
    }


def label(name):
    return name.replace("_", " ")


@pytest.mark.parametrize("demonstration", DEMONSTRATIONS, ids=lambda shown_step: shown_step.title)
def test_titles_are_true(demonstration):
    verdicts = judge_tables(DEMANDS[demonstration.criterion].demand, *ends(demonstration))
    if demonstration.title.startswith("See all agree"):
        assert {*verdicts.values()} == {"right"}
    else:
        watched = demonstration.title.lower().removeprefix("watch ").partition(" ")[0]
        assert verdicts[watched] == "wrong"


def test_every_desideratum_has_a_button():
    assert {shown_step.criterion for shown_step in DEMONSTRATIONS} == {*DEMANDS}


def test_reasons_are_true():
    noise, split, lost, missing, errors, large = map(ends, DEMONSTRATIONS)
    for before, after in (noise, split, lost):  # pairs of different classes come apart
        assert after.pairs.a11 > before.pairs.a11
        assert after.pairs.a00 < before.pairs.a00
    assert get_measure("q0").score_table(lost[0]) < get_measure("q0").score_table(lost[1])
    assert (missing[0].shape[1], errors[0].is_perfect) == (2, True)
    assert large[1].class_entropy_given_cluster < large[0].class_entropy_given_cluster
    smaller = DEMONSTRATIONS[-1]._replace(n=500)
    assert judge_tables("worse", *ends(smaller))["q0"] == "right"


def test_buttons_show_who_gets_it_wrong(visit):
    page = visit()
    for shown_step in DEMONSTRATIONS:
        button = page.get_by_role("button", name=shown_step.title)
        button.click()
        verdicts = judge_tables(DEMANDS[shown_step.criterion].demand, *ends(shown_step))
        for verdict in ("wrong", "tie", "right"):
            names = [label(name) for name, entry in verdicts.items() if entry == verdict]
            rows = page.locator(f"#measures tr.{verdict} th").all_inner_texts()
            assert [row.removesuffix(" lower is better") for row in rows] == names, shown_step.title
        meaning = DEMANDS[shown_step.criterion].meaning
        text = page.locator("#verdict").inner_text()
        assert f"{shown_step.criterion}: the score should be {meaning}." in text
        assert shown_step.why in text
        sentence = page.locator("#verdict-text").inner_text().lower()
        wrong = [label(name) for name, entry in verdicts.items() if entry == "wrong"]
        assert all(name in sentence for name in wrong)
        assert ("opposite" in sentence) == bool(wrong)
        assert button.get_attribute("aria-pressed") == "true"
        assert page.locator("#demonstrations [aria-pressed=true]").count() == 1
        value = get_measure("rand").score_table(ends(shown_step)[1])
        cell = page.locator("#measures tr", has_text="rand").nth(1).locator("td").nth(2)
        assert float(cell.get_attribute("title")) == pytest.approx(value, abs=1e-12)


def random_steps(count):
    """Yield pairs of settings that differ in one parameter, rising."""
    rng = np.random.default_rng(0)
    draw = {
        "classes": lambda: int(rng.integers(1, 11)),
        "useful": lambda: int(rng.integers(1, 13)),
        "noise": lambda: int(rng.integers(0, 9)),
        "epsilon1": lambda: round(rng.integers(0, 41) / 100, 2),
        "epsilon2": lambda: round(rng.integers(0, 51) / 100, 2),
    }
    while count:
        values = {name: entry() for name, entry in draw.items()}
        if values["noise"] == 0:
            values["epsilon2"] = 0
        parameter = rng.choice(NAMES[1:])
        changed = values | {parameter: draw[parameter]()}
        low, high = sorted([values, changed], key=lambda entry: entry[parameter])
        try:
            models = Model(**low), Model(**high)
        except ClusterbitsError:
            continue
        if low[parameter] < high[parameter]:
            count -= 1
            yield str(parameter), *models


def test_verdicts_on_any_step(visit):
    steps = [(*step, SIZES[i % len(SIZES)]) for i, step in enumerate(random_steps(150))]
    sent = [[{k: getattr(m, k) for k in NAMES} | {"n": n} for m in pair] for _, *pair, n in steps]
    judged = visit().evaluate(
        """all => all.map(([low, high]) => [[low, high], [high, low]].map(([a, b]) => {
            const step = { before: look(a, null), after: look(b, null) };
            const desideratum = findDesideratum(a, b);
            return [desideratum && desideratum.name, judgeStep(step, desideratum)];
        }))""",
        sent,
    )
    seen = set()
    for (parameter, low, high, n), (up, down) in zip(steps, judged, strict=True):
        demands = [d for d in DOM_CRITERIA if d.parameter == parameter and d.concerns(low, high)]
        assert up[0] == down[0] == (demands[0].name if demands else None)
        if not demands:
            assert low.useful < low.classes < high.useful  # on both sides of P1
            continue
        assert (
            up[1] == down[1] == judge_tables(demands[0].demand, low.expected(n), high.expected(n))
        )
        seen.add(demands[0].name)
    assert seen == {*DEMANDS}
