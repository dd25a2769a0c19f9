"""Tables × measures → Scores: evaluation, pairwise, scorers, ranks, isolated labels."""

from clusterbits.scoring.evaluation import evaluate
from clusterbits.scoring.isolated import IsolatedLabel, IsolatedLabels, isolated_labels_f1
from clusterbits.scoring.pairwise_scores import Pairwise, pairwise
from clusterbits.scoring.scorers import Scorer, scorer
from clusterbits.scoring.scores import Score, Scores

__all__ = [
    "IsolatedLabel",
    "IsolatedLabels",
    "Pairwise",
    "Score",
    "Scorer",
    "Scores",
    "evaluate",
    "isolated_labels_f1",
    "pairwise",
    "scorer",
]
