"""Links of the pages of a checkout: each leads to a file that is there, and to a place in it."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.sources import ROOT, list_sources

PAGES = [*sorted(ROOT.glob("*.md")), *(path for path in list_sources() if path.suffix == ".md")]


def test_a_measure_and_an_example_are_among_the_links():
    links = [link for page in PAGES for link in links_of(page)]
    assert any(link.endswith("measures/index.md#share_saved") for link in links)
    assert any(link.endswith("examples/models/choose_k.py") for link in links)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere_in_a_checkout(page):
    broken = []
    for link in links_of(page):
        name, _, place = unquote(link).partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (place and place not in places_of(target.resolve())):
            broken.append(link)
    assert broken == []


def links_of(page: Path) -> list[str]:
    """Return the relative links of a page, pictures included."""
    links = re.findall(r"\]\(<?([^)\s>]+)", prose(page))
    return [link for link in links if not re.match(r"[a-z]+:", link)]


@cache
def places_of(page: Path) -> set[str]:
    """Return the anchors of a page, as GitHub and the site name its headings."""
    text = prose(page)
    places, times = set(re.findall(r'<a id="([^"]+)">', text)), Counter[str]()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"\]\([^)]*\)", "", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        places.add(f"{slug}-{times[slug]}" if times[slug] else slug)
        times[slug] += 1
    return places


@cache
def prose(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
