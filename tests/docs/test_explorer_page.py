"""The explorer of the site leads back to it; the file on its own has nowhere to lead."""

import explorer_page

from clusterbits.paper.explorer import make_explorer


def test_the_way_back():
    link = '<a href="index.html">clusterbits</a>'
    alone, page = make_explorer(), explorer_page.make_page()
    assert link not in alone
    assert page.count(link) == 1
    assert page.replace(link, "clusterbits") == alone
