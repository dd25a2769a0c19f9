"""The command coref: entities of a system scored against true ones, in documents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

import clusterbits as cb
from clusterbits.cli.gates import describe_failures, failing, parse_requirements
from clusterbits.cli.inputs import list_names
from clusterbits.cli.printed_rows import TIDY, print_rows
from clusterbits.cli.shared_options import FormatOption
from clusterbits.coreference.coref_scores import MEASURES, SHOWN, find_measure
from clusterbits.errors import MeasureError
from clusterbits.reading.files.streams import refuse_one_stream_twice

# What a table of documents has room for.
_BY_DOCUMENT = ("conll", "muc", "bcubed", "ceaf_e", "lea", "mentions")


def coref(
    key: str,
    response: str,
    /,
    *,
    measure: Annotated[list[str] | None, Parameter(name=["--measure", "-m"])] = None,
    groups: Literal["document"] | None = None,
    singletons: Literal["keep", "drop"] = "keep",
    repeated: Literal["error", "first"] = "error",
    require: list[str] | None = None,
    format: FormatOption = "table",
) -> None:
    """Score coreference by MUC, B³, CEAF, BLANC, LEA and CoNLL.

    The CoNLL score is the mean F1 of MUC, B³ and CEAF-e.

    Example: clusterbits coref key.conll response.conll

    Example: clusterbits coref dev.jsonlines predicted.jsonlines --groups document

    Example: clusterbits coref gold/ system/ --singletons drop --require 'conll>=0.8'

    Parameters
    ----------
    key
        The true entities: a file in the columns of CoNLL-2012, JSON or JSON lines, plain or in
        gzip; a folder of such files; - for standard input.
    response
        Those of a system, of the same documents.
    measure
        What to show: conll, muc, bcubed, ceaf_e, ceaf_m, blanc, lea or mentions, repeated or
        separated by commas; by default all. Documents are ranked by the first. What is required
        is shown, too.
    groups
        Score each document by itself; a table shows the worst.
    singletons
        Whether entities of one mention count, in key and response.
    repeated
        What to do with a mention that a side has twice: refuse it, or keep it in the first entity.
    require
        Exit with 1 unless a score is in bounds, such as 'conll>=0.8' or 'lea_recall>0.5'; F1 where
        none is named. May be repeated.
    """
    refuse_one_stream_twice([key, response])
    default = MEASURES if groups is None or format in TIDY else _BY_DOCUMENT
    measures = list_names(measure) or default
    requirements = parse_requirements(require, lambda name: "_".join(find_measure(name)))
    if any(requirement.end for requirement in requirements):
        raise MeasureError("--require: coref computes no intervals. Require a value: 'conll>=0.8'.")
    measures = [*measures, *(requirement.measure for requirement in requirements)]
    scores = cb.coreference.score(key, response, measures, singletons=singletons, repeated=repeated)
    failures = describe_failures(
        {requirement: scores[requirement.measure] for requirement in requirements}
    )
    result = scores if groups is None else scores.by_document
    with failing(failures):
        rows = _rows(scores, groups, format)
        print_rows("coref", rows, format, result.title, groups=groups, **scores.size)


def _rows(
    scores: cb.coreference.CorefScores, groups: str | None, format: str
) -> list[dict[str, Any]]:
    """Return a row for each measure, or for each document: tidy for programs."""
    if groups is None:
        return scores.to_dicts()
    if format in TIDY:
        return scores.by_document.to_dicts()
    return scores.by_document.list_documents()[:SHOWN]
