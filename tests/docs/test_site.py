"""The site: built without warnings, every link leads somewhere, nothing comes from the network."""

import io
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from types import ModuleType
from urllib.parse import quote, unquote, urlsplit

import numpy as np
import pytest
import versions
from matplotlib.image import imread
from sphinx.util.inventory import InventoryFile
from support.sources import ROOT, list_sources

import clusterbits as cb
from clusterbits.cli import COMMANDS

pytestmark = pytest.mark.slow

# One page of each kind.
KINDS = [
    "index",
    "explorer",
    "search",
    "learn/index",
    "learn/first_decision",
    "howto/index",
    "howto/which_measure",
    "howto/labels",
    "howto/coming_from/torchmetrics",
    "howto/report",
    "reference/measures/adjusted_rand",
    "reference/api/clusterbits.Contingency",
    "reference/report_card",
    "reference/api",
    "reference/measures/index",
    "reference/command_line",
    "explanation/idea",
    "explanation/theory",
    "explanation/study",
    "gallery/index",
    "gallery/biology/cell_types",
]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build a copy of the site, with warnings as errors, and return the folder of its pages."""
    folder = tmp_path_factory.mktemp("site")
    for path in list_sources():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for name in ("examples", "study", "tools"):
        shutil.copytree(ROOT / name, folder / name)
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--doctree-dir", folder / "doctrees"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, folder / "docs", folder / "html"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


class Targets(HTMLParser):
    """The links of a page, what it loads, and the places in it that links may name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.places, self.images = [], [], {"", "top"}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.update(given[key] for key in ("id", "name") if given.get(key))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(given["href"])
        elif tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "img":
            self.images.append(given)


@cache
def targets(path):
    return Targets(path.read_text(encoding="utf-8"))


def pages(site):
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


@cache
def leads_somewhere(target, place):
    if not target.exists():
        return False
    # The explorer's address holds its settings.
    if target.suffix != ".html" or "=" in place:
        return True
    return place in targets(target.resolve()).places


def test_links_lead_somewhere(site):
    broken = set()
    for page in pages(site):
        for link in targets(page).links + targets(page).loaded:
            address = urlsplit(link)
            if address.scheme or link.startswith("#/"):
                continue
            target = page.parent / unquote(address.path) if address.path else page
            if not leads_somewhere(target, unquote(address.fragment)):
                broken.add((str(page.relative_to(site)), link))
    assert not broken


def test_links_of_a_checkout_lead_to_the_pages_made_from_it(site):
    for page, link in {
        "howto/which_measure": "../reference/measures/share_saved.html",
        "reference/measures/index": "share_saved.html",
        "howto/single_cells": "coming_from/scib.html",
        "howto/choose_k": "../gallery/models/choose_k.html",
        "index": "gallery/index.html",
        "howto/install": "../learn/first_decision.html",
    }.items():
        article = (site / f"{page}.html").read_text("utf-8").partition("<article")[2]
        assert link in {each.partition("#")[0] for each in Targets(article).links}, page


def test_nothing_comes_from_the_network(site):
    for page in pages(site):
        for source in targets(page).loaded:
            assert not urlsplit(source).netloc, (page.name, source)
    for sheet in site.rglob("*.css"):
        for source in re.findall(r"(?:url\(|@import )[\"']?(\w+:)?//", sheet.read_text("utf-8")):
            pytest.fail(f"{sheet.name} loads {source}")


def test_pictures_are_described(site):
    for page in pages(site):
        for image in targets(page).images:
            # Where a source gives no words, docutils writes the path of the picture.
            assert "alt" in image, (page.name, image)
            assert not re.search(r"\.(png|svg|gif|jpe?g)$", image["alt"]), (page.name, image)


def test_every_public_name_is_documented(site):
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    known = {name for kind in inventory.data.values() for name in kind}
    names = {name for name in cb.__all__ if not isinstance(getattr(cb, name), ModuleType)}
    for room in ("codec", "coreference", "covers", "images", "records", "trees"):
        names |= {f"{room}.{name}" for name in dir(getattr(cb, room))}
    missing = [name for name in sorted(names) if f"clusterbits.{name}" not in known]
    assert not missing


def test_pages_import_public_names_only():
    """What a reader copies; hidden cells may look inside."""
    imports = re.compile(r"^ *(?:from|import) (clusterbits\.[\w.]+)", re.MULTILINE)
    shown = {
        path.name: re.sub(r"```{run}[^\n]*\n:hide:.*?```", "", path.read_text("utf-8"), flags=re.S)
        for path in (ROOT / "docs").rglob("*.md")
    }
    found = {(name, module) for name, text in shown.items() for module in imports.findall(text)}
    assert found
    assert {one for one in found if one[1] != "clusterbits.cli.demo"} == set()


def test_every_command_is_described():
    page = (ROOT / "docs/reference/command_line.md").read_text(encoding="utf-8")
    commands = {name for group in COMMANDS.values() for name in group}
    assert commands <= set(re.findall(r"^## ([\w ]+)$", page, re.MULTILINE))


@pytest.fixture(scope="module")
def visit(browser, site):
    """Return a function that opens a page of the site; the network is not there."""

    def open_page(name, **settings):
        page = browser.new_page(offline=True, **settings)
        page.goto(f"{site.as_uri()}/{name}")
        return page

    return open_page


@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})]
)
def test_pages_are_accessible(visit, scheme, rules):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    faults = []
    for kind in KINDS[::7] if scheme == "light" else KINDS[10::11]:  # seconds a page
        page = visit(f"{kind}.html", color_scheme=scheme, reduced_motion="reduce")
        faults += [(kind, *fault) for fault in violations(axe, page, **rules)]
        page.close()
    assert not faults


def test_figures_are_dark_in_the_dark(visit):
    for kind, figure in {
        "index": "img.output",
        "gallery/index": ".sphx-glr-thumbcontainer img",
        "gallery/text/coreference": "img.sphx-glr-single-img",
        "explanation/study": "img",
    }.items():
        brightness = {}
        for scheme in ("light", "dark"):
            page = visit(f"{kind}.html", color_scheme=scheme)
            picture = page.locator(f".bd-article {figure}").first.screenshot()
            brightness[scheme] = np.median(imread(io.BytesIO(picture))[..., :3])
            page.close()
        assert brightness["dark"] < 0.2 < 0.9 < brightness["light"], kind


def test_pages_fit_a_phone(visit):
    for kind in KINDS[1::6]:
        page = visit(f"{kind}.html", viewport={"width": 390, "height": 800})
        width = page.evaluate("document.documentElement.scrollWidth")
        page.close()
        assert width <= 390, (kind, width)


def violations(axe, page, **options):
    found = axe.run(page, options=options).response["violations"]
    return [(one["id"], node["html"][:200]) for one in found for node in one["nodes"]]


def test_nothing_is_cut_off_on_a_laptop(visit):
    wide = ".bd-article :is(pre, .pst-scrollable-table-container, .cards)"
    for kind in ("howto/coming_from/scikit_learn", "reference/report_card"):
        page = visit(f"{kind}.html", viewport={"width": 1280, "height": 800})
        cut = page.evaluate(
            f"[...document.querySelectorAll('{wide}')]"
            ".filter((part) => part.scrollWidth > part.clientWidth + 1)"
            ".map((part) => part.textContent)"
        )
        page.close()
        assert cut == []


def test_the_search_finds_the_right_page_first(visit):
    wanted = {
        "make_scorer": "howto/coming_from/scikit_learn",
        "silhouette": "howto/which_measure",
        "NMI": "reference/measures/normalized_mutual_information",
        "adjusted rand index": "reference/measures/adjusted_rand",
    }
    for words, name in wanted.items():
        page = visit(f"search.html?q={quote(words)}")
        first = page.locator("#search-results li a").first.get_attribute("href")
        page.close()
        assert first.partition(".html")[0] == name


def test_old_pages_lead_to_the_new_ones(browser, site, tmp_path):
    """From disk, without the network."""
    for name in ("index.html", "_static"):
        copy = shutil.copytree if name == "_static" else shutil.copy2
        copy(site / name, tmp_path / name)
    shutil.copytree(tmp_path, tmp_path / "0.1.0", ignore=lambda *_: ["0.1.0"])
    options = tmp_path / "0.1.0/_static/documentation_options.js"
    options.write_text(options.read_text("utf-8").replace(cb.__version__, "0.1.0"), "utf-8")
    assert f'showVersions(["{cb.__version__}"' in (site / "versions.js").read_text("utf-8")
    script = f"showVersions({json.dumps([cb.__version__, '0.1.0'])})"
    (tmp_path / "versions.js").write_text(script, "utf-8")
    page = browser.new_page(offline=True)
    page.goto((tmp_path / "0.1.0/index.html").as_uri())
    for there, address in ((cb.__version__, "index.html"), ("0.1.0", "0.1.0/index.html")):
        page.locator(".version-switcher__button:visible").click()
        page.get_by_role("option", name=there).locator("visible=true").click()
        page.wait_for_url((tmp_path / address).as_uri())
        assert page.locator(".version-switcher__button:visible").inner_text() == there
    page.close()


def test_versions_are_ordered_by_number(monkeypatch, tmp_path):
    for name in ("0.9.0", "0.10.0", "0.11.0"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(versions, "OLD", tmp_path)
    assert versions.list_versions("0.11.0") == ["0.11.0", "0.10.0", "0.9.0"]
