# make report   everything from nothing: a virtual environment, the install, games, analysis, and a page to open
# make test     lint, types and all tests; PYTHON=python3.13 does it with another Python, in an environment of its own
# make lab      the page in which a card is edited and games answer at once
# make mutants, campaign HOURS=1, fuzz, branches    how far the tests can be trusted (docs/TESTING.md)
# make quick    lint, types and the tests that take no time: for while one works
PYTHON ?= python3
HOURS ?= 1
VENV := .venv$(if $(filter-out python3,$(PYTHON)),-$(notdir $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')))
BIN := $(VENV)/bin
# Many processes are started; without bytecode on disk, each would read all sources anew, which takes a second.
unexport PYTHONDONTWRITEBYTECODE
# pip would make it with one core.
BYTECODE = $(BIN)/python -W ignore -m compileall -qq -j 0 $(VENV)/lib || true

.PHONY: report lab test quick lint bench clean mutants campaign fuzz branches

report: $(VENV)/installed
	$(BIN)/terrors balance

lab: $(VENV)/installed-lab
	$(BIN)/terrors lab

test: $(VENV)/installed-test lint
	sh tests/support/get_browser.sh
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

quick: $(VENV)/installed-test lint
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 -m "not slow and not browser and not cluster"

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	VENV=$(VENV) .ci/types

mutants: $(VENV)/installed-test
	$(BIN)/python -m tests.trust.mutants --write docs/TESTING.md 600

campaign: $(VENV)/installed-test
	$(BIN)/python -m tests.trust.campaign $(HOURS)

branches: $(VENV)/installed-test
	$(BIN)/python -m tests.trust.branches --write docs/TESTING.md

fuzz: $(VENV)/installed-test
	FUZZ=10000 $(BIN)/python -m pytest tests/fuzz

bench: $(VENV)/installed-test
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[benchmark]"
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/batch.py
	$(BIN)/python benchmarks/analysis.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/answer.py
	$(BIN)/python benchmarks/lab.py

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --no-compile --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	$(BYTECODE)
	touch $@

$(VENV)/installed-test: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --no-compile --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test]"
	$(BYTECODE)
	touch $(VENV)/installed $(VENV)/installed-lab $@

$(VENV)/installed-lab: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --no-compile --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[lab]"
	$(BYTECODE)
	touch $(VENV)/installed $@

clean:
	rm -rf .venv .venv-* build dist *.egg-info
