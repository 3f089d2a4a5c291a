# Two commands on a fresh machine with Python 3.11+ and make:
#   make demo   install into .venv, run the demo, write a picture
#   make test   install what the tests need, run all checks and tests
# and, for an hour: make test-thorough, the same laws with more examples and on larger networks
# The documentation site, in docs/_build/index.html: make docs
# What a release needs (see CONTRIBUTING.md), in environments of their own:
#   make test-oldest   all commands with the lowest versions that pyproject.toml allows
#   make test-matrix   the same with every Python from 3.11 on that is found, and beside versions that notebooks have
#   make dist          wheel and source distribution: built, checked, installed, tried
# And for the tables of the paper, beside its numbers (see docs/measurements.md):
#   make reproduce OPTIONS="--quick --networks facebook --data FOLDER"
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# a browser for the tests of pages, installed where that is possible
CHROMIUM := command -v chromium || command -v chromium-browser || command -v google-chrome

# tests start many processes: what Python compiles is kept, as compiled kernels are
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder

.PHONY: demo test test-thorough test-oldest test-matrix dist lint types docs reproduce clean

demo: $(VENV)/installed
	$(BIN)/netgiven demo

test: $(VENV)/tested lint types
	$(PYTEST)

test-thorough: $(VENV)/tested lint types
	$(PYTEST) -m "" --hypothesis-profile thorough

docs: $(VENV)/documented
	$(BIN)/python -m sphinx -W --keep-going -n -q -E docs docs/_build

test-oldest: $(BIN)/python
	$(BIN)/python tools/try_install.py oldest

test-matrix: $(BIN)/python
	$(BIN)/python tools/try_install.py matrix beside

dist: $(BIN)/python
	$(BIN)/python -m pip install --quiet --group dist
	$(BIN)/python tools/try_install.py dist

# OPTIONS: those of `python -m experiments.paper --help`
reproduce: $(VENV)/experiments
	$(BIN)/python -m experiments.paper $(OPTIONS)

lint: $(VENV)/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/tested
	$(BIN)/mypy

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "netgiven needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[plot]"
	touch $@

$(VENV)/experiments: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group experiments
	touch $@

$(VENV)/documented: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group test
	$(CHROMIUM) || { test "$$(id -u)" = 0 && apt-get update && apt-get install -y chromium; } \
		|| echo "There is no Chromium, and it cannot be installed here: tests of pages will be skipped."
	touch $@

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/_build docs/generated
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
