# The two commands of the README, `make demo` and `make test`, need Python 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
# Another Python has an environment of its own: `make test PYTHON=python3.13` uses .venv-3.13.
ifneq ($(PYTHON),python3)
  VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
BIN := $(VENV)/bin
# Pages that a build of the site writes among its sources.
PAGES := docs/gallery docs/learn docs/reference/api \
  $(filter-out %/index.md,$(wildcard docs/howto/coming_from/* docs/reference/measures/*))
# What is compiled or configured when the package is installed.
SETUP := pyproject.toml setup.py constraints.txt $(wildcard src/native/*)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-quick test-lowest lint docs data bench study fuzz release-check clean

demo: $(VENV)/cli.stamp  ## score the shipped clusterings of handwritten digits
	$(BIN)/clusterbits demo

# By file, so that Spark and Dask, which take seconds to start, are started once.
test: lint  ## everything: linters, types, layers, tests and doctests
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

test-quick: $(VENV)/test.stamp  ## what depends on Python most, in about a minute
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m 'not slow' \
	  tests/test_*.py tests/table tests/labels tests/measures tests/scoring src

# Python 3.11, for which these versions have wheels. Without Spark, peers and browser; older
# matplotlib places text a little differently, and old versions warn.
LOWEST := .venv-lowest
test-lowest:  ## with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python tools/lowest_versions.py > $(LOWEST)/versions.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint $(LOWEST)/versions.txt --editable '.[cli,report,images,dask]' \
	  pandas polars pyarrow 'ibis-framework[duckdb]' scikit-learn networkx igraph \
	  pytest pytest-xdist hypothesis mpmath zstandard array-api-strict
	$(LOWEST)/bin/python -m pytest --numprocesses 2 --dist loadfile -m 'not slow' \
	  -W default \
	  tests/table tests/labels tests/reading tests/images tests/scoring tests/explanation tests/inference tests/codec \
	  tests/changes tests/trees tests/text tests/report tests/cli

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/test.stamp  ## the site, in docs/_build/html
	rm -rf $(filter-out docs/gallery docs/learn,$(PAGES))  # the other two run every example
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet \
	  --doctree-dir docs/_build/doctrees docs docs/_build/html

data: $(VENV)/test.stamp  ## what is committed and computed: report cards, witnesses, the picture of the README; a minute
	$(BIN)/python tools/make_cards.py
	$(BIN)/python tools/draw_noise.py

bench: $(VENV)/bench.stamp  ## peers in the same run; minutes
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/worst.py
	$(BIN)/python benchmarks/measures.py
	$(BIN)/python benchmarks/pairwise.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/forms.py
	$(BIN)/python benchmarks/pairs_and_images.py
	$(BIN)/python benchmarks/slow_inputs.py
	$(BIN)/python benchmarks/explaining.py
	$(BIN)/python benchmarks/diff.py
	$(BIN)/python benchmarks/consensus.py
	$(BIN)/python benchmarks/trees.py
	$(BIN)/python benchmarks/covers.py
	$(BIN)/python benchmarks/fields.py
	$(BIN)/python benchmarks/coverage.py
	$(BIN)/python benchmarks/codec.py
	$(BIN)/python benchmarks/inference.py

# In an environment of its own: the packages with the data need an older pandas than the tests do.
STUDY := .venv-study
study:  ## which measure picks the clustering that helps: docs/explanation/study.md
	$(PYTHON) -m venv $(STUDY)
	$(STUDY)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[study]'
	OMP_NUM_THREADS=1 $(STUDY)/bin/python study/run.py
	$(STUDY)/bin/python study/summary.py

fuzz: $(VENV)/fuzz.stamp  ## hostile labels, files and command lines, new ones each time; hours
	$(BIN)/python -m pytest tests/fuzz tests/cli/test_signals.py --hypothesis-profile=long
	$(BIN)/python tests/fuzz/guided.py

release-check: $(VENV)/release.stamp  ## build, check, and install what is built; minutes
	rm -rf dist
	$(BIN)/python -m build
	CLUSTERBITS_PURE=1 $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist dist/*.tar.gz
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python tools/try_install.py dist/*

clean:
	rm -rf .venv .venv-* study/work dist docs/_build $(PAGES)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/cli.stamp: $(VENV)/bin/python $(SETUP)
	$(INSTALL) --editable '.[cli]'
	touch $@

$(VENV)/test.stamp: $(VENV)/bin/python $(SETUP)
	$(INSTALL) --editable '.[cli,test,lint]'
	touch $@ $(VENV)/cli.stamp

$(VENV)/bench.stamp: $(VENV)/test.stamp
	$(INSTALL) --editable '.[bench]'
	touch $@

$(VENV)/fuzz.stamp: $(VENV)/test.stamp
	$(INSTALL) --editable '.[fuzz]'
	touch $@

$(VENV)/release.stamp: $(VENV)/bin/python $(SETUP)
	$(INSTALL) --editable '.[release]'
	touch $@
