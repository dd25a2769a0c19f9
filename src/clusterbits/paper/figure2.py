"""Figure 2: ranks by a rival against ranks by Q2, for every rival and not only Fowlkes-Mallows."""

from clusterbits.display.tables import Records
from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.claim import RIVALS, Claim
from clusterbits.paper.sweep import ranks


def rows() -> Records:
    """Return one row per rival and model."""
    return [
        {"rival": rival, "rank_q2": q2, "rank_rival": rank}
        for rival in RIVALS
        for q2, rank in zip(ranks()["q2"], ranks()[rival], strict=True)
    ]


def correlations() -> dict[str, tuple[float, float]]:
    """Return Kendall's τ and Spearman's ρ of each rival's ranks with Q2's."""
    from scipy.stats import kendalltau, spearmanr

    q2 = ranks()["q2"]
    return {
        rival: (
            float(kendalltau(q2, ranks()[rival]).statistic),
            float(spearmanr(q2, ranks()[rival]).statistic),
        )
        for rival in RIVALS
    }


def claims(_: Records) -> list[Claim]:
    """Return how each rival's ranks correlate with Q2's."""
    return [
        Claim(
            "Figure 2",
            f"ranks by {get_measure(rival).name} and Q2, not the same",
            "correlated",
            f"τ {tau:.3f}, ρ {rho:.3f}",
            holds=0.3 < tau < 0.999,
        )
        for rival, (tau, rho) in correlations().items()
    ]
