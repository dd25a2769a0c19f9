"""Tables × measures → Scores; every clustering against every other; ranks and what they dispute."""

from clusterbits.scoring.evaluation import evaluate
from clusterbits.scoring.pairwise import pairwise
from clusterbits.scoring.scores import Score, Scores
from clusterbits.scoring.square import Pairwise

__all__ = ["Pairwise", "Score", "Scores", "evaluate", "pairwise"]
