"""What a release needs: versions that agree, workflows that are pinned and may do little."""

import re
import tomllib
from pathlib import Path
from runpy import run_path

import pytest
import yaml

import clusterbits as cb

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# Under other names at conda-forge.
CONDA_NAMES = {"duckdb": "python-duckdb"}
MAY_PUBLISH = ({}, {"id-token": "write"}, {"id-token": "write", "pages": "write"})

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")


def load(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_one_version_everywhere():
    assert str(load("CITATION.cff")["version"]) == cb.__version__
    assert load("recipe/recipe.yaml")["context"]["version"] == cb.__version__


def test_the_recipe_requires_what_the_package_requires():
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
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
        # Only the jobs that publish may ask for more: an identity, and the pages of the site.
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


def test_every_requirement_has_a_lower_bound():
    lowest = run_path(str(ROOT / "tools/lowest_versions.py"))["lowest_versions"]
    assert lowest(PROJECT)["numpy"] == "2.0"
    extras = PROJECT["optional-dependencies"]
    for wrong in (["pandas"], ["numpy>=2.1"], ["pandas==2.2.2"]):
        with pytest.raises(SystemExit, match=re.escape(wrong[0].partition(">=")[0])):
            lowest(PROJECT | {"optional-dependencies": extras | {"cli": wrong}})
