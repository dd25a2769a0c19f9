"""What README.md and docs/ say in numbers, computed again; their code."""

import math
import re
import shlex
from functools import cache
from importlib.metadata import metadata

import mpmath
import numpy as np
import pytest
from peers import external_functions, read_peers
from pictures import scatter_noise, score_noise
from PIL import Image
from scipy.special import gammaln
from scipy.stats import gamma, poisson
from support.engines import ENGINES
from support.sources import ROOT, list_sources

import clusterbits as cb
from clusterbits.cli.demo import load_digits
from clusterbits.paper import Model

README, PAPER = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "paper/paper.md")
)
PAGES = {path: path.read_text(encoding="utf-8") for path in list_sources() if path.suffix == ".md"}
NEW, BENCHMARKS, INTERVALS, STUDY = (
    PAGES[ROOT / f"docs/{name}.md"]
    for name in (
        "explanation/new",
        "explanation/benchmarks",
        "explanation/intervals",
        "explanation/study",
    )
)


def said(text, page=NEW):
    """Return whether a page has this text, however its lines are broken."""
    return text in " ".join(page.split())


def blocks(page, language):
    """Return the blocks of code in one language."""
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_picture_of_the_readme_is_that_of_today():
    """If not, `make data` draws it."""
    with Image.open(ROOT / "docs/noise.png") as picture:
        assert picture.text["Title"] == score_noise(1, 6)


def test_the_code_of_the_readme_and_what_it_says_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    questions, noise, digits = blocks(README, "python")
    names = {"truth": [0, 0, 1], "runs": {"a": [0, 0, 1], "b": [0, 1, 1]}}
    exec(questions, names | {"yesterday": [0, 0, 1], "today": [0, 1, 1]})
    names = {"cb": cb}
    exec(noise, names)
    truth, a, b = names["truth"], names["a"], names["b"]
    assert said(f"prefers B, {cb.ari(truth, b):.2f} to {cb.ari(truth, a):.2f}, for", README)
    assert cb.rand(truth, b) > cb.rand(truth, a)
    assert cb.purity(truth, b) == cb.purity(truth, a)
    shares = f"{cb.share_saved(truth, a):.2f} to {cb.share_saved(truth, b):.2f}"
    assert said(f"`share_saved` prefers A, {shares}.", README)
    one, six = (scatter_noise(clusters, size=10_000) for clusters in (1, 6))
    assert len(one[0]) == 50_000
    assert said(
        f"({cb.share_saved(*one):.3f} to {cb.share_saved(*six):.3f}; "
        f"AMI falls from {cb.ami(*one):.2f} to {cb.ami(*six):.2f})",
        README,
    )
    exec(digits, names)
    assert (tmp_path / "report.html").exists()
    assert str(names["scores"]).startswith("k20 has the fewest bits")


def test_the_commands_of_the_readme_run(run):
    import polars as pl

    digits = load_digits()
    columns = {"label": digits["digit"], "k10": digits["ward_10"], "k20": digits["ward_20"]}
    pl.DataFrame(columns).write_parquet("runs.parquet")
    for night in ("monday", "tuesday"):
        frame = pl.DataFrame({"id": range(len(digits["digit"])), "cluster": digits["ward_10"]})
        frame.write_parquet(f"{night}.parquet")
    for line in "".join(blocks(README, "console")).splitlines():
        name, *arguments = shlex.split(line.removeprefix("$ "))
        assert name == "clusterbits"
        assert run(*arguments)[0] == 0


def test_links_of_the_readme_work_on_the_package_index():
    links = re.findall(r"\]\((.*?)\)", metadata("clusterbits")["Description"])
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []


def test_how_many_rankings_measures_functions_and_packages():
    """Rankings are counted by the study, functions and packages in docs/peers."""
    measures = cb.list_measures()
    studied, formulas, rankings = re.search(
        r"The (\d+) measures are (\d+) by formula and (\d+) groups that rank nearly", STUDY
    ).groups()
    index = PAGES[ROOT / "docs/reference/measures/index.md"]
    for page in (README, NEW, PAPER, index):
        assert said(f"{rankings} rankings that differ, under {len(measures)} names", page)
    assert said(f"{studied} of them were compared on data: {formulas} formulas", index)
    have, lack = external_functions()
    for page in (NEW, PAPER):
        assert said(f"{len(read_peers())} packages have {len(have) + len(lack)} functions", page)
        assert said(f"{len(have)} of them have a counterpart here", page)


def test_how_many_measures_take_weights_and_how_many_frames_are_read():
    takes = [row["weights"] for row in cb.list_measures()]
    assert said(f"[for {takes.count('any')} of the {len(takes)}](../reference/measures/index.md#w")
    assert said("three more take those that balance the classes")
    assert takes.count("balanced") == 3
    assert len(ENGINES) == 10
    assert said("ten kinds of frames")


def test_where_the_table_costs_what_the_labels_save():
    pairs = np.repeat(np.arange(500), 2)
    alone, perfect = cb.q0(pairs, range(1000)), cb.q0(pairs, pairs)
    assert said(
        f"(500 pairs: {alone:.2f} bits per object without clusters, {perfect:.2f} with the perfect",
        README,
    )


def test_the_worst_of_five_classes_of_100():
    worst = cb.worst_clustering([100] * 5)
    assert said(f"for five classes of 100 it costs {worst.bits:.3f} bits per object")
    assert said(f"where the bound says {2 * math.log2(5):.3f}")


def test_digits_that_log_gamma_loses():
    n, classes = 1e15, 1e5
    table = cb.Contingency.from_counts([[10**15]])
    with mpmath.workdps(50):
        exact = float(mpmath.log(mpmath.binomial(n + classes - 1, classes - 1), 2))
    naive = (gammaln(n + classes) - gammaln(n + 1) - gammaln(classes)) / math.log(2)
    assert said("q0 holds 12 digits for 10¹⁵ objects and 10⁵ classes, where log-gamma differences")
    assert table.table_bits(10**5) * n == pytest.approx(exact, rel=1e-12)
    assert 1e-6 < abs(naive / exact - 1) < 1e-4


def test_bytes_of_the_demo(tmp_path):
    digits = load_digits()
    truth, pred = digits["digit"], digits["ward_12"]
    text = "".join(f"{label}\n" for label in truth)
    lengths = cb.codec.code_lengths(truth, pred)
    assert said(
        f"The {len(truth):,} classes of the demo are {len(text):,} bytes as text and "
        f"{lengths['one cluster'].file // 8} as a code of one cluster"
    )
    code = cb.codec.encode(truth, pred)
    assert said(f"q0 says {math.ceil(len(truth) * cb.q0(truth, pred) / 8)} bytes")
    for page in (NEW, PAPER):
        assert said(f"has {len(code)}, {lengths['entropy'].header // 8} of them header", page)


def test_clusters_too_many_in_the_demo():
    digits = load_digits()
    why = cb.explain(digits["digit"], digits["ward_20"])
    assert said(f"ward_20 of the demo has {20 - why.best_step.clusters} clusters too many")


def test_what_the_tutorial_says_of_the_demo():
    page = (ROOT / "docs/tutorial/first_decision.py").read_text(encoding="utf-8").replace("# ", "")
    digits = load_digits()
    truth = digits.pop("digit")
    noise = np.random.default_rng(0).integers(0, 50, len(truth))
    assert said("Rand prefers random clusters to ``ward_5``", page)
    assert cb.rand(truth, noise) > cb.rand(truth, digits["ward_5"])
    assert said("they fall until 12 clusters are left", page)
    assert cb.explain(truth, digits["ward_20"]).best_step.clusters == 12
    assert said("``ward_20`` is not significantly worse than ``ward_12``; the others are", page)
    ward = {name: digits[name] for name in digits if name.startswith("ward")}
    ranking = cb.compare(truth, ward, measure="share_saved")
    best = [row["clustering"] for row in ranking.to_dicts() if row["in_set"]]
    assert best == ["ward_12", "ward_20"]


def test_what_the_tutorial_in_the_shell_says_of_the_demo():
    page = PAGES[ROOT / "docs/tutorial/in_the_shell.md"]
    digits = load_digits()
    truth = digits["digit"]
    assert said(f"the class of a digit costs {math.log2(10):.2f} bits", page)
    assert said(f"costs only {cb.q0(truth, digits['ward_12']):.2f}.", page)
    saved = cb.share_saved(truth, digits["ward_12"])
    assert said(f"That saves {saved:.0%}".replace("%", " %") + " of what any clustering", page)
    assert said("there are eight too many", page)
    assert cb.explain(truth, digits["ward_20"]).best_step.clusters == 20 - 8


def test_what_the_idea_says_of_large_clusters():
    page = PAGES[ROOT / "docs/explanation/idea.md"]
    small, large = (math.log2(math.comb(size + 2, 2)) for size in (4, 4000))
    assert said(f"log₂ 15 = {small:.1f} bits", page)
    assert said(f"(4,000 objects: {large:.1f} bits)", page)
    assert said("a thousand times as large costs six times as much", page)
    assert large / small == pytest.approx(6, abs=0.5)


def test_what_splitting_into_mixed_clusters_may_gain():
    page = PAGES[ROOT / "docs/howto/which_measure.md"]

    def gain(n, epsilon):
        first, *more = (
            cb.share_saved(Model(5, k, 0, epsilon, 0.0).expected(n)) for k in range(5, 11)
        )
        return max(more) - first

    assert said("by 0.001 to 0.01", page)
    many = [gain(n, epsilon) for n in (189_000, 1e8) for epsilon in (0.05, 0.1, 0.2, 0.3, 0.4)]
    assert 0.001 < min(many) < max(many) < 0.01
    assert said("With more than about 2,000 objects", page)
    assert gain(2_000, 0.2) < 0 < gain(2_500, 0.2)
    assert said("by 0.004 for 189,000 objects", page)
    few, most = (cb.share_saved(Model(5, k, 0, 0.2, 0.0).expected(189_000)) for k in (5, 6))
    assert most - few == pytest.approx(0.004, abs=0.0005)


def test_commands_that_are_only_shown_have_these_options(run):
    """The site runs most commands; pipes and workflows are only shown."""
    text = "\n".join(
        block
        for page in (README, *PAGES.values())
        for language in ("console", "yaml")
        for block in blocks(page, language)
    )
    # Lines that go on are indented; a workflow may have the next command in one of them.
    shown = re.sub(r"\\?\n {4,}", " ", text).split("clusterbits ")[1:]
    assert len(shown) > 10
    helps = cache(lambda name: run(*name.split(), "--help")[1] + "--json --csv")
    for command in shown:
        name, arguments = re.match("((?:(?:paper|code) )?[a-z]+)(.*)", command).groups()
        known = helps(name)
        for option in re.findall(r"(?<= )--?[a-z][a-z-]*", arguments):
            assert re.search(rf"{option}\b", known), (name, option)


def test_benchmarks_that_pages_name_exist():
    named = {
        name
        for page in (README, *PAGES.values())
        for name in re.findall(r"(?:benchmarks|examples|tools)/[\w/]+\.\w+", page)
    }
    assert len(named) > 8
    assert all((ROOT / name).exists() for name in named)


def test_numbers_of_the_page_on_intervals():
    assert said("above 7 in 1 % of them", INTERVALS)
    assert poisson.sf(7, 3) == pytest.approx(0.01, abs=0.005)
    assert said("4 % of the samples still have three or fewer", INTERVALS)
    assert poisson.cdf(3, 8) == pytest.approx(0.04, abs=0.005)
    shares = 1 / np.arange(1, 31) ** 2
    shares /= shares.sum()
    assert said("a sample of 500 lacks about nine of the 30", INTERVALS)
    assert ((1 - shares) ** 500).sum() == pytest.approx(9, abs=0.5)
    assert said("1 − 0.025^(1/n), about 3.7/n", INTERVALS)
    assert -math.log(0.025) == pytest.approx(3.7, abs=0.05)
    seen = 0, 1, 2, 3, 5
    tables = [cb.Contingency.from_counts([[100_000, wrong], [0, 100_000]]) for wrong in seen]
    found = [table.n * (1 - cb.interval(table, measure="accuracy").low) for table in tables]
    limits = "3.7 if none is seen, 4.7 if one is, and 6.1, 8.2 and 11.2 for two, three and five"
    assert said(limits, INTERVALS)
    assert [round(limit, 1) for limit in found] == [3.7, 4.7, 6.1, 8.2, 11.2]
    assert said("Jeffreys' limits are 2.5, 4.7, 6.4, 8.0 and 11.0", INTERVALS)
    jeffreys = [gamma.ppf(0.975, wrong + 0.5) for wrong in seen]
    assert jeffreys == pytest.approx([2.5, 4.7, 6.4, 8.0, 11.0], abs=0.05)


def test_a_permutation_test_on_the_page_on_intervals():
    table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    assert said(f"# p = {cb.permutation_test(table, measure='q2', rng=1).p_value:.4f}:", INTERVALS)


def test_modules_that_contributing_names_exist():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for room in ("system", "table", "labels", "reading"):
        part = re.search(rf"^      {room}/ .*?(?=^      \w)", page, re.MULTILINE | re.DOTALL)
        named = set(re.findall(r"\b(\w+\.py)\b", part[0]))
        here = {path.name for path in (ROOT / "src/clusterbits" / room).glob("*.py")}
        assert named == here - {"__init__.py"}
    for name in re.findall(r"`([\w/]+/[\w/]+\.py)`", page):
        assert (ROOT / "src/clusterbits" / name).exists() or (ROOT / name).exists(), name


def test_the_readme_says_what_a_cluster_costs():
    for n in (500, 2_000, 20_000, 200_000):
        few, many = (cb.Contingency(np.arange(n) % 5, np.arange(n) % k) for k in (5, 100))
        assert f"{many.table_bits() - few.table_bits():.3f}" in README
