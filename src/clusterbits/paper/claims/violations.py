"""Section 7.0.1 and Table 2: which measures break which desiderata, counted in sequences."""

from collections import Counter
from dataclasses import asdict, replace
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.criterion import Verdict
from clusterbits.paper.cards.dom import DOM_CRITERIA
from clusterbits.paper.cards.judge import as_judge
from clusterbits.paper.claims.claim import LEFT_OUT, MEASURES, RIVALS, Claim
from clusterbits.paper.family import Grid, Model
from clusterbits.text.shortened import listed
from clusterbits.text.tables import Records

CRITERIA = tuple(criterion.name for criterion in DOM_CRITERIA)
# Of the sequences over |K_n|, those in which a measure does not fall throughout (P2).
TABLE_2 = {
    "rand": 120,
    "fowlkes_mallows": 103,
    "hubert_gamma": 120,
    "jaccard": 80,
    "hamming_similarity": 120,
}


@lru_cache(maxsize=32)
def verdicts(measure: str, grid: Grid | None = None) -> dict[str, Verdict]:
    """Return Dom's five verdicts on a measure, by criterion."""
    judge = as_judge(measure, grid=grid)
    return {criterion.name: criterion(judge) for criterion in DOM_CRITERIA}


def rows() -> Records:
    """Return one row per measure and criterion."""
    return [
        {
            "measure": measure,
            "criterion": criterion,
            "sequences": verdict.sequences,
            "violated_sequences": verdict.violated_sequences,
            "differences": verdict.tested,
            "violated_differences": verdict.violated,
        }
        for measure in (*MEASURES, *LEFT_OUT)
        for criterion, verdict in verdicts(measure).items()
    ]


def claims(_: Records) -> list[Claim]:
    """Return the rivals' counts for P1, P2 and P3, and all of Q0 and Q2."""
    return [*_table_2(), *_own(), *_p1(), _hamming_and_noise(), *_p3(), _alone()]


def _violated(measure: str, *criteria: str) -> int:
    return sum(verdicts(measure)[criterion].violated_sequences for criterion in criteria)


def _table_2() -> list[Claim]:
    return [
        Claim(
            "Table 2",
            f"{rival}: P2 violated, of {verdicts(rival)['P2'].sequences}",
            str(printed),
            str(_violated(rival, "P2")),
        )
        for rival, printed in TABLE_2.items()
    ]


def _own() -> list[Claim]:
    return [
        Claim(
            "§7.0.1",
            f"{measure}: violations of all five, n = 500",
            "0",
            str(_violated(measure, *CRITERIA)),
        )
        for measure in ("q0", "q2")
    ]


def _alone() -> Claim:
    unbroken = [measure for measure in MEASURES if not _violated(measure, *CRITERIA)]
    return Claim("§8", "measures without violations, n = 500", "q0 and q2", listed(unbroken))


def _p1() -> list[Claim]:
    section = "§7.0.1, P1"
    printed = {"rand": "12", "hamming_similarity": "2"}
    rand = _first_failures("rand", "P1.2", "useful")
    peaks = {_peak(model) for model in rand}
    still = {model.useful for model in _first_failures("hamming_similarity", "P1.2", "useful")}
    steps = verdicts("hamming_similarity")["P1.2"].witnesses
    ties = sum(abs(step.value_after - step.value_before) < 1e-12 for step in steps)
    return [
        *(
            Claim(
                section,
                f"{measure}: sequences over |K_u| violated",
                printed.get(measure, "0"),
                str(_violated(measure, "P1.1", "P1.2")),
            )
            for measure in RIVALS
        ),
        Claim(section, "where Rand then has its peak, |K_u|", "6 or 7", _either(peaks)),
        _rand_errors(section, rand),
        Claim(section, "from where on Hamming is constant, |K_u|", "10", _either(still)),
        Claim(section, "Hamming's violations that are ties", "2", str(ties)),
    ]


def _rand_errors(section: str, failures: list[Model]) -> Claim:
    """Return at which ε1 and ε2 Rand fails P1: large are those in the upper half of the grid."""
    grid = Grid()
    found = {
        name: sorted({getattr(m, name) for m in failures}) for name in ("epsilon1", "epsilon2")
    }
    return Claim(
        section,
        "Rand's violations: ε1 and ε2",
        "large",
        "; ".join(listed([f"{e:.4g}" for e in values]) for values in found.values()),
        holds=found["epsilon1"][0] > grid.epsilon1[-1] / 2
        and found["epsilon2"][0] > grid.epsilon2[-1] / 2,
    )


def _first_failures(measure: str, criterion: str, parameter: str) -> list[Model]:
    """Return the model before the first wrong step of each violated sequence."""
    wrong = [w.models[0] for w in verdicts(measure)[criterion].witnesses if w.models]
    wrong.sort(key=attrgetter(parameter), reverse=True)
    # Of those in one sequence, which have the same other parameters, the last one stays.
    found = {tuple((asdict(model) | {parameter: None}).values()): model for model in wrong}
    return list(found.values())


def _peak(model: Model) -> int:
    """Return the |K_u| with the highest Rand index, other parameters as in this model."""
    run = (replace(model, useful=useful) for useful in Grid().useful)
    return max(run, key=lambda m: get_measure("rand").score_table(m.expected(Grid().n))).useful


def _either(numbers: set[int]) -> str:
    return " or ".join(map(str, sorted(numbers)))


def _p3() -> list[Claim]:
    section = "§7.0.1, P3"
    rand = verdicts("rand")["P3.2"]
    useful = [model.useful for model in _first_failures("rand", "P3.2", "epsilon2")]
    others = sum(_violated(measure, "P3.2") for measure in RIVALS if measure != "rand")
    errors = sum(_violated(measure, "P3.1") for measure in MEASURES)
    sequences = Counter(run[-1].useful for run in Grid().sequences("epsilon2") if run[-1].noise)
    printed, printed_three = 29, 4
    clearest = rand.witness
    shown = (
        f" The clearest case: {clearest.context}, Rand {clearest.value_before:.6f} → "
        f"{clearest.value_after:.6f}."
        if clearest
        else ""
    )
    witness = (
        f"{printed} is not a count of sequences: with {printed_three} for |K_u| = 3 it leaves "
        f"{printed - printed_three} for |K_u| = 2, where there are only {sequences[2]}. "
        f"{len(useful)} sequences are violated, {useful.count(2)} with |K_u| = 2 and "
        f"{useful.count(3)} with 3 ({rand.violated} single steps).{shown}"
    )
    return [
        Claim(section, "all measures: P3.1 violated", "0", str(errors)),
        Claim(section, "all but Rand: P3.2 violated", "0", str(others)),
        Claim(section, "Rand: sequences over ε2 violated", str(printed), str(len(useful)), witness),
        Claim(
            section,
            "of these with |K_u| = 2",
            "most",
            str(useful.count(2)),
            holds=2 * useful.count(2) > len(useful),
        ),
        Claim(section, "of these with |K_u| = 3", str(printed_three), str(useful.count(3))),
        Claim(section, "of these with |K_u| ≥ 4", "0", str(sum(k >= 4 for k in useful))),
    ]


def _hamming_and_noise() -> Claim:
    """Return in how many sequences over |K_n| Hamming changes at all, with the largest change."""
    runs = Grid().sequences("noise")
    value = {
        m: get_measure("hamming_similarity").score_table(m.expected(Grid().n))
        for run in runs
        for m in run
    }
    steps = [max(pairwise(run), key=lambda ab: abs(value[ab[1]] - value[ab[0]])) for run in runs]
    changed = [(a, b) for a, b in steps if abs(value[b] - value[a]) > 1e-12]
    witness = ""
    if changed:
        a, b = max(changed, key=lambda ab: abs(value[ab[1]] - value[ab[0]]))
        witness = f"The clearest case: from {a} to {b}, {value[a]:.6g} → {value[b]:.6g}."
    return Claim(
        "§7.0.1, P2",
        f"Hamming changes with |K_n|, sequences of {len(runs)}",
        "0",
        str(len(changed)),
        witness,
    )
