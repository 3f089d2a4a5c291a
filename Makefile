# Two commands on a fresh machine with Python 3.11+ and make:
#   make demo   install into .venv, run the demo, write a picture
#   make test   install what the tests need, run all checks and tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# a browser for the tests of pages, installed where that is possible
CHROMIUM := command -v chromium || command -v chromium-browser || command -v google-chrome

.PHONY: demo test lint types clean

demo: $(VENV)/installed
	$(BIN)/netgiven demo

test: $(VENV)/tested lint types
	$(BIN)/python -m pytest -n 2 --dist worksteal

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
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group test
	$(CHROMIUM) || { test "$$(id -u)" = 0 && apt-get update && apt-get install -y chromium; } \
		|| echo "There is no Chromium, and it cannot be installed here: tests of pages will be skipped."
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
