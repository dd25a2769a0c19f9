"""The explorer in one tab of the browser."""

import pytest

from clusterbits.paper.explorer import make_explorer


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(make_explorer(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def tab(browser):
    """Open one tab for all tests; `complaints` and `requests` are those of the current one."""
    page = browser.new_page()
    page.set_default_timeout(5000)
    page.complaints, page.requests = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.requests.append(request.url))
    return page


@pytest.fixture
def visit(tab, address):
    """Open the explorer; at the end, nothing was logged and nothing was asked for."""
    visits = []

    def call(state="", width=1280, scheme="light"):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)
        tab.goto("about:blank")  # another hash alone would not load the page anew
        tab.goto(address + state)
        visits.append(state)
        return tab

    tab.complaints.clear()
    tab.requests.clear()
    yield call
    assert tab.complaints == []
    assert [url for url in tab.requests if url.startswith("file:")] == tab.requests
    assert len(tab.requests) == len(visits)
