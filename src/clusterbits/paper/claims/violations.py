"""Section 7.0.1 and Table 2: which measures break which desiderata, counted in sequences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache, partial
from itertools import pairwise
from operator import attrgetter

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.criterion import Verdict
from clusterbits.paper.cards.dom import DOM_CRITERIA
from clusterbits.paper.cards.judge import Judge
from clusterbits.paper.claims.claim import LEFT_OUT, MEASURES, RIVALS, Claim, score_model
from clusterbits.paper.family import Grid, Model
from clusterbits.text.shortened import listed
from clusterbits.text.tables import Records

CRITERIA = tuple(criterion.name for criterion in DOM_CRITERIA)
# Numbers of sequences over |K_n| in which a measure does not fall throughout (P2).
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
    judge = Judge(get_measure(measure), grid or Grid())
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
    title = f"P2 violated, of {len(Grid().sequences('noise'))}"
    unbroken = [m for m in MEASURES if not any(v.violated for v in verdicts(m).values())]
    return [
        *(_count("Table 2", f"{m}: {title}", TABLE_2[m], [m], "P2") for m in TABLE_2),
        *(
            _count("§7.0.1", f"{name}: violations of all five, n = 500", 0, [name], *CRITERIA)
            for name in ("q0", "q2")
        ),
        *_p1(),
        _hamming_and_noise(),
        *_p3(),
        Claim("§8", "measures without violations, n = 500", "q0 and q2", listed(unbroken)),
    ]


def _count(
    artefact: str, claim: str, printed: int, measures: Sequence[str], *criteria: str
) -> Claim:
    """Return the claim on the number of sequences in which measures violate criteria."""
    violated = [verdicts(m)[name].violated_sequences for m in measures for name in criteria]
    return Claim(artefact, claim, str(printed), str(sum(violated)))


def _p1() -> list[Claim]:
    section, title = "§7.0.1, P1", "sequences over |K_u| violated"
    printed = dict.fromkeys(RIVALS, 0) | {"rand": 12, "hamming_similarity": 2}
    rand = _first_failures("rand", "P1.2", "useful")
    peaks = {_peak(model) for model in rand}
    constant = {model.useful for model in _first_failures("hamming_similarity", "P1.2", "useful")}
    ties = verdicts("hamming_similarity")["P1.2"].tied
    return [
        *(_count(section, f"{m}: {title}", printed[m], [m], "P1.1", "P1.2") for m in RIVALS),
        Claim(section, "where Rand then has its peak, |K_u|", "6 or 7", _either(peaks)),
        _rand_errors(section, rand),
        Claim(section, "from where on Hamming is constant, |K_u|", "10", _either(constant)),
        Claim(section, "Hamming's violations that are ties", "2", str(ties)),
    ]


def _rand_errors(section: str, failures: list[Model]) -> Claim:
    """Return the ε1 and ε2 at which Rand fails P1; large ones are in the upper half of the grid."""
    grid = Grid()
    epsilons1 = sorted({model.epsilon1 for model in failures})
    epsilons2 = sorted({model.epsilon2 for model in failures})
    large = epsilons1[0] > grid.epsilon1[-1] / 2 and epsilons2[0] > grid.epsilon2[-1] / 2
    computed = "; ".join(listed([f"{e:.4g}" for e in values]) for values in (epsilons1, epsilons2))
    return Claim(section, "Rand's violations: ε1 and ε2", "large", computed, holds=large)


def _first_failures(measure: str, criterion: str, parameter: str) -> list[Model]:
    """Return the model before the first wrong step of each violated sequence."""
    models = [w.models[0] for w in verdicts(measure)[criterion].witnesses if w.models]
    models.sort(key=attrgetter(parameter), reverse=True)
    # Models of one sequence, which have the same other parameters, share a key: the last one stays.
    by_sequence = {tuple((asdict(model) | {parameter: None}).values()): model for model in models}
    return list(by_sequence.values())


def _peak(model: Model) -> int:
    """Return the |K_u| with the highest Rand index, other parameters as in this model."""
    models = (replace(model, useful=useful) for useful in Grid().useful)
    return max(models, key=partial(score_model, "rand")).useful


def _either(numbers: set[int]) -> str:
    return " or ".join(map(str, sorted(numbers)))


def _p3() -> list[Claim]:
    section = "§7.0.1, P3"
    rand = verdicts("rand")["P3.2"]
    useful = [model.useful for model in _first_failures("rand", "P3.2", "epsilon2")]
    others = [measure for measure in RIVALS if measure != "rand"]
    last = [models[-1] for models in Grid().sequences("epsilon2")]
    sequences = Counter(model.useful for model in last if model.noise)
    printed, printed_three = 29, 4
    clearest = rand.witnesses[0]
    majority = 2 * useful.count(2) > len(useful)
    witness = (
        f"{printed} is not a count of sequences: with {printed_three} for |K_u| = 3 it leaves "
        f"{printed - printed_three} for |K_u| = 2, where there are only {sequences[2]}. "
        f"{len(useful)} sequences are violated, {useful.count(2)} with |K_u| = 2 and "
        f"{useful.count(3)} with 3 ({rand.violated} single steps). The clearest case: "
        f"{clearest.context}, Rand {clearest.value_before:.6f} → {clearest.value_after:.6f}."
    )
    return [
        _count(section, "all measures: P3.1 violated", 0, MEASURES, "P3.1"),
        _count(section, "all but Rand: P3.2 violated", 0, others, "P3.2"),
        Claim(section, "Rand: sequences over ε2 violated", str(printed), str(len(useful)), witness),
        Claim(section, "of these with |K_u| = 2", "most", str(useful.count(2)), holds=majority),
        Claim(section, "of these with |K_u| = 3", str(printed_three), str(useful.count(3))),
        Claim(section, "of these with |K_u| ≥ 4", "0", str(sum(k >= 4 for k in useful))),
    ]


def _hamming_and_noise() -> Claim:
    """Return the number of sequences over |K_n| in which Hamming changes, with the largest."""
    hamming = partial(score_model, "hamming_similarity")

    def change(step: tuple[Model, Model]) -> float:
        before, after = map(hamming, step)
        return abs(after - before)

    largest = [max(pairwise(models), key=change) for models in Grid().sequences("noise")]
    changed = sum(change(step) > 1e-12 for step in largest)
    before, after = max(largest, key=change)
    values = f"{hamming(before):.6g} → {hamming(after):.6g}"
    title = f"Hamming changes with |K_n|, sequences of {len(largest)}"
    witness = f"The clearest case: from {before} to {after}, {values}."
    return Claim("§7.0.1, P2", title, "0", str(changed), witness)
