"""The page on coreference: its table has our numbers, and those that other scorers answered."""

import json
import re
from pathlib import Path

import pytest

import clusterbits as cb

ROOT = Path(__file__).parents[2]
PAGE = ROOT.joinpath("docs/howto/coreference.md").read_text(encoding="utf-8")
ANSWERS = json.loads(ROOT.joinpath("tests/data/coreference_page.json").read_text(encoding="utf-8"))
NAMES = {"CoNLL": "conll", "B³": "bcubed"}


@pytest.fixture
def scores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```\{run\}\n:hide:\n(.*?)```", PAGE, re.DOTALL)[1], {})
    return cb.coreference.score("key.conll", "response.conll")


def test_the_table_has_what_the_scorers_answer(scores):
    head, _, *lines = re.search(r"(\| \| clusterbits .*?)\n\n", PAGE, re.DOTALL)[1].splitlines()
    tools = [name.strip() for name in head.strip("|").split("|")][2:]
    assert len(lines) == len(scores.qualities)
    for line in lines:
        title, own, *others = (cell.strip() for cell in line.strip("|").split("|"))
        name = NAMES.get(title, title.lower().replace("-", "_"))
        assert own == f"{100 * scores[name]:.2f}"
        for tool, shown in zip(tools, others, strict=True):
            answers = {measure: values[2] for measure, values in ANSWERS[tool].items()}
            answers["conll"] = sum(answers[of] for of in ("muc", "bcubed", "ceaf_e")) / 3
            assert shown == (f"{100 * answers[name]:.2f}" if name in answers else "–"), (tool, name)


def test_we_answer_as_the_reference_scorer_and_coval(scores):
    for tool in ("reference scorer", "coval"):
        for name, values in ANSWERS[tool].items():
            own = [scores[f"{name}_{field}"] for field in ("recall", "precision", "f1")]
            # coval divides mentions by the number of entities.
            assert (own == pytest.approx(values, rel=1e-12)) == (
                (tool, name) != ("coval", "ceaf_m")
            )
