# Needs Python 3.11 or later and make. PYTHON=python3.12 make ... picks another one.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PEERS ?=
MUTANTS ?=

.PHONY: run setup test test-long endings mutants fuzz-definitions lint docs bench warm perft lock clean

run: .venv/engine
	$(BIN)/kingmaker run

setup: .venv/installed

# What playing needs; the arbiter and the tests need as much again. pip turns what it installs into bytecode, but not what it
# installs as editable.
.venv/engine: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) --constraint requirements.lock --editable .
	$(BIN)/python -m compileall -q engine search variants bench
	touch $@

.venv/installed: .venv/engine
	$(PIP) --requirement requirements.lock
	touch $@

# The files in the order of tests/conftest.py, each in one process.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test: setup
	$(PYTEST)

test-long: setup
	$(PYTEST) -m "long or not long"

# Each fault of tests/mutants/list.toml in a copy of the tree: does a test see it? Hours; goes on where it was interrupted.
mutants: setup
	PYTHONPATH=tests $(BIN)/python -m mutants $(MUTANTS)

# Won elementary endings played out; goes on where it was interrupted.
endings: setup
	$(BIN)/python -m pytest -n 2 --dist load -m long tests/search/eval/test_endings.py

# Definitions of games with letters, lines and words changed, compiled and compared with their Boards, for so many seconds.
FUZZ_SECONDS ?= 1800
fuzz-definitions: setup
	rm -rf build/fuzz
	KINGMAKER_CACHE=$(CURDIR)/build/fuzz PYTHONPATH=tests $(BIN)/python -m support.mutated_games $(FUZZ_SECONDS) $$(date +%s)
	rm -rf build/fuzz

lint: setup
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# The site in build/site. Broken links fail; with --quiet they would not. It needs packages of its own, not those of the tests.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site/index.html"

.venv/docs: .venv/engine requirements-docs.lock
	$(PIP) --constraint requirements.lock --requirement requirements-docs.lock ruff
	touch $@

bench: setup
	$(BIN)/kingmaker speed $(foreach peer,$(PEERS),--peer $(peer))

warm: setup
	$(BIN)/kingmaker warm

perft: setup
	KINGMAKER_PERFT_NODES=100000000000 $(BIN)/python -m pytest tests/engine/core/test_perft.py

# The locks are what a fresh environment of the wanted packages holds; run on purpose, then make test. `make setup` installs
# requirements.lock, only `make docs` requirements-docs.lock.
lock:
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[arbiter,cluster,test,dev]'
	echo '# Made by make lock: exact versions of everything setup installs.' > requirements.lock
	build/lock/bin/python -m pip freeze --exclude kingmaker >> requirements.lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock '.[docs]'
	echo '# Made by make lock: exact versions of what make docs installs besides requirements.lock.' > requirements-docs.lock
	build/lock/bin/python -m pip freeze --exclude kingmaker | grep -vxFf requirements.lock >> requirements-docs.lock
	rm -rf build/lock

clean:
	rm -rf .venv build dist games *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
