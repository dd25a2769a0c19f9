"""The sentences of the first screen, for data of every kind."""

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.report.content import make_content
from clusterbits.report.words import Label

TRUTH = np.repeat([0, 1, 2], 40)
SPLIT = TRUTH + 3 * (np.arange(120) % 2)
MIXED = np.where(np.arange(120) % 5 == 0, 0, TRUTH)


def text(sentence):
    return "".join(str(part.name) if isinstance(part, Label) else part for part in sentence)


def content_of(runs, measures=("q0",), truth=TRUTH, **options):
    return make_content(cb.evaluate(truth, runs, measures=list(measures), **options), "", {})


def head_of(*args, **options):
    return content_of(*args, **options).head


@pytest.mark.parametrize("runs", [{"a": TRUTH}, {"a": TRUTH, "b": SPLIT}])
def test_one_class_is_said_and_nothing_else(runs):
    found = head_of(runs, ["q0", "ari", "purity"], truth=np.zeros(120, int))
    assert text(found.verdict) == "There is one class: nothing can be saved."
    assert (found.bits, found.sure, found.agreement) == ((), (), ())


def test_what_singletons_would_save_in_small_classes():
    truth = np.arange(100) // 2
    runs = {"linked": np.where(truth < 30, truth, np.arange(100)), "alone": np.arange(100)}
    alone = f"{100 * cb.share_saved(truth, runs['alone']):.0f} %"
    assert text(head_of(runs, truth=truth).verdict).endswith(
        f" can save; clusters of one object would save {alone}."
    )
    said = text(head_of({"alone": runs["alone"]}, truth=truth).verdict)
    assert (
        said
        == f"alone saves {alone} of the bits that clusters can save, though with one object each."
    )


def test_all_that_tie_need_no_interval():
    found = head_of({"a": TRUTH, "b": TRUTH + 5})
    assert (found.sure, found.agreement, found.overlapping, found.alone) == ((), (), set(), None)


def differing():
    """Return clusterings of different objects: the better one has more bits."""
    easy, hard = np.repeat([0, 1], [110, 10]), np.repeat(range(4), 30)
    return {
        "easy": cb.Contingency.from_labels(easy, np.repeat([0, 1], 60)),
        "hard": cb.Contingency.from_labels(hard, hard),
    }


@pytest.mark.parametrize("measures", [["q0"], ["q0", "share_saved"], ["q0", "ari"]])
def test_clusterings_of_different_objects_are_led_by_shares(measures):
    scores = cb.evaluate(differing(), measures=measures)
    assert scores["q0"]["easy"] < cb.q0(scores.tables["hard"]) * 2
    content = make_content(scores, "", {})
    assert content.lead.name == "share_saved"
    assert list(content.board) == ["hard", "easy"]
    assert text(content.head.verdict).startswith("Take hard: it saves 100 %")
    assert scores.conclusion.startswith("hard: ")
    assert "counted on different objects" in content.head.notes[-1]
    assert "q0" not in [order.measure for order in content.opinions.orders]
    assert 'svg class="desk' not in scores.report().html


def test_bits_name_their_parts_and_their_interval():
    (said,) = head_of({"a": MIXED}).bits
    table = cb.Contingency.from_labels(TRUTH, MIXED)
    label = table.class_entropy_given_cluster
    assert f"bits per object: {label:.2f} to name its class, given the cluster, and" in said
    assert f"{cb.q0(table) - label:.2f} for the table of counts (95 % confidence: " in said
    found = cb.interval(table, "share_saved", rng=0)
    assert f"{100 * found.low:.0f} … {100 * found.high:.0f} % saved" in said


def test_limits_of_another_seed_are_not_mixed():
    (said,) = head_of({"a": MIXED}, confidence_level=0.9, rng=7).bits
    found = cb.interval(TRUTH, MIXED, "q0", confidence_level=0.9, rng=7)
    assert f"(90 % confidence: {found.low:.2f} … {found.high:.2f} bits)." in said


def test_equal_numbers_of_clusters_have_no_chart():
    html = cb.evaluate(TRUTH, {"a": TRUTH, "b": MIXED}, measures=["q0"]).report().html
    assert 'svg class="desk' not in html
    html = cb.evaluate(TRUTH, {"a": TRUTH, "b": SPLIT}, measures=["q0"]).report().html
    assert 'svg class="desk' in html


def test_reasons_apply_to_the_clustering_that_is_preferred():
    fewer = {"one": TRUTH * 0, "two": np.minimum(MIXED, 1), "three": MIXED, "all": TRUTH}
    names = [row["name"] for row in cb.list_measures() if row["better"]]
    found = content_of(fewer, names).opinions
    assert len({each.reason for each in found.disagreements}) == len(found.disagreements)
    reasons = [each.reason for each in found.disagreements]
    assert not any("P1.2" in reason for reason in reasons)  # none has more clusters than classes


@pytest.mark.parametrize(
    ("pred", "claims"),
    [
        (TRUTH, set()),
        (SPLIT, {"classes here are split"}),
        (TRUTH * 0, {"clusters here mix classes"}),
    ],
)
def test_cards_claim_what_some_table_shows(pred, claims):
    content = content_of({"run": pred}, ["purity", "inverse_purity", "homogeneity", "completeness"])
    said = " ".join(entry.matters for entry in content.glossary)
    every = {"classes here are split", "clusters here mix classes"}
    assert {claim for claim in every if claim in said} == claims


def test_a_split_into_many_classes_says_so():
    table = cb.Contingency.from_counts([[30, 0], [20, 0], [10, 9], [8, 0], [0, 40]])
    (section,) = make_content(cb.evaluate(table, measures=["q0"]), "", {}).sections
    words = [text(action.words) for action in section.advice.actions]
    assert "Split cluster 0, which holds 4 classes, mostly 0 and 1" in words
    assert "Split cluster 1, which holds class 4 and class 2" in words


def test_the_bar_covers_the_intervals_too():
    asked = []

    def progress(tasks):
        asked.append(len(tasks))
        return tasks

    cb.evaluate(TRUTH, {"a": TRUTH, "b": SPLIT}, measures=["q0"]).report(progress=progress)
    assert asked == [4]
