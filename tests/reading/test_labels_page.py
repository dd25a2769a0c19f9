"""Every row of the tables in docs/howto/labels.md is run."""

import re
from pathlib import Path

import pytest

from clusterbits.errors import LabelError

PAGE = (Path(__file__).parents[2] / "docs/howto/labels.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+?) \| `(.+?)` \| (.+?) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def names():
    found = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1), found)
    return found


def test_the_tables_are_found():
    tables = PAGE.count("\n|---")
    assert tables == PAGE.count("\n## ") == 5
    assert len(ROWS) == PAGE.count("\n| ") - tables > 30


def test_a_broken_join_would_show(names):
    """By position, what the page joins on ids has another value; the page warns of it."""
    code, result = re.search(r"not noticed: `(.+?)` gives `(.+?)`", PAGE).groups()
    assert f"{eval(code, names)}" == result
    assert {code: result for _, code, result in ROWS}["cb.rand(classes, clusters)"] != f"`{result}`"


@pytest.mark.parametrize(("code", "result"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_a_row_comes_back_as_shown(code, result, names):
    if result.startswith("LabelError: "):
        with pytest.raises(LabelError) as error:
            eval(code, names)
        assert result.removeprefix("LabelError: ") in str(error.value)
    else:
        value, shown = eval(code, names), result.strip("`")
        # Machines may differ in the last digit.
        assert value == pytest.approx(float(shown)) if type(value) is float else f"{value}" == shown
