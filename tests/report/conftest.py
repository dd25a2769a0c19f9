"""Reports, and the browser at one of them."""

import pytest

import clusterbits as cb
from clusterbits.cli.demo import load_digits


@pytest.fixture(scope="session")
def digit_scores():
    """Score some clusterings of the digits, named."""

    def call(*names, **options):
        columns = load_digits()
        truth = columns.pop("digit")
        return cb.evaluate(truth, {name: columns[name] for name in names}, **options)

    return call


@pytest.fixture(scope="session")
def digits(digit_scores):
    names = ("ward_10", "ward_12", "kmeans_5", "kmeans_10", "kmeans_12", "ward_30")
    return digit_scores(
        *names, measures=["q0", "q2", "ari", "ami", "fm", "purity"], confidence_level=0.95
    )


@pytest.fixture(scope="session")
def digits_report(digits):
    return digits.report()


@pytest.fixture
def visit(browser, tmp_path):
    """Open a report from a file; at the end, nothing was logged and nothing was asked for."""
    complaints, requests, contexts = [], [], []

    def call(report, **options):
        path = tmp_path / "report.html"
        report.write(path)
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield call
    for context in contexts:
        context.close()
    assert complaints == []
    assert all(url.startswith("file://") and url.endswith("report.html") for url in requests)
    assert len(requests) == len(contexts)
