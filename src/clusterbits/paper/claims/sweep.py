"""The sweep of section 7: every measure on every valid model, with ranks, as in Figure 2."""

import numpy as np

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.claims.claim import MEASURES, RIVALS, Claim, score_model
from clusterbits.paper.family import Grid
from clusterbits.text.tables import Records


def rows() -> Records:
    """Return one row per model: parameters, values and ranks.

    Rank 1 is best, ties share their mean rank.
    """
    from scipy.stats import rankdata

    models = list(Grid().models())
    parameters = ("useful", "noise", "epsilon1", "epsilon2")
    columns = {name: [getattr(model, name) for model in models] for name in parameters}
    values = {name: [score_model(name, model) for model in models] for name in MEASURES}
    signs = {name: -1 if get_measure(name).better == "higher" else 1 for name in MEASURES}
    columns |= values
    for name in MEASURES:
        columns[f"rank_{name}"] = rankdata(signs[name] * np.array(values[name])).tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def correlations(records: Records) -> dict[str, tuple[float, float]]:
    """Return Kendall's τ and Spearman's ρ of each rival's ranks with Q2's."""
    from scipy.stats import kendalltau, spearmanr

    ranks = {name: [row[f"rank_{name}"] for row in records] for name in MEASURES}
    pairs = {rival: (ranks["q2"], ranks[rival]) for rival in RIVALS}
    return {
        rival: (float(kendalltau(*pair).statistic), float(spearmanr(*pair).statistic))
        for rival, pair in pairs.items()
    }


def claims(records: Records) -> list[Claim]:
    """Return the number of models, and how alike Q2, Q0 and the rivals order them."""
    grid = Grid()
    possible = len(grid.useful) * len(grid.noise) * len(grid.epsilon1) * len(grid.epsilon2)
    # Rounding of Q2 may separate models that are ties by Q0.
    gap = max(abs(row["rank_q0"] - row["rank_q2"]) for row in records)
    same = "the same" if gap < 1 else "different"
    return [
        Claim("§7", "combinations of the parameters", "1120", str(possible)),
        Claim("§7", "valid models", "760", str(len(records))),
        Claim("§7", "order of the models by Q0 and by Q2", "the same", same),
        *(
            Claim(
                "Figure 2",
                f"ranks by {rival} and Q2, not the same",
                "correlated",
                f"τ {tau:.3f}, ρ {rho:.3f}",
                holds=0.3 < tau < 0.999,
            )
            for rival, (tau, rho) in correlations(records).items()
        ),
    ]
