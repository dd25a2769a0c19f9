"""Coreference: entities of mentions, in documents, scored as the reference scorer of CoNLL does.

`files`, `columns` and `json_files` read what the field writes, `clusters` what is in memory; each
gives an `Annotation`. Two of them are aligned, and their tallies make `CorefScores`. The formulas
are in `clusterbits.measures.mention_counts`.
"""

from clusterbits.coreference.scores import CorefScores, DocumentScores
from clusterbits.coreference.scoring import coref

__all__ = ["CorefScores", "DocumentScores", "coref"]
