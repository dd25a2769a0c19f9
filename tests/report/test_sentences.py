"""The sentences of the first screen, for data of every kind."""

import numpy as np

import clusterbits as cb
from clusterbits.report.content import make_content
from clusterbits.report.words import figures
from clusterbits.text.tables import chance_bound

TRUTH = np.repeat([0, 1, 2], 40)
SPLIT = TRUTH + 3 * (np.arange(120) % 2)
MIXED = np.where(np.arange(120) % 5 == 0, 0, TRUTH)


def content_of(runs, measures=("q0",), truth=TRUTH, **options):
    return make_content(cb.evaluate(truth, runs, measures=list(measures), **options), "", {})


def differing():
    """Return clusterings of different objects: the better one has more bits."""
    easy, hard = np.repeat([0, 1], [110, 10]), np.repeat(range(4), 30)
    return {
        "easy": cb.Contingency.from_labels(easy, np.repeat([0, 1], 60)),
        "hard": cb.Contingency.from_labels(hard, hard),
    }


def test_clusterings_of_different_objects_are_not_ranked():
    scores = cb.evaluate(differing())
    content = make_content(scores, "", {})
    assert list(content.board) == ["easy", "hard"]
    assert content.verdict == scores.verdict
    assert content.verdict.startswith("Not compared: the clusterings were counted on differ")
    assert (content.saving, content.agreement) == ("", None)
    assert 'svg class="desk' not in scores.report().html


def test_limits_of_another_seed_are_not_mixed():
    scores = cb.evaluate(TRUTH, {"a": MIXED}, ["q0"], confidence_level=0.9, rng=7)
    interval = cb.interval(TRUTH, MIXED, measure="q0", confidence_level=0.9, rng=7)
    assert f"{figures(interval.low)} … {figures(interval.high)}" in scores.report().html


def test_how_likely_chance_is():
    """Only where it matters: below 20 bits of evidence."""
    truth, pred = [0] * 20 + [1] * 20, [0] * 17 + [1] * 23
    bits = cb.evidence(truth, pred)
    assert 7 < bits < 19
    scores = cb.evaluate(truth, pred, measures=["q0"])
    sentence = (
        f"Random clusters have as much evidence with probability at most {chance_bound(bits)}."
    )
    assert make_content(scores, "", {}).verdict == scores.conclusion
    assert scores.conclusion.endswith(sentence)
    # The better of two had two chances.
    two = make_content(cb.evaluate(truth, {"a": pred, "b": [0] * 40}, ["q0"]), "", {})
    assert two.saving.endswith(f"at most {chance_bound(bits - 1)}.")
    assert cb.evidence(TRUTH, MIXED) > 20
    assert content_of({"a": MIXED}).verdict.endswith("can be saved.")


def test_equal_numbers_of_clusters_have_no_chart():
    html = cb.evaluate(TRUTH, {"a": TRUTH, "b": MIXED}, measures=["q0"]).report().html
    assert 'svg class="desk' not in html
    html = cb.evaluate(TRUTH, {"a": TRUTH, "b": SPLIT}, measures=["q0"]).report().html
    assert 'svg class="desk' in html
