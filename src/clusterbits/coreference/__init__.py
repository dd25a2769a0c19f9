"""Coreference: entities of mentions, in documents, scored as the reference scorer of CoNLL does.

`score` takes key and response, from files or from memory. The measures are of tables, where both
sides have the same mentions. Inside, `documents` and `conll_columns` read files and `clusters` what
is in memory; each returns an `Annotation`. Two of them are aligned, and counted as `CorefScores`.
"""

from clusterbits.coreference.coref_scores import CorefScores, DocumentScores, score
from clusterbits.coreference.mention_measures import (
    blanc_f1,
    blanc_precision,
    blanc_recall,
    ceaf_e_f1,
    ceaf_e_precision,
    ceaf_e_recall,
    conll_f1,
    lea_f1,
    lea_precision,
    lea_recall,
    muc_f1,
    muc_precision,
    muc_recall,
)

__all__ = [
    "CorefScores",
    "DocumentScores",
    "blanc_f1",
    "blanc_precision",
    "blanc_recall",
    "ceaf_e_f1",
    "ceaf_e_precision",
    "ceaf_e_recall",
    "conll_f1",
    "lea_f1",
    "lea_precision",
    "lea_recall",
    "muc_f1",
    "muc_precision",
    "muc_recall",
    "score",
]


def __dir__() -> list[str]:
    return __all__
