"""What a release needs: versions that agree, workflows that are pinned and may do little."""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from runpy import run_path

import pytest
import yaml
from support.sources import GENERATED, INDEXED, ROOT, list_sources

import clusterbits as cb

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# Under other names at conda-forge.
CONDA_NAMES = {"duckdb": "python-duckdb"}
MAY_PUBLISH = (
    {},
    {"id-token": "write"},
    {"id-token": "write", "pages": "write"},
    {"contents": "write"},
)

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")


def load(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_one_version_everywhere():
    assert str(load("CITATION.cff")["version"]) == cb.__version__
    assert load("recipe/recipe.yaml")["context"]["version"] == cb.__version__


def test_the_recipe_requires_what_the_package_requires():
    extras = PROJECT["optional-dependencies"]
    needed = [*PROJECT["dependencies"], *extras["files"], *extras["cli"]]
    needed.remove("clusterbits[files]")
    bounds = [one.split(">=") for one in needed]
    expected = {f"{CONDA_NAMES.get(name, name)} >={version}" for name, version in bounds}
    expected.add(f"python {PROJECT['requires-python']}")
    assert set(load("recipe/recipe.yaml")["requirements"]["run"]) == expected


def test_every_python_is_tested_and_named():
    named = re.findall(r"Python :: (3\.\d+)'", str(PROJECT["classifiers"]))
    assert (
        load(".github/workflows/tests.yml")["jobs"]["test"]["strategy"]["matrix"]["python"] == named
    )
    assert PROJECT["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_pinned_and_may_do_little(path):
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job, name
        # Only the jobs that publish may ask for more: an identity, the pages of the site, and the
        # branch that keeps old ones.
        assert job.get("permissions", {}) in MAY_PUBLISH, name
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+\.\d+\.\d+", step["uses"]), step["uses"]
            for target in re.findall(r"\bmake ([\w-]+)", step.get("run", "")):
                makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize(
    "path",
    [*sorted(ROOT.glob(".github/**/*.yml")), ROOT / ".pre-commit-config.yaml"],
    ids=lambda path: path.name,
)
def test_settings_of_the_repository_are_valid_yaml(path):
    assert isinstance(load(path), dict)


def test_pages_that_the_site_generates_are_not_shipped():
    """One list for git, the sdist, make clean and the tests."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = {line.rstrip("/") for line in lines if line.startswith("docs/")}
    assert ignored == {*GENERATED, *(f"{folder}/*" for folder in INDEXED)}
    assert {f"!{folder}/index.md" for folder in INDEXED} <= set(lines)
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    assert {f"prune {folder}" for folder in GENERATED} <= set(manifest)
    for folder in INDEXED:
        last = [f"exclude {folder}/*", f"include {folder}/index.md"]
        assert [line for line in manifest if folder in line] == last
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    removed = makefile.partition("\nPAGES := ")[2].partition("\n#")[0]
    assert set(GENERATED) <= {*removed.split(), "docs/_build"}
    assert f"$(wildcard {' '.join(f'{folder}/*' for folder in INDEXED)})" in removed
    assert re.search(r"^clean:\n\trm .* docs/_build \$\(PAGES\)$", makefile, re.MULTILINE)


def test_how_to_install_is_said_in_two_places():
    """Both change with the first release: the README, and the page that others link to."""
    pages = [ROOT / "README.md", *list_sources()]
    said = {
        str(path.relative_to(ROOT))
        for path in pages
        if path.suffix in (".md", ".py", ".rst") and "cli,report]" in path.read_text("utf-8")
    }
    assert said == {"README.md", "docs/howto/install.md"}


def test_the_addresses_of_repository_and_site_are_those_of_the_project():
    site, repository = (PROJECT["urls"][name] for name in ("Documentation", "Source"))
    assert site in cb.__doc__
    folders = ("src", "docs", "recipe", ".github", "paper", "examples", "benchmarks")
    texts = [*ROOT.glob("*.*"), *(path for name in folders for path in (ROOT / name).rglob("*.*"))]
    for path in texts:
        if path.suffix in {".py", ".md", ".cff", ".yaml", ".yml", ".toml", ".rst", ".j2"}:
            for address in re.findall(
                r"https://(?:github\.com/clusterbits|clusterbits\.)[^\s)\"'<>`]*",
                path.read_text("utf-8"),
            ):
                assert address.startswith((site.rstrip("/"), repository)), (path, address)


def test_the_docs_extra_has_what_pages_import():
    packages = packages_distributions()
    modules = {module for code in list_code_of_the_site() for module in list_imports(code)}
    own = {path.stem for path in ROOT.glob("docs/_ext/*.py")} | {"clusterbits"}
    comes_with_sphinx = {"docutils"}
    others = modules - sys.stdlib_module_names - own - comes_with_sphinx
    assert others > {"pandas", "sklearn"}
    required = require("docs")
    missing = [
        module
        for module in sorted(others)
        if not required & {name.lower() for name in packages.get(module, [module])}
    ]
    assert missing == []


def list_code_of_the_site():
    """Return the Python that a build of the site runs."""
    folders = ("docs/_ext", "docs/tutorial", "examples")
    files = [path for folder in folders for path in ROOT.glob(f"{folder}/**/*.py")]
    # Those that start an engine are shown and not run.
    code = [path.read_text(encoding="utf-8") for path in files if "count_with" not in path.name]
    for path in list_sources():
        text = path.read_text(encoding="utf-8") if path.suffix in (".md", ".json") else ""
        cells = re.findall(r"^ *```\{run\}\n(.*?)```", text, re.DOTALL | re.MULTILINE)
        code += [re.sub("^:.*\n", "", cell, flags=re.MULTILINE) for cell in cells]
        if path.parent.name == "peers":
            code.append("\n".join(json.loads(text)["ours_code"]))
    return code


def list_imports(code):
    """Return the modules that code imports, without their submodules."""
    nodes = list(ast.walk(ast.parse(code)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def require(extra):
    """Return the names of the packages that an extra installs by name."""
    found = {re.match(r"[\w-]+", one)[0].lower() for one in PROJECT["dependencies"]}
    for one in PROJECT["optional-dependencies"][extra]:
        name, _, others = re.match(r"([\w-]+)(\[([\w,]+)\])?", one).groups()
        if name == "clusterbits":
            found = found.union(*map(require, others.split(",")))
        else:
            found.add(name.lower())
    return found


def test_every_requirement_has_a_lower_bound():
    lowest = run_path(str(ROOT / "tools/lowest_versions.py"))["lowest_versions"]
    assert lowest(PROJECT)["numpy"] == "1.26"
    extras = PROJECT["optional-dependencies"]
    for wrong in (["pandas"], ["numpy>=2.3"], ["pandas==2.2.2"]):
        with pytest.raises(SystemExit, match=re.escape(wrong[0].partition(">=")[0])):
            lowest(PROJECT | {"optional-dependencies": extras | {"cli": wrong}})
