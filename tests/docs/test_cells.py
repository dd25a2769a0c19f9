"""Cells of pages: what is shown, what is undone, and which mistakes end in an error."""

import os
import re
import subprocess
import sys
from pathlib import Path

import cells
import matplotlib.pyplot as plt
import pytest

import clusterbits as cb

EXTENSIONS = Path(cells.__file__).parent
CONF = f"""
import sys
sys.path.insert(0, {str(EXTENSIONS)!r})
extensions = ["myst_parser", "cells"]
exclude_patterns = ["_build"]
"""
DECLARE = """
import clusterbits as cb
import matplotlib.pyplot as plt

plt.rcParams["lines.linewidth"] = 99

@cb.measure(family="mine", bounds=(0, 1), better="higher", perfect=1)
def declared_on_a_page(table):
    "One."
    return 1.0
"""
DRAW = "import matplotlib.pyplot as plt\nfigure, ax = plt.subplots()"
ALT = ':alt: So "many" <bits>'
PAGES = {
    "index.md": [f"{ALT}\n{DRAW}", f":keep: a b.html\n{ALT}\nopen('a b.html', 'w').close()"],
    "wrong.md": [DRAW, f":hide:\n{DRAW}", ":keep: a.html\nraise SystemError", "1 / 0"],
}


def test_a_page_is_undone_at_its_end():
    width, measures = plt.rcParams["lines.linewidth"], cb.list_measures()
    with cells.Page() as page:
        page.run_python(DECLARE)
        assert page.run_python("declared_on_a_page([0, 1], [0, 1])") == ("", 1)
        assert (page.folder / "digits.csv").exists()
    assert plt.rcParams["lines.linewidth"] == width
    assert cb.list_measures() == measures
    with pytest.raises(cb.errors.MeasureError):
        cb.evaluate([0, 1], [0, 1], ["declared_on_a_page"])
    assert not page.folder.exists()


def test_sessions():
    before = dict(os.environ)
    with cells.Page() as page:
        heads = {
            page.run_commands(f"$ head {count} digits.csv", 0).partition("\n")[2]
            for count in ("-3", "-n 3", "-n3")
        }
        assert len(heads) == 1
        assert heads.pop().count("\n") == 2
        name = f"{'a' * 50}.csv"
        said = page.run_commands(f"$ clusterbits score {name}", 2).splitlines()[1:]
        assert said[0].startswith("clusterbits: ")
        assert max(map(len, said)) <= cells.WIDTH < len(" ".join(said))
        with pytest.raises(ValueError, match="ended with 2, not 0"):
            page.run_commands("$ clusterbits score absent.csv", 0)
        with pytest.raises(ValueError, match="not 'rm'"):
            page.run_commands("$ rm digits.csv", 0)
    assert dict(os.environ) == before


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a site of two pages; return what Sphinx says, and its folder."""
    folder = tmp_path_factory.mktemp("cells")
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    for name, parts in PAGES.items():
        cells = "\n\n".join(f"```{{run}}\n{part}\n```" for part in parts)
        (folder / name).write_text(f"# A page\n\n{cells}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", folder, folder / "html"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr, folder / "html"


def test_mistakes_are_errors_of_the_build(built):
    said, _ = built
    assert len(re.findall(r"wrong\.md.*ERROR", said)) == said.count("ERROR") == 3
    assert "A cell that draws needs :alt:" in said
    assert "A file that is kept needs :alt:" in said
    assert "ZeroDivisionError" in said


def test_pictures_and_files_reach_the_site(built):
    _, site = built
    page = (site / "index.html").read_text(encoding="utf-8")
    title = "So &quot;many&quot; &lt;bits&gt;"
    picture = re.search(r'<img [^>]*src="(_images/[^"]+)"', page)
    assert (site / picture[1]).is_file()
    assert f'alt="{title}"' in page
    assert f'<iframe class="kept" src="a%20b.html" title="{title}"' in page
    assert (site / "a b.html").is_file()
