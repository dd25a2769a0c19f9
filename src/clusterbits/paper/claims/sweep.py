"""The sweep of section 7: every measure on every valid model, with ranks, as in Figure 2."""

from functools import lru_cache

import numpy as np

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.claims.claim import MEASURES, RIVALS, Claim, score_model
from clusterbits.paper.family import Grid
from clusterbits.text.tables import Records


@lru_cache(maxsize=1)
def values() -> dict[str, list[float]]:
    """Return each measure's value on every model, in the order of the grid."""
    return {name: [score_model(name, model) for model in Grid().models()] for name in MEASURES}


@lru_cache(maxsize=1)
def ranks() -> dict[str, list[float]]:
    """Return each measure's ranks of the models: 1 is best, ties share their mean rank."""
    from scipy.stats import rankdata

    signs = {name: -1 if get_measure(name).better == "higher" else 1 for name in MEASURES}
    return {name: rankdata(signs[name] * np.array(values()[name])).tolist() for name in MEASURES}


def correlations() -> dict[str, tuple[float, float]]:
    """Return Kendall's τ and Spearman's ρ of each rival's ranks with Q2's."""
    from scipy.stats import kendalltau, spearmanr

    q2 = ranks()["q2"]
    pairs = {rival: (q2, ranks()[rival]) for rival in RIVALS}
    return {
        rival: (float(kendalltau(*pair).statistic), float(spearmanr(*pair).statistic))
        for rival, pair in pairs.items()
    }


def rows() -> Records:
    """Return one row per model: parameters, values and ranks."""
    return [
        {
            **{name: getattr(model, name) for name in ("useful", "noise", "epsilon1", "epsilon2")},
            **{name: values()[name][i] for name in MEASURES},
            **{f"rank_{name}": ranks()[name][i] for name in MEASURES},
        }
        for i, model in enumerate(Grid().models())
    ]


def claims(_: Records) -> list[Claim]:
    """Return the number of models, and how alike Q2, Q0 and the rivals order them."""
    grid = Grid()
    possible = len(grid.useful) * len(grid.noise) * len(grid.epsilon1) * len(grid.epsilon2)
    # Rounding of Q2 may separate models that are ties by Q0.
    gap = max(abs(a - b) for a, b in zip(ranks()["q0"], ranks()["q2"], strict=True))
    same = "the same" if gap < 1 else "different"
    return [
        Claim("§7", "combinations of the parameters", "1120", str(possible)),
        Claim("§7", "valid models", "760", str(len(list(grid.models())))),
        Claim("§7", "order of the models by Q0 and by Q2", "the same", same),
        *(
            Claim(
                "Figure 2",
                f"ranks by {rival} and Q2, not the same",
                "correlated",
                f"τ {tau:.3f}, ρ {rho:.3f}",
                holds=0.3 < tau < 0.999,
            )
            for rival, (tau, rho) in correlations().items()
        ),
    ]
