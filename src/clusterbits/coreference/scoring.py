"""The door to coreference: key and response, from files or from memory, scored."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal

from clusterbits.coreference.annotation import Annotation, align
from clusterbits.coreference.clusters import read_clusters
from clusterbits.coreference.scores import CorefScores, count_entities
from clusterbits.errors import LabelError, check_choice


def score(
    key: Any,
    response: Any,
    *,
    singletons: Literal["keep", "drop"] = "keep",
    repeated: Literal["error", "first"] = "error",
) -> CorefScores:
    """Return MUC, B³, CEAF, BLANC, LEA and the CoNLL score of a coreference response.

    Numerators and denominators are summed over documents before they are divided, and mentions that
    only one side has lower the scores, both as in the reference scorer of CoNLL (version 8). LEA,
    which that lacks, is as its authors compute it.

    Parameters
    ----------
    key, response : path, or clusters of mentions
        The true entities, and those of a system: a file in the columns of CoNLL-2012, a JSON file,
        either in gzip or not, or a folder of such files. JSON has clusters of ``[start, end]``
        spans, a mapping of documents to clusters, or a record (a line) for each document with
        ``doc_key`` and ``clusters``; of a response, ``predicted_clusters`` where any has them. Or
        the same in memory: a list of clusters, each a list or set of mentions, or a mapping of
        documents to such lists. A mention is a span, or anything that can be a dictionary's key.
    singletons : "keep" or "drop"
        Whether entities of one mention count, in key and response. Keep them where they are
        annotated; drop them where only one side has them.
    repeated : "error" or "first"
        What to do with a mention that a side has twice: refuse it, or keep it in the first entity:
        of a file in columns, the one that the document mentions first. The reference scorer does so
        where the key has the mention once; else it counts the mention in both entities.

    Returns
    -------
    CorefScores
        Precision, recall and F1 by measure, and ``.by_document``.

    References
    ----------
    .. [1] S. Pradhan, X. Luo, M. Recasens, E. Hovy, V. Ng, M. Strube (2014). Scoring coreference
           partitions of predicted mentions: a reference implementation. ACL.
           https://doi.org/10.3115/v1/P14-2006

    Examples
    --------
    >>> import clusterbits as cb
    >>> key = [["a"], ["b", "c"], ["d", "e", "f"]]
    >>> response = [["a"], ["b", "c", "x"], ["d", "y"], ["z"]]
    >>> scores = cb.coreference.score(key, response)
    >>> scores
    CoNLL F1 0.4767, the mean of MUC 0.3333, B³ 0.4683, CEAF-e 0.6286.
    1 document: 6 mentions of 3 entities in the key, 7 mentions of 4 entities in the response, 4 ...
    measure   precision  recall      f1
    conll        0.4294  0.5407  0.4767
    muc          0.3333  0.3333  0.3333
    bcubed       0.4048  0.5556  0.4683
    ceaf_e       0.5500  0.7333  0.6286
    ceaf_m       0.5714  0.6667  0.6154
    blanc        0.2721  0.3523  0.3036
    lea          0.2857  0.5000  0.3636
    mentions     0.5714  0.6667  0.6154
    >>> scores["b3_recall"]
    0.5555555555555556
    """
    check_choice("singletons", singletons, ("keep", "drop"))
    check_choice("repeated", repeated, ("error", "first"))
    true = _read(key, "the key", is_key=True)
    found = _read(response, "the response", key if _is_path(key) else None)
    entities = align(true, found, singletons, repeated)
    return CorefScores(tuple(true.documents), count_entities(entities), *entities.shape)


def _is_path(given: Any) -> bool:
    return isinstance(given, str | PathLike)


def _read(given: Any, name: str, key: Any = None, *, is_key: bool = False) -> Annotation:
    if _is_path(given):
        from clusterbits.coreference.files import read_annotation

        found = read_annotation(given, key, is_key=is_key)
    else:
        found = read_clusters(given, name)
    if not found.documents:
        raise LabelError(f"{found.name} has no documents.")
    return found
