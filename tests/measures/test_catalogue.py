"""Every measure keeps what it declares of itself."""

import inspect
import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile import examples
from support.samples import DEGENERATE, labels_of, perfect_table, tables

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, MeasureError
from clusterbits.measures.catalogue import catalogue, get_measure

MEASURES = list(catalogue())
# For these, some clusterings score better than the classes themselves.
MAY_BEAT_PERFECT = {
    "q0_asymptotic",
    "reduced_mutual_information",
    "normalized_reduced_mutual_information",
    "standardized_mutual_information",
    "standardized_rand",
    "p_value_adjusted_rand",
}
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-12)


# One drawn table serves all measures: drawing costs more than measuring.


@pytest.mark.slow
@examples(40)
@given(table=tables())
def test_bounds(table):
    for measure in MEASURES:
        low, high = measure.bounds
        assert low - 1e-12 <= measure(table) <= high + 1e-12, measure


@pytest.mark.slow
@examples(40)
@given(table=tables())
def test_perfect_value_and_direction(table):
    best = perfect_table(table)
    for measure in MEASURES:
        value = measure(best)
        if measure.perfect is not None:
            assert value == measure.perfect, measure  # exactly
        if measure.better and measure.name not in MAY_BEAT_PERFECT:
            sign = measure.scale.sign()
            assert sign * measure(table) <= sign * value + 1e-12, measure


@pytest.mark.slow
@examples(40)
@given(table=tables())
def test_symmetry(table):
    other = table.transpose()
    for measure in MEASURES:
        if measure.symmetric:
            assert close(measure(table), measure(other)), measure


def test_asymmetric_measures_are_not_symmetric():
    # One cluster equals its class, so that measures of such clusters are not 0 both ways.
    counts = [[5, 1, 0, 3, 0], [0, 4, 7, 2, 0], [2, 2, 1, 0, 0], [0, 0, 0, 0, 6]]
    table = cb.Contingency.from_counts(counts)
    for measure in MEASURES:
        assert measure.symmetric == close(measure(table), measure(table.transpose())), measure


@examples(40)
@given(table=tables(max_count=6), data=st.data())
def test_relabelling_and_row_order(table, data):
    truth, pred = labels_of(table)
    order = data.draw(st.permutations(range(len(truth))))
    new_class = dict(zip(table.classes, data.draw(st.permutations("abcde")), strict=False))
    new_cluster = dict(zip(table.clusters, data.draw(st.permutations(range(6))), strict=False))
    other = cb.Contingency.from_labels(
        [new_class[truth[i]] for i in order], [new_cluster[pred[i]] for i in order]
    )
    for measure in MEASURES:
        assert close(measure(table), measure(other)), measure


@pytest.mark.slow
@examples(40)
@given(a=tables(max_count=9), b=tables(max_count=9))
def test_merged_parts_score_as_the_whole(a, b):
    whole = cb.Contingency.from_labels(
        labels_of(a)[0] + labels_of(b)[0], labels_of(a)[1] + labels_of(b)[1]
    )
    assert a + b == b + a == whole
    for measure in MEASURES:
        assert measure(a + b) == measure(whole), measure


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_tables_have_finite_values(name):
    table = cb.Contingency.from_counts(DEGENERATE[name])
    not_applicable = {measure.name for measure in MEASURES if not measure.applies_to(table)}
    # 10^18 objects are too many steps for one measure; every other applies to every table.
    assert not_applicable == ({"standardized_mutual_information"} if table.n > 10**18 else set())
    for measure in MEASURES:
        if measure.name not in not_applicable:
            check_degenerate(measure, table)


def check_degenerate(measure, table):
    value = measure(table)
    assert isinstance(value, float)
    assert math.isfinite(value)
    assert measure.bounds[0] - 1e-12 <= value <= measure.bounds[1] + 1e-12
    if table.is_perfect and measure.perfect is not None:
        assert value == measure.perfect


@every_measure
def test_real_counts(measure):
    expected = cb.Contingency.expected([[0.3, 0.1, 0.05], [0.05, 0.2, 0.3]], n=37.5)
    if measure.weights != "any":
        with pytest.raises(MeasureError, match="whole counts"):
            measure(expected)
    else:
        assert math.isfinite(measure(expected))
        perfect = cb.Contingency.expected([[0.3, 0, 0], [0, 0.6, 0], [0, 0, 0.1]], n=37.5)
        if measure.perfect is not None:
            assert measure(perfect) == measure.perfect


@every_measure
def test_scale_free_measures_do_not_depend_on_the_scale_of_weights(measure):
    """Other measures do, in some table; those that take no fractions, if counts are multiplied."""
    rng, changes = np.random.default_rng(0), []
    for _ in range(5):
        counts = rng.integers(0, 20, (4, 5)) + np.eye(4, 5, dtype=np.int64)
        if measure.weights == "any":
            counts = counts * rng.uniform(0.5, 1, counts.shape)
        value = measure(cb.Contingency.from_counts(counts))
        for factor in (0.5, 3, 7.5) if measure.weights == "any" else (3,):
            scaled = measure(cb.Contingency.from_counts(counts * factor))
            changes.append(abs(scaled - value) / max(1, abs(value)))
    assert (max(changes) <= 1e-12) == measure.scale_free


@every_measure
def test_weights_of_less_than_one_unit_per_class(measure):
    truth, pred, weights = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], np.array([6, 2, 1, 1, 4, 6]) / 20
    table, large = (cb.Contingency(truth, pred, weights=weights * n) for n in (1, 101.5))
    if measure.scale_free:
        assert measure(table) == pytest.approx(measure(large), rel=1e-12, abs=1e-12)
    elif measure.weights == "any":
        with pytest.raises(MeasureError, match=r"add up to 1 for 2 classes: .* sum\(weights\)"):
            measure(table)


@pytest.mark.parametrize("shape", [(1, 7), (7, 1)])
def test_real_counts_of_one_group(shape):
    """The sums of all cells round differently in each order; what is 0 stays exactly 0."""
    rng = np.random.default_rng(0)
    measures = [measure for measure in MEASURES if measure.weights == "any"]
    for _ in range(20):
        p = rng.dirichlet(np.ones(7))
        orders = [p, p[::-1], np.roll(p, 3)]
        first, *others = [cb.Contingency.expected(q.reshape(shape), n=1000) for q in orders]
        for measure in measures:
            assert all(close(measure(first), measure(other)) for other in others), measure


@pytest.mark.parametrize("measure", [m for m in MEASURES if m.adjusted], ids=lambda m: m.name)
def test_adjusted_measures_average_zero_over_all_permutations(measure):
    # Exact for measures linear in their own expectation; the denominators here depend on the
    # margins only, so the average over all arrangements is zero.
    from itertools import permutations

    truth = [0, 0, 0, 1, 1, 2]
    values = [measure(truth, list(p)) for p in set(permutations([0, 0, 1, 1, 1, 2]))]
    exact = {"adjusted_rand", "adjusted_wallace", "baulieu_2", "hubert_gamma", "peirce"}
    exact.add("standardized_rand")
    if measure.name in exact or measure.name.endswith("information"):
        assert abs(np.mean(values)) < 1e-12
    assert abs(np.mean(values)) < 0.02


@every_measure
def test_documented(measure):
    text = inspect.getdoc(measure)
    for section in ("Parameters\n---", "Returns\n---", "References\n---", "Examples\n---"):
        assert section in text, f"{measure.name} lacks {section.splitlines()[0]}"
    assert ".. math::" in text
    assert measure.reference
    for parameter in measure.parameters:
        assert f"{parameter} :" in text, f"{measure.name} does not document {parameter}"


@every_measure
def test_found_by_name_alias_and_pickle(measure):
    for name in (measure.name, *measure.aliases, measure.name.upper().replace("_", "-")):
        assert get_measure(name) is measure
    assert pickle.loads(pickle.dumps(measure)) is measure
    assert measure.__name__ == measure.name


@pytest.mark.parametrize("name", ["Adjusted Rand", " adjusted-rand", "ADJUSTED_RAND"])
def test_names_are_found_as_people_write_them(name):
    assert get_measure(name) is cb.adjusted_rand


def test_unknown_names_get_the_nearest():
    with pytest.raises(MeasureError, match="Did you mean 'adjusted_rand'"):
        get_measure("adjustd_rand")
    for call in (lambda: cb.q2([1, 2], [1, 2], wrst=3), lambda: cb.q2.using(wrst=3)):
        with pytest.raises(TypeError, match=r"no parameter 'wrst'.*Did you mean 'worst'"):
            call()
    with pytest.raises(cb.errors.ClusterbitsError, match="Did you mean 'exact'"):
        cb.q2.using(worst="exct")


def test_a_measure_with_parameters_goes_wherever_one_goes():
    table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    exact = cb.q2.using(worst="exact")
    value = cb.q2(table, worst="exact")
    assert exact(table) == value
    assert exact(table, worst="bound") == cb.q2(table)
    assert exact.using(n_classes=3)(table) == cb.q2(table, worst="exact", n_classes=3)
    assert cb.evaluate(table, measures=["q2", exact])[exact.name] == value
    assert cb.evaluate(table, measures="q2(worst='exact', n_classes=2), q2").rows[0].value == value
    assert cb.interval(table, measure=exact).value == value
    assert get_measure(exact.name)(table) == pickle.loads(pickle.dumps(exact))(table) == value


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("sokal_sneath_1", "sokal_sneath_doubled or sokal_sneath_mean"),
        ("sokal_sneath_2", "sokal_sneath_doubled or gower_legendre"),
        ("goodman_kruskal", "goodman_kruskal_tau, goodman_kruskal_lambda or yule_q"),
    ],
)
def test_names_of_several_measures_name_them_all(name, measures):
    said = f"It may mean {measures}: choose one."
    with pytest.raises(MeasureError, match=said):
        get_measure(name.replace("_", "-"))
    with pytest.raises(AttributeError, match=said):
        getattr(cb, name)
    for measure in re.split(", | or ", measures):
        assert get_measure(measure).name == measure


@pytest.mark.parametrize(("declared", "said"), [("better", "'higher'"), ("weights", "'any'")])
def test_a_misspelt_declaration_is_an_error(declared, said):
    """A direction other than "higher" would rank as "lower"."""
    keywords = {
        "family": "test",
        "bounds": (0, 1),
        "better": None,
        declared: said.strip("'").title(),
    }
    with pytest.raises(ClusterbitsError, match=f"{declared}: .* Did you mean {said}"):
        cb.measure(**keywords)(lambda table: 0.5)


def test_calls():
    table = cb.Contingency.from_labels([0, 0, 1], [0, 1, 1])
    assert cb.q0(table) == cb.q0([0, 0, 1], [0, 1, 1])
    assert cb.q0([0, 0, None], [0, 1, 1], missing="drop") == cb.q0([0, 0], [0, 1])
    with pytest.raises(MeasureError, match="already contains pred"):
        cb.q0(table, [1, 2, 3])
    with pytest.raises(MeasureError, match="truth and pred"):
        cb.q0([0, 0, 1])
    with pytest.raises(MeasureError, match=r"missing cannot .*a table has no labels"):
        cb.q0(table, missing="drop")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: cb.q0(t, n_classes=1), "n_classes"),
        (lambda t: cb.q2(t, worst="exakt"), "Did you mean 'exact'"),
        (lambda t: cb.v_measure(t, beta=-1), "beta"),
        (lambda t: cb.adjusted_mutual_information(t, average_method="mean"), "average"),
        (lambda t: cb.directional_hamming_distance(t, of="cluster"), "clusters"),
        (lambda t: cb.q0(t, n_classes=10**400), "n_classes must be .* to 1e15"),
        (lambda t: cb.q2(t, worst=np.array([1, 2])), r"worst: array\(\[1, 2\]\)"),
        (lambda t: cb.v_measure(t, beta="x"), "beta=.x."),
        (lambda t: cb.evaluate(t, measures="q0(n_classes=2, n_classes=3)"), "by name, each once"),
    ],
)
def test_wrong_parameters(call, message):
    with pytest.raises(ClusterbitsError, match=message):
        call(cb.Contingency.from_counts([[3, 1], [1, 3]]))


def plain(table):
    return 1.0


@pytest.mark.parametrize(
    ("measure", "message"),
    [(["q0", "ari"], "evaluate takes several"), (plain, "plain is a plain function; @clusterbits")],
)
def test_what_is_no_measure_says_what_to_do(measure, message):
    for verb in (cb.interval, cb.permutation_test, cb.compare):
        with pytest.raises(TypeError, match=message):
            verb([0, 1], [0, 1], measure=measure)
    with pytest.raises(TypeError, match="plain is a plain function"):
        cb.evaluate([0, 1], [0, 1], measures=plain)


def test_parameters_of_numpy_are_found_by_name():
    measure = cb.v_measure.using(beta=np.float64(2))
    same = cb.get_measure(measure.name)
    assert same.bound_parameters == {"beta": 2.0} == measure.bound_parameters


def test_the_catalogue_prints_as_a_table():
    found = cb.list_measures()
    assert repr(found).splitlines()[1].split()[:3] == ["q0", "code_length", "lower"]
    assert found._repr_html_().count("<tr>") == len(found) + 1


def test_user_measures_join_the_catalogue():
    from clusterbits.measures import catalogue as module

    @cb.measure(family="test", bounds=(1, math.inf), better=None)
    def number_of_clusters(table):
        """How many clusters."""
        return table.shape[1]

    try:
        assert number_of_clusters([1, 1, 2], [1, 2, 3]) == 3
        assert (
            cb.evaluate([1, 1], [1, 2], measures=["number_of_clusters"])["number_of_clusters"] == 2
        )

        def other(table):
            """Something else of the same name."""
            return 0

        other.__name__ = "number_of_clusters"
        for function in (other, cb.rand.function):  # the package's own are not replaced
            with pytest.raises(MeasureError, match="two measures"):
                cb.measure(family="t", bounds=(0, 1), better=None)(function)
        assert get_measure("number_of_clusters") is number_of_clusters
    finally:
        del module._CATALOGUE["number_of_clusters"]


def test_a_measure_that_is_defined_again_takes_its_place():
    """As in a notebook, where a cell is changed and run again and again."""
    from clusterbits.measures import catalogue as module

    cell = """
@cb.measure(family="test", bounds=(0, 9), better="lower", aliases={aliases})
def mine(table):
    return {value}
"""
    before = dict(module._CATALOGUE)
    session = {"__name__": "__main__", "cb": cb}

    def run(value, aliases=()):
        exec(cell.format(value=value, aliases=aliases), session)
        return session["mine"]

    try:
        with pytest.raises(MeasureError, match="two measures are called 'ari'"):
            run(0, aliases=("own", "ari"))
        for name in ("mine", "own"):  # nothing of it was entered
            with pytest.raises(MeasureError, match="no measure"):
                get_measure(name)
        run(1, aliases=("own",))
        assert get_measure("own")([1, 2], [1, 2]) == 1
        with pytest.raises(MeasureError, match="two measures are called 'ari'"):
            run(3, aliases=("ari",))
        assert get_measure("own")([1, 2], [1, 2]) == 1
        assert run(2, aliases=("mein",)) is get_measure("mein") is get_measure("mine")
        assert cb.evaluate([1, 2], [1, 2], ["mine"])["mine"] == 2
        assert [row["name"] for row in cb.list_measures()].count("mine") == 1
        with pytest.raises(MeasureError, match="no measure 'own'"):
            get_measure("own")
        run(2)
        session["__name__"] = "elsewhere"
        with pytest.raises(MeasureError, match="two measures are called 'mine'"):
            run(3)
    finally:
        module._CATALOGUE.clear()
        module._CATALOGUE.update(before)


def test_families_leave_standardized_out_where_it_is_too_large():
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_labels(rng.integers(0, 300, 10**6), rng.integers(0, 300, 10**6))
    assert not cb.standardized_mutual_information.applies_to(table)
    assert "standardized_mutual_information" not in cb.evaluate(table, measures="all").measures


def test_very_large_tables_have_every_measure():
    table = cb.Contingency.from_counts([[2**62 - 20, 5], [3, 2**62 - 20]])
    for row in cb.evaluate(table, measures="all").rows:
        low, high = get_measure(row.measure).bounds
        assert low <= row.value <= high, row
    near = cb.Contingency.from_counts([[2**61, 5], [3, 2**61]])
    assert cb.ami(near) <= 1
    assert cb.normalized_reduced_mutual_information(near) <= 1


@pytest.mark.parametrize("value", [math.nan, math.inf, 1.1, -0.1])
def test_a_value_outside_its_bounds_is_an_error(value):
    wrong = replace(cb.rand, function=lambda table: value)
    with pytest.raises(MeasureError, match=f"rand is {value} for this table"):
        wrong([0, 0, 1], [0, 1, 1])


def test_chance_of_more_objects_than_floats_tell_apart_is_a_number():
    one = cb.Contingency.from_counts([[74848202246844], [5650438250626], [85053928050519424]])
    assert cb.expected_mutual_information(one) == pytest.approx(0, abs=1e-18)
    table = cb.Contingency.from_counts([[3 * 2**60, 5], [2**55, 2**53 + 1]])
    assert 0 <= cb.expected_mutual_information(table) < 1e-15
    assert 0 < cb.adjusted_mutual_information(table) < 1
